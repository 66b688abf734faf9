//! The files of a case are put in place whole, or not at all.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    CaseError, CaseErrorKind, CaseName, blobs,
    leftovers::{beside, half_written},
    secrets::no_secret,
};

/// One file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Relative to the case.
    File(String, Vec<u8>),
    /// By SHA-256.
    Blob(String, Vec<u8>),
}

/// Writes the files of a case, in place of all in those of its folders (`given`, `expect`) that they
/// lie in. All are written before the first is put in place.
///
/// # Errors
/// A file holds what looks like a secret or cannot be written; what was there before stands.
pub(crate) fn put(golden: &Path, name: &CaseName, pieces: &[Piece]) -> Result<(), CaseError> {
    no_secret(golden, name, pieces)?;
    let case = golden.join(name.as_str());
    let mut folders: BTreeMap<&str, Vec<(&str, &[u8])>> = BTreeMap::new();
    for piece in pieces {
        match piece {
            Piece::Blob(sha256, bytes) => put_blob(golden, sha256, bytes)?,
            Piece::File(file, bytes) => {
                let (folder, below) = file.split_once('/').unwrap_or((file, ""));
                folders.entry(folder).or_default().push((below, bytes));
            }
        }
    }
    let put = stage(&case, &folders).and_then(|()| swap(&case, folders.keys()));
    if put.is_err() {
        // What is left of an attempt would be a stray; a case that was to be new is gone again.
        let _ = folders.keys().try_for_each(|folder| remove(&beside(&case, folder, "new")));
        let _ = fs::remove_dir(&case);
    }
    put
}

/// Writes files beside the folder that they are to be, for whoever moves it there. A name as its own
/// is none of a case, and gives away what was cut off.
///
/// # Errors
/// A file cannot be written; nothing of it is left then.
pub(crate) fn put_beside(
    root: &Path,
    folder: &Path,
    pieces: &[Piece],
) -> Result<PathBuf, CaseError> {
    let new = half_written(folder);
    let written = pieces.iter().try_for_each(|piece| match piece {
        Piece::Blob(sha256, bytes) => put_blob(root, sha256, bytes),
        Piece::File(file, bytes) => {
            let path = new.join(file);
            write(&path, bytes).map_err(CaseError::io(path))
        }
    });
    if written.is_err() {
        let _ = remove(&new);
    }
    written.map(|()| new)
}

fn put_blob(root: &Path, sha256: &str, bytes: &[u8]) -> Result<(), CaseError> {
    let path = blobs::path(root, sha256).ok_or_else(|| {
        let why = format!("`{sha256}` is no name of a blob");
        CaseError::at(root, CaseErrorKind::Value(why))
    })?;
    match path.exists() {
        true => Ok(()),
        false => write_at_once(&path, bytes).map_err(CaseError::io(path)),
    }
}

fn stage(case: &Path, folders: &BTreeMap<&str, Vec<(&str, &[u8])>>) -> Result<(), CaseError> {
    for (folder, files) in folders {
        let new = beside(case, folder, "new");
        for gone in [&new, &beside(case, folder, "old")] {
            remove(gone).map_err(CaseError::io(gone))?;
        }
        for (below, bytes) in files {
            let path = new.join(below);
            write(&path, bytes).map_err(CaseError::io(path))?;
        }
    }
    Ok(())
}

/// Puts all new folders in place, or none.
fn swap<'a>(case: &Path, folders: impl Iterator<Item = &'a &'a str>) -> Result<(), CaseError> {
    let mut swapped = Vec::new();
    let mut put = |folder: &str| {
        let (new, old) = (beside(case, folder, "new"), beside(case, folder, "old"));
        let folder = case.join(folder);
        match fs::rename(&folder, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(CaseError::io(folder)(error));
            }
            _ => {}
        }
        swapped.push((folder.clone(), old));
        fs::rename(&new, &folder).map_err(CaseError::io(folder))
    };
    let all = folders.into_iter().try_for_each(|folder| put(folder));
    if all.is_err() {
        for (folder, old) in swapped.iter().rev() {
            let _ = remove(folder).and_then(|()| fs::rename(old, folder));
        }
        return all;
    }
    swapped.iter().try_for_each(|(_, old)| remove(old).map_err(CaseError::io(old)))
}

/// Others may read the file meanwhile: they see all of it or nothing.
pub(crate) fn write_at_once(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = half_written(path);
    let written = write(&new, bytes).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
