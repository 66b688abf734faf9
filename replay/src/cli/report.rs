//! What is printed of a verdict: text for people, one JSON object for programs.

use serde::Serialize;

use super::said::printable;
use crate::{Json, Verdict};

/// A record and what came of it.
pub(super) fn record_text(run_id: &str, verdict: &Verdict) -> String {
    format!("{run_id}: {verdict}")
}

/// A case and what came of it: paths are those of the files of the case. What looks like a secret is a
/// placeholder, what a terminal would act on an escape.
pub(crate) fn case_text(name: &str, verdict: &Verdict) -> String {
    let text = match verdict {
        Verdict::Changed(differences) | Verdict::Unstable(differences) => {
            let differences = differences.iter().map(|difference| {
                let mut placed = difference.clone();
                placed.path = place(&difference.path);
                placed.to_string()
            });
            format!("{name}: {}\n{}", verdict.name(), differences.collect::<String>())
        }
        _ => format!("{name}: {verdict}"),
    };
    printable(&text)
}

/// Where a part of a case's document stands on disk, and the pointer within that file.
pub(crate) fn place(path: &str) -> String {
    let (first, rest) = match path.strip_prefix('/').and_then(|path| path.split_once('/')) {
        Some((first, rest)) => (first, format!("/{rest}")),
        None => (path.trim_start_matches('/'), String::new()),
    };
    let (file, pointer) = match first {
        "stdout" | "stderr" => (format!("{first}.txt"), String::new()),
        "requests" | "workspace" => (format!("{first}.json"), rest),
        "given" => return "given and not asked for".to_owned(),
        _ => ("envelope.json".to_owned(), path.to_owned()),
    };
    match pointer.as_str() {
        "" => format!("expect/{file}"),
        pointer => format!("expect/{file} {pointer}"),
    }
}

#[derive(Serialize)]
struct Report {
    verdict: &'static str,
    differences: Vec<Changed>,
    misses: Vec<String>,
    why: Option<String>,
}

#[derive(Serialize)]
struct Changed {
    path: String,
    expected: Option<String>,
    actual: Option<String>,
}

/// One line of JSON; `key` says what is named.
pub(super) fn report(
    key: &str,
    name: &str,
    verdict: &Verdict,
) -> Result<String, serde_json::Error> {
    let mut report =
        Report { verdict: verdict.name(), differences: Vec::new(), misses: Vec::new(), why: None };
    match verdict {
        Verdict::Changed(differences) | Verdict::Unstable(differences) => {
            let json = |json: &Option<Json>| json.as_ref().map(|json| json.swept().to_string());
            let changed = differences.iter().map(|difference| Changed {
                path: difference.path.clone(),
                expected: json(&difference.expected),
                actual: json(&difference.actual),
            });
            report.differences = changed.collect();
        }
        Verdict::Miss(misses) => report.misses = misses.iter().map(ToString::to_string).collect(),
        Verdict::Broken(why) | Verdict::Skipped(why) => report.why = Some(why.clone()),
        Verdict::Ok | Verdict::New | Verdict::Panic | Verdict::Stuck => {}
    }
    let named = serde_json::to_string(&std::collections::BTreeMap::from([(key, name)]))?;
    let rest = serde_json::to_string(&report)?;
    let named = named.strip_suffix('}').unwrap_or(&named);
    Ok(format!("{named},{}", rest.strip_prefix('{').unwrap_or(&rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_case_are_named_by_their_files() {
        for (path, placed) in [
            ("/result/rate", "expect/envelope.json /result/rate"),
            ("/stdout", "expect/stdout.txt"),
            ("/requests/0/headers/1", "expect/requests.json /0/headers/1"),
            ("/requests", "expect/requests.json"),
            ("/workspace/.agents~1a/text", "expect/workspace.json /.agents~1a/text"),
            ("", "expect/envelope.json"),
            ("/given", "given and not asked for"),
        ] {
            assert_eq!(place(path), placed);
        }
    }
}
