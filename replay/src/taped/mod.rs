//! The seams of a terminal, answered from a tape.
//!
//! Whatever is asked for and not on the tape is noted beside the run: a [`Miss`](crate::Miss).

mod late;
mod network;
mod people;
mod time;
mod workspace;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use self::{
    late::{Aftermath, Watch, watch},
    network::{Answer, TapedNetwork, plain},
    people::TapedApprover,
    time::{FixedIds, TapedClock},
    workspace::{TapedFile, TapedWorkspace, Tree, Written},
};

/// A panic elsewhere leaves nothing half done here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
