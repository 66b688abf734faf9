//! [`Scratch`]: a changed copy of the workspace, built into a binary of its own.
//!
//! The copy has the same lock file and the same folder of intermediate files, so that only our own
//! packages are compiled again. They must not share names there with the real ones: cargo tells
//! packages of a workspace apart by name, version and place *within* the workspace, so a plain copy
//! would put changed code where the next ordinary build takes it for its own. The copy therefore
//! has a version of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use tempfile::TempDir;

/// As `cargo xtask test` selects them.
const FEATURES: &str = "tapeline-commands/ocr,tapeline-replay/harness,tapeline-replay/loopback";

/// What of the workspace's root a build needs; members are copied whole.
const NOT_COPIED: [&str; 4] = ["fuzz", "golden", "node_modules", "target"];

/// A copy of the workspace's sources in a folder that goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    /// One copy at a time: cargo compares times, and would take the objects of a copy that was
    /// built after this one was written for this one's.
    _turn: File,
}

impl Scratch {
    /// Copies the sources as they are now. Waits while another copy is in use.
    pub(crate) fn copy() -> anyhow::Result<Self> {
        let turn = File::create(scratch_folder()?.join("scratch.lock"))?;
        turn.lock().context("wait for another scratch build")?;
        let folder = tempfile::tempdir().context("make a folder for the copy")?;
        copy_folder(&workspace_root(), folder.path())?;
        let scratch = Self { folder, _turn: turn };
        scratch.rename_version()?;
        Ok(scratch)
    }

    /// Replaces the one place in a file, named from the workspace's root, where `from` stands.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) -> anyhow::Result<()> {
        replace(self.folder.path(), file, from, to)
    }

    /// Builds the host there and says where its binary is: inside the copy, gone with it.
    pub(crate) fn build(&self) -> anyhow::Result<PathBuf> {
        let mut command = cargo(self.folder.path());
        // The whole workspace is selected, as the tests are, so that the features of what is
        // shared come out the same; with an example those of dev-dependencies count, too.
        command.args(["build", "--quiet", "--locked", "--offline", "--workspace"]);
        command.args(["--features", FEATURES]);
        command.args(["--bin", "tapeline", "--example", "embed"]);
        succeed(&mut command)?;
        let name = format!("tapeline{}", std::env::consts::EXE_SUFFIX);
        Ok(self.folder.path().join("target/debug").join(name))
    }

    fn rename_version(&self) -> anyhow::Result<()> {
        let (old, new) = (
            concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"\n"),
            concat!("version = \"", env!("CARGO_PKG_VERSION"), "-scratch\"\n"),
        );
        let manifest = self.folder.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        ensure!(text.contains(old), "the workspace's manifest has no {old}");
        fs::write(&manifest, text.replacen(old, new, 1))?;

        let lock = self.folder.path().join("Cargo.lock");
        let text = fs::read_to_string(&lock)?;
        let packages = text.split("\n\n").map(|package| {
            // What comes from nowhere is a member.
            let member = package.contains("[[package]]") && !package.contains("\nsource = ");
            if member { package.replacen(old, new, 1) } else { package.to_owned() }
        });
        fs::write(&lock, packages.collect::<Vec<_>>().join("\n\n"))?;
        Ok(())
    }
}

/// Cargo at work in a copy: what it makes goes into the copy's `target`, intermediate files where
/// those of the real workspace are.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(folder)
        .env("CARGO_BUILD_BUILD_DIR", target_folder())
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TERM_COLOR", "never");
    // The runner tells us about this package and itself: build scripts that watch would run again,
    // and a runner started from here would look for the profile of this one.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "NEXTEST"];
        if ours.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a tool; an error with its words when it fails.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} fails:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Replaces the one place in a file of a folder where `from` stands.
pub(crate) fn replace(folder: &Path, file: &str, from: &str, to: &str) -> anyhow::Result<()> {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).with_context(|| format!("read the copied {file}"))?;
    let count = text.matches(from).count();
    ensure!(count == 1, "`{from}` stands {count} times in {file}, and once is wanted");
    fs::write(&path, text.replace(from, to)).with_context(|| format!("change {file}"))
}

pub(crate) fn workspace_root() -> PathBuf {
    let host = Path::new(env!("CARGO_MANIFEST_DIR"));
    host.parent().unwrap_or(host).to_owned()
}

/// Where tests put what they make. An archive of tests does not bring it.
pub(crate) fn scratch_folder() -> anyhow::Result<&'static Path> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    Ok(folder)
}

/// The folder with the intermediate files of the build that made this test.
fn target_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.parent().unwrap_or(folder).to_owned()
}

/// All that is not hidden and not made.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("list {}", from.display()))? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let hidden = name.to_string_lossy().starts_with('.') && name != ".cargo";
        if hidden || NOT_COPIED.iter().any(|other| name == *other) {
            continue;
        }
        if kind.is_dir() {
            copy_folder(&entry.path(), &to.join(&name))?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(&name))?;
        }
    }
    Ok(())
}

#[test]
fn a_copy_is_changed_where_asked_and_nowhere_else() {
    let scratch = Scratch::copy().unwrap();
    let copied = |file: &str| fs::read_to_string(scratch.folder.path().join(file)).unwrap();
    let original = |file: &str| fs::read_to_string(workspace_root().join(file)).unwrap();

    scratch.replace("host/Cargo.toml", "name = \"tapeline-host\"", "name = \"x\"").unwrap();
    assert_eq!(
        copied("host/Cargo.toml"),
        original("host/Cargo.toml").replace("name = \"tapeline-host\"", "name = \"x\"")
    );
    let missing = scratch.replace("host/Cargo.toml", "no such words", "").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "`no such words` stands 0 times in host/Cargo.toml, and once is wanted"
    );
    assert_eq!(copied("host/src/main.rs"), original("host/src/main.rs"));
    assert!(!scratch.folder.path().join("target").exists());

    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "-scratch\"\n");
    let members = ["tapeline", "tapeline-commands", "tapeline-replay", "tapeline-host", "xtask"];
    for member in members {
        assert!(
            copied("Cargo.lock").contains(&format!("name = \"{member}\"\n{version}")),
            "{member}"
        );
    }
    assert_eq!(copied("Cargo.lock").matches(version).count(), members.len());
}
