//! `cargo xtask stress share`: many processes, one log.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;

use super::{
    check::{check, leftovers},
    process::Process,
    service::Service,
    writer,
};

/// How many, and how much each.
#[derive(Debug, Args)]
pub(crate) struct Share {
    /// Writers at the same time.
    #[arg(long, default_value_t = 8)]
    processes: u64,
    /// Runs of each.
    #[arg(long, default_value_t = 5000)]
    runs: u64,
}

pub(super) fn run(share: &Share) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let root = folder.path().join("root");
    let service = Service::steady()?;
    let start = Instant::now();
    let mut writers = Vec::new();
    for seed in 0..share.processes {
        let mut command = writer(&root, &service, seed)?;
        writers.push(Process::start(command.args(["--runs", &share.runs.to_string()]))?);
    }
    let mut answered = 0;
    for writer in writers {
        let (said, status) = writer.end()?;
        ensure!(status.success(), "a writer ended with {status}");
        answered += said.answered.len() as u64;
    }
    let found = check(&root.join("audit"))?;
    let all = share.processes * share.runs;
    println!(
        "{} processes x {} runs: {answered} answered, {} records in {} files, {} blobs, chain \
         verified, {:.1} s",
        share.processes,
        share.runs,
        found.records,
        found.files,
        found.blobs,
        start.elapsed().as_secs_f64()
    );
    ensure!(answered == all, "{} runs were not answered", all - answered);
    ensure!(found.records == all, "{} records, and there should be {all}", found.records);
    ensure!(found.torn == 0, "{} torn lines", found.torn);
    ensure!(leftovers(&root)? == 0, "there are unfinished files");
    Ok(())
}
