//! Cases that are run: every verdict, and what each file is for.

use std::{fs, path::Path, time::Duration};

use tapeline_replay::Kit;

use crate::{
    commands::{
        MORE_LINES, OTHER_HEADER, OTHER_VALUE, PANICS, RECORDED, SWALLOWS_A_LIST, SWALLOWS_A_READ,
        SWALLOWS_A_REQUEST, SWALLOWS_AN_APPROVAL, registry,
    },
    corpus::corpus,
    world::{World, files},
};

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
        let below = file.strip_prefix(&golden).unwrap().to_str().unwrap().to_owned();
        let owner = match below.starts_with("_blobs") {
            true => "one/files".to_owned(),
            false => below.split('/').take(2).collect::<Vec<_>>().join("/"),
        };
        fs::remove_file(&file).unwrap();
        assert_eq!(red(&world), [owner.as_str()], "without {below}");
        fs::write(&file, [whole.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(red(&world), [owner.as_str()], "{below} with a byte more");
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
            assert_eq!(
                red(&world),
                [file.split("/given").next().unwrap()],
                "{file} without {place}"
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
fn a_command_that_does_not_end_is_stuck() {
    let world = corpus();
    let case = world.path("golden/two/plain/given/case.json");
    let text = fs::read_to_string(&case).unwrap();
    fs::write(&case, text.replace("'print b'", "hang")).unwrap();
    let kit = Kit::new(registry::<RECORDED>()).patience(Duration::from_millis(300));
    let golden = world.path("golden");
    let (exit, out) =
        crate::world::called(&["two/plain", "--golden", golden.to_str().unwrap()], &kit);
    assert_eq!(exit, 1);
    assert!(out.starts_with("two/plain: stuck\n"), "{out}");
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
        assert!(out.contains(finding) && out.contains(": 1 finding\n"), "{path}: {out}");
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

/// The cases that are not `ok`.
fn red(world: &World) -> Vec<String> {
    let (_, out) = world.cli(&["--json"], registry::<RECORDED>());
    let red = out.lines().filter(|line| !line.contains(r#""verdict":"ok""#));
    red.map(|line| line.split('"').nth(3).unwrap().to_owned()).collect()
}
