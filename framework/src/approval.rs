//! Approval: a person (or the host on their behalf) says yes to one action.

use async_trait::async_trait;

/// Whom the terminal asks before an action that cannot be undone.
///
/// It has 120 s of its own, outside the run's time. No answer, an error and a panic all mean no.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Whether the action may go ahead.
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer;
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The run that asks.
    pub run_id: String,
    /// The line it was given, scrubbed.
    pub command: String,
    /// What would happen, one sentence: `` overwrite `.agents/rates.json` ``.
    pub action: String,
    /// SHA-256 of the parsed command: an answer holds for these arguments alone.
    pub arguments_sha256: String,
}

/// The answer, and the ways of not giving one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Go ahead, this once.
    Approved,
    /// Do not.
    Denied,
    /// The approver broke.
    Failed,
    /// It took too long.
    Late,
    /// There is nobody to ask: the run ends with `ApprovalRequired`, which says how to approve.
    Unavailable,
}

impl ApprovalAnswer {
    const ALL: [Self; 5] =
        [Self::Approved, Self::Denied, Self::Failed, Self::Late, Self::Unavailable];

    /// Its name on the tape.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Failed => "failed",
            Self::Late => "late",
            Self::Unavailable => "unavailable",
        }
    }

    /// The answer of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.name() == name)
    }
}
