//! Files after a run that something went wrong in: whole, as they were, or gone.

use tapeline::Artifact;

use crate::{digest::sha256_hex, given::Given, player::Played, taped::TapedFile};

/// What is cut, left behind, or not there though the envelope names it. `base` is the run that nothing
/// goes wrong in: what it leaves is whole.
pub(super) fn half(given: &Given, base: &Played, played: &Played) -> Vec<String> {
    let artifacts = &played.envelope.artifacts;
    let mut wrong: Vec<String> =
        artifacts.iter().filter_map(|artifact| unlike(given, played, artifact)).collect();
    let failed = played.envelope.error_code.is_some();
    let is_named = |path: &str| artifacts.iter().any(|artifact| artifact.path == path);
    let is_result = |path: &str| base.envelope.artifacts.iter().any(|known| known.path == path);
    for (path, written) in &played.written {
        let Some(after) = written.after.as_deref() else { continue };
        // What a failure names is whole, whatever the run would have made of it.
        let is_unnamed = failed && !is_named(path);
        if is_unnamed && is_result(path) {
            wrong.push(format!("`{path}` was written, and the failure names no such artifact"));
        }
        let Some(whole) = base.written.get(path) else { continue };
        let Some(whole) = whole.after.as_deref() else {
            wrong.push(format!("`{path}` is left, which the whole run removes"));
            continue;
        };
        if is_unnamed && after.len() < whole.len() && whole.starts_with(after) {
            let (cut, all) = (after.len(), whole.len());
            wrong.push(format!("`{path}` holds the first {cut} of {all} bytes"));
        }
        if is_json(whole) && !is_json(after) {
            wrong.push(format!("`{path}` holds no whole JSON"));
        }
    }
    wrong
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok()
}

/// In what an artifact is not what the envelope says.
fn unlike(given: &Given, played: &Played, artifact: &Artifact) -> Option<String> {
    let path = &artifact.path;
    let content = match played.written.get(path) {
        Some(written) => written.after.clone(),
        None => match given.tree.files.get(path) {
            Some(TapedFile::Bytes(bytes)) => Some(bytes.clone()),
            _ => None,
        },
    };
    let Some(content) = content else {
        return Some(format!("the artifact `{path}` is not there"));
    };
    let is_it = sha256_hex(&content) == artifact.sha256 && content.len() as u64 == artifact.bytes;
    (!is_it).then(|| format!("the artifact `{path}` holds something else"))
}
