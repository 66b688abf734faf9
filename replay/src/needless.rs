//! [`Needless`]: what lies in the folders of cases and of what is pending, and nothing needs.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    CaseError, CaseName,
    case::{Case, files_below, is_half_written, left_over},
    cases::{files_in, folders, folders_in, on_all_cores},
    pending::Pending,
    verdict::chain,
};

/// What lies there and nothing needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needless {
    /// What may go, and why.
    pub(crate) found: Vec<(PathBuf, &'static str)>,
    /// What cannot be read, and why: whether it needs a blob is not known, so no blob may go.
    pub(crate) unread: Vec<String>,
}

impl Needless {
    /// Looks for it.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub(crate) fn find(golden: &Path, pending: &Pending) -> Result<Self, CaseError> {
        let mut needless = Self::default();
        let blobs = needless.look_at_cases(golden)?;
        let sure = needless.unread.is_empty();
        needless.look_at_blobs(golden, &blobs, sure)?;
        needless.look_at_pending(golden, pending)?;
        let mut empty = Vec::new();
        for folder in folders_in(golden)? {
            empty_folders(&golden.join(folder), &mut empty)?;
        }
        let is_told =
            |path: &PathBuf| needless.found.iter().any(|(told, _)| path.starts_with(told));
        empty.retain(|path| !is_told(path));
        needless.found.extend(empty.into_iter().map(|path| (path, "it is empty")));
        needless.found.sort();
        Ok(needless)
    }

    /// Removes it, and the folders that are empty then.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub(crate) fn remove(&self, golden: &Path, pending: &Pending) -> Result<(), CaseError> {
        for (path, _) in &self.found {
            let removed = match path.is_dir() {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            };
            removed.map_err(CaseError::io(path))?;
            for above in path.ancestors().skip(1) {
                let is_root = above == golden || above == pending.folder;
                // One that holds something stays.
                if is_root || fs::remove_dir(above).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The blobs that cases refer to.
    fn look_at_cases(&mut self, golden: &Path) -> Result<BTreeSet<String>, CaseError> {
        let (names, strays) = folders(golden)?;
        for stray in strays {
            if !files_below(&golden.join(&stray))?.is_empty() {
                self.unread.push(format!("{stray}: it has no name of a case"));
            }
        }
        let mut cases = Vec::new();
        for name in names {
            let folder = golden.join(name.as_str());
            let files = files_below(&folder)?;
            match left_over(&folder) {
                Ok(leftovers) => {
                    let leftovers = leftovers.unwrap_or_default();
                    let is_left = |file: &String| {
                        let file = folder.join(file);
                        leftovers.iter().any(|leftover| file.starts_with(leftover))
                    };
                    if !files.iter().all(is_left) {
                        cases.push(name);
                    }
                    let why = "a write that was cut off left it";
                    self.found.extend(leftovers.into_iter().map(|leftover| (leftover, why)));
                }
                Err(error) => self.unread.push(chain(&error)),
            }
        }
        let read = |name: &CaseName| Case::read_without_leftovers(golden, name);
        let mut blobs = BTreeSet::new();
        for (name, case) in cases.iter().zip(on_all_cores(&cases, &read, &|_, _| {})) {
            match case {
                Ok(case) => blobs.extend(case.blobs),
                Err(error) => self.unread.push(format!("{name}: {}", chain(&error))),
            }
        }
        Ok(blobs)
    }

    /// Adds the blobs of a folder that are none of these, and those that were not written to their
    /// end; the latter alone unless it is `sure` which ones are needed.
    fn look_at_blobs(
        &mut self,
        folder: &Path,
        needed: &BTreeSet<String>,
        sure: bool,
    ) -> Result<(), CaseError> {
        for blob in orphans(folder, needed)? {
            let path = folder.join(blob);
            match is_half_written(&path) {
                true => self.found.push((path, "a write that was cut off left it")),
                false if sure => self.found.push((path, "no case refers to it")),
                false => {}
            }
        }
        Ok(())
    }

    fn look_at_pending(&mut self, golden: &Path, pending: &Pending) -> Result<(), CaseError> {
        let (mut blobs, mut sure) = (BTreeSet::new(), true);
        for name in pending.list(&[])? {
            if !golden.join(name.as_str()).is_dir() {
                let path = pending.folder.join(name.as_str());
                self.found.push((path, "there is no such case any more"));
                continue;
            }
            match pending.blobs(&name) {
                Ok(referred) => blobs.extend(referred),
                Err(error) => {
                    sure = false;
                    self.unread.push(format!("what is pending of {name}: {}", chain(&error)));
                }
            }
        }
        self.look_at_blobs(&pending.folder, &blobs, sure)
    }
}

/// Files of `_blobs/` that none of these is, by path below the folder.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn orphans(golden: &Path, blobs: &BTreeSet<String>) -> Result<Vec<String>, CaseError> {
    let folder = golden.join("_blobs");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let orphans = files_below(&folder)?.into_iter().filter(|file| {
        // Where it is looked for.
        let is_needed =
            |(prefix, name): (&str, &str)| blobs.contains(name) && name.get(..2) == Some(prefix);
        !file.split_once('/').is_some_and(is_needed)
    });
    Ok(orphans.map(|file| format!("_blobs/{file}")).collect())
}

/// Finds the folders without a file, the outermost of each, and says whether this is one.
fn empty_folders(folder: &Path, found: &mut Vec<PathBuf>) -> Result<bool, CaseError> {
    let (mut below, mut is_empty) = (Vec::new(), files_in(folder)?.is_empty());
    for name in folders_in(folder)? {
        is_empty &= empty_folders(&folder.join(name), &mut below)?;
    }
    match is_empty {
        true => found.push(folder.to_owned()),
        false => found.append(&mut below),
    }
    Ok(is_empty)
}
