//! [`promote`]: a recorded run becomes a case.

use std::{io, path::Path};

use tapeline::{audit::Record, workspace::WorkspaceFaultKind};
use tempfile::TempDir;
use thiserror::Error;

use crate::{
    CaseError, CaseName, Difference, Json, Kit, Log, LogError, Verdict, again,
    case::{Piece, Provenance, expect_files, given_files, no_secret, put},
    cases::replay_case,
    diff,
    digest::sha256_hex,
    given::Given,
    held::Held,
    outcome::{Change, Outcome},
    player::{NotPlayed, Played, play},
    record::{given, recorded},
    scrubbed::{Artifact, PLACEHOLDER, artifacts, is_scrubbed},
    taped::TapedFile,
};

/// Why a run is not promoted.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    #[error("there is no run `{0}` in the log")]
    NoRun(String),
    #[error("there is a case `{0}` already: choose another name, or remove it first")]
    Exists(CaseName),
    #[error("the run cannot be run again: {0}")]
    Skipped(String),
    #[error("the record cannot be used: {0}")]
    Broken(String),
    #[error("its replay does not end")]
    Stuck,
    #[error("its replay asks for what the tape does not hold:{}", lines(.0))]
    Miss(Vec<crate::Miss>),
    #[error("two replays in two processes differ:{}", lines(.0))]
    Unstable(Vec<Difference>),
    #[error("its replay differs from the record, so this build is not the one that ran it:{}", lines(.0))]
    Differs(Vec<Difference>),
    #[error(
        "its replay differs from the record, since a placeholder stands for a secret in its command \
         line; run it with a made-up secret that has no such shape:{}", lines(.0)
    )]
    DiffersBySecret(Vec<Difference>),
    #[error("the case would not replay as it was written: {0}")]
    NotOk(Verdict),
    #[error("its replay differs in what no case looks at: see `run`")]
    SeenByNoCase,
    #[error("{}", crate::verdict::chain(.0))]
    Log(#[from] LogError),
    #[error("{}", crate::verdict::chain(.0))]
    Case(#[from] CaseError),
    #[error("{}", crate::verdict::chain(.0))]
    Again(#[from] again::AgainError),
    #[error("no temporary folder can be had to try the case in: {0}")]
    Trial(#[source] io::Error),
    #[error("the case cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

fn lines<T: ToString>(items: &[T]) -> String {
    items.iter().map(|item| format!("\n{}", item.to_string().trim_end())).collect()
}

/// What a case is to expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expects {
    /// What its replay comes to, which is what was recorded.
    Replayed,
    /// What was recorded, and its replay comes to something else: the case fails until this build
    /// is another, or what comes is accepted.
    Recorded,
}

/// Writes the case, and gives the run's whole id.
///
/// # Errors
/// The tape is incomplete, two replays differ, a replay differs from what was recorded anywhere that
/// scrubbing did not touch (or nowhere, where it should), a file of the case would hold what looks
/// like a secret, or a file cannot be read or written. Nothing is written then.
pub(crate) fn promote(
    kit: &Kit,
    golden: &Path,
    log: &Log,
    run_id: &str,
    name: &CaseName,
    title: Option<&str>,
    expects: Expects,
) -> Result<String, Refusal> {
    let record = log.find(run_id)?.ok_or_else(|| Refusal::NoRun(run_id.to_owned()))?;
    if golden.join(name.as_str()).exists() {
        return Err(Refusal::Exists(name.clone()));
    }
    let given = given(log, &record).map_err(|verdict| match verdict {
        Verdict::Skipped(why) => Refusal::Skipped(why),
        Verdict::Broken(why) => Refusal::Broken(why),
        other => Refusal::NotOk(other),
    })?;
    let played =
        play(given.clone(), kit.registry.clone(), kit.patience).map_err(|not| match not {
            NotPlayed::Stuck => Refusal::Stuck,
            NotPlayed::Broken(why) => Refusal::Broken(why),
        })?;
    let outcome = Outcome::of_played(&played).map_err(Refusal::Broken)?;
    let recorded = recorded(log, &record).map_err(Refusal::Broken)?;
    if expects == Expects::Replayed {
        hold_to_record(&recorded, &given, &played, &outcome)?;
    }
    let second = again::record(log.dir(), &record.run_id)?;
    let second = second.into_values().next().unwrap_or(Json::Object(Vec::new()));
    let differences = diff(&outcome.whole_document(), &second);
    if !differences.is_empty() {
        return Err(Refusal::Unstable(differences));
    }
    let expected = match expects {
        Expects::Replayed => outcome,
        Expects::Recorded => as_recorded(recorded, &given, outcome),
    };
    let given = given.clone().without(&given.tree.needless_writes(&played.removals));
    let pieces = pieces(title, &given, &record, &expected)?;
    no_secret(golden, name, &pieces)?;
    // Elsewhere first: a case that does not hold leaves nothing behind, in `_blobs` either.
    let trial = TempDir::new().map_err(Refusal::Trial)?;
    put(trial.path(), name, &pieces)?;
    match (replay_case(kit, trial.path(), name).verdict, expects) {
        (Verdict::Ok, Expects::Replayed)
        | (Verdict::Changed(_) | Verdict::Miss(_) | Verdict::Panic, Expects::Recorded) => {
            let _held = Held::cases(golden, [])?;
            // Another may have made one meanwhile.
            if golden.join(name.as_str()).exists() {
                return Err(Refusal::Exists(name.clone()));
            }
            put(golden, name, &pieces)?;
        }
        (Verdict::Ok, Expects::Recorded) => return Err(Refusal::SeenByNoCase),
        (verdict, _) => return Err(Refusal::NotOk(verdict)),
    }
    Ok(record.run_id)
}

fn hold_to_record(
    recorded: &Outcome,
    given: &Given,
    played: &Played,
    outcome: &Outcome,
) -> Result<(), Refusal> {
    if !played.misses.is_empty() {
        return Err(Refusal::Miss(played.misses.clone()));
    }
    let mut differences = diff(&recorded.record_document(), &outcome.record_document());
    differences.retain(|difference| !is_scrubbed(difference, outcome, played));
    match (differences.is_empty(), given.request.command.contains(PLACEHOLDER)) {
        (true, _) => Ok(()),
        (false, true) => Err(Refusal::DiffersBySecret(differences)),
        (false, false) => Err(Refusal::Differs(differences)),
    }
}

/// What was recorded, with what the run left in the workspace. Of that a record knows what its
/// artifacts hold; all else is taken to be as this build leaves it.
fn as_recorded(recorded: Outcome, given: &Given, outcome: Outcome) -> Outcome {
    let mut workspace = outcome.workspace;
    for Artifact { path, bytes, sha256 } in artifacts(&recorded) {
        let holds = Some((bytes, sha256));
        let kind = match given.tree.files.get(&path) {
            Some(TapedFile::Bytes(before))
                if holds == Some((before.len() as u64, sha256_hex(before))) =>
            {
                workspace.remove(&path);
                continue;
            }
            Some(TapedFile::Fault(WorkspaceFaultKind::NotFound)) => "created",
            Some(_) => "changed",
            None => "written",
        };
        if workspace.get(&path).is_none_or(|change| change.holds != holds) {
            let change = Change { change: kind.to_owned(), holds, text: None };
            workspace.insert(path, change);
        }
    }
    Outcome { workspace, ..recorded }
}

fn pieces(
    title: Option<&str>,
    given: &Given,
    record: &Record,
    outcome: &Outcome,
) -> Result<Vec<Piece>, serde_json::Error> {
    let provenance = Provenance {
        run_id: record.run_id.clone(),
        recorded: record.timestamp.clone(),
        host: record.host.clone(),
        framework: record.framework.clone(),
        specs: record.specs.clone(),
        features: given.setup.features.clone(),
    };
    let title = title.unwrap_or(&given.request.command);
    let mut pieces = given_files(title, given, Some(&provenance))?;
    pieces.extend(expect_files(outcome)?);
    Ok(pieces)
}
