//! Developer tasks: `cargo xtask <task>`, one file each.

mod bench;
mod browser;
mod cargo;
mod ci;
mod demo;
mod fuzz;
mod memory;
mod rates;
mod record;
mod replay;
mod stress;
mod test;
mod threats;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The tasks of this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Runs one command for real against a server on this machine, shows its record and replays it.
    Demo,
    /// Records the golden cases: runs each scenario for real against a server on this machine.
    Record(record::Options),
    Replay(replay::Replay),
    Promote(replay::PromoteRun),
    /// Runs all tests of the workspace, documentation examples first.
    Test,
    /// Runs what CI runs: formatting, lints, licences, features, tests.
    Ci(ci::Options),
    /// Opens the page of a report in a real Chromium: by keyboard, filtered, in dark and light.
    Browser(browser::Options),
    /// Checks the rules of the sources that the compiler cannot see.
    Tidy,
    /// Puts the log through kills and crowds, and looks for what was lost.
    #[command(subcommand)]
    Stress(stress::Stress),
    Soak(stress::Soak),
    Fuzz(fuzz::Options),
    /// Measures, in ratios taken within one run.
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> anyhow::Result<ExitCode> {
    match Options::parse().task {
        Task::Demo => demo::run(),
        Task::Record(options) => record::run(&options),
        Task::Replay(arguments) => return replay::replay(&arguments),
        Task::Promote(arguments) => return replay::promote(arguments),
        Task::Test => test::run(test::Profile::Default),
        Task::Ci(options) => ci::run(&options),
        Task::Browser(options) => browser::run(&options),
        Task::Tidy => tidy::run(),
        Task::Stress(stress) => stress::run(&stress),
        Task::Soak(soak) => stress::soak(&soak),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Bench(bench) => bench::run(bench),
    }?;
    Ok(ExitCode::SUCCESS)
}
