//! A case holds no secret: what looks like one is refused before it is written, and found where it is.

use std::{collections::BTreeSet, fs, path::Path};

use tapeline::scrub::{secret_in, secret_in_line};

use super::{CaseError, CaseErrorKind, CaseName, Piece, blobs, folder::files_below};
use crate::Json;

/// Refuses the files of a case when one of them holds what looks like a secret.
///
/// # Errors
/// One does; it is named, and so is the shape of the secret.
pub(crate) fn no_secret(golden: &Path, name: &CaseName, pieces: &[Piece]) -> Result<(), CaseError> {
    let held = pieces.iter().find_map(|piece| match piece {
        Piece::File(file, bytes) => {
            Some((golden.join(name.as_str()).join(file), shape_in(file, bytes)?))
        }
        Piece::Blob(sha256, bytes) => Some((blobs::path(golden, sha256)?, secret_in(bytes)?)),
    });
    match held {
        Some((path, shape)) => Err(CaseError::at(path, CaseErrorKind::Secret { shape })),
        None => Ok(()),
    }
}

/// The files of a case, and those in `_blobs/` that it refers to, which hold what looks like a secret.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn secrets_of(
    golden: &Path,
    name: &CaseName,
    refers_to: &BTreeSet<String>,
) -> Result<Vec<CaseError>, CaseError> {
    let case = golden.join(name.as_str());
    let files = files_below(&case)?.into_iter().map(|file| (case.join(&file), file));
    let blobs = refers_to.iter().filter_map(|sha256| blobs::path(golden, sha256));
    let mut secrets = Vec::new();
    for (path, file) in files.chain(blobs.map(|path| (path, String::new()))) {
        let bytes = fs::read(&path).map_err(CaseError::io(&path))?;
        if let Some(shape) = shape_in(&file, &bytes) {
            secrets.push(CaseError::at(path, CaseErrorKind::Secret { shape }));
        }
    }
    Ok(secrets)
}

/// What looks like a secret in a file of a case: in our own documents text by text, where validators
/// of servers are none; in all others as they are.
fn shape_in(file: &str, bytes: &[u8]) -> Option<&'static str> {
    const OURS: [&str; 6] = [
        "given/case.json",
        "given/http.json",
        "given/workspace.json",
        "expect/envelope.json",
        "expect/requests.json",
        "expect/workspace.json",
    ];

    let text = std::str::from_utf8(bytes).ok().filter(|_| OURS.contains(&file));
    match text.and_then(|text| Json::parse(text).ok()) {
        Some(document) => {
            let in_lines = || (file == OURS[0]).then(|| shape_in_lines(&document)).flatten();
            shape_in_document(&document).or_else(in_lines)
        }
        None => secret_in(bytes),
    }
}

/// In the command lines of a case and in its title, which is one unless somebody gave another, quotes
/// may part a secret.
fn shape_in_lines(document: &Json) -> Option<&'static str> {
    let Json::Object(fields) = document else { return None };
    fields.iter().find_map(|(name, value)| match (&**name, value) {
        ("command", Json::Text(line)) => secret_in_line(line),
        ("title", Json::Text(title)) => secret_in(title.replace(['"', '\''], "").as_bytes()),
        // The line of a derived case stands in what is changed.
        ("run" | "change", part) => shape_in_lines(part),
        _ => None,
    })
}

fn shape_in_document(document: &Json) -> Option<&'static str> {
    const VALIDATORS: [&str; 4] = ["etag", "last-modified", "if-none-match", "if-modified-since"];

    match document {
        Json::Plain(_) => None,
        Json::Text(text) => secret_in(text.as_bytes()),
        Json::Array(items) => {
            let is_validator = matches!(&**items, [Json::Text(name), Json::Text(_)]
                if VALIDATORS.iter().any(|validator| name.eq_ignore_ascii_case(validator)));
            if is_validator { None } else { items.iter().find_map(shape_in_document) }
        }
        Json::Object(fields) => fields.iter().find_map(|(name, value)| {
            secret_in(name.as_bytes()).or_else(|| shape_in_document(value))
        }),
    }
}
