//! [`Given`]: all that comes in during a run, from a record or from a case.

use std::collections::{BTreeMap, VecDeque};

use tapeline::{
    ApprovalAnswer, Request, Script, Setup,
    audit::HostVersion,
    http::{HttpFault, HttpFaultKind},
};

use crate::taped::{Answer, Tree};

/// What a run is given again.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) request: Request,
    pub(crate) run_id: String,
    pub(crate) started_ms: i64,
    pub(crate) duration_ms: u64,
    pub(crate) seed: u64,
    pub(crate) script: Script,
    pub(crate) setup: Setup,
    pub(crate) host: HostVersion,
    /// In the order recorded.
    pub(crate) answers: Vec<GivenAnswer>,
    pub(crate) approvals: Vec<GivenApproval>,
    pub(crate) tree: Tree,
}

/// An answer, and the request it is to.
#[derive(Clone, Debug)]
pub(crate) struct GivenAnswer {
    /// Upper-case.
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) answer: Answer,
}

/// What the approver said.
#[derive(Clone, Debug)]
pub(crate) struct GivenApproval {
    pub(crate) action: String,
    pub(crate) answer: ApprovalAnswer,
    pub(crate) at_ms: u64,
}

/// Something given that the run did not ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unused {
    /// By place in [`Given::answers`].
    Answer(usize),
    /// What came of it, by place in [`Given::answers`]: the name was asked for, and it leads where
    /// nobody may go.
    Outcome(usize),
    /// By place in [`Given::approvals`].
    Approval(usize),
    /// What a path holds.
    File(String),
    List(String),
    /// What comes of the last so many writes to a path.
    Writes(String, usize),
    /// By name, the last so many.
    Locks(String, usize),
}

impl Given {
    /// What it is, as a person would say.
    pub(crate) fn describe(&self, unused: &Unused) -> String {
        match unused {
            Unused::Answer(place) | Unused::Outcome(place) => match self.answers.get(*place) {
                Some(answer) => format!("answer to {} {}", answer.method, answer.url),
                None => format!("answer {place}"),
            },
            Unused::Approval(place) => match self.approvals.get(*place) {
                Some(approval) => format!("approval to {}", approval.action),
                None => format!("approval {place}"),
            },
            Unused::File(path) => format!("file `{path}`"),
            Unused::List(path) => format!("list of `{path}`"),
            Unused::Writes(path, _) => format!("what comes of writing `{path}`"),
            Unused::Locks(name, _) => format!("lock `{name}`"),
        }
    }

    /// Without these.
    pub(crate) fn without(mut self, unused: &[Unused]) -> Self {
        for (given, place) in self.answers.iter_mut().zip(0..) {
            if unused.contains(&Unused::Outcome(place)) {
                let fault = HttpFault::new(HttpFaultKind::AddressDenied, "refused in the replay");
                given.answer.outcome = Err(fault);
            }
        }
        let mut place = 0..;
        self.answers
            .retain(|_| !place.next().is_some_and(|place| unused.contains(&Unused::Answer(place))));
        let mut place = 0..;
        self.approvals.retain(|_| {
            !place.next().is_some_and(|place| unused.contains(&Unused::Approval(place)))
        });
        for unused in unused {
            match unused {
                Unused::Answer(_) | Unused::Outcome(_) | Unused::Approval(_) => {}
                Unused::File(path) => drop(self.tree.files.remove(path)),
                Unused::List(path) => drop(self.tree.lists.remove(path)),
                Unused::Writes(path, last) => drop_last(&mut self.tree.writes, path, *last),
                Unused::Locks(name, last) => drop_last(&mut self.tree.locks, name, *last),
            }
        }
        self
    }
}

fn drop_last<T>(events: &mut BTreeMap<String, VecDeque<T>>, of: &str, last: usize) {
    let Some(known) = events.get_mut(of) else { return };
    known.truncate(known.len().saturating_sub(last));
    if known.is_empty() {
        events.remove(of);
    }
}
