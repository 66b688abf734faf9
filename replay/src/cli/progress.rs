//! [`Progress`]: how far it is, on a terminal's stderr.

use std::{
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicUsize, Ordering},
};

/// How far it is, on a terminal's stderr.
pub(super) struct Progress {
    of: usize,
    done: AtomicUsize,
    shown: bool,
}

impl Progress {
    pub(super) fn new(of: usize) -> Self {
        Self { of, done: AtomicUsize::new(0), shown: io::stderr().is_terminal() }
    }

    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown {
            self.show(&format!("{done}/{} cases", self.of));
        }
    }

    /// How far something else than cases is, in words.
    pub(super) fn show(&self, said: &str) {
        if self.shown {
            // A terminal that is gone is no reason to stop.
            let _ = write!(io::stderr(), "\r\u{1b}[K{said}");
        }
    }

    pub(super) fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
