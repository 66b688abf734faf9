//! What lies in a case while it is written, and what of it is left over when that was cut off.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{CaseError, CaseErrorKind, folder::files_below};

/// The folders of a case that are put in place whole.
const PARTS: [&str; 2] = ["given", "expect"];

/// Where a folder lies while another takes its place: `new` or `old`.
pub(super) fn beside(case: &Path, folder: &str, state: &str) -> PathBuf {
    case.join(format!(".{folder}-{state}"))
}

/// Where a file or a folder lies until all of it is written, or while it is removed.
pub(crate) fn half_written(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);

    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("new-{}-{number}", process::id()))
}

/// Whether a file or a folder is one that was not written, or not removed, to its end.
pub(crate) fn is_half_written(file: &Path) -> bool {
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let numbers =
        file.extension().and_then(OsStr::to_str).and_then(|text| text.strip_prefix("new-"));
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// The folders and files that a write left in a case; `None` where there are none.
///
/// # Errors
/// The folder cannot be listed, or the case may need some of them: the write was cut off after the
/// first folder was moved, and before the last.
pub(crate) fn left_over(case: &Path) -> Result<Option<Vec<PathBuf>>, CaseError> {
    let with = |state: &'static str| {
        PARTS.into_iter().filter(move |part| beside(case, part, state).is_dir())
    };
    let is_there = |part: &str| case.join(part).is_dir();
    let mut leftovers: Vec<PathBuf> = with("new").map(|part| beside(case, part, "new")).collect();
    leftovers.extend(with("old").map(|part| beside(case, part, "old")));
    let is_halfway = with("new").next().is_some() && with("old").next().is_some();
    let is_begun =
        with("new").any(|part| !is_there(part)) && PARTS.iter().any(|part| is_there(part));
    // What was moved away may be the only copy.
    let moved = with("old").find(|part| !is_there(part));
    let advice = match (moved, is_halfway, is_begun) {
        (Some(part), ..) => Some(format!("rename `.{part}-old` to `{part}`")),
        (None, true, _) => {
            Some("put each `.…-old` in place of what it was, then remove each `.…-new`".to_owned())
        }
        (None, false, true) => Some("remove each `.…-new`, and accept again".to_owned()),
        (None, false, false) => None,
    };
    if let Some(advice) = advice {
        let why = format!("its writing was cut off half way: {advice}");
        return Err(CaseError::at(case, CaseErrorKind::Value(why)));
    }
    // In `given/workspace/` a file may be called so by right.
    let is_ours =
        |file: &String| file.starts_with("given/case.") && is_half_written(Path::new(file));
    leftovers
        .extend(files_below(case)?.iter().filter(|file| is_ours(file)).map(|file| case.join(file)));
    Ok(Some(leftovers).filter(|leftovers| !leftovers.is_empty()))
}
