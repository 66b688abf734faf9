//! Running cases: one, or all of a folder on all cores.

use std::{
    collections::VecDeque,
    fs, io,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::{
    CaseError, CaseName, CasePattern, Kit, Verdict,
    case::{Case, CaseErrorKind},
    diff,
    given::Unused,
    outcome::Outcome,
    player::{NotPlayed, Played, play},
    record::unused,
    taped::lock,
};

/// A case that was run.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    pub(crate) verdict: Verdict,
    /// What it came to, where it came to something.
    pub(crate) came: Option<Came>,
}

/// What a case came to.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) case: Case,
    pub(crate) outcome: Outcome,
    pub(crate) unused: Vec<Unused>,
}

/// The cases of a folder that any of the patterns means, in order; all where there is no pattern.
///
/// # Errors
/// The folder cannot be listed, or a pattern means no case.
pub(crate) fn list(golden: &Path, patterns: &[CasePattern]) -> Result<Vec<CaseName>, CaseError> {
    let (all, _) = folders(golden)?;
    for pattern in patterns {
        if !all.iter().any(|name| pattern.matches(name)) {
            let why = format!(
                "`{pattern}` is no case here: give `<group>/<case>`, a group, or a pattern as `*cache*`"
            );
            return Err(CaseError::at(golden, CaseErrorKind::Value(why)));
        }
    }
    let is_meant = |name: &CaseName| {
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name))
    };
    Ok(all.into_iter().filter(is_meant).collect())
}

/// The cases of a folder, and the folders that lie where cases should and have no name of one.
pub(crate) fn folders(golden: &Path) -> Result<(Vec<CaseName>, Vec<String>), CaseError> {
    let (mut cases, mut strays) = (Vec::new(), Vec::new());
    if !golden.exists() {
        return Err(no_cases(golden));
    }
    for group in folders_in(golden)? {
        if group == "_blobs" {
            continue;
        }
        for case in folders_in(&golden.join(&group))? {
            let name = format!("{group}/{case}");
            match name.parse() {
                Ok(name) => cases.push(name),
                Err(_) => strays.push(name),
            }
        }
    }
    cases.sort();
    strays.sort();
    Ok((cases, strays))
}

/// Whether a case lies where those of a folder do.
pub(crate) fn holds_cases(golden: &Path) -> bool {
    let is_case = |name: &CaseName| golden.join(name.as_str()).join("given/case.json").is_file();
    folders(golden).is_ok_and(|(names, _)| names.iter().any(is_case))
}

/// That there are no cases in a folder.
pub(crate) fn no_cases(golden: &Path) -> CaseError {
    let why = "there are no cases: promote a run first, or say with `--golden` where they are";
    CaseError::at(golden, CaseErrorKind::Value(why.to_owned()))
}

pub(crate) fn folders_in(folder: &Path) -> Result<Vec<String>, CaseError> {
    entries(folder, true)
}

pub(crate) fn files_in(folder: &Path) -> Result<Vec<String>, CaseError> {
    entries(folder, false)
}

fn entries(folder: &Path, folders: bool) -> Result<Vec<String>, CaseError> {
    let failed = |error: io::Error| CaseError::at(folder, CaseErrorKind::Io(error));
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() == folders {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// Runs a case and compares what comes of it with what is expected.
pub(crate) fn replay_case(kit: &Kit, golden: &Path, name: &CaseName) -> Replayed {
    let alone = |verdict| Replayed { verdict, came: None };
    let case = match Case::read(golden, name) {
        Ok(case) => case,
        Err(error) => return alone(Verdict::Broken(kit.told(&error))),
    };
    match Ran::of(kit, &case) {
        Ok(ran) => {
            let verdict = ran.verdict(&case);
            let Ran { outcome, played } = ran;
            Replayed { verdict, came: Some(Came { case, outcome, unused: played.unused }) }
        }
        Err(verdict) => alone(verdict),
    }
}

/// What running a case came to, before it is compared.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    played: Played,
}

impl Ran {
    /// Runs a case; the verdict where there is nothing to compare.
    pub(crate) fn of(kit: &Kit, case: &Case) -> Result<Self, Verdict> {
        if let Some(path) = kit.lacks(&case.given.request.command) {
            return Err(Verdict::Skipped(format!("this build was made without `{path}`")));
        }
        let mut played = match play(case.given.clone(), kit.registry.clone(), kit.patience) {
            Ok(played) => played,
            Err(NotPlayed::Stuck) => return Err(Verdict::Stuck),
            Err(NotPlayed::Broken(why)) => return Err(Verdict::Broken(why)),
        };
        if !played.misses.is_empty() {
            return Err(Verdict::Miss(played.misses));
        }
        played.unused.extend(case.given.tree.needless_writes(&played.removals));
        if case.base.is_some() {
            // What its base is given may be left over after the change; the change itself may not.
            played.unused.retain(|unused| is_of_the_change(unused, case));
        }
        let outcome = Outcome::of_played(&played).map_err(Verdict::Broken)?;
        Ok(Self { outcome, played })
    }

    /// Whether that is what a case expects, which is given what was run.
    pub(crate) fn verdict(&self, case: &Case) -> Verdict {
        let Some(expected) = &case.expected else { return Verdict::New };
        let mut differences = diff(&expected.document(), &self.outcome.case_document());
        differences.extend(unused(&case.given, &self.played));
        Verdict::of(differences, &self.played, expected.error_code())
    }
}

/// The refusals of a change come before those of its base.
fn is_of_the_change(unused: &Unused, case: &Case) -> bool {
    let (path, last) = match unused {
        Unused::Writes(path, last) => (path, last),
        Unused::Outcome(place) => return case.changed.contains(&Unused::Answer(*place)),
        unused => return case.changed.contains(unused),
    };
    let all = case.given.tree.writes.get(path).map_or(0, VecDeque::len);
    case.changed.iter().any(|changed| {
        matches!(changed, Unused::Writes(own, count) if own == path && all - last < *count)
    })
}

/// Does something with each case, on all cores, and gives what came of it in order. `each` hears of
/// a case as soon as it is done.
pub(crate) fn on_all_cores<T: Send>(
    names: &[CaseName],
    work: &(dyn Fn(&CaseName) -> T + Sync),
    each: &(dyn Fn(&CaseName, &T) + Sync),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from).min(names.len());
    let take_turns = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = names.get(place) else { return };
            let result = work(name);
            each(name, &result);
            lock(&done).push((place, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_turns);
        }
        take_turns();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
