//! `tapeline audit verify`: whether the log is as it was written.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write as _},
};

use serde::Serialize;
use tapeline_replay::{Damage, Log, NoteKind, Pin, Stands, Verified, Verify};

pub(crate) fn verify(log: &Log, head: Option<Pin>, blobs: bool, json: bool) -> anyhow::Result<u8> {
    let is_shown = io::stderr().is_terminal();
    let mut watch = |read: u64, of: u64| {
        if is_shown {
            // A terminal that is gone is no reason to stop.
            let _ = write!(io::stderr(), "\r\u{1b}[K{}/{} MB", read / 1_000_000, of / 1_000_000);
        }
    };
    let wanted = Verify { pinned: head, blobs, through: None };
    let verified = log.verify(&wanted, &mut watch);
    if is_shown {
        let _ = write!(io::stderr(), "\r\u{1b}[K");
    }
    let verified = verified?;
    match json {
        true => print_json(&verified)?,
        false => print(&verified, wanted.pinned.as_ref())?,
    }
    Ok(u8::from(verified.damage.is_some()))
}

fn print(verified: &Verified, pinned: Option<&Pin>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Verified { records, files, bytes, .. } = verified;
    let (records, files) = (Count(*records, "record"), Count(*files, "file"));
    writeln!(out, "read: {records} in {files}, {}", Count(*bytes, "byte"))?;
    if let Some(blobs) = verified.blobs {
        writeln!(out, "blobs: {blobs}")?;
    }
    if let (Some(first), Some(last)) = (&verified.first, &verified.last) {
        writeln!(out, "first: {} at {}", first.seq, first.timestamp)?;
        writeln!(out, "last: {} at {}", last.seq, last.timestamp)?;
    }
    if let Some(pruned) = verified.pruned {
        writeln!(out, "pruned: records up to {pruned}, by `anchors.jsonl`")?;
    }
    for note in &verified.notes {
        let (file, meaning) = (note.file.display(), note.kind.meaning());
        match note.line {
            Some(line) => writeln!(out, "note: line {line} of `{file}`: {meaning}")?,
            None => writeln!(out, "note: `{file}`: {meaning}")?,
        }
    }
    let more = |all: u64, kinds: &[NoteKind]| {
        let shown = verified.notes.iter().filter(|note| kinds.contains(&note.kind)).count();
        all.saturating_sub(u64::try_from(shown).unwrap_or(u64::MAX))
    };
    for (more, what) in [
        (more(verified.torn, &[NoteKind::Torn, NoteKind::TornEnd]), "more torn line"),
        (more(verified.strays, &[NoteKind::Stray]), "more stray file"),
    ] {
        if more > 0 {
            writeln!(out, "note: {}", Count(more, what))?;
        }
    }
    if let Some(damage) = &verified.damage {
        writeln!(out, "bad: {damage}")?;
        return writeln!(out, "do: {}", damage.kind.advice());
    }
    if let Some(head) = &verified.head {
        writeln!(out, "head: {head}")?;
    }
    let is_anchored = verified.notes.iter().any(|note| note.kind == NoteKind::PinAnchor);
    match pinned {
        Some(pin) if is_anchored => writeln!(
            out,
            "ok: the chain is whole and begins behind record {}, which was pinned and is pruned",
            pin.seq
        ),
        Some(pin) => writeln!(
            out,
            "ok: the chain is whole, and record {0} is the pinned one: what there is up to it is \
             as it was then",
            pin.seq
        ),
        None => writeln!(
            out,
            "ok: the chain is whole; another last record, a cut end, or lines written anew from \
             any line to the end show only with `--head`, see `audit head`"
        ),
    }
}

/// So many of something, in words.
pub(crate) struct Count<'a>(pub(crate) u64, pub(crate) &'a str);

impl fmt::Display for Count<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, what) = self;
        let s = if *count == 1 { "" } else { "s" };
        write!(formatter, "{count} {what}{s}")
    }
}

fn print_json(verified: &Verified) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Report<'a> {
        ok: bool,
        files: u64,
        records: u64,
        bytes: u64,
        blobs: Option<u64>,
        first: Option<Place<'a>>,
        last: Option<Place<'a>>,
        pruned: Option<u64>,
        head: Option<String>,
        torn: u64,
        strays: u64,
        notes: Vec<Told<'a>>,
        damage: Option<Bad<'a>>,
    }
    #[derive(Serialize)]
    struct Place<'a> {
        seq: u64,
        timestamp: &'a str,
    }
    impl<'a> Place<'a> {
        fn of(stands: &'a Stands) -> Self {
            Self { seq: stands.seq, timestamp: &stands.timestamp }
        }
    }
    #[derive(Serialize)]
    struct Told<'a> {
        kind: &'a str,
        file: String,
        line: Option<u64>,
    }
    #[derive(Serialize)]
    struct Bad<'a> {
        kind: &'a str,
        file: String,
        line: Option<u64>,
        message: String,
        advice: &'a str,
    }

    let notes = verified.notes.iter().map(|note| Told {
        kind: note.kind.name(),
        file: note.file.display().to_string(),
        line: note.line,
    });
    let bad = |damage: &Damage| Bad {
        kind: damage.kind.name(),
        file: damage.file.display().to_string(),
        line: damage.line,
        message: damage.kind.to_string(),
        advice: damage.kind.advice(),
    };
    let report = Report {
        ok: verified.damage.is_none(),
        files: verified.files,
        records: verified.records,
        bytes: verified.bytes,
        blobs: verified.blobs,
        first: verified.first.as_ref().map(Place::of),
        last: verified.last.as_ref().map(Place::of),
        pruned: verified.pruned,
        head: verified.head.as_ref().map(ToString::to_string),
        torn: verified.torn,
        strays: verified.strays,
        notes: notes.collect(),
        damage: verified.damage.as_ref().map(bad),
    };
    writeln!(io::stdout().lock(), "{}", serde_json::to_string(&report)?)?;
    Ok(())
}
