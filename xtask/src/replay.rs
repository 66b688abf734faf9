//! `cargo xtask replay` and `cargo xtask promote`: the kit's command line over the built-in commands.

use std::{
    io::{self, ErrorKind, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use tapeline::Registry;
use tapeline_commands::LEFT_OUT;
use tapeline_replay::{Cli, Kit, Promote, cli};

#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    cli: Cli,
    #[command(flatten)]
    log: LogOf,
}

#[derive(Debug, Args)]
pub(crate) struct PromoteRun {
    #[command(flatten)]
    promote: Promote,
    #[command(flatten)]
    log: LogOf,
}

#[derive(Debug, Args)]
struct LogOf {
    /// Whose log runs are looked up in: `DIR/audit`.
    #[arg(long, global = true, value_name = "DIR", default_value = "./.tapeline")]
    root: PathBuf,
}

pub(crate) fn replay(replay: &Replay) -> anyhow::Result<ExitCode> {
    run(&replay.cli, &replay.log)
}

pub(crate) fn promote(run_to_promote: PromoteRun) -> anyhow::Result<ExitCode> {
    run(&Cli::from(run_to_promote.promote), &run_to_promote.log)
}

fn run(arguments: &Cli, log: &LogOf) -> anyhow::Result<ExitCode> {
    let kit = Kit::new(Registry::collected()?)
        .root(&log.root)
        .called("cargo xtask replay")
        .left_out(LEFT_OUT);
    match cli(arguments, &kit, &mut io::stdout().lock()) {
        Ok(code) => Ok(ExitCode::from(code)),
        // Whoever reads the output is free to stop reading.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => {
            // Where stderr cannot be written there is nobody left to tell.
            let _ = writeln!(io::stderr(), "cargo xtask replay: {error}");
            Ok(ExitCode::from(2))
        }
    }
}
