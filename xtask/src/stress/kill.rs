//! `cargo xtask stress kill`: `kill -9` a busy writer, over and over.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Args;
use fastrand::Rng;

use super::{losses::Losses, process::Process, said::Said, service::Service, writer};

/// How often.
#[derive(Debug, Args)]
pub(crate) struct Kill {
    /// Writers that are started and killed.
    #[arg(long, default_value_t = 1000)]
    times: u64,
    /// What happens is drawn from this.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(kill: &Kill) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let root = folder.path().join("root");
    let audit = root.join("audit");
    let service = Service::moody(kill.seed)?;
    let mut dice = Rng::with_seed(kill.seed);
    let start = Instant::now();

    let mut losses = Losses::default();
    for time in 0..kill.times {
        let seed = kill.seed.wrapping_mul(1_000_000).wrapping_add(time);
        losses.hear(round(&root, &service, seed, &mut dice)?);
        losses.look_at_intents(&audit)?;
        if (time + 1) % 100 == 0 {
            println!("{} of {} killed, {} runs begun", time + 1, kill.times, losses.begun());
        }
    }
    println!("{} kills, {:.0} s", kill.times, start.elapsed().as_secs_f64());
    losses.settle(&root, &service, kill.seed)
}

/// Starts one, lets it get busy, kills it.
fn round(root: &Path, service: &Service, seed: u64, dice: &mut Rng) -> anyhow::Result<Said> {
    // Some are killed while they open the log and close what the one before left, most amid their
    // runs, of which each is about a hundred bytes.
    let bytes = if dice.u8(0..8) == 0 { 0 } else { dice.usize(1..15_000) };
    let process = Process::start_telling(writer(root, service, seed)?.arg("--rough"), bytes)?;
    if bytes > 0 {
        let busy = process.has_said_enough().recv_timeout(Duration::from_secs(60));
        busy.context("wait for a writer to get busy")?;
    }
    thread::sleep(Duration::from_micros(dice.u64(..4_000)));
    process.kill()
}
