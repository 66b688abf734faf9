//! The file that a command of documents reads.

use tapeline::{Context, ErrorCode, Failure, Out, WorkspacePath};

/// All of it.
///
/// # Errors
/// `NotFound`, and the door's.
pub(super) fn read(path: &WorkspacePath, door: &Context) -> Result<Vec<u8>, Failure> {
    door.workspace()?.read(path).map_err(|failure| match failure.code() {
        ErrorCode::LIMIT_EXCEEDED => {
            failure.hint("split the document, or take large pictures out of it")
        }
        _ => failure,
    })
}

/// # Errors
/// `InvalidArgs` where `--out` names the file that is read. On some file systems those are names
/// that differ in case only.
pub(super) fn check_out(input: &WorkspacePath, out: &Out) -> Result<(), Failure> {
    match &out.out {
        Some(path) if path.as_str().to_lowercase() == input.as_str().to_lowercase() => {
            let message = format!("`{path}` is the file that is read");
            Err(Failure::new(ErrorCode::INVALID_ARGS, message)
                .hint("name another file for `--out`"))
        }
        _ => Ok(()),
    }
}
