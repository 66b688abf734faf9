//! [`Run`]: one call, from line to envelope.
//!
//! A run is polled in place, without a task of its own. Everything that can end it comes together
//! in [`Run::poll`]: the command's answer, its panic, the deadline, a cancel; and in `Drop`.

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
};

use tokio::time::{Instant, Sleep};

use crate::{
    Canceller, Context, Decision, Envelope, ErrorCode, Failure, RunEvent,
    close::{Outcome, begin, close},
    door::{RunState, lock},
    erased::Parsed,
    help::Help,
    prepare::prepare,
    runtime,
    stop::Stop,
    terminal::Seams,
};

/// What a caller asks for.
///
/// ```
/// use tapeline::Request;
///
/// let request = Request::new("hello").timeout_ms(2_000).label("actor", "planner");
/// assert_eq!(request.labels["actor"], "planner");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The line.
    pub command: String,
    /// Text for a command that takes it; empty counts as none.
    pub stdin: Option<String>,
    /// Milliseconds, 1 to 600,000, lowered by host and spec; 30,000 where none is given.
    pub timeout_ms: Option<u64>,
    /// Recorded: actor, session, traceparent.
    pub labels: BTreeMap<String, String>,
}

impl Request {
    /// A line, nothing else.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Sets [`Request::stdin`].
    #[must_use]
    pub fn stdin(mut self, text: impl Into<String>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// Sets [`Request::timeout_ms`].
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }
}

/// A run under way. Awaiting it never panics and never fails: whatever happens is an envelope.
///
/// Dropped before its end it is a cancelled run and still leaves its record.
pub struct Run {
    state: Arc<RunState>,
    phase: Phase,
}

enum Phase {
    /// Not polled yet.
    New(Result<Work, Failure>),
    Running {
        body: Body,
        alarm: Option<Pin<Box<Sleep>>>,
    },
    Over,
}

type Body = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send>>;

/// What a line leads to.
pub(crate) enum Work {
    Help(Help),
    Command(Box<dyn Parsed>),
}

impl Run {
    pub(crate) fn new(seams: Arc<Seams>, request: Request) -> Self {
        let (state, work) = prepare(seams, request);
        Self { state: Arc::new(state), phase: Phase::New(work) }
    }

    /// The run's id, as its envelope and record will have it.
    pub fn id(&self) -> &str {
        &self.state.run_id
    }

    /// A stop button that may be kept anywhere.
    pub fn canceller(&self) -> Canceller {
        Canceller(self.state.stop.clone())
    }

    /// Waits for the envelope on this thread; works inside any runtime and outside.
    pub fn wait(self) -> Envelope {
        runtime::block_on(self)
    }

