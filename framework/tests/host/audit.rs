//! The log: an intent before any effect, one record for each run, or no run.

use std::{
    collections::BTreeMap, fs, io::Write as _, path::Path, process::Command, sync::Arc, thread,
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tapeline::{
    ApprovalAnswer, Limits, Policy, Request, Terminal,
    audit::{Durability, Record, RunsFile},
    workspace::{WorkspaceFaultKind, WriteStage},
};

use crate::{
    commands,
    world::{Asked, World, check_schema},
};

#[test]
fn without_an_intent_nothing_happens() {
    let world = World::new();
    world.sink.fail_begin(true);
    let ran = world.exec("file write a.txt --text a");
    let ran = ran.fails("AuditUnavailable", 74, &["did not start", "writable"]);
    assert_eq!(ran.result["ran"], json!(false));
    assert!(world.workspace.files().is_empty());
    assert_eq!(world.exec("help").fails("AuditUnavailable", 74, &[]).envelope.stdout, "");
    world.exec("fetch --url https://a.example/").fails("AuditUnavailable", 74, &[]);
    assert_eq!(world.service.requests(), 0);
    world.sink.fail_begin(false);
    world.exec("file write a.txt --text a").ok();
}

#[test]
fn without_an_intent_not_even_a_cut_result_is_kept() {
    let limits = Limits { result_bytes: 100, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits));
    world.sink.fail_begin(true);
    let ran = world.exec("file write a.txt --text a").fails("AuditUnavailable", 74, &[]);
    assert_eq!(ran.envelope.truncated[0].what, "result");
    assert_eq!(ran.result["full"], json!(null));
    assert!(world.workspace.files().is_empty() && ran.envelope.artifacts.is_empty());
}

#[test]
fn a_record_that_cannot_be_written_is_said_and_the_intent_stays() {
    let world = World::new();
    world.sink.fail_append(true);
    for (line, ran, command) in [
        ("file write a.txt --text a", true, json!("file write")),
        ("panic command", true, json!("panic")),
        ("a;b", false, json!(null)),
        ("nothing", false, json!(null)),
    ] {
        let envelope = world.terminal.exec_blocking(line);
        check_schema(&envelope);
        let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
        assert_eq!((envelope.exit_code, &*envelope.error_code.unwrap()), (74, "AuditUnavailable"));
        assert_eq!((&result["ran"], &result["command"]), (&json!(ran), &command), "{line}");
    }
    assert_eq!(world.sink.intents().len(), 2);
    assert!(world.sink.records().is_empty());
    assert_eq!(world.read("a.txt").as_deref(), Some("a"));
    drop(world.terminal.exec("echo --text a"));
}

#[test]
fn help_that_cannot_be_recorded_names_what_it_was_asked_for() {
    let world = World::new();
    world.sink.fail_append(true);
    for (line, command) in [("help echo", "echo"), ("help", "help")] {
        let envelope = world.terminal.exec_blocking(line);
        let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
        assert_eq!(result["command"], json!(command));
    }
}

