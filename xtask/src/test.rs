//! `cargo xtask test`: all tests of the workspace.

use crate::cargo::{cargo, run as run_command};

/// Everything that has tests, whatever is off by default.
const FEATURES: [&str; 2] = ["--features", "tapeline-replay/loopback"];

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

    let mut tests = cargo();
    if nextest_is_installed() {
        tests.args(["nextest", "run", "--locked", "--workspace", "--all-targets"]).args(FEATURES);
        if profile == Profile::Ci {
            tests.args(["--profile", "ci"]);
        }
    } else {
        tests.args(["test", "--locked", "--workspace", "--all-targets", "--no-fail-fast"]);
        tests.args(FEATURES);
    }
    run_command(&mut tests)
}

fn nextest_is_installed() -> bool {
    cargo().args(["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}
