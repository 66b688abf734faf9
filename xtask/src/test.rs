//! `cargo xtask test`: all tests of the workspace.

use std::process::Command;

use crate::cargo::{cargo, run as run_command};

/// Everything that has tests, whatever is off by default. Who builds for tests names the same, so
/// that nothing is built twice: `.github/workflows/ci.yml` and `host/tests/end_to_end/scratch.rs`, too.
pub(crate) const FEATURES: [&str; 2] =
    ["--features", "tapeline-commands/ocr,tapeline-replay/harness,tapeline-replay/loopback"];

/// The settings of the test runner, `.config/nextest.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Default,
    Ci,
}

/// Documentation examples first, so that the closing line of the test runner stands last.
pub(crate) fn run(profile: Profile) -> anyhow::Result<()> {
    run_examples()?;
    let mut tests = runner(profile);
    run_command(tests.args(["--workspace", "--all-targets"]).args(FEATURES))
}

/// The examples of the documentation, which nextest does not run.
pub(crate) fn run_examples() -> anyhow::Result<()> {
    let mut doc = cargo();
    run_command(doc.args(["test", "--locked", "--workspace", "--doc"]).args(FEATURES))
}

/// What writes and reads records, with serde_json as a dependency of a host may switch it for
/// everyone: nothing that is recorded or compared may change with it.
pub(crate) fn run_as_in_a_hosts_tree(profile: Profile) -> anyhow::Result<()> {
    const SWITCHED: &str = "serde_json/arbitrary_precision,serde_json/preserve_order";
    let mut tests = runner(profile);
    for package in ["tapeline", "tapeline-replay", "tapeline-host"] {
        tests.args(["--package", package]);
    }
    tests.arg("--all-targets").args(FEATURES).args(["--features", SWITCHED]);
    // These build programs of their own, which are not switched.
    let that_build = ["embedded::", "outside::", "a_changed_build"];
    tests.arg("--").args(that_build.iter().flat_map(|test| ["--skip", test]));
    run_command(&mut tests)
}

fn runner(profile: Profile) -> Command {
    let mut tests = cargo();
    match (nextest_is_installed(), profile) {
        (true, Profile::Default) => tests.args(["nextest", "run", "--locked"]),
        (true, Profile::Ci) => tests.args(["nextest", "run", "--locked", "--profile", "ci"]),
        (false, _) => tests.args(["test", "--locked", "--no-fail-fast"]),
    };
    tests
}

fn nextest_is_installed() -> bool {
    cargo().args(["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}
