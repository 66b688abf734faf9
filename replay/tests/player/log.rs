//! A whole log, run again by another build.

use std::{fs, sync::Arc, time::Duration};

use serde_json::Value;
use tapeline::{Registry, Request};
use tapeline_replay::{Json, Kit};

use crate::{
    commands::{OTHER_FILES, OTHER_VALUE, PANICS, RECORDED, SWALLOWS_A_REQUEST, registry},
    secret_samples::samples,
    world::{World, be_the_second_process, called, line},
};

/// The day of all runs of a [`World`].
const FILE: &str = "2025-11-28.0001.jsonl";

/// Runs that answer, fail, ask for help and are no command.
fn world() -> (World, Vec<String>) {
    let world = World::new();
    let lines = [
        line(&["print a"]),
        line(&["fail no such thing"]),
        line(&["print b"]),
        "far away".to_owned(),
        line(&["print a"]),
        "helo x".to_owned(),
        "help far".to_owned(),
    ];
    let ids = lines.map(|line| world.request(Request::new(line)).record.run_id);
    (world, ids.to_vec())
}

/// Exit code and text of `log`.
fn log(world: &World, arguments: &[&str], registry: Arc<Registry>) -> (u8, String) {
    world.cli(&[&["log"], arguments].concat(), registry)
}

#[track_caller]
fn check(world: &World, arguments: &[&str], registry: Arc<Registry>, exit: u8, text: &str) {
    assert_eq!(log(world, arguments, registry), (exit, text.to_owned()));
}

/// Of what is said, the lines that count.
fn summary(world: &World, arguments: &[&str]) -> (u8, String) {
    let (exit, text) = log(world, arguments, registry::<OTHER_VALUE>());
    let counts = text.lines().find(|line| line.contains(" the same")).unwrap();
    (exit, counts.to_owned())
}

#[test]
fn a_build_that_answers_alike_changes_nothing() {
    let (world, _) = world();
    check(&world, &[], registry::<RECORDED>(), 0, "7 runs: 7 the same\n");
}

