//! The workspace through the door: capabilities, limits and the tape around [`Workspace`].
//!
//! [`Workspace`]: crate::workspace::Workspace

use std::{
    fmt,
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    sync::atomic::Ordering,
};

use sha2::{Digest, Sha256};

use super::{Context, RunState, denied, not_declared, recorder::FileContent};
use crate::{
    ErrorCode, Failure,
    audit::{EntryEvent, Event, ListEvent, WriteEvent},
    hex::hex,
    workspace::{
        Draft, Entry, EntryKind, IfExists, ReadSeek, WorkspaceFault, WorkspaceFaultKind,
        WorkspacePath,
    },
};

/// The files a command may touch, by path below `.agents/`.
#[derive(Clone, Debug)]
pub struct Files {
    door: Context,
}

impl Files {
    pub(super) fn new(door: Context) -> Self {
        Self { door }
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// `NotFound`, `WorkspaceError`, `PathEscapesAgentsRoot` (a link on the way), `LimitExceeded`
    /// (`file`), `CapabilityNotDeclared`, `CapabilityDenied`.
    pub fn open(&self, path: &WorkspacePath) -> Result<FileReader, Failure> {
        let run = &*self.door.run;
        self.may_read()?;
        run.effect(|| {
            let mut file = run.seams.workspace.open(path).map_err(|fault| {
                run.record(|at_ms, recorder| recorder.file(at_ms, path, FileContent::of(&fault)));
                failure(path, "read", &fault)
            })?;
            let max = run.limits.file_bytes;
            if file.len > max {
                run.record(|at_ms, recorder| {
                    recorder.file(at_ms, path, FileContent::Unread(file.len));
                });
                return Err(Failure::limit_exceeded(
                    "file",
                    max,
                    format!("`{path}` has {} bytes, more than the {max} allowed", file.len),
                ));
            }
            let mut content: Option<Vec<u8>> = None;
            run.record(|at_ms, recorder| {
                if !recorder.has_room(file.len) {
                    recorder.incomplete("more came in than a tape holds");
                    return;
                }
                // The run gets the very bytes that are on its tape.
                let mut bytes = Vec::new();
                match file.content.by_ref().take(max).read_to_end(&mut bytes) {
                    Ok(_) => {
                        recorder.file(at_ms, path, FileContent::Bytes(&bytes));
                        content = Some(bytes);
                    }
                    Err(_) => recorder.incomplete("a file could not be read to its end"),
                }
            });
            Ok(match content {
                Some(bytes) => {
                    FileReader { len: bytes.len() as u64, content: Box::new(Cursor::new(bytes)) }
                }
                None => {
                    file.content.rewind().map_err(|error| failure(path, "read", &error.into()))?;
                    FileReader { len: file.len, content: file.content }
                }
            })
        })
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(&self, path: &WorkspacePath) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.open(path)?
            .read_to_end(&mut bytes)
            .map_err(|error| failure(path, "read", &error.into()))?;
        Ok(bytes)
    }

    /// Lists a directory, sorted by name.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, Failure> {
        let run = &*self.door.run;
        self.may_read()?;
        run.effect(|| {
            let listed = run.seams.workspace.list(path);
            run.record(|at_ms, recorder| {
                let mut list = ListEvent { path: path.to_string(), ..ListEvent::default() };
                match &listed {
                    Ok(entries) => list.entries = Some(entries.iter().map(entry).collect()),
                    Err(fault) => list.error = Some(fault.kind.name().to_owned()),
                }
                recorder.list(at_ms, path, list);
            });
            listed.map_err(|fault| failure(path, "list", &fault))
        })
    }

    /// Writes a whole file, at once or not at all.
    ///
    /// # Errors
    /// `WorkspaceError`, `PathEscapesAgentsRoot` (a link on the way), `LimitExceeded`
    /// (`written`), `CapabilityNotDeclared`, `CapabilityDenied`.
    pub fn write(&self, path: &WorkspacePath, content: &[u8]) -> Result<Written, Failure> {
        let mut writer = self.create(path)?;
        writer.append(content)?;
        writer.commit()
    }

