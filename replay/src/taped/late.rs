//! What is asked of the seams once the run is over: nothing, unless something of it was left behind.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::Duration,
};

use super::lock;

/// Shared by the seams of one run, which ask it at each call.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    late: Arc<Mutex<Vec<String>>>,
    /// Goes with the last of the seams.
    _seams: Sender<Infallible>,
}

/// What came after the end of one run.
#[derive(Debug)]
pub(crate) struct Aftermath {
    late: Arc<Mutex<Vec<String>>>,
    seams: Receiver<Infallible>,
}

/// A watch, and what it will have seen.
pub(crate) fn watch() -> (Watch, Aftermath) {
    let late = Arc::<Mutex<Vec<String>>>::default();
    let (sender, seams) = mpsc::channel();
    (Watch { over: Arc::default(), late: late.clone(), _seams: sender }, Aftermath { late, seams })
}

impl Watch {
    /// The run has answered.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Something is asked of the outside.
    pub(super) fn asked(&self, what: impl FnOnce() -> String) {
        if self.over.load(Ordering::SeqCst) {
            lock(&self.late).push(what());
        }
    }
}

impl Aftermath {
    /// Waits until nothing is left that could ask for anything, and gives what was asked for.
    ///
    /// # Errors
    /// Something still has the run's door after so long; and what was asked for until then.
    pub(crate) fn settled(&self, patience: Duration) -> Result<Vec<String>, Vec<String>> {
        let gone = self.seams.recv_timeout(patience);
        let late = lock(&self.late).clone();
        match gone {
            Err(RecvTimeoutError::Disconnected) => Ok(late),
            Err(RecvTimeoutError::Timeout) => Err(late),
            Ok(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_after_the_end_is_known_until_nothing_can_ask_any_more() {
        let (watch, aftermath) = watch();
        let seam = watch.clone();
        seam.asked(|| "before".to_owned());
        watch.end();
        drop(watch);
        seam.asked(|| "late".to_owned());
        assert_eq!(aftermath.settled(Duration::ZERO), Err(vec!["late".to_owned()]));
        drop(seam);
        assert_eq!(aftermath.settled(Duration::ZERO), Ok(vec!["late".to_owned()]));
    }
}
