//! [`Runs`]: appending to `audit/runs/`.

use std::{
    fs::File,
    io::{self, Write as _},
    path::PathBuf,
    time::Duration,
};

use super::{lock::Held, tail::Tail};
use crate::audit::{Record, RunsFile, SinkError, layout::day_of};

/// The files of the log, as far as this process remembers them.
#[derive(Debug)]
pub(super) struct Runs {
    audit: PathBuf,
    max_file_bytes: u64,
    look_apart: Duration,
    files_begun: u64,
    tail: Option<Tail>,
    line: Vec<u8>,
}

/// Where the log stands: its newest file and the last `seq`.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) file: Option<RunsFile>,
    pub(super) seq: u64,
}

impl Runs {
    pub(super) fn new(audit: PathBuf, max_file_bytes: u64, look_apart: Duration) -> Self {
        Self { audit, max_file_bytes, look_apart, files_begun: 0, tail: None, line: Vec::new() }
    }

    /// Appends one line, with one write; the caller has the lock.
    pub(super) fn append(&mut self, held: &mut Held, record: &mut Record) -> Result<(), SinkError> {
        self.look(held)?;
        // Taken out, so that after any error the next append looks at the files again.
        let mut tail = self.tail.take();
        let head = tail.as_ref().map(|tail| tail.head).unwrap_or_default();
        let head = head.chain(record, &mut self.line)?;

        if let Some(file) = self.file_to_begin(tail.as_ref(), &record.timestamp) {
            let attempted = format!("begin the file `{}`", file.path(&self.audit).display());
            let before = tail.map(|tail| tail.head).unwrap_or_default();
            tail = held
                .begin_file()
                .and_then(|()| Tail::create(&self.audit, file, before, self.look_apart))
                .map(Some)
                .map_err(|error| SinkError::new(attempted, error))?;
            self.files_begun = held.files_begun();
        }
        let Some(mut tail) = tail else {
            return Err(SinkError::refused(format!(
                "append run `{}`: no file for its day",
                record.run_id
            )));
        };

        let attempted = |error| {
            SinkError::new(
                format!("append run `{}` to `{}`", record.run_id, tail.watched.path.display()),
                error,
            )
        };
        if tail.torn {
            write_once(&tail.handle, b"\n").map_err(attempted)?;
            tail.length += 1;
        }
        tail.length += write_once(&tail.handle, &self.line).map_err(attempted)?;
        (tail.torn, tail.head) = (false, head);
        self.tail = Some(tail);
        Ok(())
    }

    /// Where the log stands; the caller has the lock.
    pub(super) fn standing(&mut self, held: &Held) -> Result<Standing, SinkError> {
        self.look(held)?;
        Ok(self.remembered_standing())
    }

    /// Where the log stood after the last append of this process.
    pub(super) fn remembered_standing(&self) -> Standing {
        let tail = self.tail.as_ref();
        Standing {
            file: tail.map(|tail| tail.file.clone()),
            seq: tail.map_or(0, |tail| tail.head.seq),
        }
    }

    /// Whether no file was begun by somebody else.
    pub(super) fn knows_all_files(&self, held: &Held) -> bool {
        self.files_begun == held.files_begun()
    }

    fn look(&mut self, held: &Held) -> Result<(), SinkError> {
        let looked = self.look_at_files(held);
        if looked.is_err() {
            self.tail = None;
        }
        looked.map_err(|error| {
            SinkError::new(
                format!("find the end of the log in `{}`", RunsFile::dir(&self.audit).display()),
                error,
            )
        })
    }

    fn look_at_files(&mut self, held: &Held) -> io::Result<()> {
        if self.knows_all_files(held)
            && let Some(tail) = &mut self.tail
            && let Some(length) = tail.watched.length(&tail.handle)?
            && (length == tail.length || tail.read_again()?)
        {
            return Ok(());
        }
        self.tail = Tail::find(&self.audit, self.look_apart)?;
        self.files_begun = held.files_begun();
        Ok(())
    }

    /// Days only go forward: where the clock steps back, the newest file goes on.
    fn file_to_begin(&self, tail: Option<&Tail>, timestamp: &str) -> Option<RunsFile> {
        let day = day_of(timestamp)?;
        match tail {
            None => Some(RunsFile::first_of(day)),
            Some(tail) if day > tail.file.day() => Some(RunsFile::first_of(day)),
            Some(tail) if tail.length >= self.max_file_bytes => Some(tail.file.following()),
            Some(_) => None,
        }
    }
}

/// One write of all bytes. A part of them is an error: between two writes a reader, or the process
/// that comes after a crash, would find half a line.
pub(super) fn write_once(mut file: &File, bytes: &[u8]) -> io::Result<u64> {
    let written = loop {
        match file.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => break written?,
        }
    };
    if written < bytes.len() {
        let message = format!("{written} of {} bytes were written", bytes.len());
        return Err(io::Error::new(io::ErrorKind::WriteZero, message));
    }
    Ok(u64::try_from(written).unwrap_or(u64::MAX))
}
