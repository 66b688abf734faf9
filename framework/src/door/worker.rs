//! Workers: computing on a thread of its own, with a stack of its own, abandoned at the deadline.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    thread,
};

use tokio::sync::oneshot;

use super::Context;
use crate::{ErrorCode, Failure};

impl Context {
    /// Runs `compute` on a thread with a stack of so many bytes and waits for it.
    ///
    /// When the run is stopped the thread is abandoned: its door is revoked, and it ends when it
    /// looks ([`Context::cancelled`]) or is done. Deep recursion belongs here, since a stack
    /// overflow elsewhere takes the host down.
    ///
    /// # Errors
    /// `LimitExceeded` (`workers`) while four abandoned threads still run; `Internal` when
    /// `compute` panics or no thread can be had.
    pub async fn worker<T: Send + 'static>(
        &self,
        stack_bytes: usize,
        compute: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let abandoned = &self.run.seams.abandoned;
        if abandoned.count() >= Abandoned::MOST {
            return Err(Failure::limit_exceeded(
                "workers",
                Abandoned::MOST as u64,
                "earlier runs left workers that still compute",
            )
            .hint("try again later"));
        }
        let (send, receive) = oneshot::channel();
        let fate =
            Arc::new(Fate { state: AtomicU8::new(Fate::COMPUTING), abandoned: abandoned.clone() });
        let door = self.clone();
        let ending = Ending(fate.clone());
        let spawned = thread::Builder::new()
            .name("tapeline-worker".to_owned())
            .stack_size(stack_bytes)
            .spawn(move || {
                let _ending = ending;
                let computed = catch_unwind(AssertUnwindSafe(|| compute(&door)));
                let _ = send.send(computed);
            });
        if spawned.is_err() {
            return Err(Failure::new(ErrorCode::INTERNAL, "no thread can be had for the work"));
        }
        let mut waiting = Waiting { door: self, fate, received: false };
        let received = receive.await;
        waiting.received = true;
        match received {
            Ok(Ok(computed)) => Ok(computed),
            Ok(Err(_)) | Err(_) => {
                Err(Failure::new(ErrorCode::INTERNAL, "the work panicked: a bug in the command"))
            }
        }
    }
}

/// How many abandoned workers still run.
#[derive(Debug, Default)]
pub(crate) struct Abandoned(AtomicUsize);

impl Abandoned {
    const MOST: usize = 4;

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct Fate {
    state: AtomicU8,
    abandoned: Arc<Abandoned>,
}

impl Fate {
    const COMPUTING: u8 = 0;
    const ENDED: u8 = 1;
    const ABANDONED: u8 = 2;
}

/// On the worker's thread: dropped when it ends, however it does.
struct Ending(Arc<Fate>);

impl Drop for Ending {
    fn drop(&mut self) {
        if self.0.state.swap(Fate::ENDED, Ordering::SeqCst) == Fate::ABANDONED {
            self.0.abandoned.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// In the run's future: dropped when the answer is there, or with the run.
struct Waiting<'a> {
    door: &'a Context,
    fate: Arc<Fate>,
    received: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.received {
            return;
        }
        // Counted first, so that the thread that ends in between finds something to take back.
        self.fate.abandoned.0.fetch_add(1, Ordering::SeqCst);
        let left = self.fate.state.compare_exchange(
            Fate::COMPUTING,
            Fate::ABANDONED,
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
        match left {
            Ok(_) => self.door.run.record(|_, recorder| {
                recorder.incomplete("the run was stopped while a worker computed");
            }),
            Err(_) => {
                self.fate.abandoned.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}
