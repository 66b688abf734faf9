//! Cases that are run: every verdict, and what each file is for.

use std::{fs, path::Path};

use tapeline::{ApprovalAnswer, Request, http::HttpFaultKind};
use tapeline_replay::Kit;

use crate::{
    commands::{
        FEWER_REQUESTS, MORE_LINES, OTHER_HEADER, OTHER_VALUE, PANICS, RECORDED, REQUESTS_FIRST,
        SWALLOWS_A_LIST, SWALLOWS_A_READ, SWALLOWS_A_REQUEST, SWALLOWS_AN_APPROVAL, registry,
    },
    world::{World, body, fault, files, line},
};

const URL: &str = "https://a.example/";

/// A few cases of every kind of input.
fn corpus() -> World {
    let second = "https://a.example/second";
    let world = World::new()
        .file("in.txt", "given")
        .file("bytes", [0xff, 0])
        .file("dir/a.txt", "a")
        .says(ApprovalAnswer::Denied)
        .answers(URL, body("1"))
        .answers(URL, body("2"))
        .answers(second, fault(HttpFaultKind::Reset));
    for (name, steps) in [
        (
            "one/answers",
            &["get https://a.example/", "get https://a.example/", "?get https://a.example/second"]
                [..],
        ),
        (
            "one/files",
            &["read in.txt", "read bytes", "?read none", "list dir", "write new.txt some text"],
        ),
        (
            "two/people",
            &["?approve jump", "lock queue 10", "warn a warning", "artifact made.txt made"],
        ),
        ("two/plain", &["print a", "print b"]),
        ("two/removal", &["read in.txt", "remove in.txt"]),
        ("two/failure", &["fail no such thing"]),
    ] {
        let ran = world.run(steps);
        world.promoted(&ran.record, name);
    }
    world
}

