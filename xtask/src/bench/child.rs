//! A program that is measured: how long it takes, and how much memory.

use std::{
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

use crate::memory::status_bytes;

/// How long it takes, and the most memory it was seen to have.
pub(super) fn timed(command: &mut Command) -> anyhow::Result<(Duration, u64)> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().context("start what is measured")?;
    let mut peak = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak.max(status_bytes(child.id(), "VmHWM").unwrap_or_default());
        thread::sleep(Duration::from_millis(5));
    };
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok((start.elapsed(), peak))
}

pub(super) fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
