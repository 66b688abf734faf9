//! [`Fixture`]: a copy of an application outside the workspace, built on its own.
//!
//! The copy has the versions of the workspace's lock file and the workspace's folder of intermediate
//! files. Of its dependencies only ours are compiled again, and those once for all copies, since they
//! are the workspace's and stay where they are.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use crate::scratch::{cargo, copy_folder, replace, scratch_folder, succeed, workspace_root};

/// A copy in a folder that goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Fixture {
    folder: TempDir,
    /// One copy of it at a time, for the reason `Scratch` has.
    _turn: File,
}

impl Fixture {
    /// Copies a folder, named from the workspace's root. Waits while another copy of it is in use.
    pub(crate) fn copy(fixture: &str) -> anyhow::Result<Self> {
        let made = scratch_folder()?;
        let turn = File::create(made.join(format!("{}.lock", fixture.replace('/', "-"))))?;
        turn.lock().context("wait for another build")?;
        // Beside the intermediate files, so that cargo links large files rather than copy them.
        let folder = tempfile::tempdir_in(made).context("make a folder for the copy")?;
        let original = workspace_root().join(fixture);
        copy_folder(&original, folder.path())?;
        fs::copy(workspace_root().join("Cargo.lock"), folder.path().join("Cargo.lock"))?;
        let copy = Self { folder, _turn: turn };
        copy.name_members_by_their_place(&original)?;
        Ok(copy)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Replaces the one place in a file of the copy where `from` stands.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) -> anyhow::Result<()> {
        replace(self.path(), file, from, to)
    }

    /// Cargo at work in the copy.
    pub(crate) fn cargo(&self) -> Command {
        cargo(self.path())
    }

    /// Builds what `selection` names, with the versions the workspace has.
    pub(crate) fn build(&self, selection: &[&str]) -> anyhow::Result<()> {
        // Takes out of the lock file what is not needed here, puts the fixture in, and no more.
        succeed(self.cargo().args(["update", "--workspace", "--quiet", "--offline"]))?;
        let ours = locked(&self.path().join("Cargo.lock"))?;
        let workspaces = locked(&workspace_root().join("Cargo.lock"))?;
        ensure!(!ours.is_empty(), "nothing is read from the lock file");
        let strangers: Vec<_> = ours.difference(&workspaces).collect();
        ensure!(strangers.is_empty(), "not as in the workspace's lock file: {strangers:?}");
        succeed(self.cargo().args(["build", "--quiet", "--offline", "--locked"]).args(selection))
    }

    /// Where a build puts what is called so.
    pub(crate) fn made(&self, name: &str) -> PathBuf {
        self.path().join("target/debug").join(name)
    }

    /// `path = "../…"` leads nowhere from the copy.
    fn name_members_by_their_place(&self, original: &Path) -> anyhow::Result<()> {
        const PATH: &str = "path = \"..";
        let manifest = self.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        let (first, rest) = text.split_once(PATH).context("the manifest names no member")?;
        let mut named = first.to_owned();
        for part in rest.split(PATH) {
            let (path, after) = part.split_once('"').context("a path without an end")?;
            let place = fs::canonicalize(original.join(format!("..{path}")))?;
            named.push_str(&format!("path = {place:?}{after}"));
        }
        Ok(fs::write(&manifest, named)?)
    }
}

/// What a lock file takes from a registry: name, version, source and checksum of each.
fn locked(file: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let packages = text.split("[[package]]").filter(|package| package.contains("\nsource = "));
    Ok(packages
        .map(|package| {
            let lines = package.trim().lines();
            lines.take_while(|line| line.contains(" = \"")).collect::<Vec<_>>().join(" ")
        })
        .collect())
}
