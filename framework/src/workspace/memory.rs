//! [`MemoryWorkspace`]: a tree in memory that fails on demand, for tests and replays.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::{self, Cursor, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    Draft, Entry, EntryKind, IfExists, OpenFile, Workspace, WorkspaceFault, WorkspaceFaultKind,
    WorkspacePath,
};

/// What a name may be at most, as on every file system one meets.
const MAX_NAME_BYTES: usize = 255;

/// A [`Workspace`] in memory. A clone is the same tree, so a test keeps one and looks.
///
/// ```
/// use tapeline::workspace::{MemoryWorkspace, WorkspaceFaultKind};
///
/// let workspace = MemoryWorkspace::new().with_file("rss/feeds.json", "[]");
/// workspace.fail_open("rss/feeds.json", WorkspaceFaultKind::Permission);
/// assert_eq!(workspace.read(".agents/rss/feeds.json"), Some(b"[]".to_vec()));
/// ```
#[derive(Clone, Default)]
pub struct MemoryWorkspace {
    tree: Arc<Mutex<Tree>>,
}

/// Where a write that is told to fail does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteStage {
    /// When it is started.
    Create,
    /// Once this many bytes have been taken.
    AfterBytes(u64),
    /// When it is to take its place.
    Commit,
}

/// Paths are texts such as `rss/feeds.json`, with or without the leading `.agents/`. A text that is
/// no workspace path is a mistake in the test: it panics.
impl MemoryWorkspace {
    /// An empty one; as on disk, not even its root exists until something is put there.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a file, and the directories above it.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    #[must_use]
    pub fn with_file(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Vec<u8> = bytes.into();
        self.with(path, Node::File(bytes.into()))
    }

    /// With a directory, and those above it.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    #[must_use]
    pub fn with_directory(self, path: &str) -> Self {
        self.with(path, Node::Directory)
    }

    /// With a link; where it leads does not matter, as nothing follows it.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    #[must_use]
    pub fn with_link(self, path: &str) -> Self {
        self.with(path, Node::Link)
    }

    /// With something that is no file: a pipe, a socket, a device.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    #[must_use]
    pub fn with_other(self, path: &str) -> Self {
        self.with(path, Node::Other)
    }

    fn with(self, path: &str, node: Node) -> Self {
        let path = parse(path);
        {
            let mut tree = self.lock_tree();
            let mut above = path.parent();
            while let Some(directory) = above {
                tree.nodes.insert(directory.as_str().to_owned(), Node::Directory);
                above = directory.parent();
            }
            tree.nodes.insert(path.as_str().to_owned(), node);
        }
        self
    }

    /// From now on, opening that file or listing that directory fails.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    pub fn fail_open(&self, path: &str, kind: WorkspaceFaultKind) {
        self.lock_tree().open_failures.insert(parse(path), kind);
    }

    /// From now on, writing that file fails, at that stage. One stage a file: the last one told.
    ///
    /// # Panics
    /// When `path` is no workspace path.
    pub fn fail_write(&self, path: &str, stage: WriteStage, kind: WorkspaceFaultKind) {
        self.lock_tree().write_failures.insert(parse(path), (stage, kind));
    }

    /// From now on, that lock can be neither taken nor found held.
    pub fn fail_lock(&self, name: &str, kind: WorkspaceFaultKind) {
        self.lock_tree().lock_failures.insert(name.to_owned(), kind);
    }

    /// The disk is full once this many more bytes have been written, to whichever files. What is
    /// removed or given up makes no room.
    pub fn full_after(&self, bytes: u64) {
        self.lock_tree().room = Some(bytes);
    }

    /// From now on nothing fails on demand, and the disk has room.
    pub fn stop_failing(&self) {
        let mut tree = self.lock_tree();
        tree.open_failures.clear();
        tree.write_failures.clear();
        tree.lock_failures.clear();
        tree.room = None;
    }

    /// The content of a file, whatever is told to fail; `None` if there is no such file.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let path: WorkspacePath = path.parse().ok()?;
        match self.lock_tree().nodes.get(path.as_str())? {
            Node::File(bytes) => Some(bytes.to_vec()),
            Node::Directory | Node::Link | Node::Other => None,
        }
    }

    /// Every file by its path without the leading `.agents/`.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let tree = self.lock_tree();
        let files = tree.nodes.iter().filter_map(|(path, node)| match node {
            Node::File(bytes) => Some((path.clone(), bytes.to_vec())),
            Node::Directory | Node::Link | Node::Other => None,
        });
        files.collect()
    }

    /// What a panic in the middle of a call leaves.
    #[cfg(test)]
    pub(super) fn poison(&self) {
        std::thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _tree = self.tree.lock();
                panic!("on purpose");
            });
            panicking.join().unwrap_err();
        });
    }

    fn lock_tree(&self) -> MutexGuard<'_, Tree> {
        lock(&self.tree)
    }
}

