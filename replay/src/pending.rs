//! What came of cases otherwise than expected, waiting to be accepted or rejected:
//! `<pending>/<group>/<case>/{pending.json, expect/, given/}`.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tapeline::scrub::sweep;

use crate::{
    CaseError, CaseName, CasePattern, Difference, Json, Verdict,
    case::{
        Case, CaseErrorKind, Expected, Piece, digest, expect_files, files_below, given_files,
        no_secret, put,
    },
    cases::{Came, Replayed, folders},
    diff,
};

/// `pending.json`. A change that an old reader would misread grows `format`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PendingFile {
    format: u32,
    /// The name of a verdict: `changed` and `new` may be accepted, nothing else.
    verdict: String,
    /// SHA-256 over the case as it was when it was run.
    case: String,
    /// What was given and not asked for: `given/` beside this file is without it.
    drops: Vec<String>,
    /// Of a verdict that is nothing to accept: why, in lines. There is no `expect/` then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
}

const FORMAT: u32 = 1;

/// A folder of what is pending.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) folder: PathBuf,
}

/// What running a case came to, as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The name of a verdict.
    pub(crate) verdict: String,
    /// Of one that is nothing to accept: why, in lines.
    pub(crate) why: Vec<String>,
}

/// What came of a case, beside the case.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) case: Case,
    pub(crate) came: Option<Expected>,
    /// Whether the case is no longer the one that was run.
    pub(crate) is_stale: bool,
    /// What of the given it drops, in words.
    drops: Vec<String>,
}

impl Kept {
    /// Whether it can be put in place of what was expected.
    pub(crate) fn may_be_accepted(&self) -> bool {
        Verdict::may_be_accepted(&self.verdict)
    }
}

impl Waiting {
    /// How it differs from what is expected, and what of the given it drops.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        let document = |expected: &Option<Expected>| match expected {
            Some(expected) => expected.document(),
            None => Json::Object(Vec::new()),
        };
        let mut differences = diff(&document(&self.case.expected), &document(&self.came));
        differences.extend(self.drops.iter().map(|dropped| Difference {
            path: "/given".to_owned(),
            expected: Some(Json::Text(dropped.clone())),
            actual: None,
        }));
        differences
    }

    /// The path of the command it is of; empty where the line names none.
    pub(crate) fn command(&self) -> &str {
        let expected = self.case.expected.as_ref().or(self.came.as_ref());
        expected.and_then(Expected::command).unwrap_or_default()
    }
}

