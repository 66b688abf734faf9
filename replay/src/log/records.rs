//! [`Log`]: the records of a log, in order or by name.

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use tapeline::audit::{FORMAT, Record, RunsFile};

use super::{
    error::{LogError, LogErrorKind},
    lines::{Line, Lines},
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

    /// The record of a run, by its id or a beginning of it that no other run has, at least 8
    /// characters. Lines that are no records are passed over.
    ///
    /// # Errors
    /// The beginning is shorter or fits several runs, a file cannot be read, or the record is of a
    /// version that this build does not read.
    pub fn find(&self, run_id: &str) -> Result<Option<Record>, LogError> {
        #[derive(Deserialize)]
        struct Named {
            run_id: String,
        }

        if run_id.chars().count() < MIN_PREFIX {
            return Err(LogError::at(
                &self.audit,
                LogErrorKind::ShortPrefix { prefix: run_id.to_owned() },
            ));
        }
        let mut found: Option<(String, Line)> = None;
        for file in self.files()?.iter().rev() {
            for line in Lines::open(file.path(&self.audit)) {
                let line = match line {
                    Ok(line) => line,
                    Err(error) if matches!(error.kind, LogErrorKind::Io(_)) => return Err(error),
                    Err(_) => continue,
                };
                // Most lines are other runs: to look for the text costs less than to parse.
                if !line.json.get().contains(run_id) {
                    continue;
                }
                let Ok(Named { run_id: name }) = serde_json::from_str(line.json.get()) else {
                    continue;
                };
                if name == run_id {
                    return line.record().map(Some);
                }
                if !name.starts_with(run_id) {
                    continue;
                }
                if let Some((other, _)) = found.replace((name.clone(), line))
                    && other != name
                {
                    let kind =
                        LogErrorKind::Ambiguous { prefix: run_id.to_owned(), runs: [other, name] };
                    return Err(LogError::at(&self.audit, kind));
                }
            }
        }
        found.map(|(_, line)| line.record()).transpose()
    }

    /// The last `count` lines, oldest first, read as [`records`](Self::records) does.
    ///
    /// # Errors
    /// The files cannot be listed.
    pub fn tail(&self, count: usize) -> Result<Vec<Result<Record, LogError>>, LogError> {
        let mut tail = VecDeque::new();
        for file in self.files()?.iter().rev() {
            let missing = count - tail.len();
            if missing == 0 {
                break;
            }
            let mut last = VecDeque::new();
            for line in Lines::open(file.path(&self.audit)) {
                if last.len() == missing {
                    last.pop_front();
                }
                last.push_back(line);
            }
            last.append(&mut tail);
            tail = last;
        }
        Ok(tail.into_iter().map(|line| line?.record()).collect())
    }

    fn files(&self) -> Result<Vec<RunsFile>, LogError> {
        RunsFile::list(&self.audit)
            .map_err(|error| LogError::at(self.audit.join("runs"), LogErrorKind::Io(error)))
    }
}

/// As many characters of a run id as still tell runs apart that began minutes from each other.
pub(super) const MIN_PREFIX: usize = 8;
