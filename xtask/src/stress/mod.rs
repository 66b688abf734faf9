//! `cargo xtask stress` and `cargo xtask soak`: the log under kills, crowds and hours.
//!
//! A [`writer`] is this program again, in a process of its own; it says on stdout which runs it
//! began and which were answered. What the log then has to hold is found out by [`check`], which
//! reads it as a stranger would and shares no code with the writer.

mod check;
mod kill;
mod losses;
mod process;
mod said;
mod service;
mod share;
mod soak;
mod writer;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;
use clap::{Args, Subcommand};

use service::Service;
pub(crate) use soak::{Soak, soak};

/// What to put the log through.
#[derive(Debug, Subcommand)]
pub(crate) enum Stress {
    /// Kills a busy writer over and over, then looks for every run that was answered.
    Kill(kill::Kill),
    /// Lets many processes write into one log, then counts.
    Share(share::Share),
    #[command(hide = true)]
    Writer(writer::Writer),
}

/// What both ends of a writer's command line agree on.
#[derive(Clone, Debug, Args)]
struct Place {
    /// Where workspace and log lie.
    #[arg(long)]
    root: PathBuf,
    /// In place of the services that commands ask: `HOST1:PORT1:HOST2:PORT2`.
    #[arg(long)]
    connect_to: Option<tapeline::ConnectTo>,
    /// The certificates that those have.
    #[arg(long)]
    cacert: Option<PathBuf>,
}

/// This program again, as a writer.
fn writer(root: &Path, service: &Service, seed: u64) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("find this program")?);
    command.args(["stress", "writer", "--root"]).arg(root).args(service.arguments());
    command.args(["--seed", &seed.to_string()]).stdout(Stdio::piped());
    Ok(command)
}

pub(crate) fn run(stress: &Stress) -> anyhow::Result<()> {
    match stress {
        Stress::Kill(kill) => kill::run(kill),
        Stress::Share(share) => share::run(share),
        Stress::Writer(writer) => writer::run(writer),
    }
}
