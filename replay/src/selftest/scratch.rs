//! [`Scratch`]: a copy of a case, whose files are changed and put back.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::mutation::{Files, Mutation};
use crate::{
    CaseError, CaseErrorKind, CaseName,
    case::{Case, blob_path, files_below},
};

/// A folder of cases of its own, with one case and what that refers to.
pub(super) struct Scratch {
    folder: TempDir,
    case: PathBuf,
    pub(super) files: Files,
}

impl Scratch {
    /// Copies a case, its base, and the blobs of both.
    pub(super) fn of(golden: &Path, name: &CaseName, case: &Case) -> Result<Self, CaseError> {
        let folder = TempDir::new().map_err(io_at(golden))?;
        let copy = |file: &str| {
            let bytes = fs::read(golden.join(file)).map_err(io_at(&golden.join(file)))?;
            let path = folder.path().join(file);
            write(&path, &bytes).map_err(io_at(&path))?;
            Ok::<_, CaseError>(bytes)
        };
        let mut files = Files::new();
        for file in files_below(&golden.join(name.as_str()))? {
            files.insert(file.clone(), copy(&format!("{name}/{file}"))?);
        }
        for blob in blobs(&case.blobs) {
            files.insert(blob.clone(), copy(&blob)?);
        }
        if let Some(base) = &case.base {
            for file in files_below(&golden.join(base.as_str()))? {
                copy(&format!("{base}/{file}"))?;
            }
            for blob in blobs(&Case::read_given_blobs(golden, base)?) {
                copy(&blob)?;
            }
        }
        Ok(Self { case: folder.path().join(name.as_str()), folder, files })
    }

    pub(super) fn golden(&self) -> &Path {
        self.folder.path()
    }

    /// What comes of looking at the case while it is so changed.
    pub(super) fn with<T>(
        &self,
        mutation: &Mutation,
        look: impl FnOnce() -> T,
    ) -> Result<T, CaseError> {
        for (file, content) in &mutation.contents {
            self.put(file, content.as_deref())?;
        }
        let seen = look();
        for (file, _) in &mutation.contents {
            self.put(file, self.files.get(file).map(Vec::as_slice))?;
        }
        Ok(seen)
    }

    fn put(&self, file: &str, content: Option<&[u8]>) -> Result<(), CaseError> {
        let folder = if file.starts_with("_blobs/") { self.golden() } else { &self.case };
        let path = folder.join(file);
        let done = match content {
            Some(content) => write(&path, content),
            None => fs::remove_file(&path),
        };
        done.map_err(io_at(&path))
    }
}

/// Where blobs lie in the folder of the cases.
fn blobs(blobs: &BTreeSet<String>) -> impl Iterator<Item = String> {
    let paths = blobs.iter().filter_map(|sha256| blob_path(Path::new(""), sha256));
    paths.map(|path| path.to_string_lossy().replace('\\', "/"))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> CaseError {
    move |error| CaseError::at(path, CaseErrorKind::Io(error))
}
