//! The door: [`Context`], a command's only way out.
//!
//! Each getter checks what the command declared and what the policy allows; each effect checks that
//! the run is still on, and what comes in is written to the tape. One file for each way out.

mod approve;
mod files;
mod locks;
mod network;
mod recorder;
mod time;
mod worker;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

pub use files::{FileReader, FileWriter, Files, Written};
pub(crate) use files::{failure as workspace_failure, keep_whole};
pub use locks::Lock;
pub use network::Network;
pub(crate) use recorder::{Recorder, sha256_hex};
pub use time::RunTime;
pub(crate) use worker::Abandoned;

use crate::{
    Artifact, Capabilities, ErrorCode, Failure, Limits, Progress, RunEvent, Spec,
    audit::{Event, ModelEvent},
    clock::RunClock,
    ids::Random,
    output::Output,
    scrub::Scrubber,
    stop::{Stop, StopSignal},
    terminal::Seams,
};

/// A command's only way out: files, network, time, chance, output and people.
///
/// A cheap clone of one shared run; once the run is over, every effect through any clone fails.
///
/// ```
/// # use tapeline::{Context, Failure, WorkspacePath};
/// async fn save(door: &Context, path: &WorkspacePath, text: &str) -> Result<(), Failure> {
///     let written = door.workspace()?.write(path, text.as_bytes())?;
///     door.artifact(written, "text/plain", "today's notes");
///     door.stdout().line("saved");
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) run: Arc<RunState>,
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").field("run_id", &self.run.run_id).finish_non_exhaustive()
    }
}

impl Context {
    /// The workspace, for what was declared of it.
    ///
    /// # Errors
    /// `CapabilityNotDeclared`, `CapabilityDenied`.
    pub fn workspace(&self) -> Result<Files, Failure> {
        let declared = &self.run.capabilities;
        if !declared.read_files && !declared.write_files {
            return Err(not_declared("ReadFiles` or `WriteFiles"));
        }
        Ok(Files::new(self.clone()))
    }

    /// The network, as far as declared and allowed.
    ///
    /// # Errors
    /// `CapabilityNotDeclared`, `CapabilityDenied`.
    pub fn http(&self) -> Result<Network, Failure> {
        Network::new(self.clone())
    }

    /// The run's time.
    pub fn clock(&self) -> RunTime {
        RunTime::new(self.clone())
    }

    /// A new UUIDv7, the same in a replay.
    pub fn new_uuid(&self) -> String {
        let now = self.clock().now_ms();
        lock(&self.run.random).uuid_v7(now)
    }

    /// A random number, the same in a replay. Not for secrets.
    pub fn random_u64(&self) -> u64 {
        lock(&self.run.random).next_u64()
    }

    /// What the caller gave on stdin; `None` for nothing.
    pub fn stdin(&self) -> Option<&str> {
        self.run.stdin.as_deref()
    }

    /// Text for people. `result` is for programs.
    pub fn stdout(&self) -> Printer<'_> {
        Printer { output: &self.run.stdout }
    }

    /// Diagnostics for people.
    pub fn stderr(&self) -> Printer<'_> {
        Printer { output: &self.run.stderr }
    }

    /// Names a written file in the envelope.
    pub fn artifact(&self, written: Written, mime: &str, description: &str) {
        let Written { path, bytes, sha256 } = written;
        lock(&self.run.artifacts).push(Artifact {
            path: path.to_string(),
            mime: mime.to_owned(),
            description: description.to_owned(),
            bytes,
            sha256,
        });
    }

    /// Says that this is a URL, wherever the command has it from: what is secret in it by its place
    /// (userinfo, `?token=…`) leaves the record. Those on the line and of requests are known without.
    ///
    /// ```
    /// # use tapeline::{Context, Failure, WorkspacePath};
    /// async fn show(door: &Context, path: &WorkspacePath) -> Result<(), Failure> {
    ///     let bytes = door.workspace()?.read(path)?;
    ///     for url in String::from_utf8_lossy(&bytes).lines() {
    ///         door.scrub_url(url);
    ///         door.stdout().line(url);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn scrub_url(&self, url: &str) {
        lock(&self.run.scrubber).url(url);
    }

    /// The bytes of a model the host configured.
    ///
    /// # Errors
    /// `NotSupported` where none is.
    pub fn model(&self, name: &str) -> Result<Arc<[u8]>, Failure> {
        let model = self.run.seams.models.get(name).cloned();
        let sha256 = model.as_deref().map(sha256_hex);
        self.run.record(|at_ms, recorder| {
            recorder.event(Event {
                at_ms,
                model: Some(ModelEvent { name: name.to_owned(), sha256 }),
                ..Event::default()
            });
            recorder.incomplete("a model's bytes are not on the tape");
        });
        model.ok_or_else(|| {
            Failure::new(ErrorCode::NOT_SUPPORTED, format!("no model `{name}` is configured"))
                .hint("the host names model files in its configuration")
                .detail("platform", std::env::consts::OS)
                .detail("format", name)
        })
    }

    /// Says how far the run is; shown to whoever watches, never recorded.
    pub fn progress(&self, progress: Progress) {
        const APART: Duration = Duration::from_millis(100);
        let mut last = lock(&self.run.last_progress);
        let is_last = progress.total.is_some_and(|total| progress.done >= total);
        let now = Instant::now();
        if is_last || last.is_none_or(|last| now.duration_since(last) >= APART) {
            *last = Some(now);
            drop(last);
            let run_id = self.run.run_id.clone();
            let event = || RunEvent::Progress { run_id, progress };
            // Who watches hears nothing of a run after its end.
            let _ = self.run.effect(|| {
                self.run.seams.events.publish(event);
                Ok(())
            });
        }
    }

    /// Whether the run is over: for work between two awaits, and on workers.
    pub fn cancelled(&self) -> bool {
        let over = self.run.stop.requested().is_some()
            || self.run.is_revoked()
            || self.run.deadline.remaining().is_some_and(|left| left.is_zero());
        if over {
            // When it looked is not on the tape.
            self.run.record(|_, recorder| {
                recorder.incomplete("the run was told of its end while it computed");
            });
        }
        over
    }

    /// The run's id, as in the envelope.
    pub fn run_id(&self) -> &str {
        &self.run.run_id
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.run.limits
    }
}

