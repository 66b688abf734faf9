//! `cargo xtask ci`: what CI runs, in the order in which it fails soonest.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde_json::Value;

use crate::cargo::{cargo, metadata, run as run_command, workspace_root};
use crate::{browser, fuzz, test};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Leave out the last step, for who runs the tests from an archive.
    #[arg(long)]
    all_but_tests: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    step("formatting", || {
        run_command(cargo().args(["fmt", "--all", "--check"]))?;
        run_command(cargo().args(["fmt", "--check", "--manifest-path=fuzz/Cargo.toml"]))
    })?;
    step("lints", || {
        let selection = ["--locked", "--workspace", "--all-targets", "--all-features"];
        run_command(cargo().arg("clippy").args(selection).args(["--", "-D", "warnings"]))
    })?;
    // Without the fuzzer itself: no C++ is compiled for it.
    step("lints of the fuzz targets", || {
        let targets = ["--all-targets", "--", "-D", "warnings"];
        run_command(cargo().arg("clippy").args(fuzz::OF_FUZZ).args(targets))
    })?;
    step("licences and sources", || {
        run_command(cargo().args(["deny", "--locked", "check", "bans", "licenses", "sources"]))
    })?;
    step("each crate with its features alone and none", || {
        for (package, features) in packages(&metadata()?)? {
            check(&package, None)?;
            for feature in features {
                check(&package, Some(&feature))?;
            }
        }
        Ok(())
    })?;
    step("records in a host's tree that switches serde_json", || {
        test::run_as_in_a_hosts_tree(test::Profile::Ci)
    })?;
    step(
        "golden cases, looked at, run in two processes, and changed to see that they notice",
        || {
            // Of the changes one in five; `cargo xtask replay selftest` makes them all.
            for arguments in [&["check"][..], &["--twice"], &["selftest", "--sample", "5"]] {
                // Started anew, so that the second process comes to the same task.
                let mut xtask = Command::new(std::env::current_exe().context("find this program")?);
                xtask.current_dir(workspace_root()).arg("replay").args(arguments);
                run_command(&mut xtask)?;
            }
            Ok(())
        },
    )?;
    step("the page of a report, in a browser", browser::check)?;
    if options.all_but_tests {
        return step("documentation examples", test::run_examples);
    }
    // Nothing is printed after this one: the test runner's own closing line stands last.
    println!("==> tests");
    test::run(test::Profile::Ci)
}

fn step(name: &str, run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    println!("==> {name}");
    let start = Instant::now();
    run().with_context(|| format!("step `{name}`"))?;
    println!("==> {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn check(package: &str, feature: Option<&str>) -> anyhow::Result<()> {
    // Clippy and not `check`: it makes warnings errors in our packages without building the others anew.
    let mut command = cargo();
    command.args(["clippy", "--quiet", "--locked", "--no-default-features", "--package", package]);
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    command.args(["--", "-D", "warnings"]);
    println!("    {}", crate::cargo::shown(&command));
    run_command(&mut command)
}

/// The packages of the workspace with their features, `default` among them.
fn packages(metadata: &Value) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let packages = metadata["packages"].as_array().context("cargo's metadata has no packages")?;
    packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().context("a package without a name")?;
            let features = package["features"].as_object().context("a package without features")?;
            Ok((name.to_owned(), features.keys().cloned().collect()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_package_and_feature_of_the_workspace() {
        let packages = packages(&metadata().unwrap()).unwrap();
        let features = |name: &str| {
            packages
                .iter()
                .find(|(package, _)| package == name)
                .map(|(_, features)| features.clone())
        };
        assert!(features("tapeline").unwrap().contains(&"http".to_owned()));
        assert!(features("tapeline-replay").unwrap().contains(&"loopback".to_owned()));
        assert_eq!(features("xtask"), Some(Vec::new()));
    }
}
