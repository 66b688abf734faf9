//! Cases on disk: `golden/<group>/<case>/{given,expect}`.

mod blobs;
mod derive;
mod expect;
mod folder;
mod format;
mod leftovers;
mod name;
mod put;
mod read;
mod secrets;
mod write;

use std::{io, path::PathBuf};

use thiserror::Error;

pub use self::name::{CaseName, CasePattern, InvalidCaseName};
pub(crate) use self::{
    blobs::path as blob_path,
    derive::{Change, derived_files},
    expect::Expected,
    folder::{base_of, contents, digest, files_below},
    format::{AnyCaseFile, Provenance},
    leftovers::{half_written, is_half_written, left_over},
    put::{Piece, put, put_beside, write_at_once},
    read::Case,
    secrets::{no_secret, secrets_of},
    write::{expect_files, given_files},
};
use crate::Json;

/// The newest format of cases, which this build writes. It grows when an old reader would misread
/// a case; all older ones stay readable.
pub const CASE_FORMAT: u32 = 1;

/// Longer contents, and contents that are no text, lie in `_blobs/`.
const MOST_TEXT: usize = 64 * 1024;

/// Why a case cannot be read or written.
#[derive(Debug, Error)]
#[error("`{}`", file.display())]
pub struct CaseError {
    /// The file or folder.
    pub file: PathBuf,
    /// What is wrong there.
    #[source]
    pub kind: CaseErrorKind,
}

impl CaseError {
    pub(crate) fn at(file: impl Into<PathBuf>, kind: CaseErrorKind) -> Self {
        Self { file: file.into(), kind }
    }

    pub(crate) fn io(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |error| Self::at(file, CaseErrorKind::Io(error))
    }
}

/// What is wrong with a case.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaseErrorKind {
    /// The operating system said no.
    #[error("the operating system refused")]
    Io(#[source] io::Error),
    /// It is no JSON, or not of the shape it should have.
    #[error("the JSON is not what it should be")]
    Json(#[source] serde_json::Error),
    /// It is no UTF-8.
    #[error("it is no UTF-8 text")]
    NotText,
    /// A later build wrote the case.
    #[error("its format is {found}, this build reads up to {CASE_FORMAT}")]
    Format {
        /// What it says.
        found: u32,
    },
    /// A file that the case names is not there.
    #[error("it is not there, nor is `_blobs` holding `{sha256}`")]
    Absent {
        /// What it should hold.
        sha256: String,
    },
    /// A given file is not what it was.
    #[error("it has the SHA-256 `{found}`, the case says `{expected}`")]
    Changed {
        /// What the case says.
        expected: String,
        /// What the bytes hash to.
        found: String,
    },
    /// Nothing in the case names the file.
    #[error("nothing in the case names this file: remove it, or name it")]
    Stray,
    /// An `accept` or an `amend` was interrupted.
    #[error("an `accept` or `amend` that was interrupted left it")]
    LeftOver,
    /// It holds what looks like a secret.
    #[error(
        "it holds what looks like a secret ({shape}): a case is for everybody to read, so take it out"
    )]
    Secret {
        /// What the secret looks like, for people.
        shape: &'static str,
    },
    /// A value that the case cannot have.
    #[error("{0}")]
    Value(String),
}

/// An optional text as JSON.
fn json_of(value: &impl serde::Serialize) -> Result<Json, serde_json::Error> {
    Json::parse(&serde_json::to_string(value)?)
}
