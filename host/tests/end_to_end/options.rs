//! The host's verbs and options.

use std::fs;

use serde_json::Value;

use crate::{
    rates::fresh,
    world::{CONVERT, World},
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn without_json_the_output_is_for_people() {
    let world = World::with(fresh());
    let output = world.run(&["exec", CONVERT]);
    assert!(output.status.success());
    assert!(
        text(&output.stdout).starts_with("100 CNY = 12.345700 USD\n"),
        "{}",
        text(&output.stdout)
    );
    assert!(text(&output.stderr).starts_with("run "), "{}", text(&output.stderr));

    let output = world.run(&["exec", "helo"]);
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(text(&output.stdout), "");
    let stderr = text(&output.stderr);
    assert!(
        stderr.starts_with("UnknownCommand: no command `helo`\nhint: did you mean `hello`?"),
        "{stderr}"
    );
}

#[test]
fn options_stand_before_or_after_the_verb() {
    let world = World::new();
    let root = world.path("other");
    let output = world.run(&["exec", "hello", "--json", "--timeout-ms", "5000"]);
    assert!(output.status.success());
    let output = std::process::Command::new(&world.program)
        .args(["exec", "hello", "--tape", "off", "--root"])
        .arg(&root)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(root.join("audit/runs").is_dir());
    let tail = std::process::Command::new(&world.program)
        .args(["audit", "tail", "--json", "--root"])
        .arg(&root)
        .output()
        .unwrap();
    let record: Value = serde_json::from_slice(&tail.stdout).unwrap();
    assert_eq!(record["tape"], Value::Null);
}

#[test]
fn overwriting_asks_and_yes_approves() {
    let world = World::with(fresh());
    let line = "exchange-rate latest --base CNY --out artifacts/cny.json";
    let first = world.exec(line);
    assert_eq!(first["artifacts"][0]["path"], ".agents/artifacts/cny.json", "{first:#}");
    let file = world.root().join(".agents/artifacts/cny.json");
    let body = fs::read(&file).unwrap();

    let exists = world.exec(line);
    assert_eq!(exists["error_code"], "OutExists");
    let overwrite = format!("{line} --overwrite");
    let unasked = world.exec(&overwrite);
    assert_eq!(unasked["error_code"], "ApprovalRequired");
    assert_eq!(unasked["hint"], "run it again with `--yes` to approve");
    assert_eq!(fs::read(&file).unwrap(), body);
    let approved = world.exec_with(&["--yes"], &overwrite);
    assert_eq!(approved["exit_code"], 0, "{approved:#}");
    for envelope in [&first, &exists, &unasked, &approved] {
        world.check_replays(envelope);
    }
}

#[test]
fn the_configuration_shapes_policy_and_limits() {
    let world = World::with(fresh());
    let config = world.path("tapeline.toml");
    fs::write(
        &config,
        r#"
        [policy]
        network = "none"
        [[policy.rule]]
        path = "hello"
        args = { name = "BYE" }
        decision = "deny"
        examples = ["hello --name BYE"]
        [limits]
        stdout_bytes = 100
        "#,
    )
    .unwrap();
    let config = config.to_str().unwrap();
    let denied = world.exec_with(&["--config", config], CONVERT);
    assert_eq!(denied["error_code"], "CapabilityDenied", "{denied:#}");
    let ruled = world.exec_with(&["--config", config], "hello --name BYE");
    assert_eq!(ruled["error_code"], "CapabilityDenied");
    let cut = world.exec_with(&["--config", config], "hello");
    assert_eq!(cut["truncated"][0]["what"], "stdout", "{cut:#}");
    for envelope in [&denied, &ruled, &cut] {
        world.check_replays(envelope);
    }

    fs::write(config, "[policy]\nnetwrk = \"none\"\n").unwrap();
    let output = world.run(&["--config", config, "exec", "hello"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("netwrk"), "{}", text(&output.stderr));
}

#[test]
fn the_address_guard_gives_way_to_the_operator_alone() {
    let world = World::with(fresh());
    let exec = |options: &[&str]| {
        let output = std::process::Command::new(&world.program)
            .arg("--root")
            .arg(world.root())
            .arg("--cacert")
            .arg(world.path("ca.pem"))
            .args(options)
            .args(["exec", "--json", CONVERT])
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    // The detour's own host is exempt; one that only names another port is not.
    let port = world.server().addr().port();
    let here = exec(&["--connect-to", &format!("open.er-api.com:443:127.0.0.1:{port}")]);
    assert_eq!(here["exit_code"], 0, "{here:#}");
    let wrong = exec(&["--connect-to", "open.er-api.com"]);
    assert_eq!(wrong, Value::Null);
}

#[test]
fn the_schema_is_printed_for_each_kind_of_agent() {
    let world = World::new();
    for (format, name) in
        [("openai", "/tool/function/name"), ("anthropic", "/tool/name"), ("mcp", "/tool/name")]
    {
        let output = world.run(&["schema", "--for", format]);
        let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(schema.pointer(name).unwrap(), "terminal_exec");
        jsonschema::meta::validate(&schema["envelope"]).unwrap();
    }
}

#[test]
fn the_log_is_listed_and_shown() {
    let world = World::new();
    world.exec("hello");
    world.exec("hello --name 你好");
    let output = world.run(&["audit", "tail"]);
    let lines = text(&output.stdout);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("InvalidArgs") && lines.ends_with("hello --name 你好\n"), "{lines}");
    let output = world.run(&["audit", "show", "01234567"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no run `01234567`"), "{}", text(&output.stderr));
}
