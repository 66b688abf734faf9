//! `cargo xtask stress kill`: `kill -9` a busy writer, over and over.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    collections::HashSet,
    io::{self, Read},
    path::Path,
    process::Stdio,
    sync::mpsc,
    thread,
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

    let mut said = Said::default();
    let mut opened = HashSet::new();
    for time in 0..kill.times {
        let seed = kill.seed.wrapping_mul(1_000_000).wrapping_add(time);
        said.add(round(&root, &service, seed, &mut dice)?);
        opened.extend(intents(&audit)?);
        if (time + 1) % 100 == 0 {
            println!("{} of {} killed, {} runs begun", time + 1, kill.times, said.begun);
        }
    }
    // The next to open the log closes what the last one left.
    let mut last = writer(&root, &service, kill.seed)?;
    let status = last.args(["--runs", "1"]).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the last writer ended with {status}");

    let found = check(&audit)?;
    let lost = said.answered.iter().filter(|run_id| !found.has(run_id)).count();
    let unclosed = opened.iter().filter(|run_id| !found.has(run_id)).count();
    let left = intents(&audit)?.len();
    println!(
        "{} kills, {:.0} s: {} runs begun, {} answered, {} intents seen open\n\
         {} records in {} files ({} Interrupted), {} torn lines, unreadable whole lines 0, chain \
         verified, {} blobs whole\n\
         answered and lost {lost}, intents without a record {unclosed}, intents still open {left}, \
         unfinished files left {}",
        kill.times,
        start.elapsed().as_secs_f64(),
        said.begun,
        said.answered.len(),
        opened.len(),
        found.records,
        found.files,
        found.interrupted,
        found.torn,
        found.blobs,
        leftovers(&root)?,
    );
    ensure!(lost == 0 && unclosed == 0 && left == 0, "something was lost");
    Ok(())
}

/// Starts one, lets it get busy, kills it.
fn round(root: &Path, service: &Service, seed: u64, dice: &mut Rng) -> anyhow::Result<Said> {
    let mut child =
        writer(root, service, seed)?.arg("--rough").spawn().context("start a writer")?;
    let stdout = child.stdout.take().context("a writer without stdout")?;
    let (enough, busy) = mpsc::channel();
    // Some are killed while they open the log and close what the one before left, most amid their
    // runs, of which each is about a hundred bytes.
    let bytes = if dice.u8(0..8) == 0 { 0 } else { dice.usize(1..15_000) };
    let ears = thread::spawn(move || hear(Telling { reader: stdout, bytes, enough: Some(enough) }));
    if bytes > 0 {
        busy.recv_timeout(Duration::from_secs(60)).context("wait for a writer to get busy")?;
    }
    thread::sleep(Duration::from_micros(dice.u64(..4_000)));
    child.kill().context("kill the writer")?;
    child.wait()?;
    match ears.join() {
        Ok(said) => said,
        Err(_) => anyhow::bail!("the thread that listens panicked"),
    }
}

/// Tells when so many bytes have come.
struct Telling<R> {
    reader: R,
    bytes: usize,
    enough: Option<mpsc::Sender<()>>,
}

impl<R: Read> Read for Telling<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        self.bytes = self.bytes.saturating_sub(read);
        if self.bytes == 0
            && let Some(enough) = self.enough.take()
        {
            // Nobody waits where the writer is killed at once.
            let _ = enough.send(());
        }
        Ok(read)
    }
}
