//! A host outside the workspace: its own command is recorded, made a case, and held to it by its own
//! tests.
//!
//! What is built is a copy of `replay/fixtures/outside-host`.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

use crate::{fixture::Fixture, scratch::workspace_root};

const FIXTURE: &str = "replay/fixtures/outside-host";
const COMMAND: &str = "src/word_count.rs";
const CASE: &str = "word-count/notes";

#[test]
fn a_hosts_own_command_is_recorded_promoted_and_held_to_its_case() {
    let host = OutsideHost::build();
    let run_id = host.record("word-count notes.txt");
    host.said(&["replay", "promote", &run_id, "--as", CASE]);
    let (tested, said) = host.test();
    assert!(tested && told(&said, CASE, PASSED), "{said}");

    host.0.replace(COMMAND, "{words} words", "{words} terms").unwrap();
    let (tested, said) = host.test();
    assert!(!tested && told(&said, CASE, FAILED), "{said}");
    for line in [
        "expect/stdout.txt",
        "- 4 [-words-]",
        "+ 4 {+terms+}",
        "outside-host replay accept word-count/notes",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }

    assert_eq!(host.said(&["replay", "accept", CASE]), format!("{CASE}: accepted\n"));
    let (tested, said) = host.test();
    assert!(tested && told(&said, CASE, PASSED), "{said}");
}

#[test]
fn the_readme_shows_the_command_whole_and_it_is_short() {
    let read = |file: &str| fs::read_to_string(workspace_root().join(file)).unwrap();
    let command = read(&format!("{FIXTURE}/{COMMAND}"));
    assert!(command.lines().count() <= 40, "{} lines", command.lines().count());
    let block = format!("\n```rust\n{command}```\n");
    assert!(read("README.md").contains(&block), "README.md is to have this block:\n{block}");
}

/// How a case that passed is told by nextest, and by cargo's own runner.
const PASSED: [&str; 2] = ["PASS", "... ok"];
const FAILED: [&str; 2] = ["FAIL", "... FAILED"];

fn told(said: &str, case: &str, how: [&str; 2]) -> bool {
    let is_told = |line: &str| line.contains(case) && how.iter().any(|word| line.contains(word));
    said.lines().any(is_told)
}

struct OutsideHost(Fixture);

impl OutsideHost {
    fn build() -> Self {
        let fixture = Fixture::copy(FIXTURE).unwrap();
        // The tests with the program, so that the kit is compiled once.
        fixture.build(&["--all-targets"]).unwrap();
        let workspace = fixture.path().join(".tapeline/.agents");
        fs::create_dir_all(&workspace).unwrap();
        fs::write(workspace.join("notes.txt"), "every line\non tape\n").unwrap();
        Self(fixture)
    }

    /// Runs a line for real and gives the id of the run.
    fn record(&self, line: &str) -> String {
        let envelope: Value = serde_json::from_str(&self.said(&["exec", line])).unwrap();
        assert_eq!(envelope["stdout"], "4 words\n", "{envelope:#}");
        envelope["run_id"].as_str().unwrap().to_owned()
    }

    /// What its program prints.
    fn said(&self, arguments: &[&str]) -> String {
        let mut program = Command::new(self.0.made("outside-host"));
        let output = program.current_dir(self.0.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Whether its tests pass, and what their runner says.
    fn test(&self) -> (bool, String) {
        let installed = self.0.cargo().args(["nextest", "--version"]).output().unwrap();
        let runner: &[&str] =
            if installed.status.success() { &["nextest", "run"] } else { &["test"] };
        let mut tests = self.0.cargo();
        tests.args(runner).args(["--offline", "--locked"]).env_remove("TAPELINE_GOLDEN");
        let output = tests.output().unwrap();
        (output.status.success(), text(&output))
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}
