//! [`Amendment`]: an answer to what cases miss, for all of them at once.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
};

use tapeline::{WorkspacePath, http::HttpResponse, workspace::WorkspaceFaultKind};

use crate::{
    CaseError, CaseName, Kit, Miss, Verdict,
    case::{Case, CaseErrorKind, given_files, put},
    cases::{Replayed, replay_case},
    given::{Given, GivenAnswer},
    taped::{Answer, TapedFile},
};

/// What cases are given from now on, where they ask for it in vain.
#[derive(Clone, Debug)]
pub(crate) enum Amendment {
    /// Nothing is at that path.
    Absent(String),
    /// A file.
    File { path: String, content: Vec<u8> },
    /// A 200.
    Answer { method: String, url: String, body: Vec<u8>, from: PathBuf },
}

impl Amendment {
    /// `PATH`, below the workspace.
    pub(crate) fn absent(path: &str) -> Result<Self, String> {
        Ok(Self::Absent(workspace_path(path)?))
    }

    /// `PATH=FROM`.
    pub(crate) fn file(text: &str) -> Result<Self, String> {
        let (path, from) = text.split_once('=').ok_or("write `PATH=FROM`")?;
        Ok(Self::File { path: workspace_path(path)?, content: read(from)? })
    }

    /// `[METHOD ]URL=FILE`; a URL may hold a `=` itself.
    pub(crate) fn answer(text: &str) -> Result<Self, String> {
        let (asked, from) = text.rsplit_once('=').ok_or("write `URL=FILE`")?;
        let (method, url) = asked.split_once(' ').unwrap_or(("GET", asked));
        Ok(Self::Answer {
            method: method.to_owned(),
            url: url.to_owned(),
            body: read(from)?,
            from: from.into(),
        })
    }

    /// Adds it where that is what was missed.
    fn answers(&self, miss: &Miss, given: &mut Given) -> bool {
        match (self, miss) {
            (Self::Absent(path), Miss::File(missed) | Miss::Removal(missed)) if path == missed => {
                let absent = TapedFile::Fault(WorkspaceFaultKind::NotFound);
                given.tree.files.insert(path.clone(), absent);
            }
            (Self::Absent(path), Miss::List(missed)) if path == missed => {
                given.tree.lists.insert(path.clone(), Err(WorkspaceFaultKind::NotFound));
            }
            (Self::File { path, content }, Miss::File(missed) | Miss::Removal(missed))
                if path == missed =>
            {
                let content = TapedFile::Bytes(content.as_slice().into());
                given.tree.files.insert(path.clone(), content);
            }
            (
                Self::Answer { method, url, body, from },
                Miss::Answer { method: missed_method, url: missed_url },
            ) if (method, url) == (missed_method, missed_url) => {
                let at_ms = given.answers.iter().map(|answer| answer.answer.at_ms).max();
                let content_type = ("content-type".to_owned(), media_type(from).to_owned());
                let response =
                    HttpResponse { status: 200, headers: vec![content_type], body: body.clone() };
                let answer = Answer {
                    at_ms: at_ms.unwrap_or_default(),
                    resolved: resolved(url, given),
                    outcome: Ok(response),
                };
                let (method, url) = (method.clone(), url.clone());
                given.answers.push(GivenAnswer { method, url, answer });
            }
            _ => return false,
        }
        true
    }
}

/// Gives a case what it misses, if that is among the amendments: whether it was, and what the case
/// comes to.
///
/// # Errors
/// The case cannot be read or written, or is derived from another.
pub(crate) fn amend(
    kit: &Kit,
    golden: &Path,
    name: &CaseName,
    amendments: &[Amendment],
) -> Result<(bool, Replayed), CaseError> {
    let mut amended = false;
    // What comes after a miss is not known before it is answered.
    loop {
        let replayed = replay_case(kit, golden, name);
        let Verdict::Miss(misses) = &replayed.verdict else {
            return Ok((amended, replayed));
        };
        let Case { title, mut given, provenance, base, .. } = Case::read(golden, name)?;
        let mut answered = false;
        for miss in misses {
            answered |= amendments.iter().any(|amendment| amendment.answers(miss, &mut given));
        }
        if !answered {
            return Ok((amended, replayed));
        }
        let path = golden.join(name.as_str());
        if let Some(base) = base {
            let why = format!("it is derived: amend `{base}`");
            return Err(CaseError::at(path, CaseErrorKind::Value(why)));
        }
        let pieces = given_files(&title, &given, provenance.as_ref())
            .map_err(|error| CaseError::at(path, CaseErrorKind::Json(error)))?;
        put(golden, name, &pieces)?;
        amended = true;
    }
}

/// Where the URL's host led before, else a public address.
fn resolved(url: &str, given: &Given) -> Vec<IpAddr> {
    const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 215, 14));

    let host = |url: &str| url.split('/').nth(2).map(str::to_owned);
    let known = given.answers.iter().rfind(|answer| host(&answer.url) == host(url));
    known.map_or_else(|| vec![PUBLIC], |answer| answer.answer.resolved.clone())
}

fn workspace_path(path: &str) -> Result<String, String> {
    let path: WorkspacePath =
        path.parse().map_err(|escape: tapeline::PathEscape| escape.to_string())?;
    Ok(path.to_string())
}

fn read(from: &str) -> Result<Vec<u8>, String> {
    std::fs::read(from).map_err(|error| format!("cannot read `{from}`: {error}"))
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("html" | "htm") => "text/html; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
