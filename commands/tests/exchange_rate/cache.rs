//! REQ-0031-006 and -010, and caches as they are found in the field.

use serde_json::{Value, json};
use tapeline::{
    Policy,
    http::HttpFaultKind,
    workspace::{WorkspaceFaultKind, WriteStage},
};

use super::{CNY_ENTRY, CNY_RATES, HOUR_MS, body, cny, entry, no_files};
use crate::world::{Run, START_MS, World};

const LINE: &str = "exchange-rate latest --base CNY";
const DAY_MS: i64 = 24 * HOUR_MS;

#[track_caller]
fn assert_origin(run: &Run, cached: bool, stale: bool) {
    assert_eq!((&run.result["cached"], &run.result["stale"]), (&json!(cached), &json!(stale)));
}

#[test]
fn a_second_run_makes_no_request() {
    let world = World::new();
    world.answers_cny();
    assert_origin(&world.exec(LINE).ok(), false, false);
    let run = world.exec("exchange-rate convert --from CNY --to USD --amount 1").ok();
    assert_origin(&run, true, false);
    assert_eq!(run.warnings(), [""; 0]);
    assert!(run.envelope.stdout.contains("from the cache"));
    assert_eq!(world.service.asked().len(), 1);
}

#[test]
fn no_cache_asks_all_the_same() {
    let world = World::with_cny_kept();
    world.service.answers(200, &[], body("CNY", r#""USD":0.15"#));
    let run = world.exec(&format!("{LINE} --no-cache")).ok();
    assert_origin(&run, false, false);
    assert_eq!(world.service.asked().len(), 1);
    let run = world.exec(LINE).ok();
    assert_eq!(run.result["rates"], json!({"USD": "0.15"}), "and keeps the new answer");
    assert!(world.service.asked().is_empty());
}

#[test]
fn an_entry_is_the_answer_byte_for_byte_and_when_it_came() {
    let world = World::with_cny_kept();
    let entry: Value = serde_json::from_str(&world.read(CNY_ENTRY).unwrap()).unwrap();
    assert_eq!(entry, json!({"fetched_at_ms": START_MS, "body": cny()}));
}

#[test]
fn each_base_has_an_entry_of_its_own() {
    let world = World::with_cny_kept();
    world.service.answers(200, &[], body("USD", r#""CNY":7.1"#));
    assert_origin(&world.exec("exchange-rate latest --base USD").ok(), false, false);
    assert_origin(&world.exec(LINE).ok(), true, false);
}

#[test]
fn an_expired_entry_is_replaced() {
    let world = World::with_cny_kept();
    world.set_now_ms(START_MS + 23 * HOUR_MS - 1);
    assert_origin(&world.exec(LINE).ok(), true, false);
    world.set_now_ms(START_MS + 23 * HOUR_MS);
    world.answers_cny();
    assert_origin(&world.exec(LINE).ok(), false, false);
    assert_eq!(world.service.asked().len(), 1);
}

type Fail = fn(&World);

/// Each way for the service to fail that an older answer can stand in for, with its code.
fn passing_failures() -> [(&'static str, Fail); 6] {
    [
        ("NetworkError", |world| world.service.fails(HttpFaultKind::Dns)),
        ("NetworkError", |world| world.service.fails(HttpFaultKind::Truncated)),
        ("RateLimited", |world| world.service.answers(429, &[], "")),
        ("RemoteHttpError", |world| world.service.answers(500, &[], "")),
        ("RemoteHttpError", |world| world.service.answers(503, &[], "busy")),
        ("ParseError", |world| world.service.answers(200, &[], "<html>")),
    ]
}

#[test]
fn without_an_answer_an_unexpired_entry_stands_in() {
    for (code, fail) in passing_failures() {
        let world = World::with_cny_kept();
        fail(&world);
        let run = world.exec(&format!("{LINE} --no-cache")).ok();
        assert_origin(&run, true, false);
        assert_eq!(run.warnings(), [""; 0], "{code}");
        assert!(run.envelope.stderr.contains("no answer"), "{code}: {}", run.envelope.stderr);
        assert!(run.envelope.stdout.contains("1 hour old, from the cache\n"), "{code}");
        assert_eq!(world.service.asked().len(), 1, "{code}");
    }
}

#[test]
fn without_an_answer_an_expired_entry_stands_in_as_stale() {
    for (code, fail) in passing_failures() {
        for line in [LINE.to_owned(), format!("{LINE} --no-cache")] {
            let world = World::with_cny_kept();
            world.set_now_ms(START_MS + 3 * DAY_MS);
            fail(&world);
            let run = world.exec(&line).ok();
            assert_origin(&run, true, true);
            assert_eq!(run.warnings(), ["StaleRates"], "{code}");
            assert_eq!(run.fields_of("warnings"), ["code", "message", "age_ms"]);
            let warning = &run.result["warnings"][0];
            assert_eq!(warning["age_ms"], 3 * DAY_MS + HOUR_MS);
            assert!(warning["message"].as_str().unwrap().contains("3 days old"), "{warning}");
            assert!(run.envelope.stdout.contains("3 days old, from the cache and out of date"));
        }
    }
}

#[test]
fn without_an_answer_and_an_entry_the_failure_is_the_answer() {
    for (code, fail) in passing_failures() {
        let world = World::new();
        fail(&world);
        world.exec(LINE).fails(code, &[]);
    }
}

#[test]
fn an_older_entry_does_not_stand_in_for_a_final_answer() {
    for (code, status, answer) in [
        ("RemoteError", 200, r#"{"result":"error","error-type":"unsupported-code"}"#),
        ("RemoteError", 500, r#"{"result":"error","error-type":"quota-reached"}"#),
        ("RemoteHttpError", 404, "no such page"),
        ("RemoteError", 200, &body("CNY", r#""USD":0"#)),
        ("RemoteError", 200, &body("USD", CNY_RATES)),
        ("RemoteError", 200, &body("CNY", "")),
        ("LimitExceeded", 200, &" ".repeat((1 << 20) + 1)),
    ] {
        let world = World::with_cny_kept();
        let kept = world.read(CNY_ENTRY);
        world.service.answers(status, &[], answer);
        world.exec(&format!("{LINE} --no-cache")).fails(code, &[]);
        assert_eq!(world.read(CNY_ENTRY), kept, "the entry is as it was");
        assert_origin(&world.exec(LINE).ok(), true, false);
    }
}

#[test]
fn an_entry_that_is_broken_is_a_warning_and_a_miss() {
    let whole = json!({"fetched_at_ms": START_MS, "body": cny()}).to_string();
    let other_base = json!({"fetched_at_ms": START_MS, "body": body("USD", CNY_RATES)});
    let cut_answer = json!({"fetched_at_ms": START_MS, "body": cny().split_at(200).0});
    let bad_rate = json!({"fetched_at_ms": START_MS, "body": body("CNY", r#""USD":0"#)});
    for entry in [
        whole.split_at(200).0.to_owned(),
        String::new(),
        "{}".to_owned(),
        cny(),
        other_base.to_string(),
        cut_answer.to_string(),
        bad_rate.to_string(),
    ] {
        let world = World::new();
        world.put(CNY_ENTRY, entry.as_str());
        world.answers_cny();
        let run = world.exec(LINE).ok();
        assert_origin(&run, false, false);
        assert_eq!(run.warnings(), ["CacheReadError"], "{entry}");
        assert!(run.envelope.stderr.contains("warning: the cached rates of `CNY`"), "{entry}");
        assert_origin(&world.exec(LINE).ok(), true, false);
    }
}

#[test]
fn a_broken_entry_cannot_stand_in() {
    let world = World::new();
    world.put(CNY_ENTRY, "{");
    world.service.fails(HttpFaultKind::Dns);
    let run = world.exec(LINE).fails("NetworkError", &[]);
    assert!(run.envelope.stderr.contains("the cached rates of `CNY` cannot be used"));
}

#[test]
fn an_entry_that_cannot_be_read_is_a_warning_and_a_miss() {
    for kind in [WorkspaceFaultKind::Permission, WorkspaceFaultKind::Io] {
        let world = World::with_cny_kept();
        world.workspace.fail_open(CNY_ENTRY, kind);
        world.answers_cny();
        let run = world.exec(LINE).ok();
        assert_origin(&run, false, false);
        assert_eq!(run.warnings(), ["CacheReadError"], "{kind:?}");
    }
}

#[test]
fn a_link_in_place_of_an_entry_is_not_followed() {
    let world = World::new();
    let _ = world.workspace.as_ref().clone().with_link(CNY_ENTRY);
    world.answers_cny();
    let run = world.exec(LINE).ok();
    assert_eq!(run.warnings(), ["CacheReadError", "CacheWriteError"]);
}

#[test]
fn an_entry_that_cannot_be_written_is_a_warning() {
    for stage in [WriteStage::Create, WriteStage::AfterBytes(100), WriteStage::Commit] {
        let world = World::new();
        world.workspace.fail_write(CNY_ENTRY, stage, WorkspaceFaultKind::Full);
        for _ in 0..2 {
            world.answers_cny();
            let run = world.exec(LINE).ok();
            assert_origin(&run, false, false);
            assert_eq!(run.warnings(), ["CacheWriteError"], "{stage:?}");
            assert_eq!(run.result["rates"].as_object().unwrap().len(), 5);
        }
        assert_eq!(world.service.asked().len(), 2);
        assert_eq!(world.read(CNY_ENTRY), None, "no half entry: {stage:?}");
    }
}

#[test]
fn a_file_where_the_cache_must_be_is_a_warning() {
    let world = World::new();
    world.put("cache", "a file where a directory must be");
    world.answers_cny();
    let run = world.exec(LINE).ok();
    assert!(run.warnings().contains(&"CacheWriteError"), "{:?}", run.warnings());
}

#[test]
fn a_clock_that_is_behind_makes_no_hit() {
    let world = World::with_cny_kept();
    world.set_now_ms(START_MS - HOUR_MS - 5 * 60_000);
    assert_origin(&world.exec(LINE).ok(), true, false);
    world.set_now_ms(START_MS - HOUR_MS - 5 * 60_000 - 1);
    world.answers_cny();
    assert_origin(&world.exec(LINE).ok(), false, false);
    world.service.fails(HttpFaultKind::Dns);
    let run = world.exec(LINE).ok();
    assert_origin(&run, true, false);
    assert!(run.envelope.stdout.contains("from the future by this clock"));
}

#[test]
fn a_clock_a_year_ahead_asks_each_time_and_leaves_nothing_behind() {
    let world = World::with_cny_kept();
    world.set_now_ms(START_MS + 365 * DAY_MS);
    for _ in 0..2 {
        world.answers_cny();
        assert_origin(&world.exec(LINE).ok(), false, false);
    }
    assert_eq!(world.service.asked().len(), 2);
    world.service.fails(HttpFaultKind::Dns);
    let run = world.exec(LINE).ok();
    assert_origin(&run, true, true);
    assert_eq!(run.warnings(), ["StaleRates"]);

    world.service.asked();
    world.set_now_ms(START_MS);
    assert_origin(&world.exec(LINE).ok(), true, false);
    assert!(world.service.asked().is_empty());
}

#[test]
fn no_entry_is_fresh_for_more_than_two_days() {
    let world = World::new();
    let late = cny().replace("\"time_next_update_unix\":17", "\"time_next_update_unix\":27");
    world.service.answers(200, &[], late);
    world.exec(LINE).ok();
    world.set_now_ms(START_MS + 2 * DAY_MS - 1);
    assert_origin(&world.exec(LINE).ok(), true, false);
    world.set_now_ms(START_MS + 2 * DAY_MS);
    world.answers_cny();
    assert_origin(&world.exec(LINE).ok(), false, false);
}

#[test]
fn no_cache_does_not_look_at_an_entry_it_has_no_use_for() {
    let world = World::new();
    world.put(CNY_ENTRY, "{");
    world.answers_cny();
    let run = world.exec(&format!("{LINE} --no-cache")).ok();
    assert_eq!(run.warnings(), [""; 0]);
    assert_eq!(run.envelope.stderr, "");
    assert_origin(&world.exec(LINE).ok(), true, false);
}

#[test]
fn a_broken_entry_is_a_warning_of_no_cache_when_nobody_answers() {
    let world = World::new();
    world.put(CNY_ENTRY, "{");
    let run = world.exec(&format!("{LINE} --no-cache")).fails("NetworkError", &[]);
    assert!(run.envelope.stderr.contains("the cached rates of `CNY` cannot be used"));
}

#[test]
fn the_unix_times_decide_and_the_texts_are_only_shown() {
    let odd = cny()
        .replace("Tue, 14 Nov 2023 21:13:20 +0000", "in a year")
        .replace("Wed, 15 Nov 2023 21:13:20 +0000", "last week");
    let world = World::new();
    world.service.answers(200, &[], odd);
    world.exec(LINE).ok();
    world.set_now_ms(START_MS + 23 * HOUR_MS - 1);
    let run = world.exec(LINE).ok();
    assert_origin(&run, true, false);
    assert_eq!(run.result["time_last_update_utc"], "in a year");
    assert_eq!(run.result["time_next_update_utc"], "last week");
    world.set_now_ms(START_MS + 23 * HOUR_MS);
    world.service.fails(HttpFaultKind::Dns);
    assert_origin(&world.exec(LINE).ok(), true, true);
}

#[test]
fn an_entry_cut_anywhere_is_a_warning_and_a_miss() {
    let whole = entry(&cny());
    for end in (0..whole.len()).step_by(97).chain([whole.len() / 2, whole.len() - 1]) {
        let world = World::new();
        world.put(CNY_ENTRY, whole.split_at(end).0);
        world.answers_cny();
        let run = world.exec(LINE).ok();
        assert_origin(&run, false, false);
        assert_eq!(run.warnings(), ["CacheReadError"], "cut at {end}");
        assert_eq!(run.fields_of("warnings"), ["code", "message"]);
    }
}

#[test]
fn what_is_no_file_in_place_of_an_entry_is_a_warning() {
    for is_directory in [true, false] {
        let world = World::new();
        let tree = world.workspace.as_ref().clone();
        let _ = match is_directory {
            true => tree.with_directory(CNY_ENTRY),
            false => tree.with_other(CNY_ENTRY),
        };
        world.answers_cny();
        let run = world.exec(LINE).ok();
        assert_origin(&run, false, false);
        assert_eq!(run.warnings()[0], "CacheReadError", "{is_directory}");
        world.exec(LINE).fails("NetworkError", &[]);
    }
}

#[test]
fn a_base_that_no_file_can_be_named_after_is_answered_and_not_kept() {
    let world = World::new();
    for _ in 0..2 {
        world.service.answers(200, &[], body("CON", CNY_RATES));
        let run = world.exec("exchange-rate latest --base con").ok();
        assert_origin(&run, false, false);
        assert_eq!(run.warnings(), ["CacheReadError", "CacheWriteError"]);
    }
    assert!(world.workspace.files().is_empty());
}

#[test]
fn a_policy_without_files_costs_the_cache_and_nothing_else() {
    let world = World::with_policy(no_files(Policy::default().allow_declared_network()));
    world.answers_cny();
    let run = world.exec(LINE).ok();
    assert_origin(&run, false, false);
    assert_eq!(run.warnings(), ["CacheReadError", "CacheWriteError"]);
    assert!(world.workspace.files().is_empty());
}

#[test]
fn an_entry_that_cannot_be_written_still_leaves_the_older_one() {
    let world = World::with_cny_kept();
    let kept = world.read(CNY_ENTRY);
    world.workspace.fail_write(CNY_ENTRY, WriteStage::AfterBytes(100), WorkspaceFaultKind::Full);
    world.service.answers(200, &[], body("CNY", r#""USD":0.15"#));
    let run = world.exec(&format!("{LINE} --no-cache")).ok();
    assert_eq!(run.result["rates"], json!({"USD": "0.15"}));
    assert_eq!(run.warnings(), ["CacheWriteError"]);
    assert_eq!(run.fields_of("warnings"), ["code", "message"]);
    assert_eq!(world.read(CNY_ENTRY), kept, "replaced as a whole or not at all");
}
