//! `cargo xtask bench log`: what running a whole log again costs, against running its lines.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use async_trait::async_trait;
use tapeline::{
    Policy, Terminal, TerminalBuilder,
    http::{Http, HttpFault, HttpRequest, HttpResponse},
};
use tapeline_commands as _;

use super::{child::timed, exec::Discards};
use crate::{cargo::build_host, rates};

const RECORDS: [usize; 2] = [10_000, 100_000];
const ROUNDS: usize = 3;
/// Lines as an agent gives them. The first that asks for rates fills the cache for the others.
const LINES: [&str; 5] = [
    "hello --name 'agent 7'",
    "exchange-rate convert --from CNY --to USD --amount 100",
    "exchange-rate latest --base CNY",
    "help exchange-rate latest",
    "helo --name x",
];

pub(super) fn run() -> anyhow::Result<()> {
    let binary = build_host()?;
    let folder = tempfile::tempdir().context("make a folder for the logs")?;
    let roots = RECORDS.map(|records| folder.path().join(records.to_string()));
    let mut audited = Duration::ZERO;
    for (root, records) in roots.iter().zip(RECORDS) {
        audited = lines(&terminal(root).build()?, records)? / u32::try_from(records)?;
    }
    let discards = terminal(&folder.path().join("discards"));
    let discards = discards.audit(Arc::new(Discards)).build()?;
    let [fewer, _] = RECORDS;
    lines(&discards, fewer)?;
    let discarded = lines(&discards, fewer)? / u32::try_from(fewer)?;

    let (mut times, mut peaks) = ([Duration::MAX; 2], [0; 2]);
    for _ in 0..ROUNDS {
        for ((root, time), peak) in roots.iter().zip(&mut times).zip(&mut peaks) {
            let mut replay = Command::new(&binary);
            replay.arg("--root").arg(root).args(["replay", "log"]);
            let (took, bytes) = timed(&mut replay)?;
            (*time, *peak) = ((*time).min(took), (*peak).max(bytes));
        }
    }
    for ((records, time), peak) in RECORDS.iter().zip(times).zip(peaks) {
        let (seconds, mib) = (time.as_secs_f64(), peak as f64 / f64::from(1 << 20));
        let rate = *records as f64 / seconds;
        println!("{records:>6} records {seconds:>6.2} s {rate:>6.0}/s, {mib:.1} MiB at most");
    }
    let [few, many] = times.map(|time| time.as_secs_f64());
    let [few_bytes, many_bytes] = peaks.map(|bytes| bytes as f64);
    let a_record = many / RECORDS[1] as f64;
    println!("a line in process, audited {audited:.1?}, discarded {discarded:.1?}");
    println!("\n10 times the records: {:.1} times the time (at most 11)", many / few);
    println!("10 times the records: {:.2} times the memory", many_bytes / few_bytes);
    let audited = a_record / audited.as_secs_f64();
    println!("a record ÷ its line in process, audited: {audited:.2} (at most 3)");
    println!("a record ÷ its line, discarded: {:.2}", a_record / discarded.as_secs_f64());
    Ok(())
}

fn terminal(root: &Path) -> TerminalBuilder {
    let policy = Policy::default().allow_declared_network();
    Terminal::builder().root(root).policy(policy).http(Arc::new(Rates))
}

/// How long it takes to run so many lines.
fn lines(terminal: &Terminal, count: usize) -> anyhow::Result<Duration> {
    let start = Instant::now();
    for line in LINES.iter().cycle().take(count) {
        let envelope = terminal.exec_blocking(*line);
        let expected = if line.starts_with("helo") { 127 } else { 0 };
        ensure!(envelope.exit_code == expected, "{line}: {}", envelope.to_json());
    }
    Ok(start.elapsed())
}

/// The provider of rates, in this process.
struct Rates;

#[async_trait]
impl Http for Rates {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Ok(HttpResponse { status: 200, headers, body: rates::cny().body().into_bytes() })
    }

    fn resolves_itself(&self) -> bool {
        true
    }
}