#[test]
fn a_sound_corpus_is_ok_and_has_nothing_to_find() {
    let world = corpus();
    assert_eq!(world.cli(&[], registry::<RECORDED>()), (0, "6 cases: 6 ok\n".to_owned()));
    assert_eq!(
        world.cli(&["check"], registry::<RECORDED>()),
        (0, "6 cases: 0 findings\n".to_owned())
    );
    assert_eq!(world.cli(&["two"], registry::<RECORDED>()), (0, "4 cases: 4 ok\n".to_owned()));
    assert_eq!(world.cli(&["*/p*"], registry::<RECORDED>()), (0, "2 cases: 2 ok\n".to_owned()));
    let (exit, out) = world.cli(&["three"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("`three` is no case here"), "{out}");
}

/// Each file of the corpus is needed: without it, exactly its case is red. With another content,
/// too, but for what is only told about a case.
#[test]
fn every_file_is_needed_by_its_case_alone() {
    let world = corpus();
    let golden = world.path("golden");
    for file in files(&golden) {
        let whole = fs::read(&file).unwrap();
        let red = || {
            let (_, out) = world.cli(&["--json"], registry::<RECORDED>());
            let red = out.lines().filter(|line| !line.contains(r#""verdict":"ok""#));
            let name = |line: &str| line.split('"').nth(3).unwrap().to_owned();
            red.map(name).collect::<Vec<_>>()
        };
        let below = file.strip_prefix(&golden).unwrap().to_str().unwrap().to_owned();
        let owner = match below.starts_with("_blobs") {
            true => "one/files".to_owned(),
            false => below.split('/').take(2).collect::<Vec<_>>().join("/"),
        };
        fs::remove_file(&file).unwrap();
        assert_eq!(red(), [owner.as_str()], "without {below}");
        fs::write(&file, [whole.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(red(), [owner.as_str()], "{below} with a byte more");
        fs::write(&file, &whole).unwrap();
    }
    assert_eq!(world.cli(&[], registry::<RECORDED>()).0, 0, "all as it was");
}

/// So is each answer, file and refusal that is given.
#[test]
fn every_entry_of_what_is_given_is_needed() {
    let world = corpus();
    for (file, count) in [
        ("one/answers/given/http.json", 3),
        ("one/files/given/workspace.json/files", 2),
        ("one/files/given/workspace.json/reads", 1),
        ("one/files/given/workspace.json/lists", 1),
        ("two/people/given/workspace.json/locks", 1),
        ("two/people/given/case.json/approvals", 1),
    ] {
        let (file, field) = file.split_once(".json").unwrap();
        let path = world.path("golden").join(format!("{file}.json"));
        let whole = fs::read(&path).unwrap();
        for place in 0..count {
            let mut json: serde_json::Value = serde_json::from_slice(&whole).unwrap();
            let entries = json.pointer_mut(field).unwrap().as_array_mut().unwrap();
            assert_eq!(entries.len(), count, "{file}{field}");
            entries.remove(place);
            fs::write(&path, serde_json::to_vec(&json).unwrap()).unwrap();
            let (_, out) = world.cli(&[], registry::<RECORDED>());
            assert!(
                out.contains("6 cases: 5 ok, 1") || out.contains(", 5 ok") || out.contains(" 5 ok"),
                "{file} without {place}: {out}"
            );
        }
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn what_a_build_does_otherwise_is_named_by_file_and_path() {
    let world = corpus();
    let (exit, out) = world.cli(&["two/plain"], registry::<OTHER_VALUE>());
    assert_eq!(exit, 1);
    assert!(out.contains("two/plain: changed\nexpect/envelope.json /result/steps/0\n"), "{out}");
    assert!(out.contains("accept"), "{out}");
    let (_, out) = world.cli(&["two/plain"], registry::<MORE_LINES>());
    assert!(out.contains("expect/stdout.txt\n    a\n    b\n  + one line more\n"), "{out}");
    let (_, out) = world.cli(&["one/answers"], registry::<OTHER_HEADER>());
    assert!(out.contains("expect/requests.json /0/headers/0\n"), "{out}");
    let (_, out) = world.cli(&["two/plain"], registry::<PANICS>());
    assert!(out.contains("two/plain: panic\n"), "{out}");
}

#[test]
fn what_is_missed_is_a_miss_though_the_command_swallows_it() {
    let world = corpus();
    for (registry, miss) in [
        (registry::<SWALLOWS_A_REQUEST>(), "answer to GET https://new.example/"),
        (registry::<SWALLOWS_A_READ>(), "file `.agents/new.txt`"),
        (registry::<SWALLOWS_A_LIST>(), "list of `.agents/new`"),
        (registry::<SWALLOWS_AN_APPROVAL>(), "approval to do something new"),
    ] {
        let (exit, out) = world.cli(&["two/plain"], registry);
        assert_eq!(exit, 1);
        assert!(out.starts_with(&format!("two/plain: miss\n  not on the tape: {miss}\n")), "{out}");
    }
}

#[test]
fn a_command_that_is_not_built_is_skipped_and_one_that_is_gone_is_not() {
    let world = corpus();
    let kit = Kit::new(registry::<RECORDED>()).left_out(&["do"]);
    let golden = world.path("golden");
    let (exit, out) =
        crate::world::called(&["two/plain", "--golden", golden.to_str().unwrap()], &kit);
    assert_eq!(exit, 2);
    assert!(out.starts_with("two/plain: skipped\n  this build was made without `do`\n"), "{out}");
    let kit = Kit::new(registry::<RECORDED>()).left_out(&["do more", "d", "plain"]);
    let (exit, _) =
        crate::world::called(&["two/plain", "--golden", golden.to_str().unwrap()], &kit);
    assert_eq!(exit, 0);
}

#[test]
fn what_differs_is_accepted_or_rejected_by_case_group_or_pattern() {
    let world = corpus();
    let (_, out) = world.cli(&[], registry::<OTHER_HEADER>());
    assert!(out.contains("5 ok") && out.contains("1 changed"), "{out}");
    let (_, out) = world.cli(&[], registry::<MORE_LINES>());
    assert!(out.contains("5 changed"), "{out}");
    assert!(world.path("target/replay-pending/two/plain/expect/stdout.txt").exists());

    let (exit, out) = world.cli(&["diff", "two/plain"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    assert!(out.contains("two/plain: changed\nexpect/stdout.txt\n"), "{out}");
    assert_eq!(world.cli(&["reject", "one"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["accept", "one"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    let (exit, out) = world.cli(&["accept", "two/*"], registry::<RECORDED>());
    assert_eq!((exit, out.lines().count()), (0, 3), "{out}");
    assert_eq!(world.cli(&["two"], registry::<MORE_LINES>()).0, 0);
    assert_eq!(world.cli(&["one"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("nothing is pending"), "{out}");
}

#[test]
fn a_case_that_is_ok_again_has_nothing_pending() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    assert!(world.path("target/replay-pending/two/plain").exists());
    world.cli(&["two/plain"], registry::<RECORDED>());
    assert!(!world.path("target/replay-pending/two/plain").exists());
}

#[test]
fn cases_are_never_taken_for_what_is_pending() {
    let world = corpus();
    let golden = world.path("golden");
    let before = files(&golden);
    let (exit, out) = world.cli(&["--pending", golden.to_str().unwrap()], registry::<MORE_LINES>());
    assert_eq!(exit, 2);
    assert!(out.contains("it has no `pending.json`, so it is not removed"), "{out}");
    assert_eq!(files(&golden), before);
}

#[test]
fn what_ci_kept_is_accepted_from_its_folder_unless_the_case_has_changed() {
    let world = corpus();
    let kept = world.path("kept");
    let kept = kept.to_str().unwrap();
    world.cli(&["two", "--pending", kept], registry::<MORE_LINES>());
    let title = world.path("golden/two/plain/given/case.json");
    let text = fs::read_to_string(&title).unwrap();
    fs::write(&title, text.replace("\"title\": \"", "\"title\": \"now ")).unwrap();
    let (exit, out) = world.cli(&["accept", "two", "--from", kept], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("two/failure: accepted") || out.contains("two/people: accepted"), "{out}");
    assert!(out.contains("the case was changed since it was run: run it again first"), "{out}");
    assert!(fs::read_to_string(&title).unwrap().contains("now "));
}

#[test]
fn provenance_and_given_stay_as_they_are_when_only_the_outcome_is_accepted() {
    let world = corpus();
    let given = world.path("golden/two/plain/given/case.json");
    let before = fs::read(&given).unwrap();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    world.cli(&["accept", "two/plain"], registry::<RECORDED>());
    assert_eq!(fs::read(&given).unwrap(), before);
}

#[test]
fn what_nobody_asks_for_any_more_is_dropped_by_accepting() {
    let world = corpus();
    let (exit, out) = world.cli(&["one/answers"], registry::<FEWER_REQUESTS>());
    assert_eq!(exit, 1);
    assert!(
        out.contains("given and not asked for\n  - \"answer to GET https://a.example/second\"\n"),
        "{out}"
    );
    let provenance = |world: &World| {
        let text = fs::read_to_string(world.path("golden/one/answers/given/case.json")).unwrap();
        text.split_once("provenance").unwrap().1.to_owned()
    };
    let before = provenance(&world);
    assert_eq!(world.cli(&["accept", "one/answers"], registry::<RECORDED>()).0, 0);
    assert_eq!(world.cli(&["one/answers"], registry::<FEWER_REQUESTS>()).0, 0);
    assert_eq!(world.cli(&["check"], registry::<RECORDED>()).0, 0);
    assert_eq!(provenance(&world), before);
    let http = fs::read_to_string(world.path("golden/one/answers/given/http.json")).unwrap();
    assert!(http.contains(URL) && !http.contains("second"), "{http}");
}

#[test]
fn nothing_but_changed_and_new_is_accepted() {
    let world = corpus();
    for registry in [registry::<SWALLOWS_A_READ>(), registry::<PANICS>()] {
        world.cli(&["two/plain"], registry);
        let (exit, out) = world.cli(&["accept", "*"], crate::commands::registry::<RECORDED>());
        assert_eq!(exit, 2, "{out}");
    }
}

#[test]
fn a_case_without_expectations_is_new_until_it_is_accepted() {
    let world = corpus();
    fs::remove_dir_all(world.path("golden/two/plain/expect")).unwrap();
    let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("two/plain: nothing is expected yet"), "{out}");
    let (exit, out) = world.cli(&["two/plain"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    assert!(out.starts_with("two/plain: new\n"), "{out}");
    world.cli(&["accept", "two/plain"], registry::<RECORDED>());
    assert_eq!(world.cli(&["two"], registry::<RECORDED>()).0, 0);
}

#[test]
fn many_misses_are_answered_at_once() {
    let world = corpus();
    let (_, out) = world.cli(&[], registry::<SWALLOWS_A_READ>());
    assert!(out.contains("6 miss"), "{out}");
    let (exit, out) =
        world.cli(&["amend", "two", "--absent", "new.txt"], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 0, "{out}");
    assert!(out.ends_with("4 of 4 cases amended\n"), "{out}");
    let from = world.path("from");
    fs::write(&from, "now there").unwrap();
    let file = format!(".agents/new.txt={}", from.display());
    let (exit, out) = world.cli(&["amend", "*", "--file", &file], registry::<SWALLOWS_A_READ>());
    // One writes to that very file: that it was there before is another outcome.
    assert_eq!(exit, 1, "{out}");
    assert!(out.contains("one/answers: amended; now ok\n"), "{out}");
    assert!(out.contains("one/files: amended; now changed\n"), "{out}");
    let (_, out) = world.cli(&[], registry::<SWALLOWS_A_READ>());
    assert!(out.contains("5 ok"), "{out}");
    world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!(world.cli(&[], registry::<SWALLOWS_A_READ>()).0, 0);

    let (_, out) = world.cli(&["two/plain"], registry::<RECORDED>());
    assert!(out.contains("given and not asked for\n  - \"file `.agents/new.txt`\""), "{out}");
    let answer = format!("https://new.example/={}", from.display());
    let (exit, out) =
        world.cli(&["amend", "one", "--answer", &answer], registry::<REQUESTS_FIRST>());
    assert_eq!(exit, 1, "amended, and other requests are made now: {out}");
    assert!(out.contains("amended; now changed"), "{out}");
}

#[test]
fn an_amendment_that_names_nothing_is_refused() {
    let world = corpus();
    let golden = world.path("golden");
    for arguments in [
        &["amend", "two"][..],
        &["amend", "two", "--file", "new.txt"],
        &["amend", "two", "--file", "new.txt=/no/such/file"],
        &["amend", "two", "--absent", "../x"],
        &["amend", "--absent", "x"],
    ] {
        assert!(
            crate::world::parsed(&[arguments, &["--golden", golden.to_str().unwrap()]].concat())
                .is_err()
        );
    }
}

#[test]
fn two_processes_agree_on_sound_cases_and_not_on_what_depends_on_them() {
    let world = corpus();
    assert_eq!(world.cli(&["--twice"], registry::<RECORDED>()).0, 0);
    let ran = world.run(&["print there"]);
    world.promoted(&ran.record, "two/where");
    let case = world.path("golden/two/where/given/case.json");
    let text = fs::read_to_string(&case).unwrap();
    fs::write(&case, text.replace("print there", "where")).unwrap();
    let (exit, out) = world.cli(&["two", "--twice"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    assert!(out.contains("two/where: unstable\n") && out.contains("5 cases: 4 ok"), "{out}");
}

#[test]
fn damage_is_found_without_running_anything() {
    let world = corpus();
    let golden = world.path("golden");
    let put = |path: &str, text: &str| {
        let path = golden.join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(path, text).unwrap();
    };
    let blob = format!("_blobs/{}/{}", "ab", "ab".repeat(32));
    for (path, text, finding) in [
        ("one/answers/given/http/03.txt", "stray", "nothing in the case names this file"),
        ("one/answers/given/http/01.txt", "other", "it has the SHA-256"),
        ("one/answers/given/http.json", "{", "the JSON is not what it should be"),
        ("one/answers/expect/envelope.json", "[]", "an envelope is an object"),
        (
            "two/plain/given/case.json",
            r#"{"format":2}"#,
            "its format is 2, this build reads up to 1",
        ),
        ("two/Plain_Case/given/case.json", "{}", "wants lower-case letters"),
        (&blob, "x", "no case refers to it"),
    ] {
        let before = fs::read(golden.join(path)).ok();
        put(path, text);
        let (exit, out) = world.cli(&["check"], registry::<PANICS>());
        assert_eq!(exit, 2);
        assert!(out.contains(finding) && out.contains(": 1 findings\n"), "{path}: {out}");
        match before {
            Some(before) => fs::write(golden.join(path), before).unwrap(),
            None if path.starts_with("two/Plain") => {
                fs::remove_dir_all(golden.join("two/Plain_Case")).unwrap()
            }
            None => fs::remove_file(golden.join(path)).unwrap(),
        }
    }
    assert_eq!(world.cli(&["check"], registry::<PANICS>()).0, 0);
}

#[test]
fn reports_for_programs_are_one_object_a_case() {
    let world = corpus();
    let (_, out) = world.cli(&["--json"], registry::<MORE_LINES>());
    let verdict = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        (
            report["case"].as_str().unwrap().to_owned(),
            report["verdict"].as_str().unwrap().to_owned(),
        )
    };
    let verdicts: Vec<_> = out.lines().map(verdict).collect();
    assert_eq!(verdicts.len(), 6);
    assert_eq!(verdicts[0], ("one/answers".to_owned(), "changed".to_owned()));
}

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
    assert!(out.contains("refused write of `.agents/elsewhere`"), "{out}");
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
