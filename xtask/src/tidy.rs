//! `cargo xtask tidy`: rules of the sources that the compiler cannot see, run as ordinary tests.
//!
//! Each rule is one function that returns what it found, one line a finding, so that a person sees
//! all of them at once. The trees are cargo's own answer for this machine's target.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::Value;
use tapeline::Registry;
use tapeline_commands as _;

use crate::cargo::{cargo, metadata, output, workspace_root};
use crate::threats;

type Findings = anyhow::Result<Vec<String>>;
type Rule = fn() -> Findings;

/// Every rule by the name its findings are printed under.
const RULES: [(&str, Rule); 9] = [
    ("sources", sources),
    ("direction of dependencies", directions),
    ("an embedder's tree", embedders_tree),
    ("a player without network", player_without_network),
    ("golden names", golden_names),
    ("examples of commands", examples),
    ("command folders", command_folders),
    ("threat model", threat_model),
    ("fuzz targets", crate::fuzz::findings),
];

/// Packages in `cargo tree` of the framework without default features, itself included.
const MAX_EMBEDDED_PACKAGES: usize = 80;

/// HTTP and TLS, by the packages that would bring them.
const NETWORK_PACKAGES: [&str; 6] =
    ["hyper", "reqwest", "rustls", "native-tls", "tokio-rustls", "rcgen"];

/// What each package may name under `[dependencies]`. Dev-dependencies obey the same rule.
const DIRECTIONS: [(&str, &[&str]); 5] = [
    ("tapeline", &[]),
    ("tapeline-commands", &["tapeline"]),
    ("tapeline-replay", &["tapeline"]),
    ("tapeline-host", &["tapeline", "tapeline-commands", "tapeline-replay"]),
    ("xtask", &["tapeline", "tapeline-commands", "tapeline-replay", "tapeline-host"]),
];

pub(crate) fn run() -> anyhow::Result<()> {
    let mut count = 0;
    for (name, rule) in RULES {
        for finding in rule().with_context(|| format!("check {name}"))? {
            println!("{name}: {finding}");
            count += 1;
        }
    }
    ensure!(count == 0, "{count} findings");
    println!("tidy: {} rules hold", RULES.len());
    Ok(())
}

/// Rules for each source file by itself.
fn sources() -> Findings {
    let root = workspace_root();
    let mut findings = Vec::new();
    for file in files(&root, "rs")? {
        let text = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        findings.extend(source(&shown(&root, &file), &text));
    }
    Ok(findings)
}

fn source(name: &str, text: &str) -> Vec<String> {
    // Spelled so that this file does not find itself.
    let left_open =
        [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("#[", "ignore")];
    let mut findings = Vec::new();
    if !text.starts_with("//!") {
        findings.push(format!("{name}: begins without `//!` docs"));
    }
    for (line, number) in text.lines().zip(1..) {
        for word in left_open {
            if !line.trim_start().starts_with("//") && line.contains(word) {
                findings.push(format!("{name}:{number}: `{word}` has no place in the tree"));
            }
        }
    }
    findings
}

/// What `SECURITY.md` says is tested is tested.
fn threat_model() -> Findings {
    let root = workspace_root();
    let mut sources = Vec::new();
    for file in files(&root, "rs")? {
        let name = shown(&root, &file);
        // Its tests make up numbers of their own.
        if name != "xtask/src/threats.rs" {
            sources.push((name, fs::read_to_string(&file)?));
        }
    }
    threats::findings(&root, &sources)
}

/// Dependencies between the packages of the workspace point one way.
fn directions() -> Findings {
    directions_in(&metadata()?)
}

