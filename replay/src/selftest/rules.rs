//! Which edits of the documents in `given/` are made, and what each is to come to.

use super::{
    edit::{
        Act::{self, Added, Altered, Doubled, Removed},
        another,
    },
    mutation::Demand::{self, Broken, Nothing, Red},
};
use crate::Json;

pub(super) const CASE: &str = "given/case.json";
pub(super) const HTTP: &str = "given/http.json";
pub(super) const WORKSPACE: &str = "given/workspace.json";

/// Whether an answer, a file, a refusal is there, what it is found by, what pins its content, and what
/// an envelope holds as it was given: all of that must be seen. The last three need not be, as any leaf
/// that is not named here.
const RULES: [(&str, Demand, &[Act], &[&str]); 19] = [
    (
        CASE,
        Broken,
        &[Altered],
        &[
            "/format",
            "/change/answers/*/response/body/file",
            "/change/answers/*/response/body/bytes",
            "/change/answers/*/response/body/sha256",
        ],
    ),
    (
        CASE,
        Broken,
        &[Added],
        &[
            "",
            "/run",
            "/host",
            "/clock",
            "/ids",
            "/approvals/*",
            "/end",
            "/change",
            "/change/end",
            "/change/approvals/*",
            "/change/answers/*",
            "/change/answers/*/response",
            "/change/answers/*/response/body",
            "/change/answers/*/fault",
        ],
    ),
    (
        CASE,
        Red,
        &[Altered],
        &[
            "/clock/duration_ms",
            "/ids/run_id",
            "/approvals/*/action",
            "/change/approvals/*/action",
            "/change/writes/*/path",
        ],
    ),
    (
        CASE,
        Red,
        &[Removed, Doubled],
        &["/approvals/*", "/change/approvals/*", "/change/answers/*", "/change/writes/*"],
    ),
    (
        CASE,
        Red,
        &[Removed],
        &[
            "/end",
            "/change/command",
            "/change/clock_start",
            "/change/end",
            "/change/answers",
            "/change/approvals",
            "/change/writes",
        ],
    ),
    (CASE, Red, &[Added], &["/approvals", "/change/approvals", "/change/writes"]),
    (HTTP, Broken, &[Added], &["/*", "/*/response", "/*/response/body", "/*/fault"]),
    (
        HTTP,
        Broken,
        &[Altered],
        &["/*/response/body/file", "/*/response/body/bytes", "/*/response/body/sha256"],
    ),
    (HTTP, Red, &[Altered], &["/*/method", "/*/url"]),
    (HTTP, Red, &[Removed, Doubled], &["/*"]),
    (HTTP, Red, &[Added], &[""]),
    (WORKSPACE, Broken, &[Altered], &["/files/*/bytes", "/files/*/sha256"]),
    (WORKSPACE, Broken, &[Added], &["", "/files/*", "/reads/*", "/lists/*"]),
    (
        WORKSPACE,
        Red,
        &[Altered],
        &["/files/*/path", "/reads/*/path", "/lists/*/path", "/writes/*/path", "/locks/*/name"],
    ),
    (
        WORKSPACE,
        Red,
        &[Removed, Doubled],
        &["/files/*", "/reads/*", "/lists/*", "/lists/*/entries/*", "/writes/*", "/locks/*"],
    ),
    (WORKSPACE, Red, &[Added], &["/files", "/reads", "/lists", "/writes", "/locks"]),
    (CASE, Nothing, &[Removed], &["/run/stdin"]),
    (HTTP, Nothing, &[Removed, Doubled], &["/*/response/headers/*"]),
    (HTTP, Nothing, &[Added], &["/*/response/headers"]),
];

/// Told about a case, and never compared.
const TOLD: [&str; 3] = ["title", "base", "provenance"];

