//! Derived cases: another one's `given/` with a change.

use std::collections::VecDeque;

use super::{
    CaseError, CaseErrorKind,
    format::ChangeFile,
    read::{Folder, approvals, outcome, script},
};
use crate::given::{Given, Unused};

/// The parts of a change that mean nothing unless the run asks for them.
pub(super) fn changed_parts(change: &ChangeFile) -> Vec<Unused> {
    let answers = change.answers.iter().map(|changed| Unused::Answer(changed.place));
    let approvals = 0..change.approvals.as_ref().map_or(0, Vec::len);
    let writes = change.writes.iter().map(|write| Unused::Writes(write.path.clone()));
    answers.chain(approvals.map(Unused::Approval)).chain(writes).collect()
}

/// What a derived case is given.
pub(super) fn derive(
    folder: &mut Folder,
    mut given: Given,
    change: ChangeFile,
) -> Result<Given, CaseError> {
    if let Some(command) = change.command {
        given.request.command = command;
    }
    if let Some(start) = change.clock_start {
        given.started_ms = start;
    }
    if let Some(end) = &change.end {
        given.script = script(end);
        given.tree.stopped = given.script != tapeline::Script::Returns;
    }
    if let Some(changed) = change.approvals {
        given.approvals = approvals(folder, changed)?;
    }
    for changed in change.answers {
        let answered = outcome(folder, changed.response, changed.fault)?;
        let Some(answer) = given.answers.get_mut(changed.place) else {
            let why = format!("its base has no answer {}", changed.place);
            let path = folder.path.join("given/case.json");
            return Err(CaseError::at(path, CaseErrorKind::Value(why)));
        };
        answer.answer.outcome = answered;
    }
    for write in change.writes.into_iter().rev() {
        let events: &mut VecDeque<_> = given.tree.writes.entry(write.path.clone()).or_default();
        events.push_front(write);
    }
    Ok(given)
}
