//! Asks the person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use tapeline::{ApprovalAnswer, ApprovalRequest, Approver, async_trait};

/// Asks on stderr and reads the answer from stdin, if both are a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptApprover;

#[async_trait]
impl Approver for PromptApprover {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return ApprovalAnswer::Unavailable;
        }
        let mut stderr = io::stderr().lock();
        let asked =
            write!(stderr, "`{}` wants to {}.\nApprove? [y/N] ", request.command, request.action)
                .and_then(|()| stderr.flush());
        drop(stderr);
        let mut answer = String::new();
        if asked.is_err() || io::stdin().lock().read_line(&mut answer).is_err() {
            return ApprovalAnswer::Failed;
        }
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => ApprovalAnswer::Approved,
            _ => ApprovalAnswer::Denied,
        }
    }
}
