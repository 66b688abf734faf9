//! REQ-0024-013: what the network and servers answer besides a feed.

use serde_json::json;
use tapeline::{Policy, http::HttpFaultKind};

use super::{BY_NAME, BY_URL, OUT, RAW_OUT, RSS, STATES};
use crate::world::{START_MS, World};

#[test]
fn an_answer_that_is_no_success_is_told_by_its_status() {
    for (status, part) in [
        (300, "leads nowhere"),
        (301, "leads nowhere"),
        (400, "check the URL"),
        (401, "wants a login"),
        (403, "wants a login"),
        (404, "check the URL"),
        (408, "try again later"),
        (410, "`rss remove` ends a subscription"),
        (500, "try again later"),
        (502, "try again later"),
        (503, "try again later"),
    ] {
        let world = World::subscribed();
        world.service.answers(status, &[], RSS);
        let message = format!("`feeds.example` answered with HTTP status {status}");
        let run = world.exec(BY_NAME).fails("HttpError", &[&message, part]);
        assert_eq!(run.fields()[2..], ["error_code", "error_message", "status"], "{status}");
        assert_eq!(run.result["status"], status);
        assert_eq!(
            world.state(),
            json!({"name": "news", "last_fetch_ms": START_MS, "last_status": status})
        );
    }
}

#[test]
fn messages_keep_what_a_url_may_hold_to_themselves() {
    let line = "rss fetch --url 'https://feeds.example/news.xml?key=geheim42'";
    let world = World::new();
    for (status, headers, body) in
        [(404, &[][..], ""), (429, &[("retry-after", "7")][..], ""), (200, &[][..], "no feed")]
    {
        world.service.answers(status, headers, body);
        let envelope = world.exec(line).envelope;
        assert!(!envelope.error_message.unwrap().contains("geheim42"));
        assert!(!envelope.hint.unwrap().contains("geheim42"));
    }
}

#[test]
fn every_success_may_bring_a_feed() {
    for status in [200, 203, 206, 226] {
        let world = World::new();
        world.service.answers(status, &[], RSS);
        assert_eq!(world.exec(BY_URL).ok().result["count_total"], 2, "{status}");
    }
}

/// What a server did last is kept, and with it what was known before.
#[track_caller]
fn check_kept(world: &World, status: u16, code: &str) {
    let before = json!({
        "name": "news", "etag": "\"1\"", "last_fetch_ms": 1, "last_status": 200, "not_before_ms": 2,
    });
    world.put(STATES, json!([before]).to_string());
    let run = world.exec(BY_NAME).fails(code, &[]);
    assert_eq!(run.result["status"], status);
    let mut after = before;
    after["last_fetch_ms"] = json!(START_MS);
    after["last_status"] = json!(status);
    assert_eq!(world.state(), after);
}

#[test]
fn an_answer_that_cannot_be_used_is_an_answer_all_the_same() {
    for kind in [HttpFaultKind::Truncated, HttpFaultKind::Stall, HttpFaultKind::Decode] {
        let world = World::subscribed();
        world.service.breaks_off(203, kind);
        check_kept(&world, 203, "NetworkError");
    }
    let world = World::subscribed();
    world.service.answers(200, &[], vec![b' '; (2 << 20) + 1]);
    check_kept(&world, 200, "LimitExceeded");

    let world = World::subscribed();
    for _ in 0..6 {
        world.service.answers(302, &[("location", super::URL)], "");
    }
    check_kept(&world, 302, "NetworkError");

    for location in ["http://feeds.example/", "ftp://feeds.example/", "https://127.0.0.1/"] {
        let world = World::subscribed();
        world.service.answers(301, &[("location", location)], "");
        check_kept(&world, 301, "NetworkDenied");
    }
}

#[test]
fn a_broken_answer_by_url_is_remembered_nowhere() {
    let world = World::new();
    world.service.breaks_off(200, HttpFaultKind::Truncated);
    assert_eq!(world.exec(BY_URL).fails("NetworkError", &[]).result["status"], 200);
    assert_eq!(world.workspace.files(), World::new().workspace.files());
}

#[test]
fn without_an_answer_the_state_stays_as_it_is() {
    for (kind, fault) in [
        (HttpFaultKind::Dns, "dns"),
        (HttpFaultKind::ConnectRefused, "connect_refused"),
        (HttpFaultKind::ConnectTimeout, "connect_timeout"),
        (HttpFaultKind::Tls, "tls"),
        (HttpFaultKind::Reset, "reset"),
        (HttpFaultKind::ReadTimeout, "read_timeout"),
    ] {
        let world = World::subscribed();
        world.put(
            STATES,
            json!([{"name": "news", "etag": "\"1\"", "last_status": 200}]).to_string(),
        );
        let before = world.workspace.files();
        world.service.fails(kind);
        let run = world
            .exec(&format!("{BY_NAME} --out {OUT} --raw-out {RAW_OUT}"))
            .fails("NetworkError", &["GET `feeds.example`: "]);
        assert_eq!(run.result["fault"], fault);
        assert_eq!(world.workspace.files(), before, "{fault}");
        assert_eq!(world.service.asked().len(), 1, "nothing is tried twice");
    }
}

