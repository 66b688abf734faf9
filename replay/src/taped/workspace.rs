//! The workspace as the run found it, under what the run itself writes.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io::{self, Cursor, Write},
    sync::{Arc, Mutex},
};

use tapeline::{
    WorkspacePath,
    audit::{EntryEvent, LockEvent, WriteEvent},
    workspace::{
        Draft, Entry, EntryKind, IfExists, OpenFile, Workspace, WorkspaceFault, WorkspaceFaultKind,
    },
};

use super::{Misses, lock};

/// What a path held.
#[derive(Clone, Debug)]
pub(crate) enum TapedFile {
    Bytes(Arc<[u8]>),
    /// So long, and never read.
    Unread(u64),
    Fault(WorkspaceFaultKind),
}

/// Files by path from the tape; what it does not know is a miss.
#[derive(Clone, Debug)]
pub(crate) struct TapedWorkspace {
    tree: Arc<Mutex<Tree>>,
    misses: Misses,
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// By path with the leading `.agents/`.
    pub(crate) files: HashMap<String, TapedFile>,
    pub(crate) lists: HashMap<String, Result<Vec<EntryEvent>, WorkspaceFaultKind>>,
    pub(crate) writes: HashMap<String, VecDeque<WriteEvent>>,
    pub(crate) locks: HashMap<String, VecDeque<LockEvent>>,
    /// A lock that the tape does not know was waited for until the run was stopped.
    pub(crate) stopped: bool,
    /// What the run wrote; `None` where it removed.
    pub(crate) own: BTreeMap<String, Option<Vec<u8>>>,
}

impl TapedWorkspace {
    pub(crate) fn new(tree: Tree, misses: Misses) -> Self {
        Self { tree: Arc::new(Mutex::new(tree)), misses }
    }

    fn miss(&self, what: String) -> WorkspaceFault {
        self.misses.note(what);
        WorkspaceFault::new(WorkspaceFaultKind::NotFound)
    }
}

impl Tree {
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
        self.own
            .keys()
            .any(|own| own.strip_prefix(directory).is_some_and(|below| below.starts_with('/')))
    }

    fn holds(&self, path: &str) -> Option<bool> {
        if let Some(own) = self.own.get(path) {
            return Some(own.is_some());
        }
        match self.files.get(path)? {
            TapedFile::Fault(WorkspaceFaultKind::NotFound) => Some(false),
            TapedFile::Bytes(_) | TapedFile::Unread(_) | TapedFile::Fault(_) => Some(true),
        }
    }
}

impl Workspace for TapedWorkspace {
    fn open(&self, path: &WorkspacePath) -> Result<OpenFile, WorkspaceFault> {
        let path = path.to_string();
        let tree = lock(&self.tree);
        let opened = |bytes: Arc<[u8]>| OpenFile {
            len: bytes.len() as u64,
            content: Box::new(Cursor::new(bytes)),
        };
        match tree.own.get(&path) {
            Some(Some(own)) => return Ok(opened(own.as_slice().into())),
            Some(None) => return Err(WorkspaceFault::new(WorkspaceFaultKind::NotFound)),
            None => {}
        }
        match tree.files.get(&path) {
            Some(TapedFile::Bytes(bytes)) => Ok(opened(bytes.clone())),
            Some(TapedFile::Unread(len)) => {
                Ok(OpenFile { len: *len, content: Box::new(Cursor::new([])) })
            }
            Some(TapedFile::Fault(kind)) => Err(WorkspaceFault::new(*kind)),
            None => Err(self.miss(format!("file `{path}`"))),
        }
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceFault> {
        let path = path.to_string();
        let tree = lock(&self.tree);
        let mut entries: BTreeMap<String, EntryKind> = match tree.lists.get(&path) {
            Some(Ok(entries)) => {
                entries.iter().map(|entry| (entry.name.clone(), kind(&entry.kind))).collect()
            }
            // The run itself may have made the directory since.
            Some(Err(WorkspaceFaultKind::NotFound)) if tree.made(&path) => BTreeMap::new(),
            Some(Err(fault)) => return Err(WorkspaceFault::new(*fault)),
            None => return Err(self.miss(format!("list of `{path}`"))),
        };
        for (own, content) in &tree.own {
            let Some(below) = own.strip_prefix(&path).and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
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
        let mut tree = lock(&self.tree);
        if let Some(kind) = tree.refusal(&path, false) {
            return Err(WorkspaceFault::new(kind));
        }
        if if_exists == IfExists::Refuse {
            match tree.holds(&path) {
                Some(true) => return Err(WorkspaceFault::new(WorkspaceFaultKind::Exists)),
                Some(false) => {}
                None => self.misses.note(format!("whether `{path}` exists")),
            }
        }
        Ok(Box::new(TapedDraft { tree: self.tree.clone(), path, content: Vec::new() }))
    }

    fn remove(&self, path: &WorkspacePath) -> Result<(), WorkspaceFault> {
        let path = path.to_string();
        let mut tree = lock(&self.tree);
        let known = tree.writes.get(&path).is_some_and(|events| !events.is_empty());
        if let Some(kind) = tree.refusal(&path, false).or_else(|| tree.refusal(&path, true)) {
            return Err(WorkspaceFault::new(kind));
        }
        match tree.holds(&path) {
            Some(false) => Err(WorkspaceFault::new(WorkspaceFaultKind::NotFound)),
            None if !known => Err(self.miss(format!("removal of `{path}`"))),
            Some(true) | None => {
                tree.own.insert(path, None);
                Ok(())
            }
        }
    }

    fn try_lock(&self, name: &str) -> Result<Option<Box<dyn Send + Sync>>, WorkspaceFault> {
        let mut tree = lock(&self.tree);
        let stopped = tree.stopped;
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
            None => {
                self.misses.note(format!("lock `{name}`"));
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
        let Self { tree, path, content } = *self;
        let mut tree = lock(&tree);
        if let Some(kind) = tree.refusal(&path, true) {
            return Err(WorkspaceFault::new(kind));
        }
        tree.own.insert(path, Some(content));
        Ok(())
    }
}
