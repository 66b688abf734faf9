//! [`OpenFile`]: the runs one [`DiskLog`](super::DiskLog) has begun and not ended.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    commit::Appended,
    file_system::{FileSystem, write_once},
    identity::Watched,
    place,
    runs::Standing,
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
    appended: Arc<Appended>,
    watched: Watched,
    file_system: Arc<dyn FileSystem>,
    length: u64,
    /// The last write did not end its line, and what it wrote could not be cut off.
    torn: bool,
    outstanding: HashSet<String>,
    /// A run has ended, and its record may not have been written.
    has_lost: bool,
    line: Vec<u8>,
}

impl OpenFile {
    /// Creates the file. The caller has the audit lock, so nobody can lock the file before us.
    pub(super) fn create(
        audit: &Path,
        standing: &Standing,
        opened: &str,
        look_apart: Duration,
        file_system: &Arc<dyn FileSystem>,
    ) -> Result<Self, SinkError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| {
            SinkError::new("name a file of intents", io::Error::other(error.to_string()))
        })?;
        let name = uuid::Builder::from_random_bytes(random).into_uuid();
        let path = Self::dir(audit).join(format!("{}.jsonl", Uuid::hyphenated(name)));

        let begun = Self::lock_new(audit, &path, &**file_system).and_then(|file| {
            let watched = Watched::new(path.clone(), &file, look_apart)?;
            let mut open = Self {
                appended: Appended::new(path.clone(), file, None),
                watched,
                file_system: Arc::clone(file_system),
                length: 0,
                torn: false,
                outstanding: HashSet::new(),
                has_lost: false,
                line: Vec::new(),
            };
            open.write(&Header::new(opened, standing))?;
            Ok(open)
        });
        begun.map_err(|error| {
            // If it stays, the next to open the log finds nothing in it and removes it.
            let _ = fs::remove_file(&path);
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

    /// Writes an intent, with one write, and says to which file.
    pub(super) fn begin(&mut self, intent: &Intent) -> Result<Arc<Appended>, SinkError> {
        self.write(intent).map_err(|error| {
            SinkError::new(format!("write the intent of run `{}`", intent.run_id), error)
        })?;
        self.outstanding.insert(intent.run_id.clone());
        Ok(Arc::clone(&self.appended))
    }

    /// The run has its record. Empties the file where it has grown and nothing in it is needed.
    pub(super) fn end(
        &mut self,
        record: &Record,
        max_bytes: u64,
        standing: impl FnOnce() -> Standing,
    ) -> io::Result<()> {
        self.outstanding.remove(&record.run_id);
        if self.length <= max_bytes || !self.outstanding.is_empty() || self.has_lost {
            return Ok(());
        }
        self.cut(0)?;
        self.torn = false;
        self.write(&Header::new(&record.timestamp, &standing()))
    }

    /// The run has ended, and its record may not have been written.
    pub(super) fn lose(&mut self, run_id: &str) {
        self.has_lost |= self.outstanding.remove(run_id);
    }

    /// Whether all that is left to do is what is done for a process that died.
    pub(super) fn is_spent(&self) -> bool {
        self.has_lost && self.outstanding.is_empty()
    }

    /// Gives the file up; it stays where its runs have no record.
    pub(super) fn close(self) {
        let Self { appended, watched, outstanding, has_lost, .. } = self;
        // Dropping it is not enough while somebody syncs it; others find it taken if this fails.
        let _ = appended.file.unlock();
        // Windows removes no file that is open.
        drop(appended);
        if outstanding.is_empty() && !has_lost {
            // If it stays, the next to open the log finds all its runs ended and removes it.
            let _ = fs::remove_file(watched.path);
        }
    }

    fn lock_new(audit: &Path, path: &Path, file_system: &dyn FileSystem) -> io::Result<File> {
        // Not for appending: Windows can neither lock nor cut such a handle.
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let file = place::open(audit, path, options, file_system)?;
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
        let Appended { path, file, .. } = &*self.appended;
        match write_once(&*self.file_system, path, file, &self.line) {
            Ok(written) => {
                self.torn = false;
                self.length += written;
                Ok(())
            }
            Err(error) => {
                // Nobody else reads the file while it is locked, so what was written of the line
                // can go; its run does not start.
                if self.cut(self.length).is_err() {
                    self.torn = true;
                    self.length = (&self.appended.file).stream_position().unwrap_or(self.length);
                }
                Err(error)
            }
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        let Appended { path, file, .. } = &*self.appended;
        self.file_system.set_len(path, file, length)?;
        let mut file = file;
        file.seek(SeekFrom::Start(length))?;
        self.length = length;
        Ok(())
    }
}
