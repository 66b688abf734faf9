//! `tapeline`: the reference host, at a prompt or for an agent.
//!
//! Each verb is a file; the options that shape the terminal are in [`options`].

mod approver;
mod audit;
mod config;
mod diagnostics;
mod exec;
mod options;
mod pretty;
mod progress;
mod schema;
mod signals;
mod verify;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use tapeline::{Registry, clap};
use tapeline_replay::{Cli, Kit, Promote};

use crate::options::Options;

/// A terminal for agents with no shell behind it, and every line on tape.
///
/// Runs one of the built-in commands, answers with an envelope and writes everything down, so that
/// the run can be run again.
#[derive(Debug, Parser)]
#[command(
    name = "tapeline",
    version,
    after_help = "Examples:\n  \
        tapeline exec \"help\"\n  \
        tapeline exec \"hello --name world\"\n  \
        tapeline exec --json \"exchange-rate convert --from CNY --to USD --amount 100\"\n  \
        tapeline audit tail\n  \
        tapeline replay run RUN_ID"
)]
struct Tapeline {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run one command line; the exit code is the envelope's.
    Exec(exec::Exec),
    /// Print the tool an agent is given, and the schema of what it answers.
    Schema(schema::Schema),
    /// Read, verify and prune the audit log.
    Audit(audit::Audit),
    Replay(Cli),
    Promote(Promote),
}

fn main() -> ExitCode {
    let Tapeline { options, verb } = Tapeline::parse();
    diagnostics::to_stderr();
    let done = match verb {
        Verb::Exec(exec) => exec::exec(&options, exec),
        Verb::Schema(schema) => schema::schema(&schema),
        Verb::Audit(audit) => audit::audit(&options.root, &audit),
        Verb::Replay(cli) => replay(&options, &cli),
        Verb::Promote(promote) => replay(&options, &Cli::from(promote)),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // Whoever reads our output is free to stop reading.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where stderr cannot be written there is nobody left to tell.
            let _ = writeln!(io::stderr(), "tapeline: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn replay(options: &Options, cli: &Cli) -> anyhow::Result<u8> {
    let registry = Registry::collected()?;
    let kit = Kit::new(registry).root(&options.root).left_out(tapeline_commands::LEFT_OUT);
    Ok(tapeline_replay::cli(cli, &kit, &mut io::stdout().lock())?)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.into_iter().any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
