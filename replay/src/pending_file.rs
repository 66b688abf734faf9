//! [`PendingFile`]: `pending.json`, and whether what lies beside it is as it was kept.

use std::{collections::BTreeMap, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    CaseError, Verdict,
    case::{CaseErrorKind, contents},
    digest::sha256_hex,
};

/// `pending.json`. A change that an old reader would misread grows `format`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PendingFile {
    format: u32,
    /// The name of a verdict: `changed` and `new` may be accepted, nothing else.
    pub(crate) verdict: String,
    /// SHA-256 over the case as it was when it was run.
    pub(crate) case: String,
    /// What was given and not asked for: `given/` beside this file is without it.
    pub(crate) drops: Vec<String>,
    /// SHA-256 of each file beside this one, by path.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Of a verdict that is nothing to accept: why, in lines. There is no `expect/` then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) why: Vec<String>,
}

const FORMAT: u32 = 2;

/// What it is called.
pub(crate) const FILE: &str = "pending.json";

impl PendingFile {
    pub(crate) fn new(verdict: &str) -> Self {
        Self {
            format: FORMAT,
            verdict: verdict.to_owned(),
            case: String::new(),
            drops: Vec::new(),
            files: BTreeMap::new(),
            why: Vec::new(),
        }
    }

    /// Reads that of a folder, and what lies beside it, by path: what was held to its hash is what may be
    /// accepted.
    ///
    /// # Errors
    /// It cannot be read, is of another format, or a file beside it is not there as it was kept:
    /// accepted in part, a case would expect less than what came.
    pub(crate) fn read(folder: &Path) -> Result<(Self, BTreeMap<String, Vec<u8>>), CaseError> {
        let mut found = contents(folder)?;
        let path = folder.join(FILE);
        let bytes = found.remove(FILE).ok_or_else(|| {
            CaseError::at(&path, CaseErrorKind::Io(io::ErrorKind::NotFound.into()))
        })?;
        let pending: Self = serde_json::from_slice(&bytes)
            .map_err(|error| CaseError::at(&path, CaseErrorKind::Json(error)))?;
        if pending.format != FORMAT {
            let other = pending.format;
            let why =
                format!("its format is {other}, this build's is {FORMAT}: run the case again");
            return Err(CaseError::at(path, CaseErrorKind::Value(why)));
        }
        let hashes = found.iter().map(|(file, bytes)| (file.clone(), sha256_hex(bytes))).collect();
        match pending.not_as_kept(&hashes) {
            None => Ok((pending, found)),
            Some(file) => {
                let why =
                    "it is not there as it was kept, so nothing is accepted: run the case again";
                Err(CaseError::at(folder.join(file), CaseErrorKind::Value(why.to_owned())))
            }
        }
    }

    pub(crate) fn json(&self) -> Result<Vec<u8>, serde_json::Error> {
        Ok((serde_json::to_string_pretty(self)? + "\n").into_bytes())
    }

    /// The first file that is missing, too many, or another one.
    fn not_as_kept<'a>(&'a self, found: &'a BTreeMap<String, String>) -> Option<&'a str> {
        const ENVELOPE: &str = "expect/envelope.json";

        if Verdict::may_be_accepted(&self.verdict) && !self.files.contains_key(ENVELOPE) {
            return Some(ENVELOPE);
        }
        let mut all = self.files.keys().chain(found.keys());
        all.find(|file| self.files.get(*file) != found.get(*file)).map(String::as_str)
    }
}
