//! The last step of a run: outputs bounded, envelope made, record written.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, atomic::Ordering},
};

use serde_json::value::RawValue;

use crate::{
    Artifact, Context, Envelope, ErrorCode, Failure, RunEvent, Truncation,
    audit::{End, Obstacle, SinkError, StopPoint},
    door::{RunState, keep_whole, lock},
    json::{self, Object},
    output,
    run_record::{append, write_intent},
    stop::Stop,
};

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With the text of the result's own fields, or a failure.
    Returned(Result<String, Failure>),
    Stopped(Stop),
    Panicked,
}

/// Writes the intent; from here on the run has happened.
pub(crate) fn begin(run: &RunState) -> Result<(), Failure> {
    let intent = unharmed("write the intent", || {
        let scrubber = lock(&run.scrubber);
        write_intent(run, &scrubber)
    });
    match intent {
        Ok(()) => {}
        Err(error) if run.seams.best_effort_audit => {
            tracing::warn!(target: "tapeline::audit", cause = %chain(&error), "the intent was not written");
        }
        Err(error) => {
            tracing::error!(target: "tapeline::audit", cause = %chain(&error), "the run does not start");
            let obstacle = Obstacle::of(&error);
            // Its record is not waited for again.
            run.log_is_busy.store(obstacle == Some(&Obstacle::Busy), Ordering::SeqCst);
            return Err(unavailable(false, obstacle));
        }
    }
    run.begun.store(true, Ordering::SeqCst);
    Ok(())
}

/// Ends a run: nothing of it has any effect after this.
pub(crate) fn close(run: &Arc<RunState>, outcome: Outcome) -> Envelope {
    // A clock that panics tells no time; that it did is not this run's failure.
    let duration_ms = catch_unwind(AssertUnwindSafe(|| run.clock.duration_ms())).unwrap_or(0);
    run.revoke();
    let end = match &outcome {
        Outcome::Returned(_) | Outcome::Panicked => End { returned: Some(true), ..End::default() },
        Outcome::Stopped(stop) => {
            let begun = run.begun.load(Ordering::SeqCst);
            let before_begin = (!begun && run.waits() == 0).then_some(true);
            let point = Some(StopPoint { after_events: run.waits(), before_begin });
            match stop {
                Stop::Timeout => End { timeout: point, ..End::default() },
                Stop::Cancel => End { cancel: point, ..End::default() },
            }
        }
    };
    let envelope = envelope(run, result_of(run, outcome), duration_ms);
    let appended = unharmed("append the record", || append(run, &envelope, end));
    let envelope = match appended {
        Ok(()) => envelope,
        Err(error) if run.seams.best_effort_audit => {
            tracing::warn!(target: "tapeline::audit", cause = %chain(&error), "the record was not written");
            envelope
        }
        Err(error) => {
            tracing::error!(target: "tapeline::audit", cause = %chain(&error), "the record was not written");
            unrecorded(run, envelope, Obstacle::of(&error))
        }
    };
    run.seams.events.publish(|| RunEvent::Finished { envelope: Box::new(envelope.clone()) });
    envelope
}

/// A log, clock or source of ids of the host's own may panic: the run's answer says that there is
/// no record, and the host lives.
fn unharmed(
    attempted: &str,
    attempt: impl FnOnce() -> Result<(), SinkError>,
) -> Result<(), SinkError> {
    catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
        Err(SinkError::refused(format!("{attempted}: the host's part panicked")))
    })
}

fn result_of(run: &RunState, outcome: Outcome) -> Result<String, Failure> {
    match outcome {
        Outcome::Returned(result) => result,
        Outcome::Panicked => Err(Failure::new(
            ErrorCode::INTERNAL,
            "the command panicked: a bug in the command; the host is unharmed",
        )),
        Outcome::Stopped(Stop::Timeout) => Err(Failure::new(
            ErrorCode::TIMEOUT,
            format!("the run did not end within {} ms", run.timeout_ms),
        )
        .hint("give a longer `timeout_ms`, or ask for less")
        .detail("timeout_ms", run.timeout_ms)),
        Outcome::Stopped(Stop::Cancel) => {
            Err(Failure::new(ErrorCode::CANCELLED, "the run was cancelled"))
        }
    }
}

/// What went wrong with the log, for the caller; the host's log has the cause.
fn unavailable(ran: bool, obstacle: Option<&Obstacle>) -> Failure {
    let why = obstacle.map(|obstacle| format!(", since {obstacle}")).unwrap_or_default();
    let message = match ran {
        true => {
            format!(
                "the run took place, and the audit log cannot be written{why}: its record may be missing"
            )
        }
        false => format!("the audit log cannot be written{why}: the run did not start"),
    };
    let hint = obstacle.map_or(
        "the host's own log has the cause: its audit directory must be writable, and of this format",
        Obstacle::hint,
    );
    Failure::new(ErrorCode::AUDIT_UNAVAILABLE, message).hint(hint).detail("ran", ran)
}

