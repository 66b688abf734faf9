//! `cargo xtask browser`: the page of a report, made by the kit and opened in a real Chromium.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use clap::Args;

use crate::cargo::{run as run_command, workspace_root};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only put what drives the browser into `target/browser`, by npm, where it is not there yet.
    #[arg(long)]
    install: bool,
}

/// Programs that are one.
const CHROMIUMS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// What the expectations of some cases are made to say, so that their runs come out otherwise: a
/// column that is renamed, a word that is not Latin, a line of five thousand characters and one that
/// would like to be markup.
const COLUMN: (&str, &str) = ("  code  rate\n", "  code  price\n");
const WORD: (&str, &str, &str) = ("rss/fetch-gbk", "你好", "您好，世界");
const LONG: &str = "hello/default";

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.install { install() } else { check() }
}

/// Makes the page and opens it.
pub(crate) fn check() -> anyhow::Result<()> {
    let (root, scripts, folder) = (workspace_root(), scripts(), folder());
    let chromium = chromium()?;
    ensure!(
        is_installed(),
        "playwright-core is not in target/browser: `cargo xtask browser --install` puts it there \
         (it needs node 18 or later, and npm)"
    );

    let golden = folder.join("golden");
    let renamed = changed_cases(&root.join("golden"), &golden)?;
    let page = folder.join("report.html");
    let mut report = Command::new(env::current_exe().context("find this program")?);
    report.current_dir(&root).args(["replay", "report", "exchange-rate", "rss", "hello"]);
    report.arg("--golden").arg(&golden).arg("--html").arg(&page);
    let status = report.status().context("start the kit")?;
    ensure!(status.code() == Some(1), "the report of changed cases ended with {status}, not 1");

    let mut node = Command::new("node");
    node.arg(scripts.join("report.mjs")).args([&folder, &chromium, &page]).arg(renamed.to_string());
    run_command(&mut node)?;
    println!("screenshots: {}", folder.display());
    Ok(())
}

fn chromium() -> anyhow::Result<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = CHROMIUMS.iter().find_map(|program| {
        env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
    });
    found.context(
        "there is no Chromium: install it (on Debian `apt-get install chromium fonts-noto-cjk`), \
         or name its program in CHROMIUM",
    )
}

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";

fn scripts() -> PathBuf {
    workspace_root().join("xtask/browser")
}

/// For all that comes of it.
fn folder() -> PathBuf {
    workspace_root().join("target/browser")
}

fn install() -> anyhow::Result<()> {
    if is_installed() {
        return Ok(());
    }
    let folder = folder();
    fs::create_dir_all(&folder).context("make target/browser")?;
    for file in [MANIFEST, LOCK] {
        fs::copy(scripts().join(file), folder.join(file))
            .with_context(|| format!("copy {file}"))?;
    }
    run_command(Command::new("npm").current_dir(&folder).args(["ci", "--silent"]))
}

/// Whether the driver is there in the version that the lock file names.
fn is_installed() -> bool {
    let lock = |folder: PathBuf| fs::read_to_string(folder.join(LOCK)).ok();
    let is_there = folder().join("node_modules/playwright-core").join(MANIFEST).is_file();
    is_there && lock(folder()) == lock(scripts())
}

/// Cases of the repository whose expectations are not what this build comes to, and how many of them
/// expect the renamed column.
fn changed_cases(from: &Path, golden: &Path) -> anyhow::Result<usize> {
    if golden.exists() {
        fs::remove_dir_all(golden).context("remove the cases of the last time")?;
    }
    for group in ["_blobs", "exchange-rate", "hello", "rss"] {
        copy_folder(&from.join(group), &golden.join(group))?;
    }
    let mut renamed = 0;
    for case in fs::read_dir(golden.join("exchange-rate"))? {
        renamed += usize::from(replace(&case?.path(), COLUMN.0, COLUMN.1)?);
    }
    ensure!(renamed > 1, "no case has the column `{}`", COLUMN.0.trim());
    ensure!(replace(&golden.join(WORD.0), WORD.1, WORD.2)?, "{} does not say {}", WORD.0, WORD.1);
    let long = format!(
        "<img src=\"https://evil.example/x\" onerror=\"document.title='evil'\"></script>\n{}\n",
        "汇率 rate ".repeat(625)
    );
    fs::write(golden.join(LONG).join("expect/stdout.txt"), long)?;
    Ok(renamed)
}

/// Whether the standard output that a case expects held it.
fn replace(case: &Path, text: &str, with: &str) -> anyhow::Result<bool> {
    let file = case.join("expect/stdout.txt");
    let Ok(before) = fs::read_to_string(&file) else { return Ok(false) };
    let after = before.replace(text, with);
    fs::write(&file, &after).with_context(|| format!("write {}", file.display()))?;
    Ok(after != before)
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("list {}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &to)?,
            false => drop(fs::copy(entry.path(), to)?),
        }
    }
    Ok(())
}
