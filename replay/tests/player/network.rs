//! Runs that reach out: answers, redirects, faults, refusals, order.

use tapeline::{
    ConnectTo, Limits, NetworkOptions, NetworkPolicy, Policy, Request, http::HttpFaultKind,
};

use crate::world::{Answer, World, answer, body, fault, tape};

#[test]
fn answers_come_from_the_tape() {
    let world = World::new()
        .answers("https://a.example/x?y=1", answer(404, &[("etag", "\"1\"")], "gone"))
        .answers("https://a.example/in", body("thanks"));
    let ran = world.run(&["get https://a.example/x?y=1", "post https://a.example/in some words"]);
    assert!(ran.envelope.stdout.starts_with("404 https://a.example/x?y=1 [] gone\n"));
    world.check(&ran, "");
}

#[test]
fn the_same_url_is_answered_in_order() {
    let url = "https://a.example/";
    let world = World::new().answers(url, body("1")).answers(url, body("2"));
    let ran = world.run(&["get https://a.example/", "get https://a.example/"]);
    assert!(ran.envelope.stdout.ends_with(" 1\n200 https://a.example/ [] 2\n"));
    world.check(&ran, "");
}

#[test]
fn redirects_are_followed_hop_by_hop() {
    let to = |to: &str| answer(302, &[("location", to)], "");
    let world = World::new()
        .answers("https://a.example/1", to("/2"))
        .answers("https://a.example/2", to("https://b.example/3"))
        .answers("https://b.example/3", body("there"));
    let ran = world.run(&["get https://a.example/1", "now"]);
    assert_eq!(tape(&ran.record, &world).events.len(), 3);
    world.check(&ran, "");
}

#[test]
fn a_circle_of_redirects_ends() {
    let mut world = World::new();
    for _ in 0..6 {
        world = world.answers("https://a.example/", answer(302, &[("location", "/")], ""));
    }
    let ran = world.run(&["get https://a.example/"]);
    world.check(&ran, "NetworkError");
}

#[test]
fn a_redirect_to_a_denied_address_is_refused() {
    let world = World::new()
        .answers("https://a.example/", answer(302, &[("location", "http://10.0.0.1/")], ""));
    let ran = world.run(&["get https://a.example/"]);
    world.check(&ran, "NetworkDenied");
}

#[test]
fn faults_of_every_kind_come_again() {
    for kind in [
        HttpFaultKind::Dns,
        HttpFaultKind::ConnectRefused,
        HttpFaultKind::ConnectTimeout,
        HttpFaultKind::Tls,
        HttpFaultKind::Reset,
        HttpFaultKind::ReadTimeout,
        HttpFaultKind::Truncated,
        HttpFaultKind::Stall,
        HttpFaultKind::Decode,
        HttpFaultKind::TooLarge,
        HttpFaultKind::AddressDenied,
    ] {
        let world = World::new().answers("https://a.example/", fault(kind));
        let ran = world.run(&["?get https://a.example/", "now", "?get https://unknown.example/"]);
        assert!(ran.envelope.stdout.contains("GET `a.example`"), "{kind:?}");
        world.check(&ran, "");
        let world = world.answers("https://a.example/", fault(kind));
        let ran = world.run(&["get https://a.example/"]);
        let code = match kind {
            HttpFaultKind::TooLarge => "LimitExceeded",
            HttpFaultKind::AddressDenied => "NetworkDenied",
            _ => "NetworkError",
        };
        world.check(&ran, code);
    }
}

#[test]
fn a_name_that_leads_to_a_private_address_is_refused_again() {
    let world = World::new().resolves("inside.example", &["93.184.215.14", "10.0.0.1"]);
    let ran = world.run(&["?get https://inside.example/", "now"]);
    assert!(ran.envelope.stdout.starts_with("NetworkDenied"), "{}", ran.envelope.stdout);
    assert!(ran.envelope.stdout.ends_with("007\n"), "{}", ran.envelope.stdout);
    world.check(&ran, "");
}

#[test]
fn a_name_that_leads_nowhere_fails_again() {
    let world = World::new().resolves("empty.example", &[]);
    let ran = world.run(&["?get https://empty.example/", "get https://unknown.example/"]);
    world.check(&ran, "NetworkError");
}

#[test]
fn an_address_written_out_is_refused_or_asked() {
    let world = World::new().answers("http://93.184.215.14/", body("public"));
    let ran = world.run(&["get http://93.184.215.14/", "get http://127.0.0.1/"]);
    assert_eq!(tape(&ran.record, &world).events.len(), 1);
    world.check(&ran, "NetworkDenied");
}

