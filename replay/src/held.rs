//! [`Held`]: folders that nobody else changes meanwhile.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{
    CaseError,
    case::CaseErrorKind,
    pending::Pending,
    place::{default_pending, resolved},
};

/// The file in a folder of what is pending that whoever changes it, or the cases, locks. It stays:
/// it says, too, that the kit made the folder.
pub(crate) const LOCK: &str = ".replay-lock";

/// Another has so long to come to its end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Locks, until it is dropped, that all verbs of the kit take who change something: one of the cases,
/// one of each folder of what is pending.
#[derive(Debug)]
pub(crate) struct Held {
    _locks: Vec<File>,
}

impl Held {
    /// For who changes what is pending.
    ///
    /// # Errors
    /// Another changes it and does not come to its end, or a file cannot be created.
    pub(crate) fn pending<'a>(
        pending: impl IntoIterator<Item = &'a Pending>,
    ) -> Result<Self, CaseError> {
        Self::folders(pending.into_iter().map(|pending| pending.folder.clone()))
    }

    /// For who changes cases. Their lock lies in the usual folder of what is pending, so that nothing
    /// stands among the cases that is none.
    ///
    /// # Errors
    /// As [`Held::pending`].
    pub(crate) fn cases<'a>(
        golden: &Path,
        pending: impl IntoIterator<Item = &'a Pending>,
    ) -> Result<Self, CaseError> {
        let pending = pending.into_iter().map(|pending| pending.folder.clone());
        Self::folders(pending.chain([default_pending(golden)]))
    }

    fn folders(folders: impl Iterator<Item = PathBuf>) -> Result<Self, CaseError> {
        // Each once, and all in one order: no two wait for each other.
        let folders: BTreeSet<PathBuf> = folders.map(|folder| resolved(&folder)).collect();
        let until = Instant::now() + PATIENCE;
        let locks = folders.iter().map(|folder| lock(folder, until));
        Ok(Self { _locks: locks.collect::<Result<_, _>>()? })
    }
}

fn lock(folder: &Path, until: Instant) -> Result<File, CaseError> {
    std::fs::create_dir_all(folder).map_err(CaseError::io(folder))?;
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(CaseError::io(&path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(CaseError::io(path)(error)),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let why = "another one is at work there: wait for it to end, then try again";
                return Err(CaseError::at(folder, CaseErrorKind::Value(why.to_owned())));
            }
        }
    }
}
