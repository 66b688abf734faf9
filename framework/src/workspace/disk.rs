//! [`DiskWorkspace`]: a real directory, entered one name at a time.
//!
//! `cap-std` keeps every call below the root, but follows links that stay inside. So each
//! component is opened by itself with links refused, and what was opened is looked at again
//! through its handle: a name that changes between two calls changes the answer, never the place.

use std::{
    collections::HashSet,
    fmt, fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::{
    ambient_authority,
    fs::{Dir, File, FileType, OpenOptions},
};

use super::{
    Draft, Entry, EntryKind, IfExists, OpenFile, Workspace, WorkspaceFault, WorkspaceFaultKind,
    WorkspacePath, path::DRAFT_PREFIX,
};
use crate::clock;

/// Looking again costs one listing.
const MAX_TIDIED: usize = 4096;

/// A directory on disk as a [`Workspace`], and the host's directory of lock files beside it.
///
/// Neither directory needs to exist: each is made when something is first put there, and reading
/// before that is `NotFound`. Both paths are the host's own and may be links; below them no link
/// is followed.
pub struct DiskWorkspace {
    root: HostDirectory,
    locks: HostDirectory,
    /// Where drafts of dead processes were looked for.
    tidied: Mutex<HashSet<WorkspacePath>>,
}

impl DiskWorkspace {
    /// Touches nothing yet. `locks` lies outside `root`, where no command can reach it.
    pub fn new(root: PathBuf, locks: PathBuf) -> Self {
        Self {
            root: HostDirectory::new(root),
            locks: HostDirectory::new(locks),
            tidied: Mutex::default(),
        }
    }

    fn parent_of(&self, path: &WorkspacePath) -> Result<Arc<Dir>, WorkspaceFault> {
        self.directory(path.parent().as_ref().unwrap_or(path))
    }

    fn directory(&self, path: &WorkspacePath) -> Result<Arc<Dir>, WorkspaceFault> {
        path.components().try_fold(self.root.open()?, |dir, name| enter(&dir, name).map(Arc::new))
    }

    /// Removes the drafts that killed processes left in a directory, at the first write there. A run
    /// lasts ten minutes at most, so a draft last written to over an hour ago is nobody's; should
    /// its machine have slept for so long, the commit fails and the old file stands. Where one
    /// cannot be removed it does no harm, as no path names it.
    fn tidy(&self, path: &WorkspacePath, dir: &Dir) {
        let parent = path.parent().unwrap_or_else(WorkspacePath::root);
        let mut tidied = self.tidied.lock().unwrap_or_else(PoisonError::into_inner);
        if tidied.len() >= MAX_TIDIED {
            tidied.clear();
        }
        if !tidied.insert(parent) {
            return;
        }
        drop(tidied);
        for found in dir.entries().into_iter().flatten().flatten() {
            let Ok(name) = found.file_name().into_string() else { continue };
            let is_left_over = name.starts_with(DRAFT_PREFIX)
                && dir.symlink_metadata(&name).is_ok_and(|metadata| {
                    metadata.is_file()
                        && metadata
                            .modified()
                            .is_ok_and(|time| clock::is_over_an_hour_ago(time.into_std()))
                });
            if is_left_over {
                let _ = dir.remove_file(&name);
            }
        }
    }

    fn make_parent_of(&self, path: &WorkspacePath) -> Result<Arc<Dir>, WorkspaceFault> {
        let parent = path.parent().unwrap_or_else(WorkspacePath::root);
        parent.components().try_fold(self.root.make()?, |dir, name| {
            match dir.create_dir(name) {
                // Whatever stands there, `enter` says what it is.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(fault_at(&dir, name, error));
                }
                Ok(()) | Err(_) => {}
            }
            enter(&dir, name).map(Arc::new)
        })
    }
}

impl fmt::Debug for DiskWorkspace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("DiskWorkspace")
            .field("root", &self.root.path)
            .field("locks", &self.locks.path)
            .finish()
    }
}

