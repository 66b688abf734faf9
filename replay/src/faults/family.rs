//! [`family`]: the variants of a case, each a [`Change`] that a derived case can hold.

use std::{collections::BTreeMap, fmt};

use tapeline::{
    ApprovalAnswer, Script, StopAt,
    audit::{Event, Tape, WriteEvent},
    http::{HttpFault, HttpFaultKind, HttpResponse},
    workspace::WorkspaceFaultKind,
};

use crate::{Verdict, case::Change, given::Given};

/// A case but for one thing that goes wrong.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) kind: Kind,
    /// What goes wrong, in a few words.
    pub(crate) words: String,
    pub(crate) change: Change,
}

/// What kind of thing goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Answer,
    Write,
    Approval,
    Clock,
    Cancel,
    Timeout,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Answer => "answer",
            Self::Write => "write",
            Self::Approval => "approval",
            Self::Clock => "clock",
            Self::Cancel => "cancel",
            Self::Timeout => "timeout",
        })
    }
}

impl Variant {
    fn new(kind: Kind, words: String, change: Change) -> Self {
        Self { kind, words, change }
    }

    /// What it is given.
    ///
    /// # Errors
    /// It changes an answer that there is not.
    pub(super) fn given(&self, base: &Given) -> Result<Given, Verdict> {
        let unfit = |place| Verdict::Broken(format!("there is no answer {place}"));
        self.change.clone().apply(base.clone()).map_err(unfit)
    }
}

/// The variants of a case, always in the same order. `tape` and `sleeps` are of the case as it is.
pub(super) fn family(given: &Given, tape: &Tape, sleeps: u64) -> Vec<Variant> {
    let mut variants = answers(given);
    variants.extend(writes(tape));
    variants.extend(approvals(given));
    variants.extend(clocks(given));
    variants.extend(stops(given, tape, sleeps));
    variants
}

/// Asks that are made again get the changed answer again, where the tape holds no other.
pub(super) fn repeated(mut given: Given, change: &Change) -> Given {
    let most = given.setup.limits.http_requests.min(32);
    let changed = change.answers.iter().filter_map(|(place, _)| given.answers.get(*place));
    let again: Vec<_> = changed.flat_map(|answer| (0..most).map(|_| answer.clone())).collect();
    given.answers.extend(again);
    given
}

fn answers(given: &Given) -> Vec<Variant> {
    let mut variants = Vec::new();
    for (place, answer) in given.answers.iter().enumerate() {
        let place_in_words = format!("answer {} ({} {})", place + 1, answer.method, answer.url);
        let outcome = &answer.answer.outcome;
        let others = faults(outcome, given.setup.limits.http_body_bytes);
        let others = others.into_iter().map(|(words, fault)| (words, Err(fault)));
        let responses = responses(outcome).into_iter();
        let responses = responses.map(|(words, response)| (words.to_owned(), Ok(response)));
        for (words, other) in others.chain(responses) {
            let change = Change { answers: vec![(place, other)], ..Change::default() };
            let words = format!("{place_in_words}: {words}");
            variants.push(Variant::new(Kind::Answer, words, change));
        }
    }
    variants
}

/// Every other fault: those before the head of an answer, those in its body, and a body too large.
fn faults(outcome: &Result<HttpResponse, HttpFault>, most_bytes: u64) -> Vec<(String, HttpFault)> {
    const BEFORE_THE_HEAD: [HttpFaultKind; 7] = [
        HttpFaultKind::Dns,
        HttpFaultKind::AddressDenied,
        HttpFaultKind::ConnectRefused,
        HttpFaultKind::ConnectTimeout,
        HttpFaultKind::Tls,
        HttpFaultKind::Reset,
        HttpFaultKind::ReadTimeout,
    ];
    const IN_THE_BODY: [HttpFaultKind; 3] =
        [HttpFaultKind::Truncated, HttpFaultKind::Stall, HttpFaultKind::Decode];
    const CAUSE: &str = "in the variant";

    let mut faults: Vec<(String, HttpFault)> = BEFORE_THE_HEAD
        .into_iter()
        .map(|kind| (kind.name().to_owned(), HttpFault::new(kind, CAUSE)))
        .collect();
    let (status, half) = match outcome {
        Ok(response) => (response.status, response.body.len() as u64 / 2),
        Err(_) => (200, 0),
    };
    let mut in_the_body = |kind: HttpFaultKind, after_bytes: u64| {
        let words = format!("{} after {after_bytes} bytes", kind.name());
        let mut fault = HttpFault::new(kind, CAUSE);
        (fault.status, fault.after_bytes) = (Some(status), Some(after_bytes));
        faults.push((words, fault));
    };
    for kind in IN_THE_BODY {
        in_the_body(kind, 0);
        if half > 0 {
            in_the_body(kind, half);
        }
    }
    in_the_body(HttpFaultKind::TooLarge, most_bytes.saturating_add(1));
    if let Err(known) = outcome {
        let is_other =
            |fault: &HttpFault| (fault.kind, fault.after_bytes) != (known.kind, known.after_bytes);
        faults.retain(|(_, fault)| is_other(fault));
    }
    faults
}

