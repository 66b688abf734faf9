//! REQ-0031-001.

use serde_json::Value;
use tapeline::Policy;

use super::no_files;
use crate::world::World;

#[test]
fn group_help_names_both_commands() {
    for line in
        ["exchange-rate --help", "exchange-rate help", "exchange-rate", "help exchange-rate"]
    {
        let run = World::new().exec(line).ok();
        assert!(run.envelope.stdout.contains("exchange-rate latest"), "{line}");
        assert!(run.envelope.stdout.contains("exchange-rate convert"), "{line}");
        assert!(run.envelope.stdout.lines().count() < 200, "{line}");
        assert_eq!(run.result["subcommands"], serde_json::json!(["convert", "latest"]), "{line}");
        assert_eq!(
            run.fields(),
            ["ok", "command", "usage", "subcommands", "flags", "examples"],
            "{line}"
        );
    }
}

#[test]
fn command_help_shows_its_own_usage() {
    for (command, required) in [("latest", "--base <ISO4217>"), ("convert", "--amount <DECIMAL>")] {
        for line in [
            format!("exchange-rate {command} --help"),
            format!("exchange-rate help {command}"),
            format!("help exchange-rate {command}"),
        ] {
            let run = World::new().exec(&line).ok();
            assert!(run.envelope.stdout.contains(required), "{line}: {}", run.envelope.stdout);
            let usage = run.result["usage"].as_str().unwrap();
            assert!(usage.contains(&format!("exchange-rate {command}")), "{usage}");
            assert_eq!(run.result["subcommands"], serde_json::json!([]), "{line}");
            assert_eq!(
                run.fields(),
                ["ok", "command", "usage", "subcommands", "flags", "examples"],
                "{line}"
            );
            assert!(run.envelope.stdout.lines().count() < 200, "{line}");
            for example in run.result["examples"].as_array().unwrap() {
                let example = example["command"].as_str().unwrap();
                assert!(example.starts_with(&format!("exchange-rate {command} ")), "{example}");
                assert!(run.envelope.stdout.contains(example), "{line}");
            }
        }
    }
}

#[test]
fn help_tells_what_users_would_have_to_guess() {
    let text = World::new().exec("exchange-rate convert --help").ok().envelope.stdout;
    for told in ["negative amounts", "half away from zero", "ImpreciseRate"] {
        assert!(text.contains(told), "no `{told}` in:\n{text}");
    }
    let text = World::new().exec("exchange-rate latest --help").ok().envelope.stdout;
    for told in ["USD,EUR,JPY,GBP,HKD", "--out", "--overwrite", "StaleRates"] {
        assert!(text.contains(told), "no `{told}` in:\n{text}");
    }
}

#[test]
fn help_needs_neither_network_nor_files() {
    for line in [
        "exchange-rate --help",
        "exchange-rate help",
        "exchange-rate latest --help",
        "exchange-rate help latest",
        "exchange-rate convert --help",
        "exchange-rate help convert",
    ] {
        let world = World::with_policy(no_files(Policy::default()));
        assert_eq!(world.exec(line).ok().envelope.exit_code, 0, "{line}");
        assert!(world.service.asked().is_empty(), "{line}");
        assert!(world.workspace.files().is_empty(), "{line}");
    }
}

#[test]
fn help_names_every_flag_there_is() {
    for (line, flags) in [
        ("exchange-rate --help", &[][..]),
        (
            "exchange-rate latest --help",
            &["--base", "--symbols", "--no-cache", "--out", "--overwrite"],
        ),
        (
            "exchange-rate convert --help",
            &["--from", "--to", "--amount", "--precision", "--no-cache"],
        ),
    ] {
        let run = World::new().exec(line).ok();
        let named = run.result["flags"].as_array().unwrap().iter();
        let named: Vec<_> = named.map(|flag| flag["flag"].as_str().unwrap()).collect();
        assert_eq!(named, flags, "{line}");
    }
    let precision = &World::new().exec("exchange-rate convert --help").ok().result["flags"][3];
    assert_eq!(precision["default"], "6");
    assert_eq!(precision["required"], Value::Bool(false));
}
