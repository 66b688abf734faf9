//! [`promote`]: a recorded run becomes a case.

use std::{io, path::Path};

use similar::{ChangeTag, TextDiff};
use tapeline::audit::Record;
use tempfile::TempDir;
use thiserror::Error;

use crate::{
    CaseError, CaseName, Difference, Json, Kit, Log, LogError, Verdict, again,
    case::{Piece, Provenance, expect_files, given_files, no_secret, put},
    cases::replay_case,
    diff,
    given::Given,
    outcome::Outcome,
    player::{NotPlayed, Played, play},
    record::{given, recorded},
    taped::Written,
};

/// How a placeholder begins.
const PLACEHOLDER: &str = "{{secret:";

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

/// Writes the case.
///
/// # Errors
/// The tape is incomplete, two replays differ, a replay differs from what was recorded anywhere that
/// scrubbing did not touch, a file of the case would hold what looks like a secret, or a file cannot
/// be read or written. Nothing is written then.
pub(crate) fn promote(
    kit: &Kit,
    golden: &Path,
    run_id: &str,
    name: &CaseName,
    title: Option<&str>,
) -> Result<String, Refusal> {
    let log = Log::open(kit.root.join("audit"))?;
    let record = log.find(run_id)?.ok_or_else(|| Refusal::NoRun(run_id.to_owned()))?;
    if golden.join(name.as_str()).exists() {
        return Err(Refusal::Exists(name.clone()));
    }
    let given = given(&log, &record).map_err(|verdict| match verdict {
        Verdict::Skipped(why) => Refusal::Skipped(why),
        Verdict::Broken(why) => Refusal::Broken(why),
        other => Refusal::NotOk(other),
    })?;
    let played =
        play(given.clone(), kit.registry.clone(), kit.patience).map_err(|not| match not {
            NotPlayed::Stuck => Refusal::Stuck,
            NotPlayed::Broken(why) => Refusal::Broken(why),
        })?;
    if !played.misses.is_empty() {
        return Err(Refusal::Miss(played.misses));
    }
    let outcome = Outcome::of_played(&played).map_err(Refusal::Broken)?;
    let expected = recorded(&log, &record).map_err(Refusal::Broken)?.record_document();
    let mut differences = diff(&expected, &outcome.record_document());
    differences.retain(|difference| !is_scrubbed(difference, &outcome, &played));
    if !differences.is_empty() {
        return Err(match given.request.command.contains(PLACEHOLDER) {
            true => Refusal::DiffersBySecret(differences),
            false => Refusal::Differs(differences),
        });
    }
    let second = again::record(log.dir(), &record.run_id)?;
    let second = second.into_values().next().unwrap_or(Json::Object(Vec::new()));
    let differences = diff(&outcome.whole_document(), &second);
    if !differences.is_empty() {
        return Err(Refusal::Unstable(differences));
    }
    let given = given.clone().without(&given.tree.needless_writes(&played.removals));
    let pieces = pieces(title, &given, &record, &outcome)?;
    no_secret(golden, name, &pieces)?;
    // Elsewhere first: a case that does not hold leaves nothing behind, in `_blobs` either.
    let trial = TempDir::new().map_err(Refusal::Trial)?;
    put(trial.path(), name, &pieces)?;
    match replay_case(kit, trial.path(), name).verdict {
        Verdict::Ok => put(golden, name, &pieces)?,
        verdict => return Err(Refusal::NotOk(verdict)),
    }
    Ok(record.run_id)
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

/// Whether a place differs since a secret stood there: lines of a text with a placeholder, or length
/// and hash of an artifact with one.
fn is_scrubbed(difference: &Difference, outcome: &Outcome, played: &Played) -> bool {
    if let (Some(Json::Text(expected)), Some(Json::Text(actual))) =
        (&difference.expected, &difference.actual)
        && [expected, actual].iter().all(|text| text.contains(PLACEHOLDER))
    {
        let lines = TextDiff::from_lines(expected, actual);
        let mut changed =
            lines.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
        return changed.all(|change| change.value().contains(PLACEHOLDER));
    }
    let Some(rest) = difference.path.strip_prefix("/artifacts/") else { return false };
    let Some((place, "bytes" | "sha256")) = rest.split_once('/') else { return false };
    let written = artifact(outcome, place).and_then(|path| played.written.get(path));
    let content = |written: &Written| {
        written.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    written.and_then(content).is_some_and(|content| content.contains(PLACEHOLDER))
}

fn artifact<'a>(outcome: &'a Outcome, place: &str) -> Option<&'a str> {
    let (_, artifacts) = outcome.envelope.iter().find(|(name, _)| name == "artifacts")?;
    let Json::Array(artifacts) = artifacts else { return None };
    let Json::Object(fields) = artifacts.get(place.parse::<usize>().ok()?)? else { return None };
    fields.iter().find_map(|(name, value)| match value {
        Json::Text(path) if name == "path" => Some(path.as_str()),
        _ => None,
    })
}
