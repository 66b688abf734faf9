//! [`Stop`]: lets whoever drops the server end every connection, stalled ones too.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Knows the open connections. Threads wait in reads and writes alone, which a shutdown of the
/// socket ends, so nothing here polls or needs a time limit.
#[derive(Debug, Default)]
pub(super) struct Stop {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    /// Weak: a connection is closed by its own thread, and a reset needs that close to be the last.
    open: Vec<Weak<TcpStream>>,
}

impl Stop {
    /// Takes a connection in, or says that the server is stopping.
    pub(super) fn admit(&self, stream: &Arc<TcpStream>) -> bool {
        let mut state = self.state();
        if !state.stopped {
            state.open.retain(|open| open.strong_count() > 0);
            state.open.push(Arc::downgrade(stream));
        }
        !state.stopped
    }

    /// Ends all connections; none is admitted from here on.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        for stream in state.open.drain(..).filter_map(|open| open.upgrade()) {
            // Fails where the peer was faster, which is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.state().stopped
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