/// What an edit of a part is to come to; `None` where it is not made.
pub(super) fn demand(file: &str, path: &[String], act: Act, node: &Json) -> Option<Demand> {
    // Any write goes well unless a refusal is given: to say so means nothing by itself.
    if matches!(path, [.., list, place] if list == "writes" && place == "*")
        && field(node, "error").is_none()
    {
        return (act != Added).then_some(Nothing);
    }
    let pattern: String = path.iter().map(|part| format!("/{part}")).collect();
    let is_it = |(of, _, acts, patterns): &&(&str, Demand, &[Act], &[&str])| {
        *of == file && acts.contains(&act) && patterns.contains(&pattern.as_str())
    };
    match RULES.iter().find(is_it) {
        Some((_, demand, _, _)) => Some(*demand),
        None if act != Altered => None,
        None if file == CASE && path.first().is_some_and(|part| TOLD.contains(&part.as_str())) => {
            None
        }
        None => Some(Nothing),
    }
}

/// The new value of a leaf, or what is added: something that can be read, so that it can matter.
pub(super) fn new(file: &str, path: &[String], node: &Json) -> Json {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    let parsed = |text: &str| Json::parse(text).unwrap_or(Json::Object(Vec::new()));
    match (file, parts.as_slice(), node) {
        (HTTP, [], _) => parsed(
            r#"{"method":"GET","url":"https://added.example/","fault":{"kind":"dns"},"at_ms":0}"#,
        ),
        (HTTP, ["*", "response", "headers"], _) => parsed(r#"["x-added","added"]"#),
        (HTTP, ["*", "resolved", "*"], _) => Json::Text("9.9.9.9".to_owned()),
        (CASE, [.., "approvals"], _) => {
            parsed(r#"{"action":"added","answer":"approved","at_ms":0}"#)
        }
        (_, ["files"], _) => parsed(
            r#"{"path":".agents/added","bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}"#,
        ),
        (_, ["reads"], _) => parsed(r#"{"path":".agents/added","absent":true}"#),
        (_, ["lists"], _) => parsed(r#"{"path":".agents/added","entries":[]}"#),
        (_, [.., "writes"], _) => parsed(r#"{"path":".agents/added","error":"full"}"#),
        (_, ["locks"], _) => parsed(r#"{"name":"added","ok":true}"#),
        (CASE, [.., "command"], Json::Text(line)) => Json::Text(format!("{line} added")),
        (CASE, ["clock", "start"] | ["change", "clock_start"], Json::Plain(start)) => {
            let later = start.parse::<i64>().ok().and_then(|start| start.checked_add(1000));
            Json::Plain(later.unwrap_or_default().to_string())
        }
        (_, _, Json::Text(text)) => match OTHERS.iter().find(|(one, _)| one == text) {
            Some((_, other)) => Json::Text((*other).to_owned()),
            None => another(node),
        },
        (_, _, Json::Plain(_) | Json::Array(_) | Json::Object(_)) => another(node),
    }
}

/// Words that can only be altered into one of their kind.
const OTHERS: [(&str, &str); 27] = [
    ("as-read", "closed"),
    ("closed", "as-read"),
    ("approved", "denied"),
    ("denied", "approved"),
    ("failed", "approved"),
    ("late", "approved"),
    ("unavailable", "approved"),
    ("none", "declared"),
    ("declared", "none"),
    ("public", "none"),
    ("allow", "deny"),
    ("ask", "deny"),
    ("deny", "allow"),
    ("file", "dir"),
    ("dir", "file"),
    ("link", "file"),
    ("dns", "reset"),
    ("address_denied", "reset"),
    ("connect_refused", "reset"),
    ("connect_timeout", "reset"),
    ("tls", "reset"),
    ("reset", "dns"),
    ("read_timeout", "reset"),
    ("truncated", "reset"),
    ("stall", "reset"),
    ("decode", "reset"),
    ("too_large", "reset"),
];

/// The value of a field, if that is an object that has it.
pub(super) fn field<'a>(object: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(fields) = object else { return None };
    fields.iter().find_map(|(field, value)| (field == name).then_some(value))
}
