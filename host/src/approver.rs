//! Who approves: the person at the terminal, or `--yes` on their behalf.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    thread,
};

use tapeline::{ApprovalAnswer, ApprovalRequest, Approver, async_trait};
use tokio::sync::oneshot;

/// Says yes, because the operator did: `--yes`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn approve(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Approved
    }
}

/// Asks on stderr and reads the answer from stdin, if both are a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prompt;

#[async_trait]
impl Approver for Prompt {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return ApprovalAnswer::Unavailable;
        }
        // Read elsewhere: a signal or the end of patience must reach the run meanwhile.
        let (send, receive) = oneshot::channel();
        let asking = thread::Builder::new().name("approval".to_owned()).spawn(move || {
            let _ = send.send(ask(&request));
        });
        match asking {
            Ok(_) => receive.await.unwrap_or(ApprovalAnswer::Failed),
            Err(_) => ApprovalAnswer::Failed,
        }
    }
}

fn ask(request: &ApprovalRequest) -> ApprovalAnswer {
    let mut stderr = io::stderr();
    let (command, action) = (&request.command, &request.action);
    let asked = write!(stderr, "`{command}` wants to {action}.\nApprove? [y/N] ");
    let mut answer = String::new();
    if asked.and_then(|()| stderr.flush()).is_err()
        || io::stdin().lock().read_line(&mut answer).is_err()
    {
        return ApprovalAnswer::Failed;
    }
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => ApprovalAnswer::Approved,
        _ => ApprovalAnswer::Denied,
    }
}
