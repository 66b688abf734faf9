//! Calling cargo on this workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// The folder of the workspace's manifest.
pub(crate) fn workspace_root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// Cargo, to be run at the workspace root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace_root());
    // `cargo run` tells us about the package of xtask. Passed on, it makes the build scripts that
    // watch these variables run again, and everything above them be built again, at each change
    // between `cargo xtask test` and `cargo test`.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
        if ours.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command with the terminal as it is, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("start {}", shown(command)))?;
    ensure!(status.success(), "{} ended with {status}", shown(command));
    Ok(())
}

/// What a command prints to stdout; an error with its stderr when it fails.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("start {}", shown(command)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {}", shown(command), output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("read what {} says", shown(command)))
}

/// `cargo metadata` of the workspace's own packages.
pub(crate) fn metadata() -> anyhow::Result<Value> {
    let text = output(cargo().args(["metadata", "--locked", "--no-deps", "--format-version=1"]))?;
    serde_json::from_str(&text).context("read cargo's metadata")
}

/// Builds the host, for speed where this program was, and says where its binary is.
pub(crate) fn build_host() -> anyhow::Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--locked", "--package", "tapeline-host", "--bin", "tapeline"]);
    command.arg("--message-format=json-render-diagnostics");
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    command.stderr(Stdio::inherit());
    let output = command.output().context("start cargo")?;
    ensure!(output.status.success(), "{} ended with {}", shown(&command), output.status);
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .context("cargo built no executable")
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy())
        .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { word.into_owned() })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_command_as_typed() {
        let mut command = Command::new("/somewhere/cargo");
        command.args(["run", "--", "a b"]);
        assert_eq!(shown(&command), "cargo run -- \"a b\"");
    }

    #[test]
    fn a_failing_command_is_an_error_with_its_words() {
        let error = output(cargo().arg("no-such-task")).unwrap_err().to_string();
        assert!(error.contains("cargo no-such-task ended with"), "{error}");
        assert!(error.contains("no such command"), "{error}");
    }
}
