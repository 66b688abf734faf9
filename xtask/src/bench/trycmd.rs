//! The same cases as trycmd has them: the program started once for each, its output compared.

use std::{fs, path::Path, process::Command, time::Duration};

use anyhow::{Context, ensure};

use crate::cargo::{output, shown};

/// A program of its own: what only a measurement needs is in nobody's `Cargo.lock`.
const MANIFEST: &str = r#"[package]
name = "trycmd-cases"
version = "0.0.0"
edition = "2024"

[dependencies]
trycmd = { version = "=1.2.1", default-features = false }

[workspace]
"#;

const MAIN: &str = r#"use std::{env, path::PathBuf, time::Instant};

fn main() {
    let [program, cases] = [1, 2].map(|place| PathBuf::from(env::args_os().nth(place).unwrap()));
    let start = Instant::now();
    trycmd::TestCases::new().register_bin("tapeline", program).case(cases.join("*.trycmd")).run();
    println!("{}", start.elapsed().as_micros());
}
"#;

/// Runs so many cases of `tapeline exec "hello --name cN"` and gives the time of the fastest of three.
pub(super) fn measure(folder: &Path, program: &Path, cases: usize) -> anyhow::Result<Duration> {
    let runner = build(&folder.join("trycmd"))?;
    let lines = folder.join("trycmd/cases");
    fs::create_dir_all(&lines).context("make a folder for trycmd's cases")?;
    for number in 0..cases {
        let root = folder.join(format!("trycmd/roots/{number}"));
        let line = format!(r#"exec "hello --name c{number}" --root {}"#, root.display());
        // What it is to print is what it prints; to stderr, the id of the run.
        let root = root.to_str().context("the folder's name is no UTF-8")?;
        let hello = format!("hello --name c{number}");
        let said = output(Command::new(program).args(["exec", &hello, "--root", root]))?;
        let case = format!("```\n$ tapeline {line}\n{said}run [..]\n\n```\n");
        fs::write(lines.join(format!("c{number}.trycmd")), case).context("write a case")?;
    }
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        let mut command = Command::new(&runner);
        let ran = command.arg(program).arg(&lines).output().context("start trycmd")?;
        let progress = String::from_utf8_lossy(&ran.stderr);
        let passed = progress.matches(" ... ok").count();
        ensure!(
            ran.status.success() && passed == cases,
            "{} passed {passed} of {cases} cases: {progress}",
            shown(&command)
        );
        let micros = String::from_utf8_lossy(&ran.stdout);
        let micros = micros.trim().parse().context("read trycmd's time")?;
        fastest = fastest.min(Duration::from_micros(micros));
    }
    Ok(fastest)
}

fn build(folder: &Path) -> anyhow::Result<std::path::PathBuf> {
    fs::create_dir_all(folder.join("src")).context("make a folder for trycmd's program")?;
    fs::write(folder.join("Cargo.toml"), MANIFEST).context("write its manifest")?;
    fs::write(folder.join("src/main.rs"), MAIN).context("write its program")?;
    let mut cargo = crate::cargo::cargo();
    cargo.current_dir(folder).args(["build", "--quiet", "--release", "--target-dir"]);
    crate::cargo::run(cargo.arg(folder.join("target")))?;
    Ok(folder.join("target/release/trycmd-cases"))
}
