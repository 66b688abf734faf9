//! Several at work at once, and cases that hang together: all end whole.

use std::{
    fs::{self, File},
    thread,
};

use crate::{
    commands::{FEWER_REQUESTS, MORE_LINES, RECORDED, registry},
    corpus::corpus,
    pending::LOCK,
    world::{World, body, files},
};

/// Each case that is said to be accepted is, and once.
#[test]
fn accepts_at_once_leave_every_case_whole() {
    let world = corpus();
    for round in 0..4 {
        let (run, is_ok) = match round % 2 {
            0 => (registry::<MORE_LINES>(), registry::<MORE_LINES>()),
            _ => (registry::<RECORDED>(), registry::<RECORDED>()),
        };
        world.cli(&[], run);
        let accept = || world.cli(&["accept", "*"], registry::<RECORDED>());
        let said: Vec<(u8, String)> = thread::scope(|scope| {
            let accepts: Vec<_> = (0..4).map(|_| scope.spawn(accept)).collect();
            accepts.into_iter().map(|accept| accept.join().unwrap()).collect()
        });
        let all: String = said.iter().map(|(_, said)| said.as_str()).collect();
        assert_eq!(all.matches(": accepted\n").count(), 5, "{all}");
        assert_eq!(said.iter().filter(|(exit, _)| *exit == 0).count(), 1, "{all}");
        assert_eq!(all.matches("nothing is pending of `*`").count(), 3, "{all}");
        let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
        assert_eq!((exit, out.as_str()), (0, "6 cases: 0 findings\n"));
        assert_eq!(world.cli(&[], is_ok).0, 0);
    }
}

#[test]
fn an_accept_or_a_gc_during_runs_does_what_it_says() {
    let world = corpus();
    world.cli(&[], registry::<MORE_LINES>());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..4).for_each(|_| drop(world.cli(&[], registry::<MORE_LINES>()))));
        }
        scope.spawn(|| {
            for _ in 0..8 {
                let (exit, out) = world.cli(&["gc", "--apply"], registry::<RECORDED>());
                assert_eq!((exit, out.as_str()), (0, "nothing to remove\n"));
            }
        });
        for name in ["two/plain", "one/files", "two/people"] {
            let (exit, out) = world.cli(&["accept", name], registry::<RECORDED>());
            assert_eq!((exit, out), (0, format!("{name}: accepted\n")));
            assert_eq!(world.cli(&[name], registry::<MORE_LINES>()).0, 0, "{name}");
        }
    });
}

#[test]
fn who_waits_in_vain_says_so_and_changes_nothing() {
    let world = corpus();
    world.cli(&[], registry::<MORE_LINES>());
    let held = File::open(world.path(LOCK)).unwrap();
    held.lock().unwrap();
    let before = files(&world.path("golden"));
    let run = world.run(&["print a"]).record.run_id;
    let promote = ["promote", &run, "--as", "two/more"];
    thread::scope(|scope| {
        for verb in [
            &["accept", "*"][..],
            &["reject", "*"],
            &["amend", "*", "--absent", "x"],
            &["mv", "two/plain", "two/moved"],
            &["gc", "--apply"],
            &promote,
            &["faults", "two/plain", "--keep", "1", "--as", "two/fault"],
            &["two/plain"],
        ] {
            let world = &world;
            scope.spawn(move || {
                let (exit, out) = world.cli(verb, registry::<RECORDED>());
                assert!(exit == 2 && out.contains("another one is at work there: wait"), "{out}");
            });
        }
    });
    assert_eq!(files(&world.path("golden")), before);
    drop(held);
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!((exit, out.matches(": accepted\n").count()), (0, 5), "{out}");
}

/// Accepting a base writes again what both are given.
fn with_derived() -> World {
    let second = "https://a.example/second";
    let world = World::new().answers(second, body("2"));
    let ran = world.run(&["get https://a.example/second", "print a"]);
    world.promoted(&ran.record, "group/base");
    let (_, listed) = world.cli(&["faults", "group", "--list"], registry::<RECORDED>());
    let number = listed.lines().find(|line| line.contains("clock")).unwrap();
    let number = number.split_whitespace().find(|word| word.parse::<usize>().is_ok()).unwrap();
    for name in ["group/derived", "other/derived"] {
        let keep = ["faults", "group/base", "--keep", number, "--as", name];
        let (exit, out) = world.cli(&keep, registry::<RECORDED>());
        assert_eq!(exit, 0, "{out}");
    }
    let (_, out) = world.cli(&[], registry::<FEWER_REQUESTS>());
    assert!(out.contains("3 cases: 3 changed\n"), "{out}");
    world
}

#[test]
fn a_base_and_what_is_derived_from_it_are_accepted_together() {
    let world = with_derived();
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    let said = "group/derived: accepted\nother/derived: accepted\ngroup/base: accepted\n";
    assert_eq!((exit, out.as_str()), (0, said));

    let world = with_derived();
    let (exit, out) = world.asked(&["review"], &["a", "a", "a"]);
    assert!(exit == 0 && out.ends_with("3 cases accepted, 0 rejected, 0 left\n"), "{out}");
}

#[test]
fn what_is_pending_of_a_case_that_is_gone_says_what_forgets_it() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    fs::remove_dir_all(world.path("golden/two/plain")).unwrap();
    for verb in ["accept", "diff", "review"] {
        let (exit, out) = world.cli(&[verb, "two/plain"], registry::<RECORDED>());
        let said = "there is no such case any more: `reject` forgets what is pending of it";
        assert!(exit > 0 && out.contains(said), "{verb}: {out}");
    }
    assert_eq!(world.cli(&["reject", "two/plain"], registry::<RECORDED>()).0, 0);
}