impl fmt::Debug for MemoryWorkspace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = self.lock_tree();
        formatter
            .debug_map()
            .entries(tree.nodes.iter().map(|(path, node)| (path, node.kind())))
            .finish()
    }
}

impl Workspace for MemoryWorkspace {
    fn open(&self, path: &WorkspacePath) -> Result<OpenFile, WorkspaceFault> {
        let tree = self.lock_tree();
        tree.fail_if_told(path)?;
        let bytes = tree.file(path)?;
        Ok(OpenFile { len: bytes.len() as u64, content: Box::new(Cursor::new(Arc::clone(bytes))) })
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceFault> {
        let tree = self.lock_tree();
        tree.fail_if_told(path)?;
        tree.directory(path)?;
        let prefix = if path.is_root() { String::new() } else { format!("{}/", path.as_str()) };
        let below = tree
            .nodes
            .range(prefix.clone()..)
            .map_while(|(path, node)| path.strip_prefix(&prefix).map(|name| (name, node)));
        // The root is listed among what is below it: its name is empty.
        let entries = below.filter(|(name, _)| !name.is_empty() && !name.contains('/'));
        Ok(entries.map(|(name, node)| Entry { name: name.to_owned(), kind: node.kind() }).collect())
    }

    fn create(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<Box<dyn Draft>, WorkspaceFault> {
        let mut tree = self.lock_tree();
        tree.fail_write_if_told(path, WriteStage::Create)?;
        let parent = path.parent().ok_or_else(|| fault(WorkspaceFaultKind::Directory))?;
        tree.make_directory(&parent)?;
        tree.check_target(path, if_exists)?;
        Ok(Box::new(MemoryDraft {
            tree: Arc::clone(&self.tree),
            path: path.clone(),
            if_exists,
            bytes: Vec::new(),
        }))
    }

    fn remove(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        let mut tree = self.lock_tree();
        tree.file(path)?;
        tree.nodes.remove(path.as_str());
        Ok(())
    }

    fn try_lock(&self, name: &str) -> Result<Option<Box<dyn Send + Sync>>, WorkspaceFault> {
        let mut tree = self.lock_tree();
        if let Some(kind) = tree.lock_failures.get(name) {
            return Err(fault(*kind));
        }
        if !tree.held_locks.insert(name.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(HeldLock { tree: Arc::clone(&self.tree), name: name.to_owned() })))
    }
}

/// Everything below one lock.
#[derive(Default)]
struct Tree {
    /// By path without the leading `.agents/`. Whatever stands here has its directories here, the
    /// root (the empty path) among them.
    nodes: BTreeMap<String, Node>,
    held_locks: BTreeSet<String>,
    open_failures: BTreeMap<WorkspacePath, WorkspaceFaultKind>,
    write_failures: BTreeMap<WorkspacePath, (WriteStage, WorkspaceFaultKind)>,
    lock_failures: BTreeMap<String, WorkspaceFaultKind>,
    /// Bytes that can still be written; `None`: any number.
    room: Option<u64>,
}

impl Tree {
    fn make_directory(&mut self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        if let Some(parent) = path.parent() {
            self.make_directory(&parent)?;
        }
        match self.node(path) {
            Err(WorkspaceFault { kind: WorkspaceFaultKind::NotFound, .. }) => {
                self.nodes.insert(path.as_str().to_owned(), Node::Directory);
                Ok(())
            }
            Ok(node) => node.expect_directory(),
            Err(other) => Err(other),
        }
    }

    /// As many of these bytes as still go to that file.
    fn take(&mut self, path: &WorkspacePath, written: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut room = bytes.len() as u64;
        let mut reason = None;
        if let Some((WriteStage::AfterBytes(most), kind)) = self.write_failures.get(path) {
            room = room.min(most.saturating_sub(written));
            reason = Some(*kind);
        }
        if let Some(free) = self.room
            && free < room
        {
            room = free;
            reason = Some(WorkspaceFaultKind::Full);
        }
        if let Some(kind) = reason
            && room == 0
            && !bytes.is_empty()
        {
            return Err(fault(kind).into());
        }
        self.room = self.room.map(|free| free.saturating_sub(room));
        Ok(usize::try_from(room).unwrap_or(bytes.len()))
    }

