//! What differs: looked at, accepted, rejected; what is missed: amended.

use std::fs;

use crate::{
    commands::{
        FEWER_REQUESTS, MORE_LINES, OTHER_HEADER, PANICS, RECORDED, REQUESTS_FIRST,
        SWALLOWS_A_READ, registry,
    },
    corpus::corpus,
    world::{World, files},
};

const URL: &str = "https://a.example/";

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
    let linked = world.path("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&golden, &linked).unwrap();
    for pending in [
        golden.clone(),
        golden.join("below"),
        golden.join("none/../../golden/x"),
        world.path(""),
        linked.clone(),
        linked.join("below"),
    ] {
        if cfg!(not(unix)) && pending.starts_with(&linked) {
            continue;
        }
        for verb in [
            &[][..],
            &["gc", "--apply"],
            &["accept", "*"],
            &["reject", "*"],
            &["review"],
            &["report", "--markdown", "-"],
            &["mv", "two/plain", "two/moved"],
            &["amend", "*", "--absent", "x"],
        ] {
            let arguments = [verb, &["--pending", pending.to_str().unwrap()]].concat();
            let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
            assert!(exit == 2 && out.contains("is to lie apart from the cases"), "{out}");
            assert_eq!(files(&golden), before, "{arguments:?}");
        }
    }
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
fn what_is_nothing_to_accept_is_refused_with_its_verdict_and_what_to_do() {
    let world = corpus();
    let pending = world.path("target/replay-pending/two/plain/pending.json");
    for (registry, said) in [
        (
            registry::<SWALLOWS_A_READ>(),
            "two/plain: `miss` is nothing to accept\n  not on the tape: file `.agents/new.txt`\n  \
             answer what is missing: tapeline replay amend two/plain --absent PATH | \
             --file PATH=FROM | --answer URL=FILE\n",
        ),
        (
            registry::<PANICS>(),
            "two/plain: `panic` is nothing to accept\n  mend the command, then run the case again\n",
        ),
    ] {
        world.cli(&["two/plain"], registry);
        let (exit, out) = world.cli(&["accept", "*"], crate::commands::registry::<RECORDED>());
        assert_eq!((exit, out.as_str()), (2, said));
        assert!(!pending.with_file_name("expect").exists());
    }
    let given = world.path("golden/two/plain/given/workspace.json");
    fs::write(&given, "{").unwrap();
    world.cli(&["two/plain"], registry::<RECORDED>());
    let (exit, out) = world.cli(&["accept", "two"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("two/plain: `broken` is nothing to accept\n"), "{out}");
    assert!(out.ends_with("mend that, then run the case again\n"), "{out}");
    let (exit, out) = world.cli(&["diff", "two"], registry::<RECORDED>());
    assert!(exit == 1 && out.starts_with("two/plain: broken\n  `"), "{out}");
    fs::remove_file(given).unwrap();
    world.cli(&["two/plain"], registry::<RECORDED>());
    assert!(!pending.exists(), "it is ok again");
}

#[test]
fn what_is_unstable_is_refused_and_can_be_rejected() {
    let world = World::new();
    let ran = world.run(&["print there"]);
    world.promoted(&ran.record, "group/where");
    let case = world.path("golden/group/where/given/case.json");
    let text = fs::read_to_string(&case).unwrap().replace("'print there'\"", "where\"");
    fs::write(&case, text).unwrap();
    world.cli(&["--twice"], registry::<RECORDED>());
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert!(exit == 2 && out.contains("`unstable` is nothing to accept\n"), "{out}");
    assert_eq!(world.cli(&["reject", "*"], registry::<RECORDED>()).0, 0);
    assert!(!world.path("target/replay-pending/group/where").exists());
}

/// What is accepted beside it is accepted all the same.
#[test]
fn one_refusal_among_many_keeps_no_other_case_back() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<SWALLOWS_A_READ>());
    world.cli(&["one"], registry::<MORE_LINES>());
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("one/answers: accepted\none/files: accepted\ntwo/plain: `miss`"), "{out}");
    assert_eq!(world.cli(&["one"], registry::<MORE_LINES>()).0, 0);
}

#[test]
fn what_an_amended_case_comes_to_is_pending_at_once() {
    let world = corpus();
    let from = world.path("from");
    fs::write(&from, "now there").unwrap();
    world.cli(&["one"], registry::<SWALLOWS_A_READ>());
    let file = format!("new.txt={}", from.display());
    world.cli(&["amend", "one", "--file", &file], registry::<SWALLOWS_A_READ>());
    // That the file was there before is another outcome of one, and the other is ok.
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!((exit, out.as_str()), (0, "one/files: accepted\n"));
    assert_eq!(world.cli(&["one"], registry::<SWALLOWS_A_READ>()).0, 0);
}

#[test]
fn an_amendment_that_no_case_misses_says_so() {
    let world = corpus();
    let (exit, out) =
        world.cli(&["amend", "two", "--absent", "other.txt"], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("0 of 4 cases amended\nnone of them misses that"), "{out}");
    let (_, out) =
        world.cli(&["amend", "two/plain", "--absent", "x"], registry::<SWALLOWS_A_READ>());
    assert!(out.starts_with("0 of 1 case amended\n"), "{out}");
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
