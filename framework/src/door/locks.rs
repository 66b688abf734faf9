//! Named locks: what orders two runs, of any process, on one workspace.

use std::{fmt, time::Duration};

use super::{Context, RunState};
use crate::{
    ErrorCode, Failure,
    audit::{Event, LockEvent},
};

/// A named lock that is held until it is dropped, or the process ends.
pub struct Lock {
    _held: Box<dyn Send + Sync>,
    name: String,
}

impl fmt::Debug for Lock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lock").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Context {
    /// Takes the named lock, waiting for it so long at most. Names: `[a-z0-9-]{1,64}`.
    ///
    /// # Errors
    /// `LimitExceeded` (`lock_wait_ms`) when it was not had in time, `WorkspaceError`,
    /// `CapabilityNotDeclared`, `CapabilityDenied`.
    pub async fn lock(&self, name: &str, wait: Duration) -> Result<Lock, Failure> {
        const PAUSE: Duration = Duration::from_millis(10);
        self.workspace()?.may_write()?;
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(Failure::new(
                ErrorCode::INTERNAL,
                format!("`{name}` is no name for a lock: a bug in the command"),
            ));
        }
        let run = &*self.run;
        let mut waited = Duration::ZERO;
        loop {
            let attempt = run.effect(|| {
                run.seams.workspace.try_lock(name).map_err(|fault| {
                    run.record_lock(LockEvent {
                        name: name.to_owned(),
                        error: Some(fault.kind.name().to_owned()),
                        ..LockEvent::default()
                    });
                    Failure::new(
                        ErrorCode::WORKSPACE_ERROR,
                        format!("cannot take the lock `{name}`"),
                    )
                    .detail("path", name)
                    .detail("kind", fault.kind.name())
                })
            })?;
            if let Some(held) = attempt {
                run.record_lock(LockEvent {
                    name: name.to_owned(),
                    ok: Some(true),
                    ..LockEvent::default()
                });
                return Ok(Lock { _held: held, name: name.to_owned() });
            }
            if run.seams.workspace.lock_times_out(name) || waited >= wait {
                break;
            }
            // A run that was stopped while it waited is struck here in a replay, too.
            run.before_wait().await;
            run.clock.sleep(PAUSE).await;
            waited += PAUSE;
        }
        run.record_lock(LockEvent {
            name: name.to_owned(),
            timeout: Some(true),
            ..LockEvent::default()
        });
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Err(Failure::limit_exceeded(
            "lock_wait_ms",
            wait_ms,
            format!("another run holds the lock `{name}`"),
        )
        .hint("try again later"))
    }
}

impl RunState {
    fn record_lock(&self, lock: LockEvent) {
        self.record(|at_ms, recorder| {
            recorder.event(Event { at_ms, lock: Some(lock), ..Event::default() });
        });
    }
}
