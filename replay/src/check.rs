//! [`check`]: what is wrong with a folder of cases, seen without running any.

use std::{collections::BTreeSet, path::Path};

use crate::{
    CaseError, CaseName, Kit,
    case::{Case, secrets_of},
    cases::{files_in, folders, folders_in, on_all_cores},
    needless::orphans,
    verdict::chain,
};

/// How many cases there are, and what is wrong, one line each.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn check(kit: &Kit, golden: &Path) -> Result<(usize, Vec<String>), CaseError> {
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
            Err(error) => findings.push(format!("{name}: {}", kit.told(&error))),
        }
    }
    findings.extend(beside_cases(golden)?);
    match orphans(golden, &blobs) {
        Ok(orphans) => {
            let orphans = orphans.into_iter();
            findings.extend(orphans.map(|blob| format!("{blob}: no case refers to it")));
        }
        Err(error) => findings.push(chain(&error)),
    }
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
