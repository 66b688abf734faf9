//! Developer tasks: `cargo xtask <task>`, one file each.

mod bench;
mod cargo;
mod ci;
mod demo;
mod test;
mod tidy;

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
    /// Runs all tests of the workspace, documentation examples first.
    Test,
    /// Runs what CI runs: formatting, lints, licences, features, tests.
    Ci,
    /// Checks the rules of the sources that the compiler cannot see.
    Tidy,
    /// Measures, in ratios taken within one run.
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> anyhow::Result<()> {
    match Options::parse().task {
        Task::Demo => demo::run(),
        Task::Test => test::run(test::Profile::Default),
        Task::Ci => ci::run(),
        Task::Tidy => tidy::run(),
        Task::Bench(bench) => bench::run(bench),
    }
}