/// Prints to one of a run's text outputs.
#[derive(Debug)]
pub struct Printer<'a> {
    output: &'a Mutex<Output>,
}

impl Printer<'_> {
    /// Adds text as it is.
    pub fn text(&self, text: &str) {
        lock(self.output).push(text);
    }

    /// Adds text and a line feed.
    pub fn line(&self, text: &str) {
        let mut output = lock(self.output);
        output.push(text);
        output.push("\n");
    }
}

/// One run, shared by its future, its door and its workers.
pub(crate) struct RunState {
    pub(crate) run_id: String,
    pub(crate) seams: Arc<Seams>,
    pub(crate) clock: Box<dyn RunClock>,
    /// Milliseconds from the start that the run's clock shows.
    pub(crate) offset_ms: AtomicU64,
    pub(crate) seed: u64,
    random: Mutex<Random>,
    /// The line, as it was given.
    pub(crate) command: String,
    pub(crate) stdin: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    /// Where it was routed and with what arguments, once that is known.
    pub(crate) parsed: Option<Parsed>,
    pub(crate) capabilities: Capabilities,
    pub(crate) limits: Limits,
    pub(crate) timeout_ms: u64,
    pub(crate) deadline: Deadline,
    pub(crate) stop: Arc<StopSignal>,
    pub(crate) stdout: Mutex<Output>,
    pub(crate) stderr: Mutex<Output>,
    pub(crate) artifacts: Mutex<Vec<Artifact>>,
    recorder: Mutex<Recorder>,
    pub(crate) scrubber: Mutex<Scrubber>,
    /// Held for reading by each effect, for writing by the one that revokes: whoever revokes has
    /// waited for the effects under way, and none begins after.
    revoked: RwLock<bool>,
    /// Wakes what still waits for something outside when the run is over.
    ended: Notify,
    /// Whether the intent is written and the command was entered.
    pub(crate) begun: AtomicBool,
    /// The intent was waited for in vain, since others held the log's lock.
    pub(crate) log_is_busy: AtomicBool,
    last_progress: Mutex<Option<Instant>>,
    /// `http` and `approval` events and sleeps that have ended.
    waits: AtomicU64,
    requests: AtomicU64,
    written_bytes: AtomicU64,
}

/// A line that was routed and whose arguments were parsed.
pub(crate) struct Parsed {
    pub(crate) path: String,
    /// `None` for help.
    pub(crate) spec: Option<Arc<Spec>>,
    /// `{path, args}`.
    pub(crate) json: Box<serde_json::value::RawValue>,
}

/// What a run is made from, once its line is understood.
pub(crate) struct RunParts {
    pub(crate) seams: Arc<Seams>,
    pub(crate) run_id: String,
    pub(crate) seed: u64,
    pub(crate) clock: Box<dyn RunClock>,
    pub(crate) has_deadline: bool,
    pub(crate) command: String,
    pub(crate) stdin: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) parsed: Option<Parsed>,
    pub(crate) capabilities: Capabilities,
    pub(crate) limits: Limits,
    pub(crate) timeout_ms: u64,
    pub(crate) scrubber: Scrubber,
}

