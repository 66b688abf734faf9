//! [`Log`]: the records of a log, in order or by name.

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

use tapeline::audit::{FORMAT, Record, RunsFile};

use super::{
    error::{LogError, LogErrorKind},
    lines::{Line, Lines},
    reverse::{LastLines, last_lines, newlines_before},
};

/// The log in a directory. Nothing is kept in memory: each call reads what is there then, and
/// needs no lock, since closed lines never change.
#[derive(Clone, Debug)]
pub struct Log {
    audit: PathBuf,
}

impl Log {
    /// The log in `audit_dir`, `<root>/audit` by custom.
    ///
    /// # Errors
    /// There is no log, or it is written in a format that this build does not read.
    pub fn open(audit_dir: impl Into<PathBuf>) -> Result<Self, LogError> {
        let audit = audit_dir.into();
        let path = audit.join("format");
        let format = match fs::read(&path) {
            Ok(format) => format,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LogError::at(audit, LogErrorKind::Absent));
            }
            Err(error) => return Err(LogError::at(path, LogErrorKind::Io(error))),
        };
        if format != FORMAT.as_bytes() {
            let found = String::from_utf8_lossy(&format).trim_end().chars().take(60).collect();
            return Err(LogError::at(path, LogErrorKind::Format { found }));
        }
        Ok(Self { audit })
    }

    /// Where the log lies.
    pub fn dir(&self) -> &Path {
        &self.audit
    }

    /// Every record, oldest first. A line that is none is an error in its place, and the next item
    /// is that of the next line; a file that cannot be read is one error.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, LogError>> + use<> {
        let (files, failed) = match self.files() {
            Ok(files) => (files, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        let audit = self.audit.clone();
        let lines = files.into_iter().flat_map(move |file| Lines::open(file.path(&audit)));
        failed.into_iter().chain(lines.map(|line| line?.record()))
    }

    /// The last `count` lines, oldest first, read as [`records`](Self::records) does.
    ///
    /// # Errors
    /// The files cannot be listed.
    pub fn tail(&self, count: usize) -> Result<Vec<Result<Record, LogError>>, LogError> {
        let mut parts = VecDeque::new();
        let mut missing = count;
        for file in self.files()?.iter().rev() {
            if missing == 0 {
                break;
            }
            let path = file.path(&self.audit);
            // What cannot be read is an error in its place, as it is in `records`.
            let last = last_lines(&path, missing).unwrap_or(LastLines { offset: 0, count: 0 });
            missing = missing.saturating_sub(last.count.max(1));
            parts.push_front((path, last.offset));
        }
        let lines = parts.into_iter().flat_map(|(path, offset)| {
            let lines = Lines::open_from(path.clone(), offset);
            lines.map(move |line| {
                line.and_then(Line::record).map_err(|error| numbered(error, &path, offset))
            })
        });
        Ok(lines.collect())
    }

    pub(super) fn files(&self) -> Result<Vec<RunsFile>, LogError> {
        RunsFile::list(&self.audit)
            .map_err(|error| LogError::at(self.audit.join("runs"), LogErrorKind::Io(error)))
    }
}

/// Lines that are read from the middle on are numbered from there; the rest is counted once a
/// number is needed.
fn numbered(mut error: LogError, path: &Path, offset: u64) -> LogError {
    if let Some(line) = &mut error.line {
        *line += newlines_before(path, offset).unwrap_or(0);
    }
    error
}
