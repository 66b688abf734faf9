//! The runtime context every poll happens in: one thread for timers and sockets, started with the
//! first run, shared by all terminals of the process.
//!
//! The host's runtime is never relied on: it may be another one, lack timers, or be none. A run is
//! polled wherever the host polls it; only its timers, sockets and name look-ups live here.

use std::{
    future::Future,
    io,
    pin::pin,
    sync::{Arc, Condvar, Mutex, OnceLock, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread,
};

use tokio::runtime::{Builder, Handle};

use crate::door::lock;

/// The handle to enter before a poll.
pub(crate) fn handle() -> io::Result<&'static Handle> {
    static HANDLE: OnceLock<Handle> = OnceLock::new();
    if let Some(handle) = HANDLE.get() {
        return Ok(handle);
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    // Two first runs at once may build two; the loser's thread ends with its runtime.
    let (won, wait) = std::sync::mpsc::channel();
    thread::Builder::new().name("tapeline".to_owned()).spawn(move || {
        if wait.recv().unwrap_or(false) {
            runtime.block_on(std::future::pending::<()>());
        }
    })?;
    let _ = won.send(HANDLE.set(handle).is_ok());
    HANDLE.get().ok_or_else(|| io::Error::other("the runtime thread did not start"))
}

/// Polls to the end on this thread, asleep in between; works inside any runtime and outside.
///
/// Not by parking: an executor around us may park this very thread, and its wake-up would be ours.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    #[derive(Default)]
    struct Bell {
        rung: Mutex<bool>,
        changed: Condvar,
    }
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            *lock(&self.rung) = true;
            self.changed.notify_one();
        }
    }
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(bell.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        let mut rung = lock(&bell.rung);
        while !*rung {
            rung = bell.changed.wait(rung).unwrap_or_else(PoisonError::into_inner);
        }
        *rung = false;
    }
}