impl Workspace for DiskWorkspace {
    fn open(&self, path: &WorkspacePath) -> Result<OpenFile, WorkspaceFault> {
        let name = file_name(path)?;
        let dir = self.parent_of(path)?;
        let file = open_file(&dir, name, OpenOptions::new().read(true))?;
        Ok(OpenFile { len: file.metadata()?.len(), content: Box::new(file) })
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceFault> {
        let dir = self.directory(path)?;
        let mut entries = Vec::new();
        for found in dir.entries()? {
            let found = found?;
            let Ok(name) = found.file_name().into_string() else { continue };
            if WorkspacePath::root().join(&name).is_err() {
                continue;
            }
            // Asked by name: not every file system tells the kind while it lists.
            match kind_at(&dir, &name) {
                Ok(kind) => entries.push(Entry { name, kind }),
                // Removed since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    fn create(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<Box<dyn Draft>, WorkspaceFault> {
        let name = file_name(path)?;
        let dir = self.make_parent_of(path)?;
        check_target(&dir, name, if_exists)?;
        self.tidy(path, &dir);
        Ok(Box::new(DiskDraft::start(dir, name.to_owned(), if_exists)?))
    }

    fn remove(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        let name = file_name(path)?;
        let dir = self.parent_of(path)?;
        expect_file(kind_at(&dir, name)?)?;
        dir.remove_file(name).map_err(|error| fault_at(&dir, name, error))
    }

    fn try_lock(&self, name: &str) -> Result<Option<Box<dyn Send + Sync>>, WorkspaceFault> {
        let dir = self.locks.make()?;
        let file = open_file(&dir, name, OpenOptions::new().write(true).create(true))?.into_std();
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(HeldLock(file)))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

/// A directory the host named. It is opened once and kept, so that renaming what lies above it
/// moves nothing under a run; a failure to open it is not kept.
struct HostDirectory {
    path: PathBuf,
    opened: Mutex<Option<Arc<Dir>>>,
}

impl HostDirectory {
    fn new(path: PathBuf) -> Self {
        Self { path, opened: Mutex::new(None) }
    }

    fn open(&self) -> Result<Arc<Dir>, WorkspaceFault> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match &*opened {
            Some(dir) if !is_deleted(dir) => Ok(Arc::clone(dir)),
            Some(_) | None => {
                let dir = Arc::new(Dir::open_ambient_dir(&self.path, ambient_authority())?);
                *opened = Some(Arc::clone(&dir));
                Ok(dir)
            }
        }
    }

    fn make(&self) -> Result<Arc<Dir>, WorkspaceFault> {
        match self.open() {
            Err(fault) if fault.kind == WorkspaceFaultKind::NotFound => {
                make_directories(&self.path)?;
                self.open()
            }
            answer => answer,
        }
    }
}

fn make_directories(path: &Path) -> Result<(), WorkspaceFault> {
    fs::create_dir_all(path).map_err(|error| match WorkspaceFault::from(error) {
        // Something is in the way, and it is no directory.
        WorkspaceFault { kind: WorkspaceFaultKind::Exists, source } => {
            WorkspaceFault { kind: WorkspaceFaultKind::NotADirectory, source }
        }
        fault => fault,
    })
}

/// Whether somebody deleted the directory behind a kept handle, into which nothing can be put any
/// more. A host that lives for weeks outlives a user who tidies up.
#[cfg(unix)]
fn is_deleted(dir: &Dir) -> bool {
    use cap_std::fs::MetadataExt;

    dir.dir_metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

/// Windows does not let go of a directory that is open.
#[cfg(not(unix))]
fn is_deleted(_: &Dir) -> bool {
    false
}

/// Released before the file is closed: a process forked in between may still hold the descriptor.
struct HeldLock(fs::File);

impl Drop for HeldLock {
    fn drop(&mut self) {
        // Closing releases it as well.
        let _ = self.0.unlock();
    }
}

/// New content in a file of its own beside the target, which takes the target's name at commit.
/// Nothing is synced: after a power cut the old or the new content stands there, or, on some file
/// systems, neither.
struct DiskDraft {
    dir: Arc<Dir>,
    name: String,
    if_exists: IfExists,
    file: File,
    draft_name: String,
}

impl DiskDraft {
    fn start(dir: Arc<Dir>, name: String, if_exists: IfExists) -> Result<Self, WorkspaceFault> {
        const ATTEMPTS: usize = 8;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let draft_name = random_draft_name()?;
            match dir.open_with(&draft_name, &options) {
                Ok(file) => return Ok(Self { dir, name, if_exists, file, draft_name }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error.into()),
            }
        }
        Err(WorkspaceFault { kind: WorkspaceFaultKind::Io, source: Some(taken) })
    }

    fn replace(&self) -> Result<(), WorkspaceFault> {
        check_target(&self.dir, &self.name, self.if_exists)?;
        self.dir
            .rename(&self.draft_name, &self.dir, &self.name)
            .map_err(|error| fault_at(&self.dir, &self.name, error))
    }

    /// A hard link is the one way to take a name only if it is free, in one step.
    fn take_free_name(&self) -> Result<(), WorkspaceFault> {
        match self.dir.hard_link(&self.draft_name, &self.dir, &self.name) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                check_target(&self.dir, &self.name, self.if_exists)?;
                Err(error.into())
            }
            // FAT, Android's shared storage and some network shares have no hard links; whatever
            // else it was, the rename meets it too.
            Err(_) => self.replace(),
        }
    }
}

impl Write for DiskDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Draft for DiskDraft {
    fn commit(self: Box<Self>) -> Result<(), WorkspaceFault> {
        match self.if_exists {
            IfExists::Replace => self.replace(),
            IfExists::Refuse => self.take_free_name(),
        }
    }
}

impl Drop for DiskDraft {
    /// After a rename the name is gone already, and being random nobody else has taken it.
    fn drop(&mut self) {
        let _ = self.dir.remove_file(&self.draft_name);
    }
}

fn random_draft_name() -> Result<String, WorkspaceFault> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{DRAFT_PREFIX}{:032x}", u128::from_ne_bytes(bytes)))
}

