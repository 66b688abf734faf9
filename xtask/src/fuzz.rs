//! `cargo xtask fuzz`: builds the targets of `fuzz/` and runs each for so many minutes.
//!
//! Built and started are two things: `cargo fuzz` links the fuzzer to the targets, and the programs
//! that come of it run by themselves, some at once. Inputs that were worth keeping are in
//! `fuzz/corpus/`, those that failed in `fuzz/artifacts/`.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::Value;

use crate::cargo::{cargo, output, run as run_command, workspace_root};

/// Every target, by the name of its file in `fuzz/fuzz_targets/`.
pub(crate) const TARGETS: [(&str, &str); 12] = [
    ("case", "folders of cases are read, played, accepted, and then they are `ok`"),
    ("docx", "parts of a text give text or a declared error, the same each time"),
    ("feed", "bytes give items or an error, the same each time, and items hold what they promise"),
    ("line", "what parses is printed and parses alike"),
    ("pdf", "bytes as a PDF give text or a declared error, the same each time"),
    ("pptx", "parts of a presentation give text or a declared error, the same each time"),
    ("preflight", "any bytes are told what document they are, and given to its reader or refused"),
    ("record", "every line of a log is accounted for, what is read is written alike"),
    ("replay", "a record, whoever wrote it, is played to a verdict, twice the same"),
    ("scrub", "a secret is in nothing that is written, and scrubbed lines parse"),
    ("table", "parts of a document give a table as CSV or a declared error"),
    ("xlsx", "parts of a workbook give text or a declared error, the same each time"),
];

/// Fuzz the readers: needs `cargo-fuzz` and a C++ compiler.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Which targets; all unless said.
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// How long each is run.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// How many are run at once.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
    jobs: u64,
    /// Say what targets there are, and run none.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.list {
        for (target, what) in TARGETS {
            println!("{target:<9} {what}");
        }
        return Ok(());
    }
    let targets = chosen(&options.targets)?;
    let binaries = build()?;
    let seeds = tempfile::tempdir().context("make a folder for the seeds")?;
    let mut write_seeds = cargo();
    write_seeds.args(["run", "--quiet"]).args(OF_FUZZ).args(["--example", "seeds", "--"]);
    run_command(write_seeds.arg(seeds.path()))?;

    let open = Mutex::new(VecDeque::from(targets));
    let failed = Mutex::new(Vec::new());
    let lock = |mutex| Mutex::lock(mutex).unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let Some(target) = lock(&open).pop_front() else { return };
                    let ran = fuzz(target, &binaries, seeds.path(), options.minutes);
                    let said = match &ran {
                        Ok(ran) => ran.to_string(),
                        Err(error) => format!("{error:#}"),
                    };
                    println!("{target:<9} {said}");
                    if !ran.is_ok_and(|ran| ran.failing.is_none()) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(target);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    ensure!(failed.is_empty(), "not clean: {}", failed.join(", "));
    Ok(())
}

/// The workspace in `fuzz/` without its fuzzer, which is C++, built beside ours so that both share
/// what they can.
pub(crate) const OF_FUZZ: [&str; 6] = [
    "--locked",
    "--manifest-path=fuzz/Cargo.toml",
    "--target-dir=target",
    "--no-default-features",
    "--package",
    "tapeline-fuzz",
];

fn chosen(named: &[String]) -> anyhow::Result<Vec<&'static str>> {
    if named.is_empty() {
        return Ok(TARGETS.map(|(target, _)| target).to_vec());
    }
    let known = |name: &String| {
        let known = TARGETS.iter().find(|(target, _)| target == name);
        known.map(|(target, _)| *target).with_context(|| {
            let all = TARGETS.map(|(target, _)| target).join("`, `");
            format!("there is no target `{name}`, only `{all}`")
        })
    };
    named.iter().map(known).collect()
}

