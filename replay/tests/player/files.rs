//! Runs on the workspace: what was found, what was written, lists, locks.

use std::{fs, os::unix::fs::symlink};

use tapeline::{Limits, Policy, Request};
use tapeline_replay::Verdict;

use crate::world::{World, tape};

#[test]
fn files_are_read_from_the_tape() {
    let world = World::new().file("a/b.txt", "words").file("big.bin", vec![200; 9000]);
    let ran =
        world.run(&["read a/b.txt", "read .agents/big.bin", "read a/b.txt", "read-half big.bin"]);
    fs::remove_dir_all(world.path(".agents")).unwrap();
    world.check(&ran, "");
}

#[test]
fn what_is_no_file_is_refused_again() {
    let world = World::new().file("a/b.txt", "words");
    symlink("b.txt", world.path(".agents/a/link")).unwrap();
    let steps = [
        "?read none.txt",
        "?read a",
        "?read a/link",
        "?read a/b.txt/c",
        "?list none",
        "?list a/b.txt",
        "?remove none.txt",
        "?remove a",
        "?write a words",
        "?write a/b.txt/c words",
        "?write a/link words",
    ];
    let ran = world.run(&steps);
    assert!(!ran.envelope.stdout.contains("bytes:"), "{}", ran.envelope.stdout);
    world.check(&ran, "");
    for (step, code) in [
        ("read none.txt", "NotFound"),
        ("read a", "WorkspaceError"),
        ("read a/link", "PathEscapesAgentsRoot"),
        ("read ../x", "PathEscapesAgentsRoot"),
        ("write a words", "WorkspaceError"),
    ] {
        let ran = world.run(&[step]);
        world.check(&ran, code);
    }
}

#[test]
fn a_file_over_the_limit_is_not_read_again() {
    let limits = Limits { file_bytes: 10, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits)).file("long.txt", "eleven bytes");
    let ran = world.run(&["?read long.txt", "read long.txt"]);
    world.check(&ran, "LimitExceeded");
}

#[test]
fn a_run_reads_what_it_wrote() {
    let world = World::new().file("old.txt", "old");
    let ran = world.run(&[
        "read old.txt",
        "write old.txt new and longer",
        "read old.txt",
        "write deep/er/new.txt words",
        "read deep/er/new.txt",
        "abandon old.txt never there",
        "read old.txt",
        "remove old.txt",
        "?read old.txt",
        "?remove old.txt",
        "write old.txt again",
        "read old.txt",
    ]);
    assert!(ran.envelope.stdout.contains("14 bytes: new and longer"), "{}", ran.envelope.stdout);
    world.check(&ran, "");
}

#[test]
fn a_file_is_removed_unread() {
    let world = World::new().file("old.txt", "old");
    let ran = world.run(&["remove old.txt", "?read old.txt"]);
    world.check(&ran, "");
}

#[test]
fn lists_show_what_was_there_and_what_the_run_did() {
    let world = World::new().file("d/a.txt", "a").file("d/sub/b.txt", "b");
    symlink("a.txt", world.path(".agents/d/link")).unwrap();
    let ran = world.run(&[
        "list d",
        "write d/c.txt c",
        "write d/new/e.txt e",
        "list d",
        "remove d/a.txt",
        "remove d/c.txt",
        "remove d/new/e.txt",
        "list d",
        "?write d/link words",
        "list .agents",
    ]);
    world.check(&ran, "");
}

#[test]
fn a_list_after_writes_is_the_same_again() {
    let world = World::new().file("d/a.txt", "a");
    let ran = world.run(&["write d/b.txt b", "list d", "remove d/b.txt", "list d"]);
    world.check(&ran, "");
}

#[test]
fn a_directory_that_the_run_made_can_be_listed() {
    let world = World::new();
    let ran = world.run(&["?list d", "write d/a.txt a", "list d", "remove d/a.txt", "list d"]);
    world.check(&ran, "");
}

#[test]
fn a_directory_that_the_run_emptied_is_still_there() {
    let world = World::new().file("d/a.txt", "a");
    let ran = world.run(&["list d", "write d/new/e.txt e", "remove d/new/e.txt", "list d"]);
    world.check(&ran, "");
}

