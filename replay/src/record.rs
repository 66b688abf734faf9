//! A record of the audit log, run again and compared with itself.

use std::sync::Arc;

use tapeline::{
    ApprovalAnswer, Registry, Request, Script, Setup, StopAt,
    audit::{Content, End, Event, HttpEvent, Kept, Record, StopPoint, Tape},
    http::{HttpFault, HttpFaultKind, HttpResponse},
    workspace::WorkspaceFaultKind,
};

use crate::{
    Difference, Json, Log, Verdict, diff,
    given::{Given, GivenAnswer, GivenApproval},
    outcome::Outcome,
    player::{NotPlayed, PATIENCE, Played, play},
    scrubbed::is_scrubbed,
    taped::{Answer, TapedFile, Tree},
    verdict::chain,
};

/// Runs a record again and says what differs.
#[expect(clippy::needless_pass_by_value, reason = "a registry is shared by handing it on")]
pub fn replay(log: &Log, record: &Record, registry: Arc<Registry>) -> Verdict {
    let given = match given(log, record) {
        Ok(given) => given,
        Err(verdict) => return verdict,
    };
    replay_given(log, record, &given, &|given| play(given, registry.clone(), PATIENCE))
}

/// Runs a record again that was read, and says what differs.
pub(crate) fn replay_given(
    log: &Log,
    record: &Record,
    given: &Given,
    play: &dyn Fn(Given) -> Result<Played, NotPlayed>,
) -> Verdict {
    match play(given.clone()) {
        Err(NotPlayed::Stuck) => Verdict::Stuck,
        Err(NotPlayed::Broken(why)) => Verdict::Broken(why),
        Ok(played) => verdict(log, record, given, &played).unwrap_or_else(Verdict::Broken),
    }
}

/// What came in during the run that a record is of; the verdict where that cannot be had.
///
/// # Errors
/// `Skipped` for a record without a complete tape, `Broken` for one that cannot be read.
pub(crate) fn given(log: &Log, record: &Record) -> Result<Given, Verdict> {
    if record.error_code.as_deref() == Some("Interrupted") {
        return Err(Verdict::Skipped("the process died during the run".to_owned()));
    }
    let tape: Option<Tape> = value(log, &record.tape)?;
    let Some(tape) = tape else {
        return Err(Verdict::Skipped("the run was recorded without a tape".to_owned()));
    };
    if tape.v != Tape::VERSION {
        let why = format!("its tape has version {}, this build reads {}", tape.v, Tape::VERSION);
        return Err(Verdict::Broken(why));
    }
    if !tape.complete {
        let why = tape.why.unwrap_or_else(|| "no reason given".to_owned());
        return Err(Verdict::Skipped(format!("its tape is incomplete: {why}")));
    }
    let setup = blob(log, &tape.setup.sha256)?;
    let setup: Setup = serde_json::from_slice(&setup)
        .map_err(|error| Verdict::Broken(format!("its set-up cannot be read: {error}")))?;
    if setup.v != Setup::VERSION {
        let why =
            format!("its set-up has version {}, this build reads {}", setup.v, Setup::VERSION);
        return Err(Verdict::Broken(why));
    }
    let mut given = Given {
        request: Request {
            command: value(log, &record.command)?,
            stdin: value(log, &record.stdin)?,
            timeout_ms: Some(record.timeout_ms),
            labels: value(log, &record.labels)?,
        },
        run_id: record.run_id.clone(),
        started_ms: tape.clock_start,
        duration_ms: record.duration_ms,
        seed: tape.seed,
        script: script(&tape.end),
        setup,
        host: record.host.clone(),
        answers: Vec::new(),
        approvals: Vec::new(),
        tree: Tree::as_read(tape.end.returned.is_none()),
    };
    for event in tape.events {
        add(log, &mut given, event)?;
    }
    Ok(given)
}

fn script(end: &End) -> Script {
    match (end.timeout, end.cancel) {
        (Some(point), _) => Script::TimesOut(stop_at(point)),
        (None, Some(point)) => Script::IsCancelled(stop_at(point)),
        (None, None) => Script::Returns,
    }
}

fn stop_at(point: StopPoint) -> StopAt {
    match point.before_begin {
        Some(true) => StopAt::Beginning,
        _ => StopAt::AfterEvents(point.after_events),
    }
}

