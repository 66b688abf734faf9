//! The audit log: one JSON line for each run, with everything that came in from outside.
//!
//! [`Record`] and [`Tape`] are the wire types; [`Sink`] is where they go: [`DiskLog`] appends to
//! `audit/runs/`, [`MemorySink`] keeps them. Readers live in `tapeline-replay`, since the log is
//! read by tools, never by a run.

mod anchor;
mod chain;
mod disk;
mod layout;
mod memory;
mod obstacle;
mod record;
mod regular;
mod tape;

use std::{error::Error, fmt, time::Duration};

pub use anchor::Anchor;
pub use disk::{DiskLog, Durability, Pruned, PrunedFile};
pub use layout::{FORMAT, MAX_LINE_BYTES, RunsFile, blob_path};
pub use memory::MemorySink;
pub(crate) use obstacle::Obstacle;
pub use record::{BlobRef, HostVersion, Intent, Kept, Record};
pub use regular::open_regular;
pub use tape::{
    AnswerEvent, ApprovalEvent, Content, End, EntryEvent, Event, FaultEvent, FileEvent, HttpEvent,
    ListEvent, LockEvent, ModelEvent, RequestEvent, StopPoint, Tape, WriteEvent,
};

/// Where runs are written down.
///
/// The terminal calls [`begin`](Sink::begin) before a run has any effect, [`blob`](Sink::blob) for
/// each large value, and [`append`](Sink::append) once, when the run is over.
pub trait Sink: Send + Sync {
    /// Writes the intent. The run does not start if this fails.
    ///
    /// # Errors
    /// The log cannot be written.
    fn begin(&self, intent: &Intent) -> Result<(), SinkError>;

    /// Keeps bytes under their SHA-256 (lower-case hex). Writing the same content again is cheap.
    ///
    /// # Errors
    /// The log cannot be written.
    fn blob(&self, sha256: &str, bytes: &[u8]) -> Result<(), SinkError>;

    /// Gives the record its `seq` and `prev` and appends it, with one write.
    ///
    /// # Errors
    /// The log cannot be written, or its lock was not had within 5 s.
    fn append(&self, record: &mut Record) -> Result<(), SinkError>;

    /// The same log, for calls that wait no longer than that for others who use it. `None`, unless
    /// implemented: each call waits as it always does.
    fn within(&self, _wait: Duration) -> Option<Box<dyn Sink + '_>> {
        None
    }
}

/// Why the log cannot be written. For the host's log: host paths may stand in it.
#[derive(Debug)]
pub struct SinkError {
    /// What was attempted.
    pub attempted: String,
    /// What came of it.
    pub source: Option<std::io::Error>,
}

impl SinkError {
    /// An attempt and its error.
    pub fn new(attempted: impl Into<String>, source: std::io::Error) -> Self {
        Self { attempted: attempted.into(), source: Some(source) }
    }

    /// An attempt that was not made, with its reason.
    pub fn refused(attempted: impl Into<String>) -> Self {
        Self { attempted: attempted.into(), source: None }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot {}", self.attempted)
    }
}

impl Error for SinkError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
