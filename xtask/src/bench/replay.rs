//! `cargo xtask bench replay`: what cases cost, in process, as a test each, and as trycmd has them.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use clap::Parser;
use tapeline::Registry;
use tapeline_replay::{Cli, Kit, cli};

use super::trycmd;
use crate::cargo::{build_host, cargo, workspace_root};

const CASES: usize = 1000;

/// As many as it must be linear to.
const MANY: usize = 10_000;

/// Generates the cases, then measures each way once it is warm.
pub(super) fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the cases")?;
    let (golden, many) = (folder.path().join("golden"), folder.path().join("many"));
    generate(&golden, CASES)?;
    generate(&many, MANY)?;

    let check = fastest(|| kit(&golden, &["check"], 0, &format!("{CASES} cases: 0 findings\n")))?;
    show("check", CASES, check);
    let of_few = in_process(&golden, CASES)?;
    show("replay, in process", CASES, of_few);
    let of_many = in_process(&many, MANY)?;
    show("replay, in process", MANY, of_many);
    let trycmd = trycmd::measure(folder.path(), &build_host()?, CASES)?;
    show("trycmd, the host started for each", CASES, trycmd);
    let nextest = nextest(&golden)?;
    show("replay, a test each under nextest", CASES, nextest);

    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    let per_second = ratio(Duration::from_secs(CASES as u64), of_few);
    println!("\nin process: {per_second:.0} cases a second (at least 2000)");
    println!("in process, {MANY} ÷ {CASES}: {:.1} (at most 12)", ratio(of_many, of_few));
    println!("in process ÷ trycmd: {:.3} (at most 0.5)", ratio(of_few, trycmd));
    println!("in process ÷ under nextest: {:.3} (at most 0.1)", ratio(of_few, nextest));
    Ok(())
}

fn show(name: &str, cases: usize, time: Duration) {
    let millis = time.as_secs_f64() * 1e3;
    println!("{name:<36}{cases:>6} cases {millis:>9.1} ms {:>7.3} ms each", millis / cases as f64);
}

fn in_process(golden: &Path, cases: usize) -> anyhow::Result<Duration> {
    fastest(|| kit(golden, &[], 0, &format!("{cases} cases: {cases} ok\n")))
}

/// The smallest case of this repository over and over, each with a word of its own, expectations
/// made and accepted by the kit itself.
fn generate(golden: &Path, cases: usize) -> anyhow::Result<()> {
    const TEMPLATE: &str = "golden/hello/name/given/case.json";
    const LINE: &str = r#"hello --name \"agent 7\""#;

    let template = fs::read_to_string(workspace_root().join(TEMPLATE))
        .with_context(|| format!("read {TEMPLATE}"))?;
    ensure!(template.contains(LINE), "{TEMPLATE} has another line than `{LINE}`");
    for number in 0..cases {
        let given = golden.join(format!("hello/case-{number:05}/given"));
        fs::create_dir_all(&given).context("make the folder of a case")?;
        let case = template.replace(LINE, &format!("hello --name c{number}"));
        fs::write(given.join("case.json"), case).context("write a case")?;
    }
    kit(golden, &[], 1, &format!("{cases} cases: {cases} new\n"))?;
    kit(golden, &["accept", "*"], 0, "hello/case-00000: accepted\n")?;
    Ok(())
}

/// The kit's command line as a host has it, its output held to how it must begin.
fn kit(golden: &Path, arguments: &[&str], code: u8, begins: &str) -> anyhow::Result<Duration> {
    #[derive(Parser)]
    struct Host {
        #[command(flatten)]
        cli: Cli,
    }

    let golden = golden.to_str().context("the folder's name is no UTF-8")?;
    let arguments = [&["replay"], arguments, &["--golden", golden]].concat();
    let host = Host::try_parse_from(arguments)?;
    let kit = Kit::new(Registry::collected()?);
    let mut said = Vec::new();
    let start = Instant::now();
    let ended = cli(&host.cli, &kit, &mut said)?;
    let time = start.elapsed();
    let said = String::from_utf8_lossy(&said);
    ensure!(ended == code && said.contains(begins), "the kit ended with {ended}: {said}");
    Ok(time)
}

/// The fastest of a few.
fn fastest(mut call: impl FnMut() -> anyhow::Result<Duration>) -> anyhow::Result<Duration> {
    let mut fastest = call()?;
    for _ in 0..2 {
        fastest = fastest.min(call()?);
    }
    Ok(fastest)
}

/// How long nextest says that it ran.
fn nextest(golden: &Path) -> anyhow::Result<Duration> {
    let mut command = cargo();
    command.args(["nextest", "run", "--cargo-profile", "release", "--locked", "--workspace"]);
    command.args(crate::test::FEATURES).args(["--test", "golden", "--status-level", "none"]);
    command.env("TAPELINE_GOLDEN", golden);
    let output = command.output().context("start cargo-nextest")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let passed = format!("{CASES} tests run: {CASES} passed");
    ensure!(output.status.success() && said.contains(&passed), "nextest said {said}");
    let summary = said.split("Summary [").nth(1).and_then(|summary| summary.split_once('s'));
    let (seconds, _) = summary.with_context(|| format!("nextest gives no time: {said}"))?;
    Ok(Duration::from_secs_f64(seconds.trim().parse().context("read nextest's time")?))
}
