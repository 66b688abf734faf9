//! [`play`]: runs a command again from what came in when it first ran.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use tapeline::{
    Envelope, Registry, Script, Terminal,
    audit::{Kept, MemorySink, Record},
};

use crate::{
    Miss,
    given::{Given, Unused},
    miss::Misses,
    taped::{
        Aftermath, FixedIds, TapedApprover, TapedClock, TapedNetwork, TapedWorkspace, Written,
        watch,
    },
};

/// What came of it.
#[derive(Debug)]
pub(crate) struct Played {
    /// As the log would hold it, with the envelope, and the blobs it refers to.
    pub(crate) record: Record,
    /// By SHA-256.
    pub(crate) blobs: BTreeMap<String, Arc<[u8]>>,
    /// What the run asked for in vain.
    pub(crate) misses: Vec<Miss>,
    /// What it was given and did not ask for.
    pub(crate) unused: Vec<Unused>,
    /// Paths it could remove by the tape's word alone.
    pub(crate) removals: BTreeSet<String>,
    /// What it wrote, by path.
    pub(crate) written: BTreeMap<String, Written>,
    /// As the caller got it, not scrubbed.
    pub(crate) envelope: Envelope,
    /// How many it left; [`record`](Self::record) is the last.
    pub(crate) records: usize,
    /// How often it slept, or waited for a lock.
    pub(crate) sleeps: u64,
    /// What it did once it had answered.
    pub(crate) aftermath: Aftermath,
}

impl Played {
    /// The JSON of a value of the record.
    ///
    /// # Errors
    /// Its blob is not there, in words.
    pub(crate) fn kept(&self, kept: &Kept) -> Result<String, String> {
        match kept.blob() {
            None => Ok(kept.json().to_owned()),
            Some(reference) => self
                .blobs
                .get(&reference.sha256)
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
                .ok_or_else(|| "the replay lost a blob".to_owned()),
        }
    }
}

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotPlayed {
    Stuck,
    Broken(String),
}

/// Real time a replay may take: delays cost none, so only a loop without end needs it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command again, for so long at most. Nothing outside is read, written or reached.
pub(crate) fn play(
    given: Given,
    registry: Arc<Registry>,
    patience: Duration,
) -> Result<Played, NotPlayed> {
    let (send, receive) = mpsc::channel();
    let started = thread::Builder::new().name("replay".to_owned()).spawn(move || {
        let _ = send.send(play_here(given, registry));
    });
    if started.is_err() {
        return Err(NotPlayed::Broken("no thread can be had to replay on".to_owned()));
    }
    receive.recv_timeout(patience).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(NotPlayed::Stuck),
        // The panic of a command is caught where it runs.
        RecvTimeoutError::Disconnected => {
            Err(NotPlayed::Broken("the replay itself panicked on what is given".to_owned()))
        }
    })
}

/// As [`play`], on this thread, which is lost where the run does not end.
pub(crate) fn play_here(given: Given, registry: Arc<Registry>) -> Result<Played, NotPlayed> {
    let Given { request, run_id, started_ms, duration_ms, seed, script, setup, host, .. } = given;
    let misses = Misses::default();
    let (watch, aftermath) = watch();
    let sleeps = Arc::new(AtomicU64::new(0));
    let at_ms = Arc::new(AtomicU64::new(0));
    let network = Arc::new(TapedNetwork::new(
        given.answers,
        at_ms.clone(),
        misses.clone(),
        watch.clone(),
        setup.network.resolves_itself,
        script != Script::Returns,
    ));
    let approver =
        Arc::new(TapedApprover::new(given.approvals, at_ms.clone(), misses.clone(), watch.clone()));
    let workspace = TapedWorkspace::new(given.tree, misses.clone(), watch.clone());
    let sink = MemorySink::default();
    let terminal = Terminal::builder()
        .registry(registry)
        .setup(&setup)
        .http(network.clone())
        .resolver(network.clone())
        .approver(approver.clone())
        .workspace(Arc::new(workspace.clone()))
        .audit(Arc::new(sink.clone()))
        .clock(Arc::new(TapedClock {
            started_ms,
            duration_ms,
            script,
            at_ms,
            sleeps: sleeps.clone(),
        }))
        .ids(Arc::new(FixedIds { run_id, seed }))
        .host(host.name, host.version)
        .build()
        .map_err(|error| NotPlayed::Broken(format!("its set-up is not accepted: {error}")))?;
    let envelope = terminal.start(request).wait();
    watch.end();
    let mut left = sink.records();
    let records = left.len();
    let record =
        left.pop().ok_or_else(|| NotPlayed::Broken("the replay left no record".to_owned()))?;
    let mut unused = network.unused();
    unused.extend(approver.unused());
    unused.extend(workspace.unused());
    unused.sort();
    Ok(Played {
        record,
        blobs: sink.blobs(),
        misses: misses.take(),
        unused,
        removals: workspace.removals(),
        written: workspace.written(),
        envelope,
        records,
        sleeps: sleeps.load(Ordering::Relaxed),
        aftermath,
    })
}
