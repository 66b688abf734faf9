//! `cargo xtask test`: all tests of the workspace.

use std::process::Command;

use crate::cargo::{cargo, run as run_command};

/// Everything that has tests, whatever is off by default.
pub(crate) const FEATURES: [&str; 2] =
    ["--features", "tapeline-replay/harness,tapeline-replay/loopback"];

/// The settings of the test runner, `.config/nextest.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Default,
    Ci,
}

/// Documentation examples first, which nextest does not run, so that the closing line of the test
/// runner stands last.
pub(crate) fn run(profile: Profile) -> anyhow::Result<()> {
    let mut doc = cargo();
    doc.args(["test", "--locked", "--workspace", "--doc"]).args(FEATURES);
    run_command(&mut doc)?;

    let mut tests = runner(profile);
    tests.args(["--workspace", "--all-targets"]).args(FEATURES);
    run_command(&mut tests)
}

/// What writes and reads records, with serde_json as a dependency of a host may switch it for
/// everyone: nothing that is recorded or compared may change with it.
pub(crate) fn run_as_in_a_hosts_tree(profile: Profile) -> anyhow::Result<()> {
    const SWITCHED: &str =
        "serde_json/arbitrary_precision,serde_json/preserve_order,tapeline-replay/loopback";
    let mut tests = runner(profile);
    for package in ["tapeline", "tapeline-replay", "tapeline-host"] {
        tests.args(["--package", package]);
    }
    run_command(tests.args(["--all-targets", "--features", SWITCHED]))
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
