//! [`Recorder`]: what comes in through the door, on its way to the tape.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::{
    audit::{Content, Event, FileEvent},
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
    listed: BTreeSet<WorkspacePath>,
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
        self.own.insert(path.clone(), sha256.map(str::to_owned));
    }

    /// Whether a directory is listed for the first time.
    pub(crate) fn lists_first(&mut self, path: &WorkspacePath) -> bool {
        self.listed.insert(path.clone())
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
