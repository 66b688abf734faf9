//! [`pending_in`]: what is pending in a folder that CI kept.

use std::path::Path;

use crate::{CaseError, case::CaseErrorKind, cases::folders_in, pending::Pending};

/// The folders of what is pending in a folder: itself, and those right below it, as the shards of
/// one CI run leave them.
///
/// # Errors
/// The folder cannot be listed, or nothing is pending in any of them.
pub(crate) fn pending_in(folder: &Path) -> Result<Vec<Pending>, CaseError> {
    let mut found = Vec::new();
    if folder.is_dir() {
        let mut below = folders_in(folder)?;
        below.sort();
        let below = below.into_iter().map(|name| folder.join(name));
        for folder in [folder.to_owned()].into_iter().chain(below) {
            let pending = Pending { folder };
            if !pending.list(&[])?.is_empty() {
                found.push(pending);
            }
        }
    }
    match found.is_empty() {
        false => Ok(found),
        true => {
            let why = "nothing is pending there: give the folder that CI kept, `replay-pending`, \
                       unpacked, or the folder with those of several shards";
            Err(CaseError::at(folder, CaseErrorKind::Value(why.to_owned())))
        }
    }
}
