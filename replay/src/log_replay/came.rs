//! [`Came`]: what came of one line of a log.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tapeline::audit::Record;

use crate::{
    Kit, Log, LogError, Miss, Verdict,
    groups::{Alike, Subject},
    log::Line,
    log_replay::{Meant, meant::path},
    player::play_here,
    record::{given, replay_given},
    scrubbed::holds_placeholder,
};

/// What came of a line.
#[derive(Debug)]
pub(crate) enum Came {
    /// It is another record than those that are meant.
    NotMeant,
    /// It is no record.
    NoRecord(LogError),
    /// A record that was run again, or why it was not.
    Run(Run, Finding),
}

/// A run that was recorded.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) run_id: String,
    pub(crate) subject: Subject,
}

/// What running a record again came to, short.
#[derive(Debug)]
pub(crate) enum Finding {
    Same,
    Changed(Alike),
    /// What it asked for first of all that its tape does not hold.
    NeedsMore(String),
    Panicked,
    Stuck,
    Skipped(String),
    Broken(String),
}

impl Came {
    /// Runs the record of a line again, on this thread. `begins` hears of it first, since it may not
    /// come to an end.
    pub(crate) fn of(
        line: Result<Line, LogError>,
        kit: &Kit,
        log: &Log,
        meant: &Meant,
        begins: &dyn Fn(&Run),
    ) -> Self {
        let record = match line.and_then(Line::record) {
            Ok(record) if meant.is_meant(log, &record) => record,
            Ok(_) => return Self::NotMeant,
            Err(error) => return Self::NoRecord(error),
        };
        let run = Run::of(log, &record);
        begins(&run);
        // The panic of a command is caught where it runs.
        let verdict = catch_unwind(AssertUnwindSafe(|| replayed(kit, log, &record)));
        let verdict = verdict.unwrap_or_else(|_| {
            Verdict::Broken("the replay itself panicked on what is given".to_owned())
        });
        Self::Run(run, Finding::of(verdict))
    }
}

impl Run {
    fn of(log: &Log, record: &Record) -> Self {
        let code = record.error_code.clone().unwrap_or_else(|| "ok".to_owned());
        let command = path(log, record).unwrap_or_default();
        Self { run_id: record.run_id.clone(), subject: Subject { command, code: Some(code) } }
    }
}

impl Finding {
    fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Ok => Self::Same,
            Verdict::Changed(differences) | Verdict::Unstable(differences) => {
                Self::Changed(Alike::of(&differences))
            }
            // What comes after a miss is not known before it is answered.
            Verdict::Miss(misses) => {
                Self::NeedsMore(misses.first().map(without_query).unwrap_or_default())
            }
            Verdict::Panic => Self::Panicked,
            Verdict::Stuck => Self::Stuck,
            Verdict::Skipped(why) => Self::Skipped(why),
            Verdict::Broken(why) => Self::Broken(why),
            Verdict::New => Self::Broken("there is nothing to compare with".to_owned()),
        }
    }
}

fn replayed(kit: &Kit, log: &Log, record: &Record) -> Verdict {
    let given = match given(log, record) {
        Ok(given) => given,
        Err(Verdict::Broken(_)) if !log.dir().join("blobs").is_dir() => {
            let why =
                "it needs blobs, and there are none beside the file: give the audit directory";
            return Verdict::Skipped(why.to_owned());
        }
        Err(verdict) => return verdict,
    };
    if let Some(path) = kit.lacks(&given.request.command) {
        return Verdict::Skipped(format!("this build was made without `{path}`"));
    }
    match replay_given(log, record, &given, &|given| play_here(given, kit.registry.clone())) {
        // The very build that recorded it may come to that.
        Verdict::Changed(_) | Verdict::Miss(_) if holds_placeholder(&given) => {
            Verdict::Skipped("a secret was replaced in what it was given".to_owned())
        }
        verdict => verdict,
    }
}

/// Requests that differ in their query alone miss the same thing.
fn without_query(miss: &Miss) -> String {
    match miss {
        Miss::Answer { method, url } => {
            let url = url.split(['?', '#']).next().unwrap_or(url).to_owned();
            Miss::Answer { method: method.clone(), url }.to_string()
        }
        Miss::Approval(_) | Miss::File(_) | Miss::List(_) | Miss::Removal(_) | Miss::Lock(_) => {
            miss.to_string()
        }
    }
}
