//! Secrets stay out of everything that is written.

use serde_json::json;
use tapeline::{
    ApprovalAnswer, Decision, NetworkOptions, Policy, Request, Rule, RunEvent, TerminalBuilder,
};

use crate::{
    secret_samples::samples,
    world::{Asked, World},
};

#[track_caller]
fn nowhere(world: &World, secrets: &[&str]) {
    let log = world.log();
    for secret in secrets {
        assert!(!log.contains(secret), "`{secret}` is in the log: {log}");
    }
}

#[test]
fn a_secret_argument_is_one_placeholder_everywhere() {
    let world = World::new();
    let body = "you said s3cr3t-Value";
    world.service.answers(200, &[("set-cookie", "sid=c00kie-value; Path=/")], body);
    let ran = world.exec("fetch --url https://a.example/ --token s3cr3t-Value --echo").ok();
    // The caller has it, the log has not.
    assert!(ran.envelope.stdout.contains("s3cr3t-Value"));
    assert_eq!(world.service.asked.lock().unwrap()[0].headers[0].1, "Bearer s3cr3t-Value");
    nowhere(&world, &["s3cr3t-Value", "c00kie-value"]);

    let command = "fetch --url https://a.example/ --token {{secret:1}} --echo";
    assert_eq!(world.value_of(&ran.record.command), json!(command));
    assert_eq!(world.value_of(&world.sink.intents()[0].command), json!(command));
    assert_eq!(world.value_of(&ran.record.parsed_command)["args"]["token"], json!("{{secret:1}}"));
    assert!(world.json_of(&ran.record.stdout).contains("{{secret:1}}"));
    assert!(world.json_of(&ran.record.stderr).contains("{{secret:1}}"));
    assert_eq!(world.value_of(&ran.record.result)["body"], json!("you said {{secret:1}}"));
    let http = ran.tape().events[0].http.clone().unwrap();
    assert_eq!(http.request.headers[0].1, "Bearer {{secret:1}}");
}

#[test]
fn a_secret_of_a_url_that_a_file_names_is_kept_out_once_the_command_says_so() {
    let world = World::new();
    let urls =
        "https://a.example/feed?feed_token=s3cr3t-Value&page=2\nhttps://me:geheim42@b.example/";
    world.put("urls", urls);
    let ran = world.exec("links urls").ok();
    assert_eq!(ran.envelope.stdout, urls);
    nowhere(&world, &["s3cr3t-Value", "geheim42"]);
    assert!(ran.tape().complete && world.json_of(&ran.record.stdout).contains("&page=2"));
}

#[test]
fn a_secret_of_any_spelling_is_kept_out() {
    for line in [
        "fetch --url https://a.example/ --token=s3cr3t-Value",
        "fetch --url https://a.example/ --token 's3cr3t-Value'",
        "fetch --url https://a.example/ -t s3cr3t-Value",
        "fetch --url https://a.example/ -ts3cr3t-Value",
        "fetch --url https://a.example/ --token ab",
    ] {
        let world = World::new();
        world.service.answers(200, &[], "");
        let ran = world.exec(line).ok();
        nowhere(&world, &["s3cr3t-Value"]);
        let parsed = world.value_of(&ran.record.parsed_command);
        assert_eq!(parsed["args"]["token"], json!("{{secret:1}}"), "{line}");
        assert!(!world.json_of(&ran.record.command).contains("ab"), "{line}");
    }
}

#[test]
fn a_url_is_written_without_userinfo_and_secret_query_values() {
    let world = World::new();
    world.service.answers(302, &[("location", "/next?sig=sIgNaTuRe")], "");
    world.service.answers(200, &[], "page");
    let ran = world.exec("fetch --url \"https://a.example/x?q=1&token=t0kenValue\" --echo").ok();
    nowhere(&world, &["t0kenValue", "sIgNaTuRe"]);
    let urls: Vec<_> =
        ran.tape().events.iter().map(|event| event.http.clone().unwrap().request.url).collect();
    assert_eq!(urls[0], "https://a.example/x?q=1&token={{secret:1}}");
    assert!(ran.tape().complete);

    let world = World::new();
    world.exec("fetch --url https://user:p4ssword@a.example/").fails("NetworkDenied", 126, &[]);
    nowhere(&world, &["p4ssword"]);
}

