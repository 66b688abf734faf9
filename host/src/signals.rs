//! Ctrl-C and SIGTERM: the first cancels the run, the second ends the process.

use std::{future::poll_fn, io, sync::mpsc, task::Poll, thread};

use anyhow::Context as _;
use tapeline::Canceller;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// From here on signals stop this run. Works while the run computes, on a thread of its own.
pub(crate) fn cancel_on_signal(canceller: Canceller) -> anyhow::Result<()> {
    let (ready, wait) = mpsc::channel();
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || listen(&canceller, &ready))
        .context("cannot start the thread that listens for signals")?;
    wait.recv()
        .context("the thread that listens for signals ended")?
        .context("cannot listen for signals")
}

fn listen(canceller: &Canceller, ready: &mpsc::Sender<io::Result<()>>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    runtime.block_on(async {
        let mut signals = match Signals::new() {
            Ok(signals) => signals,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let _ = ready.send(Ok(()));
        signals.next().await;
        canceller.cancel();
        signals.next().await;
        end();
    });
}

#[expect(clippy::exit, reason = "the run did not end when asked, and the person asks again")]
fn end() {
    const CANCELLED: i32 = 130;
    std::process::exit(CANCELLED);
}

#[cfg(unix)]
struct Signals([Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    async fn next(&mut self) {
        poll_fn(|context| {
            let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if came { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
