//! `diff`, `accept` and `reject`: what is pending, looked at and settled.

use std::{collections::BTreeMap, io::Write, path::Path};

use super::{Stop, arguments::Filter, case_text, patterns};
use crate::{
    CaseError, CaseName, CasePattern, Kit, Verdict,
    artifact::pending_in,
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
            true => pending.accept(golden, name).map_err(|error| chain(&error)),
            false => Err(refusal(kit, name, &kept)),
        }
    };
    settle(&something(filter, pending)?, out, "accepted", &accept)
}

/// Forgets what came of the cases that are meant.
pub(super) fn reject(filter: &Filter, pending: &Pending, out: &mut dyn Write) -> Result<u8, Stop> {
    let reject =
        |pending: &Pending, name: &CaseName| pending.reject(name).map_err(|error| chain(&error));
    settle(&something(filter, pending)?, out, "rejected", &reject)
}

fn settle(
    names: &BTreeMap<CaseName, Pending>,
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
        "broken" => "restore what the case is given, or promote the run again".to_owned(),
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
    let folders = match from {
        Some(folder) => pending_in(folder)?,
        None => vec![pending.clone()],
    };
    let (patterns, mut chosen) = (patterns(filter), BTreeMap::<CaseName, Pending>::new());
    for pending in folders {
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
