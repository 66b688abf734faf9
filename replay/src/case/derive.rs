//! Derived cases: another one's `given/` with a change.

use std::collections::VecDeque;

use super::{
    CaseError, CaseErrorKind,
    format::ChangeFile,
    read::{Folder, outcome, script},
};
use crate::given::Given;

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