/// The last component of a path that is to name a file.
fn file_name(path: &WorkspacePath) -> Result<&str, WorkspaceFault> {
    path.name().ok_or_else(|| WorkspaceFault::new(WorkspaceFaultKind::Directory))
}

fn enter(dir: &Dir, name: &str) -> Result<Dir, WorkspaceFault> {
    dir.open_dir_nofollow(name).map_err(|error| match kind_at(dir, name) {
        Ok(EntryKind::Link) => fault(WorkspaceFaultKind::Link, error),
        Ok(EntryKind::File | EntryKind::Other) => fault(WorkspaceFaultKind::NotADirectory, error),
        Ok(EntryKind::Directory) | Err(_) => error.into(),
    })
}

/// Never waits for the other end of a pipe, and hands out regular files alone.
fn open_file(dir: &Dir, name: &str, options: &mut OpenOptions) -> Result<File, WorkspaceFault> {
    options.follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, options).map_err(|error| fault_at(dir, name, error))?;
    expect_file(kind_of(file.metadata()?.file_type()))?;
    Ok(file)
}

/// What a file that is to be written meets at its place.
fn check_target(dir: &Dir, name: &str, if_exists: IfExists) -> Result<(), WorkspaceFault> {
    match kind_at(dir, name) {
        Ok(EntryKind::File) if if_exists == IfExists::Refuse => {
            Err(WorkspaceFault::new(WorkspaceFaultKind::Exists))
        }
        Ok(kind) => expect_file(kind),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Says what stands at a name where a file was wanted. The operating system's answers to that
/// differ (`ELOOP`, `EMLINK`, `ENXIO`, `EISDIR`), and some of them mean other things as well.
fn fault_at(dir: &Dir, name: &str, error: io::Error) -> WorkspaceFault {
    match kind_at(dir, name).map(expect_file) {
        Ok(Err(WorkspaceFault { kind, .. })) => fault(kind, error),
        Ok(Ok(())) | Err(_) => error.into(),
    }
}

fn fault(kind: WorkspaceFaultKind, source: io::Error) -> WorkspaceFault {
    WorkspaceFault { kind, source: Some(source) }
}

fn expect_file(kind: EntryKind) -> Result<(), WorkspaceFault> {
    match kind {
        EntryKind::File => Ok(()),
        EntryKind::Directory => Err(WorkspaceFault::new(WorkspaceFaultKind::Directory)),
        EntryKind::Link => Err(WorkspaceFault::new(WorkspaceFaultKind::Link)),
        EntryKind::Other => Err(WorkspaceFault::new(WorkspaceFaultKind::NotAFile)),
    }
}

fn kind_at(dir: &Dir, name: &str) -> io::Result<EntryKind> {
    dir.symlink_metadata(name).map(|metadata| kind_of(metadata.file_type()))
}

fn kind_of(file_type: FileType) -> EntryKind {
    if file_type.is_symlink() {
        EntryKind::Link
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else if file_type.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}
