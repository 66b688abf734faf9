//! What runs say, and lines that lead to no run.

use tapeline::{Limits, Request};
use tapeline_replay::Verdict;

use crate::world::{World, line, tape};

#[test]
fn outputs_that_spill_are_compared_whole() {
    let world = World::new();
    let ran = world.run(&["many 20000", "warn once", "big 70000"]);
    assert_eq!(ran.envelope.truncated.len(), 2, "{:?}", ran.envelope.truncated);
    assert_eq!(ran.envelope.artifacts.len(), 2);
    world.check(&ran, "");
}

#[test]
fn big_values_of_a_record_are_blobs() {
    let world = World::new();
    let ran = world.run(&["many 3000", "big 30000"]);
    assert!(ran.record.stdout.blob().is_some() && ran.record.result.blob().is_some());
    world.check(&ran, "");
    let long = format!("print {}", "y".repeat(6000));
    let ran = world.request(
        Request::new(line(&[&long])).label("note", "z".repeat(5000)).stdin("s".repeat(5000)),
    );
    assert!(ran.record.command.blob().is_some() && ran.record.labels.blob().is_some());
    assert!(ran.record.stdin.blob().is_some() && ran.record.parsed_command.blob().is_some());
    world.check(&ran, "");
}

#[test]
fn control_sequences_are_stripped_again() {
    let world = World::new();
    let ran = world.run(&["print 漢字 👩‍🚀 end", "warn  ä", "fail 漢字: too few"]);
    world.check(&ran, "BadData");
}

#[test]
fn failures_with_details_and_hints_come_again() {
    let world = World::new();
    let ran = world.run(&["print before", "fail no such thing"]);
    assert!(ran.envelope.result.get().contains(r#""at":7"#));
    world.check(&ran, "BadData");
}

#[test]
fn lines_that_lead_to_no_run_replay() {
    let world = World::new();
    for (line, code) in [
        ("", "InvalidCommandLine"),
        ("do \"open", "InvalidCommandLine"),
        ("do a; do b", "InvalidCommandLine"),
        ("do $(x)", "InvalidCommandLine"),
        ("do\nx", "InvalidCommandLine"),
        ("dp x", "UnknownCommand"),
        ("far way", "UnknownCommand"),
        ("do --nmber 1", "InvalidArgs"),
        ("do --number many", "InvalidArgs"),
        ("do --key", "InvalidArgs"),
        ("do --key hunter2-hunter2 --number hunter2-hunter2", "InvalidArgs"),
        ("do --overwrite", "InvalidArgs"),
        ("near", "InvalidArgs"),
        ("help", ""),
        ("help do", ""),
        ("help nothing", "UnknownCommand"),
        ("do --help", ""),
        ("far", ""),
        ("far help away", ""),
        ("far away -h", ""),
        ("plain", ""),
    ] {
        let ran = world.request(Request::new(line));
        world.check(&ran, code);
    }
    let ran = world.request(Request::new("x".repeat(9000)));
    world.check(&ran, "InvalidCommandLine");
}

#[test]
fn stdin_is_given_again() {
    let limits = Limits { stdin_bytes: 10, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits));
    let ran = world.request(Request::new("do stdin").stdin("ten bytes."));
    assert_eq!(ran.envelope.stdout, "Some(10)\n");
    world.check(&ran, "");
    let ran = world.request(Request::new("do stdin").stdin(""));
    world.check(&ran, "");
    let ran = world.request(Request::new("do stdin").stdin("eleven bytes"));
    world.check(&ran, "LimitExceeded");
    let ran = world.request(Request::new("plain").stdin("x"));
    world.check(&ran, "InvalidArgs");
    let ran = world.request(Request::new("nothing").stdin("x"));
    world.check(&ran, "UnknownCommand");
}

#[test]
fn labels_and_timeouts_are_given_again() {
    let world = World::new();
    let request = Request::new("do now").label("actor", "planner").label("b", "ä\"");
    let ran = world.request(request.timeout_ms(900_000_000));
    assert_eq!(ran.record.timeout_ms, 600_000);
    world.check(&ran, "");
    let limits = Limits { duration_ms: 20, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits));
    let ran = world.run(&["sleep 5000"]);
    assert!(ran.envelope.error_message.as_deref().unwrap().contains("20 ms"));
    world.check(&ran, "Timeout");
}

#[test]
fn a_panic_comes_again() {
    let world = World::new();
    let ran = world.run(&["print before", "panic as the test wants it"]);
    world.check(&ran, "Internal");
}

#[test]
fn a_worker_computes_again() {
    let world = World::new();
    let ran = world.run(&["worker", "now"]);
    assert!(ran.envelope.stdout.starts_with("42\n"));
    world.check(&ran, "");
}

#[test]
fn a_model_is_more_than_the_tape_holds() {
    let world = World::with(|builder| builder.model("ocr", [1, 2, 3]));
    let ran = world.run(&["model ocr"]);
    assert!(!tape(&ran.record, &world).complete);
    assert!(matches!(world.replayed(&ran.record), Verdict::Skipped(_)));
}

#[test]
fn an_output_that_cannot_be_kept_whole_is_cut_again() {
    let world = World::new().file("artifacts", "a file where a directory must be");
    let ran = world.run(&["many 20000", "big 70000"]);
    assert!(ran.envelope.artifacts.is_empty());
    assert!(ran.envelope.stdout.contains("could not be kept"));
    world.check(&ran, "");
}
