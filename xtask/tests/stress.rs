//! The stress tasks, for a moment: that they run, and that what they say is what they found.

use std::process::Command;

fn said(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("start xtask");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stdout}{stderr}");
    stdout
}

#[test]
fn killed_writers_lose_nothing_that_was_answered() {
    let said = said(&["stress", "kill", "--times", "12"]);
    assert!(said.contains("answered and lost 0, intents without a record 0"), "{said}");
}

#[test]
fn processes_share_a_log_without_holes() {
    let said = said(&["stress", "share", "--processes", "4", "--runs", "50"]);
    assert!(said.contains("200 answered, 200 records"), "{said}");
}

#[test]
fn a_moment_of_everything_at_once_loses_nothing() {
    let said = said(&["soak", "--seconds", "4"]);
    assert!(said.contains("answered and lost 0, intents without a record 0"), "{said}");
}
