//! [`Place`]: the log that a path means, and which of its files.

use std::path::{Path, PathBuf};

use crate::{Log, LogError};

/// A log, or one file of records.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where blobs are.
    pub(crate) log: Log,
    /// `None`: all that the log has.
    file: Option<PathBuf>,
}

impl Place {
    /// The directory of a log or its `runs/`, a root with one in `audit/`, or a file of records. A file of a log
    /// has the blobs of that log, any other those in `blobs/` beside it.
    ///
    /// # Errors
    /// There is no log, or none that this build reads.
    pub(crate) fn find(path: &Path) -> Result<Self, LogError> {
        if path.is_file() {
            let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let folder = file.parent().unwrap_or(Path::new("/"));
            let log = match folder.parent() {
                Some(audit) if folder.ends_with("runs") => Log::open(audit)?,
                _ => Log::beside(folder),
            };
            return Ok(Self { log, file: Some(file) });
        }
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let above = whole.parent().filter(|above| above.join("format").exists());
        if let Some(audit) = above.filter(|_| whole.ends_with("runs")) {
            return Ok(Self { log: Log::open(audit)?, file: None });
        }
        let below = path.join("audit");
        let is_root = below.is_dir() && !path.join("format").exists();
        let log = Log::open(if is_root { &below } else { path })?;
        Ok(Self { log, file: None })
    }

    /// The files in which a record can lie that began on that day or later, oldest first.
    ///
    /// # Errors
    /// They cannot be listed.
    pub(crate) fn files(&self, since_day: Option<&str>) -> Result<Vec<PathBuf>, LogError> {
        if let Some(file) = &self.file {
            return Ok(vec![file.clone()]);
        }
        // A record goes to a file of the day it began on, or of a later one.
        let files = self.log.files()?.into_iter();
        let files = files.filter(|file| since_day.is_none_or(|day| file.day() >= day));
        Ok(files.map(|file| file.path(self.log.dir())).collect())
    }
}