fn directions_in(metadata: &Value) -> Findings {
    let packages = metadata["packages"].as_array().context("cargo's metadata has no packages")?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let allowed = BTreeMap::from(DIRECTIONS);
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let Some(allowed) = allowed.get(name) else {
            findings.push(format!("`{name}` has no place in the order of packages"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let dependency = dependency["name"].as_str().context("a dependency without a name")?;
            if names.contains(dependency) && !allowed.contains(&dependency) {
                findings.push(format!("`{name}` must not depend on `{dependency}`"));
            }
        }
    }
    Ok(findings)
}

/// What a host takes in with the framework: little, no network unless asked for, never `jsonl`.
fn embedders_tree() -> Findings {
    let bare = tree(&["--package=tapeline", "--no-default-features", "--edges=normal"])?;
    let mut findings = strangers("tapeline without features", &bare, &NETWORK_PACKAGES);

    let edges = "--edges=normal,no-proc-macro";
    let counted = tree(&["--package=tapeline", "--no-default-features", edges])?;
    if counted.len() > MAX_EMBEDDED_PACKAGES {
        findings.push(format!(
            "tapeline without features brings {} packages, {MAX_EMBEDDED_PACKAGES} at most",
            counted.len()
        ));
    }

    // Its `tokio` feature, switched on anywhere in a host's tree, replaces the API it has.
    let whole = tree(&["--package=tapeline", "--all-features", "--edges=normal,build"])?;
    findings.extend(strangers("tapeline", &whole, &["jsonl"]));
    Ok(findings)
}

/// A replay cannot reach the network, since nothing it is made of knows how.
fn player_without_network() -> Findings {
    // All but the loopback server: `harness` runs the player, too.
    let player = "tapeline-replay with `harness`";
    let selection = ["--no-default-features", "--features=harness", "--edges=normal"];
    let tree = tree(&[&["--package=tapeline-replay"], &selection[..]].concat())?;
    let mut findings = strangers(player, &tree, &NETWORK_PACKAGES);
    findings.extend(strangers(player, &tree, &["httparse"]));

    let root = workspace_root();
    let loopback = root.join("replay/src/loopback");
    for file in files(&root.join("replay/src"), "rs")? {
        if !file.starts_with(&loopback) {
            let text = fs::read_to_string(&file)?;
            findings.extend(network_names(&shown(&root, &file), &text));
        }
    }
    Ok(findings)
}

fn network_names(name: &str, text: &str) -> Vec<String> {
    let network = ["std::net", "tokio::net", "reqwest", "TcpStream", "UdpSocket", "UnixStream"];
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let lines: Vec<&str> = text.lines().filter(code).collect();
    network
        .iter()
        .filter(|word| lines.iter().any(|line| line.contains(*word)))
        .map(|word| format!("{name}: names `{word}`"))
        .collect()
}

/// Cases are `golden/<group>/<case>`, in lower case, digits and hyphens.
fn golden_names() -> Findings {
    let golden = workspace_root().join("golden");
    let mut findings = Vec::new();
    for group in folders(&golden)? {
        if group == "_blobs" {
            continue;
        }
        for case in folders(&golden.join(&group))? {
            if !is_plain_name(&group) || !is_plain_name(&case) {
                findings.push(format!("golden/{group}/{case}: wants lower case, digits, hyphens"));
            }
        }
    }
    Ok(findings)
}

/// Each example of a command's spec is the line of a golden case.
fn examples() -> Findings {
    let registry = Registry::collected()?;
    let examples = registry.specs().flat_map(|spec| &spec.examples);
    let lines = golden_lines(&workspace_root().join("golden"))?;
    Ok(without_case(examples.map(|example| example.command), &lines))
}

fn without_case<'a>(
    examples: impl Iterator<Item = &'a str>,
    lines: &BTreeSet<String>,
) -> Vec<String> {
    let missing = examples.filter(|example| !lines.contains(*example));
    missing.map(|example| format!("no golden case has the line `{example}`")).collect()
}

/// The command lines of all cases.
fn golden_lines(golden: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for group in folders(golden)? {
        for case in folders(&golden.join(&group))? {
            let Ok(text) = fs::read(golden.join(&group).join(case).join("given/case.json")) else {
                continue;
            };
            let case: Value = serde_json::from_slice(&text).context("read a case")?;
            let line = case.pointer("/run/command").and_then(Value::as_str);
            lines.extend(line.map(str::to_owned));
        }
    }
    Ok(lines)
}

pub(crate) fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

/// A group of commands is a folder, a `mod` line and the cargo feature that switches it.
fn command_folders() -> Findings {
    let source = workspace_root().join("commands/src");
    let text = fs::read_to_string(source.join("lib.rs"))?;
    Ok(command_folders_in(&text, &folders(&source)?))
}

fn command_folders_in(text: &str, folders: &[String]) -> Vec<String> {
    let gated = gated_modules(text);
    let mut findings = Vec::new();
    for folder in folders {
        let feature = folder.replace('_', "-");
        match gated.iter().find(|(module, _)| module == folder) {
            None => findings.push(format!("commands/src/{folder}/ has no gated `mod {folder};`")),
            Some((_, gate)) if *gate != feature => {
                findings
                    .push(format!("`mod {folder};` wants the feature `{feature}`, not `{gate}`"));
            }
            Some(_) => {}
        }
    }
    for (module, _) in &gated {
        if !folders.contains(module) {
            findings.push(format!("`mod {module};` has no folder commands/src/{module}/"));
        }
    }
    findings
}

/// The `mod` lines that stand right below a feature, with that feature.
fn gated_modules(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .iter()
        .zip(lines.iter().skip(1))
        .filter_map(|(gate, line)| {
            let feature = gate.strip_prefix("#[cfg(feature = \"")?.strip_suffix("\")]")?;
            let module = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
            Some((module.to_owned(), feature.to_owned()))
        })
        .collect()
}

