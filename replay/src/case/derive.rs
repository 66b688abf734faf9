//! Derived cases: another one's `given/` with a change.

use std::collections::{BTreeMap, VecDeque};

use super::{
    CaseError, CaseErrorKind,
    folder::Folder,
    format::ChangeFile,
    read::{approvals, outcome, script},
};
use crate::given::{Given, Unused};

/// The parts of a change that mean nothing unless the run asks for them. Of writes, how many.
pub(super) fn changed_parts(change: &ChangeFile) -> Vec<Unused> {
    let answers = change.answers.iter().map(|changed| Unused::Answer(changed.place));
    let approvals = 0..change.approvals.as_ref().map_or(0, Vec::len);
    let mut writes: BTreeMap<&String, usize> = BTreeMap::new();
    for write in &change.writes {
        *writes.entry(&write.path).or_default() += 1;
    }
    let writes = writes.into_iter().map(|(path, count)| Unused::Writes(path.clone(), count));
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
        let path = folder.workspace_path(write.path.clone())?;
        let events: &mut VecDeque<_> = given.tree.writes.entry(path).or_default();
        events.push_front(write);
    }
    Ok(given)
}
