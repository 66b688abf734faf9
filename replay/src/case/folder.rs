//! [`Folder`]: the files of a case, each read once and held to its hash.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use tapeline::WorkspacePath;

use super::{CaseError, CaseErrorKind, CaseName, blobs, format::AnyCaseFile, left_over};
use crate::digest::sha256_hex;

/// The folder of a case, and which of its files were read.
#[derive(Debug)]
pub(super) struct Folder {
    golden: PathBuf,
    pub(super) path: PathBuf,
    /// All files, by path relative to the folder, with `/`; those not yet read are `false`.
    files: BTreeMap<String, bool>,
    pub(super) blobs: BTreeSet<String>,
}

impl Folder {
    pub(super) fn open(golden: &Path, name: &CaseName) -> Result<Self, CaseError> {
        let path = golden.join(name.as_str());
        let files = files_below(&path)?.into_iter().map(|file| (file, false)).collect();
        Ok(Self { golden: golden.to_owned(), path, files, blobs: BTreeSet::new() })
    }

    /// As if what a write that was cut off left behind were not there.
    pub(super) fn without_leftovers(mut self) -> Result<Self, CaseError> {
        let Some(leftovers) = left_over(&self.path)? else { return Ok(self) };
        let path = &self.path;
        self.files.retain(|file, _| {
            !leftovers.iter().any(|leftover| path.join(file).starts_with(leftover))
        });
        Ok(self)
    }

    /// The files below a folder of the case that nobody read yet.
    pub(super) fn unread_below(&self, folder: &str) -> Vec<String> {
        let unread = self.files.iter().filter(|(file, read)| !**read && file.starts_with(folder));
        unread.map(|(file, _)| file.clone()).collect()
    }

    pub(super) fn holds(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    pub(super) fn bytes(&mut self, file: &str) -> Result<Vec<u8>, CaseError> {
        let path = self.path.join(file);
        if let Some(read) = self.files.get_mut(file) {
            *read = true;
        }
        fs::read(&path).map_err(CaseError::io(path))
    }

    pub(super) fn text(&mut self, file: &str) -> Result<String, CaseError> {
        let bytes = self.bytes(file)?;
        let not_text = |_| CaseError::at(self.path.join(file), CaseErrorKind::NotText);
        String::from_utf8(bytes).map_err(not_text)
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self, file: &str) -> Result<T, CaseError> {
        let bytes = self.bytes(file)?;
        let unfit = |error| CaseError::at(self.path.join(file), CaseErrorKind::Json(error));
        serde_json::from_slice(&bytes).map_err(unfit)
    }

    pub(super) fn optional_json<T: DeserializeOwned>(
        &mut self,
        file: &str,
    ) -> Result<Option<T>, CaseError> {
        match self.holds(file) {
            true => self.json(file).map(Some),
            false => Ok(None),
        }
    }

    /// What a file of the case holds, or the blob of that hash where there is no such file.
    pub(super) fn content(&mut self, file: &str, sha256: &str) -> Result<Vec<u8>, CaseError> {
        if !self.holds(file) {
            return self.blob(file, sha256);
        }
        let bytes = self.bytes(file)?;
        self.hold_to(&self.path.join(file), bytes, sha256)
    }

    /// What the blob of that hash holds; `file` says who asks.
    pub(super) fn blob(&mut self, file: &str, sha256: &str) -> Result<Vec<u8>, CaseError> {
        let path = blobs::path(&self.golden, sha256).ok_or_else(|| self.absent(file, sha256))?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // Nothing needs no file.
            Err(_) if sha256 == sha256_hex(b"") => return Ok(Vec::new()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.absent(file, sha256));
            }
            Err(error) => return Err(CaseError::io(path)(error)),
        };
        no_link(&path)?;
        self.blobs.insert(sha256.to_owned());
        self.hold_to(&path, bytes, sha256)
    }

    pub(super) fn absent(&self, file: &str, sha256: &str) -> CaseError {
        let kind = CaseErrorKind::Absent { sha256: sha256.to_owned() };
        CaseError::at(self.path.join(file), kind)
    }

    fn hold_to(&self, path: &Path, bytes: Vec<u8>, sha256: &str) -> Result<Vec<u8>, CaseError> {
        let found = sha256_hex(&bytes);
        match found == sha256 {
            true => Ok(bytes),
            false => {
                let kind = CaseErrorKind::Changed { expected: sha256.to_owned(), found };
                Err(CaseError::at(path, kind))
            }
        }
    }

    /// Reviewers see no more of a blob than its length.
    pub(super) fn hold_to_length(
        &self,
        file: &str,
        what: &str,
        bytes: &[u8],
        length: u64,
    ) -> Result<(), CaseError> {
        match bytes.len() as u64 {
            found if found == length => Ok(()),
            found => {
                let why = format!("`{what}` has {found} bytes, the case says {length}");
                Err(CaseError::at(self.path.join(file), CaseErrorKind::Value(why)))
            }
        }
    }

    /// A path as the workspace spells it: one that led elsewhere could be written, too.
    pub(super) fn workspace_path(&self, path: String) -> Result<String, CaseError> {
        match path.parse::<WorkspacePath>() {
            Ok(parsed) if parsed.to_string() == path => Ok(path),
            _ => {
                let why = format!("`{path}` is no path of the workspace: write `.agents/…`");
                let file = self.path.join("given/workspace.json");
                Err(CaseError::at(file, CaseErrorKind::Value(why)))
            }
        }
    }

    pub(super) fn no_strays(&self) -> Result<(), CaseError> {
        match self.files.iter().find(|(_, read)| !**read) {
            Some((file, _)) => {
                let file = self.path.join(file);
                let leftovers = left_over(&self.path)?.unwrap_or_default();
                let kind = match leftovers.iter().any(|leftover| file.starts_with(leftover)) {
                    true => CaseErrorKind::LeftOver,
                    false => CaseErrorKind::Stray,
                };
                Err(CaseError::at(file, kind))
            }
            None => Ok(()),
        }
    }
}

