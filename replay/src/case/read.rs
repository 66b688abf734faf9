//! [`Case`]: a case as it lies on disk, held to its own hashes.

use std::{collections::BTreeSet, path::Path};

use tapeline::{
    ApprovalAnswer, Request, Script, Setup, StopAt,
    audit::{HostVersion, StopPoint},
    http::{HttpFault, HttpFaultKind, HttpResponse},
    workspace::WorkspaceFaultKind,
};

use super::{
    CASE_FORMAT, CaseError, CaseErrorKind, CaseName, Expected,
    derive::{Change, derive},
    folder::Folder,
    format::{
        AnswerFile, AnyCaseFile, ApprovalFile, BodyFile, CaseFile, DerivedFile, EndFile, FaultFile,
        Knowledge, Provenance, ReadFile, ResponseFile, WorkspaceFile,
    },
};
use crate::{
    given::{Given, GivenAnswer, GivenApproval, Unused},
    taped::{Answer, TapedFile, Tree},
};

/// A case: what is given and what is expected.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) title: String,
    pub(crate) given: Given,
    pub(crate) provenance: Option<Provenance>,
    /// The case this one is a variation of: its `given/` is not its own.
    pub(crate) base: Option<CaseName>,
    /// What the variation consists of, as far as the run must ask for it.
    pub(crate) changed: Vec<Unused>,
    /// `None`: nothing is expected yet.
    pub(crate) expected: Option<Expected>,
    /// Blobs it refers to.
    pub(crate) blobs: BTreeSet<String>,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// A file is missing, no JSON of its shape, of a later format, not what its hash says, or
    /// nothing in the case names it.
    pub(crate) fn read(golden: &Path, name: &CaseName) -> Result<Self, CaseError> {
        Self::read_below(golden, name, true, &Ok)
    }

    /// As [`read`](Self::read), though a write that was cut off left something behind.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_without_leftovers(
        golden: &Path,
        name: &CaseName,
    ) -> Result<Self, CaseError> {
        Self::read_below(golden, name, true, &Folder::without_leftovers)
    }

    /// What a folder expects, whether or not it has a `given/`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_expected(
        golden: &Path,
        name: &CaseName,
    ) -> Result<Option<Expected>, CaseError> {
        Expected::read(&mut Folder::open(golden, name)?)
    }

    /// The blobs that the `given/` of a folder refers to.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_given_blobs(
        golden: &Path,
        name: &CaseName,
    ) -> Result<BTreeSet<String>, CaseError> {
        let mut folder = Folder::open(golden, name)?;
        Self::own(&mut folder)?;
        Ok(folder.blobs)
    }

    fn read_below(
        golden: &Path,
        name: &CaseName,
        may_derive: bool,
        opened: &dyn Fn(Folder) -> Result<Folder, CaseError>,
    ) -> Result<Self, CaseError> {
        let mut folder = opened(Folder::open(golden, name)?)?;
        let any: AnyCaseFile = folder.json("given/case.json")?;
        let path = folder.path.join("given/case.json");
        if any.format == 0 || any.format > CASE_FORMAT {
            return Err(CaseError::at(path, CaseErrorKind::Format { found: any.format }));
        }
        let value = |why: String| CaseError::at(&path, CaseErrorKind::Value(why));
        let mut case = match any.base {
            None => Self::own(&mut folder)?,
            Some(_) if !may_derive => {
                return Err(value(
                    "it is the base of another case and has a base itself".to_owned(),
                ));
            }
            Some(base) => {
                let file: DerivedFile = folder.json("given/case.json")?;
                let base: CaseName = base
                    .parse()
                    .map_err(|error: super::InvalidCaseName| value(error.to_string()))?;
                let of = Self::read_below(golden, &base, false, opened)?;
                let change = Change::read(&mut folder, file.change)?;
                let changed = change.parts();
                Self {
                    title: file.title,
                    given: derive(&folder, of.given, change)?,
                    changed,
                    provenance: None,
                    base: Some(base),
                    expected: None,
                    blobs: BTreeSet::new(),
                }
            }
        };
        case.expected = Expected::read(&mut folder)?;
        case.blobs = folder.blobs.clone();
        folder.no_strays()?;
        Ok(case)
    }

    fn own(folder: &mut Folder) -> Result<Self, CaseError> {
        let file: CaseFile = folder.json("given/case.json")?;
        let approvals = approvals(folder, file.approvals)?;
        let script = script(&file.end);
        let host = match &file.provenance {
            Some(provenance) => provenance.host.clone(),
            None => HostVersion { name: "by hand".to_owned(), version: String::new() },
        };
        let features = file.provenance.as_ref().map(|from| from.features.clone());
        let given = Given {
            request: Request {
                command: file.run.command,
                stdin: file.run.stdin,
                timeout_ms: file.run.timeout_ms,
                labels: file.run.labels,
            },
            run_id: file.ids.run_id,
            started_ms: file.clock.start,
            duration_ms: file.clock.duration_ms,
            seed: file.ids.seed,
            script,
            setup: Setup {
                v: Setup::VERSION,
                policy: file.host.policy,
                limits: file.host.limits,
                features: features.unwrap_or_default(),
                network: file.host.network,
                network_hint: file.host.network_hint,
                approval_hint: file.host.approval_hint,
            },
            host,
            answers: answers(folder)?,
            approvals,
            tree: tree(folder, file.workspace == Knowledge::Closed, script != Script::Returns)?,
        };
        Ok(Self {
            title: file.title,
            given,
            provenance: file.provenance,
            base: None,
            changed: Vec::new(),
            expected: None,
            blobs: BTreeSet::new(),
        })
    }
}