impl RunState {
    pub(crate) fn new(parts: RunParts) -> Self {
        let timeout = Duration::from_millis(parts.timeout_ms);
        Self {
            run_id: parts.run_id,
            deadline: match parts.has_deadline {
                true => Deadline::after(timeout),
                false => Deadline::never(),
            },
            recorder: Mutex::new(Recorder::new(parts.seams.tape)),
            seams: parts.seams,
            clock: parts.clock,
            offset_ms: AtomicU64::new(0),
            seed: parts.seed,
            random: Mutex::new(Random::new(parts.seed)),
            command: parts.command,
            stdin: parts.stdin,
            labels: parts.labels,
            parsed: parts.parsed,
            capabilities: parts.capabilities,
            limits: parts.limits,
            timeout_ms: parts.timeout_ms,
            stop: Arc::new(StopSignal::default()),
            stdout: Mutex::default(),
            stderr: Mutex::default(),
            artifacts: Mutex::default(),
            scrubber: Mutex::new(parts.scrubber),
            revoked: RwLock::new(false),
            ended: Notify::new(),
            begun: AtomicBool::new(false),
            log_is_busy: AtomicBool::new(false),
            last_progress: Mutex::default(),
            waits: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
        }
    }

    /// Does something outside, unless the run is over.
    pub(crate) fn effect<T>(
        &self,
        effect: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let revoked = self.revoked.read().unwrap_or_else(PoisonError::into_inner);
        if *revoked {
            return Err(self.over());
        }
        effect()
    }

    /// Ends the door for all clones; waits for the effects under way.
    pub(crate) fn revoke(&self) {
        *self.revoked.write().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.notify_waiters();
    }

    pub(crate) fn is_revoked(&self) -> bool {
        *self.revoked.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an effect gets after the end.
    pub(crate) fn over(&self) -> Failure {
        match self.stop.requested() {
            Some(Stop::Timeout) => Failure::new(ErrorCode::TIMEOUT, "the run's time is over"),
            _ => Failure::new(ErrorCode::CANCELLED, "the run is over"),
        }
    }

    /// Writes to the tape, with the milliseconds since the start.
    pub(crate) fn record(&self, write: impl FnOnce(u64, &mut Recorder)) {
        let mut recorder = lock(&self.recorder);
        if recorder.is_on() {
            write(self.clock.event_ms(), &mut recorder);
        }
    }

    pub(crate) fn take_recorder(&self) -> Recorder {
        std::mem::take(&mut lock(&self.recorder))
    }

    /// Before a wait: a replayed run is struck here when its tape says so. Never returns then.
    pub(crate) async fn before_wait(&self) {
        if self.strike() {
            std::future::pending().await
        }
    }

    /// At a wait: stops a replayed run when its tape says so.
    pub(crate) fn strike(&self) -> bool {
        let due = self.clock.script().and_then(|script| script.due(Some(self.waits())));
        if let Some(stop) = due {
            self.stop.request(stop);
        }
        due.is_some()
    }

    /// After a wait for something from outside: the run's clock moves there, never backwards.
    pub(crate) fn after_wait(&self, at_ms: u64) {
        self.offset_ms.fetch_max(at_ms, Ordering::Relaxed);
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

/// When a run must be over, by real time. Stands still while a person is asked.
#[derive(Debug)]
pub(crate) struct Deadline(Mutex<Left>);

#[derive(Clone, Copy, Debug)]
enum Left {
    Never,
    Until(Instant),
    Paused(Duration),
}

impl Deadline {
    fn after(duration: Duration) -> Self {
        Self(Mutex::new(Left::Until(Instant::now() + duration)))
    }

    fn never() -> Self {
        Self(Mutex::new(Left::Never))
    }

    /// What is left; `None` where time does not count.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        match *lock(&self.0) {
            Left::Never => None,
            Left::Until(end) => Some(end.saturating_duration_since(Instant::now())),
            Left::Paused(left) => Some(left),
        }
    }

    /// When to look again; `None` while it stands still.
    pub(crate) fn instant(&self) -> Option<Instant> {
        match *lock(&self.0) {
            Left::Until(end) => Some(end),
            Left::Never | Left::Paused(_) => None,
        }
    }

    pub(crate) fn pause(&self) {
        let mut left = lock(&self.0);
        if let Left::Until(end) = *left {
            *left = Left::Paused(end.saturating_duration_since(Instant::now()));
        }
    }

    pub(crate) fn resume(&self) {
        let mut left = lock(&self.0);
        if let Left::Paused(remaining) = *left {
            *left = Left::Until(Instant::now() + remaining);
        }
    }
}

fn not_declared(capability: &str) -> Failure {
    Failure::new(
        ErrorCode::CAPABILITY_NOT_DECLARED,
        format!("the command does not declare `{capability}`: a bug in the command"),
    )
}

fn denied(capability: &str, hint: &str) -> Failure {
    Failure::new(
        ErrorCode::CAPABILITY_DENIED,
        format!("the host's policy does not allow `{capability}`"),
    )
    .hint(hint)
}

/// A panic elsewhere does not make a run's own state wrong: every update is one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