    /// Starts a new content for a file. Until [`FileWriter::commit`] the old one stands.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn create(&self, path: &WorkspacePath) -> Result<FileWriter, Failure> {
        self.may_write()?;
        let run = &*self.door.run;
        run.effect(|| {
            self.start(path, IfExists::Replace).map_err(|fault| failure(path, "write", &fault))
        })
    }

    /// Removes a file.
    ///
    /// # Errors
    /// `NotFound` and as [`write`](Self::write).
    pub fn remove(&self, path: &WorkspacePath) -> Result<(), Failure> {
        self.may_write()?;
        let run = &*self.door.run;
        run.effect(|| {
            let removed = run.seams.workspace.remove(path);
            run.record_write(path, removed.as_ref().err().map(|fault| fault.kind), false, None);
            removed.map_err(|fault| failure(path, "remove", &fault))
        })
    }

    /// Starts a new content; a refusal is on the tape.
    pub(crate) fn start(
        &self,
        path: &WorkspacePath,
        if_exists: IfExists,
    ) -> Result<FileWriter, WorkspaceFault> {
        let run = &*self.door.run;
        run.record(|_, recorder| recorder.touch(path));
        match run.seams.workspace.create(path, if_exists) {
            Ok(draft) => {
                // That nothing was there came in, whether or not the content is committed.
                if if_exists == IfExists::Refuse {
                    run.record(|at_ms, recorder| recorder.file(at_ms, path, FileContent::Absent));
                }
                Ok(FileWriter {
                    door: self.door.clone(),
                    path: path.clone(),
                    draft,
                    hash: Sha256::new(),
                    bytes: 0,
                    refused: None,
                })
            }
            Err(fault) => {
                run.record_write(path, Some(fault.kind), false, None);
                Err(fault)
            }
        }
    }

    pub(crate) fn may_write(&self) -> Result<(), Failure> {
        if !self.door.run.capabilities.write_files {
            return Err(not_declared("WriteFiles"));
        }
        match self.door.run.seams.policy.write_files {
            true => Ok(()),
            false => Err(denied("WriteFiles", "the host decides whether commands may write")),
        }
    }

    fn may_read(&self) -> Result<(), Failure> {
        if !self.door.run.capabilities.read_files {
            return Err(not_declared("ReadFiles"));
        }
        match self.door.run.seams.policy.read_files {
            true => Ok(()),
            false => Err(denied("ReadFiles", "the host decides whether commands may read")),
        }
    }
}

/// A file open for reading.
pub struct FileReader {
    len: u64,
    content: Box<dyn ReadSeek>,
}

impl FileReader {
    /// Bytes, when it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it was empty when it was opened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read(buffer)
    }
}

impl Seek for FileReader {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.content.seek(position)
    }
}

impl fmt::Debug for FileReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FileReader").field("len", &self.len).finish_non_exhaustive()
    }
}

/// New content on its way to a file. Dropped without [`commit`](Self::commit), it leaves nothing.
pub struct FileWriter {
    door: Context,
    path: WorkspacePath,
    draft: Box<dyn Draft>,
    hash: Sha256,
    bytes: u64,
    /// Why a write was refused: the commit says the same.
    refused: Option<Failure>,
}

impl FileWriter {
    /// Adds bytes.
    ///
    /// # Errors
    /// `WorkspaceError`, `LimitExceeded` (`written`), and the end of the run.
    pub fn append(&mut self, content: &[u8]) -> Result<(), Failure> {
        match self.write_all(content) {
            Ok(()) => Ok(()),
            Err(error) => Err(self
                .refused
                .clone()
                .unwrap_or_else(|| failure(&self.path, "write", &WorkspaceFault::from(error)))),
        }
    }

    /// Puts the whole content in place at once.
    ///
    /// # Errors
    /// `WorkspaceError`, `LimitExceeded` (`written`), and the end of the run. The old file stands.
    pub fn commit(self) -> Result<Written, Failure> {
        let Self { door, path, draft, hash, bytes, refused } = self;
        if let Some(refused) = refused {
            return Err(refused);
        }
        let run = &*door.run;
        run.effect(|| commit(run, path, draft, hash, bytes))
    }

    fn refuse(&mut self, refusal: Failure) -> io::Error {
        let error = io::Error::other(refusal.to_string());
        self.refused.get_or_insert(refusal);
        error
    }
}

/// Keeps a text whole that the envelope cuts; done by the framework after the command's end.
pub(crate) fn keep_whole(door: &Context, path: &WorkspacePath, content: &[u8]) -> Option<Written> {
    let mut writer = Files::new(door.clone()).start(path, IfExists::Replace).ok()?;
    if let Err(error) = writer.draft.write_all(content) {
        door.run.record_write(path, Some(WorkspaceFault::from(error).kind), true, None);
        return None;
    }
    writer.hash.update(content);
    let FileWriter { door, path, draft, hash, .. } = writer;
    commit(&door.run, path, draft, hash, content.len() as u64).ok()
}

fn commit(
    run: &RunState,
    path: WorkspacePath,
    draft: Box<dyn Draft>,
    hash: Sha256,
    bytes: u64,
) -> Result<Written, Failure> {
    match draft.commit() {
        Ok(()) => {
            let sha256 = hex(&hash.finalize());
            run.record_write(&path, None, true, Some(&sha256));
            Ok(Written { path, bytes, sha256 })
        }
        Err(fault) => {
            run.record_write(&path, Some(fault.kind), true, None);
            Err(failure(&path, "write", &fault))
        }
    }
}

