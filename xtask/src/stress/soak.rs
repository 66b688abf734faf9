//! `cargo xtask soak`: hours of everything at once.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use clap::Args;
use fastrand::Rng;

use super::{losses::Losses, process::Process, service::Service, writer};
use crate::memory::status_bytes;

/// Runs all commands at once, with cancels, faults and kills at random, and looks for what was lost.
#[derive(Debug, Args)]
pub(crate) struct Soak {
    /// How long.
    #[arg(long, default_value_t = 15)]
    minutes: u64,
    /// In place of minutes, for a look.
    #[arg(long, conflicts_with = "minutes")]
    seconds: Option<u64>,
    /// What happens is drawn from this.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Processes that are killed now and then, beside the one that lives through it all.
const MORTALS: usize = 2;
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

pub(crate) fn soak(soak: &Soak) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let root = folder.path().join("root");
    let audit = root.join("audit");
    let service = Service::moody(soak.seed)?;
    let mut dice = Rng::with_seed(soak.seed);
    let mut next_seed = soak.seed.wrapping_mul(1_000_000);
    let mut start = || {
        next_seed = next_seed.wrapping_add(1);
        Process::start(writer(&root, &service, next_seed)?.arg("--rough"))
    };

    let steady = start()?;
    let mut mortals = (0..MORTALS).map(|_| start()).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut losses, mut looks) = (Losses::default(), Vec::new());
    let mut kills = 0_u64;
    let length = Duration::from_secs(soak.seconds.unwrap_or(soak.minutes * 60));
    let began = Instant::now();
    while began.elapsed() < length {
        thread::sleep(BETWEEN_LOOKS);
        looks.push(Look::at(&steady)?);
        if dice.u8(0..3) == 0 {
            losses.look_at_intents(&audit)?;
            let mortal = mortals.get_mut(dice.usize(..MORTALS)).context("nobody to kill")?;
            losses.hear(std::mem::replace(mortal, start()?).kill()?);
            kills += 1;
        }
        if looks.len() % 60 == 0
            && let Some(look) = looks.last()
        {
            println!(
                "{:>4} s: {kills} kills, {} descriptors, {} MiB",
                began.elapsed().as_secs(),
                look.descriptors,
                look.resident_bytes >> 20
            );
        }
    }
    losses.look_at_intents(&audit)?;
    for writer in mortals.into_iter().chain([steady]) {
        losses.hear(writer.kill()?);
    }
    println!("{kills} kills, {:.0} s", began.elapsed().as_secs_f64());
    losses.settle(&root, &service, soak.seed)?;
    flat(&looks)
}

/// The first fifth is left for warming up; after it the end is held against the beginning.
fn flat(looks: &[Look]) -> anyhow::Result<()> {
    let settled = looks.get(looks.len() / 5..).unwrap_or_default();
    let (early, late) = settled.split_at(settled.len() / 2);
    // What leaks raises the least that there ever is; what the runs of a moment hold does not.
    let fewest = |looks: &[Look]| looks.iter().map(|look| look.descriptors).min();
    let descriptors = (fewest(early).unwrap_or_default(), fewest(late).unwrap_or_default());
    let median = |looks: &[Look]| {
        let mut values: Vec<_> = looks.iter().map(|look| look.resident_bytes).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let resident = (median(early), median(late));
    println!(
        "the process that lived: descriptors at least {} then {}, resident {:.1} then {:.1} MiB \
         (median)",
        descriptors.0,
        descriptors.1,
        resident.0 as f64 / f64::from(1 << 20),
        resident.1 as f64 / f64::from(1 << 20)
    );
    ensure!(descriptors.1 <= descriptors.0 + 4, "descriptors grow");
    ensure!(resident.1 <= resident.0 + resident.0 / 10 + (4 << 20), "memory grows");
    Ok(())
}

/// What a process has at one time, from `/proc`.
#[derive(Clone, Copy, Debug)]
struct Look {
    descriptors: u64,
    resident_bytes: u64,
}

impl Look {
    fn at(process: &Process) -> anyhow::Result<Self> {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", process.id()));
        let descriptors = descriptors.context("look at a writer")?.count() as u64;
        let resident_bytes =
            status_bytes(process.id(), "VmRSS").context("a writer without a resident size")?;
        Ok(Self { descriptors, resident_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_told() {
        let looks = |descriptors: fn(u64) -> u64, mib: fn(u64) -> u64| -> Vec<_> {
            let look = |at| Look { descriptors: descriptors(at), resident_bytes: mib(at) << 20 };
            (0..100).map(look).collect()
        };
        assert!(flat(&looks(|_| 20, |_| 50)).is_ok());
        let grows = |looks: &[Look]| flat(looks).unwrap_err().to_string();
        assert_eq!(grows(&looks(|at| at, |_| 50)), "descriptors grow");
        assert_eq!(grows(&looks(|_| 20, |at| 50 + at)), "memory grows");
    }
}