impl Pending {
    /// Keeps what came of a case, or why there is nothing to accept. Of one that is `ok` or
    /// `skipped` nothing is kept.
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
        let Replayed { verdict, came } = replayed;
        if matches!(verdict, Verdict::Ok | Verdict::Skipped(_)) {
            return Ok(());
        }
        let file = self.folder.join(name.as_str());
        let unfit = |error| CaseError::at(&file, CaseErrorKind::Json(error));
        let mut pending = PendingFile {
            format: FORMAT,
            verdict: verdict.name().to_owned(),
            case: String::new(),
            drops: Vec::new(),
            why: Vec::new(),
        };
        let mut files = Vec::new();
        match came.as_ref().filter(|_| Verdict::may_be_accepted(&pending.verdict)) {
            Some(came) => {
                (files, pending.drops) = pieces(came).map_err(unfit)?;
                pending.case = digest(golden, name)?;
            }
            None => {
                let text = verdict.to_string();
                pending.why = sweep(&text).lines().skip(1).map(str::to_owned).collect();
            }
        }
        no_secret(&self.folder, name, &files)?;
        let json = serde_json::to_string_pretty(&pending).map_err(unfit)?;
        let path = file.join("pending.json");
        // First: what has none is not ours to remove.
        fs::create_dir_all(&file)
            .and_then(|()| fs::write(&path, json + "\n"))
            .map_err(CaseError::io(path))?;
        put(&self.folder, name, &files)
    }

    /// The cases of which something is kept that any of the patterns means, in order; all where
    /// there is no pattern.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(crate) fn list(&self, patterns: &[CasePattern]) -> Result<Vec<CaseName>, CaseError> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let is_meant = |name: &CaseName| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name))
        };
        let (mut names, _) = folders(&self.folder)?;
        names.retain(|name| {
            is_meant(name) && self.folder.join(name.as_str()).join("pending.json").exists()
        });
        Ok(names)
    }

    /// What running a case came to.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn kept(&self, name: &CaseName) -> Result<Kept, CaseError> {
        let PendingFile { verdict, why, .. } = self.read(name)?;
        Ok(Kept { verdict, why })
    }

    /// What came of a case, beside the case.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn waiting(&self, golden: &Path, name: &CaseName) -> Result<Waiting, CaseError> {
        let pending = self.read(name)?;
        Ok(Waiting {
            case: Case::read(golden, name)?,
            came: Case::read_expected(&self.folder, name)?,
            is_stale: digest(golden, name)? != pending.case,
            drops: pending.drops,
        })
    }

    /// Puts what is pending in place of what was expected.
    ///
    /// # Errors
    /// The case is no longer the one that was run, or a file cannot be read or written. The case
    /// then stands as it was.
    pub(crate) fn accept(&self, golden: &Path, name: &CaseName) -> Result<(), CaseError> {
        let folder = self.folder.join(name.as_str());
        let pending = self.read(name)?;
        if !Verdict::may_be_accepted(&pending.verdict) {
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
        for sha256 in self.blobs(name)? {
            let path = self.folder.join("_blobs").join(sha256.get(..2).unwrap_or_default());
            let path = path.join(&sha256);
            let bytes = fs::read(&path).map_err(CaseError::io(path))?;
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

    /// Keeps what is pending of a case for the case of another name.
    ///
    /// # Errors
    /// The folder cannot be moved.
    pub(crate) fn rename(&self, name: &CaseName, to: &CaseName) -> Result<(), CaseError> {
        let [old, new] = [name, to].map(|name| self.folder.join(name.as_str()));
        self.reject(to)?;
        if !old.join("pending.json").exists() {
            return Ok(());
        }
        fs::create_dir_all(self.folder.join(to.group()))
            .and_then(|()| fs::rename(&old, new))
            .map_err(CaseError::io(old))
    }

    /// The blobs that a rewritten `given/` refers to.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn blobs(&self, name: &CaseName) -> Result<BTreeSet<String>, CaseError> {
        if !self.folder.join(name.as_str()).join("given").exists() {
            return Ok(BTreeSet::new());
        }
        let blobs = self.folder.join("_blobs");
        if blobs.exists() {
            no_links(&blobs)?;
        }
        Case::read_given_blobs(&self.folder, name)
    }

    fn read(&self, name: &CaseName) -> Result<PendingFile, CaseError> {
        let folder = self.folder.join(name.as_str());
        no_links(&folder)?;
        let path = folder.join("pending.json");
        let bytes = fs::read(&path).map_err(CaseError::io(&path))?;
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

fn read_files(folder: &Path, part: &str, pieces: &mut Vec<Piece>) -> Result<(), CaseError> {
    let path = folder.join(part);
    if !path.exists() {
        return Ok(());
    }
    for file in files_below(&path)? {
        let path = path.join(&file);
        let bytes = fs::read(&path).map_err(CaseError::io(path))?;
        pieces.push(Piece::File(format!("{part}/{file}"), bytes));
    }
    Ok(())
}

/// Refuses what is neither file nor folder: a link in a folder from elsewhere could lead anywhere.
fn no_links(path: &Path) -> Result<(), CaseError> {
    let kind = fs::symlink_metadata(path).map_err(CaseError::io(path))?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    if !kind.is_dir() {
        let why = "it is neither a file nor a folder, and a link is not followed: remove it";
        return Err(CaseError::at(path, CaseErrorKind::Value(why.to_owned())));
    }
    for entry in fs::read_dir(path).map_err(CaseError::io(path))? {
        no_links(&entry.map_err(CaseError::io(path))?.path())?;
    }
    Ok(())
}
