//! A case under another name.

use std::{fs, path::Path};

use crate::{
    commands::{MORE_LINES, RECORDED, registry},
    corpus::corpus,
    world::{World, files},
};

/// Every file below a folder, and what it holds.
fn contents(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    files(folder).into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

fn derive(world: &World, name: &str, base: &str) {
    let given = world.path("golden").join(name).join("given");
    fs::create_dir_all(&given).unwrap();
    let case = format!(
        r#"{{"format":1,"title":"t","base":"{base}","change":{{"command":"do 'fail it'"}}}}"#
    );
    fs::write(given.join("case.json"), case).unwrap();
    world.cli(&[name], registry::<RECORDED>());
    assert_eq!(world.cli(&["accept", name], registry::<RECORDED>()).0, 0);
}

#[test]
fn a_case_and_those_derived_from_it_run_as_before() {
    let world = corpus();
    derive(&world, "derived/failing", "one/answers");
    derive(&world, "derived/other", "two/plain");
    let (exit, out) = world.cli(&["mv", "one/answers", "three/asked"], registry::<RECORDED>());
    assert_eq!(
        (exit, out.as_str()),
        (0, "one/answers: now three/asked\nderived/failing: its base is now three/asked\n")
    );
    assert!(!world.path("golden/one/answers").exists());
    assert_eq!(world.cli(&[], registry::<RECORDED>()), (0, "8 cases: 8 ok\n".to_owned()));
    assert_eq!(world.cli(&["check"], registry::<RECORDED>()).0, 0);
    // The last of its group takes the group along.
    assert_eq!(world.cli(&["mv", "three/asked", "three/again"], registry::<RECORDED>()).0, 0);
    assert_eq!(world.cli(&["mv", "three/again", "one/answers"], registry::<RECORDED>()).0, 0);
    assert!(!world.path("golden/three").exists());
    assert_eq!(world.cli(&[], registry::<RECORDED>()), (0, "8 cases: 8 ok\n".to_owned()));
}

#[test]
fn what_is_pending_goes_along() {
    let world = corpus();
    world.cli(&["two"], registry::<MORE_LINES>());
    assert_eq!(world.cli(&["mv", "two/plain", "new/plain"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["accept", "new"], registry::<RECORDED>());
    assert_eq!((exit, out.as_str()), (0, "new/plain: accepted\n"));
    assert_eq!(world.cli(&["new"], registry::<MORE_LINES>()).0, 0);
}

#[test]
fn what_is_pending_of_derived_cases_stays_fresh_and_what_was_stale_does_not_become_so() {
    let world = corpus();
    derive(&world, "derived/fresh", "two/plain");
    derive(&world, "derived/stale", "two/plain");
    for name in ["derived/fresh", "derived/stale"] {
        fs::remove_dir_all(world.path("golden").join(name).join("expect")).unwrap();
    }
    world.cli(&["derived"], registry::<RECORDED>());
    let stale = world.path("golden/derived/stale/given/case.json");
    let text = fs::read_to_string(&stale).unwrap();
    fs::write(&stale, text.replace("fail it", "fail them")).unwrap();
    assert_eq!(world.cli(&["mv", "two/plain", "new/plain"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert!(exit == 2 && out.starts_with("derived/fresh: accepted\nderived/stale: `"), "{out}");
    assert!(out.contains("run it again first"), "{out}");
    assert_eq!(world.cli(&["derived/fresh"], registry::<RECORDED>()).0, 0);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_takes_a_name_too() {
    let world = corpus();
    std::os::unix::fs::symlink(world.path("none"), world.path("golden/two/taken")).unwrap();
    let (exit, out) = world.cli(&["mv", "two/plain", "two/taken"], registry::<RECORDED>());
    assert!(exit == 2 && out.contains("there is a case of that name"), "{out}");
}

#[test]
fn what_cannot_be_moved_leaves_all_as_it_was() {
    let world = corpus();
    derive(&world, "derived/failing", "one/answers");
    let golden = world.path("golden");
    let before = contents(&golden);
    for (from, to, said) in [
        ("one/none", "one/new", "there is no such case"),
        ("one/answers", "one/files", "there is a case of that name"),
        ("one/answers", "one/answers", "there is a case of that name"),
    ] {
        let (exit, out) = world.cli(&["mv", from, to], registry::<RECORDED>());
        assert!(exit == 2 && out.contains(said), "{out}");
        assert_eq!(contents(&golden), before);
    }
    for name in ["one", "../out/x", "/one/x", "one/x/y", "One/x"] {
        assert!(crate::world::parsed(&["mv", "one/answers", name]).is_err(), "{name}");
    }
    // Whether it is derived cannot be known.
    let broken = golden.join("two/plain/given/case.json");
    let whole = fs::read(&broken).unwrap();
    fs::write(&broken, "{").unwrap();
    let (exit, out) = world.cli(&["mv", "one/answers", "one/new"], registry::<RECORDED>());
    assert!(exit == 2 && out.contains("two/plain/given/case.json"), "{out}");
    fs::write(&broken, whole).unwrap();
    assert_eq!(contents(&golden), before);
}

/// The last of the derived cases cannot be written: a folder lies where its file is to be.
#[test]
fn a_base_that_cannot_be_named_in_all_derived_cases_stays() {
    let world = corpus();
    derive(&world, "derived/failing", "one/answers");
    derive(&world, "derived/later", "one/answers");
    let golden = world.path("golden");
    let before = contents(&golden);
    // The temporary file of the second write, for as many tests as there may be in this process.
    let pid = std::process::id();
    let given = golden.join("derived/later/given");
    for number in 0..2000 {
        fs::create_dir(given.join(format!("case.new-{pid}-{number}"))).unwrap();
    }
    let (exit, out) = world.cli(&["mv", "one/answers", "three/asked"], registry::<RECORDED>());
    assert!(exit == 2 && out.contains("derived/later/given/case.json"), "{out}");
    assert_eq!(contents(&golden), before);
    assert!(!golden.join("three").exists());
}
