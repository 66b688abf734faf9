//! Runs that become cases, and runs that do not.

use tapeline::{ApprovalAnswer, Request};

use crate::{
    commands::{OTHER_VALUE, RECORDED, SWALLOWS_A_READ, registry},
    world::{World, answer, body, files, line},
};

/// Promoting says no, with the reason, and leaves nothing.
#[track_caller]
fn check_refused(
    world: &World,
    run_id: &str,
    registry: std::sync::Arc<tapeline::Registry>,
    why: &str,
) {
    let (exit, out) = world.cli(&["promote", run_id, "--as", "group/refused"], registry);
    assert_eq!(exit, 2, "{out}");
    assert!(out.starts_with("not promoted: ") && out.contains(why), "{out}");
    assert!(!world.path("golden/group/refused/given").exists());
}

#[test]
fn a_case_says_what_came_in_and_what_is_expected() {
    let url = "https://a.example/x";
    let world = World::new()
        .file("in.txt", "four")
        .says(ApprovalAnswer::Approved)
        .answers(url, answer(200, &[("content-type", "application/json")], r#"{"a":1}"#));
    let steps = [
        "read in.txt",
        "?read none.txt",
        "approve jump",
        "get https://a.example/x",
        "artifact out.txt hi",
    ];
    let request = Request::new(line(&steps)).label("actor", "planner").stdin("some");
    let ran = world.request(request);
    let (exit, out) = world.cli(
        &["promote", &ran.record.run_id, "--as", "group/whole", "--title", "all at once"],
        registry::<RECORDED>(),
    );
    assert_eq!(exit, 0, "{out}");
    let case = world.path("golden/group/whole");
    let listed: Vec<String> = files(&case)
        .iter()
        .map(|file| file.strip_prefix(&case).unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        listed,
        [
            "expect/envelope.json",
            "expect/requests.json",
            "expect/stdout.txt",
            "expect/workspace/out.txt",
            "expect/workspace.json",
            "given/case.json",
            "given/http/01.json",
            "given/http.json",
            "given/workspace/in.txt",
            "given/workspace.json",
        ]
    );
    let text = |file: &str| std::fs::read_to_string(case.join(file)).unwrap();
    assert_eq!(text("given/http/01.json"), r#"{"a":1}"#);
    assert_eq!(text("given/workspace/in.txt"), "four");
    assert_eq!(text("expect/workspace/out.txt"), "hi");
    assert_eq!(text("expect/stdout.txt"), ran.envelope.stdout);
    for (file, part) in [
        ("given/case.json", "\"title\": \"all at once\""),
        ("given/case.json", "\"workspace\": \"as-read\""),
        ("given/case.json", "\"stdin\": \"some\""),
        ("given/case.json", "\"actor\": \"planner\""),
        ("given/case.json", "\"answer\": \"approved\""),
        ("given/case.json", &format!("\"run_id\": \"{}\"", ran.record.run_id)),
        ("given/workspace.json", "\"absent\": true"),
        ("expect/workspace.json", "\"change\": \"written\""),
        ("expect/requests.json", "\"url\": \"https://a.example/x\""),
    ] {
        assert!(text(file).contains(part), "{file} lacks {part}:\n{}", text(file));
    }
    assert!(!text("expect/envelope.json").contains("\"stdout\""));
}

#[test]
fn long_and_binary_contents_lie_in_blobs() {
    let world = World::new()
        .file("bytes", [0xff, 0, 1])
        .answers("https://a.example/", body("x".repeat(70_000)));
    let ran = world.run(&["read bytes", "get https://a.example/"]);
    world.promoted(&ran.record, "group/blobs");
    let blobs = files(&world.path("golden/_blobs"));
    assert_eq!(blobs.len(), 2, "{blobs:?}");
    world.check(&ran, "");
    assert_eq!(files(&world.path("golden/_blobs")), blobs, "the second case shares them");
}

#[test]
fn an_incomplete_tape_is_refused() {
    let world = World::with(|builder| builder.model("m", vec![1]));
    let ran = world.run(&["model m"]);
    check_refused(&world, &ran.record.run_id, registry::<RECORDED>(), "incomplete");
    let world = World::with(tapeline::TerminalBuilder::without_tape);
    let ran = world.run(&["print a"]);
    check_refused(&world, &ran.record.run_id, registry::<RECORDED>(), "without a tape");
}

#[test]
fn a_build_that_answers_otherwise_is_refused() {
    let world = World::new();
    let ran = world.run(&["print a", "print b"]);
    check_refused(&world, &ran.record.run_id, registry::<OTHER_VALUE>(), "/result/steps");
    check_refused(&world, &ran.record.run_id, registry::<SWALLOWS_A_READ>(), "new.txt");
}

#[test]
fn a_run_that_depends_on_its_process_is_refused() {
    let world = World::new();
    let ran = world.run(&["where"]);
    check_refused(&world, &ran.record.run_id, registry::<RECORDED>(), "two processes differ");
}

#[test]
fn a_name_that_is_taken_or_none_is_refused() {
    let world = World::new();
    let ran = world.run(&["print a"]);
    world.promoted(&ran.record, "group/a");
    let before = files(&world.path("golden"));
    let (exit, out) =
        world.cli(&["promote", &ran.record.run_id, "--as", "group/a"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("there is a case `group/a` already"), "{out}");
    assert_eq!(files(&world.path("golden")), before);
    check_refused(&world, "01234567-none", registry::<RECORDED>(), "no run `01234567-none`");
}

#[test]
fn no_secret_reaches_a_case_and_its_places_may_differ() {
    let world = World::new().answers("https://a.example/", body("x"));
    let run = |steps: &[&str]| {
        world.request(Request::new(format!("{} --key hunter2-hunter2", line(steps))))
    };
    let ran = run(&["get-with-key https://a.example/", "key"]);
    world.check(&ran, "");
    // The secret's length is not its placeholder's.
    let ran = run(&["length"]);
    check_refused(&world, &ran.record.run_id, registry::<RECORDED>(), "/stdout");
}

#[test]
fn a_run_that_took_its_secret_for_more_than_a_text_says_that_it_was_the_secret() {
    let world = World::new().answers("https://a.example/", body("hunter2-hunter2"));
    let line = "do --key hunter2-hunter2 'get-with-key https://a.example/' 'length'";
    let ran = world.request(Request::new(line));
    check_refused(
        &world,
        &ran.record.run_id,
        registry::<RECORDED>(),
        "a placeholder stands for a secret",
    );
}
