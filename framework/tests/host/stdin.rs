//! Text on stdin: for the commands that take it, within its limit.

use serde_json::json;
use tapeline::Request;

use crate::world::World;

#[test]
fn stdin_is_refused_where_it_is_not_taken() {
    let world = World::new();
    for (line, name) in [("echo --text a", "echo"), ("help", "help"), ("file", "help")] {
        let ran = world.start(Request::new(line).stdin("text"));
        let ran =
            ran.fails("InvalidArgs", 2, &[&format!("`{name}` takes no stdin"), "leave stdin out"]);
        assert_eq!(world.value_of(&ran.record.stdin), json!("text"));
        assert_eq!(ran.envelope.stdout, "");
    }
}

#[test]
fn stdin_over_the_limit_of_the_spec_is_refused() {
    let world = World::new();
    world.start(Request::new("stdin").stdin("x".repeat(100))).ok();
    let ran = world.start(Request::new("stdin").stdin("汇".repeat(34)));
    let ran = ran.fails("LimitExceeded", 75, &["102 bytes"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("stdin"), &json!(100)));
}

#[test]
fn stdin_that_a_dash_asks_for_is_refused_without_it() {
    let world = World::new();
    let ran = world.start(Request::new("stdin-by-dash --in -").stdin("text")).ok();
    assert_eq!(ran.result["stdin"], "text");
    let ran = world.start(Request::new("stdin-by-dash --in file").stdin("text"));
    ran.fails("InvalidArgs", 2, &["only where a file is named `-`", "leave stdin out"]);
}

#[test]
fn empty_stdin_counts_as_none() {
    let world = World::new();
    assert_eq!(world.start(Request::new("stdin").stdin("")).ok().result["stdin"], json!(null));
    let ran = world.start(Request::new("echo --text a").stdin("")).ok();
    assert_eq!(world.value_of(&ran.record.stdin), json!(null));
}

#[test]
fn a_host_can_ask_which_lines_take_stdin() {
    let world = World::new();
    for (line, takes) in [
        ("stdin", true),
        ("stdin --help", true),
        ("stdin-by-dash --in -", true),
        ("stdin-by-dash --in=-", true),
        ("stdin-by-dash --in a-", false),
        ("stdin-by-dash --in '- '", false),
        ("echo --text a", false),
        ("a;b", false),
        ("help stdin", false),
    ] {
        assert_eq!(world.terminal.takes_stdin(line), takes, "{line}");
    }
    assert!(world.sink.records().is_empty());
}
