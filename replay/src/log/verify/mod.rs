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

use sha2::{Digest as _, Sha256};
use tapeline::audit::RunsFile;

pub use damage::{Damage, DamageKind};

use self::{
    blobs::Blobs,
    chain::Chain,
    lines::{Hash, Said, said},
};
use super::{
    error::{LogError, LogErrorKind},
    pin::Pin,
    records::Log,
    reverse::Backwards,
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
    /// How many entries of `runs/` are no files of a log.
    pub strays: u64,
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
    /// From 1, where it is about a line.
    pub line: Option<u64>,
    /// What it is.
    pub kind: NoteKind,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// The write of the line did not come to its end: its process died, the disk was full, the
    /// machine stopped. The next record is chained to what is left of it.
    Torn,
    /// The same at the end of the log, where it may also be written right now.
    TornEnd,
    /// The pinned record was pruned, and the anchor that the log begins behind has its hash.
    PinAnchor,
    /// What was pruned was not as it was written, and whoever pruned it was told.
    PrunedDamaged,
    /// It lies in `runs/` and is no file of a log, by its name; it was not read.
    Stray,
}

impl NoteKind {
    /// A word for programs, `snake_case`, stable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::TornEnd => "torn_end",
            Self::PinAnchor => "pin_anchor",
            Self::PrunedDamaged => "pruned_damaged",
            Self::Stray => "stray",
        }
    }

    /// What it means, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Torn => "its write did not come to its end; the next record covers what is left",
            Self::TornEnd => {
                "the line is not finished: its write did not come to its end, or goes on right now"
            }
            Self::PinAnchor => "the pinned record was pruned, and the log goes on from it",
            Self::PrunedDamaged => {
                "the file was pruned with `--damaged`: it, or one that went with it, was bad"
            }
            Self::Stray => "it is no file of a log by its name, and was not read",
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
    /// Only as far as the end of this file and the record behind it, which vouches for its end: what
    /// is to be pruned. Nothing is said of the end of the log then, nor of `pinned`.
    pub through: Option<RunsFile>,
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
        let chain = Chain::read(self, wanted, blobs.as_mut(), watch)?;
        chain.verified(blobs.as_ref())
    }
}

fn last_record(path: &Path) -> io::Result<Option<Pin>> {
    let mut lines = Backwards::open(path)?;
    let mut line = Vec::new();
    while let Some(span) = lines.next()? {
        if lines.read(span, &mut line)?.is_some()
            && let Said::Record(place) = said(&line)
        {
            return Ok(Some(Pin { seq: place.seq, sha256: hex(&Sha256::digest(&line).into()) }));
        }
    }
    Ok(None)
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
