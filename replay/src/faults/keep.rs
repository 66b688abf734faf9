//! [`keep`]: a variant that is worth keeping becomes a derived case.

use std::{fs, path::Path};

use thiserror::Error;

use super::{Base, Left, Variant};
use crate::{
    CaseError, CaseName, Kit, Verdict,
    case::{Piece, derived_files, expect_files, put},
    cases::replay_case,
    verdict::chain,
};

/// Why a variant does not become a case.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    #[error("there is a case `{0}` already: choose another name, or remove it first")]
    Exists(CaseName),
    #[error("`{0}` is derived itself: take a variant of its base")]
    Derived(CaseName),
    #[error("`{0}` itself is not ok: {1}")]
    Not(CaseName, Verdict),
    #[error("`{0}` has {1} variants: `--list` shows them by number")]
    NoVariant(CaseName, usize),
    #[error("the case would not replay as it was written: {0}")]
    NotOk(Verdict),
    #[error("{}", chain(.0))]
    Case(#[from] CaseError),
    #[error("the case cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes the variant of that number (from 1) as a case, and what it comes to as what is expected.
/// Gives what goes wrong in it.
///
/// # Errors
/// The base is derived or not `ok`, has no such variant, or the variant asks for what the tape does
/// not hold; a file would hold what looks like a secret or cannot be written. Nothing is left then.
pub(crate) fn keep(
    kit: &Kit,
    golden: &Path,
    of: &CaseName,
    number: usize,
    name: &CaseName,
    title: Option<&str>,
) -> Result<String, Refusal> {
    let folder = golden.join(name.as_str());
    if folder.exists() {
        return Err(Refusal::Exists(name.clone()));
    }
    let base = Base::read(kit, golden, of).map_err(|left| match left {
        Left::Derived => Refusal::Derived(of.clone()),
        Left::Not(verdict) => Refusal::Not(of.clone(), verdict),
    })?;
    let variant = number.checked_sub(1).and_then(|place| base.variants.get(place));
    let Variant { words, change, .. } =
        variant.ok_or_else(|| Refusal::NoVariant(of.clone(), base.variants.len()))?;
    let title = title.map_or_else(|| format!("{}; {words}", base.case.title), str::to_owned);
    let written = write(kit, golden, name, &derived_files(&title, of, change)?);
    if written.is_err() {
        // What is left of an attempt would be a case that nobody asked for.
        let _ = fs::remove_dir_all(&folder);
        let _ = folder.parent().map(fs::remove_dir);
    }
    written.map(|()| words.clone())
}

/// Writes `given/`, runs it, writes `expect/`, and runs it again.
fn write(kit: &Kit, golden: &Path, name: &CaseName, given: &[Piece]) -> Result<(), Refusal> {
    put(golden, name, given)?;
    let replayed = replay_case(kit, golden, name);
    let Some(came) = replayed.came else { return Err(Refusal::NotOk(replayed.verdict)) };
    put(golden, name, &expect_files(&came.outcome)?)?;
    match replay_case(kit, golden, name).verdict {
        Verdict::Ok => Ok(()),
        verdict => Err(Refusal::NotOk(verdict)),
    }
}
