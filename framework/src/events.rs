//! [`Events`]: what runs are doing, for those who watch.
//!
//! Bounded for each subscriber and never blocking a run: whoever is too slow is told how many
//! events were missed.

use serde::Serialize;
use tokio::sync::broadcast;

use crate::Envelope;

/// One thing that happened. Runs of one terminal interleave; `run_id` tells them apart.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEvent {
    /// A run began.
    Started {
        /// The run.
        run_id: String,
        /// Its line, scrubbed.
        command: String,
    },
    /// A run got further. Coalesced: at most ten a second, and the one that says all is done.
    Progress {
        /// The run.
        run_id: String,
        /// How far.
        progress: Progress,
    },
    /// A run ended.
    Finished {
        /// What was returned.
        envelope: Box<Envelope>,
    },
    /// This subscriber was too slow and missed so many events.
    Lagged(u64),
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, where that is known.
    pub total: Option<u64>,
    /// What a unit is, or what is being done: `pages`, `connecting`.
    pub what: String,
}

/// A subscription, from [`Terminal::events`](crate::Terminal::events) on.
#[derive(Debug)]
pub struct Events(broadcast::Receiver<RunEvent>);

impl Events {
    /// The next event; `None` once the terminal is gone. Needs no runtime.
    pub async fn next(&mut self) -> Option<RunEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(RunEvent::Lagged(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next event that is already there.
    pub fn try_next(&mut self) -> Option<RunEvent> {
        match self.0.try_recv() {
            Ok(event) => Some(event),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(RunEvent::Lagged(missed)),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => {
                None
            }
        }
    }

    /// As [`next`](Self::next), on this thread.
    pub fn next_blocking(&mut self) -> Option<RunEvent> {
        crate::runtime::block_on(self.next())
    }
}

/// Where a terminal's events come from.
#[derive(Debug)]
pub(crate) struct Publisher(broadcast::Sender<RunEvent>);

impl Publisher {
    const KEPT_FOR_EACH: usize = 256;

    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(Self::KEPT_FOR_EACH))
    }

    pub(crate) fn subscribe(&self) -> Events {
        Events(self.0.subscribe())
    }

    /// Makes the event only when somebody watches.
    pub(crate) fn publish(&self, event: impl FnOnce() -> RunEvent) {
        if self.0.receiver_count() > 0 {
            let _ = self.0.send(event());
        }
    }
}