#[test]
fn a_feed_that_is_too_long_is_not_read() {
    const MOST_BYTES: usize = 2 << 20;
    let of_length = |length: usize| format!("{RSS}{}", " ".repeat(length - RSS.len()));
    let world = World::subscribed();
    world.serves(of_length(MOST_BYTES));
    assert_eq!(world.exec(BY_NAME).ok().result["count_total"], 2);
    let before = world.workspace.files();
    world.serves(of_length(MOST_BYTES + 1));
    let run = world
        .exec(&format!("{BY_NAME} --out {OUT} --raw-out {RAW_OUT}"))
        .fails("LimitExceeded", &["longer than 2097152 bytes"]);
    assert_eq!(run.result["limit"], "http_body");
    assert_eq!(run.result["max"], MOST_BYTES);
    assert_eq!(world.workspace.files(), before);
}

fn redirects(world: &World, status: u16, urls: &[&str]) {
    for url in urls {
        world.service.answers(status, &[("location", url)], "");
    }
}

#[test]
fn five_redirects_are_followed_and_a_sixth_is_not() {
    let world = World::new();
    redirects(&world, 302, &["/1", "/2", "/3", "/4", "/5"]);
    world.serves(RSS);
    let run = world.exec(BY_URL).ok();
    assert_eq!(world.service.asked().len(), 6);
    assert_eq!(run.result["url"], super::URL, "what was asked for");
    assert_eq!(run.result["moved_to"], json!(null));

    redirects(&world, 301, &["/1", "/2", "/3", "/4", "/5", "/6"]);
    world.serves(RSS);
    world.exec(BY_URL).fails("NetworkError", &["more than 5 redirects"]);
    assert_eq!(world.service.asked().len(), 6);
}

#[test]
fn a_move_for_good_is_told_and_the_subscription_left_alone() {
    for (steps, moved_to) in [
        (&[(301, "/new.xml")][..], Some("https://feeds.example/new.xml")),
        (&[(308, "https://other.example/new")], Some("https://other.example/new")),
        (&[(301, "/a"), (308, "/b")], Some("https://feeds.example/b")),
        (&[(301, "/a"), (302, "/b")], Some("https://feeds.example/a")),
        (&[(302, "/a"), (301, "/b")], None),
        (&[(302, "/a")], None),
        (&[(303, "/a")], None),
        (&[(307, "/a")], None),
        (&[(301, "/a"), (301, "/news.xml")], None),
    ] {
        let world = World::subscribed();
        let before = world.read(super::SUBSCRIPTIONS);
        for (status, url) in steps {
            world.service.answers(*status, &[("location", url)], "");
        }
        world.serves(RSS);
        let run = world.exec(BY_NAME).ok();
        assert_eq!(run.result["moved_to"], json!(moved_to), "{steps:?}");
        assert_eq!(run.result["url"], super::URL);
        assert_eq!(world.read(super::SUBSCRIPTIONS), before);
        assert_eq!(world.state()["last_status"], 200);
        let fields = run.fields();
        match moved_to {
            Some(url) => {
                assert_eq!(fields[9..], ["not_modified", "moved_to", "warnings"]);
                let told = format!("the feed has moved for good, `rss add` follows it: {url}\n");
                assert!(run.envelope.stdout.ends_with(&told), "{}", run.envelope.stdout);
            }
            None => assert_eq!(fields[9..], ["not_modified", "warnings"]),
        }
    }
}

#[test]
fn a_move_is_told_with_an_answer_that_nothing_is_new_too() {
    let world = World::subscribed();
    world.put(STATES, json!([{"name": "news", "etag": "\"1\""}]).to_string());
    redirects(&world, 301, &["/new.xml"]);
    world.service.answers(304, &[], "");
    let run = world.exec(BY_NAME).ok();
    assert_eq!(run.result["not_modified"], true);
    assert_eq!(run.result["moved_to"], "https://feeds.example/new.xml");
}

#[test]
fn every_hop_is_held_to_the_network_it_may_reach() {
    for (url, code, part) in [
        ("http://127.0.0.1/feed", "NetworkDenied", "outside the public network"),
        ("http://[::1]/feed", "NetworkDenied", "outside the public network"),
        ("http://10.0.0.7/", "NetworkDenied", "outside the public network"),
        ("http://169.254.169.254/latest/", "NetworkDenied", "outside the public network"),
    ] {
        let world = World::new();
        world.exec(&format!("rss fetch --url {url}")).fails(code, &[part]);
        world.exec(&format!("rss add --name news --url {url}")).ok();
        world.exec(BY_NAME).fails(code, &[part]);
        assert!(world.service.asked().is_empty(), "{url}");
        redirects(&world, 302, &[url]);
        world.exec("rss fetch --url http://feeds.example/").fails(code, &[part]);
        assert_eq!(world.service.asked().len(), 1, "{url}");
    }
    for (url, part) in [
        ("http://feeds.example/", "from https to http"),
        ("ftp://feeds.example/", "`ftp` URLs"),
        ("https://me:geheim42@feeds.example/", "must not carry credentials"),
    ] {
        let world = World::new();
        redirects(&world, 301, &[url]);
        world.exec(BY_URL).fails("NetworkDenied", &[part]);
        assert_eq!(world.service.asked().len(), 1, "{url}");
    }
}

#[test]
fn a_policy_without_network_reads_no_feed() {
    let world = World::with_policy(Policy::default());
    world.exec(super::ADD).ok();
    let before = world.workspace.files();
    for line in [BY_NAME, BY_URL] {
        world.exec(line).fails("CapabilityDenied", &["`Network`"]);
    }
    assert!(world.service.asked().is_empty());
    assert_eq!(world.workspace.files(), before);
}