#[test]
fn locks_are_had_and_not_had_again() {
    let world = World::new();
    let ran = world.run(&["lock a 50", "unlock", "lock a 0", "lock b 0"]);
    world.check(&ran, "");
    let ran = world.run(&["lock a 50", "lock a 30"]);
    world.check(&ran, "LimitExceeded");
    let ran = world.run(&["lock a 50", "?lock a 30", "?lock a 0", "unlock", "lock a 30"]);
    assert!(ran.envelope.stdout.ends_with("unlocked\nlocked\n"), "{}", ran.envelope.stdout);
    world.check(&ran, "");
    let ran = world.run(&["lock a 0", "?lock a 30", "sleep 20", "unlock", "lock a 30"]);
    world.check(&ran, "");
    let ran = world.run(&["lock No! 0"]);
    world.check(&ran, "Internal");
}

#[test]
fn a_lock_that_cannot_be_had_at_all_fails_again() {
    let world = World::new();
    world.run(&["print open the log"]);
    fs::create_dir_all(world.path("audit/locks/a")).unwrap();
    let ran = world.run(&["lock a 50"]);
    world.check(&ran, "WorkspaceError");
}

#[test]
fn out_writes_a_new_file_and_refuses_an_old_one() {
    let world = World::new();
    let ran = world.request(Request::new("do --out new.txt 'save words'"));
    assert_eq!(ran.envelope.artifacts.len(), 1);
    world.check(&ran, "");
    let ran = world.request(Request::new("do --out new.txt 'save words'"));
    world.check(&ran, "OutExists");
    let ran = world.request(Request::new("do --out /new.txt 'save words'"));
    world.check(&ran, "PathEscapesAgentsRoot");
    let ran = world.request(Request::new("do --out new2.txt 'save words' 'save words'"));
    world.check(&ran, "OutExists");
    let ran = world.request(Request::new("do --out new3.txt '?read new3.txt' 'save words'"));
    world.check(&ran, "");
}

#[test]
fn artifacts_are_named_again() {
    let world = World::new();
    let ran = world.run(&["artifact a.txt words", "artifact a.txt other words", "read a.txt"]);
    assert_eq!(ran.envelope.artifacts.len(), 2);
    world.check(&ran, "");
}

#[test]
fn policy_and_limits_of_files_hold_again() {
    let mut policy = Policy::default();
    policy.read_files = false;
    let world = World::with(|builder| builder.policy(policy));
    let ran = world.run(&["write a words", "read a"]);
    world.check(&ran, "CapabilityDenied");
    let mut policy = Policy::default();
    policy.write_files = false;
    let world = World::with(|builder| builder.policy(policy));
    let ran = world.run(&["write a words"]);
    world.check(&ran, "CapabilityDenied");
    let limits = Limits { written_bytes: 10, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits));
    let ran = world.run(&["write a words", "?write b more words", "?read b", "write c x"]);
    assert!(ran.envelope.stdout.contains("LimitExceeded"));
    world.check_record(&ran.record);
    let ran = world.request(Request::new("plain --door workspace"));
    world.check(&ran, "CapabilityNotDeclared");
}

#[test]
fn files_do_not_move_the_clock() {
    let world = World::new().file("a.txt", "a");
    let ran = world.run(&["read a.txt", "list .agents", "write b b", "lock a 0", "now"]);
    assert!(ran.envelope.stdout.ends_with("\n1764288000000\n"), "{}", ran.envelope.stdout);
    assert_eq!(tape(&ran.record, &world).events.len(), 4);
    world.check(&ran, "");
}

#[test]
fn a_run_that_fails_once_its_out_is_open_replays() {
    let world = World::new().file("d/a.txt", "a");
    let ran = world.request(Request::new("do --out new.txt open-out open-out 'fail for a reason'"));
    world.check(&ran, "BadData");
    let ran = world.request(Request::new("do --out new.txt open-out 'sleep 5000'").timeout_ms(20));
    world.check(&ran, "Timeout");
    for out in ["d", "d/a.txt/b.txt"] {
        let ran = world.request(Request::new(format!("do --out {out} 'save words'")));
        world.check(&ran, "WorkspaceError");
    }
}

#[test]
fn more_than_a_tape_holds_is_skipped() {
    let world = World::new().file("long.bin", vec![7; 17 << 20]);
    let ran = world.run(&["read long.bin"]);
    assert!(matches!(world.replayed(&ran.record), Verdict::Skipped(_)));
}
