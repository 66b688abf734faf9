//! What came of cases otherwise than expected, waiting to be accepted or rejected:
//! `<pending>/<group>/<case>/{pending.json, expect/, given/}`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use tapeline::scrub::sweep;

use crate::{
    CaseError, CaseName, CasePattern, Difference, Json, Verdict,
    case::{
        Case, CaseErrorKind, Expected, Piece, digest, expect_files, files_below, given_files,
        half_written, no_secret, put, put_beside, write_at_once,
    },
    cases::{Came, Replayed, folders},
    diff,
    digest::sha256_hex,
    held::LOCK,
    pending_file::{FILE, PendingFile},
};

/// So often is a folder put in place that another run puts in place, too.
const MOST_TRIES: usize = 100;

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
    /// Keeps what came of a case, or why there is nothing to accept: all of it, or nothing. Of one
    /// that is `ok` or `skipped` nothing is kept.
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
        let mut pending = PendingFile::new(verdict.name());
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
        let hashed = files.iter().filter_map(|piece| match piece {
            Piece::File(file, bytes) => Some((file.clone(), sha256_hex(bytes))),
            Piece::Blob(..) => None,
        });
        pending.files = hashed.collect();
        files.push(Piece::File(FILE.to_owned(), pending.json().map_err(unfit)?));
        let new = put_beside(&self.folder, &file, &files)?;
        let placed = self.place(&new, name);
        if placed.is_err() {
            let _ = fs::remove_dir_all(&new);
        }
        placed
    }

    /// Whether keeping what came of a case changes anything.
    pub(crate) fn is_touched(&self, name: &CaseName, verdict: &Verdict) -> bool {
        !matches!(verdict, Verdict::Ok | Verdict::Skipped(_))
            || self.folder.join(name.as_str()).join(FILE).exists()
    }

    /// Whether the folder is known to be one of what is pending, and not another's.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(crate) fn is_known(&self) -> Result<bool, CaseError> {
        Ok(self.folder.join(LOCK).is_file() || !self.list(&[])?.is_empty())
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
        names.retain(|name| is_meant(name) && self.folder.join(name.as_str()).join(FILE).exists());
        Ok(names)
    }

    /// What running a case came to.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn kept(&self, name: &CaseName) -> Result<Kept, CaseError> {
        let (PendingFile { verdict, why, .. }, _) = self.read(name)?;
        Ok(Kept { verdict, why })
    }

    /// What came of a case, beside the case.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn waiting(&self, golden: &Path, name: &CaseName) -> Result<Waiting, CaseError> {
        let (pending, _) = self.read(name)?;
        is_there(golden, name)?;
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
        let (pending, files) = self.read(name)?;
        if !Verdict::may_be_accepted(&pending.verdict) {
            let why = format!("`{}` is nothing to accept", pending.verdict);
            return Err(CaseError::at(folder, CaseErrorKind::Value(why)));
        }
        is_there(golden, name)?;
        if digest(golden, name)? != pending.case {
            let why = "the case was changed since it was run: run it again first".to_owned();
            return Err(CaseError::at(golden.join(name.as_str()), CaseErrorKind::Value(why)));
        }
        let files = files.into_iter().map(|(file, bytes)| Piece::File(file, bytes));
        let mut pieces: Vec<Piece> = files.collect();
        // Contents that moved to `_blobs/` with a rewritten `given/`.
        for sha256 in self.blobs(name)? {
            let path = self.folder.join("_blobs").join(sha256.get(..2).unwrap_or_default());
            let path = path.join(&sha256);
            let bytes = fs::read(&path).map_err(CaseError::io(&path))?;
            let found = sha256_hex(&bytes);
            if found != sha256 {
                let kind = CaseErrorKind::Changed { expected: sha256, found };
                return Err(CaseError::at(path, kind));
            }
            pieces.push(Piece::Blob(sha256, bytes));
        }
        put(golden, name, &pieces)?;
        self.reject(name)
    }

    /// Forgets what is pending. A folder without a `pending.json` is none of what is.
    ///
    /// # Errors
    /// A folder cannot be removed.
    pub(crate) fn reject(&self, name: &CaseName) -> Result<(), CaseError> {
        let folder = self.folder.join(name.as_str());
        if !folder.join(FILE).exists() {
            return Ok(());
        }
        // At once: what is removed in part would be taken for another's.
        let gone = half_written(&folder);
        match fs::rename(&folder, &gone) {
            // Another run was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(CaseError::at(folder, CaseErrorKind::Io(error))),
            Ok(()) => fs::remove_dir_all(&gone).map_err(CaseError::io(gone)),
        }
    }

    /// Puts a folder where what is pending of a case lies, in place of what does.
    fn place(&self, new: &Path, name: &CaseName) -> Result<(), CaseError> {
        let folder = self.folder.join(name.as_str());
        let mut tries = 1..MOST_TRIES;
        loop {
            self.reject(name)?;
            let Err(error) = fs::rename(new, &folder) else { return Ok(()) };
            // Another run may have put its own there meanwhile.
            if tries.next().is_some() {
                continue;
            }
            let is_foreign = folder.is_dir() && !folder.join(FILE).exists();
            let why = "it has no `pending.json`, so it is not removed: remove it, or give \
                       another `--pending`";
            let kind = match is_foreign {
                true => CaseErrorKind::Value(why.to_owned()),
                false => CaseErrorKind::Io(error),
            };
            return Err(CaseError::at(folder, kind));
        }
    }

    /// Keeps what is pending of a case for the case of another name.
    ///
    /// # Errors
    /// The folder cannot be moved.
    pub(crate) fn rename(&self, name: &CaseName, to: &CaseName) -> Result<(), CaseError> {
        let old = self.folder.join(name.as_str());
        if !old.join(FILE).exists() {
            return self.reject(to);
        }
        let group = self.folder.join(to.group());
        fs::create_dir_all(&group).map_err(CaseError::io(group))?;
        self.place(&old, to)
    }

    /// Those of which something is pending, and which are still the cases that were run.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(crate) fn fresh(&self, golden: &Path) -> Result<BTreeSet<CaseName>, CaseError> {
        let is_fresh = |name: &CaseName| match (self.read(name), digest(golden, name)) {
            (Ok((pending, _)), Ok(case)) => pending.case == case,
            _ => false,
        };
        Ok(self.list(&[])?.into_iter().filter(is_fresh).collect())
    }

    /// Takes a case for the one that was run, though its files have changed.
    ///
    /// # Errors
    /// It cannot be read, or what is pending of it cannot be written.
    pub(crate) fn refresh(&self, golden: &Path, name: &CaseName) -> Result<(), CaseError> {
        let path = self.folder.join(name.as_str()).join(FILE);
        let (mut pending, _) = self.read(name)?;
        pending.case = digest(golden, name)?;
        let json =
            pending.json().map_err(|error| CaseError::at(&path, CaseErrorKind::Json(error)))?;
        write_at_once(&path, &json).map_err(CaseError::io(path))
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
            files_below(&blobs)?;
        }
        Case::read_given_blobs(&self.folder, name)
    }

    fn read(&self, name: &CaseName) -> Result<(PendingFile, BTreeMap<String, Vec<u8>>), CaseError> {
        PendingFile::read(&self.folder.join(name.as_str()))
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

/// What is pending of a case that is gone can only be forgotten.
fn is_there(golden: &Path, name: &CaseName) -> Result<(), CaseError> {
    let case = golden.join(name.as_str());
    match case.is_dir() {
        true => Ok(()),
        false => {
            let why = "there is no such case any more: `reject` forgets what is pending of it, and \
                       `gc --apply` what is of all such";
            Err(CaseError::at(case, CaseErrorKind::Value(why.to_owned())))
        }
    }
}