#[test]
fn a_line_that_fails_keeps_its_secrets_too() {
    for line in [
        // Arguments that do not parse.
        "fetch --url https://a.example/ --token s3cr3t-Value --zzz",
        "fetch --url https://a.example/ -t s3cr3t-Value --zzz",
        "fetch --token=s3cr3t-Value",
        // A command that is not there.
        "fecth --url https://a.example/ --token s3cr3t-Value",
        "fecth --url https://u:s3cr3t-Value@a.example/",
        // A URL without quotes is refused at its `&`.
        "fetch --url https://a.example/?a=1&token=s3cr3t-Value",
        "fetch --url https://u:s3cr3t-Value@a.example/?a=1&b=2",
        "fetch --url https://a.example/ --token s3cr3t-Value; echo",
        "fetch --url https://a.example/ --token \"s3cr3t-Value",
        "fetch --url https://a.example/ --token=s3cr3t-Value | cat",
    ] {
        let world = World::new();
        let ran = world.exec(line);
        assert_ne!(ran.envelope.exit_code, 0);
        assert!(!world.log().contains("s3cr3t-Value"), "{line}: {}", world.log());
    }
}

#[test]
fn a_secret_that_quotes_part_on_a_line_that_is_refused_is_found() {
    let (_, token, _) = samples().swap_remove(0);
    let (start, end) = token.split_at(12);
    for (line, written) in [
        (format!("echo --text {start}\"{end}\" | cat"), "echo --text {{secret:1}} | cat"),
        (format!("echo --text {start}'{end}"), "echo --text {{secret:1}}'"),
        (
            format!("echo \"https://u:{start}\"{end}@h.example/ | x"),
            "echo https://{{secret:1}}:{{secret:2}}@h.example/ | x",
        ),
        (
            format!("echo --text \"password={start}\"{end} ; x"),
            "echo --text password={{secret:1}} ; x",
        ),
        (format!("fetch --token {start}\"{end}\"; x"), "fetch --token {{secret:1}}; x"),
        (format!("fetch --token={start}\\\"{end}; x"), "fetch --token={{secret:1}} x"),
    ] {
        let world = World::new();
        let ran = world.exec(&line);
        assert_eq!(ran.envelope.error_code.as_deref(), Some("InvalidCommandLine"), "{line}");
        assert!(!world.log().contains(end), "{line}: {}", world.log());
        let command = world.value_of(&ran.record.command);
        let command = command.as_str().unwrap();
        assert!(tapeline::line::parse(command).is_err(), "{command}");
        if !line.contains('\\') {
            assert_eq!(command, written, "{line}");
        }
        // The column is where it was, or the tape says that a replay has another.
        let same = tapeline::line::parse(command) == tapeline::line::parse(&line);
        assert_eq!(ran.tape().complete, same, "{line}");
    }
}

#[test]
fn what_a_line_says_to_be_a_secret_is_one_for_any_command() {
    for (line, secret) in [
        ("echo --password sup3rSW0rdXyzAbc123", "sup3rSW0rdXyzAbc123"),
        ("echo --password correct-horse", "correct-horse"),
        ("echo --password 'correct horse'", "correct horse"),
        ("echo --password=correct-horse", "correct-horse"),
        ("echo --API_KEY\tcorrect-horse", "correct-horse"),
        ("echo -token correct-horse", "correct-horse"),
        ("ehco --secret correct-horse", "correct-horse"),
        ("echo --secret correct-horse | cat", "correct-horse"),
        ("echo --text 'token=sup3rSW0rdXyzAbc123'", "sup3rSW0rdXyzAbc123"),
        ("echo --text 'a=1&Token=sup3rSW0rdXyzAbc123&b'", "sup3rSW0rdXyzAbc123"),
        ("echo --text 'Authorization: token sup3rSW0rd'", "sup3rSW0rd"),
        ("echo --text 'Cookie: session=sup3rSW0rd; a=b'", "sup3rSW0rd"),
        ("echo --text 'X-Api-Key: sup3rSW0rd'", "sup3rSW0rd"),
        ("echo --text 'run x --password sup3rSW0rd now'", "sup3rSW0rd"),
        ("echo --text 'run x --token sup3rSW0rdXyzAbc123'", "sup3rSW0rdXyzAbc123"),
    ] {
        let world = World::new();
        let ran = world.exec(line);
        nowhere(&world, &[secret]);
        let command = world.value_of(&ran.record.command);
        assert!(command.as_str().unwrap().contains("{{secret:1}}"), "{line}: {command}");
        assert!(tapeline::scrub::secret_in_line(line).is_some(), "{line}");
        assert_eq!(tapeline::scrub::secret_in_line(command.as_str().unwrap()), None);
    }
}

