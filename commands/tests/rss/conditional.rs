//! REQ-0024-004: validators, and answers that nothing is new.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{BY_NAME, OUT, RAW_OUT, RSS, STATES, URL};
use crate::world::{Run, START_MS, World};

const ETAG: (&str, &str) = ("etag", "W/\"weak, and 'odd'\"");
/// A form that is no HTTP date: it is not ours to judge.
const LAST_MODIFIED: (&str, &str) = ("last-modified", "2023-11-14  10:00 (about)");

/// The headers of the one request since the last call that make it a conditional one.
#[track_caller]
fn conditions(world: &World) -> Vec<(String, String)> {
    let requests = world.service.requests();
    assert_eq!(requests.len(), 1);
    let headers = requests.into_iter().flat_map(|request| request.headers);
    headers.filter(|(name, _)| name.starts_with("if-")).collect()
}

#[track_caller]
fn assert_conditions(world: &World, expected: &[(&str, &str)]) {
    let sent = conditions(world);
    let sent: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(sent, expected);
}

/// A world whose subscription was fetched once, with both validators.
fn fetched() -> World {
    let world = World::subscribed();
    world.service.answers(200, &[ETAG, LAST_MODIFIED], RSS);
    world.exec(BY_NAME).ok();
    assert_conditions(&world, &[]);
    world
}

/// A fetch whose answer does not matter.
fn ask(world: &World, line: &str) {
    world.service.answers(500, &[], "");
    world.exec(line).fails("HttpError", &[]);
}

const BOTH: &[(&str, &str)] = &[("if-none-match", ETAG.1), ("if-modified-since", LAST_MODIFIED.1)];

#[test]
fn validators_are_kept_and_go_back_as_received() {
    let world = fetched();
    assert_eq!(
        world.json(STATES),
        json!([{
            "name": "news",
            "etag": ETAG.1,
            "last_modified": LAST_MODIFIED.1,
            "last_fetch_ms": START_MS,
            "last_status": 200,
        }])
    );
    ask(&world, BY_NAME);
    assert_conditions(&world, BOTH);
}

#[test]
fn each_validator_goes_back_alone_where_it_came_alone() {
    for (header, sent) in [(ETAG, &BOTH[..1]), (LAST_MODIFIED, &BOTH[1..])] {
        let world = World::subscribed();
        world.service.answers(200, &[header], RSS);
        world.exec(BY_NAME).ok();
        assert_conditions(&world, &[]);
        ask(&world, BY_NAME);
        assert_conditions(&world, sent);
    }
}

