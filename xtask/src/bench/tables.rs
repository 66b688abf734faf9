//! `cargo xtask bench tables`: CSV made of a workbook of a million rows, by the program.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{fs, path::Path, process::Command, time::Duration};

use anyhow::{Context, ensure};
use zip::{CompressionMethod, write::SimpleFileOptions};

use super::child::{mib, timed};
use crate::{
    cargo::build_host,
    record::documents::{Sheet, number, row, text, xlsx_parts},
};

const ROWS: usize = 1_000_000;

pub(super) fn run() -> anyhow::Result<()> {
    let binary = build_host()?;
    let folder = tempfile::tempdir().context("make a folder for the workbooks")?;
    let (part_time, part) = to_csv(&binary, &folder.path().join("part"), ROWS / 10)?;
    let (whole_time, whole) = to_csv(&binary, &folder.path().join("whole"), ROWS)?;
    for (rows, time, bytes) in [(ROWS / 10, part_time, part), (ROWS, whole_time, whole)] {
        println!("{rows:>9} rows {:>6.2} s, {:.1} MiB at most", time.as_secs_f64(), mib(bytes));
    }
    println!("\nmemory of {ROWS} rows: {:.1} MiB (at most 128)", mib(whole));
    println!("time ÷ that of a tenth: {:.1}", whole_time.as_secs_f64() / part_time.as_secs_f64());
    Ok(())
}

fn to_csv(binary: &Path, root: &Path, rows: usize) -> anyhow::Result<(Duration, u64)> {
    let workspace = root.join(".agents");
    fs::create_dir_all(&workspace).context("make the workspace")?;
    let made: String = (1..=rows)
        .map(|at| row(&[number(&at.to_string()), text(&format!("shop {at}")), number("0.5")]))
        .collect();
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let workbook = xlsx_parts(&[Sheet::new("Made", &made)]).pack_by(deflated);
    fs::write(workspace.join("made.xlsx"), workbook)?;
    drop(made);
    let mut command = Command::new(binary);
    command.arg("--root").arg(root);
    command.args(["exec", "--timeout-ms", "600000"]);
    command.arg("table to-csv --in made.xlsx --out made.csv");
    let measured = timed(&mut command)?;
    let lines = fs::read_to_string(workspace.join("made.csv"))?.lines().count();
    ensure!(lines == rows, "{lines} lines of CSV came of {rows} rows");
    Ok(measured)
}
