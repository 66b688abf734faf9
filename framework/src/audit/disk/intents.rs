//! [`OpenFile`]: the runs one [`DiskLog`](super::DiskLog) has begun and not ended.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Seek as _},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    identity::Watched,
    runs::{Standing, write_once},
};
use crate::audit::{Intent, Record, SinkError};

/// The first line of the file. The runs of the lines after it began later, so their records lie
/// behind that place in the log. Grows with [`Record::VERSION`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// [`Record::VERSION`].
    pub(super) v: u32,
    /// When the run started that the file was opened or emptied for.
    pub(super) opened: String,
    /// The newest file of `runs/`, `null` where there was none.
    pub(super) file: Option<String>,
    /// The last place that was given.
    pub(super) seq: u64,
}

impl Header {
    fn new(opened: &str, standing: &Standing) -> Self {
        let file = standing.file.as_ref().map(ToString::to_string);
        Self { v: Record::VERSION, opened: opened.to_owned(), file, seq: standing.seq }
    }
}

/// The longest intent: its values must fit into the line of an `Interrupted` record, some twice.
pub(super) const MAX_INTENT_BYTES: usize = 64 * 1024;

/// A file in `open/`, locked as long as it is used: whoever can lock it knows that nobody will
/// end its runs.
#[derive(Debug)]
pub(super) struct OpenFile {
    file: File,
    watched: Watched,
    length: u64,
    /// The last write did not end its line.
    torn: bool,
    outstanding: HashSet<String>,
    line: Vec<u8>,
}

impl OpenFile {
    /// Creates the file. The caller has the audit lock, so nobody can lock the file before us.
    pub(super) fn create(
        audit: &Path,
        standing: &Standing,
        opened: &str,
        look_apart: Duration,
    ) -> Result<Self, SinkError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| {
            SinkError::new("name a file of intents", io::Error::other(error.to_string()))
        })?;
        let name = uuid::Builder::from_random_bytes(random).into_uuid();
        let path = Self::dir(audit).join(format!("{}.jsonl", Uuid::hyphenated(name)));

        Self::lock_new(&path)
            .and_then(|file| {
                let watched = Watched::new(path.clone(), &file, look_apart)?;
                let (line, outstanding) = (Vec::new(), HashSet::new());
                let mut open = Self { file, watched, length: 0, torn: false, outstanding, line };
                open.write(&Header::new(opened, standing))?;
                Ok(open)
            })
            .map_err(|error| {
                SinkError::new(format!("create the file of intents `{}`", path.display()), error)
            })
    }

    pub(super) fn dir(audit: &Path) -> PathBuf {
        audit.join("open")
    }

    /// Whether the file still lies where others look for it.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.watched.is_in_place(), Ok(true))
    }

    /// Writes an intent, with one write.
    pub(super) fn begin(&mut self, intent: &Intent) -> Result<(), SinkError> {
        self.write(intent).map_err(|error| {
            SinkError::new(format!("write the intent of run `{}`", intent.run_id), error)
        })?;
        self.outstanding.insert(intent.run_id.clone());
        Ok(())
    }

    /// The run has its record. Empties the file where it has grown and nothing in it is needed.
    pub(super) fn end(
        &mut self,
        record: &Record,
        max_bytes: u64,
        standing: impl FnOnce() -> Standing,
    ) -> io::Result<()> {
        self.outstanding.remove(&record.run_id);
        if self.length <= max_bytes || !self.outstanding.is_empty() {
            return Ok(());
        }
        self.file.set_len(0)?;
        self.file.rewind()?;
        (self.length, self.torn) = (0, false);
        self.write(&Header::new(&record.timestamp, &standing()))
    }

    /// Gives the file up; it stays where its runs have no record.
    pub(super) fn close(self) {
        let Self { file, watched, outstanding, .. } = self;
        // Windows removes no file that is open.
        drop(file);
        if outstanding.is_empty() {
            // If it stays, the next to open the log finds all its runs ended and removes it.
            let _ = fs::remove_file(watched.path);
        }
    }

    fn lock_new(path: &Path) -> io::Result<File> {
        // Not for appending: Windows can neither lock nor cut such a handle.
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        file.try_lock()?;
        Ok(file)
    }

    fn write(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        if self.torn {
            self.line.push(b'\n');
        }
        serde_json::to_writer(&mut self.line, value)?;
        if self.line.len() > MAX_INTENT_BYTES {
            let message = format!("it has {} bytes, more than {MAX_INTENT_BYTES}", self.line.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.line.push(b'\n');
        let written = write_once(&self.file, &self.line);
        self.torn = written.is_err();
        self.length += written?;
        Ok(())
    }
}
