//! What came of cases otherwise than expected, waiting to be accepted or rejected:
//! `<pending>/<group>/<case>/{pending.json, expect/, given/}`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tapeline::scrub::sweep;

use crate::{
    CaseError, CaseName, CasePattern, Difference, Json, Verdict,
    case::{Case, CaseErrorKind, Piece, digest, expect_files, given_files, no_secret, put},
    cases::{Came, Replayed, folders, list},
    diff,
};

/// `pending.json`. A change that an old reader would misread grows `format`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PendingFile {
    format: u32,
    /// `changed` or `new`: nothing else is accepted.
    verdict: String,
    /// SHA-256 over the case as it was when it was run.
    case: String,
    /// What was given and not asked for: `given/` beside this file is without it.
    drops: Vec<String>,
}

const FORMAT: u32 = 1;

/// A folder of what is pending.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) folder: PathBuf,
}

impl Pending {
    /// Keeps what came of a case; removes what was kept before where nothing is to be accepted.
    ///
    /// # Errors
    /// A file cannot be written or removed, or what the case is given holds a secret.
    pub(crate) fn keep(
        &self,
        golden: &Path,
        name: &CaseName,
        replayed: &Replayed,
    ) -> Result<(), CaseError> {
        self.reject(name)?;
        let (Verdict::Changed(_) | Verdict::New, Some(came)) = (&replayed.verdict, &replayed.came)
        else {
            return Ok(());
        };
        let file = self.folder.join(name.as_str());
        let unfit = |error| CaseError::at(&file, CaseErrorKind::Json(error));
        let (pieces, drops) = pieces(came).map_err(unfit)?;
        let pending = PendingFile {
            format: FORMAT,
            verdict: replayed.verdict.name().to_owned(),
            case: digest(golden, name)?,
            drops,
        };
        no_secret(&self.folder, name, &pieces)?;
        let json = serde_json::to_string_pretty(&pending).map_err(unfit)?;
        let path = file.join("pending.json");
        // First: what has none is not ours to remove.
        fs::create_dir_all(&file)
            .and_then(|()| fs::write(&path, json + "\n"))
            .map_err(|error| CaseError::at(path, CaseErrorKind::Io(error)))?;
        put(&self.folder, name, &pieces)
    }

    /// The cases with something pending that any of the patterns means.
    ///
    /// # Errors
    /// The folder cannot be listed, or a pattern means none of them.
    pub(crate) fn list(&self, patterns: &[CasePattern]) -> Result<Vec<CaseName>, CaseError> {
        match self.folder.exists() && !folders(&self.folder)?.0.is_empty() {
            true => list(&self.folder, patterns),
            false => Ok(Vec::new()),
        }
    }

    /// Puts what is pending in place of what was expected.
    ///
    /// # Errors
    /// The case is no longer the one that was run, or a file cannot be read or written. The case
    /// then stands as it was.
    pub(crate) fn accept(&self, golden: &Path, name: &CaseName) -> Result<(), CaseError> {
        let folder = self.folder.join(name.as_str());
        let pending = self.read(name)?;
        if !["changed", "new"].contains(&pending.verdict.as_str()) {
            let why = format!("`{}` is nothing to accept", pending.verdict);
            return Err(CaseError::at(folder, CaseErrorKind::Value(why)));
        }
        if digest(golden, name)? != pending.case {
            let why = "the case was changed since it was run: run it again first".to_owned();
            return Err(CaseError::at(golden.join(name.as_str()), CaseErrorKind::Value(why)));
        }
        let mut pieces = Vec::new();
        for part in ["given", "expect"] {
            read_files(&folder, part, &mut pieces)?;
        }
        // Contents that moved to `_blobs/` with a rewritten `given/`.
        for sha256 in blobs_of(&self.folder, name)? {
            let path = self.folder.join("_blobs").join(sha256.get(..2).unwrap_or_default());
            let path = path.join(&sha256);
            let bytes =
                fs::read(&path).map_err(|error| CaseError::at(path, CaseErrorKind::Io(error)))?;
            pieces.push(Piece::Blob(sha256, bytes));
        }
        put(golden, name, &pieces)?;
        self.reject(name)
    }

