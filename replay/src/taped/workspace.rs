//! The workspace as the run found it, under what the run itself writes.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{self, Cursor, Write},
    mem,
    sync::{Arc, Mutex},
};

use tapeline::{
    WorkspacePath,
    audit::{EntryEvent, LockEvent, WriteEvent},
    workspace::{
        Draft, Entry, EntryKind, IfExists, OpenFile, Workspace, WorkspaceFault, WorkspaceFaultKind,
    },
};

use super::{Watch, lock};
use crate::{
    given::Unused,
    miss::{Miss, Misses},
};

/// What a path held.
#[derive(Clone, Debug)]
pub(crate) enum TapedFile {
    Bytes(Arc<[u8]>),
    /// So long, and never read.
    Unread(u64),
    Fault(WorkspaceFaultKind),
}

/// Files by path as they were; in an as-read tree, what it does not know is a miss.
#[derive(Clone, Debug)]
pub(crate) struct TapedWorkspace {
    tree: Arc<Mutex<Tree>>,
    misses: Misses,
    watch: Watch,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// By path with the leading `.agents/`.
    pub(crate) files: BTreeMap<String, TapedFile>,
    pub(crate) lists: BTreeMap<String, Result<Vec<EntryEvent>, WorkspaceFaultKind>>,
    pub(crate) writes: BTreeMap<String, VecDeque<WriteEvent>>,
    pub(crate) locks: BTreeMap<String, VecDeque<LockEvent>>,
    /// What is not given is not there: a tree made by hand is whole.
    pub(crate) closed: bool,
    /// A lock that the tape does not know was waited for until the run was stopped.
    pub(crate) stopped: bool,
    /// What the run wrote; `None` where it removed.
    own: BTreeMap<String, Option<Arc<[u8]>>>,
    /// Paths of which nothing was known but that they could be removed.
    removals: BTreeSet<String>,
    /// Files and lists that the run asked for.
    asked: BTreeSet<Asked>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    File(String),
    List(String),
}

/// A path after the run: what it holds now and what it held before.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// `None`: a file, and it is not known which.
    pub(crate) before: Option<TapedFile>,
    /// `None`: removed.
    pub(crate) after: Option<Arc<[u8]>>,
}

impl TapedWorkspace {
    pub(crate) fn new(tree: Tree, misses: Misses, watch: Watch) -> Self {
        Self { tree: Arc::new(Mutex::new(tree)), misses, watch }
    }

    fn miss(&self, miss: Miss) -> WorkspaceFault {
        self.misses.note(miss);
        WorkspaceFault::new(WorkspaceFaultKind::NotFound)
    }

    /// What was given and not asked for.
    pub(crate) fn unused(&self) -> Vec<Unused> {
        let tree = lock(&self.tree);
        let files = tree.files.keys().filter(|path| !tree.asked.contains(&Asked::file(path)));
        let lists = tree.lists.keys().filter(|path| !tree.asked.contains(&Asked::list(path)));
        let refused =
            |events: &VecDeque<WriteEvent>| events.iter().any(|event| event.error.is_some());
        let writes = tree.writes.iter().filter(|(_, events)| refused(events));
        let locks = tree.locks.iter().filter(|(_, events)| !events.is_empty());
        files
            .map(|path| Unused::File(path.clone()))
            .chain(lists.map(|path| Unused::List(path.clone())))
            .chain(writes.map(|(path, events)| Unused::Writes(path.clone(), events.len())))
            .chain(locks.map(|(name, events)| Unused::Locks(name.clone(), events.len())))
            .collect()
    }

    /// Paths that were removed since the tape says that they could be.
    pub(crate) fn removals(&self) -> BTreeSet<String> {
        lock(&self.tree).removals.clone()
    }

    /// What the run wrote and removed, by path.
    pub(crate) fn written(&self) -> BTreeMap<String, Written> {
        let mut tree = lock(&self.tree);
        let own = mem::take(&mut tree.own);
        let written = own.into_iter().map(|(path, after)| {
            let absent = || TapedFile::Fault(WorkspaceFaultKind::NotFound);
            let known = tree.files.get(&path).cloned();
            let before = known.or_else(|| tree.closed.then(absent));
            (path, Written { before, after })
        });
        written.collect()
    }
}

impl Asked {
    fn file(path: &str) -> Self {
        Self::File(path.to_owned())
    }

    fn list(path: &str) -> Self {
        Self::List(path.to_owned())
    }
}

impl Tree {
    /// Nothing yet; what it comes to know is all that may be asked for.
    pub(crate) fn as_read(stopped: bool) -> Self {
        Self { stopped, ..Self::default() }
    }

