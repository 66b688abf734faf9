//! The approver's answers as they were.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tapeline::{ApprovalAnswer, ApprovalRequest, Approver, async_trait};

use super::{Misses, lock};

/// Answers by action, each answer once.
#[derive(Debug)]
pub(crate) struct TapedApprover {
    /// Action, answer, and when it came.
    pub(crate) answers: Mutex<VecDeque<(String, ApprovalAnswer, u64)>>,
    pub(crate) at_ms: Arc<AtomicU64>,
    pub(crate) misses: Misses,
}

impl TapedApprover {
    /// Actions that nobody asked about.
    pub(crate) fn unused(&self) -> Vec<String> {
        lock(&self.answers).iter().map(|(action, ..)| format!("approval to {action}")).collect()
    }
}

#[async_trait]
impl Approver for TapedApprover {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let mut answers = lock(&self.answers);
        let position = answers.iter().position(|(action, ..)| *action == request.action);
        match position.and_then(|position| answers.remove(position)) {
            Some((_, answer, at_ms)) => {
                self.at_ms.fetch_max(at_ms, Ordering::Relaxed);
                answer
            }
            None => {
                self.misses.note(format!("approval to {}", request.action));
                ApprovalAnswer::Unavailable
            }
        }
    }
}
