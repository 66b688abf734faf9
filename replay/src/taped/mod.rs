//! The seams of a terminal, answered from a tape.
//!
//! Whatever is asked for and not on the tape is noted beside the run (a *miss*), so that a command
//! which swallows the error fails its replay all the same.

mod network;
mod people;
mod time;
mod workspace;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use self::{
    network::{Answer, TapedNetwork, plain},
    people::TapedApprover,
    time::{FixedIds, TapedClock},
    workspace::{TapedFile, TapedWorkspace, Tree},
};

/// What a run asked for in vain, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Misses(Arc<Mutex<Vec<String>>>);

impl Misses {
    pub(crate) fn note(&self, what: String) {
        lock(&self.0).push(what);
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0))
    }
}

/// A panic elsewhere leaves nothing half done here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
