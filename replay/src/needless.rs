//! [`Needless`]: what lies in the folders of cases and of what is pending, and nothing needs.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CaseError, CaseName,
    case::{Case, files_below, is_half_written, left_over},
    cases::{files_in, folders, folders_in, holds_cases, no_cases, on_all_cores},
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
    /// A folder cannot be listed, or it holds no case: all that lies there is of somebody else.
    pub(crate) fn find(golden: &Path, pending: &Pending) -> Result<Self, CaseError> {
        let (names, strays) = folders(golden)?;
        if !holds_cases(golden) {
            return Err(no_cases(golden));
        }
        let mut needless = Self::default();
        let (cases, blobs) = needless.look_at_cases(golden, &names, &strays)?;
        let sure = needless.unread.is_empty();
        needless.look_at_blobs(golden, &blobs, sure)?;
        needless.look_at_pending(&cases, pending)?;
        let mut empty = Vec::new();
        // What is hidden is of others, as a `.git`.
        for folder in folders_in(golden)?.iter().filter(|folder| !folder.starts_with('.')) {
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
            match removed {
                // Somebody else was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(CaseError::io(path))?,
            }
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

    /// The cases that are more than what a write left, and the blobs that they refer to.
    fn look_at_cases(
        &mut self,
        golden: &Path,
        names: &[CaseName],
        strays: &[String],
    ) -> Result<(BTreeSet<CaseName>, BTreeSet<String>), CaseError> {
        for stray in strays {
            if !files_below(&golden.join(stray))?.is_empty() {
                self.unread.push(format!("{stray}: it has no name of a case"));
            }
        }
        let (mut cases, mut to_read) = (BTreeSet::new(), Vec::new());
        for name in names {
            match unfinished(&golden.join(name.as_str())) {
                Ok((leftovers, is_all)) => {
                    if !is_all {
                        to_read.push(name.clone());
                    }
                    let why = "a write that was cut off left it";
                    self.found.extend(leftovers.into_iter().map(|leftover| (leftover, why)));
                }
                Err(error) => {
                    cases.insert(name.clone());
                    self.unread.push(chain(&error));
                }
            }
        }
        let read = |name: &CaseName| Case::read_without_leftovers(golden, name);
        let mut blobs = BTreeSet::new();
        for (name, case) in to_read.iter().zip(on_all_cores(&to_read, &read, &|_, _| {})) {
            match case {
                Ok(case) => blobs.extend(case.blobs),
                Err(error) => self.unread.push(format!("{name}: {}", chain(&error))),
            }
        }
        cases.extend(to_read);
        Ok((cases, blobs))
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

    fn look_at_pending(
        &mut self,
        cases: &BTreeSet<CaseName>,
        pending: &Pending,
    ) -> Result<(), CaseError> {
        if !pending.folder.exists() {
            return Ok(());
        }
        let (_, strays) = folders(&pending.folder)?;
        let strays = strays.into_iter().map(|stray| pending.folder.join(stray));
        let why = "a write or a removal that was cut off left it";
        self.found.extend(strays.filter(|stray| is_half_written(stray)).map(|stray| (stray, why)));
        let (mut blobs, mut sure) = (BTreeSet::new(), true);
        for name in pending.list(&[])? {
            if !cases.contains(&name) {
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
        if pending.is_known()? {
            return self.look_at_blobs(&pending.folder, &blobs, sure);
        }
        if !orphans(&pending.folder, &blobs)?.is_empty() {
            let blobs = pending.folder.join("_blobs");
            self.unread.push(format!(
                "`{}`: nothing shows that it lies in a folder of what is pending: give another \
                 `--pending`, or remove it by hand",
                blobs.display()
            ));
        }
        Ok(())
    }
}

/// What a write left in the folder of a case, and whether that is all there is.
fn unfinished(folder: &Path) -> Result<(Vec<PathBuf>, bool), CaseError> {
    let leftovers = left_over(folder)?.unwrap_or_default();
    let is_left = |file: &String| {
        let file = folder.join(file);
        leftovers.iter().any(|leftover| file.starts_with(leftover))
    };
    let is_all = files_below(folder)?.iter().all(is_left);
    Ok((leftovers, is_all))
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
