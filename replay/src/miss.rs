//! [`Miss`]: what a run asked for and its tape does not hold.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use crate::taped::lock;

/// One thing that was asked for in vain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Miss {
    /// An answer to a request: nothing of that method and URL is left.
    Answer {
        /// Upper-case.
        method: String,
        /// Normalised, scrubbed.
        url: String,
    },
    /// An approver's answer to that action.
    Approval(String),
    /// What the path holds, with the leading `.agents/`.
    File(String),
    /// The entries of that directory.
    List(String),
    /// Whether there is something to remove.
    Removal(String),
    /// Whether the lock of that name is had.
    Lock(String),
}

impl fmt::Display for Miss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { method, url } => write!(formatter, "answer to {method} {url}"),
            Self::Approval(action) => write!(formatter, "approval to {action}"),
            Self::File(path) => write!(formatter, "file `{path}`"),
            Self::List(path) => write!(formatter, "list of `{path}`"),
            Self::Removal(path) => write!(formatter, "removal of `{path}`"),
            Self::Lock(name) => write!(formatter, "lock `{name}`"),
        }
    }
}

/// What a run asked for in vain, in order. Noted beside the run: a command that swallows the error
/// fails its replay all the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Misses(Arc<Mutex<Vec<Miss>>>);

impl Misses {
    pub(crate) fn note(&self, miss: Miss) {
        lock(&self.0).push(miss);
    }

    pub(crate) fn take(&self) -> Vec<Miss> {
        std::mem::take(&mut lock(&self.0))
    }
}
