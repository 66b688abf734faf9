//! [`Watched`]: a file that is held open, and whether its path still names it.

use std::{
    cell::Cell,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A file that others may remove, replace or move away.
///
/// A look at the open file costs a third of a look at its path and tells of removal and
/// replacement, on Unix; that the whole log was moved away only its path can tell, which is looked
/// at from time to time.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) path: PathBuf,
    identity: Identity,
    apart: Duration,
    looked: Cell<Option<Instant>>,
}

impl Watched {
    /// Watches the file that was opened at `path`, with so much time between looks at the path.
    pub(super) fn new(path: PathBuf, file: &File, apart: Duration) -> io::Result<Self> {
        let identity = Identity::of(&file.metadata()?);
        Ok(Self { path, identity, apart, looked: Cell::new(None) })
    }

    /// The file's length, or `None` if it is no longer where others look for it.
    pub(super) fn length(&self, file: &File) -> io::Result<Option<u64>> {
        let metadata = file.metadata()?;
        if is_removed(&metadata) {
            return Ok(None);
        }
        Ok(self.is_in_place()?.then_some(metadata.len()))
    }

    /// Whether the path named the file when it was last looked at, which may be now.
    pub(super) fn is_in_place(&self) -> io::Result<bool> {
        let now = Instant::now();
        let is_due = self.looked.get().is_none_or(|last| now.duration_since(last) >= self.apart);
        if is_due {
            if !self.identity.is_at(&self.path)? {
                return Ok(false);
            }
            self.looked.set(Some(now));
        }
        Ok(true)
    }
}

/// Which file it is, whatever its name. A file that is held open keeps its identity for itself,
/// so a new file under the old name is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    fn is_at(self, path: &Path) -> io::Result<bool> {
        // Not what a link in its place leads to.
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Self::of(&metadata) == self),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The standard library has no file number to offer here: that the path exists must do.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self {}
    }
}

#[cfg(unix)]
fn is_removed(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    metadata.nlink() == 0
}

/// Elsewhere nobody can remove a file that is open.
#[cfg(not(unix))]
fn is_removed(_: &Metadata) -> bool {
    false
}
