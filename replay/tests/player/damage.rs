//! Damage, failure half way and hostile cases: nothing is lost, and nothing wrong passes.

use std::{fs, path::Path};

use proptest::prelude::*;
use tapeline::{NetworkOptions, Request};

use crate::{
    commands::{MORE_LINES, RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    world::{World, body, called, files, line},
};

const SHA_OF_A: &str = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";

/// Writes a text in place of another in a file of a case.
#[track_caller]
fn edit(world: &World, file: &str, from: &str, to: &str) {
    let path = world.path("golden").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[track_caller]
fn check_ok(world: &World, name: &str) {
    assert_eq!(world.cases(&[name], registry::<RECORDED>()), (0, String::new()));
}

#[test]
fn a_case_is_enough_once_the_root_is_gone() {
    let world = corpus();
    fs::remove_dir_all(world.path("audit")).unwrap();
    fs::remove_dir_all(world.path(".agents")).unwrap();
    assert_eq!(world.cli(&["--twice"], registry::<RECORDED>()), (0, "6 cases: 6 ok\n".to_owned()));
}

#[test]
fn what_cannot_be_written_leaves_the_case_as_it_was() {
    let world = World::new().file("new.txt/x", "below");
    let ran = world.run(&["read new.txt/x"]);
    world.promoted(&ran.record, "group/below");
    let before = files(&world.path("golden"));
    let from = world.path("from");
    fs::write(&from, "a file where a directory must be").unwrap();
    let file = format!("new.txt={}", from.display());
    let (exit, out) =
        world.cli(&["amend", "group", "--file", &file], registry::<SWALLOWS_A_READ>());
    assert_eq!(exit, 2, "{out}");
    assert_eq!(files(&world.path("golden")), before);
    check_ok(&world, "group");
}

#[test]
fn accepting_drops_the_locks_and_refusals_that_are_left_over_and_no_others() {
    let world = World::new().file("dir/a.txt", "a");
    for (name, steps, fewer) in [
        ("group/locks", &["lock a 50", "unlock", "lock a 50"][..], &["lock a 50", "unlock"][..]),
        ("group/writes", &["?write dir words", "?write dir more"], &["?write dir words"]),
    ] {
        let ran = world.run(steps);
        world.promoted(&ran.record, name);
        edit(&world, &format!("{name}/given/case.json"), &line(steps), &line(fewer));
        edit(&world, &format!("{name}/given/case.json"), &line(steps), &line(fewer));
        let (exit, out) = world.cli(&[name], registry::<RECORDED>());
        assert!(exit == 1 && out.contains("given and not asked for"), "{out}");
        assert_eq!(world.cli(&["accept", name], registry::<RECORDED>()).0, 0);
        check_ok(&world, name);
    }
}

#[test]
fn accepting_that_an_address_is_denied_keeps_where_its_name_leads() {
    let network = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
    let world = World::with(|builder| builder.network(network))
        .resolves("inside.example", &["10.0.0.1"])
        .answers("https://inside.example/", body("inside"));
    let ran = world.run(&["?get https://inside.example/"]);
    world.promoted(&ran.record, "group/inside");
    let case = "group/inside/given/case.json";
    edit(&world, case, "\"allow_private\": true", "\"allow_private\": false");
    let (exit, out) = world.cli(&["group/inside"], registry::<RECORDED>());
    assert!(exit == 1 && out.contains("given and not asked for"), "{out}");
    assert_eq!(world.cli(&["accept", "group/inside"], registry::<RECORDED>()).0, 0);
    check_ok(&world, "group/inside");
    let http = fs::read_to_string(world.path("golden/group/inside/given/http.json")).unwrap();
    assert!(http.contains("\"address_denied\"") && http.contains("10.0.0.1"), "{http}");
}

#[test]
fn what_is_unstable_is_not_pending() {
    let world = World::new();
    let ran = world.run(&["print there"]);
    world.promoted(&ran.record, "group/where");
    edit(&world, "group/where/given/case.json", "'print there'\"", "where\"");
    edit(&world, "group/where/given/case.json", "'print there'\"", "where\"");
    let (exit, out) = world.cli(&["--twice"], registry::<RECORDED>());
    assert!(exit == 1 && out.contains("unstable"), "{out}");
    let (exit, out) = world.cli(&["accept", "*"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
}

#[test]
fn what_came_of_a_derived_case_is_not_accepted_once_its_base_has_changed() {
    let world = corpus();
    let given = world.path("golden/derived/line/given");
    fs::create_dir_all(&given).unwrap();
    let case = r#"{"format":1,"title":"t","base":"two/plain","change":{"command":"do uuid"}}"#;
    fs::write(given.join("case.json"), case).unwrap();
    world.cli(&["derived"], registry::<RECORDED>());
    edit(&world, "two/plain/given/case.json", "\"seed\": ", "\"seed\": 1");
    let (exit, out) = world.cli(&["accept", "derived"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("run it again first"), "{out}");
}

#[cfg(unix)]
#[test]
fn links_in_cases_are_broken_and_tell_nothing_of_where_they_lead() {
    let world = corpus();
    let elsewhere = world.path("elsewhere");
    let golden = world.path("golden");
    let blob = files(&golden.join("_blobs")).remove(0);
    for place in [
        golden.join("one/files/expect/stdout.txt"),
        golden.join("one/files/expect/added"),
        golden.join("one/files/expect"),
        golden.join("one/files/given/workspace/in.txt"),
        blob,
    ] {
        let there = place.exists();
        match there {
            true => fs::rename(&place, &elsewhere).unwrap(),
            false => fs::write(&elsewhere, "not for everybody").unwrap(),
        }
        std::os::unix::fs::symlink(&elsewhere, &place).unwrap();
        let (exit, out) = world.cli(&["one"], registry::<MORE_LINES>());
        let said = format!("`{}`: it is neither a file nor a folder", place.display());
        assert!(exit == 2 && out.contains("one/files: broken\n") && out.contains(&said), "{out}");
        assert!(!out.contains("not for everybody"), "{out}");
        let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
        assert!(exit == 2 && out.contains(&said), "{out}");
        let before = files(&golden);
        let (exit, out) = world.cli(&["gc", "--apply"], registry::<RECORDED>());
        assert!(exit == 2 && out.contains(&said), "{out}");
        assert_eq!(files(&golden), before);
        fs::remove_file(&place).unwrap();
        match there {
            true => fs::rename(&elsewhere, &place).unwrap(),
            false => fs::remove_file(&elsewhere).unwrap(),
        }
    }
    assert_eq!(world.cli(&["check"], registry::<RECORDED>()).0, 0);
}

#[test]
fn what_an_interrupted_accept_left_says_what_puts_it_right() {
    let world = corpus();
    for left in [".expect-new", ".expect-old"] {
        let folder = world.path("golden/two/plain").join(left);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("envelope.json"), "{}").unwrap();
        let said = format!(
            "{left}/envelope.json`: an `accept` or `amend` that was interrupted left it: \
             tapeline replay gc --apply removes it"
        );
        for verb in [&["two/plain"][..], &["check"]] {
            let (exit, out) = world.cli(verb, registry::<RECORDED>());
            assert!(exit == 2 && out.contains(&said), "{out}");
        }
        assert_eq!(world.cli(&["gc", "--apply"], registry::<RECORDED>()).0, 0);
        check_ok(&world, "two/plain");
    }
    let case = world.path("golden/two/plain");
    fs::rename(case.join("expect"), case.join(".expect-old")).unwrap();
    let (exit, out) = world.cli(&["two/plain"], registry::<RECORDED>());
    let said = "its writing was cut off half way: rename `.expect-old` to `expect`\n";
    assert!(exit == 2 && out.contains(said), "{out}");
    // What is only copy is no leftover.
    assert_eq!(world.cli(&["gc", "--apply"], registry::<RECORDED>()).0, 2);
    fs::rename(case.join(".expect-old"), case.join("expect")).unwrap();
    check_ok(&world, "two/plain");
}

#[test]
fn a_case_that_names_a_path_outside_the_workspace_is_broken() {
    for path in ["../../../../../escaped.txt", "/escaped.txt", "x/./escaped.txt", ""] {
        let world = corpus();
        let blob = world.path("golden/_blobs/ca").join(SHA_OF_A);
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(blob, "a").unwrap();
        let workspace =
            format!(r#"{{"files":[{{"path":".agents/{path}","bytes":1,"sha256":"{SHA_OF_A}"}}]}}"#);
        fs::write(world.path("golden/two/plain/given/workspace.json"), workspace).unwrap();
        let arguments = ["amend", "two/plain", "--absent", "new.txt"];
        let (_, out) = world.cli(&arguments, registry::<SWALLOWS_A_READ>());
        assert!(!world.path("escaped.txt").exists(), "{path} is written: {out}");
        let (exit, out) = world.cli(&["two/plain"], registry::<RECORDED>());
        assert!(exit == 2 && out.contains("broken"), "{path}: {out}");
    }
}

#[test]
fn a_text_that_holds_a_placeholder_may_differ_in_nothing_else() {
    let world = World::new();
    let ran = world.request(Request::new("do --key hunter2-hunter2 key 'print a'"));
    let arguments = ["promote", &ran.record.run_id, "--as", "group/refused"];
    let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("differs from the record") && out.contains("one line more"), "{out}");
}

#[test]
fn what_no_run_can_be_given_is_broken_and_not_stuck() {
    for (from, to) in [
        ("\"start\": 1764288000000", "\"start\": 9223372036854775807"),
        ("\"start\": 1764288000000", "\"start\": -9223372036854775808"),
        ("\"duration_ms\": ", "\"duration_ms\": 922337203685477"),
        ("\"run_id\": \"", "\"run_id\": \"../../../../"),
        ("\"run_id\": \"", "\"run_id\": \"\u{1f980}"),
    ] {
        let world = World::new();
        let ran = world.run(&["now", "many 20000"]);
        world.promoted(&ran.record, "group/odd");
        edit(&world, "group/odd/given/case.json", from, to);
        let (exit, out) = world.cli(&["group/odd"], registry::<RECORDED>());
        assert!(exit > 0 && !out.contains("stuck"), "{to}: {exit} {out}");
        assert!(files(world.path("").as_path()).iter().all(|file| {
            let file = file.strip_prefix(world.path("")).unwrap();
            ["audit", ".agents", "golden", "target"].iter().any(|root| file.starts_with(root))
        }));
    }
}

#[test]
fn lengths_are_held_to_and_files_that_belong_to_no_case_are_found() {
    let world = corpus();
    edit(&world, "one/answers/given/http.json", "\"bytes\": 1", "\"bytes\": 7");
    let (_, out) = world.cli(&["check"], registry::<RECORDED>());
    assert!(out.contains("one/answers") && out.contains("1 finding"), "length: {out}");
    for stray in ["one/notes.txt".to_owned(), format!("_blobs/zz/{SHA_OF_A}"), "_blobs/x".into()] {
        let world = corpus();
        let path = world.path("golden").join(&stray);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a").unwrap();
        let (_, out) = world.cli(&["check"], registry::<RECORDED>());
        assert!(out.contains(&stray) && out.contains("1 finding"), "{stray}: {out}");
    }
    let world = corpus();
    let blobs = files(&world.path("golden/_blobs"));
    fs::create_dir_all(world.path("golden/_blobs/zz")).unwrap();
    let other = world.path("golden/_blobs/zz").join(blobs[0].file_name().unwrap());
    fs::copy(&blobs[0], other).unwrap();
    let (_, out) = world.cli(&["check"], registry::<RECORDED>());
    assert!(out.contains("_blobs/zz") && out.contains("1 finding"), "wrong folder: {out}");
}

/// A copy of the frozen corpus, and what the kit says of all of it: the names that are not `ok`.
struct Copied(tempfile::TempDir);

impl Copied {
    fn new() -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format-1");
        for file in files(&frozen) {
            let to = folder.path().join("golden").join(file.strip_prefix(&frozen).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
        Self(folder)
    }

    fn golden(&self) -> std::path::PathBuf {
        self.0.path().join("golden")
    }

    fn red(&self) -> Vec<String> {
        let kit = tapeline_replay::Kit::new(registry::<RECORDED>());
        let (_, out) = called(&["--json", "--golden", self.golden().to_str().unwrap()], &kit);
        let red = out.lines().filter(|line| !line.contains(r#""verdict":"ok""#));
        red.map(|line| line.split('"').nth(3).unwrap_or(line).to_owned()).collect()
    }

    /// Cases that name this one as their base.
    fn derived_of(&self, owner: &str) -> Vec<String> {
        let base = format!("\"base\": \"{owner}\"");
        let squeezed = base.replace(": ", ":");
        let names = files(&self.golden()).into_iter().filter(|file| {
            file.ends_with("given/case.json")
                && fs::read_to_string(file)
                    .is_ok_and(|text| text.contains(&base) || text.contains(&squeezed))
        });
        let golden = self.golden();
        names
            .map(|file| {
                let below = file.strip_prefix(&golden).unwrap().to_str().unwrap().to_owned();
                below.split('/').take(2).collect::<Vec<_>>().join("/")
            })
            .collect()
    }

    #[track_caller]
    fn check(&self, owner: &str, what: &str) {
        let red = self.red();
        assert!(red.iter().any(|name| name == owner), "{what}: {red:?}");
        let derived = self.derived_of(owner);
        let others: Vec<&String> =
            red.iter().filter(|name| *name != owner && !derived.contains(name)).collect();
        assert!(others.is_empty(), "{what}: {others:?}");
    }
}

#[test]
fn every_file_byte_and_entry_of_the_frozen_corpus_is_needed() {
    let copied = Copied::new();
    let golden = copied.golden();
    assert_eq!(copied.red(), Vec::<String>::new());
    let mut failed = Vec::new();
    let mut entries = 0;
    for file in files(&golden) {
        let below = file.strip_prefix(&golden).unwrap().to_str().unwrap().to_owned();
        let whole = fs::read(&file).unwrap();
        if below == "README.md" {
            continue;
        }
        if below.starts_with("_blobs") {
            fs::remove_file(&file).unwrap();
            assert!(!copied.red().is_empty(), "without {below}");
            fs::write(&file, &whole).unwrap();
            continue;
        }
        let owner = below.split('/').take(2).collect::<Vec<_>>().join("/");
        fs::remove_file(&file).unwrap();
        copied.check(&owner, &format!("without {below}"));
        if below.contains("/given/http/") || below.contains("/given/workspace/") {
            for place in 0..whole.len() {
                let mut flipped = whole.clone();
                flipped[place] ^= 1;
                fs::write(&file, flipped).unwrap();
                copied.check(&owner, &format!("{below} at {place}"));
            }
        }
        if below.ends_with("given/http.json") || below.ends_with("given/workspace.json") {
            let json: serde_json::Value = serde_json::from_slice(&whole).unwrap();
            let lists: Vec<String> = match &json {
                serde_json::Value::Object(fields) => {
                    fields.keys().map(|name| format!("/{name}")).collect()
                }
                _ => vec![String::new()],
            };
            for list in lists {
                let count = json.pointer(&list).unwrap().as_array().unwrap().len();
                for place in 0..count {
                    let mut json = json.clone();
                    json.pointer_mut(&list).unwrap().as_array_mut().unwrap().remove(place);
                    fs::write(&file, serde_json::to_vec(&json).unwrap()).unwrap();
                    entries += 1;
                    if !copied.red().contains(&owner) {
                        failed.push(format!("{below}{list} without {place}"));
                    }
                }
            }
        }
        fs::write(&file, &whole).unwrap();
    }
    assert!(failed.is_empty() && entries >= 18, "{entries}: {failed:#?}");
    assert_eq!(copied.red(), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_in_any_file_of_a_case_are_read_or_refused(
        place in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..6),
        cut in 0usize..6,
    ) {
        let copied = Copied::new();
        let all = files(&copied.golden());
        let file = place.get(&all);
        let mut content = fs::read(file).unwrap();
        let at = at.index(content.len() + 1);
        let end = (at + cut).min(content.len());
        content.splice(at..end, bytes);
        fs::write(file, content).unwrap();
        let kit = tapeline_replay::Kit::new(registry::<RECORDED>());
        let golden = copied.golden();
        let (exit, out) = called(&["check", "--golden", golden.to_str().unwrap()], &kit);
        prop_assert!(exit == 0 || exit == 2, "{}", out);
        let (_, out) = called(&["--golden", golden.to_str().unwrap()], &kit);
        prop_assert!(!out.contains("stuck"), "{}", out);
    }
}
