//! [`Obstacle`]: why the log cannot be written, as far as the caller of a run may be told.

use std::{fmt, io};

use super::SinkError;

/// Made of known parts, without a host path. It travels as the source of a [`SinkError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Another process holds the lock, longer than this run waits.
    Busy,
    /// Something that the log has not put there lies under one of its names.
    Foreign {
        /// In the audit folder.
        name: String,
        is: &'static str,
    },
    /// Behind the last record lies more than can be read while others wait.
    Torn {
        /// In the audit folder.
        name: String,
    },
}

impl Obstacle {
    /// What stood in the way, where that is known.
    pub(crate) fn of(error: &SinkError) -> Option<&Self> {
        error.source.as_ref()?.get_ref()?.downcast_ref()
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Busy => {
                "another process holds the log's lock: try again; where that lasts, see which one it is"
            }
            Self::Foreign { .. } => {
                "the log follows no link and writes to regular files alone: see who put it there, and remove it"
            }
            Self::Torn { .. } => {
                "what lies there is no record and of no use: see who put it there, and cut it off behind the last line that is one"
            }
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => formatter.write_str("another process holds its lock"),
            Self::Foreign { name, is } => write!(formatter, "`{name}` in the audit folder is {is}"),
            Self::Torn { name } => {
                write!(formatter, "`{name}` in the audit folder ends in too much that is no record")
            }
        }
    }
}

impl std::error::Error for Obstacle {}

impl From<Obstacle> for io::Error {
    fn from(obstacle: Obstacle) -> Self {
        Self::other(obstacle)
    }
}
