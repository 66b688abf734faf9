//! [`Log`]: the records of a log, in order or by name.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use tapeline::audit::{FORMAT, Record, RunsFile, open_regular};

use super::{
    error::{LogError, LogErrorKind},
    lines::Lines,
    stretch::Stretch,
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
        let format = match read(&path) {
            Ok(format) => format,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(match RunsFile::list(&audit) {
                    Ok(files) if files.is_empty() => LogError::at(audit, LogErrorKind::Absent),
                    _ => LogError::at(path, LogErrorKind::NoFormat),
                });
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

    /// The last `count` lines, oldest first, read as [`records`](Self::records) does. Torn lines
    /// between and behind them come as well and are not counted.
    ///
    /// # Errors
    /// The files cannot be listed.
    pub fn tail(&self, count: usize) -> Result<Vec<Result<Record, LogError>>, LogError> {
        let files: Vec<_> = self.files()?.iter().map(|file| file.path(&self.audit)).collect();
        let last = Stretch::last(&files, count, &|_| true);
        Ok(last.into_lines().map(|(_, line)| line?.record()).collect())
    }

    /// A directory that stands for that of a log, whether or not it is one: for a file that lies
    /// elsewhere.
    pub(crate) fn beside(folder: impl Into<PathBuf>) -> Self {
        Self { audit: folder.into() }
    }

    /// The files of its records, oldest first.
    ///
    /// # Errors
    /// They cannot be listed.
    pub(crate) fn files(&self) -> Result<Vec<RunsFile>, LogError> {
        RunsFile::list(&self.audit)
            .map_err(|error| LogError::at(self.audit.join("runs"), LogErrorKind::Io(error)))
    }
}

/// The bytes of a file that somebody else may have put there.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