/// SHA-256 over all files of a case, paths and contents, and over what its base is given: whether
/// it is still the same.
pub(crate) fn digest(golden: &Path, name: &CaseName) -> Result<String, CaseError> {
    let mut listing = listing(golden, name, "")?;
    if let Some(base) = base_of(golden, name) {
        listing.push_str(&self::listing(golden, &base, "given/")?);
    }
    Ok(sha256_hex(listing.as_bytes()))
}

/// The case that a case is derived from; one that cannot be read is of none.
pub(crate) fn base_of(golden: &Path, name: &CaseName) -> Option<CaseName> {
    let case = fs::read(golden.join(name.as_str()).join("given/case.json")).ok()?;
    serde_json::from_slice::<AnyCaseFile>(&case).ok()?.base?.parse().ok()
}

/// A line for each file of a case that lies below a folder.
fn listing(golden: &Path, name: &CaseName, below: &str) -> Result<String, CaseError> {
    let hashes = hashes(&golden.join(name.as_str()))?.into_iter();
    let lines = hashes.filter(|(file, _)| file.starts_with(below));
    Ok(lines.map(|(file, sha256)| format!("{sha256} {file}\n")).collect())
}

/// SHA-256 of each file below a folder, by path relative to it.
///
/// # Errors
/// As [`files_below`], or a file cannot be read.
fn hashes(folder: &Path) -> Result<BTreeMap<String, String>, CaseError> {
    let hash = |file: String| {
        let bytes = read(folder, &file)?;
        Ok((file, sha256_hex(&bytes)))
    };
    files_below(folder)?.into_iter().map(hash).collect()
}

/// What each file below a folder holds, by path relative to it.
///
/// # Errors
/// As [`files_below`], or a file cannot be read.
pub(crate) fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, CaseError> {
    let content = |file: String| {
        let bytes = read(folder, &file)?;
        Ok((file, bytes))
    };
    files_below(folder)?.into_iter().map(content).collect()
}

fn read(folder: &Path, file: &str) -> Result<Vec<u8>, CaseError> {
    let path = folder.join(file);
    fs::read(&path).map_err(CaseError::io(path))
}

/// All files below a folder, by path relative to it, with `/`, sorted.
///
/// # Errors
/// A folder cannot be listed, or a link is among them, which could lead anywhere.
pub(crate) fn files_below(folder: &Path) -> Result<BTreeSet<String>, CaseError> {
    no_link(folder)?;
    let mut files = BTreeSet::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(CaseError::io(&folder))? {
            let entry = entry.map_err(CaseError::io(&folder))?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().map_err(CaseError::io(&folder))?;
            match (kind.is_dir(), kind.is_file()) {
                (true, _) => open.push((entry.path(), format!("{name}/"))),
                (false, true) => drop(files.insert(name)),
                (false, false) => return Err(neither(&entry.path())),
            }
        }
    }
    Ok(files)
}

fn no_link(path: &Path) -> Result<(), CaseError> {
    match fs::symlink_metadata(path).map_err(CaseError::io(path))?.is_symlink() {
        true => Err(neither(path)),
        false => Ok(()),
    }
}

fn neither(path: &Path) -> CaseError {
    let why = "it is neither a file nor a folder, and a link is not followed: put what it leads to \
               in its place, or remove it";
    CaseError::at(path, CaseErrorKind::Value(why.to_owned()))
}