/// What the approver says.
pub(super) fn approvals(
    folder: &Folder,
    files: Vec<ApprovalFile>,
) -> Result<Vec<GivenApproval>, CaseError> {
    let approvals = files.into_iter().map(|ApprovalFile { action, answer, at_ms }| {
        let answer = ApprovalAnswer::from_name(&answer).ok_or_else(|| {
            let why = format!("`{answer}` is no answer of an approver");
            let path = folder.path.join("given/case.json");
            CaseError::at(path, CaseErrorKind::Value(why))
        })?;
        Ok(GivenApproval { action, answer, at_ms })
    });
    approvals.collect()
}

pub(super) fn script(end: &EndFile) -> Script {
    let at = |point: StopPoint| match point.before_begin {
        Some(true) => StopAt::Beginning,
        _ => StopAt::AfterEvents(point.after_events),
    };
    match (end.timeout, end.cancel) {
        (Some(point), _) => Script::TimesOut(at(point)),
        (None, Some(point)) => Script::IsCancelled(at(point)),
        (None, None) => Script::Returns,
    }
}

fn answers(folder: &mut Folder) -> Result<Vec<GivenAnswer>, CaseError> {
    let files: Vec<AnswerFile> = folder.optional_json("given/http.json")?.unwrap_or_default();
    let mut answers = Vec::new();
    for file in files {
        let path = folder.path.join("given/http.json");
        let resolved = file.resolved.iter().map(|address| {
            let why = || CaseErrorKind::Value(format!("`{address}` is no address"));
            address.parse().map_err(|_| CaseError::at(&path, why()))
        });
        let resolved = resolved.collect::<Result<_, CaseError>>()?;
        let outcome = outcome(folder, file.response, file.fault)?;
        answers.push(GivenAnswer {
            method: file.method,
            url: file.url,
            answer: Answer { at_ms: file.at_ms, resolved, outcome },
        });
    }
    Ok(answers)
}

/// What an exchange comes to.
pub(super) fn outcome(
    folder: &mut Folder,
    response: Option<ResponseFile>,
    fault: Option<FaultFile>,
) -> Result<Result<HttpResponse, HttpFault>, CaseError> {
    let path = folder.path.join("given/http.json");
    let value = |why: String| CaseError::at(&path, CaseErrorKind::Value(why));
    match (response, fault) {
        (Some(response), None) => Ok(Ok(HttpResponse {
            status: response.status,
            headers: response.headers,
            body: body(folder, &response.body)?,
        })),
        (None, Some(fault)) => Ok(Err(HttpFault {
            kind: HttpFaultKind::from_name(&fault.kind)
                .ok_or_else(|| value(format!("`{}` is no fault", fault.kind)))?,
            status: fault.status,
            after_bytes: fault.after_bytes.or(fault.seen_bytes),
            cause: "in the case".to_owned(),
        })),
        _ => Err(value("an answer has either `response` or `fault`".to_owned())),
    }
}