#[test]
fn words_of_a_line_that_only_look_so_stay() {
    for line in [
        "echo --text hi --password",
        "echo --password --text hi",
        "echo --password password",
        "echo --token-file correct-horse",
        "echo --text 'page_token=sup3rSW0rdXyzAbc123'",
        "echo --text 'token=/run/secrets/token-0123456789'",
        "echo --text 'token: required'",
        "echo --text 'Authorization: required'",
        "echo --text 'note: sup3rSW0rdXyzAbc123'",
        "echo --text '--token <a-token-of-16-letters>'",
        "echo --text '--password is required1'",
    ] {
        let world = World::new();
        let ran = world.exec(line);
        assert_eq!(world.value_of(&ran.record.command), json!(line));
        assert_eq!(tapeline::scrub::secret_in_line(line), None, "{line}");
    }
}

fn rule(path: &str, args: &[(&str, &str)], examples: &[&str]) -> Rule {
    Rule {
        path: path.to_owned(),
        args: args.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        decision: Decision::Deny,
        examples: examples.iter().map(ToString::to_string).collect(),
    }
}

fn with_rule(rule: Rule) -> World {
    World::with(|builder| builder.policy(Policy::default().allow_declared_network().rule(rule)))
}

#[test]
fn a_secret_of_the_set_up_reaches_no_blob() {
    let (_, token, _) = samples().swap_remove(0);
    let (start, end) = token.split_at(12);
    let host = format!("{}.example", token.to_ascii_lowercase());
    let quoted = format!("echo --text {start}\"{end}\"");
    let policy = || Policy::default().allow_declared_network();
    let detour = |text: String| NetworkOptions {
        connect_to: vec![text.parse().unwrap()],
        ..NetworkOptions::default()
    };
    let by_proxy = NetworkOptions {
        proxy: Some(format!("http://u:p4ssword@{host}:8080/")),
        ..NetworkOptions::default()
    };
    type SetUp<'a> = Box<dyn FnOnce(TerminalBuilder) -> TerminalBuilder + 'a>;
    let set_ups: [(bool, SetUp<'_>); 9] = [
        (true, Box::new(|b| b.policy(policy().rule(rule("echo", &[("text", &token)], &[]))))),
        (true, Box::new(|b| b.policy(policy().rule(rule("echo", &[], &[&quoted]))))),
        (
            true,
            Box::new(|b| {
                let example = "fetch --url https://a.example/ --token s3cr3t-Value";
                b.policy(policy().rule(rule("fetch", &[("token", "s3cr3t-Value")], &[example])))
            }),
        ),
        (false, Box::new(|b| b.policy(policy().allow_host(&host)))),
        (false, Box::new(|b| b.network(detour(format!("{host}:443:127.0.0.1:8443"))))),
        (false, Box::new(|b| b.network(detour(format!("a.example:443:{host}:8443"))))),
        (true, Box::new(|b| b.network(by_proxy))),
        (true, Box::new(|b| b.network_hint(format!("ask with {token}")))),
        (true, Box::new(|b| b.approval_hint(format!("ask with {token}")))),
    ];
    for (number, (complete, set_up)) in set_ups.into_iter().enumerate() {
        let world = World::with(set_up);
        let ran = world.exec("echo --text hi");
        let lower = token.to_ascii_lowercase();
        nowhere(&world, &[&token, end, &lower, "s3cr3t-Value", "p4ssword"]);
        assert!(world.log().contains("{{secret:1}}"), "{number}");
        assert_eq!(ran.tape().complete, complete, "{number}");
    }
}

/// The set-up that a run's tape tells of.
fn setup_of(world: &World, ran: &crate::world::Ran) -> serde_json::Value {
    let blob = world.sink.blob_bytes(&ran.tape().setup.sha256).unwrap();
    serde_json::from_slice(&blob).unwrap()
}

#[test]
fn a_rule_over_a_secret_has_the_placeholder_that_its_line_has() {
    let line = "fetch --url https://user:p4ssword@a.example/ --token s3cr3t-Value";
    let world = with_rule(rule("fetch", &[("token", "s3cr3t-Value")], &[]));
    let ran = world.exec(line).fails("CapabilityDenied", 126, &[]);
    let args = |setup: serde_json::Value| setup["policy"]["rules"][0]["args"].clone();
    assert_eq!(args(setup_of(&world, &ran)), json!({ "token": "{{secret:1}}" }));
    let command = world.value_of(&ran.record.command);
    assert!(command.as_str().unwrap().ends_with(" --token {{secret:1}}"), "{command}");
    assert!(ran.tape().complete);
    // It is looked for in no run that does not have it.
    let ran = world.exec("echo --text 'some s3cr3t-Value'");
    assert_eq!(world.value_of(&ran.record.result)["text"], json!("some s3cr3t-Value"));

    // One that is a secret of the run alone, and short.
    for secret in ["s3cr3t-Value", "q7"] {
        let world = with_rule(rule("fetch", &[("url", secret)], &[]));
        let ran = world.exec(&format!("fetch --url {secret} --token {secret}"));
        assert_eq!(args(setup_of(&world, &ran)), json!({ "url": "{{secret:1}}" }));
        assert_eq!(
            world.value_of(&ran.record.command),
            json!("fetch --url {{secret:1}} --token {{secret:1}}")
        );
        assert!(!world.log().contains(&format!("\"{secret}\"")), "{}", world.log());
        let ran = world.exec("echo --text hi").ok();
        assert_eq!(args(setup_of(&world, &ran)), json!({ "url": secret }));
    }
}

#[test]
fn arguments_that_do_not_parse_are_null_with_secrets_too() {
    let world = World::new();
    let ran = world.exec("fetch --token s3cr3t-Value").fails("InvalidArgs", 2, &["--url"]);
    let parsed = json!({ "path": "fetch", "args": null });
    assert_eq!(world.value_of(&ran.record.parsed_command), parsed);
}

#[test]
fn a_secret_from_a_file_is_learned_from_the_header_it_is_sent_in() {
    let world = World::new();
    world.put("token", "f1leSecret");
    world.service.answers(200, &[], "");
    let ran = world.exec("fetch --url https://a.example/ --token-file token --echo").ok();
    assert!(ran.envelope.stdout.contains("f1leSecret"));
    nowhere(&world, &["f1leSecret"]);
}

#[test]
fn a_secret_is_learned_without_a_tape_too() {
    let world = World::with(|builder| builder.without_tape());
    world.put("token", "f1leSecret");
    world.service.answers(200, &[("set-cookie", "sid=c00kie-value")], "c00kie-value");
    let ran = world.exec("fetch --url https://a.example/ --token-file token --echo").ok();
    assert!(ran.envelope.stdout.contains("f1leSecret"));
    nowhere(&world, &["f1leSecret", "c00kie-value"]);
}

#[test]
fn a_body_that_echoes_a_secret_is_not_kept_and_the_tape_says_so() {
    let world = World::new();
    world.service.answers(200, &[], format!("{}s3cr3t-Value", "x".repeat(5000)));
    let ran = world.exec("fetch --url https://a.example/ --token s3cr3t-Value").ok();
    nowhere(&world, &["s3cr3t-Value"]);
    assert!(!ran.tape().complete);
    assert!(ran.tape().why.as_deref().unwrap().contains("secret"));
}

#[test]
fn a_secret_that_looks_like_a_number_of_the_tape_spoils_no_event() {
    let world = World::new();
    let body = format!("{{\"n\":{}}}", "1".repeat(4994));
    world.service.answers(200, &[], body);
    // The body has 5000 bytes, which the tape says as a number.
    let ran = world.exec("fetch --url https://a.example/ --token 5000").ok();
    assert_eq!(ran.events(), ["http"]);
    let http = ran.tape().events[0].http.clone().unwrap();
    assert_eq!(http.response.unwrap().body.bytes, Some(5000));
    assert_eq!(http.request.headers[0].1, "Bearer {{secret:1}}");
}

#[test]
fn those_who_watch_and_approve_see_placeholders() {
    let rule = Rule {
        path: "fetch".to_owned(),
        args: [].into(),
        decision: Decision::Ask,
        examples: Vec::new(),
    };
    let approver = Asked::says(ApprovalAnswer::Denied);
    let policy = Policy::default().allow_declared_network().rule(rule);
    let world = World::with(|builder| builder.policy(policy).approver(approver.clone()));
    let mut events = world.terminal.events();
    let line = "fetch --url https://a.example/ --token s3cr3t-Value";
    world.exec(line).fails("ApprovalDenied", 126, &[]);
    let Some(RunEvent::Started { command, .. }) = events.try_next() else { panic!("no start") };
    assert!(command.ends_with("--token {{secret:1}}"), "{command}");
    assert_eq!(approver.asked.lock().unwrap()[0].command, command);
}

#[test]
fn a_label_that_holds_a_known_secret_is_scrubbed() {
    let world = World::new();
    world.service.answers(200, &[], "");
    let request = Request::new("fetch --url https://a.example/ --token s3cr3t-Value");
    world.start(request.label("note", "uses s3cr3t-Value")).ok();
    nowhere(&world, &["s3cr3t-Value"]);
}

#[test]
fn what_looks_like_a_secret_is_a_placeholder_in_intent_event_and_record() {
    for (shape, text, secret) in samples() {
        // A line break ends no word of a line, it spoils it.
        let one_line = text.replace('\n', "\\n");
        let secret = secret.replace('\n', "\\n");
        let Ok(line) = tapeline::line::print(&["echo", &format!("--text={one_line}"), "--both"])
        else {
            panic!("{shape}");
        };
        let world = World::new();
        let mut events = world.terminal.events();
        let ran = world.start(Request::new(line).label("note", &secret)).ok();
        assert!(ran.envelope.stdout.contains(&secret), "the caller has it");
        nowhere(&world, &[&secret]);
        let Some(RunEvent::Started { command, .. }) = events.try_next() else { panic!("no start") };
        assert!(command.contains("{{secret:1}}") && !command.contains(&secret), "{command}");
        assert_eq!(world.value_of(&world.sink.intents()[0].command), json!(command));
        assert_eq!(world.value_of(&ran.record.command), json!(command));
        // The user of a URL on the line is a secret by its place, and comes first.
        let number = if shape == "password in a URL" { 2 } else { 1 };
        let text = one_line.replace(&secret, &format!("{{{{secret:{number}}}}}"));
        assert_eq!(world.value_of(&ran.record.result)["text"], json!(text), "{shape}");
    }
}

#[test]
fn what_looks_like_a_secret_and_never_came_in_is_kept_out_wherever_it_is_said() {
    for to in ["stdout", "stderr", "result", "message", "hint", "artifact"] {
        let world = World::new();
        world.exec(&format!("grant --to {to}"));
        nowhere(&world, &["aB3dE5gH7j"]);
        assert!(world.log().contains("{{secret:1}}"), "{to}");
    }
}

#[test]
fn a_secret_that_quotes_part_on_the_line_is_found() {
    let (_, text, _) = samples().swap_remove(0);
    let (start, end) = text.split_at(12);
    let world = World::new();
    let ran = world.exec(&format!("echo --text {start}'{end}'")).ok();
    nowhere(&world, &[&text, end]);
    assert_eq!(world.value_of(&ran.record.command), json!("echo --text {{secret:1}}"));
}

#[test]
fn a_short_secret_is_replaced_where_it_is_a_whole_value() {
    let world = World::new();
    world.service.answers(200, &[("x-note", "q7")], "q7");
    let ran = world.exec("fetch --url https://a.example/?x=q7 --token q7 --echo").ok();
    assert_eq!(world.value_of(&ran.record.result)["body"], json!("{{secret:1}}"));
    let http = ran.tape().events[0].http.clone().unwrap();
    assert_eq!(http.request.url, "https://a.example/?x={{secret:1}}");
    assert_eq!(http.request.headers[0].1, "Bearer {{secret:1}}");
    let answered = http.response.unwrap();
    assert_eq!(answered.headers[0].1, "{{secret:1}}");
    assert_eq!(answered.body.text.as_deref(), Some("{{secret:1}}"));
}

#[test]
fn a_field_that_is_named_like_a_secret_has_another_name_in_the_record() {
    let (_, text, _) = samples().swap_remove(0);
    let world = World::new();
    let ran = world.start(Request::new("echo --text hi").label(&text, "x")).ok();
    nowhere(&world, &[&text]);
    assert_eq!(world.value_of(&ran.record.labels), json!({ "{{secret:1}}": "x" }));
}
