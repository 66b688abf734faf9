//! `cargo xtask bench verify`: what checking a log costs, against `sha256sum` over the same files.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::Context;
use tapeline::Terminal;
use tapeline_commands as _;

use super::child::{mib, timed};
use crate::cargo::build_host;

const LOG_BYTES: u64 = 1_000_000_000;
const ROUNDS: usize = 3;
/// Lines as an agent gives them: some do something, some are refused.
const LINES: [&str; 4] =
    ["hello", "hello --name 'agent 7'", "help exchange-rate latest", "helo --name x"];

pub(super) fn run() -> anyhow::Result<()> {
    let binary = build_host()?;
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let (root, part) = (folder.path().join("root"), folder.path().join("part"));
    let files = grow(&root, LOG_BYTES)?;
    grow(&part, LOG_BYTES / 10)?;
    println!("{:.0} MB in {} files", length(&files)? as f64 / 1e6, files.len());

    let (mut sums, mut verifies) = (Vec::new(), Vec::new());
    let mut peak = 0;
    for _ in 0..ROUNDS {
        sums.push(timed(Command::new("sha256sum").args(&files))?.0);
        let (time, bytes) = timed(&mut verify(&binary, &root))?;
        verifies.push(time);
        peak = peak.max(bytes);
    }
    let (_, peak_of_tenth) = timed(&mut verify(&binary, &part))?;
    let fastest =
        |times: &[Duration]| times.iter().min().copied().unwrap_or_default().as_secs_f64();
    let (sum, verify) = (fastest(&sums), fastest(&verifies));
    println!("sha256sum     {sum:>6.2} s");
    println!(
        "audit verify  {verify:>6.2} s, {:.1} MiB at most; {:.1} MiB for a tenth of the log",
        mib(peak),
        mib(peak_of_tenth)
    );
    println!("\naudit verify ÷ sha256sum: {:.2} (at most 3)", verify / sum);
    Ok(())
}

/// Real runs, until their records have so many bytes.
fn grow(root: &Path, bytes: u64) -> anyhow::Result<Vec<PathBuf>> {
    let terminal = Terminal::builder().root(root).build()?;
    let runs = root.join("audit/runs");
    loop {
        for line in LINES.iter().cycle().take(2000) {
            drop(terminal.exec_blocking(*line));
        }
        let mut files = fs::read_dir(&runs)?
            .map(|entry| Ok(entry?.path()))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if length(&files)? >= bytes {
            files.sort();
            return Ok(files);
        }
    }
}

fn length(files: &[PathBuf]) -> anyhow::Result<u64> {
    files.iter().map(|file| Ok(fs::metadata(file)?.len())).sum()
}

fn verify(binary: &Path, root: &Path) -> Command {
    let mut command = Command::new(binary);
    command.arg("--root").arg(root).args(["audit", "verify"]);
    command
}
