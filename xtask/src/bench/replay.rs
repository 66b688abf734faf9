//! `cargo xtask bench replay`: what cases cost, in process and as a test each.
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

use crate::cargo::{cargo, workspace_root};

const CASES: usize = 1000;

/// Generates the cases, then measures each way once it is warm.
pub(super) fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the cases")?;
    let golden = folder.path().join("golden");
    generate(&golden)?;

    let ok = format!("{CASES} cases: {CASES} ok\n");
    let check = fastest(|| kit(&golden, &["check"], 0, &format!("{CASES} cases: 0 findings\n")))?;
    let in_process = fastest(|| kit(&golden, &[], 0, &ok))?;
    let nextest = nextest(&golden)?;
    let shown = [
        ("check", check),
        ("replay, in process", in_process),
        ("replay, a test each under nextest", nextest),
    ];
    println!("{CASES} small cases:");
    for (name, time) in shown {
        println!("{name:<36} {:>8.1} ms", time.as_secs_f64() * 1e3);
    }
    let ratio = in_process.as_secs_f64() / nextest.as_secs_f64();
    println!("\nin process ÷ under nextest: {ratio:.3} (at most 0.1)");
    Ok(())
}

/// The smallest case of this repository over and over, each with a word of its own, expectations
/// made and accepted by the kit itself.
fn generate(golden: &Path) -> anyhow::Result<()> {
    const TEMPLATE: &str = "golden/hello/name/given/case.json";
    const LINE: &str = r#"hello --name \"agent 7\""#;

    let template = fs::read_to_string(workspace_root().join(TEMPLATE))
        .with_context(|| format!("read {TEMPLATE}"))?;
    ensure!(template.contains(LINE), "{TEMPLATE} has another line than `{LINE}`");
    for number in 0..CASES {
        let given = golden.join(format!("hello/case-{number:05}/given"));
        fs::create_dir_all(&given).context("make the folder of a case")?;
        let case = template.replace(LINE, &format!("hello --name c{number}"));
        fs::write(given.join("case.json"), case).context("write a case")?;
    }
    let new = format!("{CASES} cases: {CASES} new\n");
    kit(golden, &[], 1, &new)?;
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
