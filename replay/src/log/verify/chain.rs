//! [`Chain`]: one walk over the log, up to the first line that does not fit.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use tapeline::audit::{Anchor, Record, RunsFile};

use super::{
    Note, NoteKind, Stands, Verified, Verify,
    anchors::Anchors,
    blobs::Blobs,
    damage::{Damage, DamageKind},
    hex,
    judge::judge,
    lines::{At, Hash, Line, Place, RawLines, Said, unhex},
};
use crate::log::{
    error::{LogError, LogErrorKind},
    pin::Pin,
    records::Log,
};

/// So many lines that are no records one after the other are no torn tails any more.
const MAX_PENDING: usize = 1024;
/// So many notes of a kind are worth reading.
const MAX_NOTES: usize = 20;
/// Bytes between two words on how far it is.
const WATCH_BYTES: u64 = 8 << 20;

/// Where the walk stands: what the next record must be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    pub(super) seq: u64,
    /// Of the last record's line, or what the anchor says in its place.
    pub(super) hash: Hash,
    /// `None` where no record was read yet.
    pub(super) at: Option<At>,
    /// What the last record itself was chained to.
    pub(super) prev: Hash,
}

/// The first record that does not fit, and all that is known then.
#[derive(Debug)]
pub(super) struct Break {
    pub(super) line: Line,
    pub(super) place: Place,
    pub(super) head: Head,
    /// Lines between the last record and this one that are none.
    pub(super) pending: Vec<Line>,
    pub(super) why: Why,
    pub(super) is_anchored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Chain,
    Version,
    /// The place is right, and another line was pinned there.
    Pin,
}

/// A log, as far as its chain goes.
pub(super) struct Chain<'a> {
    log: &'a Log,
    pub(super) files: Vec<RunsFile>,
    pinned: Option<(u64, Hash)>,
    anchors: Anchors,
    head: Head,
    pending: Vec<Line>,
    first: Option<Stands>,
    last: Option<Stands>,
    last_bytes: Vec<u8>,
    notes: Vec<Note>,
    torn: u64,
    strays: u64,
    records: u64,
    bytes: u64,
    damage: Option<Damage>,
}

