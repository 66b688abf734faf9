//! [`Canceller`] and the signal behind it: how a run is stopped from outside.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    task::Waker,
};

/// Why a run is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancel,
    Timeout,
}

/// Set once; the first reason stays.
#[derive(Debug, Default)]
pub(crate) struct StopSignal {
    state: AtomicU8,
    waker: Mutex<Option<Waker>>,
}

impl StopSignal {
    const RUNNING: u8 = 0;
    const CANCEL: u8 = 1;
    const TIMEOUT: u8 = 2;

    pub(crate) fn request(&self, stop: Stop) {
        let reason = match stop {
            Stop::Cancel => Self::CANCEL,
            Stop::Timeout => Self::TIMEOUT,
        };
        let first =
            self.state.compare_exchange(Self::RUNNING, reason, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_ok() {
            let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }

    pub(crate) fn requested(&self) -> Option<Stop> {
        match self.state.load(Ordering::SeqCst) {
            Self::CANCEL => Some(Stop::Cancel),
            Self::TIMEOUT => Some(Stop::Timeout),
            _ => None,
        }
    }

    /// Whom to wake when a stop is requested.
    pub(crate) fn register(&self, waker: &Waker) {
        let mut slot = self.waker.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *slot {
            Some(known) => known.clone_from(waker),
            None => *slot = Some(waker.clone()),
        }
    }
}

/// A stop button for one run; pressing it again, or after the end, does nothing.
#[derive(Clone)]
pub struct Canceller(pub(crate) Arc<StopSignal>);

impl Canceller {
    /// Ends the run with `Cancelled`. The envelope comes from the run itself.
    pub fn cancel(&self) {
        self.0.request(Stop::Cancel);
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Canceller").finish()
    }
}
