//! [`Log`]: the records of a log, in order or by name.

use std::{
    collections::VecDeque,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use tapeline::audit::{FORMAT, Record, RunsFile, open_regular};

use super::{
    error::{LogError, LogErrorKind},
    lines::{Line, Lines},
    reverse::{Backwards, newlines_before},
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
        let mut parts = VecDeque::new();
        let mut missing = count;
        for file in self.files()?.iter().rev() {
            if missing == 0 {
                break;
            }
            let path = file.path(&self.audit);
            // What cannot be read is an error in its place, as it is in `records`.
            let offset = match last_lines(&path, missing) {
                Ok((offset, count)) => {
                    missing -= count;
                    offset
                }
                Err(_) => {
                    missing -= 1;
                    0
                }
            };
            parts.push_front((path, offset));
        }
        let lines = parts.into_iter().flat_map(|(path, offset)| {
            let lines = Lines::open_from(path.clone(), offset);
            // They are numbered from where reading began; the rest is counted once a number is
            // needed.
            let mut before = None;
            lines.map(move |line| {
                line.and_then(Line::record).map_err(|mut error| {
                    if let Some(line) = &mut error.line {
                        *line += *before
                            .get_or_insert_with(|| newlines_before(&path, offset).unwrap_or(0));
                    }
                    error
                })
            })
        });
        Ok(lines.collect())
    }

    pub(super) fn files(&self) -> Result<Vec<RunsFile>, LogError> {
        RunsFile::list(&self.audit)
            .map_err(|error| LogError::at(self.audit.join("runs"), LogErrorKind::Io(error)))
    }
}

/// Where the last `wanted` lines that are not torn begin, and how many there are; where there are
/// fewer, the beginning of the file.
fn last_lines(path: &Path, wanted: usize) -> io::Result<(u64, usize)> {
    let mut lines = Backwards::open(path)?;
    let mut bytes = Vec::new();
    let mut count = 0;
    while let Some(span) = lines.next()? {
        // The end of a file may be being written, whatever it holds.
        let is_torn = lines.is_torn(span, &mut bytes)?
            || (!span.ends && span.is_short() && serde_json::from_slice::<Record>(&bytes).is_err());
        count += usize::from(!is_torn);
        if count == wanted {
            return Ok((span.offset, count));
        }
    }
    Ok((0, count))
}

/// The bytes of a file that somebody else may have put there.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
