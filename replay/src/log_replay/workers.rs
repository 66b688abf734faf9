//! [`replay_log`]: the records of a stretch of a log, run again on all cores.
//!
//! What comes of them is taken in the order of the log, whichever thread was the faster, so that the
//! outcome is the same each time. No thread takes a line that is more than [`WINDOW`] ahead of the
//! first one that has not come to an end. A thread whose run does not end is left to itself, and
//! another takes its place.

use std::{
    collections::BTreeMap,
    io, mem,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
};

use crate::{
    Kit, Log, LogError,
    log::{Line, Stretch},
    log_replay::{
        Meant, Tally,
        came::{Came, Finding, Run},
    },
    taped::lock,
};

/// Lines that may be under way.
const WINDOW: usize = 1024;
/// Runs that do not end keep their threads busy; with more of them no other would get on.
const MOST_STUCK: u64 = 8;

/// Runs what is meant of a stretch again. `each` hears how many bytes were taken, once a line has
/// come to an end.
///
/// # Errors
/// No thread can be started.
pub(crate) fn replay_log(
    kit: &Kit,
    log: &Log,
    meant: &Meant,
    stretch: Stretch,
    each: &mut dyn FnMut(&Tally, u64),
) -> io::Result<Tally> {
    let (permits, window) = mpsc::sync_channel(WINDOW);
    let (say, hear) = mpsc::channel();
    let shared = Arc::new(Shared {
        kit: kit.clone(),
        log: log.clone(),
        meant: meant.clone(),
        lines: Mutex::new(Ahead { lines: Box::new(stretch.into_lines()), place: 0 }),
        bytes: AtomicU64::new(0),
        permits,
    });
    for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
        start(&shared, &say)?;
    }
    let mut order = Order::new(window);
    while order.end != Some(order.next) {
        match hear.recv_timeout(kit.patience) {
            Ok(Said::Begins(place, run)) => drop(order.running.insert(place, run)),
            Ok(Said::Came(place, came)) => order.came(place, came),
            Ok(Said::End(place)) => order.end = Some(place),
            // Nothing began or ended for so long: what runs has run for as long.
            Err(RecvTimeoutError::Timeout) => {
                for (place, run) in mem::take(&mut order.running) {
                    order.came(place, Came::Run(run, Finding::Stuck));
                    start(&shared, &say)?;
                }
                if order.tally.stuck.count >= MOST_STUCK {
                    order.tally.gave_up = true;
                    break;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        each(&order.tally, shared.bytes.load(Ordering::Relaxed));
    }
    Ok(order.tally)
}

/// What a thread says. Lines are known by their place in the stretch.
enum Said {
    Begins(u64, Run),
    Came(u64, Came),
    /// There are so many lines.
    End(u64),
}

/// What the threads share.
struct Shared {
    kit: Kit,
    log: Log,
    meant: Meant,
    lines: Mutex<Ahead>,
    /// Of the lines that were taken.
    bytes: AtomicU64,
    /// One for each line under way.
    permits: SyncSender<()>,
}

/// The lines that nobody has taken yet.
struct Ahead {
    lines: Box<dyn Iterator<Item = (u64, Result<Line, LogError>)> + Send>,
    place: u64,
}

fn start(shared: &Arc<Shared>, say: &Sender<Said>) -> io::Result<()> {
    let (shared, say) = (shared.clone(), say.clone());
    thread::Builder::new().name("replay".to_owned()).spawn(move || take_turns(&shared, &say))?;
    Ok(())
}

/// Takes line after line; ends where there is none left, or nobody waits for what comes.
fn take_turns(shared: &Shared, say: &Sender<Said>) {
    while shared.permits.send(()).is_ok() {
        let (place, line) = {
            let mut ahead = lock(&shared.lines);
            let Some((bytes, line)) = ahead.lines.next() else {
                let _ = say.send(Said::End(ahead.place));
                return;
            };
            shared.bytes.fetch_add(bytes, Ordering::Relaxed);
            let place = ahead.place;
            ahead.place += 1;
            (place, line)
        };
        let begins = |run: &Run| drop(say.send(Said::Begins(place, run.clone())));
        let came = Came::of(line, &shared.kit, &shared.log, &shared.meant, &begins);
        if say.send(Said::Came(place, came)).is_err() {
            return;
        }
    }
}

/// Puts what came in the order of the log.
struct Order {
    tally: Tally,
    /// The first line that has not come to an end.
    next: u64,
    /// How many there are, once that is known.
    end: Option<u64>,
    /// What came of lines behind that one.
    waiting: BTreeMap<u64, Came>,
    running: BTreeMap<u64, Run>,
    window: Receiver<()>,
}

impl Order {
    fn new(window: Receiver<()>) -> Self {
        let (waiting, running) = (BTreeMap::new(), BTreeMap::new());
        Self { tally: Tally::default(), next: 0, end: None, waiting, running, window }
    }

    fn came(&mut self, place: u64, came: Came) {
        self.running.remove(&place);
        // A run that was given up may come to an end all the same.
        if place < self.next || self.waiting.contains_key(&place) {
            return;
        }
        self.waiting.insert(place, came);
        while let Some(came) = self.waiting.remove(&self.next) {
            self.tally.add(came);
            self.next += 1;
            let _ = self.window.try_recv();
        }
    }
}
