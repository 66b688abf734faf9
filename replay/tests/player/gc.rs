//! What nothing needs is found and removed, and nothing else.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    commands::{FEWER_REQUESTS, MORE_LINES, RECORDED, registry},
    corpus::corpus,
    world::{World, body, files},
};

fn put(world: &World, path: &str, text: &str) {
    let path = world.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Every file of the cases and of what is pending, and what it holds.
fn contents(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = ["golden", "target"].into_iter().filter(|folder| world.path(folder).exists());
    let all = all.flat_map(|folder| files(&world.path(folder)));
    all.map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

fn gc(world: &World, arguments: &[&str]) -> (u8, String) {
    let (exit, out) = world.cli(&[&["gc"], arguments].concat(), registry::<RECORDED>());
    let root = format!("{}/", world.path("").display().to_string().trim_end_matches('/'));
    (exit, out.replace(&root, ""))
}

#[test]
fn a_corpus_that_is_whole_and_what_waits_of_it_stay() {
    let world = corpus();
    assert_eq!(gc(&world, &[]), (0, "nothing to remove\n".to_owned()));
    world.cli(&[], registry::<MORE_LINES>());
    let before = contents(&world);
    assert_eq!(gc(&world, &["--apply"]), (0, "nothing to remove\n".to_owned()));
    assert_eq!(contents(&world), before);
}

#[test]
fn what_nothing_needs_is_listed_and_then_removed() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    let before = contents(&world);
    let orphan = format!("golden/_blobs/ab/{}", "ab".repeat(32));
    put(&world, &orphan, "nobody's");
    put(&world, "golden/_blobs/ab/abcd.new-12-3", "half");
    put(&world, "golden/one/files/.expect-old/envelope.json", "{}");
    put(&world, "golden/one/answers/.given-new/case.json", "{}");
    put(&world, "golden/two/people/given/case.new-7-0", "{");
    put(&world, "golden/two/never/.given-new/case.json", "{");
    put(&world, "target/replay-pending/two/gone/pending.json", "{}");
    fs::create_dir_all(world.path("golden/empty/folder")).unwrap();
    let listed = format!(
        "golden/_blobs/ab/{}: no case refers to it
golden/_blobs/ab/abcd.new-12-3: a write that was cut off left it
golden/empty: it is empty
golden/one/answers/.given-new: a write that was cut off left it
golden/one/files/.expect-old: a write that was cut off left it
golden/two/never/.given-new: a write that was cut off left it
golden/two/people/given/case.new-7-0: a write that was cut off left it
target/replay-pending/two/gone: there is no such case any more
8 things",
        "ab".repeat(32)
    );
    let with_all = contents(&world);
    let hint = format!("{listed} to remove: tapeline replay gc --apply\n");
    assert_eq!(gc(&world, &[]), (1, hint));
    let (_, in_full) = world.cli_in_full(&["gc"], registry::<RECORDED>());
    let line = format!("tapeline replay gc --apply --golden {}\n", world.path("golden").display());
    assert!(in_full.ends_with(&line), "the line that is offered calls up other cases: {in_full}");
    assert_eq!(contents(&world), with_all, "nothing is removed unless asked for");
    assert_eq!(gc(&world, &["--apply"]), (0, format!("{listed} removed\n")));
    assert_eq!(contents(&world), before);
    for gone in ["golden/empty", "golden/_blobs/ab", "golden/two/never"] {
        assert!(!world.path(gone).exists(), "{gone}");
    }
    assert_eq!(gc(&world, &[]), (0, "nothing to remove\n".to_owned()));
    assert_eq!(world.cli(&["check"], registry::<RECORDED>()).0, 0);
}

#[test]
fn a_folder_without_a_case_is_none_of_cases() {
    let world = World::new();
    for file in ["golden/.git/HEAD", "golden/refs/heads/main", "golden/_blobs/ab/x", "golden/x"] {
        put(&world, file, "x");
    }
    for folder in ["golden/refs/tags", "golden/objects/info"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    let before = contents(&world);
    let (exit, out) = gc(&world, &["--apply"]);
    assert!(exit == 2 && out.contains("`golden`: there are no cases: "), "{out}");
    assert_eq!(contents(&world), before);
    assert!(world.path("golden/refs/tags").exists() && world.path("golden/objects/info").exists());
}

#[test]
fn what_is_hidden_beside_cases_is_of_others() {
    let world = corpus();
    fs::create_dir_all(world.path("golden/.git/refs/tags")).unwrap();
    assert_eq!(gc(&world, &["--apply"]), (0, "nothing to remove\n".to_owned()));
    assert!(world.path("golden/.git/refs/tags").exists());
}

#[test]
fn what_is_pending_of_a_case_that_is_empty_goes_with_it() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    for part in ["given", "expect"] {
        fs::remove_dir_all(world.path("golden/two/plain").join(part)).unwrap();
    }
    let (exit, out) = gc(&world, &["--apply"]);
    assert!(exit == 0 && out.ends_with("2 things removed\n"), "{out}");
    assert_eq!(gc(&world, &[]), (0, "nothing to remove\n".to_owned()));
}

#[test]
fn blobs_stay_as_long_as_a_case_cannot_be_read() {
    let world = corpus();
    let case = "golden/one/files/given/workspace.json";
    let whole = fs::read_to_string(world.path(case)).unwrap();
    put(&world, "golden/one/answers/.given-new/case.json", "{}");
    for (path, text) in
        [(case, "{"), (case, ""), ("golden/one/files/given/stray", "x"), ("golden/one/Odd/x", "x")]
    {
        put(&world, path, text);
        let before = contents(&world);
        let (exit, out) = gc(&world, &["--apply"]);
        assert_eq!(exit, 2, "{out}");
        let said = "what these need is not known, so no blob of theirs is removed";
        assert!(out.contains("golden/one/files/") || out.contains("one/Odd: "), "{out}");
        assert!(out.contains(said), "{out}");
        let mut after = before.clone();
        after.retain(|path, _| !path.ends_with(".given-new/case.json"));
        assert_eq!(contents(&world), after, "{path}");
        match path == case {
            true => put(&world, case, &whole),
            false => fs::remove_file(world.path(path)).unwrap(),
        }
    }
    assert_eq!(gc(&world, &["--apply"]).0, 0);
    assert_eq!(world.cli(&[], registry::<RECORDED>()).0, 0);
}

/// A write moves the old folder away, then the new one in its place, and that for each folder.
#[test]
fn what_a_case_may_still_need_of_a_write_that_was_cut_off_stays() {
    for state in [
        &["given", ".expect-old", ".expect-new"][..],
        &["given", ".given-old", "expect", ".expect-new"],
        &["given", ".expect-old"],
        &["given", ".expect-new"],
    ] {
        let world = corpus();
        let case = world.path("golden/two/plain");
        for folder in state {
            let whole = if folder.contains("given") { "given" } else { "expect" };
            copy(&world.path("golden/two/plain").join(whole), &case.join(folder));
        }
        for part in ["given", "expect"].iter().filter(|part| !state.contains(part)) {
            fs::remove_dir_all(case.join(part)).unwrap();
        }
        let before = contents(&world);
        let (exit, out) = gc(&world, &["--apply"]);
        assert!(exit == 2 && out.contains("its writing was cut off half way"), "{state:?}: {out}");
        assert_eq!(contents(&world), before, "{state:?}");
    }
}

#[test]
fn what_is_not_known_to_be_pending_is_left_alone() {
    let (world, other) = (corpus(), corpus());
    let blobs = other.path("golden/_blobs");
    assert!(!files(&blobs).is_empty() || blobs.exists());
    let before = files(&other.path(""));
    let golden = other.path("golden").display().to_string();
    for verb in [&["gc", "--apply"][..], &[], &["accept", "*"]] {
        let arguments = [verb, &["--pending", &golden]].concat();
        let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
        let said = "is a folder of cases, and what is pending is to lie apart from them";
        assert!(exit == 2 && out.contains(said), "{out}");
        assert_eq!(files(&other.path("")), before);
    }
    put(&other, "blobs/_blobs/ab/x", "of somebody else");
    let arguments = ["--apply", "--pending", &other.path("blobs").display().to_string()];
    let (exit, out) = gc(&world, &arguments);
    assert!(
        exit == 2 && out.contains("nothing shows that it lies in a folder of what is"),
        "{out}"
    );
    assert_eq!(files(&other.path("blobs")), [other.path("blobs/_blobs/ab/x")]);
}

fn copy(from: &Path, to: &Path) {
    if from == to {
        return;
    }
    for file in files(from) {
        let to = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file, to).unwrap();
    }
}

#[test]
fn blobs_of_what_is_pending_stay_until_it_is_settled() {
    let world = with_blob_and_fewer_requests();
    let blobs = world.path("target/replay-pending/_blobs");
    assert_eq!(files(&blobs).len(), 1);
    assert_eq!(gc(&world, &["--apply"]).0, 0);
    assert_eq!(files(&blobs).len(), 1);
    assert_eq!(world.cli(&["accept", "*"], registry::<RECORDED>()).0, 0);
    let (exit, out) = gc(&world, &["--apply"]);
    assert!(exit == 0 && out.contains("no case refers to it\n1 thing removed\n"), "{out}");
    assert!(!blobs.exists());
    assert_eq!(world.cli(&["group"], registry::<FEWER_REQUESTS>()).0, 0);
}

/// A case that is given what lies in `_blobs`, and whose given is written again by accepting.
pub(crate) fn with_blob_and_fewer_requests() -> World {
    let second = "https://a.example/second";
    let world = World::new().file("bytes", [0xff, 0]).answers(second, body("2"));
    let ran = world.run(&["read bytes", "get https://a.example/second"]);
    world.promoted(&ran.record, "group/both");
    world.cli(&["group"], registry::<FEWER_REQUESTS>());
    world
}
