//! [`AuditLock`]: one appender at a time, over all processes.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
    sync::Arc,
    time::Duration,
};

use super::{file_system::FileSystem, identity::Watched, place};
use crate::audit::SinkError;

/// The file `audit/lock`. Its length counts the files that were begun.
#[derive(Debug)]
pub(super) struct AuditLock {
    file: Arc<File>,
    watched: Watched,
}

impl AuditLock {
    pub(super) fn open(
        audit: &Path,
        look_apart: Duration,
        file_system: &dyn FileSystem,
    ) -> Result<Self, SinkError> {
        let path = audit.join("lock");
        // Not for appending: Windows cannot lock such a handle.
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        place::open(audit, &path, options, file_system)
            .and_then(|file| {
                let watched = Watched::new(path.clone(), &file, look_apart)?;
                Ok(Self { file: Arc::new(file), watched })
            })
            .map_err(|error| SinkError::new(format!("open the lock `{}`", path.display()), error))
    }

    /// Tries to have the lock, without waiting.
    pub(super) fn take(&self) -> Result<Taken, SinkError> {
        let failed = |error| SinkError::new(self.attempted(), error);
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Taken::Busy),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut held = Held { file: Arc::clone(&self.file), files_begun: 0 };
        let length = self.watched.length(&self.file).map_err(failed)?;
        Ok(length.map_or(Taken::Replaced, |length| {
            held.files_begun = length;
            Taken::Held(held)
        }))
    }

    /// What taking it is called in errors.
    pub(super) fn attempted(&self) -> String {
        format!("lock `{}`", self.watched.path.display())
    }
}

/// What came of trying to have the lock.
#[derive(Debug)]
pub(super) enum Taken {
    Held(Held),
    /// Somebody else has it.
    Busy,
    /// Somebody replaced its file, so that having this one would exclude nobody.
    Replaced,
}

/// The lock is had until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    file: Arc<File>,
    files_begun: u64,
}

impl Held {
    /// How many files were begun: whoever remembers another number must look again.
    pub(super) fn files_begun(&self) -> u64 {
        self.files_begun
    }

    /// Counts a new file, which tells all others that it is about to be begun.
    pub(super) fn begin_file(
        &mut self,
        audit: &Path,
        file_system: &dyn FileSystem,
    ) -> io::Result<()> {
        file_system.set_len(&audit.join("lock"), &self.file, self.files_begun + 1)?;
        self.files_begun += 1;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Where unlocking fails there is nobody to tell: others find the lock taken and say so.
        let _ = self.file.unlock();
    }
}
