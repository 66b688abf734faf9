//! Time and ids as they were.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tapeline::{Clock, Ids, RunClock, Script, async_trait};

/// Stands where the last answer from the tape put it; delays cost no real time.
#[derive(Clone, Debug)]
pub(crate) struct TapedClock {
    pub(crate) started_ms: i64,
    pub(crate) duration_ms: u64,
    pub(crate) script: Script,
    /// Shared with whoever serves answers.
    pub(crate) at_ms: Arc<AtomicU64>,
    /// How often it was slept.
    pub(crate) sleeps: Arc<AtomicU64>,
}

impl Clock for TapedClock {
    fn start(&self) -> Box<dyn RunClock> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl RunClock for TapedClock {
    fn started_ms(&self) -> i64 {
        self.started_ms
    }

    fn event_ms(&self) -> u64 {
        self.at_ms.load(Ordering::Relaxed)
    }

    fn duration_ms(&self) -> u64 {
        self.duration_ms
    }

    async fn sleep(&self, _duration: Duration) {
        self.sleeps.fetch_add(1, Ordering::Relaxed);
    }

    fn script(&self) -> Option<Script> {
        Some(self.script)
    }
}

/// The ids of the run that was recorded.
#[derive(Clone, Debug)]
pub(crate) struct FixedIds {
    pub(crate) run_id: String,
    pub(crate) seed: u64,
}

impl Ids for FixedIds {
    fn run_id(&self, _started_ms: i64) -> String {
        self.run_id.clone()
    }

    fn seed(&self) -> u64 {
        self.seed
    }
}
