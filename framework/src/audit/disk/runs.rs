//! [`Runs`]: appending to `audit/runs/`.

use std::{
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    commit::Appended,
    file_system::{FileSystem, write_once},
    lock::Held,
    tail::{Patience, Tail},
};
use crate::audit::{Record, RunsFile, SinkError, layout::day_of};

/// The files of the log, as far as this process remembers them.
#[derive(Debug)]
pub(super) struct Runs {
    audit: PathBuf,
    max_file_bytes: u64,
    look_apart: Duration,
    file_system: Arc<dyn FileSystem>,
    files_begun: u64,
    tail: Option<Tail>,
    line: Vec<u8>,
    patience: Patience,
}

/// Where the log stands: its newest file and the last `seq`.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) file: Option<RunsFile>,
    pub(super) seq: u64,
}

impl Runs {
    pub(super) fn new(
        audit: PathBuf,
        max_file_bytes: u64,
        look_apart: Duration,
        file_system: Arc<dyn FileSystem>,
    ) -> Self {
        let (files_begun, tail, line, patience) = (0, None, Vec::new(), Patience::default());
        Self { audit, max_file_bytes, look_apart, file_system, files_begun, tail, line, patience }
    }

    /// How long the end of the log may be looked for, from now on.
    pub(super) fn read_until(&mut self, deadline: Instant) {
        self.patience = Patience::until(deadline);
    }

    /// Appends one line, with one write, and says to which file; the caller has the lock.
    pub(super) fn append(
        &mut self,
        held: &mut Held,
        record: &mut Record,
    ) -> Result<Arc<Appended>, SinkError> {
        self.look(held)?;
        // Taken out, so that after any error the next append looks at the files again.
        let mut tail = self.tail.take();
        let head = tail.as_ref().map(|tail| tail.head).unwrap_or_default();
        let head = head.chain(record, &mut self.line)?;

        if let Some(file) = self.file_to_begin(tail.as_ref(), &record.timestamp) {
            let attempted = format!("begin the file `{}`", file.path(&self.audit).display());
            let file_system = &*self.file_system;
            tail = held
                .begin_file(&self.audit, file_system)
                .and_then(|()| {
                    Tail::create(&self.audit, file, tail.as_ref(), self.look_apart, file_system)
                })
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

        let appended = Arc::clone(&tail.appended);
        let write = |bytes: &[u8]| {
            write_once(&*self.file_system, &appended.path, &appended.file, bytes).map_err(|error| {
                let path = appended.path.display();
                SinkError::new(format!("append run `{}` to `{path}`", record.run_id), error)
            })
        };
        if tail.torn {
            tail.length += write(b"\n")?;
        }
        tail.length += write(&self.line)?;
        (tail.torn, tail.head) = (false, head);
        self.tail = Some(tail);
        Ok(appended)
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
            && let Some(length) = tail.length_in_place()?
            && (length == tail.length || tail.read_again(self.patience)?)
        {
            return Ok(());
        }
        self.tail = Tail::find(&self.audit, self.look_apart, self.patience, &*self.file_system)?;
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