/// Builds all targets and says where they are.
fn build() -> anyhow::Result<PathBuf> {
    if !cargo().args(["fuzz", "--version"]).output().is_ok_and(|output| output.status.success()) {
        bail!("cargo-fuzz is missing: `cargo install --locked cargo-fuzz` installs it");
    }
    let host = output(Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not say for which machine it builds")?;
    let mut build = cargo();
    // The flags that make a program report its way are unstable. The compiler that is ours takes
    // them when told to, so that what is fuzzed is what is built.
    build.env("RUSTC_BOOTSTRAP", "1");
    // Without `--release`, other people's packages had their debug assertions, too, which is not
    // what anyone runs. Ours have them by `fuzz/Cargo.toml`.
    build.args(["fuzz", "build", "--release", "--sanitizer=address", "--target", host]);
    run_command(build.arg("--target-dir=fuzz/target"))?;
    Ok(workspace_root().join("fuzz/target").join(host).join("release"))
}

/// What came of a target.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    executions: u64,
    per_second: u64,
    coverage: u64,
    corpus: u64,
    /// Where the input lies that made it fail, or why it failed without one.
    failing: Option<String>,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { executions, per_second, coverage, corpus, failing } = self;
        write!(
            formatter,
            "{executions} executions, {per_second}/s, coverage {coverage}, corpus {corpus}: "
        )?;
        match failing {
            None => write!(formatter, "clean"),
            Some(input) => write!(formatter, "FAILED on {input}"),
        }
    }
}

fn fuzz(target: &str, binaries: &Path, seeds: &Path, minutes: u64) -> anyhow::Result<Ran> {
    let fuzz = workspace_root().join("fuzz");
    let (corpus, artifacts) =
        (fuzz.join("corpus").join(target), fuzz.join("artifacts").join(target));
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    let log = artifacts.join("log.txt");
    let mut command = Command::new(binaries.join(target));
    command.arg(&corpus).arg(seeds.join(target));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.arg(format!("-dict={}", seeds.join(format!("{target}.dict")).display()));
    command.arg(format!("-max_total_time={}", minutes * 60));
    // Threads that end while leaks are looked for leave theirs behind, and no other can be made. The
    // sanitizer looks once more at the end, and hangs where it may not trace the program.
    command.arg("-detect_leaks=0");
    let sanitizer = "detect_leaks=0:malloc_context_size=2:detect_stack_use_after_return=0";
    command.env("ASAN_OPTIONS", sanitizer);
    // A replay is given up on after 20 s, so that what hangs is found there and not here.
    let timeout = if matches!(target, "case" | "replay") { 60 } else { 20 };
    command.arg(format!("-timeout={timeout}"));
    command.args(["-rss_limit_mb=3072", "-print_final_stats=1"]);
    // The fuzzer's own work is half of all: names of functions are printed for nobody, and which input
    // is next is not computed anew after each.
    command.args(["-print_funcs=0", "-entropic=0"]);
    command.stdout(File::create(&log)?).stderr(File::options().append(true).open(&log)?);
    let status = command.status().with_context(|| format!("start `{target}`"))?;
    let said = fs::read(&log).with_context(|| format!("read {}", log.display()))?;
    let mut ran = ran(&String::from_utf8_lossy(&said));
    if !status.success() && ran.failing.is_none() {
        ran.failing = Some(format!("no input, with {status}: {}", log.display()));
    }
    Ok(ran)
}

/// What the fuzzer said of itself.
fn ran(said: &str) -> Ran {
    let after = |name: &str| {
        let (_, rest) = said.rsplit_once(name)?;
        let digits = rest.trim_start().split(|character: char| !character.is_ascii_digit());
        digits.into_iter().next()?.parse().ok()
    };
    let failing = said.lines().find_map(|line| line.split_once("Test unit written to "));
    Ran {
        executions: after("stat::number_of_executed_units:").unwrap_or(0),
        per_second: after("stat::average_exec_per_sec:").unwrap_or(0),
        coverage: after(" cov: ").unwrap_or(0),
        corpus: after(" corp: ").unwrap_or(0),
        failing: failing.map(|(_, path)| path.trim().to_owned()),
    }
}

