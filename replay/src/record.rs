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
    player::{Given, NotPlayed, Played, play},
    taped::{Answer, TapedFile, Tree, plain},
    verdict::chain,
};

/// Runs a record again and says what differs.
pub fn replay(log: &Log, record: &Record, registry: Arc<Registry>) -> Verdict {
    let given = match given(log, record) {
        Ok(given) => given,
        Err(verdict) => return verdict,
    };
    match play(given, registry) {
        Err(NotPlayed::Stuck) => Verdict::Stuck,
        Err(NotPlayed::Broken(why)) => Verdict::Broken(why),
        Ok(played) => verdict(log, record, &played).unwrap_or_else(Verdict::Broken),
    }
}

/// What came in during the run that a record is of; the verdict where that cannot be had.
///
/// # Errors
/// `Skipped` for a record without a complete tape, `Broken` for one that cannot be read.
fn given(log: &Log, record: &Record) -> Result<Given, Verdict> {
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
        tree: Tree { stopped: tape.end.returned.is_none(), ..Tree::default() },
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
        given.answers.push((method, url, answer(log, event.at_ms, http)?));
    }
    if let Some(approval) = event.approval {
        let answer = ApprovalAnswer::from_name(&approval.answer).ok_or_else(|| {
            Verdict::Broken(format!("`{}` is no answer of an approver", approval.answer))
        })?;
        given.approvals.push((approval.action, answer, event.at_ms));
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

fn verdict(log: &Log, record: &Record, played: &Played) -> Result<Verdict, String> {
    if !played.misses.is_empty() {
        return Ok(Verdict::Miss(played.misses.clone()));
    }
    let recorded = |kept: &Kept| log.kept_json(kept).map_err(|error| chain(&error));
    let replayed = |kept: &Kept| match kept.blob() {
        None => Ok(kept.json().to_owned()),
        Some(reference) => played
            .blobs
            .get(&reference.sha256)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .ok_or_else(|| "the replay lost a blob".to_owned()),
    };
    let expected = document(record, &recorded)?;
    let actual = document(&played.record, &replayed)?;
    let mut differences = diff(&expected, &actual);
    differences.extend(played.unused.iter().map(|unused| Difference {
        path: "/tape".to_owned(),
        expected: Some(Json::Text(unused.clone())),
        actual: None,
    }));
    let panicked = |record: &Record| record.error_code.as_deref() == Some("Internal");
    Ok(match differences.is_empty() {
        true => Verdict::Ok,
        false if panicked(&played.record) && !panicked(record) => Verdict::Panic,
        false => Verdict::Changed(differences),
    })
}

/// What is compared of a record: the envelope, what was understood, what was asked.
fn document(
    record: &Record,
    json: &dyn Fn(&Kept) -> Result<String, String>,
) -> Result<Json, String> {
    // A secret that a URL spelled percent-encoded is scrubbed all the same; in a replay its
    // placeholder stands there percent-encoded.
    let parse = |text: &str| {
        let json = Json::parse(text).map_err(|error| error.to_string())?;
        Ok::<_, String>(json.map_texts(&plain))
    };
    let kept = |kept: &Kept| parse(&json(kept)?);
    let text = |text: &Option<String>| match text {
        Some(text) => Json::Text(text.clone()),
        None => Json::Plain("null".to_owned()),
    };
    let tape: Option<Tape> =
        serde_json::from_str(&json(&record.tape)?).map_err(|error| error.to_string())?;
    let requests = tape
        .into_iter()
        .flat_map(|tape| tape.events)
        .filter_map(|event| event.http)
        .map(|http| {
            let request =
                serde_json::to_string(&http.request).map_err(|error| error.to_string())?;
            parse(&request)
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Json::Object(
        [
            ("run_id", Json::Text(record.run_id.clone())),
            ("exit_code", Json::Plain(record.exit_code.to_string())),
            ("stdout", kept(&record.stdout)?),
            ("stderr", kept(&record.stderr)?),
            ("result", kept(&record.result)?),
            ("artifacts", kept(&record.artifacts)?),
            ("error_code", text(&record.error_code)),
            ("error_message", kept(&record.error_message)?),
            ("hint", kept(&record.hint)?),
            ("truncated", kept(&record.truncated)?),
            ("duration_ms", Json::Plain(record.duration_ms.to_string())),
            ("parsed_command", kept(&record.parsed_command)?),
            ("requests", Json::Array(requests)),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect(),
    ))
}