fn envelope(run: &Arc<RunState>, result: Result<String, Failure>, duration_ms: u64) -> Envelope {
    let door = Context { run: run.clone() };
    let mut artifacts = std::mem::take(&mut *lock(&run.artifacts));
    let mut truncated = Vec::new();
    let mut bounded = |what: &'static str, output: &Mutex<output::Output>| {
        let (text, bytes) = lock(output).take();
        let max = run.limits.stdout_bytes;
        if bytes <= max {
            return text;
        }
        truncated.push(Truncation { what: what.to_owned(), bytes });
        let name = format!("{what}.txt");
        let last_line = match keep(&door, &name, text.as_bytes(), "text/plain", what) {
            Some(artifact) => {
                let kept = match artifact.bytes {
                    kept if kept == bytes => "whole".to_owned(),
                    kept => format!("the first {kept}"),
                };
                let last_line =
                    format!("[{what} cut: {bytes} bytes, {kept} in `{}`]", artifact.path);
                artifacts.push(artifact);
                last_line
            }
            None => format!("[{what} cut: {bytes} bytes, the rest could not be kept]"),
        };
        output::cut(&text, max, &last_line)
    };
    let stdout = bounded("stdout", &run.stdout);
    let stderr = bounded("stderr", &run.stderr);

    let command = command_found(run);
    let (whole, failure) = match result {
        Ok(fields) => (
            Object::new().field("ok", &true).field("command", &command).all(&fields).finish(),
            None,
        ),
        Err(failure) => (failed_result(&command, &failure), Some(failure)),
    };
    let bytes = whole.get().len() as u64;
    let result = if bytes <= run.limits.result_bytes {
        whole
    } else {
        truncated.push(Truncation { what: "result".to_owned(), bytes });
        let full = keep(&door, "result.json", whole.get().as_bytes(), "application/json", "result");
        let mut short = Object::new().field("ok", &failure.is_none()).field("command", &command);
        if let Some(failure) = &failure {
            short = short
                .field("error_code", &failure.code())
                .field("error_message", failure.message());
        }
        let short = short
            .field("truncated", &true)
            .field("full", &full.as_ref().map(|artifact| &artifact.path));
        artifacts.extend(full);
        short.finish()
    };
    Envelope {
        schema_version: Envelope::SCHEMA_VERSION,
        run_id: run.run_id.clone(),
        exit_code: failure.as_ref().map_or(0, |failure| failure.code().exit_code()),
        stdout,
        stderr,
        result,
        artifacts,
        error_code: failure.as_ref().map(|failure| failure.code().name().to_owned()),
        error_message: failure.as_ref().map(|failure| failure.message().to_owned()),
        hint: failure.as_ref().and_then(|failure| failure.hint_text().map(str::to_owned)),
        truncated,
        duration_ms,
    }
}

/// `result.command`.
fn command_found(run: &RunState) -> Option<String> {
    run.parsed.as_ref().map(|parsed| match &parsed.spec {
        Some(_) => parsed.path.clone(),
        None => help_command(parsed.json.get()),
    })
}

/// `result.command` of help: the path it was asked for, or `help` itself.
fn help_command(parsed: &str) -> String {
    let fields = json::fields(parsed).unwrap_or_default();
    let args = fields.iter().find(|(name, _)| name == "args").map_or("{}", |(_, args)| args.get());
    let args = json::fields(args).unwrap_or_default();
    let path = args.first().and_then(|(_, path)| serde_json::from_str(path.get()).ok());
    path.filter(|path: &String| !path.is_empty()).unwrap_or_else(|| "help".to_owned())
}

fn failed_result(command: &Option<String>, failure: &Failure) -> Box<RawValue> {
    let result = Object::new()
        .field("ok", &false)
        .field("command", command)
        .field("error_code", &failure.code())
        .field("error_message", failure.message());
    let result =
        failure.details().fold(result, |result, (name, value)| result.raw(name, value.get()));
    result.finish()
}

/// Keeps what the envelope cuts below `.agents/artifacts/<run_id>/`. A run that did not begin has no
/// effect, not even this one: its log may be what cannot be written.
fn keep(door: &Context, name: &str, content: &[u8], mime: &str, what: &str) -> Option<Artifact> {
    if !door.run.begun.load(Ordering::SeqCst) {
        return None;
    }
    let path = format!("artifacts/{}/{name}", door.run.run_id).parse().ok()?;
    let written = keep_whole(door, &path, content)?;
    Some(Artifact {
        path: written.path.to_string(),
        mime: mime.to_owned(),
        description: format!("the whole {what}"),
        bytes: written.bytes,
        sha256: written.sha256,
    })
}

/// The envelope of a run whose record could not be written.
fn unrecorded(run: &RunState, envelope: Envelope, obstacle: Option<&Obstacle>) -> Envelope {
    let ran = run.begun.load(Ordering::SeqCst);
    let failure = unavailable(ran, obstacle);
    let command = command_found(run);
    Envelope {
        exit_code: failure.code().exit_code(),
        result: failed_result(&command, &failure),
        error_code: Some(failure.code().name().to_owned()),
        error_message: Some(failure.message().to_owned()),
        hint: failure.hint_text().map(str::to_owned),
        ..envelope
    }
}

/// An error with all its causes, for the host.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
