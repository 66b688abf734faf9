//! A case as files: what each holds. `put.rs` writes them.

use serde::Serialize;
use tapeline::{
    Script, StopAt,
    audit::StopPoint,
    http::{HttpFault, HttpFaultKind, HttpResponse},
    workspace::WorkspaceFaultKind,
};

use super::{
    CASE_FORMAT, MOST_TEXT,
    format::{
        AnswerFile, ApprovalFile, BodyFile, CaseFile, ChangedFile, ClockFile, EndFile, FaultFile,
        FileFile, HostFile, IdsFile, Knowledge, ListFile, Provenance, ReadFile, ResponseFile,
        RunFile, WorkspaceFile,
    },
    json_of,
    put::Piece,
    read::below_root,
};
use crate::{
    Json,
    digest::sha256_hex,
    given::{Given, GivenAnswer, GivenApproval},
    outcome::Outcome,
    taped::{TapedFile, Tree},
};

/// The files of `given/`.
///
/// # Errors
/// A value that JSON cannot hold.
pub(crate) fn given_files(
    title: &str,
    given: &Given,
    provenance: Option<&Provenance>,
) -> Result<Vec<Piece>, serde_json::Error> {
    let mut pieces = Vec::new();
    let setup = &given.setup;
    let case = CaseFile {
        format: CASE_FORMAT,
        title: title.to_owned(),
        run: RunFile {
            command: given.request.command.clone(),
            stdin: given.request.stdin.clone(),
            timeout_ms: given.request.timeout_ms,
            labels: given.request.labels.clone(),
        },
        host: HostFile {
            policy: setup.policy.clone(),
            limits: setup.limits.clone(),
            network: setup.network.clone(),
            network_hint: setup.network_hint.clone(),
            approval_hint: setup.approval_hint.clone(),
        },
        clock: ClockFile { start: given.started_ms, duration_ms: given.duration_ms },
        ids: IdsFile { seed: given.seed, run_id: given.run_id.clone() },
        approvals: approval_files(&given.approvals),
        workspace: match given.tree.closed {
            true => Knowledge::Closed,
            false => Knowledge::AsRead,
        },
        end: end(given.script),
        provenance: provenance.cloned(),
    };
    pieces.push(json_file("given/case.json", &case)?);
    let numbered = given.answers.iter().zip(1..);
    let answers: Vec<_> =
        numbered.map(|(answer, number)| answer_file(answer, number, &mut pieces)).collect();
    if !answers.is_empty() {
        pieces.push(json_file("given/http.json", &answers)?);
    }
    let workspace = workspace_file(&given.tree, &mut pieces);
    if !workspace.is_empty() {
        pieces.push(json_file("given/workspace.json", &workspace)?);
    }
    Ok(pieces)
}

pub(super) fn approval_files(approvals: &[GivenApproval]) -> Vec<ApprovalFile> {
    let file = |approval: &GivenApproval| ApprovalFile {
        action: approval.action.clone(),
        answer: approval.answer.name().to_owned(),
        at_ms: approval.at_ms,
    };
    approvals.iter().map(file).collect()
}

pub(super) fn end(script: Script) -> EndFile {
    let point = |at: StopAt| match at {
        StopAt::Beginning => StopPoint { after_events: 0, before_begin: Some(true) },
        StopAt::AfterEvents(after_events) => StopPoint { after_events, before_begin: None },
    };
    match script {
        Script::Returns => EndFile::default(),
        Script::TimesOut(at) => EndFile { timeout: Some(point(at)), cancel: None },
        Script::IsCancelled(at) => EndFile { timeout: None, cancel: Some(point(at)) },
    }
}

fn answer_file(given: &GivenAnswer, number: usize, pieces: &mut Vec<Piece>) -> AnswerFile {
    let answer = &given.answer;
    let (response, fault) = answered(&answer.outcome, number, pieces);
    AnswerFile {
        method: given.method.clone(),
        url: given.url.clone(),
        resolved: answer.resolved.iter().map(ToString::to_string).collect(),
        response,
        fault,
        at_ms: answer.at_ms,
    }
}

/// What an exchange comes to: one of the two.
pub(super) fn answered(
    outcome: &Result<HttpResponse, HttpFault>,
    number: usize,
    pieces: &mut Vec<Piece>,
) -> (Option<ResponseFile>, Option<FaultFile>) {
    match outcome {
        Ok(response) => {
            let file = format!("http/{number:02}.{}", extension(&response.headers));
            let in_case = content(&format!("given/{file}"), &response.body, pieces);
            let body = BodyFile {
                file: in_case.then_some(file),
                bytes: response.body.len() as u64,
                sha256: sha256_hex(&response.body),
            };
            let headers = response.headers.clone();
            (Some(ResponseFile { status: response.status, headers, body }), None)
        }
        Err(fault) => {
            let is_too_large = fault.kind == HttpFaultKind::TooLarge;
            let bytes = |wanted: bool| fault.after_bytes.filter(|_| wanted);
            let fault = FaultFile {
                kind: fault.kind.name().to_owned(),
                status: fault.status,
                after_bytes: bytes(!is_too_large),
                seen_bytes: bytes(is_too_large),
            };
            (None, Some(fault))
        }
    }
}

