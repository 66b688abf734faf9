//! [`Blobs`]: values too long for a line, under `audit/blobs/`, named by their content.

use std::{
    collections::HashSet,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
    sync::{Mutex, PoisonError},
};

use crate::audit::{SinkError, blob_path};

/// Enough for what the runs of a session have in common; a name that is forgotten costs one look
/// at the file.
const MAX_KNOWN: usize = 4096;

/// The names of blobs that are known to be there.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    known: Mutex<HashSet<String>>,
}

impl Blobs {
    pub(super) fn is_known(&self, sha256: &str) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(sha256)
    }

    /// For when somebody else may have removed some.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Writes the blob unless it is there.
    pub(super) fn keep(&self, audit: &Path, sha256: &str, bytes: &[u8]) -> Result<(), SinkError> {
        let Some(path) = blob_path(audit, sha256) else {
            return Err(SinkError::refused(format!(
                "keep a blob as `{sha256}`: that is no SHA-256"
            )));
        };
        write_whole(&path, bytes).map_err(|error| {
            SinkError::new(format!("keep the blob `{}`", path.display()), error)
        })?;

        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(sha256.to_owned());
        Ok(())
    }
}

/// Nobody ever sees half a blob: it gets its name once it is whole.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The length is compared since a crash of the machine can leave a file empty.
    if fs::metadata(path)
        .is_ok_and(|there| there.is_file() && u64::try_from(bytes.len()) == Ok(there.len()))
    {
        return Ok(());
    }
    if let Some(shard) = path.parent() {
        fs::create_dir_all(shard)?;
    }
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let unfinished = path.with_extension(format!("{:016x}.tmp", u64::from_ne_bytes(random)));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
    let written = file.write_all(bytes);
    // Windows renames no file that is open.
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&unfinished, path));
    if renamed.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    renamed
}
