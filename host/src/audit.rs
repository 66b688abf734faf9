//! `tapeline audit`: reading the log.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::bail;
use tapeline::{audit::Record, clap, line::is_refused_everywhere};
use tapeline_replay::{Json, Log};

use crate::pretty::pretty;

/// Arguments of `audit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show one record whole, as indented JSON.
    Show {
        /// The run's id, or its beginning (8 characters at least).
        run_id: String,
    },
    /// List the last records, a line each: when, exit code, milliseconds, run, line.
    Tail {
        /// So many.
        #[arg(short = 'n', long, default_value_t = 10)]
        count: usize,
        /// The records themselves, one line of JSON each.
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn audit(root: &Path, audit: &Audit) -> anyhow::Result<u8> {
    let log = Log::open(root.join("audit"))?;
    match &audit.verb {
        Verb::Show { run_id } => show(&log, run_id),
        Verb::Tail { count, json } => tail(&log, *count, *json),
    }
}

fn show(log: &Log, run_id: &str) -> anyhow::Result<u8> {
    let Some(record) = log.find(run_id)? else {
        bail!("no run `{run_id}` in the log; `audit tail` lists the last ones");
    };
    let Json::Object(fields) = Json::parse(&serde_json::to_string(&record)?)? else {
        bail!("the record is no object");
    };
    // Values that the log keeps apart are put in their place.
    let kept = [
        ("command", &record.command),
        ("parsed_command", &record.parsed_command),
        ("labels", &record.labels),
        ("stdin", &record.stdin),
        ("error_message", &record.error_message),
        ("hint", &record.hint),
        ("truncated", &record.truncated),
        ("artifacts", &record.artifacts),
        ("stdout", &record.stdout),
        ("stderr", &record.stderr),
        ("result", &record.result),
        ("tape", &record.tape),
    ];
    let fields = fields
        .into_iter()
        .map(|(name, value)| {
            let value = match kept.iter().find(|(known, _)| *known == name) {
                Some((_, kept)) if kept.blob().is_some() => Json::parse(&log.kept_json(kept)?)?,
                _ => value,
            };
            Ok((name, value))
        })
        .collect::<anyhow::Result<_>>()?;
    writeln!(io::stdout().lock(), "{}", pretty(&Json::Object(fields)))?;
    Ok(0)
}

fn tail(log: &Log, count: usize, json: bool) -> anyhow::Result<u8> {
    let mut stdout = io::stdout().lock();
    let mut unreadable = 0;
    for record in log.tail(count)? {
        match record {
            Ok(record) if json => writeln!(stdout, "{}", serde_json::to_string(&record)?)?,
            Ok(record) => writeln!(stdout, "{}", line(log, &record)?)?,
            Err(error) => {
                unreadable += 1;
                writeln!(io::stderr(), "tapeline: {:#}", anyhow::Error::from(error))?;
            }
        }
    }
    Ok(if unreadable == 0 { 0 } else { 1 })
}

fn line(log: &Log, record: &Record) -> anyhow::Result<String> {
    let command: String = log.value(&record.command)?;
    // A malformed line may hold anything.
    let shown = |character| match is_refused_everywhere(character) {
        true => char::REPLACEMENT_CHARACTER,
        false => character,
    };
    let command: String = command.chars().map(shown).collect();
    let code = record.error_code.as_deref().unwrap_or("ok");
    Ok(format!(
        "{}  {:3}  {code:22}  {:6} ms  {}  {command}",
        record.timestamp, record.exit_code, record.duration_ms, record.run_id
    ))
}
