//! Cases that somebody wrote, or derived from another.

use std::fs;

use tapeline::Request;

use crate::{
    commands::{RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    world::{World, line},
};

const URL: &str = "https://a.example/";

/// By hand: a workspace that is closed, and nothing but what is needed.
#[test]
fn in_a_closed_workspace_what_is_not_given_is_absent() {
    let world = World::new().file("dir/sub/a.txt", "a").file("b.txt", "b");
    let steps = [
        "read b.txt",
        "list .agents",
        "list dir",
        "?read none",
        "?list none",
        "?read dir",
        "lock queue 5",
        "remove b.txt",
        "?remove b.txt",
        "write dir/c.txt c",
        "list dir",
    ];
    let ran = world.run(&steps);
    world.promoted(&ran.record, "hand/closed");
    let case = world.path("golden/hand/closed/given/case.json");
    let text = fs::read_to_string(&case).unwrap().replace("as-read", "closed");
    fs::write(&case, text).unwrap();
    let path = world.path("golden/hand/closed/given/workspace.json");
    fs::write(
        &path,
        r#"{"files":[{"path":".agents/b.txt","bytes":1,"sha256":"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"},
            {"path":".agents/dir/sub/a.txt","bytes":1,"sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}]}"#,
    )
    .unwrap();
    let files = world.path("golden/hand/closed/given/workspace");
    fs::create_dir_all(files.join("dir/sub")).unwrap();
    fs::write(files.join("b.txt"), "b").unwrap();
    fs::write(files.join("dir/sub/a.txt"), "a").unwrap();
    let (_, out) = world.cli(&["hand"], registry::<RECORDED>());
    // What a closed tree knows better: the file is new, not of unknown past.
    assert_eq!(
        out.lines().take(4).collect::<Vec<_>>(),
        [
            "hand/closed: changed",
            "expect/workspace.json /.agents~1dir~1c.txt/change",
            "  - \"written\"",
            "  + \"created\""
        ],
        "{out}"
    );
}

#[test]
fn a_derived_case_is_another_one_but_for_its_change() {
    let world = corpus();
    let derive = |name: &str, change: &str| {
        let given = world.path("golden").join(name).join("given");
        fs::create_dir_all(&given).unwrap();
        let base = if name.contains("people") { "two/people" } else { "one/answers" };
        let case = format!(r#"{{"format":1,"title":"t","base":"{base}","change":{change}}}"#);
        fs::write(given.join("case.json"), case).unwrap();
    };
    for (name, change, shows) in [
        ("derived/fault", r#"{"answers":[{"place":0,"fault":{"kind":"dns"}}]}"#, "NetworkError"),
        ("derived/timeout", r#"{"end":{"timeout":{"after_events":1}}}"#, "Timeout"),
        ("derived/cancel", r#"{"end":{"cancel":{"after_events":2}}}"#, "Cancelled"),
        ("derived/line", r#"{"command":"do 'fail it'"}"#, "BadData"),
        ("derived/clock", r#"{"command":"do 'now'","clock_start":86400000}"#, "\"86400000\""),
        (
            "derived/people-say-yes",
            r#"{"approvals":[{"action":"jump","answer":"approved","at_ms":3}]}"#,
            "\"approved\"",
        ),
        (
            "derived/people-full-disk",
            r#"{"writes":[{"path":".agents/made.txt","error":"full"}]}"#,
            "no space is left",
        ),
    ] {
        derive(name, change);
        let (_, out) = world.cli(&[name], registry::<RECORDED>());
        assert!(out.contains(": new\n"), "{name}: {out}");
        assert_eq!(world.cli(&["accept", name], registry::<RECORDED>()).0, 0);
        assert_eq!(world.cli(&[name], registry::<RECORDED>()).0, 0, "{name}");
        let envelope = world.path("golden").join(name).join("expect/envelope.json");
        let envelope = fs::read_to_string(envelope).unwrap();
        assert!(envelope.contains(shows), "{name}: {envelope}");
    }
    // A change that nothing asks for is no change.
    derive("derived/idle", r#"{"writes":[{"path":".agents/elsewhere","error":"full"}]}"#);
    world.cli(&["derived/idle"], registry::<RECORDED>());
    world.cli(&["accept", "derived/idle"], registry::<RECORDED>());
    let (exit, out) = world.cli(&["derived/idle"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    assert!(out.contains("what comes of writing `.agents/elsewhere`"), "{out}");
    for (change, why) in [
        (r#"{"answers":[{"place":7,"fault":{"kind":"dns"}}]}"#, "its base has no answer 7"),
        (r#"{"answers":[{"place":0,"fault":{"kind":"odd"}}]}"#, "`odd` is no fault"),
        (r#"{"odd":1}"#, "unknown field `odd`"),
    ] {
        derive("derived/broken", change);
        let (exit, out) = world.cli(&["derived/broken"], registry::<RECORDED>());
        assert_eq!(exit, 2);
        assert!(out.contains("broken") && out.contains(why), "{out}");
    }
    let chain = r#"{"format":1,"title":"t","base":"derived/fault","change":{}}"#;
    fs::write(world.path("golden/derived/broken/given/case.json"), chain).unwrap();
    let (_, out) = world.cli(&["derived/broken"], registry::<RECORDED>());
    assert!(out.contains("has a base itself"), "{out}");
    let (exit, out) = world
        .cli(&["amend", "derived/fault", "--absent", "new.txt"], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 2);
    assert!(out.contains("it is derived: amend `one/answers`"), "{out}");
    let (_, out) = world.cli(&["derived/fault"], registry::<SWALLOWS_A_READ>());
    assert!(out.contains("derived/fault: miss"), "{out}");
    let (_, out) =
        world.cli(&["amend", "one", "--absent", "new.txt"], registry::<SWALLOWS_A_READ>());
    assert!(out.contains("derived/fault: its base is amended; now ok"), "{out}");
    let (exit, out) = world.cli(&["diff", "derived/fault"], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 2, "its miss is forgotten: {out}");
    let (exit, out) = world.cli(&["derived/fault"], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 0, "{out}");
}

#[test]
fn a_run_that_was_stopped_is_a_case_that_stops() {
    let world = World::new().answers(URL, crate::world::Answer::Cancelled);
    let ran = world.request(Request::new(line(&["get https://a.example/"])));
    world.promoted(&ran.record, "group/stopped");
    let case = fs::read_to_string(world.path("golden/group/stopped/given/case.json")).unwrap();
    assert!(case.contains("\"cancel\": {"), "{case}");
    world.check(&ran, "Cancelled");
}
