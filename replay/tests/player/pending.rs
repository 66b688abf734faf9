//! What differs is kept whole or not at all, and what cannot be kept costs no verdict.

use std::{fs, path::Path, thread};

use crate::{
    commands::{MORE_LINES, RECORDED, registry},
    corpus::corpus,
    world::{World, called, files},
};

/// What who changes something holds.
pub(crate) const LOCK: &str = "target/replay-pending/.replay-lock";

const NOT_KEPT: &str = "what came could not be kept: ";

/// A file where a folder must be.
fn block(path: &Path) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "in the way").unwrap();
}

#[test]
fn what_cannot_be_kept_is_told_after_all_verdicts() {
    let world = corpus();
    block(&world.path("target/replay-pending/one"));
    let (exit, out) = world.cli(&[], registry::<MORE_LINES>());
    assert_eq!(exit, 2);
    let (verdicts, unkept) = out.split_once("6 cases: 5 changed, 1 ok\n").unwrap();
    assert!(
        verdicts.contains("one/answers: changed\n") && verdicts.contains("two/plain: changed\n")
    );
    assert!(unkept.contains(&format!("one/answers: {NOT_KEPT}`")), "{unkept}");
    assert_eq!(unkept.matches(NOT_KEPT).count(), 2, "{unkept}");
    // The others are.
    assert_eq!(world.cli(&["accept", "two"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["--json"], registry::<MORE_LINES>());
    assert_eq!((exit, out.lines().count()), (2, 8), "{out}");
    let unkept = out.lines().find(|line| line.starts_with(r#"{"case":"one/files","not_kept":""#));
    assert!(serde_json::from_str::<serde_json::Value>(unkept.unwrap()).is_ok(), "{out}");
    let page = world.path("report.md").display().to_string();
    let (exit, out) = world.cli(&["report", "--markdown", &page], registry::<MORE_LINES>());
    assert!(exit == 2 && out.contains(NOT_KEPT), "{out}");
    assert!(fs::read_to_string(page).unwrap().contains("one/files"));
}

#[test]
fn what_is_told_of_many_that_cannot_be_kept_is_bounded() {
    let world = World::new();
    let ran = world.run(&["print a"]);
    for number in 0..13 {
        world.promoted(&ran.record, &format!("group/case-{number}"));
    }
    block(&world.path("target"));
    let (exit, out) = world.cli(&[], registry::<MORE_LINES>());
    assert_eq!((exit, out.matches(NOT_KEPT).count()), (2, 10), "{out}");
    assert!(out.ends_with("\n… and 3 more could not be kept\n"), "{out}");
}

#[test]
fn where_nothing_is_to_be_kept_nothing_need_be_writable() {
    let world = corpus();
    block(&world.path("target"));
    assert_eq!(world.cli(&[], registry::<RECORDED>()), (0, "6 cases: 6 ok\n".to_owned()));
}

#[test]
fn a_secret_in_one_case_costs_no_verdict_of_the_others() {
    let world = corpus();
    let (_, token, _) = crate::secret_samples::samples().remove(0);
    // What is given is written again where some of it is dropped, and so looked at.
    let case = world.path("golden/one/files/given/case.json");
    let text = fs::read_to_string(&case).unwrap();
    let title = text.find("\"title\": \"").unwrap() + "\"title\": \"".len();
    let (before, after) = text.split_at(title);
    let after = after.replacen(" 'read in.txt'", "", 2);
    fs::write(&case, format!("{before}{token} {after}")).unwrap();
    let (exit, out) = world.cli(&[], registry::<MORE_LINES>());
    assert!(exit == 2 && out.contains("6 cases: 5 changed, 1 ok\n"), "{out}");
    assert!(out.contains(&format!("one/files: {NOT_KEPT}`")), "{out}");
    assert!(out.contains("holds what looks like a secret") && !out.contains(&token), "{out}");
    assert_eq!(out.matches(NOT_KEPT).count(), 1, "{out}");
}

#[test]
fn the_folder_of_somebody_else_is_never_removed() {
    let world = corpus();
    let foreign = world.path("target/replay-pending/two/plain/notes.txt");
    block(&foreign);
    let (exit, out) = world.cli(&[], registry::<MORE_LINES>());
    assert!(exit == 2 && out.contains("6 cases: 5 changed, 1 ok\n"), "{out}");
    let said = "it has no `pending.json`, so it is not removed: remove it, or give another \
                `--pending`\n";
    assert!(out.ends_with(said) && out.matches(NOT_KEPT).count() == 1, "{out}");
    for verb in [&["two/plain"][..], &["gc", "--apply"]] {
        assert_eq!(world.cli(verb, registry::<RECORDED>()).0, 0);
    }
    assert_eq!(files(foreign.parent().unwrap()), std::slice::from_ref(&foreign));
    assert!(!world.cli(&["check"], registry::<RECORDED>()).1.contains("notes"));
}

/// As a kill leaves it: what is written or removed has another name meanwhile.
#[test]
fn what_an_interrupted_run_left_is_in_nobodys_way_until_gc_removes_it() {
    let world = corpus();
    let left = world.path("target/replay-pending/two/plain.new-12-3");
    block(&left.join("expect/stdout.txt"));
    let (exit, out) = world.cli(&["two/plain"], registry::<MORE_LINES>());
    assert!(exit == 1 && out.contains("1 case: 1 changed\n"), "{out}");
    assert!(!out.contains(NOT_KEPT), "{out}");
    let (exit, out) = world.cli(&["gc"], registry::<RECORDED>());
    let said =
        "two/plain.new-12-3: a write or a removal that was cut off left it\n1 thing to remove";
    assert!(exit == 1 && out.contains(said), "{out}");
    assert_eq!(world.cli(&["gc", "--apply"], registry::<RECORDED>()).0, 0);
    assert!(!left.exists());
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!((exit, out.as_str()), (0, "two/plain: accepted\n"));
}

#[test]
fn nothing_is_left_beside_what_is_kept() {
    let world = corpus();
    for _ in 0..2 {
        world.cli(&[], registry::<MORE_LINES>());
        let kept = files(&world.path("target/replay-pending"));
        assert!(kept.len() >= 10);
        let left = kept.iter().find(|file| file.to_str().unwrap().contains("new-"));
        assert_eq!(left, None);
    }
    world.cli(&[], registry::<RECORDED>());
    assert_eq!(files(&world.path("target")), [world.path(LOCK)]);
}

#[test]
fn runs_at_once_in_one_folder_have_their_verdicts_and_leave_one_of_theirs() {
    let world = corpus();
    let golden = world.path("golden");
    let run = || {
        let kit = tapeline_replay::Kit::new(registry::<MORE_LINES>());
        called(&["--golden", golden.to_str().unwrap()], &kit)
    };
    thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| [run(), run(), run()])).collect();
        for (exit, out) in runs.into_iter().flat_map(|runs| runs.join().unwrap()) {
            assert!(exit == 1 && out.contains("6 cases: 5 changed, 1 ok\n"), "{out}");
        }
    });
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!((exit, out.matches(": accepted\n").count()), (0, 5), "{out}");
    assert_eq!(world.cli(&["gc"], registry::<RECORDED>()).0, 0);
}