#[test]
fn what_changes_is_told_by_command_code_and_place() {
    let (world, ids) = world();
    let text = format!(
        "\
changed: 3 runs
  do, ok: 3 runs, the first {first}
    /result/steps/*
      2 × \"a\" → \"another value\"
      1 × \"b\" → \"another value\"
7 runs: 4 the same, 3 changed
look, with the same root: tapeline replay run {first}
make cases of the examples: tapeline replay log {audit} --promote-examples GROUP
",
        first = ids[0],
        audit = world.path("audit").display()
    );
    check(&world, &[], registry::<OTHER_VALUE>(), 1, &text);
}

#[test]
fn what_needs_more_than_the_tape_holds_stands_apart() {
    let (world, ids) = world();
    let (exit, text) = log(&world, &["--command", "do"], registry::<SWALLOWS_A_REQUEST>());
    let begin = format!(
        "\
needs more than the tape holds: 4 runs
  do, ok: 3 runs, the first {}
    answer to GET https://new.example/
  do, BadData: 1 run, the first {}
    answer to GET https://new.example/
4 runs: 0 the same, 4 need more than their tapes hold
",
        ids[0], ids[1]
    );
    assert!(text.starts_with(&begin), "{text}");
    assert_eq!(exit, 1);
}

#[test]
fn a_panic_is_told_of_its_command() {
    let (world, ids) = world();
    let (exit, text) = log(&world, &[], registry::<PANICS>());
    assert_eq!(exit, 1);
    let told = format!("panicked: 4 runs\n  do, ok: 3 runs, the first {}\n", ids[0]);
    assert!(text.starts_with(&told), "{text}");
}

#[test]
fn what_cannot_be_run_again_is_skipped_with_the_reason() {
    let world = World::with(|builder| builder.model("m", vec![1]));
    let skipped = world.run(&["model m"]).record.run_id;
    let told = format!(
        "skipped: 1 run\n  its tape is incomplete: a model's bytes are not on the tape: 1 run, \
         the first {skipped}\n"
    );
    let alone = format!("{told}1 run: 0 the same, 1 skipped\nnone of them could be run again\n");
    check(&world, &[], registry::<RECORDED>(), 2, &alone);
    world.run(&["print a"]);
    let among = format!("{told}2 runs: 1 the same, 1 skipped\n");
    check(&world, &[], registry::<RECORDED>(), 0, &among);
}

/// Puts these reasons in the records of so many runs, as one that a recording host found.
fn skipped_for(reasons: &[String]) -> (World, Vec<String>) {
    let world = World::with(|builder| builder.model("m", vec![1]));
    let ids = reasons.iter().map(|_| world.run(&["model m"]).record.run_id).collect();
    let path = world.path("audit/runs").join(FILE);
    let text = fs::read_to_string(&path).unwrap();
    let mut parts = text.split("a model's bytes are not on the tape");
    let first = parts.next().unwrap().to_owned();
    let of_reasons = parts.zip(reasons).map(|(part, reason)| format!("{reason}{part}"));
    fs::write(&path, of_reasons.fold(first, |text, part| text + &part)).unwrap();
    (world, ids)
}

#[test]
fn reasons_that_differ_in_names_and_numbers_alone_are_told_once() {
    let reasons: Vec<String> = (0..58)
        .map(|number| format!("`host{number}.example` answered with {number} bytes too many"))
        .collect();
    let (world, ids) = skipped_for(&reasons);
    let kind = "its tape is incomplete: `…` answered with … bytes too many";
    let first = format!("its tape is incomplete: {}", reasons[0]);
    let told = format!(
        "skipped: 58 runs\n  {kind}: 58 runs, the first {}\n    first: {first}\n\
         58 runs: 0 the same, 58 skipped\nnone of them could be run again\n",
        ids[0]
    );
    check(&world, &[], registry::<RECORDED>(), 2, &told);
    let (_, text) = log(&world, &["--json"], registry::<RECORDED>());
    let report: Value = serde_json::from_str(&text).unwrap();
    let groups = report["skipped"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!((&groups[0]["why"], &groups[0]["first_why"]), (&kind.into(), &first.into()));
    // Those that are the same are told as they are.
    let (world, ids) = skipped_for(&vec![reasons[7].clone(); 3]);
    let told = format!(
        "skipped: 3 runs\n  its tape is incomplete: {}: 3 runs, the first {}\n",
        reasons[7], ids[0]
    );
    let (_, text) = log(&world, &[], registry::<RECORDED>());
    assert!(text.starts_with(&told), "{text}");
}

#[test]
fn a_run_whose_secret_was_replaced_is_told_apart_from_what_changed() {
    let (_, token, _) = samples().swap_remove(0);
    let world = World::new().file("token.txt", &token);
    let why = "a secret was replaced in what it was given";
    // Where the placeholder stands in place of the secret, it is the same.
    world.run(&[&format!("print {token}"), &format!("?fail {token}")]);
    check(&world, &[], registry::<RECORDED>(), 0, "1 run: 1 the same\n");
    // The placeholder has another length.
    let line = format!("do length --key {token}");
    let first = world.request(Request::new(line)).record.run_id;
    world.run(&["read token.txt"]);
    let told = format!(
        "skipped: 2 runs\n  {why}: 2 runs, the first {first}\n3 runs: 1 the same, 2 skipped\n"
    );
    check(&world, &[], registry::<RECORDED>(), 0, &told);
    // Without one, a change is one.
    let changed = world.run(&["print a"]).record.run_id;
    let (exit, text) = log(&world, &[], registry::<OTHER_VALUE>());
    assert!(exit == 1 && text.contains(&format!("do, ok: 1 run, the first {changed}\n")), "{text}");
    assert!(text.contains(&format!("{why}: 3 runs")), "{text}");
}

#[test]
fn a_command_that_the_build_was_made_without_is_skipped() {
    let (world, ids) = world();
    let kit = Kit::new(registry::<RECORDED>()).root(world.path("")).left_out(&["far"]);
    let told = format!(
        "skipped: 1 run\n  this build was made without `far`: 1 run, the first {}\n\
         7 runs: 6 the same, 1 skipped\n",
        ids[3]
    );
    assert_eq!(called(&["log"], &kit), (0, told));
}

#[test]
fn a_run_that_does_not_end_holds_up_no_other() {
    let (world, ids) = world();
    let path = world.path("audit/runs").join(FILE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("'print a'", "hang", 1)).unwrap();
    let kit =
        Kit::new(registry::<RECORDED>()).root(world.path("")).patience(Duration::from_millis(300));
    let told = format!(
        "did not end: 1 run\n  do, ok: 1 run, the first {}\n7 runs: 6 the same, 1 did not end\n",
        ids[0]
    );
    assert_eq!(called(&["log"], &kit), (1, told));
}

#[test]
fn only_what_is_meant_is_run() {
    let (world, ids) = world();
    for (arguments, counts) in [
        (&["--command", "do"][..], (1, "4 runs: 1 the same, 3 changed")),
        (&["--command", "far away"], (0, "1 run: 1 the same")),
        (&["--command", "far"], (0, "1 run: 1 the same")),
        (&["--command", "help"], (0, "1 run: 1 the same")),
        // No command of that build: as the line has it.
        (&["--command", "helo"], (0, "1 run: 1 the same")),
        (&["--command", "fa"], (2, "0 runs: 0 the same")),
        (&["--since", "2025-11-28"], (1, "7 runs: 4 the same, 3 changed")),
        (&["--since", "2025-11-28T00:00:00Z"], (1, "7 runs: 4 the same, 3 changed")),
        (&["--since", "2025-11-28T00:00:00.001Z"], (2, "0 runs: 0 the same")),
        (&["--limit", "3"], (1, "3 runs: 2 the same, 1 changed")),
        (&["--limit", "100"], (1, "7 runs: 4 the same, 3 changed")),
        (&["--limit", "2", "--command", "do"], (1, "2 runs: 0 the same, 2 changed")),
    ] {
        assert_eq!(summary(&world, arguments), (counts.0, counts.1.to_owned()), "{arguments:?}");
    }
    let (_, text) = log(&world, &["--limit", "2", "--command", "do"], registry::<OTHER_VALUE>());
    assert!(text.contains(&format!("the first {}", ids[2])), "{text}");
    assert!(text.contains(" --command do --limit 2 --promote-examples GROUP"), "{text}");
    let (_, text) = log(&world, &["--limit", "0"], registry::<RECORDED>());
    assert!(text.contains("no run is meant"), "{text}");
}

#[test]
fn files_of_earlier_days_are_not_read() {
    let (world, _) = world();
    fs::write(world.path("audit/runs/2025-11-27.0001.jsonl"), "no record\n").unwrap();
    let told = "7 runs: 7 the same\n";
    check(&world, &["--since", "2025-11-28"], registry::<RECORDED>(), 0, told);
    let (exit, text) = log(&world, &[], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(text.contains("line 1 of `2025-11-27.0001.jsonl`"), "{text}");
}

#[test]
fn lines_that_are_no_records_are_told_and_torn_ones_are_no_damage() {
    let (world, _) = world();
    let path = world.path("audit/runs").join(FILE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"v\":1,\"seq\":8,\"run_")).unwrap();
    let torn = "1 line torn: a write did not come to its end, which is no damage\n";
    check(&world, &[], registry::<RECORDED>(), 0, &format!("7 runs: 7 the same\n{torn}"));
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(5, "no record");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let told = "no records: 1 line\n  the JSON is not what it should be: expected ident: 1 line, \
                the first line 6 of `2025-11-28.0001.jsonl`\n";
    let all = format!("{told}7 runs: 7 the same\n");
    check(&world, &[], registry::<RECORDED>(), 2, &all);
    // Numbered as in the file, wherever reading began.
    let last = format!("{told}3 runs: 3 the same\n");
    check(&world, &["--limit", "3"], registry::<RECORDED>(), 2, &last);
}

#[test]
fn a_path_is_a_root_a_log_or_a_file_of_one() {
    let (world, _) = world();
    let elsewhere = world.path("elsewhere.jsonl");
    let file = world.path("audit/runs").join(FILE);
    fs::copy(&file, &elsewhere).unwrap();
    for path in [world.path(""), world.path("audit"), world.path("audit/runs"), file] {
        let path = path.to_str().unwrap();
        check(&world, &[path], registry::<RECORDED>(), 0, "7 runs: 7 the same\n");
    }
    let (exit, text) = log(&world, &[elsewhere.to_str().unwrap()], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(text.starts_with("skipped: 7 runs\n  it needs blobs"), "{text}");
    let (exit, text) = log(&world, &["no-such-place"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(text.contains("there is no audit log"), "{text}");
}

#[test]
fn what_is_said_is_the_same_each_time() {
    let world = World::new();
    for number in 0..60 {
        world.run(&[&format!("print {}", number % 7)]);
    }
    let said = |arguments: &[&str]| log(&world, arguments, registry::<OTHER_VALUE>());
    let (text, json) = (said(&[]), said(&["--json"]));
    assert_eq!(text.0, 1);
    for _ in 0..4 {
        assert_eq!((said(&[]), said(&["--json"])), (text.clone(), json.clone()));
    }
}

#[test]
fn the_json_is_one_object_that_names_all_groups() {
    let (world, ids) = world();
    let (exit, text) = log(&world, &["--json"], registry::<OTHER_VALUE>());
    assert_eq!(exit, 1);
    assert!(Json::parse(text.trim_end()).is_ok() && text.lines().count() == 1, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["records"], &report["same"]), (&7.into(), &4.into()));
    let changed = &report["changed"];
    assert_eq!((&changed["records"], &changed["beyond"]), (&3.into(), &0.into()));
    let group = &changed["groups"][0];
    assert_eq!((&group["command"], &group["code"]), (&"do".into(), &"ok".into()));
    assert_eq!((&group["records"], &group["example"]), (&3.into(), &ids[0].clone().into()));
    let place = &group["places"][0];
    assert_eq!(place["path"], "/result/steps/*");
    assert_eq!(place["values"][0]["actual"], "\"another value\"");
    assert_eq!(place["values"][0]["records"], 2);
    let (_, text) = log(&world, &["--json"], registry::<SWALLOWS_A_REQUEST>());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["needs_more"]["groups"][0]["missing"], "answer to GET https://new.example/");
    assert_eq!(report["needs_more"]["records"], 4);
}

#[test]
fn an_example_becomes_a_case_that_differs_as_the_run_did() {
    be_the_second_process(registry::<OTHER_VALUE>());
    let (world, ids) = world();
    let promoting = ["--promote-examples", "shipped"];
    let (exit, text) = log(&world, &promoting, registry::<OTHER_VALUE>());
    let made = format!("shipped/do-result-steps: made of run {}\n", ids[0]);
    assert!(exit == 1 && text.contains(&made), "{text}");
    assert!(!text.contains("GROUP"), "{text}");

    let case = "shipped/do-result-steps";
    assert_eq!(world.cases(&[case], registry::<RECORDED>()), (0, String::new()));
    let (exit, text) = world.cases(&[case], registry::<OTHER_VALUE>());
    assert_eq!(exit, 1);
    let changed = format!("{case}: changed\nexpect/envelope.json /result/steps/0\n");
    assert!(text.starts_with(&changed), "{text}");
    assert_eq!(world.cli(&["accept", case], registry::<OTHER_VALUE>()).0, 0);
    assert_eq!(world.cases(&[case], registry::<OTHER_VALUE>()), (0, String::new()));

    let (exit, text) = log(&world, &promoting, registry::<OTHER_VALUE>());
    let taken = format!("{case}: not made of run {}: there is a case", ids[0]);
    assert!(exit == 2 && text.contains(&taken), "{text}");
}

#[test]
fn an_example_with_other_files_expects_what_the_record_knows_of_them() {
    be_the_second_process(registry::<OTHER_FILES>());
    let world = World::new();
    world.run(&["artifact kept.txt kept", "write other.txt other"]);
    let promoting = ["--promote-examples", "shipped"];
    let (_, text) = log(&world, &promoting, registry::<OTHER_FILES>());
    let case = "shipped/do-artifacts-bytes";
    assert!(text.contains(&format!("{case}: made of run")), "{text}");
    let (exit, text) = world.cases(&[case], registry::<OTHER_FILES>());
    assert_eq!(exit, 1);
    for place in ["envelope.json /artifacts/0/sha256", "workspace.json /.agents~1kept.txt/sha256"] {
        assert!(text.contains(place), "{text}");
    }
    // The record does not say what that file held.
    assert!(!text.contains("other.txt"), "{text}");
    assert_eq!(world.cli(&["accept", case], registry::<OTHER_FILES>()).0, 0);
    assert_eq!(world.cases(&[case], registry::<OTHER_FILES>()), (0, String::new()));
}

#[test]
fn an_example_that_needs_more_becomes_a_case_to_amend() {
    be_the_second_process(registry::<SWALLOWS_A_REQUEST>());
    let world = World::new();
    world.run(&["print a", "artifact kept.txt kept"]);
    let promoting = ["--promote-examples", "shipped"];
    let (exit, text) = log(&world, &promoting, registry::<SWALLOWS_A_REQUEST>());
    let case = "shipped/do-needs-answer-to-get-https-new-example";
    assert!(exit == 1 && text.contains(&format!("{case}: made of run")), "{text}");
    let (exit, text) = world.cases(&[case], registry::<SWALLOWS_A_REQUEST>());
    assert_eq!(exit, 1);
    assert!(text.starts_with(&format!("{case}: miss\n")), "{text}");
    assert_eq!(world.cases(&[case], registry::<RECORDED>()), (0, String::new()));
}