    /// Writes that say nothing: none of the path was refused, and no removal needs to know that
    /// there was something.
    pub(crate) fn needless_writes(&self, removals: &BTreeSet<String>) -> Vec<Unused> {
        let is_needless = |(path, events): &(&String, &VecDeque<WriteEvent>)| {
            events.iter().all(|event| event.error.is_none()) && !removals.contains(*path)
        };
        self.writes
            .iter()
            .filter(is_needless)
            .map(|(path, events)| Unused::Writes(path.clone(), events.len()))
            .collect()
    }

    /// The refusal that comes next for a path, at this stage.
    fn refusal(&mut self, path: &str, at_commit: bool) -> Option<WorkspaceFaultKind> {
        let events = self.writes.get_mut(path)?;
        let next = events.front()?;
        let kind = next.error.as_deref().map(WorkspaceFaultKind::from_name);
        match kind {
            Some(_) if (next.at_commit == Some(true)) != at_commit => None,
            None if !at_commit => None,
            kind => {
                events.pop_front();
                kind
            }
        }
    }

    /// Whether the run wrote anything below that directory.
    fn made(&self, directory: &str) -> bool {
        self.own.keys().any(|own| below(own, directory).is_some())
    }

    /// What stood at a path before the run.
    fn given(&mut self, path: &str) -> Option<TapedFile> {
        self.asked.insert(Asked::file(path));
        match self.files.get(path) {
            None if self.closed => Some(TapedFile::Fault(match self.is_directory(path) {
                true => WorkspaceFaultKind::Directory,
                false => WorkspaceFaultKind::NotFound,
            })),
            known => known.cloned(),
        }
    }

    /// The entries of a directory before the run.
    fn listed(&mut self, path: &str) -> Option<Result<Vec<EntryEvent>, WorkspaceFaultKind>> {
        self.asked.insert(Asked::list(path));
        match self.lists.get(path) {
            None if self.closed => Some(match self.is_directory(path) {
                true => Ok(self.entries(path)),
                false => Err(WorkspaceFaultKind::NotFound),
            }),
            known => known.cloned(),
        }
    }

    /// In a closed tree a directory is what has something below it; the root always is one.
    fn is_directory(&self, path: &str) -> bool {
        path == ROOT || self.files.keys().any(|file| below(file, path).is_some())
    }

    /// What a closed tree has in a directory. The files count as asked for.
    fn entries(&mut self, directory: &str) -> Vec<EntryEvent> {
        let mut entries: BTreeMap<String, &str> = BTreeMap::new();
        for (path, held) in &self.files {
            let Some(below) = below(path, directory) else { continue };
            let (name, kind) = match (below.split_once('/'), held) {
                (Some((name, _)), _) => (name, "dir"),
                (None, TapedFile::Fault(WorkspaceFaultKind::NotFound)) => continue,
                (None, TapedFile::Fault(WorkspaceFaultKind::Directory)) => (below, "dir"),
                (None, TapedFile::Fault(WorkspaceFaultKind::Link)) => (below, "link"),
                (None, _) => (below, "file"),
            };
            entries.insert(name.to_owned(), kind);
            self.asked.insert(Asked::file(path));
        }
        let entry = |(name, kind): (String, &str)| EntryEvent { name, kind: kind.to_owned() };
        entries.into_iter().map(entry).collect()
    }

    fn holds(&mut self, path: &str) -> Option<bool> {
        let given = self.given(path);
        if let Some(own) = self.own.get(path) {
            return Some(own.is_some());
        }
        match given? {
            TapedFile::Fault(WorkspaceFaultKind::NotFound) => Some(false),
            TapedFile::Bytes(_) | TapedFile::Unread(_) | TapedFile::Fault(_) => Some(true),
        }
    }
}

/// The workspace itself, as paths are spelled on tapes.
const ROOT: &str = ".agents";

/// The part of a path below a directory.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

