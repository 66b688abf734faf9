//! [`check`]: what is wrong with a folder of cases, seen without running any.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{
    CaseError, CaseName,
    case::Case,
    cases::{folders, folders_in, on_all_cores},
    verdict::chain,
};

/// How many cases there are, and what is wrong, one line each.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn check(golden: &Path) -> Result<(usize, Vec<String>), CaseError> {
    let (names, strays) = folders(golden)?;
    let mut findings: Vec<String> = strays
        .into_iter()
        .map(|name| format!("{name}: wants lower-case letters, digits and hyphens"))
        .collect();
    let read = |name: &CaseName| Case::read(golden, name);
    let mut blobs = BTreeSet::new();
    for (name, case) in names.iter().zip(on_all_cores(&names, &read, &|_, _| {})) {
        match case {
            Ok(case) => {
                if case.expected.is_none() {
                    findings.push(format!("{name}: nothing is expected yet: run and accept it"));
                }
                blobs.extend(case.blobs);
            }
            Err(error) => findings.push(format!("{name}: {}", chain(&error))),
        }
    }
    findings.extend(orphans(golden, &blobs)?);
    Ok((names.len(), findings))
}

/// Blobs that no case refers to.
fn orphans(golden: &Path, blobs: &BTreeSet<String>) -> Result<Vec<String>, CaseError> {
    let folder = golden.join("_blobs");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut orphans = Vec::new();
    for prefix in folders_in(&folder)? {
        for entry in fs::read_dir(folder.join(&prefix)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !blobs.contains(&name) {
                orphans.push(format!("_blobs/{prefix}/{name}: no case refers to it"));
            }
        }
    }
    orphans.sort();
    Ok(orphans)
}
