//! [`Identity`]: whether a path still names the file that was opened.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

/// Which file it is, whatever its name. A file that is held open keeps its identity for itself,
/// so a new file under the old name is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::from_metadata(&metadata))
    }

    /// The length of the file at `path`, or `None` if another file is there, or none.
    pub(super) fn length_at(self, path: &Path) -> io::Result<Option<u64>> {
        match fs::metadata(path) {
            Ok(metadata) if Self::from_metadata(&metadata) == self => Ok(Some(metadata.len())),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The standard library has no file number to offer here: that the path exists must do.
    #[cfg(not(unix))]
    fn from_metadata(_: &Metadata) -> Self {
        Self {}
    }
}
