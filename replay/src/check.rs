//! [`check`]: what is wrong with a folder of cases, seen without running any.

use std::{collections::BTreeSet, path::Path};

use crate::{
    CaseError, CaseName,
    case::{Case, secrets_of},
    cases::{files_in, folders, folders_in, on_all_cores},
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
                let secrets = secrets_of(golden, name, &case.blobs)?;
                findings.extend(secrets.iter().map(|held| format!("{name}: {}", chain(held))));
                blobs.extend(case.blobs);
            }
            Err(error) => findings.push(format!("{name}: {}", chain(&error))),
        }
    }
    findings.extend(beside_cases(golden)?);
    findings.extend(orphans(golden, &blobs)?);
    Ok((names.len(), findings))
}

/// Files of a group that lie in none of its cases.
fn beside_cases(golden: &Path) -> Result<Vec<String>, CaseError> {
    let mut beside = Vec::new();
    for group in folders_in(golden)?.into_iter().filter(|group| group != "_blobs") {
        let files = files_in(&golden.join(&group))?.into_iter();
        beside.extend(files.map(|file| format!("{group}/{file}: it lies in no case")));
    }
    beside.sort();
    Ok(beside)
}

/// Blobs that no case refers to.
fn orphans(golden: &Path, blobs: &BTreeSet<String>) -> Result<Vec<String>, CaseError> {
    let folder = golden.join("_blobs");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut orphans = Vec::new();
    let mut beside = |below: &str, name: &str| {
        orphans.push(format!("_blobs/{below}{name}: no case refers to it"));
    };
    files_in(&folder)?.iter().for_each(|name| beside("", name));
    for prefix in folders_in(&folder)? {
        for name in files_in(&folder.join(&prefix))? {
            // Where it is looked for.
            if !blobs.contains(&name) || name.get(..2) != Some(prefix.as_str()) {
                beside(&format!("{prefix}/"), &name);
            }
        }
    }
    orphans.sort();
    Ok(orphans)
}