fn add(log: &Log, given: &mut Given, event: Event) -> Result<(), Verdict> {
    let fault = |name: &str| WorkspaceFaultKind::from_name(name);
    if let Some(http) = event.http {
        let (method, url) = (http.request.method.clone(), http.request.url.clone());
        let answer = answer(log, event.at_ms, http)?;
        given.answers.push(GivenAnswer { method, url, answer });
    }
    if let Some(approval) = event.approval {
        let answer = ApprovalAnswer::from_name(&approval.answer).ok_or_else(|| {
            Verdict::Broken(format!("`{}` is no answer of an approver", approval.answer))
        })?;
        given.approvals.push(GivenApproval { action: approval.action, answer, at_ms: event.at_ms });
    }
    if let Some(file) = event.file {
        let held = match (file.blob, file.error) {
            (Some(Content { text: None, blob: None, bytes: Some(length) }), _) => {
                TapedFile::Unread(length)
            }
            (Some(content), _) => TapedFile::Bytes(bytes(log, &content)?.into()),
            (None, Some(error)) => TapedFile::Fault(fault(&error)),
            (None, None) if file.dir == Some(true) => {
                TapedFile::Fault(WorkspaceFaultKind::Directory)
            }
            (None, None) if file.link == Some(true) => TapedFile::Fault(WorkspaceFaultKind::Link),
            (None, None) => TapedFile::Fault(WorkspaceFaultKind::NotFound),
        };
        given.tree.files.entry(file.path).or_insert(held);
    }
    if let Some(list) = event.list {
        let listed = match list.error {
            Some(error) => Err(fault(&error)),
            None => Ok(list.entries.unwrap_or_default()),
        };
        given.tree.lists.entry(list.path).or_insert(listed);
    }
    if let Some(write) = event.write {
        given.tree.writes.entry(write.path.clone()).or_default().push_back(write);
    }
    if let Some(lock) = event.lock {
        given.tree.locks.entry(lock.name.clone()).or_default().push_back(lock);
    }
    Ok(())
}

fn answer(log: &Log, at_ms: u64, http: HttpEvent) -> Result<Answer, Verdict> {
    let resolved = http.resolved.iter().map(|address| {
        address.parse().map_err(|_| Verdict::Broken(format!("`{address}` is no address")))
    });
    let outcome = match (http.response, http.fault) {
        (Some(response), _) => Ok(HttpResponse {
            status: response.status,
            headers: response.headers,
            body: bytes(log, &response.body)?,
        }),
        (None, Some(fault)) => Err(HttpFault {
            kind: HttpFaultKind::from_name(&fault.kind)
                .ok_or_else(|| Verdict::Broken(format!("`{}` is no fault", fault.kind)))?,
            status: fault.status,
            after_bytes: fault.after_bytes,
            cause: "on the tape".to_owned(),
        }),
        (None, None) => {
            return Err(Verdict::Broken("an exchange has neither answer nor fault".to_owned()));
        }
    };
    Ok(Answer { at_ms, resolved: resolved.collect::<Result<_, _>>()?, outcome })
}

fn bytes(log: &Log, content: &Content) -> Result<Vec<u8>, Verdict> {
    match (&content.text, &content.blob) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(sha256)) => blob(log, sha256),
        (None, None) => Err(Verdict::Broken("a content has neither text nor blob".to_owned())),
    }
}

fn blob(log: &Log, sha256: &str) -> Result<Vec<u8>, Verdict> {
    log.blob(sha256).map_err(|error| Verdict::broken(&error))
}

fn value<T: serde::de::DeserializeOwned>(log: &Log, kept: &Kept) -> Result<T, Verdict> {
    log.value(kept).map_err(|error| Verdict::broken(&error))
}

fn verdict(log: &Log, record: &Record, given: &Given, played: &Played) -> Result<Verdict, String> {
    if !played.misses.is_empty() {
        return Ok(Verdict::Miss(played.misses.clone()));
    }
    let expected = recorded(log, record)?.record_document();
    let outcome = Outcome::of_played(played)?;
    let mut differences = diff(&expected, &outcome.record_document());
    differences.retain(|difference| !is_scrubbed(difference, &outcome, played));
    differences.extend(unused(given, played));
    Ok(Verdict::of(differences, played, record.error_code.as_deref()))
}

/// What a record says its run came to.
///
/// # Errors
/// A value of it cannot be had, in words.
pub(crate) fn recorded(log: &Log, record: &Record) -> Result<Outcome, String> {
    Outcome::of_record(record, &|kept| log.kept_json(kept).map_err(|error| chain(&error)))
}

/// What was given and not asked for, as differences.
pub(crate) fn unused(given: &Given, played: &Played) -> Vec<Difference> {
    let unused = played.unused.iter().map(|unused| Difference {
        path: "/given".to_owned(),
        expected: Some(Json::Text(given.describe(unused))),
        actual: None,
    });
    unused.collect()
}
