//! [`Blobs`]: values too long for a line, under `audit/blobs/`, named by their content.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::{
    commit::{Durability, sync_file},
    file_system::{FileSystem, write_all},
    place,
};
use crate::{
    audit::{SinkError, blob_path},
    clock,
};

/// Enough for what the runs of a session have in common; a name that is forgotten costs one look
/// at the file.
const MAX_KNOWN: usize = 4096;

/// How long a blob stays known. Then its time is set anew before it is used again: pruning keeps
/// what nothing refers to for an hour, which is longer than this and the longest run together.
const KNOWN_FOR: Duration = Duration::from_secs(600);

/// The names of blobs that are known to be there, and since when.
#[derive(Debug)]
pub(super) struct Blobs {
    dir: PathBuf,
    audit: PathBuf,
    file_system: Arc<dyn FileSystem>,
    durability: Durability,
    known: Mutex<HashMap<String, SystemTime>>,
}

impl Blobs {
    pub(super) fn new(
        audit: PathBuf,
        file_system: Arc<dyn FileSystem>,
        durability: Durability,
    ) -> Self {
        Self { dir: audit.join("blobs"), audit, file_system, durability, known: Mutex::default() }
    }

    /// Where they lie.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn is_known(&self, sha256: &str) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // By the clock that pruning goes by: another may stand still while the machine sleeps. Where
        // it was set back the answer is no.
        let known_for = |since| clock::file_time().duration_since(since);
        known.get(sha256).is_some_and(|since| known_for(*since).is_ok_and(|time| time < KNOWN_FOR))
    }

    /// For when somebody else may have removed some.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether something lies under that name, which somebody may be about to prune.
    pub(super) fn is_there(&self, sha256: &str) -> bool {
        blob_path(&self.audit, sha256).is_some_and(|path| fs::symlink_metadata(path).is_ok())
    }

    /// Keeps a blob that is there from being pruned for an hour. The caller has the lock, without
    /// which one that is pruned right now would be taken for kept.
    pub(super) fn refresh(&self, sha256: &str) -> Result<(), SinkError> {
        let Some(path) = blob_path(&self.audit, sha256) else {
            return Ok(());
        };
        let opened = place::open_there(&self.audit, &path, OpenOptions::new().write(true));
        if opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        opened
            .and_then(|file| file.set_modified(clock::file_time()))
            .map_err(|error| SinkError::new(format!("keep the blob `{}`", path.display()), error))
    }

    /// Writes the blob unless it is there.
    pub(super) fn keep(&self, sha256: &str, bytes: &[u8]) -> Result<(), SinkError> {
        let Some(path) = blob_path(&self.audit, sha256) else {
            return Err(SinkError::refused(format!(
                "keep a blob as `{sha256}`: that is no SHA-256"
            )));
        };
        self.write_whole(&path, bytes).map_err(|error| {
            SinkError::new(format!("keep the blob `{}`", path.display()), error)
        })?;

        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(sha256.to_owned(), clock::file_time());
        Ok(())
    }

    /// Removes what writers that were killed have left. A blob is written in seconds, so what was
    /// last touched over an hour ago is nobody's; should a writer have slept for so long, its run
    /// is told that the blob cannot be kept.
    pub(super) fn remove_unfinished(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let is_unfinished = path.extension().is_some_and(|extension| extension == "tmp");
            if is_unfinished
                && fs::metadata(&path)
                    .and_then(|metadata| metadata.modified())
                    .is_ok_and(clock::is_over_an_hour_ago)
            {
                // Where it stays it does no harm, and the next to open the log tries again.
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// Nobody ever sees half a blob: it gets its name once it is whole.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // The length is compared since a crash of the machine can leave a file empty.
        let length = place::length(&self.audit, path)?;
        let is_there = length.is_some_and(|length| u64::try_from(bytes.len()) == Ok(length));
        let Some(shard) = path.parent().filter(|_| !is_there) else {
            // Who wrote it may not have cared for the device, or may not have come that far.
            return match self.durability {
                Durability::Os => Ok(()),
                Durability::Sync => sync_file(&*self.file_system, &self.audit, path)
                    .and_then(|()| self.sync_name(path)),
            };
        };
        place::create_directory(&self.audit, shard, &*self.file_system)?;
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        // All in one place, where they are found again without looking through all blobs.
        let unfinished = self.dir.join(format!("{:016x}.tmp", u64::from_ne_bytes(random)));
        let placed = self.write_to(&unfinished, bytes).and_then(|()| {
            self.file_system.rename(&unfinished, path)?;
            match self.durability {
                Durability::Os => Ok(()),
                Durability::Sync => self.sync_name(path),
            }
        });
        if placed.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_file(&unfinished);
        }
        placed
    }

    /// Closes the file, too: Windows renames none that is open.
    fn write_to(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true);
        let file = place::open(&self.audit, path, options, &*self.file_system)?;
        write_all(&*self.file_system, path, &file, bytes)?;
        match self.durability {
            Durability::Os => Ok(()),
            Durability::Sync => self.file_system.sync(path, &file),
        }
    }

    /// The shard may be new, too.
    fn sync_name(&self, path: &Path) -> io::Result<()> {
        if let Some(shard) = path.parent() {
            self.file_system.sync_directory(shard)?;
        }
        self.file_system.sync_directory(&self.dir)
    }
}
