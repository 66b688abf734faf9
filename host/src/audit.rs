//! `tapeline audit`: reading the log, and taking old files from it.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::bail;
use serde::Serialize;
use tapeline::{
    audit::{DiskLog, Record, RunsFile},
    clap,
    line::is_refused_everywhere,
};
use tapeline_replay::{Json, Log, LogErrorKind, Pin, Verify};

use crate::{
    pretty::pretty,
    verify::{Count, verify},
};

/// So many torn lines are worth a line of their own in `tail`.
const MAX_TORN: usize = 20;

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
    /// Read the whole log and say whether it is as it was written, or which line first is not.
    ///
    /// Exits with 0 if all is well, 1 if not, 2 if the log cannot be read.
    Verify {
        /// The end of the log as `audit head` printed it earlier: shows a log that was cut or
        /// written anew since.
        #[arg(long, value_name = "SEQ:SHA256")]
        head: Option<Pin>,
        /// Read the blobs that records refer to, too.
        #[arg(long)]
        blobs: bool,
        /// One line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the end of the log, `SEQ:SHA256`: keep it where who writes the log cannot.
    Head {
        /// One line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove whole files of the log that are older than a day, and the blobs only they needed.
    ///
    /// They are verified first. Exits with 1, and removes nothing, where a line of them is bad.
    Prune {
        /// Files begun before this day (UTC) go; the newest stays.
        #[arg(long, value_name = "YYYY-MM-DD")]
        before: String,
        /// Only say what would go.
        #[arg(long)]
        dry_run: bool,
        /// Remove files that are not as they were written, too; `audit verify` then goes on saying so.
        #[arg(long)]
        damaged: bool,
    },
}

pub(crate) fn audit(root: &Path, audit: &Audit) -> anyhow::Result<u8> {
    let log = Log::open(root.join("audit"))?;
    match &audit.verb {
        Verb::Show { run_id } => show(&log, run_id),
        Verb::Tail { count, json } => tail(&log, *count, *json),
        Verb::Verify { head, blobs, json } => verify(&log, head.clone(), *blobs, *json),
        Verb::Head { json } => head(&log, *json),
        Verb::Prune { before, dry_run, damaged } => prune(&log, before, *dry_run, *damaged),
    }
}

fn head(log: &Log, json: bool) -> anyhow::Result<u8> {
    #[derive(Serialize)]
    struct Head<'a> {
        seq: u64,
        sha256: &'a str,
    }

    let Some(head) = log.head()? else {
        bail!("the log holds no record yet");
    };
    let mut stdout = io::stdout().lock();
    match json {
        true => {
            let head = Head { seq: head.seq, sha256: &head.sha256 };
            writeln!(stdout, "{}", serde_json::to_string(&head)?)?;
        }
        false => writeln!(stdout, "{head}")?,
    }
    Ok(0)
}

fn prune(log: &Log, before: &str, dry_run: bool, damaged: bool) -> anyhow::Result<u8> {
    let disk = DiskLog::new(log.dir().to_owned());
    let files = disk.prunable_files(before)?;
    // Nobody waits for it: files that may go do not change any more.
    let is_damaged = match files.last() {
        Some(last) => is_damaged(log, last, damaged)?,
        None => false,
    };
    if is_damaged && !damaged {
        return Ok(1);
    }
    let bad: &[RunsFile] = if is_damaged { &files } else { &[] };
    let (pruned, done) = match dry_run {
        true => (disk.prunable(before)?, "would be removed"),
        false => (disk.prune_files(before, &files, bad)?, "removed"),
    };
    let mut stdout = io::stdout().lock();
    for file in &pruned.files {
        writeln!(stdout, "{}: {} {done}", file.name, Count(file.records, "record"))?;
    }
    writeln!(
        stdout,
        "{done}: {}, {}, {}, {}",
        Count(u64::try_from(pruned.files.len())?, "file"),
        Count(pruned.records(), "record"),
        Count(pruned.blobs, "blob"),
        Count(pruned.bytes, "byte")
    )?;
    if let Some(file) = &pruned.held_back {
        writeln!(
            stdout,
            "kept: `{file}` and what follows it, since a process that is still running began \
             there; end it and prune again"
        )?;
    }
    if let Some(head) = log.head()? {
        writeln!(stdout, "head: {head}")?;
    }
    Ok(0)
}

/// Whether what ends with the file `last` is not as it was written, which is told.
fn is_damaged(log: &Log, last: &RunsFile, goes_on: bool) -> anyhow::Result<bool> {
    let wanted = Verify { through: Some(last.clone()), ..Verify::default() };
    let Some(damage) = log.verify(&wanted, &mut |_, _| {})?.damage else { return Ok(false) };
    let mut stderr = io::stderr().lock();
    match goes_on {
        true => writeln!(stderr, "tapeline: pruned although it is bad: {damage}")?,
        false => {
            writeln!(stderr, "tapeline: nothing is pruned, since that would hide it: {damage}")?;
            writeln!(
                stderr,
                "hint: look into it first ({}); with `--damaged` the files go all the same, and \
                 `audit verify` goes on saying so",
                damage.kind.advice()
            )?;
        }
    }
    Ok(true)
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
    let (mut unreadable, mut torn) = (0, 0_usize);
    for record in log.tail(count)? {
        match record {
            Ok(record) if json => writeln!(stdout, "{}", serde_json::to_string(&record)?)?,
            Ok(record) => writeln!(stdout, "{}", line(log, &record)?)?,
            Err(error) if matches!(error.kind, LogErrorKind::Torn) => {
                torn += 1;
                if torn <= MAX_TORN {
                    let (file, line) = (error.file.display(), error.line.unwrap_or_default());
                    writeln!(
                        io::stderr(),
                        "note: line {line} of `{file}` is no whole record: its write did not come \
                         to its end, or goes on right now"
                    )?;
                }
            }
            Err(error) => {
                unreadable += 1;
                writeln!(io::stderr(), "tapeline: {:#}", anyhow::Error::from(error))?;
            }
        }
    }
    if torn > MAX_TORN {
        let more = u64::try_from(torn - MAX_TORN)?;
        writeln!(io::stderr(), "note: {}", Count(more, "more torn line"))?;
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
