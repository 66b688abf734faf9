//! `cargo xtask soak`: hours of everything at once.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    collections::HashSet,
    fs,
    process::{Child, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use clap::Args;
use fastrand::Rng;

use super::{
    check::{check, intents, leftovers},
    said::{Said, hear},
    service::Service,
    writer,
};

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

pub(super) fn run(soak: &Soak) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let root = folder.path().join("root");
    let audit = root.join("audit");
    let service = Service::moody(soak.seed)?;
    let mut dice = Rng::with_seed(soak.seed);
    let mut next_seed = soak.seed.wrapping_mul(1_000_000);
    let mut start = || {
        next_seed = next_seed.wrapping_add(1);
        Writer::start(writer(&root, &service, next_seed)?.arg("--rough"))
    };

    let steady = start()?;
    let mut mortals = (0..MORTALS).map(|_| start()).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut said, mut opened, mut looks) = (Said::default(), HashSet::new(), Vec::new());
    let mut kills = 0_u64;
    let length = Duration::from_secs(soak.seconds.unwrap_or(soak.minutes * 60));
    let began = Instant::now();
    while began.elapsed() < length {
        thread::sleep(BETWEEN_LOOKS);
        looks.push(Look::at(&steady.child)?);
        if dice.u8(0..3) == 0 {
            opened.extend(intents(&audit)?);
            let mortal = mortals.get_mut(dice.usize(..MORTALS)).context("nobody to kill")?;
            said.add(std::mem::replace(mortal, start()?).kill()?);
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
    opened.extend(intents(&audit)?);
    for writer in mortals.into_iter().chain([steady]) {
        said.add(writer.kill()?);
    }
    let mut last = writer(&root, &service, soak.seed)?;
    let status = last.args(["--runs", "1"]).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the last writer ended with {status}");

    let found = check(&audit)?;
    let lost = said.answered.iter().filter(|run_id| !found.has(run_id)).count();
    let unclosed = opened.iter().filter(|run_id| !found.has(run_id)).count();
    println!(
        "{:.0} s, {kills} kills: {} runs begun, {} answered; {} records in {} files ({} \
         Interrupted), {} torn lines, chain verified, {} blobs whole\n\
         answered and lost {lost}, intents without a record {unclosed}, unfinished files left {}",
        began.elapsed().as_secs_f64(),
        said.begun,
        said.answered.len(),
        found.records,
        found.files,
        found.interrupted,
        found.torn,
        found.blobs,
        leftovers(&root)?,
    );
    ensure!(lost == 0 && unclosed == 0, "something was lost");
    flat(&looks)
}

/// The first fifth is left for warming up; after it the end is held against the beginning.
fn flat(looks: &[Look]) -> anyhow::Result<()> {
    let settled = looks.get(looks.len() / 5..).unwrap_or_default();
    let (early, late) = settled.split_at(settled.len() / 2);
    let median = |looks: &[Look], of: fn(&Look) -> u64| {
        let mut values: Vec<_> = looks.iter().map(of).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let both = |of| (median(early, of), median(late, of));
    let descriptors = both(|look| look.descriptors);
    let resident = both(|look| look.resident_bytes);
    println!(
        "the process that lived: descriptors {} then {}, resident {:.1} then {:.1} MiB (medians)",
        descriptors.0,
        descriptors.1,
        resident.0 as f64 / f64::from(1 << 20),
        resident.1 as f64 / f64::from(1 << 20)
    );
    ensure!(descriptors.1 <= descriptors.0 + 4, "descriptors grow");
    ensure!(resident.1 <= resident.0 + resident.0 / 10 + (4 << 20), "memory grows");
    Ok(())
}

/// A writer and who listens to it.
struct Writer {
    child: Child,
    ears: JoinHandle<anyhow::Result<Said>>,
}

impl Writer {
    fn start(command: &mut std::process::Command) -> anyhow::Result<Self> {
        let mut child = command.spawn().context("start a writer")?;
        let stdout = child.stdout.take().context("a writer without stdout")?;
        Ok(Self { child, ears: thread::spawn(move || hear(stdout)) })
    }

    fn kill(mut self) -> anyhow::Result<Said> {
        ensure!(self.child.try_wait()?.is_none(), "a writer ended by itself");
        self.child.kill().context("kill a writer")?;
        self.child.wait()?;
        match self.ears.join() {
            Ok(said) => said,
            Err(_) => anyhow::bail!("the thread that listens panicked"),
        }
    }
}

/// What a process has at one time, from `/proc`.
#[derive(Clone, Copy, Debug)]
struct Look {
    descriptors: u64,
    resident_bytes: u64,
}

impl Look {
    fn at(child: &Child) -> anyhow::Result<Self> {
        let proc = format!("/proc/{}", child.id());
        let descriptors = fs::read_dir(format!("{proc}/fd")).context("look at a writer")?.count();
        let status = fs::read_to_string(format!("{proc}/status"))?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok())
            .map(|kib: u64| kib << 10)
            .context("a writer without a resident size")?;
        Ok(Self { descriptors: descriptors as u64, resident_bytes: resident })
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
