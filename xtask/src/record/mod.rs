//! `cargo xtask record`: the golden cases of this repository, recorded anew by the real program.
//!
//! Each scenario is run in a fresh root against a TLS server on loopback, which stands in for the
//! provider with made-up numbers. What the run answers is held to what the scenario says, its
//! record is replayed, and only then promoted to a case.
//!
//! A new case is a few lines in the table of its group. Its name says what happens there; what
//! depends on the clock of the machine is given in hours from now.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

mod scenario;
mod take;

mod doc;
mod exchange_rate;
mod hello;
mod line;
mod policy;
mod rss;

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;

pub(crate) use self::doc::documents;
use self::{scenario::Scenario, take::Take};
use crate::cargo::{build_host, workspace_root};

/// Which cases, and what becomes of them.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only scenarios with this in their `<group>/<case>`.
    filter: Option<String>,
    /// Record cases that exist already once more, in place of what they were.
    #[arg(long)]
    again: bool,
    /// Run and check the scenarios, and write no case.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let filter = options.filter.as_deref().unwrap_or_default();
    let mut scenarios = scenarios();
    scenarios.retain(|scenario| scenario.name.contains(filter));
    if scenarios.is_empty() {
        bail!("no scenario has `{filter}` in its name; those there are stand in xtask/src/record");
    }
    println!("Building the host.");
    let binary = build_host()?;
    let golden = workspace_root().join("golden");
    let mut failed = 0;
    for scenario in &scenarios {
        match record(scenario, &binary, &golden, options) {
            Ok(outcome) => println!("{}: {outcome}", scenario.name),
            Err(error) => {
                failed += 1;
                println!("{}: failed: {error:#}", scenario.name);
            }
        }
    }
    match failed {
        0 => println!("{} scenarios, all as they should be", scenarios.len()),
        _ => bail!("{failed} of {} scenarios failed", scenarios.len()),
    }
    Ok(())
}

/// Every scenario there is, group by group.
fn scenarios() -> Vec<Scenario> {
    let groups = [
        hello::scenarios(),
        doc::scenarios(),
        exchange_rate::scenarios(),
        rss::scenarios(),
        policy::scenarios(),
    ];
    groups.into_iter().flatten().chain(line::scenarios()).collect()
}

/// Makes a case of a scenario, and says what was done.
fn record(
    scenario: &Scenario,
    binary: &Path,
    golden: &Path,
    options: &Options,
) -> anyhow::Result<String> {
    let case = golden.join(&scenario.name);
    if case.exists() && !options.again && !options.dry_run {
        return Ok("there already; `--again` records it once more".to_owned());
    }
    let take = Take::of(scenario, binary)?;
    if options.dry_run {
        return Ok(format!("holds, {}", scenario.ending()));
    }
    if case.exists() {
        fs::remove_dir_all(&case).with_context(|| format!("remove {}", case.display()))?;
    }
    take.promote(golden)?;
    Ok(format!("recorded, {}", scenario.ending()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{record::scenario::Provider, tidy::is_plain_name};

    #[test]
    fn names_are_plain_and_each_there_once() {
        let mut seen = BTreeSet::new();
        for Scenario { name, title, .. } in scenarios() {
            let (group, case) = name.split_once('/').unwrap();
            assert!(is_plain_name(group) && is_plain_name(case), "{name}");
            assert!(!title.is_empty() && !title.ends_with('.'), "{name}: {title}");
            assert!(seen.insert(name.clone()), "{name} is there twice");
        }
    }

    #[test]
    fn no_line_reaches_out_of_this_machine() {
        for Scenario { name, line, provider, .. } in scenarios() {
            let asks = line.starts_with("exchange-rate latest --base")
                || line.starts_with("exchange-rate convert --from")
                || line.starts_with("rss fetch --");
            let asks = asks && !line.ends_with("--help");
            assert!(!asks || provider != Provider::Unasked, "{name} leads nowhere on this machine");
        }
    }
}
