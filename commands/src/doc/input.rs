//! The file that a command of documents reads, and the one that it writes.

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

/// What files of text are called.
pub(super) const TEXT_SUFFIXES: &[&str] = &[".md", ".txt", ".json"];
/// What files of tables are called.
pub(super) const TABLE_SUFFIXES: &[&str] = &[".csv", ".tsv", ".txt"];

/// `input` is none for stdin. A name without a suffix is any file's.
///
/// # Errors
/// `InvalidArgs` where `--out` names the file that is read (on some file systems those are names
/// that differ in case only), and where its suffix is none of `suffixes`: others would open it as
/// what it is not.
pub(super) fn check_out(
    input: Option<&WorkspacePath>,
    out: &Out,
    suffixes: &[&str],
) -> Result<(), Failure> {
    let Some(path) = &out.out else { return Ok(()) };
    let name = path.as_str().to_lowercase();
    if input.is_some_and(|input| input.as_str().to_lowercase() == name) {
        let message = format!("`{path}` is the file that is read");
        return Err(
            Failure::new(ErrorCode::INVALID_ARGS, message).hint("name another file for `--out`")
        );
    }
    let file = name.rsplit('/').next().unwrap_or_default();
    if file.contains('.') && !suffixes.iter().any(|suffix| file.ends_with(suffix)) {
        let (last, others) = suffixes.split_last().unwrap_or((&"", &[]));
        let message = format!("`{path}` is the name of another kind of file");
        let hint = format!("let `--out` end in {} or {last}", others.join(", "));
        return Err(Failure::new(ErrorCode::INVALID_ARGS, message).hint(hint));
    }
    Ok(())
}