/// The packages of a `cargo tree`, each as `name version`.
fn tree(arguments: &[&str]) -> anyhow::Result<BTreeSet<String>> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--prefix=none", "--format={p}"]).args(arguments);
    let text = output(&mut command)?;
    let packages = text.lines().map(|line| {
        let mut words = line.split_whitespace();
        format!("{} {}", words.next().unwrap_or_default(), words.next().unwrap_or_default())
    });
    Ok(packages.filter(|package| package != " ").collect())
}

fn strangers(whose: &str, tree: &BTreeSet<String>, unwanted: &[&str]) -> Vec<String> {
    tree.iter()
        .filter(|package| unwanted.contains(&package.split(' ').next().unwrap_or_default()))
        .map(|package| format!("{whose} has `{package}` in its tree"))
        .collect()
}

/// All files of a kind below a folder, in order, without what is built or hidden.
fn files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if name != "target" && name != "golden" && !name.starts_with('.') {
                found.extend(files(&path, extension)?);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The names of the folders in a folder, in order; none where it does not exist.
fn folders(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    if !folder.exists() {
        return Ok(names);
    }
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that a rule finds nothing in this workspace.
    fn check(findings: Findings) {
        let findings = findings.unwrap();
        assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    }

    #[test]
    fn sources_have_docs_and_leave_nothing_open() {
        check(sources());
    }

    #[test]
    fn dependencies_point_one_way() {
        check(directions());
    }

    #[test]
    fn an_embedder_gets_a_small_tree_without_network() {
        check(embedders_tree());
    }

    #[test]
    fn the_threat_model_names_tests_that_are_there() {
        check(threat_model());
    }

    #[test]
    fn the_player_reaches_no_network() {
        check(player_without_network());
    }

    #[test]
    fn golden_cases_are_named_by_the_rule() {
        check(golden_names());
    }

    #[test]
    fn examples_of_commands_have_golden_cases() {
        check(examples());
        let lines = BTreeSet::from(["hello".to_owned()]);
        let examples = ["hello", "hello --name x"];
        assert_eq!(
            without_case(examples.into_iter(), &lines),
            ["no golden case has the line `hello --name x`"]
        );
    }

    #[test]
    fn command_folders_and_modules_agree() {
        check(command_folders());
    }

    #[test]
    fn fuzz_targets_and_their_lock_file_agree_with_the_workspace() {
        check(crate::fuzz::findings());
    }

    #[test]
    fn sees_a_source_without_docs_or_left_open() {
        assert_eq!(
            source("a.rs", concat!("//! Docs.\n\n// to", "do!() in words\n")),
            Vec::<String>::new()
        );
        assert_eq!(source("a.rs", "use x;\n"), ["a.rs: begins without `//!` docs"]);
        for word in [concat!("todo", "!()"), concat!("#[", "ignore = \"slow\"]")] {
            let findings = source("a.rs", &format!("//! Docs.\n    {word}\n"));
            assert_eq!(findings.len(), 1, "{word}");
            assert!(findings[0].starts_with("a.rs:2: "), "{findings:?}");
        }
    }

    #[test]
    fn sees_a_dependency_against_the_direction_and_a_package_unknown_to_the_rule() {
        let metadata = serde_json::json!({"packages": [
            {"name": "tapeline", "dependencies": [{"name": "tapeline-commands"}, {"name": "serde"}]},
            {"name": "tapeline-commands", "dependencies": [{"name": "tapeline"}]},
            {"name": "stray", "dependencies": []},
        ]});
        assert_eq!(
            directions_in(&metadata).unwrap(),
            [
                "`tapeline` must not depend on `tapeline-commands`",
                "`stray` has no place in the order of packages"
            ]
        );
    }

    #[test]
    fn sees_network_in_a_tree_and_in_a_source() {
        let loopback = tree(&["--package=tapeline-replay", "--features=loopback"]).unwrap();
        assert!(!strangers("replay", &loopback, &["rustls"]).is_empty());
        assert!(strangers("replay", &loopback, &["rust"]).is_empty());
        assert_eq!(network_names("a.rs", "use std::net::IpAddr;\n"), ["a.rs: names `std::net`"]);
        assert!(network_names("a.rs", "// not std::net\n").is_empty());
    }

    #[test]
    fn sees_folders_and_modules_that_disagree() {
        let text = "#[cfg(feature = \"doc\")]\nmod doc;\n#[cfg(feature = \"x\")]\nmod rss;\n";
        let folders = ["exchange_rate".to_owned(), "rss".to_owned()];
        assert_eq!(
            command_folders_in(text, &folders),
            [
                "commands/src/exchange_rate/ has no gated `mod exchange_rate;`",
                "`mod rss;` wants the feature `rss`, not `x`",
                "`mod doc;` has no folder commands/src/doc/"
            ]
        );
    }

    #[test]
    fn knows_a_plain_name() {
        assert!(is_plain_name("fetch-304"));
        for name in ["", "Fetch", "a_b", "a b", "é"] {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