#[test]
fn detours_and_private_addresses_of_the_operator_hold_in_a_replay() {
    let detour: ConnectTo = "a.example:443:127.0.0.1:8443".parse().unwrap();
    let network = NetworkOptions {
        connect_to: vec![detour],
        allow_private: true,
        ..NetworkOptions::default()
    };
    let world = World::with(|builder| builder.network(network))
        .resolves("inside.example", &["10.0.0.1"])
        .answers("https://a.example/", body("detour"))
        .answers("https://inside.example/", body("inside"));
    let ran = world.run(&["get https://a.example/", "get https://inside.example/"]);
    world.check(&ran, "");
}

#[test]
fn policy_and_declaration_refuse_again() {
    let world = World::with(|builder| builder.policy(Policy::default()));
    let ran = world.run(&["get https://a.example/"]);
    world.check(&ran, "CapabilityDenied");

    let world = World::with(|builder| {
        builder
            .policy(Policy::default().network(NetworkPolicy::None).allow_host("b.example"))
            .network_hint("ask the operator")
    });
    let ran = world.run(&["get https://a.example/"]);
    world.check(&ran, "NetworkDenied");

    let world = World::new();
    let ran = world.request(Request::new("near https://b.example/"));
    world.check(&ran, "NetworkDenied");
    let ran = world.request(Request::new("plain --door http"));
    world.check(&ran, "CapabilityNotDeclared");
}

#[test]
fn limits_of_requests_and_bodies_hold_again() {
    let url = "https://a.example/";
    let world = World::new().answers(url, body("1")).answers(url, body("2"));
    let ran = world.request(Request::new("near https://a.example/"));
    world.check(&ran, "LimitExceeded");
    let world = world.answers(url, body("longer than eight"));
    let ran = world.request(Request::new("near https://a.example/"));
    world.check(&ran, "LimitExceeded");
}

#[test]
fn big_and_binary_bodies_are_blobs() {
    let world = World::with(|builder| {
        builder.limits(Limits { http_body_bytes: 1 << 20, ..Limits::default() })
    })
    .answers("https://a.example/big", body("x".repeat(100_000)))
    .answers("https://a.example/binary", body([0, 255, 254]));
    let ran = world.run(&[
        "get https://a.example/big",
        "get https://a.example/binary",
        "post https://unknown.example/ words",
    ]);
    assert!(ran.record.tape.json().contains("$blob"));
    world.check(&ran, "NetworkError");
}

#[test]
fn more_than_a_tape_of_events_in_line_holds_is_a_blob() {
    let headers: Vec<(String, String)> =
        (0..100).map(|number| (format!("x-{number}"), "y".repeat(60))).collect();
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let world = World::new().answers("https://a.example/", answer(200, &headers, "ok"));
    let ran = world.run(&["get https://a.example/"]);
    assert!(ran.record.tape.blob().is_some());
    world.check(&ran, "");
}

#[test]
fn two_requests_at_once_are_answered_in_the_order_of_the_tape() {
    let world = World::new()
        .answers("https://a.example/", body("a"))
        .answers("https://b.example/", body("b"));
    let ran = world.run(&["both https://a.example/ https://b.example/", "now"]);
    world.check(&ran, "");

    let late = Answer::After("https://b.example/", Box::new(body("a")));
    let world =
        World::new().answers("https://a.example/", late).answers("https://b.example/", body("b"));
    let ran = world.run(&["both https://a.example/ https://b.example/", "now"]);
    assert!(ran.envelope.stdout.starts_with("https://b.example/ at 1764288000007\nhttps://a"));
    world.check(&ran, "");
}

#[test]
fn a_late_refusal_beside_another_request_keeps_its_place() {
    let late = Answer::After("https://b.example/", Box::new(fault(HttpFaultKind::Reset)));
    let world =
        World::new().answers("https://a.example/", late).answers("https://b.example/", body("b"));
    let ran = world.run(&["?both https://a.example/ https://b.example/", "now"]);
    world.check(&ran, "");
    let ran = world.run(&["?both https://unknown.example/ https://unknown2.example/", "now"]);
    world.check(&ran, "");
}

#[test]
fn two_requests_at_once_to_one_url_each_get_an_answer() {
    let url = "https://a.example/";
    let world = World::new().answers(url, body("1")).answers(url, body("2"));
    let ran = world.run(&["both https://a.example/ https://a.example/"]);
    world.check(&ran, "");
}

