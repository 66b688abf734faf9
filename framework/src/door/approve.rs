//! Approval: an action that cannot be undone waits for a yes.

use std::{future::Future, panic::AssertUnwindSafe, pin::pin, task::Poll, time::Duration};

use super::{Context, lock, not_declared, recorder::sha256_hex};
use crate::{
    ApprovalAnswer, ApprovalRequest, Decision, ErrorCode, Failure,
    audit::{ApprovalEvent, Event},
};

impl Context {
    /// Asks for one action, named in a sentence: `` overwrite `.agents/rates.json` ``. The approver
    /// has 120 s, outside the run's own time.
    ///
    /// # Errors
    /// `ApprovalRequired` where there is nobody to ask, `ApprovalDenied` when the answer is not
    /// yes, `CapabilityNotDeclared`.
    pub async fn approve(&self, action: &str) -> Result<(), Failure> {
        if !self.run.capabilities.high_risk {
            return Err(not_declared("HighRisk"));
        }
        self.ask(self.run.seams.policy.high_risk, action).await
    }

    /// What a decision of the policy comes to.
    pub(crate) async fn ask(&self, decision: Decision, action: &str) -> Result<(), Failure> {
        let run = &*self.run;
        let action = lock(&run.scrubber).swept(action).into_owned();
        match decision {
            Decision::Allow => return Ok(()),
            Decision::Deny => {
                return Err(Failure::new(
                    ErrorCode::APPROVAL_DENIED,
                    format!("the host's policy does not allow to {action}"),
                )
                .hint("do without it; the host decides what may be asked for"));
            }
            Decision::Ask => {}
        }
        run.effect(|| Ok(()))?;
        run.before_wait().await;
        run.deadline.pause();
        let answer = self.answer(&action).await;
        run.deadline.resume();
        let at_ms = run.clock.event_ms();
        run.record(|_, recorder| {
            let approval =
                ApprovalEvent { action: action.clone(), answer: answer.name().to_owned() };
            recorder.event(Event { at_ms, approval: Some(approval), ..Event::default() });
        });
        run.after_wait(at_ms);
        let denied = |why: &str| {
            Err(Failure::new(ErrorCode::APPROVAL_DENIED, format!("{why} to {action}"))
                .hint("do not ask again for the same; do without it, or ask what is wanted"))
        };
        match answer {
            ApprovalAnswer::Approved => Ok(()),
            ApprovalAnswer::Denied => denied("approval was refused"),
            ApprovalAnswer::Failed => denied("the approver failed when asked"),
            ApprovalAnswer::Late => denied("the approver gave no answer in time when asked"),
            ApprovalAnswer::Unavailable => Err(Failure::new(
                ErrorCode::APPROVAL_REQUIRED,
                format!("approval is needed to {action}, and there is nobody to ask"),
            )
            .hint(run.seams.approval_hint.clone())),
        }
    }

    async fn answer(&self, action: &str) -> ApprovalAnswer {
        const PATIENCE: Duration = Duration::from_secs(120);
        let run = &*self.run;
        let Some(approver) = run.seams.approver.clone() else {
            return ApprovalAnswer::Unavailable;
        };
        let (command, arguments_sha256) = {
            let scrubber = lock(&run.scrubber);
            let parsed = run.parsed.as_ref().map_or("null", |parsed| parsed.json.get());
            (scrubber.command_line(&run.command), sha256_hex(parsed.as_bytes()))
        };
        let request = ApprovalRequest {
            run_id: run.run_id.clone(),
            command,
            action: action.to_owned(),
            arguments_sha256,
        };
        let mut asked = pin!(async move { approver.approve(request).await });
        // An approver that panics has not said yes.
        let asked = std::future::poll_fn(|context| {
            let polled =
                std::panic::catch_unwind(AssertUnwindSafe(|| asked.as_mut().poll(context)));
            polled.unwrap_or(Poll::Ready(ApprovalAnswer::Failed))
        });
        match run.clock.script() {
            Some(_) => asked.await,
            None => tokio::time::timeout(PATIENCE, asked).await.unwrap_or(ApprovalAnswer::Late),
        }
    }
}
