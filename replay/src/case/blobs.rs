//! `golden/_blobs/<aa>/<sha256>`: contents that are long, binary or shared.

use std::path::{Path, PathBuf};

/// Where the folder lies in the folder of the cases.
pub(super) const FOLDER: &str = "_blobs";

/// Where a content lies, if that is a SHA-256 in lower-case hex.
pub(crate) fn path(golden: &Path, sha256: &str) -> Option<PathBuf> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let folder = sha256.get(..2).filter(|_| sha256.len() == 64 && sha256.bytes().all(is_hex))?;
    Some(golden.join(FOLDER).join(folder).join(sha256))
}
