//! The run's time: the tape's clock, in production too.

use std::{sync::atomic::Ordering, time::Duration};

use super::Context;

/// What time it is for the run.
///
/// `now` is the start plus the offset of the last thing that came in over the network or from an
/// approver; a sleep adds what was asked. So reading the clock once more changes no replay.
#[derive(Debug)]
pub struct RunTime {
    door: Context,
}

impl RunTime {
    pub(super) fn new(door: Context) -> Self {
        Self { door }
    }

    /// Milliseconds since the Unix epoch.
    pub fn now_ms(&self) -> i64 {
        let offset = self.door.run.offset_ms.load(Ordering::Relaxed);
        self.door.run.clock.started_ms().saturating_add_unsigned(offset)
    }

    /// Waits; in a replay only the clock moves.
    pub async fn sleep(&self, duration: Duration) {
        let run = &self.door.run;
        run.before_wait().await;
        let before = run.offset_ms.load(Ordering::Relaxed);
        run.clock.sleep(duration).await;
        let slept_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        run.after_wait(before.saturating_add(slept_ms));
    }
}
