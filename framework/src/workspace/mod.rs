//! The directory tree commands may touch, shown to users as `.agents/`.
//!
//! [`Workspace`] is the seam: [`DiskWorkspace`] confines a real directory, [`MemoryWorkspace`]
//! keeps everything in memory with failures on demand. Both pass the same conformance suite.
//! Commands do not see this trait; they use [`Files`](crate::Files) from the door, which adds
//! capabilities, limits and the tape.

mod disk;
mod memory;
mod path;

#[cfg(test)]
mod conformance;

use std::{fmt, io};

pub use disk::DiskWorkspace;
pub use memory::{MemoryWorkspace, WriteStage};
pub use path::{PathEscape, WorkspacePath};

/// A tree of files addressed by [`WorkspacePath`]. Calls are short and synchronous.
///
/// # Contract
/// - Nothing outside the tree is read, created, changed or listed; no link is followed.
/// - Only regular files are opened, and opening never blocks.
/// - A [`Draft`] is invisible until [`Draft::commit`]; nobody sees half a file.
pub trait Workspace: Send + Sync {
    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// `NotFound`, `Directory`, `NotADirectory` (a file on the way), `Link`, `NotAFile`,
    /// `Permission`, `NameTooLong`, `Io`.
    fn open(&self, path: &WorkspacePath) -> Result<OpenFile, WorkspaceFault>;

    /// The entries of a directory, sorted by name (bytes). Names that no [`WorkspacePath`] can hold
    /// (not UTF-8, control characters, our own drafts) are left out: nothing could open them.
    ///
    /// # Errors
    /// `NotFound`, `NotADirectory`, `Link`, `Permission`, `NameTooLong`, `Io`.
    fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceFault>;

    /// Starts a new content for `path`; missing parent directories are made, and stay. With
    /// [`IfExists::Refuse`] an existing file is `Exists`, here and again at commit. What is no file
    /// (a directory, a link) is refused either way, by its own kind.
    ///
    /// # Errors
    /// `Exists`, `Directory`, `NotADirectory`, `Link`, `NotAFile`, `Permission`,
    /// `NameTooLong`, `Full`, `Io`.
    fn create(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<Box<dyn Draft>, WorkspaceFault>;

    /// Removes a regular file.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    fn remove(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault>;

    /// Takes the named lock if nobody holds it (`None`: somebody does). It is released on drop,
    /// and by the death of the process. `name` is `[a-z0-9-]{1,64}`, checked by the caller.
    ///
    /// # Errors
    /// `NotADirectory`, `Directory`, `Link`, `NotAFile`, `Permission`, `Full`, `Io`.
    fn try_lock(&self, name: &str) -> Result<Option<Box<dyn Send + Sync>>, WorkspaceFault>;

    /// Asked after [`try_lock`](Self::try_lock) gave `None`: whether it is known that waiting for
    /// the lock ends without it. Only a replay knows; it then costs no wait.
    fn lock_times_out(&self, _name: &str) -> bool {
        false
    }
}

/// A file open for reading, with its length when it was opened.
pub struct OpenFile {
    /// Bytes.
    pub len: u64,
    /// The content.
    pub content: Box<dyn ReadSeek>,
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OpenFile").field("len", &self.len).finish_non_exhaustive()
    }
}

/// `Read + Seek`, as one object.
pub trait ReadSeek: io::Read + io::Seek + Send + Sync {}
impl<T: io::Read + io::Seek + Send + Sync> ReadSeek for T {}

/// New content on its way to a file. Dropped without [`commit`](Self::commit), it leaves nothing,
/// and what stood there before still stands.
pub trait Draft: io::Write + Send + Sync {
    /// Puts the whole content in place at once.
    ///
    /// # Errors
    /// As [`Workspace::create`].
    fn commit(self: Box<Self>) -> Result<(), WorkspaceFault>;
}

/// What [`Workspace::create`] does about an existing target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// Puts the new content in its place.
    Replace,
    /// Answers `Exists`.
    Refuse,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, one component.
    pub name: String,
    /// What it is; links are not followed.
    pub kind: EntryKind,
}

/// What an [`Entry`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link or reparse point.
    Link,
    /// A socket, pipe or device.
    Other,
}

/// Why the workspace refused. The source is for the host's log, never for the caller.
#[derive(Debug)]
pub struct WorkspaceFault {
    /// What a caller can tell apart.
    pub kind: WorkspaceFaultKind,
    /// The operating system's own words.
    pub source: Option<io::Error>,
}

impl WorkspaceFault {
    /// Without a source.
    pub fn new(kind: WorkspaceFaultKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<io::Error> for WorkspaceFault {
    fn from(source: io::Error) -> Self {
        Self { kind: WorkspaceFaultKind::from_io(&source), source: Some(source) }
    }
}

/// For `Read` and `Write`, whose errors are the operating system's; the kind comes back whole from
/// [`WorkspaceFaultKind::from_io`].
impl From<WorkspaceFault> for io::Error {
    fn from(fault: WorkspaceFault) -> Self {
        Self::other(fault)
    }
}

impl fmt::Display for WorkspaceFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())
    }
}

impl std::error::Error for WorkspaceFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// The kinds of [`WorkspaceFault`], with the names they have on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkspaceFaultKind {
    /// Nothing of that name.
    NotFound,
    /// A directory where a file was asked for.
    Directory,
    /// Something else where a directory is needed.
    NotADirectory,
    /// A link, on the way or at the end.
    Link,
    /// The target of a create that refuses.
    Exists,
    /// A pipe, socket or device.
    NotAFile,
    /// No space or quota left.
    Full,
    /// Not permitted, or a read-only file system.
    Permission,
    /// A name the file system cannot hold.
    NameTooLong,
    /// Anything else.
    Io,
}

impl WorkspaceFaultKind {
    const ALL: [Self; 10] = [
        Self::NotFound,
        Self::Directory,
        Self::NotADirectory,
        Self::Link,
        Self::Exists,
        Self::NotAFile,
        Self::Full,
        Self::Permission,
        Self::NameTooLong,
        Self::Io,
    ];

    /// Its name in records and `result.kind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Directory => "directory",
            Self::NotADirectory => "not_a_directory",
            Self::Link => "link",
            Self::Exists => "exists",
            Self::NotAFile => "not_a_file",
            Self::Full => "full",
            Self::Permission => "permission",
            Self::NameTooLong => "name_too_long",
            Self::Io => "io",
        }
    }

    /// The kind of that name; unknown names are `Io`.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(Self::Io)
    }

    /// What an operating system's error amounts to.
    pub fn from_io(error: &io::Error) -> Self {
        if let Some(fault) =
            error.get_ref().and_then(|inner| inner.downcast_ref::<WorkspaceFault>())
        {
            return fault.kind;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::IsADirectory => Self::Directory,
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Permission,
            io::ErrorKind::InvalidFilename => Self::NameTooLong,
            _ => Self::Io,
        }
    }
}
