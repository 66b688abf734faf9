//! REQ-0031-001.

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
