//! [`Scenario`]: one golden case before it is recorded, as data that reads like a sentence.

use anyhow::{Context, ensure};
use serde_json::Value;
use tapeline_replay::loopback::Answer;

use crate::rates::{HOST, Table, target};

/// A line, the world it meets, and what must come of it.
#[derive(Debug)]
pub(super) struct Scenario {
    /// `<group>/<case>`: where the case will lie, and what a filter looks at.
    pub(super) name: String,
    /// What a reviewer is told of the case.
    pub(super) title: &'static str,
    pub(super) line: String,
    /// Path in the workspace, and content.
    pub(super) files: Vec<(String, Vec<u8>)>,
    pub(super) stdin: Option<&'static str>,
    pub(super) provider: Provider,
    /// The provider's name.
    pub(super) host: &'static str,
    /// Target, and what a `GET` of it is answered.
    pub(super) answers: Vec<(String, Answer)>,
    /// The file of `--config`.
    pub(super) config: Option<&'static str>,
    /// `--yes`.
    pub(super) yes: bool,
    pub(super) timeout_ms: Option<u64>,
    /// Whether the program gets a Ctrl-C once the provider has its request.
    pub(super) interrupted: bool,
    error_code: Option<&'static str>,
    shown: Vec<(&'static str, Value)>,
}

/// Where a request to the provider leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provider {
    /// Out of this machine: for lines that make no request.
    Unasked,
    /// To a server with the scenario's answers.
    Answering,
    /// To a server whose certificate is for another name.
    Impostor,
    /// To a port nobody listens on.
    Down,
    /// To a name that does not resolve.
    Unresolved,
}

impl Scenario {
    /// One that succeeds with an empty line. Names are lower case, digits and hyphens.
    pub(super) fn new(group: &str, case: &str, title: &'static str) -> Self {
        Self {
            name: format!("{group}/{case}"),
            title,
            line: String::new(),
            files: Vec::new(),
            stdin: None,
            provider: Provider::Unasked,
            host: HOST,
            answers: Vec::new(),
            config: None,
            yes: false,
            timeout_ms: None,
            interrupted: false,
            error_code: None,
            shown: Vec::new(),
        }
    }

    pub(super) fn line(self, line: impl Into<String>) -> Self {
        Self { line: line.into(), ..self }
    }

    /// The workspace has this file; folders above it are made.
    pub(super) fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.to_owned(), content.into()));
        self
    }

    pub(super) fn stdin(self, stdin: &'static str) -> Self {
        Self { stdin: Some(stdin), ..self }
    }

    /// The cache has this answer, fetched so many hours ago.
    pub(super) fn kept(self, table: &Table, hours_ago: i64) -> Self {
        let path = format!("cache/exchange-rate/{}.json", table.base());
        self.file(&path, table.kept(hours_ago))
    }

    pub(super) fn provider(self, provider: Provider) -> Self {
        Self { provider, ..self }
    }

    /// The provider has these rates.
    pub(super) fn rates(self, table: &Table) -> Self {
        self.answer(table.base(), Answer::ok_json(table.body()))
    }

    /// The provider answers so when it is asked for the rates of `base`.
    pub(super) fn answer(self, base: &str, answer: Answer) -> Self {
        self.serves(&target(base), answer)
    }

    /// The provider answers so when it is asked for `target`: a path, with its query.
    pub(super) fn serves(mut self, target: &str, answer: Answer) -> Self {
        self.answers.push((target.to_owned(), answer));
        self.provider(Provider::Answering)
    }

    /// The provider has this name, in place of the one of the rates.
    pub(super) fn host(self, host: &'static str) -> Self {
        Self { host, ..self }
    }

    /// The host is configured so, in TOML.
    pub(super) fn config(self, toml: &'static str) -> Self {
        Self { config: Some(toml), ..self }
    }

    pub(super) fn yes(self) -> Self {
        Self { yes: true, ..self }
    }

    pub(super) fn timeout_ms(self, timeout_ms: u64) -> Self {
        Self { timeout_ms: Some(timeout_ms), ..self }
    }

    pub(super) fn interrupted(self) -> Self {
        Self { interrupted: true, ..self }
    }

    /// The run ends with this code.
    pub(super) fn fails(self, error_code: &'static str) -> Self {
        Self { error_code: Some(error_code), ..self }
    }

    /// The envelope has this value at a JSON pointer; null is a value that is not there.
    pub(super) fn shows(mut self, pointer: &'static str, value: impl Into<Value>) -> Self {
        self.shown.push((pointer, value.into()));
        self
    }

    /// What the run is to end with, in words.
    pub(super) fn ending(&self) -> &'static str {
        self.error_code.unwrap_or("success")
    }

    /// That an envelope is what this scenario says.
    pub(super) fn check(&self, envelope: &Value) -> anyhow::Result<()> {
        let found = envelope.get("error_code").context("what came back is no envelope")?;
        ensure!(
            found.as_str() == self.error_code,
            "it ended with {}, and the scenario says {}:\n{envelope:#}",
            found.as_str().unwrap_or("success"),
            self.ending(),
        );
        for (pointer, expected) in &self.shown {
            let found = envelope.pointer(pointer).unwrap_or(&Value::Null);
            ensure!(
                found == expected,
                "{pointer} is {found}, and the scenario says {expected}:\n{envelope:#}"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(scenario: &Scenario, envelope: &Value, expected: &str) {
        let error = scenario.check(envelope).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn an_envelope_that_is_otherwise_is_told_by_what_differs() {
        let scenario = Scenario::new("a", "b", "").shows("/result/cached", true);
        let cached = json!({"error_code": null, "result": {"cached": true}});
        scenario.check(&cached).unwrap();
        check(&scenario, &json!({"error_code": null}), "/result/cached is null");
        check(&scenario, &json!({"error_code": "ParseError"}), "it ended with ParseError, and");
        check(&scenario.fails("ParseError"), &cached, "it ended with success, and");
    }
}