/// What a reviewer's tools know the content by.
fn extension(headers: &[(String, String)]) -> &'static str {
    let content_type = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.map_or("", |(_, value)| value.as_str());
    let is = |part: &str| content_type.contains(part);
    match () {
        () if is("json") => "json",
        () if is("html") => "html",
        () if is("xml") => "xml",
        () => "txt",
    }
}

fn workspace_file(tree: &Tree, pieces: &mut Vec<Piece>) -> WorkspaceFile {
    let mut file = WorkspaceFile::default();
    for (path, held) in &tree.files {
        let read = ReadFile { path: path.clone(), ..ReadFile::default() };
        match held {
            TapedFile::Bytes(bytes) => {
                content(&format!("given/workspace/{}", below_root(path)), bytes, pieces);
                file.files.push(FileFile {
                    path: path.clone(),
                    bytes: bytes.len() as u64,
                    sha256: sha256_hex(bytes),
                });
            }
            TapedFile::Unread(length) => {
                file.reads.push(ReadFile { unread_bytes: Some(*length), ..read });
            }
            TapedFile::Fault(WorkspaceFaultKind::NotFound) => {
                file.reads.push(ReadFile { absent: Some(true), ..read });
            }
            TapedFile::Fault(WorkspaceFaultKind::Directory) => {
                file.reads.push(ReadFile { dir: Some(true), ..read });
            }
            TapedFile::Fault(WorkspaceFaultKind::Link) => {
                file.reads.push(ReadFile { link: Some(true), ..read });
            }
            TapedFile::Fault(kind) => {
                file.reads.push(ReadFile { error: Some(kind.name().to_owned()), ..read });
            }
        }
    }
    file.lists = tree
        .lists
        .iter()
        .map(|(path, list)| ListFile {
            path: path.clone(),
            entries: list.as_ref().ok().cloned(),
            error: list.as_ref().err().map(|kind| kind.name().to_owned()),
        })
        .collect();
    file.writes = tree.writes.values().flatten().cloned().collect();
    file.locks = tree.locks.values().flatten().cloned().collect();
    file
}

/// The files of `expect/`. What is empty needs no file.
///
/// # Errors
/// A value that JSON cannot hold.
pub(crate) fn expect_files(outcome: &Outcome) -> Result<Vec<Piece>, serde_json::Error> {
    let mut pieces = Vec::new();
    let mut envelope = Vec::new();
    for (name, value) in &outcome.envelope {
        match (name.as_str(), value) {
            ("stdout" | "stderr", Json::Text(text)) => {
                let file = format!("expect/{name}.txt");
                if !text.is_empty() {
                    pieces.push(Piece::File(file, text.clone().into_bytes()));
                }
            }
            _ => envelope.push((name.clone(), value.clone())),
        }
    }
    pieces.push(pretty("expect/envelope.json", &Json::Object(envelope)));
    if !outcome.requests.is_empty() {
        pieces.push(pretty("expect/requests.json", &Json::Array(outcome.requests.clone())));
    }
    let changes = outcome.workspace.iter().map(|(path, change)| ChangedFile {
        path: path.clone(),
        change: change.change.clone(),
        bytes: change.holds.as_ref().map(|(bytes, _)| *bytes),
        sha256: change.holds.as_ref().map(|(_, sha256)| sha256.clone()),
    });
    let changes: Vec<_> = changes.collect();
    if !changes.is_empty() {
        pieces.push(json_file("expect/workspace.json", &changes)?);
    }
    for (path, change) in &outcome.workspace {
        if let Some(text) = &change.text {
            let file = format!("expect/workspace/{}", below_root(path));
            pieces.push(Piece::File(file, text.clone().into_bytes()));
        }
    }
    Ok(pieces)
}

pub(super) fn json_file(path: &str, value: &impl Serialize) -> Result<Piece, serde_json::Error> {
    Ok(pretty(path, &json_of(value)?))
}

fn pretty(path: &str, json: &Json) -> Piece {
    Piece::File(path.to_owned(), json.pretty().into_bytes())
}

/// Adds a content, in the case where it is short text, else as a blob; says whether in the case.
fn content(path: &str, bytes: &[u8], pieces: &mut Vec<Piece>) -> bool {
    // Nothing needs no file.
    if bytes.is_empty() {
        return false;
    }
    let in_case = bytes.len() <= MOST_TEXT && std::str::from_utf8(bytes).is_ok();
    pieces.push(match in_case {
        true => Piece::File(path.to_owned(), bytes.to_vec()),
        false => Piece::Blob(sha256_hex(bytes), bytes.to_vec()),
    });
    in_case
}
