//! REQ-0024-013: pauses that servers ask for.

use serde_json::json;

use super::{BY_NAME, BY_URL, OUT, RSS, STATES};
use crate::world::{START_MS, World};

/// A minute and a half after [`START_MS`].
const DATE: &str = "Tue, 14 Nov 2023 22:14:50 GMT";

#[test]
fn a_pause_in_seconds_or_until_a_date_is_kept() {
    for (status, code) in [(429, "RateLimited"), (503, "HttpError")] {
        for (headers, pause_ms) in [
            (&[("retry-after", "90")][..], 90_000),
            (&[("retry-after", DATE)], 90_000),
            (&[("Retry-After", " Tuesday, 14-Nov-23 22:14:50 GMT ")], 90_000),
            (&[("retry-after", "Tue Nov 14 22:14:50 2023")], 90_000),
            // Another clock than ours: what counts is the time between.
            (&[("date", "Tue, 14 Nov 2023 22:14:40 GMT"), ("retry-after", DATE)], 10_000),
        ] {
            let world = World::subscribed();
            world.service.answers(status, headers, "");
            let run = world.exec(BY_NAME).fails(code, &["`feeds.example`"]);
            assert_eq!(run.result["retry_after_ms"], pause_ms, "{headers:?}");
            assert_eq!(
                world.state(),
                json!({
                    "name": "news",
                    "last_fetch_ms": START_MS,
                    "last_status": status,
                    "not_before_ms": START_MS + pause_ms,
                }),
                "{headers:?}"
            );
        }
    }
}

#[test]
fn a_429_is_told_with_its_pause_and_a_503_with_its_status() {
    let world = World::new();
    world.service.answers(429, &[("retry-after", "90")], "");
    let run = world.exec(BY_URL).fails("RateLimited", &["asks for a pause of 90 s"]);
    assert_eq!(run.fields()[2..], ["error_code", "error_message", "retry_after_ms"]);
    world.service.answers(503, &[("retry-after", "90")], "");
    let run =
        world.exec(BY_URL).fails("HttpError", &["HTTP status 503 and asks for a pause of 90 s"]);
    assert_eq!(run.fields()[2..], ["error_code", "error_message", "status", "retry_after_ms"]);
    assert_eq!(run.result["status"], 503);
}

#[test]
fn without_a_time_there_is_no_pause_to_keep_to() {
    for retry_after in ["soon", "-5", "1.5", ""] {
        for status in [429, 503] {
            let world = World::subscribed();
            world.service.answers(status, &[("retry-after", retry_after)], "");
            let run = world.exec(BY_NAME);
            assert_eq!(run.result["retry_after_ms"], json!(null), "{retry_after}");
            assert_eq!(world.state()["not_before_ms"], json!(null), "{retry_after}");
            world.serves(RSS);
            world.exec(BY_NAME).ok();
        }
    }
}

#[test]
fn a_pause_that_is_over_is_none() {
    for retry_after in ["0", "Tue, 14 Nov 2023 22:13:19 GMT"] {
        let world = World::subscribed();
        world.service.answers(429, &[("retry-after", retry_after)], "");
        let run = world.exec(BY_NAME).fails("RateLimited", &[]);
        assert_eq!(run.result["retry_after_ms"], json!(null));
        assert_eq!(world.state()["not_before_ms"], json!(null));
    }
}

#[test]
fn only_a_429_and_a_503_ask_for_a_pause() {
    for status in [200, 404, 500] {
        let world = World::subscribed();
        world.service.answers(status, &[("retry-after", "90")], RSS);
        let run = world.exec(BY_NAME);
        assert_eq!(run.result["retry_after_ms"], json!(null), "{status}");
        assert_eq!(world.state()["not_before_ms"], json!(null), "{status}");
    }
}

/// A world in a pause of 90 seconds from [`START_MS`] on.
fn paused() -> World {
    let world = World::subscribed();
    world.service.answers(429, &[("retry-after", "90")], "");
    world.exec(BY_NAME).fails("RateLimited", &[]);
    world.service.asked();
    world
}

#[test]
fn during_a_pause_nothing_is_asked_and_nothing_changed() {
    let world = paused();
    let before = world.workspace.files();
    for (after_ms, left_ms) in [(0, 90_000), (89_999, 1), (-1_000, 91_000)] {
        world.set_now_ms(START_MS + after_ms);
        for line in [BY_NAME.to_owned(), format!("{BY_NAME} --out {OUT}")] {
            let run = world
                .exec(&line)
                .fails("RateLimited", &["`news` asks for a pause", "`--force` asks all the same"]);
            assert_eq!(run.fields()[2..], ["error_code", "error_message", "retry_after_ms"]);
            assert_eq!(run.result["retry_after_ms"], left_ms, "{line}");
            assert_eq!(world.workspace.files(), before, "{line}");
        }
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn at_its_end_the_feed_is_asked_for_again_and_the_pause_forgotten() {
    let world = paused();
    world.set_now_ms(START_MS + 90_000);
    world.serves(RSS);
    world.exec(BY_NAME).ok();
    assert_eq!(world.service.asked().len(), 1);
    assert_eq!(
        world.state(),
        json!({"name": "news", "last_fetch_ms": START_MS + 90_000, "last_status": 200})
    );
}

#[test]
fn force_asks_during_a_pause_and_an_answer_ends_it() {
    let world = paused();
    world.serves(RSS);
    world.exec(&format!("{BY_NAME} --force")).ok();
    assert_eq!(world.service.asked().len(), 1);
    assert_eq!(world.state()["not_before_ms"], json!(null));
    world.serves(RSS);
    world.exec(BY_NAME).ok();
}

#[test]
fn a_forced_fetch_may_be_sent_away_anew() {
    let world = paused();
    world.service.answers(503, &[("retry-after", "600")], "");
    world.exec(&format!("{BY_NAME} --force")).fails("HttpError", &[]);
    assert_eq!(world.state()["not_before_ms"], START_MS + 600_000);
}

#[test]
fn a_pause_is_the_feeds_and_not_the_names() {
    let world = paused();
    world.exec(super::ADD).ok();
    world.exec(BY_NAME).fails("RateLimited", &[]);
    world.exec("rss add --name news --url https://other.example/feed.xml").ok();
    assert_eq!(world.json(STATES), json!([]));
    world.serves(RSS);
    world.exec(BY_NAME).ok();
    world.serves(RSS);
    world.exec(BY_URL).ok();
}

#[test]
fn a_pause_without_end_is_one_of_31_days() {
    const LONGEST_MS: i64 = 31 * 24 * 3_600_000;
    let world = World::subscribed();
    world.service.answers(429, &[("retry-after", "18446744073709551615")], "");
    let run = world.exec(BY_NAME).fails("RateLimited", &[" h"]);
    assert_eq!(run.result["retry_after_ms"], LONGEST_MS);
    assert_eq!(world.state()["not_before_ms"], START_MS + LONGEST_MS);
    world.exec(BY_NAME).fails("RateLimited", &[]);
}
