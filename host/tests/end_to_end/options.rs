//! The host's verbs and options.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
};

use serde_json::Value;

use crate::{
    rates::fresh,
    world::{CONVERT, World},
};

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn without_json_the_output_is_for_people() {
    let world = World::with(fresh());
    let output = world.run(&["exec", CONVERT]);
    assert!(output.status.success());
    assert!(
        text_of(&output.stdout).starts_with("100 CNY = 12.345700 USD\n"),
        "{}",
        text_of(&output.stdout)
    );
    assert!(text_of(&output.stderr).starts_with("run "), "{}", text_of(&output.stderr));

    let output = world.run(&["exec", "helo"]);
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(text_of(&output.stdout), "");
    let stderr = text_of(&output.stderr);
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
    let output = Command::new(&world.program)
        .args(["exec", "hello", "--tape", "off", "--root"])
        .arg(&root)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(root.join("audit/runs").is_dir());
    let tail = Command::new(&world.program)
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
    assert!(text_of(&output.stderr).contains("netwrk"), "{}", text_of(&output.stderr));
}

#[test]
fn the_address_guard_gives_way_to_the_operator_alone() {
    let world = World::with(fresh());
    let exec = |options: &[&str]| {
        let output = Command::new(&world.program)
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

/// The program without the detour that a world's own runs take.
fn without_detour(world: &World, options: &[&str]) -> Output {
    Command::new(&world.program)
        .arg("--root")
        .arg(world.root())
        .arg("--cacert")
        .arg(world.path("ca.pem"))
        .args(options)
        .args(["exec", "--json", CONVERT])
        .output()
        .unwrap()
}

/// What the host decided, as the tape of this run keeps it.
fn setup_of(world: &World, envelope: &Value) -> Value {
    let record = world.record(envelope);
    let sha256 = record["tape"]["setup"]["$blob"].as_str().unwrap().to_owned();
    let blob = world.root().join("audit/blobs").join(sha256.get(..2).unwrap()).join(&sha256);
    serde_json::from_slice(&fs::read(blob).unwrap()).unwrap()
}

/// A proxy that carries each connection to `server`, whatever it is asked for. The channel gives
/// the first line of what that was.
fn proxy_to(server: SocketAddr) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, asked) = mpsc::channel();
    thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, mut up) = (client.unwrap(), TcpStream::connect(server).unwrap());
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            tell.send(text_of(&head).lines().next().unwrap().to_owned()).unwrap();
            client.write_all(b"HTTP/1.1 200 Established\r\n\r\n").unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), up.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut from, &mut to));
            thread::spawn(move || std::io::copy(&mut up, &mut client));
        }
    });
    (address, asked)
}

#[test]
fn a_proxy_resolves_and_the_record_says_that_only_host_rules_held() {
    let world = World::with(fresh());
    let (proxy, asked) = proxy_to(world.server().addr());
    let options = ["--proxy", &format!("http://me:hunter2-hunter2@{proxy}")];
    let output = without_detour(&world, &options);
    let converted: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(converted["exit_code"], 0, "{converted:#}");
    assert_eq!(asked.recv().unwrap(), "CONNECT open.er-api.com:443 HTTP/1.1");
    let setup = setup_of(&world, &converted);
    assert_eq!(setup["network"]["resolves_itself"], true, "{setup:#}");
    // The credentials are placeholders there.
    let shown = setup["network"]["proxy"].as_str().unwrap();
    assert!(shown.ends_with(&format!("@{proxy}")) && !shown.contains("hunter2"), "{shown}");
    assert_eq!(
        world.record(&converted)["tape"]["events"][1]["http"]["resolved"],
        serde_json::json!([])
    );
    world.check_replays(&converted);

    // A detour would go unnoticed, so it is refused.
    let both = [options[0], options[1], "--connect-to", "open.er-api.com:443:127.0.0.1:1"];
    let output = without_detour(&world, &both);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("--connect-to"), "{}", text_of(&output.stderr));
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
    let lines = text_of(&output.stdout);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("InvalidArgs") && lines.ends_with("hello --name 你好\n"), "{lines}");
    let output = world.run(&["audit", "show", "01234567"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("no run `01234567`"), "{}", text_of(&output.stderr));
}

#[test]
fn yes_approves_what_a_rule_asks_for() {
    let world = World::new();
    let config = world.path("tapeline.toml");
    fs::write(&config, "[[policy.rule]]\npath = \"hello\"\ndecision = \"ask\"\n").unwrap();
    let config = ["--config", config.to_str().unwrap()];
    let asked = world.exec_with(&config, "hello");
    assert_eq!(asked["error_code"], "ApprovalRequired", "{asked:#}");
    let approved = world.exec_with(&[config[0], config[1], "--yes"], "hello");
    assert_eq!(approved["exit_code"], 0, "{approved:#}");
    assert_eq!(world.record(&approved)["tape"]["events"][0]["approval"]["answer"], "approved");
    world.check_replays(&asked);
    world.check_replays(&approved);
}

#[test]
fn a_policy_that_guards_nothing_is_refused() {
    let world = World::new();
    let config = world.path("tapeline.toml");
    for (text, says) in [
        ("[[policy.rule]]\npath = \"exchange-rte *\"\ndecision = \"deny\"", "`exchange-rte *`"),
        (
            "[[policy.rule]]\npath = \"hello\"\nargs = { nmae = \"x\" }\ndecision = \"deny\"",
            "`nmae`",
        ),
        ("[policy]\nhosts = [\"https://example.com/\"]", "leave out scheme"),
    ] {
        fs::write(&config, text).unwrap();
        let output = world.run(&["--config", config.to_str().unwrap(), "exec", "hello"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text_of(&output.stderr).contains(says), "{}", text_of(&output.stderr));
    }
}

#[test]
fn the_exit_code_is_the_envelopes_whoever_reads_it() {
    let world = World::new();
    let mut command = world.command(&["exec", "--json", "no-such-command"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(127));
}

#[test]
fn why_the_log_cannot_be_written_is_said_to_the_host_alone() {
    let world = World::new();
    fs::create_dir_all(world.root().join("audit")).unwrap();
    fs::write(world.root().join("audit/format"), "tapeline-audit 99\n").unwrap();
    let output = world.run(&["exec", "--json", "hello"]);
    assert_eq!(output.status.code(), Some(74));
    let stderr = text_of(&output.stderr);
    assert!(stderr.contains("tapeline-audit 99") && stderr.contains("format"), "{stderr}");
    assert!(!text_of(&output.stdout).contains(world.root().to_str().unwrap()));
}

#[test]
fn short_secrets_in_a_url_are_not_written_down() {
    let world = World::new();
    let envelope = world.exec("hello --name 'https://me:pw@example.com/?token=abc&key=k1'");
    assert_eq!(envelope["error_code"], "InvalidArgs");
    let log =
        fs::read_dir(world.root().join("audit/runs")).unwrap().next().unwrap().unwrap().path();
    let log = fs::read_to_string(log).unwrap();
    for secret in ["me:", ":pw", "abc", "k1"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
    world.check_replays(&envelope);
}