/// Answers that a server or somebody on the way gives instead.
fn responses(outcome: &Result<HttpResponse, HttpFault>) -> Vec<(&'static str, HttpResponse)> {
    const PAGE: &str = "<!doctype html>\n<title>Sign in</title>\n<p>Sign in to the network.</p>\n";
    const ERROR: &str = "{\"error\":\"not here\"}\n";

    let response = |status: u16, headers: &[(&str, &str)], body: &str| HttpResponse {
        status,
        headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        body: body.as_bytes().to_vec(),
    };
    let content_type = |response: &HttpResponse| {
        let header = response.headers.iter().find(|(name, _)| name == "content-type");
        header.map(|(_, value)| value.clone())
    };
    let known = outcome.as_ref().ok().and_then(content_type).unwrap_or_default();
    let wrong_type = match known.contains("html") {
        true => ("200 with JSON", response(200, &[("content-type", "application/json")], ERROR)),
        false => ("200 with a web page", response(200, &[("content-type", "text/html")], PAGE)),
    };
    let empty = match known.as_str() {
        "" => response(200, &[], ""),
        known => response(200, &[("content-type", known)], ""),
    };
    let mut responses = vec![
        ("429 with `retry-after: 2`", response(429, &[("retry-after", "2")], "")),
        ("429", response(429, &[], "")),
        ("503", response(503, &[], "")),
        wrong_type,
        ("200 with nothing", empty),
    ];
    responses.retain(|(_, response)| outcome.as_ref().ok() != Some(response));
    responses
}

/// Each write and removal, refused in each way, at once and when it is to be put in place.
fn writes(tape: &Tape) -> Vec<Variant> {
    const AT_ONCE: [WorkspaceFaultKind; 8] = [
        WorkspaceFaultKind::Directory,
        WorkspaceFaultKind::NotADirectory,
        WorkspaceFaultKind::Link,
        WorkspaceFaultKind::NotAFile,
        WorkspaceFaultKind::Full,
        WorkspaceFaultKind::Permission,
        WorkspaceFaultKind::NameTooLong,
        WorkspaceFaultKind::Io,
    ];
    const IN_PLACE: [WorkspaceFaultKind; 3] =
        [WorkspaceFaultKind::Full, WorkspaceFaultKind::Permission, WorkspaceFaultKind::Io];

    let mut variants = Vec::new();
    // A refusal strikes the write that it stands for, so those before it are said, too.
    let mut before: BTreeMap<&str, Vec<WriteEvent>> = BTreeMap::new();
    let events = tape.events.iter().filter_map(|event| event.write.as_ref());
    for (event, number) in events.zip(1..) {
        let earlier = before.entry(&event.path).or_default();
        let at_once = AT_ONCE.into_iter().map(|kind| (kind, None));
        // One that was refused at once never came to that.
        let comes_to_it = event.error.is_none() || event.at_commit == Some(true);
        let in_place = IN_PLACE.into_iter().filter(|_| comes_to_it);
        let in_place = in_place.map(|kind| (kind, Some(true)));
        for (kind, at_commit) in at_once.chain(in_place) {
            let error = Some(kind.name().to_owned());
            let refusal = WriteEvent { path: event.path.clone(), ok: None, error, at_commit };
            if refusal == *event {
                continue;
            }
            let place = if at_commit.is_some() { " when put in place" } else { "" };
            let words = format!("write {number} (`{}`): {}{place}", event.path, kind.name());
            let writes = earlier.iter().cloned().chain([refusal]).collect();
            let change = Change { writes, ..Change::default() };
            variants.push(Variant::new(Kind::Write, words, change));
        }
        earlier.push(event.clone());
    }
    variants
}

fn approvals(given: &Given) -> Vec<Variant> {
    const NO: [ApprovalAnswer; 4] = [
        ApprovalAnswer::Denied,
        ApprovalAnswer::Failed,
        ApprovalAnswer::Late,
        ApprovalAnswer::Unavailable,
    ];

    let mut variants = Vec::new();
    for (place, approval) in given.approvals.iter().enumerate() {
        for answer in NO.into_iter().filter(|answer| *answer != approval.answer) {
            let mut approvals = given.approvals.clone();
            if let Some(changed) = approvals.get_mut(place) {
                changed.answer = answer;
            }
            let number = place + 1;
            let words = format!("approval {number} ({}): {}", approval.action, answer.name());
            let change = Change { approvals: Some(approvals), ..Change::default() };
            variants.push(Variant::new(Kind::Approval, words, change));
        }
    }
    variants
}

fn clocks(given: &Given) -> impl Iterator<Item = Variant> {
    const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;

    let started_ms = given.started_ms;
    let later = [("a year later", YEAR_MS), ("a year earlier", -YEAR_MS)];
    later.into_iter().map(move |(words, ms)| {
        let change =
            Change { started_ms: Some(started_ms.saturating_add(ms)), ..Change::default() };
        Variant::new(Kind::Clock, format!("clock: {words}"), change)
    })
}

/// A cancel before the run begins and one after each thing that it waits for, and timeouts likewise.
fn stops(given: &Given, tape: &Tape, sleeps: u64) -> Vec<Variant> {
    let is_wait = |event: &&Event| event.http.is_some() || event.approval.is_some();
    let waits = tape.events.iter().filter(is_wait).count() as u64 + sleeps;
    let beginning = ("before it begins".to_owned(), StopAt::Beginning);
    let after = |events| (format!("after {events} events"), StopAt::AfterEvents(events));
    let points: Vec<_> = [beginning].into_iter().chain((0..=waits).map(after)).collect();
    let stop = |kind: Kind, words: &str, script: Script| {
        let change = Change { script: Some(script), ..Change::default() };
        (script != given.script).then(|| Variant::new(kind, format!("{kind} {words}"), change))
    };
    let cancels = points
        .iter()
        .filter_map(|(words, point)| stop(Kind::Cancel, words, Script::IsCancelled(*point)));
    let timeouts = points
        .iter()
        .filter_map(|(words, point)| stop(Kind::Timeout, words, Script::TimesOut(*point)));
    cancels.chain(timeouts).collect()
}