/// What of `fuzz/` disagrees: its files, its manifest, the list here, and the lock files.
pub(crate) fn findings() -> anyhow::Result<Vec<String>> {
    let fuzz = workspace_root().join("fuzz");
    let mut files = Vec::new();
    for entry in fs::read_dir(fuzz.join("fuzz_targets")).context("list the targets")? {
        let path = entry?.path();
        files.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    let of_fuzz = packages("fuzz/Cargo.toml")?;
    let package = of_fuzz.iter().find(|package| package["name"] == "tapeline-fuzz");
    let targets = package.and_then(|package| package["targets"].as_array()).into_iter().flatten();
    let binaries =
        targets.filter(|target| target.pointer("/kind/0").is_some_and(|kind| kind == "bin"));
    let binaries: Vec<_> =
        binaries.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect();
    let listed = TARGETS.map(|(target, _)| target.to_owned());
    let mut findings = disagreeing(&files, &binaries, &listed);
    findings.extend(strays(&versions(&of_fuzz), &versions(&packages("Cargo.toml")?)));
    Ok(findings)
}

fn disagreeing(files: &[String], binaries: &[String], listed: &[String]) -> Vec<String> {
    let places = [
        ("fuzz/fuzz_targets/", files),
        ("fuzz/Cargo.toml", binaries),
        ("`TARGETS` of xtask/src/fuzz.rs", listed),
    ];
    let mut findings = Vec::new();
    for (place, names) in places {
        for (other, wanted) in places {
            for name in wanted.iter().filter(|name| !names.contains(name)) {
                findings.push(format!("`{name}` is in {other} and not in {place}"));
            }
        }
    }
    findings
}

/// Packages of which the root's lock file has other versions: what is fuzzed would not be what is
/// built.
fn strays(of_fuzz: &[(String, String)], of_root: &[(String, String)]) -> Vec<String> {
    let known = |name: &str| of_root.iter().any(|(known, _)| known == name);
    let strays = of_fuzz.iter().filter(|package| known(&package.0) && !of_root.contains(package));
    strays
        .map(|(name, version)| {
            format!("fuzz/Cargo.lock has {name} {version}, Cargo.lock has not: copy Cargo.lock there, and let cargo complete it")
        })
        .collect()
}

fn packages(manifest: &str) -> anyhow::Result<Vec<Value>> {
    let text = output(cargo().args([
        "metadata",
        "--locked",
        "--format-version=1",
        "--manifest-path",
        manifest,
    ]))?;
    let metadata: Value = serde_json::from_str(&text).context("read cargo's metadata")?;
    let packages = metadata.get("packages").and_then(Value::as_array).cloned();
    packages.with_context(|| format!("cargo's metadata of {manifest} has no packages"))
}

fn versions(packages: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let all = packages.iter();
    all.filter_map(|package| Some((text(&package["name"])?, text(&package["version"])?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn what_the_fuzzer_says_is_understood() {
        let said = "#7\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 40Mb\n\
                    #99\tDONE   cov: 12 ft: 34 corp: 5/1Kb lim: 80 exec/s: 50 rss: 60Mb\n\
                    stat::number_of_executed_units: 99\n\
                    stat::average_exec_per_sec:     50\n";
        let clean = Ran { executions: 99, per_second: 50, coverage: 12, corpus: 5, failing: None };
        assert_eq!(ran(said), clean);
        assert_eq!(clean.to_string(), "99 executions, 50/s, coverage 12, corpus 5: clean");

        let said = format!(
            "{said}artifact_prefix='/a/'; Test unit written to /a/crash-0f\nBase64: AA==\n"
        );
        assert_eq!(ran(&said).failing.as_deref(), Some("/a/crash-0f"));
        assert!(ran(&said).to_string().ends_with("FAILED on /a/crash-0f"));
    }

    #[test]
    fn a_target_that_is_none_is_refused_with_those_that_are() {
        assert_eq!(chosen(&names(&["scrub", "line"])).unwrap(), ["scrub", "line"]);
        assert_eq!(chosen(&[]).unwrap().len(), TARGETS.len());
        let error = chosen(&names(&["lime"])).unwrap_err().to_string();
        assert!(error.contains("`lime`") && error.contains("`line`"), "{error}");
    }

    #[test]
    fn sees_a_target_that_stands_in_one_place_alone() {
        let both = names(&["case", "line"]);
        assert_eq!(disagreeing(&both, &both, &both), names(&[]));
        assert_eq!(
            disagreeing(&both, &both, &names(&["case"])),
            [
                "`line` is in fuzz/fuzz_targets/ and not in `TARGETS` of xtask/src/fuzz.rs",
                "`line` is in fuzz/Cargo.toml and not in `TARGETS` of xtask/src/fuzz.rs"
            ]
        );
    }

    #[test]
    fn sees_a_version_that_only_the_fuzzed_has() {
        let package = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        let root = [package("url", "2.5.8"), package("syn", "1.0.0"), package("syn", "2.0.0")];
        let fuzz =
            [package("url", "2.5.7"), package("syn", "2.0.0"), package("arbitrary", "1.5.0")];
        let found = strays(&fuzz, &root);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("fuzz/Cargo.lock has url 2.5.7, "), "{found:?}");
    }
}
