//! Secrets stay out of everything that is written.

use serde_json::json;
use tapeline::{ApprovalAnswer, Decision, Policy, Request, Rule, RunEvent};

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
