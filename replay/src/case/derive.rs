//! Derived cases: another one's `given/` with a [`Change`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tapeline::{
    Script,
    audit::WriteEvent,
    http::{HttpFault, HttpResponse},
};

use super::{
    CASE_FORMAT, CaseError, CaseErrorKind, CaseName,
    folder::Folder,
    format::{AnswerChange, ChangeFile, DerivedFile},
    put::Piece,
    read::{approvals, outcome, script},
    write::{answered, approval_files, end, json_file},
};
use crate::given::{Given, GivenApproval, Unused};

/// What a derived case is given otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// Another line.
    pub(crate) command: Option<String>,
    /// Another time to start at.
    pub(crate) started_ms: Option<i64>,
    /// Another end.
    pub(crate) script: Option<Script>,
    /// What other answers come to, by place in [`Given::answers`].
    pub(crate) answers: Vec<(usize, Result<HttpResponse, HttpFault>)>,
    /// What the approver says instead.
    pub(crate) approvals: Option<Vec<GivenApproval>>,
    /// What comes of writes, before what the other case says of the same paths.
    pub(crate) writes: Vec<WriteEvent>,
}

impl Change {
    pub(super) fn read(folder: &mut Folder, file: ChangeFile) -> Result<Self, CaseError> {
        let mut answers = Vec::new();
        let mut places = BTreeSet::new();
        for changed in file.answers {
            let place = changed.place;
            if !places.insert(place) {
                let why = format!("answer {place} is changed twice: take one away");
                let file = folder.path.join("given/case.json");
                return Err(CaseError::at(file, CaseErrorKind::Value(why)));
            }
            answers.push((place, outcome(folder, changed.response, changed.fault)?));
        }
        for write in &file.writes {
            folder.workspace_path(write.path.clone())?;
        }
        Ok(Self {
            command: file.command,
            started_ms: file.clock_start,
            script: file.end.as_ref().map(script),
            answers,
            approvals: file.approvals.map(|files| approvals(folder, files)).transpose()?,
            writes: file.writes,
        })
    }

    /// What is given then.
    ///
    /// # Errors
    /// The place of an answer that there is not.
    pub(crate) fn apply(self, mut given: Given) -> Result<Given, usize> {
        if let Some(command) = self.command {
            given.request.command = command;
        }
        if let Some(started_ms) = self.started_ms {
            given.started_ms = started_ms;
        }
        if let Some(script) = self.script {
            given.script = script;
            given.tree.stopped = script != Script::Returns;
        }
        if let Some(approvals) = self.approvals {
            given.approvals = approvals;
        }
        for (place, outcome) in self.answers {
            given.answers.get_mut(place).ok_or(place)?.answer.outcome = outcome;
        }
        for write in self.writes.into_iter().rev() {
            let events: &mut VecDeque<_> = given.tree.writes.entry(write.path.clone()).or_default();
            events.push_front(write);
        }
        Ok(given)
    }

    /// What of it means nothing unless the run asks for it. Of writes, how many.
    pub(super) fn parts(&self) -> Vec<Unused> {
        let answers = self.answers.iter().map(|(place, _)| Unused::Answer(*place));
        let approvals = 0..self.approvals.as_ref().map_or(0, Vec::len);
        let mut writes: BTreeMap<&String, usize> = BTreeMap::new();
        for write in &self.writes {
            *writes.entry(&write.path).or_default() += 1;
        }
        let writes = writes.into_iter().map(|(path, count)| Unused::Writes(path.clone(), count));
        answers.chain(approvals.map(Unused::Approval)).chain(writes).collect()
    }
}

/// What a case is given that is another one with a change.
pub(super) fn derive(folder: &Folder, given: Given, change: Change) -> Result<Given, CaseError> {
    change.apply(given).map_err(|place| {
        let why = format!("its base has no answer {place}");
        CaseError::at(folder.path.join("given/case.json"), CaseErrorKind::Value(why))
    })
}

/// The files of `given/` of such a case.
///
/// # Errors
/// A value that JSON cannot hold.
pub(crate) fn derived_files(
    title: &str,
    base: &CaseName,
    change: &Change,
) -> Result<Vec<Piece>, serde_json::Error> {
    let mut pieces = Vec::new();
    let answers = change.answers.iter().zip(1..).map(|((place, outcome), number)| {
        let (response, fault) = answered(outcome, number, &mut pieces);
        AnswerChange { place: *place, response, fault }
    });
    let answers = answers.collect();
    let case = DerivedFile {
        format: CASE_FORMAT,
        title: title.to_owned(),
        base: base.to_string(),
        change: ChangeFile {
            command: change.command.clone(),
            clock_start: change.started_ms,
            end: change.script.map(end),
            answers,
            approvals: change.approvals.as_deref().map(approval_files),
            writes: change.writes.clone(),
        },
    };
    pieces.push(json_file("given/case.json", &case)?);
    Ok(pieces)
}