impl Workspace for TapedWorkspace {
    fn open(&self, path: &WorkspacePath) -> Result<OpenFile, WorkspaceFault> {
        let path = path.to_string();
        self.watch.asked(|| format!("file `{path}`"));
        let mut tree = lock(&self.tree);
        let opened = |bytes: Arc<[u8]>| OpenFile {
            len: bytes.len() as u64,
            content: Box::new(Cursor::new(bytes)),
        };
        match tree.own.get(&path) {
            Some(Some(own)) => return Ok(opened(own.clone())),
            Some(None) => return Err(WorkspaceFault::new(WorkspaceFaultKind::NotFound)),
            None => {}
        }
        match tree.given(&path) {
            Some(TapedFile::Bytes(bytes)) => Ok(opened(bytes)),
            Some(TapedFile::Unread(len)) => {
                Ok(OpenFile { len, content: Box::new(Cursor::new([])) })
            }
            Some(TapedFile::Fault(kind)) => Err(WorkspaceFault::new(kind)),
            None => Err(self.miss(Miss::File(path))),
        }
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceFault> {
        let path = path.to_string();
        self.watch.asked(|| format!("list of `{path}`"));
        let mut tree = lock(&self.tree);
        let mut entries: BTreeMap<String, EntryKind> = match tree.listed(&path) {
            Some(Ok(entries)) => {
                entries.into_iter().map(|entry| (entry.name, kind(&entry.kind))).collect()
            }
            // The run itself may have made the directory since.
            Some(Err(WorkspaceFaultKind::NotFound)) if tree.made(&path) => BTreeMap::new(),
            Some(Err(fault)) => return Err(WorkspaceFault::new(fault)),
            None => return Err(self.miss(Miss::List(path))),
        };
        for (own, content) in &tree.own {
            let Some(below) = below(own, &path) else { continue };
            match (below.split_once('/'), content) {
                // A directory stays when its last file goes.
                (Some((directory, _)), _) => {
                    entries.insert(directory.to_owned(), EntryKind::Directory);
                }
                (None, Some(_)) => {
                    entries.insert(below.to_owned(), EntryKind::File);
                }
                (None, None) => {
                    entries.remove(below);
                }
            }
        }
        Ok(entries.into_iter().map(|(name, kind)| Entry { name, kind }).collect())
    }

    fn create(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<Box<dyn Draft>, WorkspaceFault> {
        let path = path.to_string();
        self.watch.asked(|| format!("write of `{path}`"));
        let mut tree = lock(&self.tree);
        if let Some(kind) = tree.refusal(&path, false) {
            return Err(WorkspaceFault::new(kind));
        }
        if if_exists == IfExists::Refuse {
            match tree.holds(&path) {
                Some(true) => return Err(WorkspaceFault::new(WorkspaceFaultKind::Exists)),
                Some(false) => {}
                None => self.misses.note(Miss::File(path.clone())),
            }
        }
        let (tree, watch) = (self.tree.clone(), self.watch.clone());
        Ok(Box::new(TapedDraft { tree, watch, path, content: Vec::new() }))
    }

    fn remove(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        let path = path.to_string();
        self.watch.asked(|| format!("removal of `{path}`"));
        let mut tree = lock(&self.tree);
        let known = tree.writes.get(&path).is_some_and(|events| !events.is_empty());
        if let Some(kind) = tree.refusal(&path, false).or_else(|| tree.refusal(&path, true)) {
            return Err(WorkspaceFault::new(kind));
        }
        match tree.holds(&path) {
            Some(false) => Err(WorkspaceFault::new(WorkspaceFaultKind::NotFound)),
            None if !known => Err(self.miss(Miss::Removal(path))),
            held @ (Some(true) | None) => {
                if held.is_none() {
                    tree.removals.insert(path.clone());
                }
                tree.own.insert(path, None);
                Ok(())
            }
        }
    }

    fn try_lock(&self, name: &str) -> Result<Option<Box<dyn Send + Sync>>, WorkspaceFault> {
        self.watch.asked(|| format!("lock `{name}`"));
        let mut tree = lock(&self.tree);
        let (stopped, closed) = (tree.stopped, tree.closed);
        let events = tree.locks.entry(name.to_owned()).or_default();
        match events.front().cloned() {
            Some(LockEvent { error: Some(kind), .. }) => {
                events.pop_front();
                Err(WorkspaceFault::new(WorkspaceFaultKind::from_name(&kind)))
            }
            Some(LockEvent { timeout: Some(true), .. }) => Ok(None),
            Some(_) => {
                events.pop_front();
                Ok(Some(Box::new(())))
            }
            None if stopped => Ok(None),
            None if closed => Ok(Some(Box::new(()))),
            None => {
                self.misses.note(Miss::Lock(name.to_owned()));
                Ok(Some(Box::new(())))
            }
        }
    }

    fn lock_times_out(&self, name: &str) -> bool {
        let mut tree = lock(&self.tree);
        let Some(events) = tree.locks.get_mut(name) else { return false };
        let times_out = events.front().is_some_and(|event| event.timeout == Some(true));
        if times_out {
            events.pop_front();
        }
        times_out
    }
}

fn kind(name: &str) -> EntryKind {
    match name {
        "file" => EntryKind::File,
        "dir" => EntryKind::Directory,
        "link" => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

struct TapedDraft {
    tree: Arc<Mutex<Tree>>,
    watch: Watch,
    path: String,
    content: Vec<u8>,
}

impl Write for TapedDraft {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.content.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for TapedDraft {
    fn commit(self: Box<Self>) -> Result<(), WorkspaceFault> {
        let Self { tree, watch, path, content } = *self;
        watch.asked(|| format!("commit of `{path}`"));
        let mut tree = lock(&tree);
        if let Some(kind) = tree.refusal(&path, true) {
            return Err(WorkspaceFault::new(kind));
        }
        // What stood there makes the difference between a new file and a changed one.
        tree.asked.insert(Asked::file(&path));
        tree.own.insert(path, Some(content.into()));
        Ok(())
    }
}