impl Write for FileWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if let Some(refused) = &self.refused {
            return Err(io::Error::other(refused.to_string()));
        }
        if self.door.run.is_revoked() {
            let over = self.door.run.over();
            return Err(self.refuse(over));
        }
        let max = self.door.run.limits.written_bytes;
        let length = buffer.len() as u64;
        let before = self.door.run.written_bytes.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > max {
            return Err(self.refuse(Failure::limit_exceeded(
                "written",
                max,
                format!("writing `{}` needs more than the {max} bytes a run may write", self.path),
            )));
        }
        match self.draft.write(buffer) {
            Ok(written) => {
                self.hash.update(buffer.get(..written).unwrap_or_default());
                self.bytes += written as u64;
                Ok(written)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let fault = WorkspaceFault::from(error);
                self.door.run.record_write(&self.path, Some(fault.kind), true, None);
                let refusal = failure(&self.path, "write", &fault);
                Err(self.refuse(refusal))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FileWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A file that is in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub path: WorkspacePath,
    /// Length.
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
}

impl RunState {
    /// What came of a write or removal.
    fn record_write(
        &self,
        path: &WorkspacePath,
        fault: Option<WorkspaceFaultKind>,
        at_commit: bool,
        sha256: Option<&str>,
    ) {
        self.record(|at_ms, recorder| {
            let write = WriteEvent {
                path: path.to_string(),
                ok: fault.is_none().then_some(true),
                error: fault.map(|kind| kind.name().to_owned()),
                at_commit: (fault.is_some() && at_commit).then_some(true),
            };
            recorder.event(Event { at_ms, write: Some(write), ..Event::default() });
            if fault.is_none() {
                recorder.wrote(path, sha256);
            }
        });
    }
}

impl FileContent<'static> {
    fn of(fault: &WorkspaceFault) -> Self {
        match fault.kind {
            WorkspaceFaultKind::NotFound => Self::Absent,
            WorkspaceFaultKind::Directory => Self::Directory,
            WorkspaceFaultKind::Link => Self::Link,
            kind => Self::Error(kind.name()),
        }
    }
}

fn entry(entry: &Entry) -> EntryEvent {
    let kind = match entry.kind {
        EntryKind::File => "file",
        EntryKind::Directory => "dir",
        EntryKind::Link => "link",
        EntryKind::Other => "other",
    };
    EntryEvent { name: entry.name.clone(), kind: kind.to_owned() }
}

/// What the caller is told of a fault; the operating system's words stay with the host.
pub(crate) fn failure(path: &WorkspacePath, attempted: &str, fault: &WorkspaceFault) -> Failure {
    tracing::debug!(target: "tapeline::workspace", path = path.as_str(), attempted, ?fault);
    let (code, kind, why) = match fault.kind {
        WorkspaceFaultKind::NotFound => {
            return Failure::new(ErrorCode::NOT_FOUND, format!("`{path}` does not exist"))
                .hint("name a file that is in the workspace")
                .detail("path", path);
        }
        WorkspaceFaultKind::Link => {
            return Failure::new(
                ErrorCode::PATH_ESCAPES_AGENTS_ROOT,
                format!("cannot {attempted} `{path}`: links are not followed"),
            )
            .hint("name the file itself")
            .detail("path", path);
        }
        WorkspaceFaultKind::Exists => {
            return Failure::new(ErrorCode::OUT_EXISTS, format!("`{path}` exists already"))
                .detail("path", path);
        }
        WorkspaceFaultKind::Directory => {
            (ErrorCode::WORKSPACE_ERROR, "not_a_file", "it is a directory")
        }
        WorkspaceFaultKind::NotADirectory => {
            (ErrorCode::WORKSPACE_ERROR, "not_a_file", "a part of its path is no directory")
        }
        WorkspaceFaultKind::NotAFile => {
            (ErrorCode::WORKSPACE_ERROR, "not_a_file", "it is no regular file")
        }
        WorkspaceFaultKind::Full => (ErrorCode::WORKSPACE_ERROR, "full", "no space is left"),
        WorkspaceFaultKind::Permission => {
            (ErrorCode::WORKSPACE_ERROR, "permission", "it is not permitted")
        }
        WorkspaceFaultKind::NameTooLong => {
            (ErrorCode::WORKSPACE_ERROR, "name_too_long", "its name is too long")
        }
        WorkspaceFaultKind::Io => (ErrorCode::WORKSPACE_ERROR, "io", "the storage failed"),
    };
    let hint = match kind {
        "not_a_file" => "name a regular file, below directories that exist or can be made",
        "full" => "free some space, or write less",
        "permission" => "the host decides who may use its workspace; name another file",
        "name_too_long" => "give a shorter name",
        _ => "try again; if it stays so, the host's storage needs a look",
    };
    Failure::new(code, format!("cannot {attempted} `{path}`: {why}"))
        .hint(hint)
        .detail("path", path)
        .detail("kind", kind)
}
