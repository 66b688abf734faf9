//! The approver's answers as they were.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use tapeline::{ApprovalAnswer, ApprovalRequest, Approver, async_trait};

use super::{Watch, lock};
use crate::{
    given::{GivenApproval, Unused},
    miss::{Miss, Misses},
};

/// Answers by action, each answer once.
#[derive(Debug)]
pub(crate) struct TapedApprover {
    /// `None` once given.
    answers: Mutex<Vec<Option<GivenApproval>>>,
    at_ms: Arc<AtomicU64>,
    misses: Misses,
    watch: Watch,
}

impl TapedApprover {
    pub(crate) fn new(
        answers: Vec<GivenApproval>,
        at_ms: Arc<AtomicU64>,
        misses: Misses,
        watch: Watch,
    ) -> Self {
        Self { answers: Mutex::new(answers.into_iter().map(Some).collect()), at_ms, misses, watch }
    }

    /// Actions that nobody asked about.
    pub(crate) fn unused(&self) -> Vec<Unused> {
        let answers = lock(&self.answers);
        let left = answers.iter().enumerate().filter(|(_, answer)| answer.is_some());
        left.map(|(place, _)| Unused::Approval(place)).collect()
    }
}

#[async_trait]
impl Approver for TapedApprover {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.watch.asked(|| format!("approval to {}", request.action));
        let mut answers = lock(&self.answers);
        let is_it = |answer: &Option<GivenApproval>| {
            answer.as_ref().is_some_and(|answer| answer.action == request.action)
        };
        match answers.iter_mut().find(|answer| is_it(answer)).and_then(Option::take) {
            Some(approval) => {
                self.at_ms.fetch_max(approval.at_ms, Ordering::Relaxed);
                approval.answer
            }
            None => {
                self.misses.note(Miss::Approval(request.action));
                ApprovalAnswer::Unavailable
            }
        }
    }
}
