//! `audit verify`, `head` and `prune`, on logs that real runs wrote.

use std::{fs, path::PathBuf, process::Output, time::SystemTime};

use serde_json::Value;

use crate::{
    rates::fresh,
    world::{CONVERT, World, tree},
};

/// The newest file of the log.
fn newest(world: &World) -> PathBuf {
    let runs = world.root().join("audit/runs");
    let mut names = tree(&runs);
    names.sort();
    runs.join(names.last().unwrap())
}

/// Exit code, stdout and stderr.
fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn run(world: &World, arguments: &[&str]) -> (i32, String, String) {
    said(&world.run(&[&["audit"], arguments].concat()))
}

#[test]
fn what_runs_wrote_verifies_and_what_was_changed_does_not() {
    let world = World::with(fresh());
    for line in [CONVERT, "hello", "no such command", "a | b"] {
        world.exec(line);
    }
    let (code, head, _) = run(&world, &["head"]);
    let head = head.trim_end();
    assert_eq!((code, head.split(':').next()), (0, Some("4")));
    let (_, json, _) = run(&world, &["head", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(format!("{}:{}", json["seq"], json["sha256"].as_str().unwrap()), head);

    let (code, text, stderr) = run(&world, &["verify", "--head", head, "--blobs"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{text}");
    assert!(text.contains("read: 4 records in 1 file,"), "{text}");
    assert!(text.contains(&format!("head: {head}\nok: ")), "{text}");
    // It goes on, and the pinned record is still there.
    world.exec("hello");
    assert_eq!(run(&world, &["verify", "--head", head]).0, 0);

    let path = newest(&world);
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replacen("no such command", "no suck command", 1)).unwrap();
    let (code, text, _) = run(&world, &["verify"]);
    let file = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(code, 1);
    assert!(text.contains("bad: line 3 of `") && text.contains(file), "{text}");
    assert!(text.contains("edited: ") && text.contains("\ndo: compare"), "{text}");
    let (code, json, _) = run(&world, &["verify", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["ok"]), (1, &Value::Bool(false)));
    assert_eq!(json["damage"]["kind"], "edited");
    assert_eq!(json["damage"]["line"], 3);

    // Cut behind a line: only who has the head can know.
    let (_, head, _) = run(&world, &["head"]);
    fs::write(&path, whole.split_inclusive('\n').take(3).collect::<String>()).unwrap();
    assert_eq!(run(&world, &["verify"]).0, 0);
    let (code, text, _) = run(&world, &["verify", "--head", head.trim_end()]);
    assert_eq!(code, 1);
    assert!(text.contains("cut: the log ends with record 3, and record 5 was pinned"), "{text}");
}

#[test]
fn old_files_are_pruned_and_the_rest_verifies_shows_and_replays() {
    let world = World::with(fresh());
    let old = world.exec(CONVERT);
    // What ran today, as if it had run in another year.
    let audit = world.root().join("audit");
    fs::rename(newest(&world), audit.join("runs/2020-01-01.0001.jsonl")).unwrap();
    let kept = world.exec("hello");
    let long_ago = SystemTime::UNIX_EPOCH;
    for blob in tree(&audit.join("blobs")) {
        let path = audit.join("blobs").join(blob);
        if path.is_file() {
            fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
        }
    }
    let before = tree(&audit);
    let (code, dry, stderr) = run(&world, &["prune", "--before", "2020-01-02", "--dry-run"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(dry.starts_with("2020-01-01.0001.jsonl: 1 record would be removed\n"), "{dry}");
    assert_eq!(tree(&audit), before);

    let (code, text, _) = run(&world, &["prune", "--before", "2020-01-02"]);
    assert_eq!(code, 0);
    assert_eq!(dry.replace("would be removed", "removed"), text);
    assert!(text.contains("\nremoved: 1 file, 1 record, "), "{text}");
    let (_, head, _) = run(&world, &["head"]);
    assert!(text.ends_with(&format!("head: {head}")), "{text}");
    let (code, text, _) = run(&world, &["verify", "--blobs"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("pruned: records up to 1"), "{text}");
    world.check_replays(&kept);
    assert_eq!(run(&world, &["show", old["run_id"].as_str().unwrap()]).0, 2);
    assert_eq!(run(&world, &["prune", "--before", "2020-01-01"]).0, 0);
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let world = World::new();
    let check = |arguments: &[&str], words: &str| {
        let (code, stdout, stderr) = run(&world, arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    };
    for arguments in [&["verify"][..], &["head"], &["prune", "--before", "2026-01-01"]] {
        check(arguments, "there is no audit log");
    }
    assert!(!world.root().exists());
    world.exec("hello");
    for head in ["1", "x:y", "0:ab", &format!("1:{}", "AB".repeat(32))] {
        check(&["verify", "--head", head], "SEQ:SHA256");
    }
    for day in ["yesterday", "2026-13-01", "2026-1-1", "2026-01-01T00:00:00Z", "+02026-01-01"] {
        check(&["prune", "--before", day], "YYYY-MM-DD");
    }
    fs::remove_file(newest(&world)).unwrap();
    check(&["head"], "no record");
    fs::create_dir(world.root().join("audit/runs/2026-01-01.0001.jsonl")).unwrap();
    check(&["verify"], "no regular file");
    fs::remove_file(world.root().join("audit/format")).unwrap();
    for arguments in [&["verify"][..], &["head"], &["tail"]] {
        check(arguments, "`runs/` holds a log");
    }
}

#[test]
fn what_is_damaged_is_not_pruned_unless_that_is_asked_for() {
    let world = World::new();
    world.exec("hello");
    world.exec("hello --name a");
    let old = world.root().join("audit/runs/2020-01-01.0001.jsonl");
    fs::rename(newest(&world), &old).unwrap();
    world.exec("hello");
    let whole = fs::read_to_string(&old).unwrap();
    // The last line too, which the first that stays vouches for.
    for (from, line) in [("--name a", 2), ("\"stdout\":", 1)] {
        fs::write(&old, whole.replacen(from, &from.to_uppercase(), 1)).unwrap();
        for dry_run in [&["--dry-run"][..], &[]] {
            let arguments = [&["prune", "--before", "2020-01-02"][..], dry_run].concat();
            let (code, stdout, stderr) = run(&world, &arguments);
            assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
            assert!(stderr.contains(&format!("line {line} of `")), "{stderr}");
            assert!(stderr.contains("edited: ") && stderr.contains("--damaged"), "{stderr}");
            assert!(old.exists());
        }
    }
    let (code, stdout, stderr) = run(&world, &["prune", "--before", "2020-01-02", "--damaged"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("2 records removed") && stderr.contains("edited: "),
        "{stdout}{stderr}"
    );
    for _ in 0..2 {
        let (code, text, _) = run(&world, &["verify"]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("note: line 1 of") && text.contains("with `--damaged`"), "{text}");
        world.exec("hello");
    }
}

#[test]
fn a_pin_of_what_was_pruned_is_told_and_is_not_ok() {
    let world = World::new();
    world.exec("hello");
    let (_, first, _) = run(&world, &["head"]);
    world.exec("hello");
    let (_, second, _) = run(&world, &["head"]);
    fs::rename(newest(&world), world.root().join("audit/runs/2020-01-01.0001.jsonl")).unwrap();
    world.exec("hello");
    assert_eq!(run(&world, &["prune", "--before", "2020-01-02"]).0, 0);
    let (code, text, _) = run(&world, &["verify", "--head", first.trim_end()]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("pin pruned: record 1 was pinned") && !text.contains("ok: "), "{text}");
    let (code, text, _) = run(&world, &["verify", "--head", second.trim_end()]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("begins behind record 2, which was pinned and is pruned"), "{text}");
    let forged = format!("2:{}", "0".repeat(64));
    let (code, json, _) = run(&world, &["verify", "--json", "--head", &forged]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["damage"]["kind"]), (1, &Value::from("anchor")));
}

#[test]
fn a_torn_line_is_a_note_beside_the_last_records() {
    let world = World::new();
    for _ in 0..3 {
        world.exec("hello");
    }
    let path = newest(&world);
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    let half = lines[2].get(..40).unwrap();
    fs::write(&path, [lines[0], lines[1], half, lines[2], ""].join("\n")).unwrap();
    let (code, text, stderr) = run(&world, &["tail", "-n", "3"]);
    assert_eq!((code, text.lines().count()), (0, 3), "{text}{stderr}");
    assert!(stderr.starts_with("note: line 3 of `"), "{stderr}");
    fs::write(&path, [lines[0], "garbage", lines[2], ""].join("\n")).unwrap();
    assert_eq!(run(&world, &["tail"]).0, 1);
}

#[cfg(unix)]
#[test]
fn no_reader_waits_for_a_pipe_or_follows_a_link() {
    let world = World::new();
    world.exec("hello");
    let path = world.root().join("audit/runs/2030-01-01.0001.jsonl");
    let check = |what: &str| {
        for verb in [&["verify"][..], &["head"], &["tail"], &["prune", "--before", "2031-01-01"]] {
            let (code, text, stderr) = run(&world, verb);
            assert_ne!(code, 0, "{what} {verb:?}: {text}");
            assert!(stderr.contains("no regular file"), "{what} {verb:?}: {stderr}");
        }
        fs::remove_file(&path).unwrap();
    };
    std::os::unix::fs::symlink(newest(&world), &path).unwrap();
    check("link");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    check("pipe");
}