#[test]
fn secrets_are_placeholders_on_the_tape_and_match_again() {
    let world = World::new()
        .answers("https://a.example/in-header", body("1"))
        .answers("https://a.example/in-query?api_key=hunter2-hunter2", body("2"))
        .answers("https://a.example/in-path/hunter2-hunter2", body("3"));
    let line = "do --key hunter2-hunter2 'get-with-key https://a.example/in-header' \
                'get-key https://a.example/in-query' 'get-key-path https://a.example/in-path/' key";
    let ran = world.request(Request::new(line));
    let written = format!("{:?}", ran.record);
    assert!(!written.contains("hunter2"), "{written}");
    assert!(ran.record.tape.json().contains("Bearer {{secret:1}}"), "{}", ran.record.tape.json());
    assert!(ran.record.tape.json().contains("api_key={{secret:1}}"));
    world.check(&ran, "");
}

#[test]
fn a_short_secret_is_a_placeholder_where_it_is_a_whole_value() {
    let world = World::new()
        .answers("https://a.example/1", body("q7"))
        .answers("https://a.example/2?api_key=q7", body("2"));
    let line = "do --key q7 'get-with-key https://a.example/1' 'get-key https://a.example/2' key";
    let ran = world.request(Request::new(line));
    let tape = world.log().kept_json(&ran.record.tape).unwrap();
    assert!(
        tape.contains("Bearer {{secret:1}}") && tape.contains("api_key={{secret:1}}"),
        "{tape}"
    );
    assert!(tape.contains(r#"{"text":"{{secret:1}}"}"#), "{tape}");
    assert!(ran.record.stdout.json().ends_with(r#"\n{{secret:1}}\n""#), "{:?}", ran.record.stdout);
}

#[test]
fn a_secret_that_an_answer_sets_is_a_placeholder_too() {
    let cookie = [("set-cookie", "session=hunter3-hunter3; Path=/")];
    let world = World::new()
        .answers("https://a.example/", answer(200, &cookie, "fine"))
        .answers("https://hunter5-name:hunter4-hunter4@a.example/", body("never asked"));
    let ran = world
        .run(&["get https://a.example/", "get https://hunter5-name:hunter4-hunter4@a.example/"]);
    let written = format!("{:?}", ran.record);
    assert!(!written.contains("hunter"), "{written}");
    world.check(&ran, "NetworkDenied");
}

#[test]
fn a_secret_in_a_redirect_is_followed_again() {
    let to = |to: &str| answer(302, &[("location", to)], "");
    let world = World::new()
        .answers("https://a.example/", to("/in-path/hunter2-hunter2?x=hunter2-hunter2"))
        .answers(
            "https://a.example/in-path/hunter2-hunter2?x=hunter2-hunter2",
            to("https://b.example/?token=hunter6-hunter6"),
        )
        .answers("https://b.example/?token=hunter6-hunter6", body("your key is hunter2-hunter2"));
    let line = "do --key hunter2-hunter2 'get-with-key https://a.example/'";
    let ran = world.request(Request::new(line));
    let written = format!("{:?}", ran.record);
    assert!(!written.contains("hunter"), "{written}");
    world.check(&ran, "");
}

#[test]
fn what_is_made_from_a_secret_has_the_same_placeholder_again() {
    let world = World::new()
        .answers("https://a.example/1", body("1"))
        .answers("https://a.example/2", body("2"));
    let line = "do --key 'hunter2 hunter2' 'get-with-scrambled-key https://a.example/1' \
                'get-with-key https://a.example/2' key";
    let ran = world.request(Request::new(line));
    world.check(&ran, "");
}

#[test]
fn what_the_tape_does_not_tell_apart_is_a_change() {
    // FIXME: the tape has the order in which exchanges ended, not that in which they began; two at
    // once to one URL are answered in the wrong order when the later one ended first.
    let url = "https://a.example/";
    let late = Answer::After(url, Box::new(body("late")));
    let world = World::new().answers(url, late).answers(url, body("early"));
    let ran = world.run(&["both https://a.example/ https://a.example/"]);
    assert_eq!(world.replayed(&ran.record).name(), "changed");

    // FIXME: a secret argument too short to be searched for is replaced where it is a whole value.
    let world = World::new();
    let ran = world.request(Request::new("do --key ab key '?read ab/none'"));
    assert_eq!(world.replayed(&ran.record).name(), "ok");
    let url = "https://a.example/in-path/ab";
    let world = World::new().answers(url, body("1"));
    let ran = world.request(Request::new("do --key ab 'get-key-path https://a.example/in-path/'"));
    assert_eq!(world.replayed(&ran.record).name(), "miss");

    // FIXME: a placeholder has another length than the secret it stands for.
    let url = "https://a.example/";
    let world = World::new().answers(url, body("hunter2-hunter2"));
    let line = "do --key hunter2-hunter2 'get-with-key https://a.example/' 'length'";
    let ran = world.request(Request::new(line));
    assert_eq!(world.replayed(&ran.record).name(), "changed");
}
