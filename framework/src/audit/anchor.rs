//! [`Anchor`]: what is left of a file of the log that was pruned.
//!
//! A wire type: a change that an old reader would misread grows [`Anchor::VERSION`].

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A line of `audit/anchors.jsonl`, written before the file is removed. Where that file is still
/// there, whoever pruned the log was stopped between the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// [`Anchor::VERSION`].
    pub v: u32,
    /// The name of the removed file in `audit/runs/`.
    pub file: String,
    /// That of the last record up to the end of the file; 0 where there was none.
    pub last_seq: u64,
    /// What the next record has in `prev`.
    pub sha256: String,
    /// SHA-256 of the line before it in `anchors.jsonl`, whole or torn; 64 zeros for the first.
    pub prev: String,
    /// What was removed with it was not as it was written, which whoever pruned was told. Not
    /// written where that is not so, nor where nobody looked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub damaged: bool,
}

fn is_false(damaged: &bool) -> bool {
    !damaged
}

impl Anchor {
    /// The version this build writes; it grows when an old reader would misread an anchor.
    pub const VERSION: u32 = 1;

    /// Where the anchors of a log lie.
    pub fn path(audit: &Path) -> PathBuf {
        audit.join("anchors.jsonl")
    }
}