    fn directory(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        self.node(path)?.expect_directory()
    }

    fn file(&self, path: &WorkspacePath) -> Result<&Arc<[u8]>, WorkspaceFault> {
        self.node(path)?.expect_file()
    }

    /// What stands at a path, having walked there name by name as a file system does.
    fn node(&self, path: &WorkspacePath) -> Result<&Node, WorkspaceFault> {
        if let Some(parent) = path.parent() {
            self.directory(&parent)?;
        }
        if path.name().is_some_and(|name| name.len() > MAX_NAME_BYTES) {
            return Err(fault(WorkspaceFaultKind::NameTooLong));
        }
        self.nodes.get(path.as_str()).ok_or_else(|| fault(WorkspaceFaultKind::NotFound))
    }

    /// What a file that is to be written meets at its place.
    fn check_target(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<(), WorkspaceFault> {
        match self.file(path) {
            Ok(_) if if_exists == IfExists::Refuse => Err(fault(WorkspaceFaultKind::Exists)),
            Ok(_) => Ok(()),
            Err(missing) if missing.kind == WorkspaceFaultKind::NotFound => Ok(()),
            Err(other) => Err(other),
        }
    }

    fn fail_if_told(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        self.open_failures.get(path).map_or(Ok(()), |kind| Err(fault(*kind)))
    }

    fn fail_write_if_told(
        &self,
        path: &WorkspacePath,
        stage: WriteStage,
    ) -> Result<(), WorkspaceFault> {
        match self.write_failures.get(path) {
            Some((told, kind)) if *told == stage => Err(fault(*kind)),
            Some(_) | None => Ok(()),
        }
    }
}

enum Node {
    File(Arc<[u8]>),
    Directory,
    Link,
    Other,
}

impl Node {
    fn expect_file(&self) -> Result<&Arc<[u8]>, WorkspaceFault> {
        match self {
            Self::File(bytes) => Ok(bytes),
            Self::Directory => Err(fault(WorkspaceFaultKind::Directory)),
            Self::Link => Err(fault(WorkspaceFaultKind::Link)),
            Self::Other => Err(fault(WorkspaceFaultKind::NotAFile)),
        }
    }

    fn expect_directory(&self) -> Result<(), WorkspaceFault> {
        match self {
            Self::Directory => Ok(()),
            Self::Link => Err(fault(WorkspaceFaultKind::Link)),
            Self::File(_) | Self::Other => Err(fault(WorkspaceFaultKind::NotADirectory)),
        }
    }

    fn kind(&self) -> EntryKind {
        match self {
            Self::File(_) => EntryKind::File,
            Self::Directory => EntryKind::Directory,
            Self::Link => EntryKind::Link,
            Self::Other => EntryKind::Other,
        }
    }
}

struct MemoryDraft {
    tree: Arc<Mutex<Tree>>,
    path: WorkspacePath,
    if_exists: IfExists,
    bytes: Vec<u8>,
}

impl Write for MemoryDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = lock(&self.tree).take(&self.path, self.bytes.len() as u64, bytes)?;
        self.bytes.extend(bytes.iter().take(taken));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for MemoryDraft {
    fn commit(self: Box<Self>) -> Result<(), WorkspaceFault> {
        let Self { tree, path, if_exists, bytes } = *self;
        let mut tree = lock(&tree);
        tree.fail_write_if_told(&path, WriteStage::Commit)?;
        tree.check_target(&path, if_exists)?;
        tree.nodes.insert(path.as_str().to_owned(), Node::File(bytes.into()));
        Ok(())
    }
}

struct HeldLock {
    tree: Arc<Mutex<Tree>>,
    name: String,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        lock(&self.tree).held_locks.remove(&self.name);
    }
}

/// A test that panicked while it held the tree has failed already; the tree is whole all the same.
fn lock(tree: &Mutex<Tree>) -> MutexGuard<'_, Tree> {
    tree.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parse(path: &str) -> WorkspacePath {
    path.parse().unwrap_or_else(|escape| panic!("{escape}"))
}

fn fault(kind: WorkspaceFaultKind) -> WorkspaceFault {
    WorkspaceFault::new(kind)
}
