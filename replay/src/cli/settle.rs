//! `diff`, `accept` and `reject`: what is pending, looked at and settled.

use std::{collections::BTreeMap, io::Write, path::Path};

use super::{Stop, arguments::Filter, case_text, patterns};
use crate::{
    CaseError, CaseName, CasePattern, Kit, Verdict,
    artifact::pending_in,
    case::base_of,
    held::Held,
    pending::{Kept, Pending},
    verdict::chain,
};

/// Lines that say why there is nothing to accept; the rest is counted.
const MOST_LINES: usize = 10;

/// How the cases that are meant differ from what is expected.
pub(super) fn differences(
    filter: &Filter,
    golden: &Path,
    pending: &Pending,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let mut code = 1;
    for (name, pending) in something(filter, pending)? {
        match difference(&pending, golden, &name) {
            Ok(text) => write!(out, "{text}")?,
            Err(error) => {
                writeln!(out, "{name}: {}", chain(&error))?;
                code = 2;
            }
        }
    }
    Ok(code)
}

fn difference(pending: &Pending, golden: &Path, name: &CaseName) -> Result<String, CaseError> {
    let kept = pending.kept(name)?;
    if kept.may_be_accepted() {
        let verdict = Verdict::Changed(pending.waiting(golden, name)?.differences());
        return Ok(case_text(name.as_str(), &verdict));
    }
    let lines = kept.why.iter().map(|line| format!("{line}\n"));
    Ok(format!("{name}: {}\n{}", kept.verdict, lines.collect::<String>()))
}

/// Puts what came of the cases that are meant in place of what was expected.
pub(super) fn accept(
    filter: &Filter,
    kit: &Kit,
    golden: &Path,
    pending: &Pending,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let accept = |pending: &Pending, name: &CaseName| {
        let kept = pending.kept(name).map_err(|error| chain(&error))?;
        match kept.may_be_accepted() {
            true => pending.accept(golden, name).map_err(|error| kit.told(&error)),
            false => Err(refusal(kit, name, &kept)),
        }
    };
    let folders = held_folders(filter, pending)?;
    let _held = match folders.is_empty() {
        true => None,
        false => Some(Held::cases(golden, &folders)?),
    };
    let found = something(filter, pending)?;
    settle(&derived_first(golden, found), out, "accepted", &accept)
}

/// Forgets what came of the cases that are meant.
pub(super) fn reject(filter: &Filter, pending: &Pending, out: &mut dyn Write) -> Result<u8, Stop> {
    let reject =
        |pending: &Pending, name: &CaseName| pending.reject(name).map_err(|error| chain(&error));
    let _held = Held::pending(&held_folders(filter, pending)?)?;
    let found: Vec<_> = something(filter, pending)?.into_iter().collect();
    settle(&found, out, "rejected", &reject)
}

/// Those that are derived come before their bases: what a base is given may change by accepting, and
/// they are then no longer the cases that were run.
fn derived_first(golden: &Path, names: BTreeMap<CaseName, Pending>) -> Vec<(CaseName, Pending)> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by_cached_key(|(name, _)| base_of(golden, name).is_none());
    names
}

fn settle(
    names: &[(CaseName, Pending)],
    out: &mut dyn Write,
    done: &str,
    settle: &dyn Fn(&Pending, &CaseName) -> Result<(), String>,
) -> Result<u8, Stop> {
    let mut code = 0;
    for (name, pending) in names {
        match settle(pending, name) {
            Ok(()) => writeln!(out, "{name}: {done}")?,
            Err(why) => {
                writeln!(out, "{name}: {why}")?;
                code = 2;
            }
        }
    }
    Ok(code)
}

/// Why there is nothing to accept, and what to do.
pub(super) fn refusal(kit: &Kit, name: &CaseName, kept: &Kept) -> String {
    let mut said = format!("`{}` is nothing to accept", kept.verdict);
    for line in kept.why.iter().take(MOST_LINES) {
        said.push_str(&format!("\n{line}"));
    }
    if let Some(more) = kept.why.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        said.push_str(&format!("\n  … and {more} more"));
    }
    let advice = match kept.verdict.as_str() {
        "miss" => answer_misses(kit, name.as_str()),
        "broken" => "mend that, then run the case again".to_owned(),
        _ => "mend the command, then run the case again".to_owned(),
    };
    format!("{said}\n  {advice}")
}

/// What to do about a miss.
pub(super) fn answer_misses(kit: &Kit, case: &str) -> String {
    let amend = kit.call(&format!("amend {case}"));
    format!("answer what is missing: {amend} --absent PATH | --file PATH=FROM | --answer URL=FILE")
}

/// The cases that are meant, of those of which something is kept, and where.
pub(super) fn chosen(
    filter: &[String],
    from: Option<&Path>,
    pending: &Pending,
) -> Result<BTreeMap<CaseName, Pending>, Stop> {
    let (patterns, mut chosen) = (patterns(filter), BTreeMap::<CaseName, Pending>::new());
    for pending in folders(from, pending)? {
        for name in pending.list(&patterns)? {
            if let Some(other) = chosen.insert(name.clone(), pending.clone()) {
                return Err(Stop::Said(format!("{name} {}", in_both(&other, &pending))));
            }
        }
    }
    let is_idle = |pattern: &&CasePattern| !chosen.keys().any(|name| pattern.matches(name));
    match patterns.iter().find(is_idle) {
        None => Ok(chosen),
        Some(pattern) => Err(nothing_of(pattern, from.unwrap_or(&pending.folder))),
    }
}

fn folders(from: Option<&Path>, pending: &Pending) -> Result<Vec<Pending>, CaseError> {
    match from {
        Some(folder) => pending_in(folder),
        None => Ok(vec![pending.clone()]),
    }
}

/// The folders to lock before it is looked what they hold: what is kept again is gone for a moment. One
/// that is not there is not made for its lock.
fn held_folders(filter: &Filter, pending: &Pending) -> Result<Vec<Pending>, CaseError> {
    let mut folders = folders(filter.from.as_deref(), pending)?;
    folders.retain(|pending| pending.folder.is_dir());
    Ok(folders)
}

/// Why a case that two folders hold is taken from neither.
pub(super) fn in_both(one: &Pending, other: &Pending) -> String {
    let [one, other] = [one, other].map(|pending| pending.folder.display());
    format!("is in `{one}` and in `{other}`: give `--from` one of them")
}

/// Why a pattern that means nothing there goes no further.
pub(super) fn nothing_of(pattern: &CasePattern, folder: &Path) -> Stop {
    let folder = folder.display();
    Stop::Said(format!("nothing is pending of `{pattern}` in `{folder}`: run it first"))
}

fn something(filter: &Filter, pending: &Pending) -> Result<BTreeMap<CaseName, Pending>, Stop> {
    chosen(&filter.filter, filter.from.as_deref(), pending)
}