#[test]
fn a_blob_that_cannot_be_kept_is_a_record_that_cannot_be_written() {
    let world = World::new();
    world.sink.fail_blob(true);
    let envelope = world.terminal.exec_blocking("echo --text a");
    check_schema(&envelope);
    assert_eq!(envelope.error_code.as_deref(), Some("AuditUnavailable"));
    assert!(envelope.result.get().contains(r#""ran":true"#));
    // A line that needs one for its intent does not start.
    let line = format!("echo --text {}", "x".repeat(5000));
    let envelope = world.terminal.exec_blocking(line);
    assert!(envelope.result.get().contains(r#""ran":false"#));
    assert!(world.sink.records().is_empty());
    world.sink.fail_blob(false);
    world.exec("echo --text a").ok();
}

#[test]
fn a_host_may_choose_to_run_without_a_log() {
    let world = World::with(|builder| builder.best_effort_audit());
    world.sink.fail_begin(true);
    world.sink.fail_append(true);
    world.sink.fail_blob(true);
    let envelope = world.terminal.exec_blocking("file write a.txt --text a");
    check_schema(&envelope);
    assert_eq!(envelope.exit_code, 0);
    assert_eq!(world.read("a.txt").as_deref(), Some("a"));
}

#[test]
fn a_root_that_is_a_file_starts_nothing_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::write(&root, "a file").unwrap();
    let terminal = Terminal::builder().registry(commands::registry()).root(&root).build().unwrap();
    for line in ["file write a.txt --text a", "help", "a;b", "nothing"] {
        let envelope = terminal.exec_blocking(line);
        check_schema(&envelope);
        assert_eq!(envelope.error_code.as_deref(), Some("AuditUnavailable"), "{line}");
        assert_eq!(envelope.exit_code, 74);
        assert!(envelope.result.get().contains(r#""ran":false"#));
        assert!(!envelope.to_json().contains(folder.path().to_str().unwrap()), "a host path");
    }
    assert_eq!(fs::read_to_string(&root).unwrap(), "a file");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_log_on_disk_holds_every_run_in_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let terminal =
        Terminal::builder().registry(commands::registry()).root(folder.path()).build().unwrap();
    let envelopes: Vec<_> =
        ["file write a.txt --text a", "a;b", "nothing", "help", "panic command"]
            .iter()
            .map(|line| terminal.exec_blocking(*line))
            .collect();
    let audit = folder.path().join("audit");
    let files = RunsFile::list(&audit).unwrap();
    let lines: String =
        files.iter().map(|file| fs::read_to_string(file.path(&audit)).unwrap()).collect();
    let records: Vec<Record> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), envelopes.len());
    for ((record, envelope), seq) in records.iter().zip(&envelopes).zip(1..) {
        assert_eq!((record.seq, &record.run_id), (seq, &envelope.run_id));
        assert_eq!(record.error_code, envelope.error_code);
    }
    assert_eq!(records[0].prev, Record::NO_PREV);
}

#[test]
fn a_record_says_who_ran_what_where() {
    let world = World::new();
    let request = Request::new("file read a.txt").label("actor", "planner").timeout_ms(5000);
    let ran = world.start(request).fails("NotFound", 3, &[]);
    let record = &ran.record;
    assert_eq!(record.v, Record::VERSION);
    assert_eq!(world.value_of(&record.labels), json!({ "actor": "planner" }));
    assert_eq!(record.capabilities, ["ReadFiles"]);
    assert_eq!((&*record.host.name, &*record.host.version), ("test-host", "1.2.3"));
    assert_eq!(record.framework, env!("CARGO_PKG_VERSION"));
    assert_eq!(record.specs, world.terminal.registry().specs_sha256());
    let intent = &world.sink.intents()[0];
    assert_eq!((&intent.run_id, intent.timeout_ms), (&record.run_id, 5000));
    assert_eq!(intent.timestamp, record.timestamp);
    assert_eq!(intent.command.json(), record.command.json());
    assert_eq!(intent.parsed_command.json(), record.parsed_command.json());
    assert_eq!(intent.labels.json(), record.labels.json());
}

#[test]
fn every_field_of_a_record_is_there_in_its_order() {
    let world = World::new();
    world.exec("a;b");
    let json = serde_json::to_string(&world.sink.records()[0]).unwrap();
    let fields = [
        "v",
        "seq",
        "run_id",
        "timestamp",
        "command",
        "parsed_command",
        "labels",
        "stdin",
        "timeout_ms",
        "capabilities",
        "exit_code",
        "error_code",
        "error_message",
        "hint",
        "truncated",
        "duration_ms",
        "artifacts",
        "stdout",
        "stderr",
        "result",
        "tape",
        "host",
        "framework",
        "specs",
        "prev",
    ];
    let places: Vec<_> =
        fields.iter().map(|field| json.find(&format!("\"{field}\":")).expect(field)).collect();
    assert!(places.is_sorted(), "{json}");
}

#[test]
fn denied_and_malformed_runs_leave_records_too() {
    let world = World::with(|builder| builder.policy(Policy::default()));
    for line in ["fetch --url https://a.example/", "a;b", "nothing", "echo", "ask", ""] {
        let ran = world.exec(line);
        assert_ne!(ran.record.exit_code, 0);
        assert_eq!(world.value_of(&ran.record.command), json!(line));
        assert!(ran.tape().complete, "{line}");
    }
    assert_eq!(world.sink.records().len(), 6);
}

#[test]
fn values_over_four_kibibytes_are_blobs_and_some_fields_stay_inline() {
    let world = World::new();
    let ran = world.exec("large").ok();
    let record = &ran.record;
    assert!(record.stdout.blob().is_some() && record.result.blob().is_some());
    let reference: Value = serde_json::from_str(record.result.json()).unwrap();
    assert_eq!(reference["always"], json!({ "kept": "k".repeat(5000) }));
    assert_eq!(world.value_of(&record.result), ran.result);
    let line = serde_json::to_string(record).unwrap();
    assert!(line.len() < 16 << 10, "{}", line.len());
}

#[test]
fn runs_without_a_tape_are_recorded_without_one() {
    let world = World::with(|builder| builder.without_tape());
    world.put("a.txt", "a");
    let ran = world.exec("file read a.txt").ok();
    assert!(ran.tape.is_none());
    assert_eq!(ran.record.tape.json(), "null");
    assert_eq!(world.value_of(&ran.record.result), ran.result);
}

#[test]
fn clones_of_a_terminal_share_one_log() {
    let world = Arc::new(World::new());
    let clone = world.terminal.clone();
    world.ended(clone.exec_blocking("echo --text a")).ok();
    world.exec("echo --text b").ok();
    assert_eq!(world.sink.records().len(), 2);
}

#[test]
fn a_write_that_fails_at_any_stage_leaves_the_old_file_and_a_record() {
    let stages = [
        WriteStage::Create,
        WriteStage::AfterBytes(0),
        WriteStage::AfterBytes(2),
        WriteStage::Commit,
    ];
    let kinds = [
        (WorkspaceFaultKind::Full, "full"),
        (WorkspaceFaultKind::Permission, "permission"),
        (WorkspaceFaultKind::Io, "io"),
    ];
    let lines = [
        "file write a.txt --text newer",
        "save --text newer --out a.txt --overwrite",
        "file write dir/new.txt --text newer",
        "save --text newer --out dir/new.txt",
    ];
    for line in lines {
        for stage in stages {
            for (kind, name) in kinds {
                let approver = Asked::says(ApprovalAnswer::Approved);
                let world = World::with(|builder| builder.approver(approver));
                world.put("a.txt", "old");
                let before = world.workspace.files();
                for path in ["a.txt", "dir/new.txt"] {
                    world.workspace.fail_write(path, stage, kind);
                }
                let ran = world.exec(line).fails("WorkspaceError", 74, &[]);
                let case = format!("{line}: {stage:?}, {name}");
                assert_eq!(ran.result["kind"], json!(name), "{case}");
                assert!(ran.envelope.artifacts.is_empty(), "{case}");
                let errors: Vec<_> = ran
                    .tape()
                    .events
                    .iter()
                    .filter_map(|event| event.write.as_ref().map(|write| write.error.as_deref()))
                    .collect();
                assert_eq!(errors.last(), Some(&Some(name)), "{case}");
                assert_eq!(world.workspace.files(), before, "{case}");
                // Nothing is in the way of the next.
                world.workspace.stop_failing();
                world.exec(line).ok();
                assert_eq!(world.sink.records().len(), 2, "{case}");
            }
        }
    }
}

#[test]
fn output_and_results_that_cannot_be_kept_at_any_stage_leave_no_half_file() {
    let limits = Limits { stdout_bytes: 100, result_bytes: 200, ..Limits::default() };
    for stage in [WriteStage::Create, WriteStage::AfterBytes(5), WriteStage::Commit] {
        let world = World::with(|builder| builder.limits(limits.clone()));
        let request = Request::new("large");
        let run = world.terminal.start(request);
        for name in ["stdout.txt", "result.json"] {
            let path = format!("artifacts/{}/{name}", run.id());
            world.workspace.fail_write(&path, stage, WorkspaceFaultKind::Full);
        }
        let ran = world.ended(run.wait()).ok();
        assert_eq!(ran.result["full"], json!(null), "{stage:?}");
        assert!(ran.envelope.stdout.contains("could not be kept"), "{stage:?}");
        assert!(world.workspace.files().is_empty() && ran.envelope.artifacts.is_empty());
    }
}

/// The records of a log on disk, each chained to what is before.
pub(crate) fn records_in(audit: &Path) -> Vec<Record> {
    let files = RunsFile::list(audit).unwrap();
    let text: Vec<u8> = files.iter().flat_map(|file| fs::read(file.path(audit)).unwrap()).collect();
    let mut prev = vec![0; 32];
    let mut records: Vec<Record> = Vec::new();
    for line in text.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n') {
        let sha256 = Sha256::digest(line).to_vec();
        if let Ok(record) = serde_json::from_slice::<Record>(line) {
            let before: String = prev.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((record.seq, &record.prev), (records.len() as u64 + 1, &before));
            records.push(record);
            prev = sha256;
        } else {
            prev = Sha256::digest([prev, sha256].concat()).to_vec();
        }
    }
    records
}

#[test]
fn runs_at_once_under_sync_are_all_recorded_and_outlive_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Terminal::builder().registry(commands::registry()).root(folder.path());
    let terminal = builder.durability(Durability::Sync).build().unwrap();
    thread::scope(|scope| {
        for number in 0..32 {
            let terminal = &terminal;
            scope.spawn(move || {
                let line = format!("file write {number}.txt --text {}", "x".repeat(5000));
                assert_eq!(terminal.exec_blocking(line).error_code, None);
            });
        }
    });
    drop(terminal);
    let audit = folder.path().join("audit");
    assert_eq!(records_in(&audit).len(), 32);
    assert_eq!(fs::read_dir(audit.join("open")).unwrap().count(), 0);
}

/// A file system of 64 KiB, where this process may mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder.path());
        mount.output().ok()?.status.success().then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

#[test]
fn a_disk_that_is_full_stops_runs_and_loses_none_and_room_lets_them_go_on() {
    for durability in [Durability::Os, Durability::Sync] {
        let Some(disk) = SmallDisk::mount() else {
            println!("skipped: only who may mount a tmpfs can fill one");
            return;
        };
        let root = disk.0.path().join("root");
        let builder = Terminal::builder().registry(commands::registry()).root(&root);
        let terminal = builder.durability(durability).build().unwrap();
        assert_eq!(terminal.exec_blocking("file write a.txt --text old").exit_code, 0);
        let mut filler = fs::File::create(disk.0.path().join("filler")).unwrap();
        while filler.write_all(&[b'x'; 512]).is_ok() {}

        let mut answers: BTreeMap<String, String> = BTreeMap::new();
        for _ in 0..30 {
            let envelope = terminal.exec_blocking("file write a.txt --text new");
            check_schema(&envelope);
            let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
            let answer = match (&*envelope.error_code.unwrap(), &result["ran"]) {
                ("AuditUnavailable", Value::Bool(ran)) => format!("unavailable, ran: {ran}"),
                ("WorkspaceError", Value::Null) => format!("recorded, {}", result["kind"]),
                other => panic!("{other:?}"),
            };
            answers.insert(envelope.run_id, answer);
        }
        let mut kinds: Vec<_> = answers.values().cloned().collect();
        kinds.sort();
        kinds.dedup();
        let expected = [r#"recorded, "full""#, "unavailable, ran: false", "unavailable, ran: true"];
        assert_eq!(kinds, expected);
        let file = root.join(".agents/a.txt");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(root.join(".agents")).unwrap().count(), 1);

        drop(filler);
        fs::remove_file(disk.0.path().join("filler")).unwrap();
        assert_eq!(terminal.exec_blocking("file write a.txt --text new").exit_code, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        drop(terminal);

        let audit = root.join("audit");
        let mut of_runs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in records_in(&audit) {
            of_runs.entry(record.run_id).or_default().push(record.error_code);
        }
        for (run_id, answer) in answers {
            let of_run = of_runs.remove(&run_id).unwrap_or_default();
            match &*answer {
                r#"recorded, "full""# => assert_eq!(of_run, [Some("WorkspaceError".to_owned())]),
                "unavailable, ran: true" => assert_eq!(of_run.len(), 1),
                _ => assert!(of_run.len() <= 1),
            }
        }
        assert_eq!(of_runs.len(), 2);
        assert_eq!(fs::read_dir(audit.join("open")).unwrap().count(), 0);
    }
}
