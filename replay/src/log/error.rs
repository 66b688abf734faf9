//! [`LogError`]: what cannot be read, where, and why.

use std::{
    io,
    path::{Path, PathBuf},
};

use tapeline::audit::{FORMAT, MAX_LINE_BYTES, Record};
use thiserror::Error;

use super::find::MIN_PREFIX;

/// Why a log, or a line of it, cannot be read.
#[derive(Debug, Error)]
#[error("cannot {} {}", .kind.attempted(), place(.file, *.line))]
pub struct LogError {
    /// The file, or the directory of the log.
    pub file: PathBuf,
    /// From 1, where it is about a line.
    pub line: Option<u64>,
    /// What is wrong there.
    #[source]
    pub kind: LogErrorKind,
}

impl LogError {
    pub(super) fn at(file: impl Into<PathBuf>, kind: LogErrorKind) -> Self {
        Self { file: file.into(), line: None, kind }
    }
}

fn place(file: &Path, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("line {line} of `{}`", file.display()),
        None => format!("`{}`", file.display()),
    }
}

/// What is wrong with a log.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogErrorKind {
    /// No run was ever recorded there, or it is another directory.
    #[error("there is no audit log")]
    Absent,
    /// Somebody removed `format`; there are files of a log.
    #[error(
        "it is not there, and `runs/` holds a log: put the file back, with the line `{}` where a \
         build like this one wrote the log",
        FORMAT.trim_end()
    )]
    NoFormat,
    /// Another build wrote it.
    #[error("its format is `{found}`, this build reads `{}`", FORMAT.trim_end())]
    Format {
        /// The first line of `format`.
        found: String,
    },
    /// The operating system said no.
    #[error("the operating system refused")]
    Io(#[source] io::Error),
    /// A write did not come to its end, or goes on now: the line has no newline, or is the
    /// beginning of a record or zero bytes.
    #[error("the line is torn")]
    Torn,
    /// No writer of ours writes such a line.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// A line is not UTF-8.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// A line is no record, or a value has not the shape it should have.
    #[error("the JSON is not what it should be")]
    Json(#[source] serde_json::Error),
    /// A later build wrote the record.
    #[error("the record has version {v}, this build reads {}", Record::VERSION)]
    Version {
        /// What the record says.
        v: u32,
    },
    /// Any run might be meant.
    #[error("`{prefix}` is too short for a run id: at least {MIN_PREFIX} characters are needed")]
    ShortPrefix {
        /// What was given.
        prefix: String,
    },
    /// More characters are needed.
    #[error(
        "`{prefix}` is the beginning of several run ids, among them `{}` and `{}`: give more of it",
        .runs[0], .runs[1]
    )]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// Two of the runs.
        runs: [String; 2],
    },
    /// Blobs are named by SHA-256 in lower-case hex.
    #[error("`{name}` is not the name of a blob")]
    NoBlobName {
        /// What was given.
        name: String,
    },
    /// Somebody changed the blob.
    #[error("the blob has the SHA-256 `{found}`, not that of its name")]
    BlobChanged {
        /// What its bytes hash to.
        found: String,
    },
}

impl LogErrorKind {
    fn attempted(&self) -> &'static str {
        match self {
            Self::ShortPrefix { .. } | Self::Ambiguous { .. } => "find that run in",
            _ => "read",
        }
    }
}