#[test]
fn the_state_has_its_fields_in_their_order() {
    let world = fetched();
    world.service.answers(503, &[("retry-after", "9")], "");
    world.exec(BY_NAME).fails("HttpError", &[]);
    let text = world.read(STATES).unwrap();
    let names = ["name", "etag", "last_modified", "last_fetch_ms", "last_status", "not_before_ms"];
    let places = names.map(|name| text.find(&format!("\"{name}\": ")).unwrap());
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn an_answer_that_nothing_is_new_has_no_items() {
    let world = fetched();
    world.set_now_ms(START_MS + 60_000);
    world.service.answers(304, &[], "");
    let run = world.exec(BY_NAME).ok();
    assert_eq!(
        run.fields(),
        [
            "ok",
            "command",
            "name",
            "url",
            "format",
            "count_total",
            "count_emitted",
            "items",
            "not_modified",
            "warnings",
        ]
    );
    assert_eq!(
        run.result,
        json!({
            "ok": true,
            "command": "rss fetch",
            "name": "news",
            "url": URL,
            "format": null,
            "count_total": 0,
            "count_emitted": 0,
            "items": [],
            "not_modified": true,
            "warnings": [],
        })
    );
    assert_eq!(run.envelope.exit_code, 0);
    assert_eq!(
        run.envelope.stdout,
        "news: nothing new since its items were last fetched; `--force` shows them again\n"
    );
    assert_conditions(&world, BOTH);
    assert_eq!(world.state()["last_status"], 304);
    assert_eq!(world.state()["last_fetch_ms"], START_MS + 60_000);
    ask(&world, BY_NAME);
    assert_conditions(&world, BOTH);
}

#[test]
fn an_answer_that_nothing_is_new_refreshes_what_it_names() {
    let world = fetched();
    world.service.answers(304, &[("etag", "\"2\"")], "");
    world.exec(BY_NAME).ok();
    assert_conditions(&world, BOTH);
    ask(&world, BY_NAME);
    assert_conditions(&world, &[("if-none-match", "\"2\""), BOTH[1]]);
}

#[test]
fn a_body_brings_its_own_validators_or_none() {
    let world = fetched();
    world.service.answers(200, &[("etag", "\"2\"")], RSS);
    world.exec(BY_NAME).ok();
    world.service.requests();
    ask(&world, BY_NAME);
    assert_conditions(&world, &[("if-none-match", "\"2\"")]);
    world.service.answers(200, &[], RSS);
    world.exec(BY_NAME).ok();
    world.service.requests();
    ask(&world, BY_NAME);
    assert_conditions(&world, &[]);
}

#[test]
fn whoever_wants_the_whole_feed_asks_for_it_and_keeps_its_validators() {
    for arguments in [
        format!("--out {OUT}"),
        format!("--raw-out {RAW_OUT}"),
        format!("--out {OUT} --raw-out {RAW_OUT}"),
        "--force".to_owned(),
    ] {
        let world = fetched();
        world.service.answers(200, &[("etag", "\"2\"")], RSS);
        let run = world.exec(&format!("{BY_NAME} {arguments}")).ok();
        assert_eq!(run.result["count_total"], 2, "{arguments}");
        assert_conditions(&world, &[]);
        ask(&world, BY_NAME);
        assert_conditions(&world, &[("if-none-match", "\"2\"")]);
    }
}

#[test]
fn a_304_that_nobody_asked_for_is_a_failure() {
    let check = |run: Run| {
        let run = run.fails("HttpError", &["HTTP status 304", "was not asked that"]);
        assert_eq!(run.result["status"], 304);
    };
    let world = fetched();
    world.service.answers(304, &[("etag", "\"2\"")], "");
    check(world.exec(&format!("{BY_NAME} --out {OUT}")));
    assert_eq!(world.read(OUT), None);
    assert_eq!(world.state()["etag"], ETAG.1);
    world.service.answers(304, &[], "");
    check(world.exec(super::BY_URL));
}

#[test]
fn validators_come_from_a_body_that_was_read_whole() {
    let cut = RSS.split_at(RSS.find("<enclosure").unwrap()).0;
    for (status, body) in [
        (200, "<html><p>a page"),
        (200, "no feed"),
        (200, "{\"version\": 1}"),
        (200, "<rss version=\"2.0\"><channel><it"),
        (200, cut),
        (404, RSS),
        (500, RSS),
    ] {
        let world = World::subscribed();
        world.service.answers(status, &[ETAG, LAST_MODIFIED], body);
        world.exec(BY_NAME);
        let state = json!({"name": "news", "last_fetch_ms": START_MS, "last_status": status});
        assert_eq!(world.state(), state, "{body}");
        world.service.requests();
        ask(&world, BY_NAME);
        assert_conditions(&world, &[]);
    }
}

#[test]
fn what_was_known_outlasts_an_answer_that_could_not_be_read() {
    for (status, body) in [(200, "<html>"), (404, ""), (503, "")] {
        let world = fetched();
        world.service.answers(status, &[("etag", "\"2\"")], body);
        world.exec(BY_NAME);
        world.service.requests();
        assert_eq!(world.state()["last_status"], status);
        ask(&world, BY_NAME);
        assert_conditions(&world, BOTH);
    }
}

#[test]
fn another_url_is_asked_without_the_validators_of_the_first() {
    let world = fetched();
    world.exec("rss add --name news --url https://feeds.example/other.xml").ok();
    ask(&world, BY_NAME);
    assert_conditions(&world, &[]);
    world.exec(super::ADD).ok();
    ask(&world, BY_NAME);
    assert_conditions(&world, &[]);
}

#[test]
fn a_name_that_was_removed_begins_anew() {
    let world = fetched();
    world.exec("rss remove --name news").ok();
    world.exec(super::ADD).ok();
    ask(&world, BY_NAME);
    assert_conditions(&world, &[]);
}

#[test]
fn validators_that_no_header_holds_are_not_sent() {
    for etag in ["\"a\nx: y\"", "", "\"caf\u{fffd}\""] {
        let world = World::subscribed();
        world.put(STATES, json!([{"name": "news", "etag": etag}]).to_string());
        ask(&world, BY_NAME);
        assert_conditions(&world, &[]);
    }
}

#[test]
fn another_host_is_not_shown_the_validators() {
    let world = fetched();
    world.service.answers(301, &[("location", "https://other.example/feed")], "");
    world.service.answers(200, &[("etag", "\"theirs\"")], RSS);
    world.exec(BY_NAME).ok();
    let requests = world.service.requests();
    let has =
        |place: usize| requests[place].headers.iter().any(|(name, _)| name == "if-none-match");
    assert!(has(0) && !has(1), "{requests:?}");
}

#[test]
fn an_older_file_is_replaced_only_by_a_body() {
    let world = fetched();
    world.put(OUT, "old");
    world.approver.approves.store(true, Ordering::SeqCst);
    world.service.answers(200, &[], RSS);
    world.exec(&format!("{BY_NAME} --out {OUT} --overwrite")).ok();
    assert_eq!(world.json(OUT).as_array().unwrap().len(), 2);
    assert_conditions(&world, &[]);
}