    /// Forgets what is pending.
    ///
    /// # Errors
    /// A folder cannot be removed.
    pub(crate) fn reject(&self, name: &CaseName) -> Result<(), CaseError> {
        let folder = self.folder.join(name.as_str());
        if folder.exists() && !folder.join("pending.json").exists() {
            let why = "it has no `pending.json`, so it is not removed: give another `--pending`";
            return Err(CaseError::at(folder, CaseErrorKind::Value(why.to_owned())));
        }
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CaseError::at(folder, CaseErrorKind::Io(error)))
            }
            _ => Ok(()),
        }
    }

    /// How what is pending differs from what is expected, and what of the given it drops.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn differences(
        &self,
        golden: &Path,
        name: &CaseName,
    ) -> Result<Vec<Difference>, CaseError> {
        let case = Case::read(golden, name)?;
        let came = Case::read_expected(&self.folder, name)?;
        let document = |expected: Option<crate::case::Expected>| match expected {
            Some(expected) => expected.document(),
            None => Json::Object(Vec::new()),
        };
        let mut differences = diff(&document(case.expected), &document(came));
        let drops = self.read(name)?.drops.into_iter();
        differences.extend(drops.map(|dropped| Difference {
            path: "/given".to_owned(),
            expected: Some(Json::Text(dropped)),
            actual: None,
        }));
        Ok(differences)
    }

    fn read(&self, name: &CaseName) -> Result<PendingFile, CaseError> {
        let path = self.folder.join(name.as_str()).join("pending.json");
        let bytes =
            fs::read(&path).map_err(|error| CaseError::at(&path, CaseErrorKind::Io(error)))?;
        let pending: PendingFile = serde_json::from_slice(&bytes)
            .map_err(|error| CaseError::at(&path, CaseErrorKind::Json(error)))?;
        match pending.format {
            FORMAT => Ok(pending),
            found => Err(CaseError::at(path, CaseErrorKind::Format { found })),
        }
    }
}

/// The files to accept, and in words what they drop.
fn pieces(came: &Came) -> Result<(Vec<Piece>, Vec<String>), serde_json::Error> {
    let mut pieces = expect_files(&came.outcome)?;
    let Case { title, given, provenance, base, .. } = &came.case;
    // A derived case has no `given/` of its own to drop from.
    if came.unused.is_empty() || base.is_some() {
        return Ok((pieces, Vec::new()));
    }
    let drops = came.unused.iter().map(|unused| sweep(&given.describe(unused)).into_owned());
    let drops = drops.collect();
    let given = given.clone().without(&came.unused);
    pieces.extend(given_files(title, &given, provenance.as_ref())?);
    Ok((pieces, drops))
}

fn blobs_of(pending: &Path, name: &CaseName) -> Result<Vec<String>, CaseError> {
    match pending.join(name.as_str()).join("given").exists() {
        true => Ok(Case::read_given_blobs(pending, name)?.into_iter().collect()),
        false => Ok(Vec::new()),
    }
}

fn read_files(folder: &Path, part: &str, pieces: &mut Vec<Piece>) -> Result<(), CaseError> {
    let mut open = vec![part.to_owned()];
    while let Some(below) = open.pop() {
        let path = folder.join(&below);
        let failed = |error| CaseError::at(&path, CaseErrorKind::Io(error));
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let below = format!("{below}/{}", entry.file_name().to_string_lossy());
            match entry.file_type().map_err(failed)?.is_dir() {
                true => open.push(below),
                false => {
                    let bytes = fs::read(entry.path())
                        .map_err(|error| CaseError::at(entry.path(), CaseErrorKind::Io(error)))?;
                    pieces.push(Piece::File(below, bytes));
                }
            }
        }
    }
    Ok(())
}
