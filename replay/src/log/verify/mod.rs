//! [`Log::verify`]: whether a log is as it was written, and where it first is not.

mod anchors;
mod blobs;
mod chain;
mod damage;
mod judge;
mod lines;
#[cfg(test)]
mod tests;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use damage::{Damage, DamageKind};

use self::{
    blobs::Blobs,
    chain::Chain,
    lines::{Hash, RawLines, Said},
};
use super::{
    error::{LogError, LogErrorKind},
    pin::Pin,
    records::Log,
    reverse::{LastLines, last_lines},
};

/// What verifying a log came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many files of `runs/` were read.
    pub files: u64,
    /// How many records were found in their places.
    pub records: u64,
    /// How many bytes were read of them.
    pub bytes: u64,
    /// The first record's place and time.
    pub first: Option<Stands>,
    /// The last record's.
    pub last: Option<Stands>,
    /// The end of the log, of which every line up to the first bad one is part.
    pub head: Option<Pin>,
    /// The last record that was pruned, where the log begins behind one.
    pub pruned: Option<u64>,
    /// How many different blobs were read, where that was asked for.
    pub blobs: Option<u64>,
    /// What is worth knowing and no damage, the first twenty of each kind.
    pub notes: Vec<Note>,
    /// How many torn lines there are.
    pub torn: u64,
    /// The first bad line; `None` where all is well.
    pub damage: Option<Damage>,
}

/// A record's place in the chain and when its run started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stands {
    /// From 1.
    pub seq: u64,
    /// RFC 3339; empty where the record does not say.
    pub timestamp: String,
}

/// Something worth knowing that is no damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub file: PathBuf,
    /// From 1.
    pub line: u64,
    /// What it is.
    pub kind: NoteKind,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A process died while it wrote the line; the next record is chained to what is left of it.
    Torn,
    /// The same at the end of the log, where it may also be written right now.
    TornEnd,
    /// The pinned record was pruned, so that it could not be compared.
    PinPruned,
}

impl NoteKind {
    /// A word for programs, `snake_case`, stable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::TornEnd => "torn_end",
            Self::PinPruned => "pin_pruned",
        }
    }

    /// What it means, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Torn => "a process died while it wrote this line; the next record covers it",
            Self::TornEnd => "the line is not finished: its process died, or writes it right now",
            Self::PinPruned => "the pinned record was pruned and could not be compared",
        }
    }
}

/// What to hold a log to.
#[derive(Clone, Debug, Default)]
pub struct Verify {
    /// A head that was printed earlier and kept elsewhere. A log that goes on behind it is fine.
    pub pinned: Option<Pin>,
    /// Read all blobs that records refer to as well.
    pub blobs: bool,
}

impl Log {
    /// The last whole record, which is what to keep elsewhere. Reads the end of the log alone.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn head(&self) -> Result<Option<Pin>, LogError> {
        for file in self.files()?.iter().rev() {
            let path = file.path(self.dir());
            let head =
                last_record(&path).map_err(|error| LogError::at(&path, LogErrorKind::Io(error)))?;
            if head.is_some() {
                return Ok(head);
            }
        }
        Ok(None)
    }

    /// Reads the whole log once, in order, and recomputes its chain: each line's hash, the `seq`
    /// of each record. Where something is wrong the log is read a second time, to tell what.
    ///
    /// No more than a few lines are in memory (and 32 bytes for each blob, where those are read).
    /// `watch` is told from time to time how many bytes are read, and how many there are.
    ///
    /// # Errors
    /// Something cannot be read. A log that is not as it was written is no error but
    /// [`damage`](Verified::damage).
    pub fn verify(
        &self,
        wanted: &Verify,
        watch: &mut dyn FnMut(u64, u64),
    ) -> Result<Verified, LogError> {
        let mut blobs = wanted.blobs.then(|| Blobs::new(self));
        let chain = Chain::read(self, wanted.pinned.as_ref(), blobs.as_mut(), watch)?;
        chain.verified(blobs.as_ref())
    }
}

fn last_record(path: &Path) -> io::Result<Option<Pin>> {
    let mut wanted = 1;
    loop {
        let LastLines { offset, .. } = last_lines(path, wanted)?;
        let mut head = None;
        let mut lines = RawLines::open_from(path, offset)?;
        while let Some(line) = lines.next()? {
            if let Said::Record(place) = line.said {
                head = Some(Pin { seq: place.seq, sha256: hex(&line.hash) });
            }
        }
        if head.is_some() || offset == 0 {
            return Ok(head);
        }
        wanted *= 8;
    }
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