impl<'a> Chain<'a> {
    pub(super) fn read(
        log: &'a Log,
        wanted: &Verify,
        mut blobs: Option<&mut Blobs<'_>>,
        watch: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, LogError> {
        let files = log.files()?;
        let anchors = Anchors::read(log.dir(), &files)?;
        let pinned = wanted.pinned.as_ref().filter(|_| wanted.through.is_none());
        let pinned = pinned.map(|pin| (pin.seq, unhex(&pin.sha256).unwrap_or_default()));
        let through = wanted.through.as_ref();
        let through = through.and_then(|last| files.iter().position(|file| file == last));
        let mut chain = Self {
            log,
            files,
            pinned,
            anchors,
            head: Head::default(),
            pending: Vec::new(),
            first: None,
            last: None,
            last_bytes: Vec::new(),
            notes: Vec::new(),
            torn: 0,
            strays: 0,
            records: 0,
            bytes: 0,
            damage: None,
        };
        if let Some(begin) = &chain.anchors.begin {
            (chain.head.seq, chain.head.hash) = (begin.seq, begin.hash);
        }
        chain.damage = chain.anchors.damage.take();
        for line in std::mem::take(&mut chain.anchors.torn) {
            chain.note(Anchor::path(log.dir()), Some(line), NoteKind::Torn);
        }
        for line in std::mem::take(&mut chain.anchors.damaged) {
            chain.note(Anchor::path(log.dir()), Some(line), NoteKind::PrunedDamaged);
        }
        for name in strays(log.dir())? {
            chain.note(log.dir().join("runs").join(name), None, NoteKind::Stray);
        }
        if chain.damage.is_none() {
            chain.walk(through, &mut blobs, watch)?;
        }
        Ok(chain)
    }

    /// The line's file, for people.
    pub(super) fn path(&self, at: At) -> PathBuf {
        self.files.get(at.file).map(|file| file.path(self.log.dir())).unwrap_or_default()
    }

    /// Calls `each` with every line of the log, once more.
    pub(super) fn again(&self, each: &mut dyn FnMut(&Line)) -> Result<(), LogError> {
        let mut before = self.anchors.begin.as_ref().map_or([0; 32], |begin| begin.hash);
        for number in 0..self.files.len() {
            let path = self.path(At { file: number, line: 0 });
            let failed = |error| LogError::at(&path, LogErrorKind::Io(error));
            let mut lines = RawLines::open(&path, number).map_err(failed)?;
            while let Some(line) = lines.next().map_err(failed)? {
                let line = line.behind(before);
                before = line.hash;
                each(&line);
            }
        }
        Ok(())
    }

    /// The log's directory, and the line of the anchor it begins behind.
    pub(super) fn anchor(&self) -> (&Path, u64) {
        (self.log.dir(), self.anchors.begin.as_ref().map_or(1, |begin| begin.line))
    }

    /// The last file that was pruned.
    pub(super) fn pruned_file(&self) -> Option<&RunsFile> {
        self.anchors.begin.as_ref().map(|begin| &begin.file)
    }

    pub(super) fn pinned(&self) -> Option<(u64, Hash)> {
        self.pinned
    }

    /// Where the chain ends, in words.
    pub(super) fn verified(self, blobs: Option<&Blobs<'_>>) -> Result<Verified, LogError> {
        let head = self.head.at.map(|_| Pin { seq: self.head.seq, sha256: hex(&self.head.hash) });
        Ok(Verified {
            files: u64::try_from(self.files.len()).unwrap_or(u64::MAX),
            records: self.records,
            bytes: self.bytes,
            first: self.first,
            last: self.last,
            head,
            pruned: self.anchors.begin.map(|begin| begin.seq),
            blobs: blobs.map(Blobs::count),
            notes: self.notes,
            torn: self.torn,
            strays: self.strays,
            damage: self.damage,
        })
    }

    fn walk(
        &mut self,
        through: Option<usize>,
        blobs: &mut Option<&mut Blobs<'_>>,
        watch: &mut dyn FnMut(u64, u64),
    ) -> Result<(), LogError> {
        let of = self.length()?;
        let mut next_word = 0;
        for number in 0..self.files.len() {
            let path = self.path(At { file: number, line: 0 });
            let failed = |error| LogError::at(&path, LogErrorKind::Io(error));
            let mut lines = RawLines::open(&path, number).map_err(failed)?;
            while let Some(line) = lines.next().map_err(failed)? {
                self.bytes += line.length;
                if self.bytes >= next_word {
                    next_word = self.bytes + WATCH_BYTES;
                    watch(self.bytes, of.max(self.bytes));
                }
                if let Some(broken) = self.take(line, lines.bytes()) {
                    self.damage = Some(judge(self, &broken)?);
                    return Ok(());
                }
                if self.damage.is_some() {
                    return Ok(());
                }
                if let Some(blobs) = blobs
                    && let Some(kind) = blobs.damage_of(lines.bytes())?
                {
                    self.damage =
                        Some(Damage { kind, file: path.clone(), line: Some(line.at.line) });
                    return Ok(());
                }
                // This record vouches for all before it, and no more was asked for.
                if through.is_some_and(|last| number > last) && self.pending.is_empty() {
                    return Ok(());
                }
            }
            self.hold_to_anchor(number);
            if self.damage.is_some() {
                return Ok(());
            }
        }
        self.end();
        Ok(())
    }

    /// One line further; what does not fit comes back.
    fn take(&mut self, line: Line, bytes: &[u8]) -> Option<Break> {
        let Said::Record(place) = line.said else {
            self.pending.push(line.behind(self.before()));
            if self.pending.len() == MAX_PENDING {
                let seq = self.head.seq.saturating_add(1);
                let foreign = self.pending.iter().find(|line| line.is_foreign(seq));
                let first = foreign.or(self.pending.first()).map_or(line.at, |line| line.at);
                self.overwritten(first);
            }
            return None;
        };
        let broken = |chain: &mut Self, why| Break {
            line,
            place,
            head: chain.head,
            pending: std::mem::take(&mut chain.pending),
            why,
            is_anchored: chain.anchors.begin.is_some(),
        };
        if (place.seq, place.prev) != (self.head.seq.saturating_add(1), self.before()) {
            return Some(broken(self, Why::Chain));
        }
        if self.pinned.is_some_and(|(seq, hash)| seq == place.seq && hash != line.hash) {
            return Some(broken(self, Why::Pin));
        }
        if place.v != Record::VERSION {
            return Some(broken(self, Why::Version));
        }
        let foreign = self.pending.iter().find(|line| line.is_foreign(place.seq));
        if let Some(foreign) = foreign {
            self.overwritten(foreign.at);
            return None;
        }
        let pending = std::mem::take(&mut self.pending);
        for torn in pending {
            self.note(self.path(torn.at), Some(torn.at.line), NoteKind::Torn);
        }
        self.head = Head { seq: place.seq, hash: line.hash, at: Some(line.at), prev: place.prev };
        self.records += 1;
        if self.first.is_none() {
            self.first = Some(stands(place.seq, bytes));
        }
        self.last_bytes.clear();
        self.last_bytes.extend_from_slice(bytes);
        None
    }

    /// What the next record must be chained to.
    fn before(&self) -> Hash {
        self.pending.last().map_or(self.head.hash, |line| line.hash)
    }

    /// Whoever pruned was stopped before he removed this file; it must end as the anchor says.
    fn hold_to_anchor(&mut self, number: usize) {
        let Some(file) = self.files.get(number) else { return };
        let Some(end) = self.anchors.ends.iter().find(|end| end.file == *file) else { return };
        if (end.seq, end.hash) != (self.head.seq, self.before()) {
            let kind = DamageKind::Anchor { why: "the file it speaks of ends otherwise" };
            self.damage =
                Some(Damage { kind, file: Anchor::path(self.log.dir()), line: Some(end.line) });
        }
    }

    fn end(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        for line in &pending {
            if line.is_foreign(self.head.seq.saturating_add(1)) {
                return self.overwritten(line.at);
            }
            self.note(self.path(line.at), Some(line.at.line), NoteKind::TornEnd);
        }
        if let Some(at) = self.head.at {
            self.last = Some(stands(self.head.seq, &self.last_bytes));
            // No other line tells whether this one is as it was written.
            if serde_json::from_slice::<Record>(&self.last_bytes).is_err() {
                self.records -= 1;
                self.head.seq -= 1;
                return self.overwritten(at);
            }
        }
        match self.pinned {
            Some((pinned, _)) if pinned > self.head.seq => {
                let last = self.head.at.or(pending.last().map(|line| line.at));
                let file = last.map_or_else(|| self.log.dir().join("runs"), |at| self.path(at));
                let kind = DamageKind::Cut { last: self.head.seq, pinned };
                self.damage = Some(Damage { kind, file, line: last.map(|at| at.line) });
            }
            Some((pinned, hash)) => self.hold_to_pin(pinned, hash),
            None => {}
        }
    }

    /// Where the pinned record was pruned, anchors are all that is left of it. Nothing vouches for
    /// them but the first record that is left, and for the last one alone.
    fn hold_to_pin(&mut self, pinned: u64, hash: Hash) {
        let Some(begin) = self.anchors.begin.clone().filter(|begin| begin.seq >= pinned) else {
            return;
        };
        let path = Anchor::path(self.log.dir());
        if self.head.at.is_some() && (begin.seq, begin.hash) == (pinned, hash) {
            return self.note(path, Some(begin.line), NoteKind::PinAnchor);
        }
        let mut same = self.anchors.ends.iter().filter(|end| end.seq == pinned).peekable();
        let other = same.peek().map(|end| end.line);
        let (kind, line) = match other {
            Some(line) if same.all(|end| end.hash != hash) => {
                let why = "it has another hash than was pinned for its record: the log was written \
                           anew, or its file ended with a torn line behind that record";
                (DamageKind::Anchor { why }, line)
            }
            _ => (DamageKind::PinPruned { pinned, through: begin.seq }, begin.line),
        };
        self.damage = Some(Damage { kind, file: path, line: Some(line) });
    }

    fn overwritten(&mut self, at: At) {
        let kind = DamageKind::Unparsable { seq: self.head.seq.saturating_add(1) };
        self.damage = Some(Damage { kind, file: self.path(at), line: Some(at.line) });
    }

    fn note(&mut self, file: PathBuf, line: Option<u64>, kind: NoteKind) {
        self.torn += u64::from(matches!(kind, NoteKind::Torn | NoteKind::TornEnd));
        self.strays += u64::from(kind == NoteKind::Stray);
        if self.notes.iter().filter(|note| note.kind == kind).count() < MAX_NOTES {
            self.notes.push(Note { file, line, kind });
        }
    }

    fn length(&self) -> Result<u64, LogError> {
        let length = |file: &RunsFile| {
            let path = file.path(self.log.dir());
            let metadata = fs::symlink_metadata(&path);
            metadata
                .map(|metadata| metadata.len())
                .map_err(|error| LogError::at(Path::new(&path), LogErrorKind::Io(error)))
        };
        self.files.iter().map(length).sum()
    }
}

/// What lies in `runs/` and is no file of a log by its name.
fn strays(audit: &Path) -> Result<Vec<OsString>, LogError> {
    let runs = audit.join("runs");
    let failed = |error| LogError::at(&runs, LogErrorKind::Io(error));
    let entries = match fs::read_dir(&runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        if name.to_str().and_then(RunsFile::parse).is_none() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn stands(seq: u64, line: &[u8]) -> Stands {
    #[derive(Deserialize)]
    struct Started {
        timestamp: String,
    }

    let timestamp = serde_json::from_slice::<Started>(line).map(|started| started.timestamp);
    Stands { seq, timestamp: timestamp.unwrap_or_default() }
}
