//! An envelope held to its schema: what the types do not say of it.

use std::collections::BTreeSet;

use tapeline::{Artifact, Envelope, json::fields};

use crate::given::Given;

/// What is not as the schema says, as far as the envelope's type leaves it open, or not as the replay
/// wants it.
pub(super) fn unlike_its_schema(given: &Given, envelope: &Envelope) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut hold = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    let failed = envelope.error_code.is_some();
    hold(envelope.schema_version == Envelope::SCHEMA_VERSION, "another `schema_version`");
    hold(envelope.run_id == given.run_id, "another `run_id`");
    hold(envelope.duration_ms == given.duration_ms, "another `duration_ms`");
    hold((envelope.exit_code != 0) == failed, "`exit_code` is 0 exactly without `error_code`");
    hold(envelope.error_message.is_some() == failed, "`error_message` goes with `error_code`");
    if let Some(code) = &envelope.error_code {
        let is_word = code.chars().all(|letter| letter.is_ascii_alphanumeric());
        let is_capital = code.starts_with(|first: char| first.is_ascii_uppercase());
        hold(is_word && is_capital, "`error_code` is no word in PascalCase");
    }
    if let Some(message) = &envelope.error_message {
        let is_line = !message.is_empty() && !message.contains(['\n', '\r']);
        hold(is_line, "`error_message` is no one line");
    }
    for artifact in &envelope.artifacts {
        let Artifact { path, sha256, .. } = artifact;
        let below = path.strip_prefix(".agents/").unwrap_or_default();
        let escapes = below.split('/').any(|part| part == "..");
        hold(!below.is_empty() && !escapes, "an artifact's path");
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        hold(sha256.len() == 64 && sha256.bytes().all(is_hex), "an artifact's `sha256`");
    }
    let cut: Vec<&str> = envelope.truncated.iter().map(|cut| cut.what.as_str()).collect();
    let known = cut.iter().all(|what| ["stdout", "stderr", "result"].contains(what));
    hold(known && is_distinct(&cut), "`truncated` names a field twice, or one that is not cut");
    match fields(envelope.result.get()) {
        Err(_) => hold(false, "`result` is no object"),
        Ok(fields) => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            hold(is_distinct(&names), "a field stands twice in `result`");
            let value = |name: &str| {
                fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.get())
            };
            let text = |text: &Option<String>| serde_json::to_string(text).ok();
            hold(names.starts_with(&["ok", "command"]), "`result` begins with `ok`, `command`");
            hold(value("ok") == Some(if failed { "false" } else { "true" }), "`result.ok`");
            let is_cut = cut.contains(&"result");
            let says_so = value("truncated") == Some("true") && value("full").is_some();
            hold(says_so || !is_cut, "a `result` that is cut without `truncated` and `full`");
            if failed {
                let same = |name, said| value(name).map(str::to_owned) == text(said);
                hold(same("error_code", &envelope.error_code), "`result.error_code`");
                hold(same("error_message", &envelope.error_message), "`result.error_message`");
            }
            for name in envelope.error_code.as_deref().map_or(&[][..], details) {
                let what = format!("a failure without `result.{name}`");
                hold(value(name).is_some() || is_cut, &what);
            }
        }
    }
    wrong
}

/// What `result` has with a code.
fn details(code: &str) -> &'static [&'static str] {
    match code {
        "WorkspaceError" => &["path", "kind"],
        "LimitExceeded" => &["limit", "max"],
        "HttpError" | "RemoteHttpError" => &["status"],
        "RemoteError" => &["error_type"],
        "UnknownCommand" => &["suggestions"],
        _ => &[],
    }
}

fn is_distinct(names: &[&str]) -> bool {
    names.iter().collect::<BTreeSet<_>>().len() == names.len()
}
