//! The command line of the kit, the same for every host: `replay run <run_id>`.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use serde::Serialize;
use tapeline::{Registry, clap};

use crate::{Log, Verdict, replay};

/// Run recorded runs again, without the outside, and see what differs.
#[derive(Clone, Debug, clap::Args)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Verb {
    /// Run one record of the audit log again and compare the envelopes.
    Run {
        /// The run's id, or its beginning (8 characters at least).
        run_id: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
}

/// Does what the command line says; the records are those of `<root>/audit`.
///
/// Gives the exit code: 0 all the same, 1 something differs, 2 it could not be run again.
///
/// # Errors
/// `out` cannot be written.
pub fn cli(cli: &Cli, root: &Path, registry: Arc<Registry>, out: &mut dyn Write) -> io::Result<u8> {
    let Verb::Run { run_id, json } = &cli.verb;
    let (run_id, verdict) = run(root, run_id, registry);
    match json {
        true => {
            let line = serde_json::to_string(&Report::of(&run_id, &verdict))?;
            writeln!(out, "{line}")?;
        }
        false => write!(out, "{run_id}: {verdict}")?,
    }
    Ok(verdict.exit_code())
}

/// The whole id, where the run was found, and what came of it.
fn run(root: &Path, run_id: &str, registry: Arc<Registry>) -> (String, Verdict) {
    let found = Log::open(root.join("audit")).and_then(|log| Ok((log.find(run_id)?, log)));
    match found {
        Ok((Some(record), log)) => {
            let verdict = replay(&log, &record, registry);
            (record.run_id, verdict)
        }
        Ok((None, _)) => {
            (run_id.to_owned(), Verdict::Broken(format!("no run `{run_id}` in the log")))
        }
        Err(error) => (run_id.to_owned(), Verdict::broken(&error)),
    }
}

#[derive(Serialize)]
struct Report<'a> {
    run_id: &'a str,
    verdict: &'a str,
    differences: Vec<Changed>,
    misses: &'a [String],
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct Changed {
    path: String,
    expected: Option<String>,
    actual: Option<String>,
}

impl<'a> Report<'a> {
    fn of(run_id: &'a str, verdict: &'a Verdict) -> Self {
        let (differences, misses, why) = match verdict {
            Verdict::Changed(differences) => {
                let json = |json: &Option<crate::Json>| json.as_ref().map(ToString::to_string);
                let changed = differences.iter().map(|difference| Changed {
                    path: difference.path.clone(),
                    expected: json(&difference.expected),
                    actual: json(&difference.actual),
                });
                (changed.collect(), [].as_slice(), None)
            }
            Verdict::Miss(misses) => (Vec::new(), misses.as_slice(), None),
            Verdict::Broken(why) | Verdict::Skipped(why) => {
                (Vec::new(), [].as_slice(), Some(why.as_str()))
            }
            Verdict::Ok | Verdict::Panic | Verdict::Stuck => (Vec::new(), [].as_slice(), None),
        };
        Self { run_id, verdict: verdict.name(), differences, misses, why }
    }
}
