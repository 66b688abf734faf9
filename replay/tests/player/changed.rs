//! Another build answers otherwise: what differs is named by its path.

use tapeline::ApprovalAnswer;
use tapeline_replay::{Miss, Verdict};

use crate::{
    commands::{
        FEWER_REQUESTS, MORE_LINES, OTHER_HEADER, OTHER_VALUE, PANICS, READS_THE_CLOCK,
        SWALLOWS_A_LIST, SWALLOWS_A_READ, SWALLOWS_A_REQUEST, SWALLOWS_AN_APPROVAL, registry,
    },
    world::{World, body, paths},
};

fn three(path: &str, expected: &str, actual: &str) -> (String, String, String) {
    (path.to_owned(), expected.to_owned(), actual.to_owned())
}

#[test]
fn another_value_is_named_by_its_path() {
    let world = World::new();
    let ran = world.run(&["print a", "print b"]);
    let verdict = world.replayed_by(&ran.record, registry::<OTHER_VALUE>());
    let expected = [
        three("/result/steps/0", r#""a""#, r#""another value""#),
        three("/result/steps/1", r#""b""#, r#""a""#),
    ];
    assert_eq!(paths(&verdict), expected);
    assert_eq!(verdict.exit_code(), 1);
}

#[test]
fn another_value_in_a_result_kept_as_a_blob_is_named_too() {
    let world = World::new();
    let ran = world.run(&["print a", "big 9000"]);
    assert!(ran.record.result.blob().is_some());
    let verdict = world.replayed_by(&ran.record, registry::<OTHER_VALUE>());
    assert_eq!(paths(&verdict)[0], three("/result/steps/0", r#""a""#, r#""another value""#));
}

#[test]
fn another_header_is_named_by_its_request() {
    let world = World::new()
        .answers("https://a.example/", body("a"))
        .answers("https://b.example/", body("b"));
    let ran = world.run(&["get https://a.example/", "get https://b.example/"]);
    let verdict = world.replayed_by(&ran.record, registry::<OTHER_HEADER>());
    let expected = [
        three("/requests/0/headers/0", "", r#"["x-build","2"]"#),
        three("/requests/1/headers/0", "", r#"["x-build","2"]"#),
    ];
    assert_eq!(paths(&verdict), expected);
}

#[test]
fn an_answer_nobody_asks_for_is_a_change() {
    let world = World::new()
        .answers("https://a.example/first", body("a"))
        .answers("https://a.example/second", body("b"))
        .answers("https://a.example/third", body("c"));
    let ran = world.run(&[
        "get https://a.example/first",
        "get https://a.example/second",
        "get https://a.example/third",
    ]);
    let verdict = world.replayed_by(&ran.record, registry::<FEWER_REQUESTS>());
    let paths = paths(&verdict);
    let unused = three("/given", r#""answer to GET https://a.example/second""#, "");
    assert!(paths.contains(&unused), "{paths:?}");
    assert!(paths.iter().any(|(path, ..)| path == "/requests/2"), "{paths:?}");
    assert!(paths.iter().any(|(path, ..)| path == "/result/steps/1"), "{paths:?}");
}

#[test]
fn another_line_is_shown_as_a_difference_of_lines() {
    let world = World::new();
    let ran = world.run(&["print a", "print b"]);
    let verdict = world.replayed_by(&ran.record, registry::<MORE_LINES>());
    let shown = "changed\n/stdout\n    a\n    b\n  + one line more\n";
    assert_eq!(verdict.to_string(), shown);
}

#[test]
fn reading_the_clock_once_more_changes_nothing() {
    let world = World::new().answers("https://a.example/", body("a"));
    let ran = world.run(&["get https://a.example/", "sleep 3", "now", "uuid"]);
    assert_eq!(world.replayed_by(&ran.record, registry::<READS_THE_CLOCK>()), Verdict::Ok);
}

#[test]
fn what_is_not_on_the_tape_is_a_miss_though_the_command_swallows_it() {
    let world = World::new()
        .file("new.txt", "there now")
        .says(ApprovalAnswer::Approved)
        .answers("https://a.example/", body("a"));
    let ran = world.run(&["get https://a.example/", "approve jump"]);
    for (registry, miss) in [
        (
            registry::<SWALLOWS_A_REQUEST>(),
            Miss::Answer { method: "GET".to_owned(), url: "https://new.example/".to_owned() },
        ),
        (registry::<SWALLOWS_A_READ>(), Miss::File(".agents/new.txt".to_owned())),
        (registry::<SWALLOWS_A_LIST>(), Miss::List(".agents/new".to_owned())),
        (registry::<SWALLOWS_AN_APPROVAL>(), Miss::Approval("do something new".to_owned())),
    ] {
        let verdict = world.replayed_by(&ran.record, registry);
        assert_eq!(verdict, Verdict::Miss(vec![miss.clone()]));
        assert_eq!(verdict.exit_code(), 1);
        assert_eq!(verdict.to_string(), format!("miss\n  not on the tape: {miss}\n"));
    }
}

#[test]
fn a_panic_that_was_none_is_a_verdict_of_its_own() {
    let world = World::new();
    let ran = world.run(&["print a"]);
    let verdict = world.replayed_by(&ran.record, registry::<PANICS>());
    assert_eq!(verdict, Verdict::Panic);
    assert_eq!((verdict.exit_code(), verdict.to_string().as_str()), (1, "panic\n"));
}

#[test]
fn an_envelope_that_was_tampered_with_is_a_change() {
    let world = World::new();
    let mut ran = world.run(&["print a"]);
    ran.record.exit_code = 3;
    ran.record.duration_ms += 1;
    let verdict = world.replayed(&ran.record);
    let duration = |ms: u64| ms.to_string();
    let expected = [
        three("/exit_code", "3", "0"),
        three("/duration_ms", &duration(ran.record.duration_ms), &duration(ran.record.duration_ms)),
    ];
    // The duration is an input: the replay is given what the record says.
    assert_eq!(paths(&verdict), expected[..1]);
}