    fn finish(&mut self, outcome: Outcome) -> Envelope {
        // Dropped first: drafts go, and workers are abandoned, before the record is made.
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(phase)));
        let outcome = if dropped.is_err() { Outcome::Panicked } else { outcome };
        close(&self.state, outcome)
    }

    fn advance(&mut self, context: &mut TaskContext<'_>) -> Poll<Envelope> {
        loop {
            match &mut self.phase {
                Phase::Over => return Poll::Pending,
                Phase::New(_) => {
                    let Phase::New(work) = std::mem::replace(&mut self.phase, Phase::Over) else {
                        continue;
                    };
                    self.state.seams.events.publish(|| RunEvent::Started {
                        run_id: self.state.run_id.clone(),
                        command: lock(&self.state.scrubber).command_line(&self.state.command),
                    });
                    let work = match work {
                        Ok(work) => work,
                        Err(failure) => {
                            return Poll::Ready(self.finish(Outcome::Returned(Err(failure))));
                        }
                    };
                    let door = Context { run: self.state.clone() };
                    self.phase = Phase::Running { body: Box::pin(body(door, work)), alarm: None };
                }
                Phase::Running { body, alarm } => {
                    self.state.stop.register(context.waker());
                    if self.state.deadline.remaining().is_some_and(|left| left.is_zero()) {
                        self.state.stop.request(Stop::Timeout);
                    }
                    if let Some(stop) =
                        self.state.clock.script().and_then(|script| script.due(None))
                    {
                        self.state.stop.request(stop);
                    }
                    if let Some(stop) = self.state.stop.requested() {
                        return Poll::Ready(self.finish(Outcome::Stopped(stop)));
                    }
                    let polled = catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(context)));
                    match polled {
                        Err(_) => return Poll::Ready(self.finish(Outcome::Panicked)),
                        Ok(Poll::Ready(result)) => {
                            let outcome = self.outcome_of(result);
                            return Poll::Ready(self.finish(outcome));
                        }
                        Ok(Poll::Pending) => {}
                    }
                    if self.state.stop.requested().is_some() {
                        continue;
                    }
                    let Some(end) = self.state.deadline.instant().map(Instant::from_std) else {
                        return Poll::Pending;
                    };
                    let alarm =
                        alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
                    if alarm.deadline() != end {
                        alarm.as_mut().reset(end);
                    }
                    if alarm.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// A command that returns has not kept its deadline for it: one that computed past it timed
    /// out, and so did one whose tape says so.
    fn outcome_of(&self, result: Result<String, Failure>) -> Outcome {
        let late = self.state.deadline.remaining().is_some_and(|left| left.is_zero());
        let due = self.state.clock.script().and_then(|script| script.due(Some(u64::MAX)));
        match due {
            _ if late => Outcome::Stopped(Stop::Timeout),
            Some(stop) => Outcome::Stopped(stop),
            None => Outcome::Returned(result),
        }
    }
}

impl Future for Run {
    type Output = Envelope;

    fn poll(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<Envelope> {
        let state = self.state.clone();
        let span = tracing::info_span!(
            "execute_tool terminal_exec",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = "terminal_exec",
            gen_ai.tool.call.id = %state.run_id,
        );
        let _entered = span.enter();
        match runtime::handle() {
            Ok(handle) => {
                let _guard = handle.enter();
                // A clock of the host's own is asked here, too, and may panic.
                let advanced = catch_unwind(AssertUnwindSafe(|| self.advance(context)));
                advanced.unwrap_or_else(|_| Poll::Ready(self.finish(Outcome::Panicked)))
            }
            Err(_) => {
                let failure = Failure::new(
                    ErrorCode::INTERNAL,
                    "the thread for timers and sockets cannot be started",
                );
                Poll::Ready(self.finish(Outcome::Returned(Err(failure))))
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !matches!(self.phase, Phase::Over) {
            self.state.stop.request(Stop::Cancel);
            self.finish(Outcome::Stopped(Stop::Cancel));
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Run").field("id", &self.id()).finish_non_exhaustive()
    }
}

/// Policy, intent, and the command itself.
async fn body(door: Context, work: Work) -> Result<String, Failure> {
    let run = &*door.run;
    let parsed = match work {
        Work::Help(help) => {
            begin(run)?;
            door.stdout().text(&help.stdout);
            return Ok(serde_json::to_string(&help.fields).unwrap_or_default());
        }
        Work::Command(parsed) => parsed,
    };
    if !run.seams.policy.rules.is_empty() {
        let path = run.parsed.as_ref().map_or("", |parsed| &parsed.path);
        let args = parsed.args().map_err(|_| {
            Failure::new(ErrorCode::INTERNAL, "the arguments cannot be written as JSON")
        })?;
        match run.seams.policy.decide(path, &args) {
            Decision::Allow => {}
            Decision::Deny => {
                return Err(Failure::new(
                    ErrorCode::CAPABILITY_DENIED,
                    format!("a rule of the host's policy refuses this use of `{path}`"),
                )
                .hint("the host decides which lines its rules refuse"));
            }
            decision @ Decision::Ask => door.ask(decision, &format!("run `{path}`")).await?,
        }
    }
    let _turn = run.seams.runs.acquire().await;
    begin(run)?;
    parsed.run(&door).await
}