fn body(folder: &mut Folder, body: &BodyFile) -> Result<Vec<u8>, CaseError> {
    let bytes = match &body.file {
        Some(file) => {
            let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
            let name = file.strip_prefix("http/").filter(|name| !name.contains(['/', '\\']));
            if !name.is_some_and(is_plain) {
                let why = format!("`{file}` is no file of `http/`");
                let path = folder.path.join("given/http.json");
                return Err(CaseError::at(path, CaseErrorKind::Value(why)));
            }
            let file = format!("given/{file}");
            match folder.holds(&file) {
                true => folder.content(&file, &body.sha256)?,
                false => return Err(folder.absent(&file, &body.sha256)),
            }
        }
        None => folder.blob("given/http.json", &body.sha256)?,
    };
    folder.hold_to_length("given/http.json", &body.sha256, &bytes, body.bytes)?;
    Ok(bytes)
}

fn tree(folder: &mut Folder, closed: bool, stopped: bool) -> Result<Tree, CaseError> {
    let file: WorkspaceFile = folder.optional_json("given/workspace.json")?.unwrap_or_default();
    let mut tree = Tree::as_read(stopped);
    tree.closed = closed;
    for file in file.files {
        let path = folder.workspace_path(file.path)?;
        let bytes =
            folder.content(&format!("given/workspace/{}", below_root(&path)), &file.sha256)?;
        folder.hold_to_length("given/workspace.json", &path, &bytes, file.bytes)?;
        let before = tree.files.insert(path.clone(), TapedFile::Bytes(bytes.into()));
        once(folder, &path, before.is_none())?;
    }
    for read in file.reads {
        let held = held(&read);
        let path = folder.workspace_path(read.path)?;
        once(folder, &path, tree.files.insert(path.clone(), held).is_none())?;
    }
    for list in file.lists {
        let entries = match list.error {
            Some(error) => Err(WorkspaceFaultKind::from_name(&error)),
            None => Ok(list.entries.unwrap_or_default()),
        };
        let mut names = BTreeSet::new();
        for entry in entries.iter().flatten() {
            once(folder, &entry.name, names.insert(entry.name.clone()))?;
        }
        let path = folder.workspace_path(list.path)?;
        once(folder, &path, tree.lists.insert(path.clone(), entries).is_none())?;
    }
    for write in file.writes {
        let path = folder.workspace_path(write.path.clone())?;
        tree.writes.entry(path).or_default().push_back(write);
    }
    for lock in file.locks {
        tree.locks.entry(lock.name.clone()).or_default().push_back(lock);
    }
    Ok(tree)
}

/// Of two that are of one name, one would mean nothing.
fn once(folder: &Folder, name: &str, is_new: bool) -> Result<(), CaseError> {
    match is_new {
        true => Ok(()),
        false => {
            let why = format!("`{name}` stands twice: take one away");
            let file = folder.path.join("given/workspace.json");
            Err(CaseError::at(file, CaseErrorKind::Value(why)))
        }
    }
}

fn held(read: &ReadFile) -> TapedFile {
    match (read.unread_bytes, &read.error) {
        (Some(length), _) => TapedFile::Unread(length),
        (None, Some(error)) => TapedFile::Fault(WorkspaceFaultKind::from_name(error)),
        (None, None) if read.dir == Some(true) => TapedFile::Fault(WorkspaceFaultKind::Directory),
        (None, None) if read.link == Some(true) => TapedFile::Fault(WorkspaceFaultKind::Link),
        (None, None) => TapedFile::Fault(WorkspaceFaultKind::NotFound),
    }
}

/// A path without the leading `.agents/`, as it lies below `workspace/`.
pub(super) fn below_root(path: &str) -> &str {
    path.strip_prefix(".agents/").unwrap_or(path)
}
