//! Records in which placeholders stand for secrets: [`is_scrubbed`], [`holds_placeholder`].

use similar::{ChangeTag, TextDiff};

use crate::{
    Difference, Json,
    given::Given,
    outcome::Outcome,
    player::Played,
    taped::{TapedFile, Written},
};

/// How a placeholder begins.
pub(crate) const PLACEHOLDER: &str = "{{secret:";

/// Whether a place differs since a secret stood there: lines of a text with a placeholder, or length
/// and hash of an artifact with one.
pub(crate) fn is_scrubbed(difference: &Difference, outcome: &Outcome, played: &Played) -> bool {
    if let (Some(Json::Text(expected)), Some(Json::Text(actual))) =
        (&difference.expected, &difference.actual)
        && [expected, actual].iter().all(|text| text.contains(PLACEHOLDER))
    {
        let lines = TextDiff::from_lines(expected, actual);
        let mut changed =
            lines.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
        return changed.all(|change| change.value().contains(PLACEHOLDER));
    }
    let Some(rest) = difference.path.strip_prefix("/artifacts/") else { return false };
    let Some((place, "bytes" | "sha256")) = rest.split_once('/') else { return false };
    let artifact = place.parse::<usize>().ok().and_then(|place| artifacts(outcome).nth(place));
    let written = artifact.and_then(|artifact| played.written.get(&artifact.path));
    let content = |written: &Written| {
        written.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    written.and_then(content).is_some_and(|content| content.contains(PLACEHOLDER))
}

/// Whether a placeholder stands in what a run was given. What comes of that is what comes of the
/// placeholder, and not of the secret.
pub(crate) fn holds_placeholder(given: &Given) -> bool {
    let holds = |text: &str| text.contains(PLACEHOLDER);
    let in_bytes = |bytes: &[u8]| {
        bytes.windows(PLACEHOLDER.len()).any(|window| window == PLACEHOLDER.as_bytes())
    };
    let request = &given.request;
    let in_answer = given.answers.iter().any(|given| {
        holds(&given.url)
            || given.answer.outcome.as_ref().is_ok_and(|response| {
                response.headers.iter().any(|(name, value)| holds(name) || holds(value))
                    || in_bytes(&response.body)
            })
    });
    let in_file = given.tree.files.iter().any(|(path, file)| {
        holds(path) || matches!(file, TapedFile::Bytes(bytes) if in_bytes(bytes))
    });
    holds(&request.command)
        || request.stdin.as_deref().is_some_and(holds)
        || request.labels.values().any(|value| holds(value))
        || in_answer
        || in_file
}

/// A file that a run left.
pub(crate) struct Artifact {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// The files that an outcome names.
pub(crate) fn artifacts(outcome: &Outcome) -> impl Iterator<Item = Artifact> {
    let listed = outcome.envelope.iter().find_map(|(name, value)| match value {
        Json::Array(artifacts) if name == "artifacts" => Some(artifacts.as_slice()),
        _ => None,
    });
    listed.unwrap_or_default().iter().map(|artifact| {
        let field = |wanted: &str| match artifact {
            Json::Object(fields) => fields.iter().find_map(|(name, value)| match value {
                Json::Text(text) | Json::Plain(text) if name == wanted => Some(text.clone()),
                _ => None,
            }),
            _ => None,
        };
        Artifact {
            path: field("path").unwrap_or_default(),
            bytes: field("bytes").and_then(|bytes| bytes.parse().ok()).unwrap_or_default(),
            sha256: field("sha256").unwrap_or_default(),
        }
    })
}
