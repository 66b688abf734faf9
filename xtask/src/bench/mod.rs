//! `cargo xtask bench`: contenders measured within one run, and their outputs checked.

mod child;
mod docs;
mod exec;
mod feeds;
mod log;
mod replay;
mod tables;
mod trycmd;
mod verify;

use clap::Subcommand;

use crate::cargo::{cargo, run as run_command};

/// What can be measured.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum Bench {
    /// The real documents of `TAPELINE_CORPUS` extracted, against the bare libraries.
    Docs,
    /// `hello --name x`, audited, against a sink that discards and against spawning a shell.
    Exec,
    /// The real feeds of `TAPELINE_CORPUS` read, against `feed-rs` alone.
    Feeds,
    /// Logs of 10,000 and of 100,000 runs run again, against running their lines.
    Log,
    /// 1,000 small cases checked, replayed in process, each as a test of its own, and by trycmd.
    Replay,
    /// CSV made of a workbook of a million rows, by the program.
    Tables,
    /// A gigabyte of log verified, against `sha256sum` over the same files.
    Verify,
}

pub(crate) fn run(bench: Bench) -> anyhow::Result<()> {
    let (name, measure): (_, fn() -> _) = match bench {
        Bench::Docs => ("docs", docs::run),
        Bench::Exec => ("exec", exec::run),
        Bench::Feeds => ("feeds", feeds::run),
        Bench::Log => ("log", log::run),
        Bench::Replay => ("replay", replay::run),
        Bench::Tables => ("tables", tables::run),
        Bench::Verify => ("verify", verify::run),
    };
    if cfg!(debug_assertions) {
        // What is built without them is what counts.
        let again = ["--package", "xtask", "--", "bench", name];
        return run_command(cargo().args(["run", "--release", "--quiet"]).args(again));
    }
    measure()
}
