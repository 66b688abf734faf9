//! [`Recorder`]: what comes in through the door, on its way to the tape.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::{
    audit::{Content, EntryEvent, Event, FileEvent, ListEvent},
    hex::hex,
    workspace::WorkspacePath,
};

/// The events of one run and the bytes they refer to.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    on: bool,
    pub(crate) events: Vec<Event>,
    /// By SHA-256; what is over [`Recorder::INLINE_BYTES`] or no text.
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
    bytes: u64,
    /// Why the tape alone is not enough, once it is not.
    pub(crate) why: Option<String>,
    /// What each path held when it was first read.
    read: HashMap<WorkspacePath, FileEvent>,
    /// Paths the run wrote, with the digest, or removed.
    own: HashMap<WorkspacePath, Option<String>>,
    /// What each directory held when it was first listed.
    listed: HashMap<WorkspacePath, ListEvent>,
    /// Paths the run wrote or began to write, and the directories above them.
    touched: BTreeSet<WorkspacePath>,
}

impl Recorder {
    /// Values up to here stand in the record itself.
    pub(crate) const INLINE_BYTES: usize = 4096;
    /// What a tape holds in all.
    const MOST_BYTES: u64 = 16 << 20;

    pub(crate) fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Whether so many bytes more still fit.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.bytes.saturating_add(bytes) <= Self::MOST_BYTES
    }

    /// The first reason stays.
    pub(crate) fn incomplete(&mut self, why: &str) {
        self.why.get_or_insert_with(|| why.to_owned());
    }

    /// Keeps bytes: in place, as a blob, or, past the end of the tape, their length alone.
    pub(crate) fn content(&mut self, bytes: &[u8]) -> Content {
        let length = bytes.len() as u64;
        if !self.has_room(length) {
            self.incomplete("more came in than a tape holds");
            return Content { bytes: Some(length), ..Content::default() };
        }
        self.bytes += length;
        let content = reference(bytes);
        if let Some(sha256) = &content.blob {
            self.blobs.entry(sha256.clone()).or_insert_with(|| bytes.to_vec());
        }
        content
    }

    /// What a path held. The same again needs no second event; another content than before, or
    /// than the run itself put there, changed under the run.
    pub(crate) fn file(&mut self, at_ms: u64, path: &WorkspacePath, content: FileContent<'_>) {
        if let Some(own) = self.own.get(path) {
            let same = match (&content, own) {
                (FileContent::Bytes(bytes), Some(sha256)) => sha256_hex(bytes) == *sha256,
                (FileContent::Absent, None) => true,
                _ => false,
            };
            if !same {
                self.incomplete("a file changed under the run");
            }
            return;
        }
        let mut file = FileEvent { path: path.to_string(), ..FileEvent::default() };
        let known = self.read.get(path);
        match content {
            FileContent::Bytes(bytes) if known.is_some() => file.blob = Some(reference(bytes)),
            FileContent::Bytes(bytes) => file.blob = Some(self.content(bytes)),
            FileContent::Unread(bytes) => {
                file.blob = Some(Content { bytes: Some(bytes), ..Content::default() });
            }
            FileContent::Absent => file.absent = Some(true),
            FileContent::Directory => file.dir = Some(true),
            FileContent::Link => file.link = Some(true),
            FileContent::Error(kind) => file.error = Some(kind.to_owned()),
        }
        match self.read.get(path) {
            Some(known) if *known == file => {}
            Some(_) => self.incomplete("a file changed under the run"),
            None => {
                self.read.insert(path.clone(), file.clone());
                self.event(Event { at_ms, file: Some(file), ..Event::default() });
            }
        }
    }

    /// The run put this content there (`None`: removed it).
    pub(crate) fn wrote(&mut self, path: &WorkspacePath, sha256: Option<&str>) {
        self.touch(path);
        self.own.insert(path.clone(), sha256.map(str::to_owned));
    }

    /// The run begins to write there, which makes directories.
    pub(crate) fn touch(&mut self, path: &WorkspacePath) {
        let mut next = Some(path.clone());
        while let Some(path) = next {
            next = path.parent();
            self.touched.insert(path);
        }
    }

    /// What a directory held. The same again, but for what the run itself did there, needs no second
    /// event; another content changed under the run.
    pub(crate) fn list(&mut self, at_ms: u64, path: &WorkspacePath, list: ListEvent) {
        let Some(known) = self.listed.get(path) else {
            self.listed.insert(path.clone(), list.clone());
            self.event(Event { at_ms, list: Some(list), ..Event::default() });
            return;
        };
        let same = match (&known.entries, &list.entries) {
            (Some(before), Some(now)) => self.others(path, before).eq(self.others(path, now)),
            _ => known.error == list.error || self.touched.contains(path),
        };
        if !same {
            self.incomplete("a directory changed under the run");
        }
    }

    /// The entries the run had no part in.
    fn others<'a>(
        &'a self,
        path: &'a WorkspacePath,
        entries: &'a [EntryEvent],
    ) -> impl Iterator<Item = &'a EntryEvent> {
        let is_own = |entry: &EntryEvent| {
            path.join(&entry.name).is_ok_and(|entry| self.touched.contains(&entry))
        };
        entries.iter().filter(move |entry| !is_own(entry))
    }
}

/// How bytes stand on a tape, without keeping them.
fn reference(bytes: &[u8]) -> Content {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= Recorder::INLINE_BYTES => {
            Content { text: Some(text.to_owned()), ..Content::default() }
        }
        _ => Content {
            blob: Some(sha256_hex(bytes)),
            bytes: Some(bytes.len() as u64),
            ..Content::default()
        },
    }
}

/// What was found at a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileContent<'a> {
    Bytes(&'a [u8]),
    /// So long, and not read.
    Unread(u64),
    Absent,
    Directory,
    Link,
    Error(&'static str),
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
