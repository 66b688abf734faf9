//! [`Clock`]: the only place where wall time is read.
//!
//! A command's clock stands still between things that come in (see [`RunTime`](crate::RunTime));
//! what is read here decides deadlines, `duration_ms` and the `at_ms` of events, all of which are
//! on the tape. A replay hands in a clock that answers from there.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;

use crate::stop::Stop;

/// Gives each run its own clock.
pub trait Clock: Send + Sync {
    /// Starts the clock of one run.
    fn start(&self) -> Box<dyn RunClock>;
}

/// The clock of one run.
#[async_trait]
pub trait RunClock: Send + Sync {
    /// When the run started: milliseconds since the Unix epoch.
    fn started_ms(&self) -> i64;

    /// Milliseconds since the start, when something from outside has just come in.
    fn event_ms(&self) -> u64;

    /// Milliseconds since the start, when the run has just ended.
    fn duration_ms(&self) -> u64;

    /// Waits so long.
    async fn sleep(&self, duration: Duration);

    /// Where a replayed run is to be stopped; `None` for a run that goes by real time.
    fn script(&self) -> Option<Script>;
}

/// How a run that does not go by real time ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// By itself: no deadline applies.
    Returns,
    /// As if its time were over.
    TimesOut(StopAt),
    /// As if it were cancelled.
    IsCancelled(StopAt),
}

/// Where a run that does not go by real time is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// Before the command is entered.
    Beginning,
    /// At the first wait after so many `http` and `approval` events and sleeps.
    AfterEvents(u64),
}

impl Script {
    /// The stop that is due after so many events; `None` before the command is entered.
    pub(crate) fn due(self, events: Option<u64>) -> Option<Stop> {
        let (at, stop) = match self {
            Self::Returns => return None,
            Self::TimesOut(at) => (at, Stop::Timeout),
            Self::IsCancelled(at) => (at, Stop::Cancel),
        };
        let is_due = match (at, events) {
            (StopAt::Beginning, _) => true,
            (StopAt::AfterEvents(after), Some(events)) => events >= after,
            (StopAt::AfterEvents(_), None) => false,
        };
        is_due.then_some(stop)
    }
}

/// The time now as file systems have it, to be compared with theirs.
#[expect(clippy::disallowed_methods, reason = "no run sees it")]
pub(crate) fn file_time() -> SystemTime {
    SystemTime::now()
}

/// Whether that was over an hour ago, by the clock that file systems go by.
pub(crate) fn is_over_an_hour_ago(time: SystemTime) -> bool {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    file_time().duration_since(time).is_ok_and(|ago| ago > HOUR)
}

/// The system's clock: wall time for the start, monotonic time from there.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    fn start(&self) -> Box<dyn RunClock> {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Box::new(Running {
            started_ms: i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX),
            started: Instant::now(),
        })
    }
}

struct Running {
    started_ms: i64,
    started: Instant,
}

#[async_trait]
impl RunClock for Running {
    fn started_ms(&self) -> i64 {
        self.started_ms
    }

    fn event_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn duration_ms(&self) -> u64 {
        self.event_ms()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    fn script(&self) -> Option<Script> {
        None
    }
}
