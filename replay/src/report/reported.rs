//! [`Reported`]: a case that is not as expected, with all that a reviewer asks of it.

use std::path::Path;

use tapeline::{audit::HostVersion, scrub::sweep};

use super::{
    changes::Change,
    exchanges::Exchange,
    model::{ORDER, STALE},
};
use crate::{
    CaseName, Difference, Json, Verdict,
    case::{Case, Provenance},
    cases::Replayed,
    cli::case_text,
    diff,
    pending::{Kept, Waiting},
    review,
};

/// A case that is not as expected. Nothing in it looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    pub(super) name: CaseName,
    /// A word.
    pub(super) verdict: &'static str,
    /// What is printed of it.
    pub(super) said: String,
    pub(super) title: String,
    /// The command line.
    pub(super) line: String,
    /// What it asked for in vain, or why it could not be run.
    pub(super) reasons: Vec<String>,
    pub(super) changes: Vec<Change>,
    /// What it asked, as JSON; empty where that was nothing.
    pub(super) requests: String,
    pub(super) exchanges: Vec<Exchange>,
    /// Where the case comes from: names and values.
    pub(super) provenance: Vec<(&'static str, String)>,
}

/// A case that was run, and what its groups are told by.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) reported: Reported,
    pub(super) differences: Vec<Difference>,
    /// By what was expected, else by what came.
    pub(super) command: String,
}

impl Told {
    /// Of a case that was run.
    pub(super) fn of_run(golden: &Path, name: &CaseName, replayed: &Replayed) -> Self {
        let verdict = &replayed.verdict;
        match &replayed.came {
            Some(came) => {
                let document = came.outcome.case_document();
                let differences = match verdict {
                    Verdict::Changed(differences) | Verdict::Unstable(differences) => {
                        differences.clone()
                    }
                    _ => diff(&expected(&came.case), &document),
                };
                Self::new(name, verdict, Some(&came.case), Some(&document), differences)
            }
            None => {
                let case = Case::read(golden, name).ok();
                Self::new(name, verdict, case.as_ref(), None, Vec::new())
            }
        }
    }

    /// Of a case that something waits for to be accepted.
    pub(super) fn of_waiting(name: &CaseName, waiting: &Waiting) -> Self {
        let differences = waiting.differences();
        let verdict = match waiting.case.expected {
            Some(_) => Verdict::Changed(differences.clone()),
            None => Verdict::New,
        };
        let told = Self::new(name, &verdict, Some(&waiting.case), None, differences);
        match waiting.is_stale {
            true => told.called(STALE, vec![review::STALE.to_owned()]),
            false => told,
        }
    }

    /// Of a case of which it cannot be told what is pending.
    pub(super) fn of_unreadable(golden: &Path, name: &CaseName, why: &str) -> Self {
        let case = Case::read(golden, name).ok();
        Self::new(name, &Verdict::Broken(why.to_owned()), case.as_ref(), None, Vec::new())
    }

    /// Of a case that came to nothing that could be accepted.
    pub(super) fn of_kept(golden: &Path, name: &CaseName, kept: &Kept) -> Self {
        let case = Case::read(golden, name).ok();
        let reason = |line: &String| line.trim().trim_start_matches("not on the tape: ").to_owned();
        let reasons: Vec<String> = kept.why.iter().map(reason).collect();
        let verdict = Verdict::Broken(reasons.join("\n  "));
        let told = Self::new(name, &verdict, case.as_ref(), None, Vec::new());
        let known = ORDER.into_iter().find(|known| *known == kept.verdict);
        told.called(known.unwrap_or("broken"), reasons)
    }

    /// The same by another word, for these reasons.
    fn called(mut self, verdict: &'static str, reasons: Vec<String>) -> Self {
        let Reported { name, said, .. } = &self.reported;
        let rest = said.strip_prefix(&format!("{name}: {}", self.reported.verdict));
        self.reported.said = format!("{name}: {verdict}{}", rest.unwrap_or_default());
        self.reported.verdict = verdict;
        self.reported.reasons = reasons;
        self
    }

    fn new(
        name: &CaseName,
        verdict: &Verdict,
        case: Option<&Case>,
        came: Option<&Json>,
        differences: Vec<Difference>,
    ) -> Self {
        let swept = |text: &str| sweep(text).into_owned();
        let expected = case.map(expected);
        let requests = came.or(expected.as_ref()).and_then(|document| field(document, "requests"));
        let reasons = match verdict {
            Verdict::Miss(misses) => misses.iter().map(|miss| swept(&miss.to_string())).collect(),
            Verdict::Broken(why) | Verdict::Skipped(why) => vec![swept(why)],
            _ => Vec::new(),
        };
        let reported = Reported {
            name: name.clone(),
            verdict: verdict.name(),
            said: case_text(name.as_str(), verdict),
            title: case.map(|case| swept(&case.title)).unwrap_or_default(),
            line: case.map(|case| swept(&case.given.request.command)).unwrap_or_default(),
            reasons,
            changes: differences.iter().map(Change::of).collect(),
            requests: match requests {
                Some(Json::Array(requests)) if !requests.is_empty() => {
                    Json::Array(requests.clone()).swept().pretty()
                }
                _ => String::new(),
            },
            exchanges: case
                .map_or(Vec::new(), |case| case.given.answers.iter().map(Exchange::of).collect()),
            provenance: case.map(origin).unwrap_or_default(),
        };
        let documents = [expected.as_ref(), came];
        let command = documents.into_iter().flatten().find_map(command).unwrap_or_default();
        Self { reported, differences, command }
    }
}

fn expected(case: &Case) -> Json {
    match &case.expected {
        Some(expected) => expected.document(),
        None => Json::Object(Vec::new()),
    }
}

fn field<'a>(document: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(fields) = document else { return None };
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

/// The command that a document is of: its `/result/command`.
fn command(document: &Json) -> Option<String> {
    match field(field(document, "result")?, "command")? {
        Json::Text(command) => Some(command.clone()),
        _ => None,
    }
}

fn origin(case: &Case) -> Vec<(&'static str, String)> {
    let mut origin = Vec::new();
    if let Some(base) = &case.base {
        origin.push(("derived from", base.to_string()));
    }
    match &case.provenance {
        Some(Provenance { run_id, recorded, host, framework, specs, features }) => {
            let HostVersion { name, version } = host;
            origin.push(("run", run_id.clone()));
            origin.push(("recorded", recorded.clone()));
            origin.push(("host", format!("{name} {version}")));
            origin.push(("framework", framework.clone()));
            origin.push(("features", features.join(", ")));
            origin.push(("specs", specs.clone()));
        }
        None if case.base.is_none() => origin.push(("written", "by hand".to_owned())),
        None => {}
    }
    origin
}
