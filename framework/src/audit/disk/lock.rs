//! [`AuditLock`]: one appender at a time, over all processes.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{file_system::FileSystem, identity::Watched};
use crate::audit::SinkError;

const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

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
        file_system
            .open(&path, options)
            .and_then(|file| {
                let watched = Watched::new(path.clone(), &file, look_apart)?;
                Ok(Self { file: Arc::new(file), watched })
            })
            .map_err(|error| SinkError::new(format!("open the lock `{}`", path.display()), error))
    }

    /// Waits for the lock, trying at least once; `None` if somebody replaced its file, so that
    /// having this one excludes nobody.
    pub(super) fn take(&self, deadline: Instant) -> Result<Option<Held>, SinkError> {
        let failed =
            |error| SinkError::new(format!("lock `{}`", self.watched.path.display()), error);
        let mut pause = FIRST_PAUSE;
        loop {
            match self.file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(pause),
                Err(TryLockError::WouldBlock) => {
                    return Err(failed(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "somebody else holds it",
                    )));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        let mut held = Held { file: Arc::clone(&self.file), files_begun: 0 };
        let length = self.watched.length(&self.file).map_err(failed)?;
        Ok(length.map(|length| {
            held.files_begun = length;
            held
        }))
    }
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
