//! What a host and its tools can rely on, whoever else uses the log.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::{
    DiskLog,
    log::Bounds,
    sample::{
        assert_chained, file_names, hex, intent, lines, open_files, record, record_on, records,
        run_id,
    },
};
use crate::audit::{FORMAT, MAX_LINE_BYTES, Sink, SinkError, blob_path};

fn audit() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let audit = dir.path().join("root").join("audit");
    (dir, audit)
}

fn append(log: &DiskLog, day: &str, numbers: std::ops::RangeInclusive<u32>) {
    for number in numbers {
        log.append(&mut record_on(day, number)).unwrap();
    }
}

fn assert_says(error: &SinkError, words: &[&str]) {
    let text = error.to_string();
    assert!(
        text.starts_with("cannot ") && words.iter().all(|word| text.contains(word)),
        "{text}: {words:?}"
    );
}

fn tear(audit: &Path, file: &str, bytes: &[u8]) {
    OpenOptions::new()
        .append(true)
        .open(audit.join("runs").join(file))
        .unwrap()
        .write_all(bytes)
        .unwrap();
}

const DAY: &str = "2026-11-27";

#[test]
fn nothing_is_on_disk_before_the_first_use_and_the_whole_layout_after() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    assert!(!audit.parent().unwrap().exists());

    append(&log, DAY, 1..=1);
    assert_eq!(file_names(&audit), ["blobs", "format", "lock", "locks", "open", "runs"]);
    assert_eq!(fs::read_to_string(audit.join("format")).unwrap(), FORMAT);
    assert_eq!(file_names(&audit.join("runs")), ["2026-11-27.0001.jsonl"]);
    assert!(open_files(&audit).is_empty());
    assert!(log.locks_dir().is_dir());
}

#[test]
fn many_appends_and_a_second_opener_make_one_chain() {
    let (_dir, audit) = audit();
    let first = DiskLog::new(audit.clone());
    append(&first, DAY, 1..=300);
    append(&DiskLog::new(audit.clone()), DAY, 301..=310);
    append(&first, DAY, 311..=320);
    assert_chained(&audit, 320);
}

#[test]
fn two_logs_with_two_threads_each_leave_no_hole() {
    let (_dir, audit) = audit();
    let logs = [1, 2].map(|_| {
        DiskLog::with_bounds(audit.clone(), Bounds { max_file_bytes: 200_000, ..Bounds::default() })
    });
    thread::scope(|scope| {
        for (log, worker) in
            logs.iter().zip(0u32..).flat_map(|(log, at)| [(log, 2 * at), (log, 2 * at + 1)])
        {
            scope.spawn(move || {
                for number in 0..250 {
                    log.begin(&intent(worker * 250 + number)).unwrap();
                    append(log, DAY, worker * 250 + number..=worker * 250 + number);
                }
            });
        }
    });
    assert_chained(&audit, 1000);
    let mut run_ids: Vec<_> = records(&audit).into_iter().map(|record| record.run_id).collect();
    run_ids.sort();
    run_ids.dedup();
    assert_eq!(run_ids.len(), 1000);
    assert!(file_names(&audit.join("runs")).len() > 3);
}

#[test]
fn a_torn_tail_stays_and_is_covered_by_the_next_record() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, DAY, 1..=2);
    tear(&audit, "2026-11-27.0001.jsonl", br#"{"v":1,"seq":3,"run"#);
    append(&log, DAY, 3..=4);

    assert_chained(&audit, 4);
    assert_eq!(lines(&audit).len(), 5);
    assert_eq!(lines(&audit)[2], r#"{"v":1,"seq":3,"run"#);
}

#[test]
fn a_torn_tail_is_covered_across_files_and_empty_files() {
    let (_dir, audit) = audit();
    append(&DiskLog::new(audit.clone()), DAY, 1..=2);
    tear(&audit, "2026-11-27.0001.jsonl", b"torn");
    File::create(audit.join("runs/2026-11-28.0001.jsonl")).unwrap();
    append(&DiskLog::new(audit.clone()), "2026-11-29", 3..=3);

    assert_eq!(file_names(&audit.join("runs")).len(), 3);
    assert_eq!(fs::read(audit.join("runs/2026-11-28.0001.jsonl")).unwrap(), b"");
    assert_chained(&audit, 3);
}

#[test]
fn a_record_that_lacks_only_its_newline_is_a_record() {
    let (_dir, audit) = audit();
    append(&DiskLog::new(audit.clone()), DAY, 1..=2);
    let path = audit.join("runs/2026-11-27.0001.jsonl");
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 1]).unwrap();
    append(&DiskLog::new(audit.clone()), DAY, 3..=3);
    assert_chained(&audit, 3);
}

#[test]
fn a_later_day_begins_a_file_and_an_earlier_one_does_not() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, "2026-11-27", 1..=1);
    append(&log, "2026-11-28", 2..=2);
    append(&log, "2026-11-27", 3..=3);
    append(&DiskLog::new(audit.clone()), "2026-11-26", 4..=4);
    assert_eq!(file_names(&audit.join("runs")), ["2026-11-27.0001.jsonl", "2026-11-28.0001.jsonl"]);
    assert_chained(&audit, 4);
}

#[test]
fn a_full_file_is_followed_by_the_next_of_its_day() {
    let (_dir, audit) = audit();
    let log =
        DiskLog::with_bounds(audit.clone(), Bounds { max_file_bytes: 1000, ..Bounds::default() });
    append(&log, "2026-11-27", 1..=5);
    append(&log, "2026-11-26", 6..=6);
    append(&log, "2026-11-28", 7..=7);
    assert_eq!(
        file_names(&audit.join("runs")),
        [
            "2026-11-27.0001.jsonl",
            "2026-11-27.0002.jsonl",
            "2026-11-27.0003.jsonl",
            "2026-11-28.0001.jsonl"
        ]
    );
    assert_chained(&audit, 7);
}

#[test]
fn a_file_that_somebody_else_begins_is_noticed() {
    let (_dir, audit) = audit();
    let [first, second] = [1, 2].map(|_| DiskLog::new(audit.clone()));
    append(&first, "2026-11-27", 1..=1);
    append(&second, "2026-11-28", 2..=2);
    append(&first, "2026-11-27", 3..=3);
    assert_chained(&audit, 3);
    assert_eq!(
        fs::read_to_string(audit.join("runs/2026-11-28.0001.jsonl")).unwrap().lines().count(),
        2
    );
}

#[test]
fn files_that_are_removed_cut_or_moved_away_are_not_written_to() {
    let (_dir, audit) = audit();
    let log = DiskLog::with_bounds(
        audit.clone(),
        Bounds { max_file_bytes: 1000, look_apart: Duration::ZERO, ..Bounds::default() },
    );
    append(&log, DAY, 1..=3);
    // The newest is gone: the log goes on from what is left.
    fs::remove_file(audit.join("runs/2026-11-27.0002.jsonl")).unwrap();
    append(&log, DAY, 4..=4);
    assert_chained(&audit, 3);
    // Its last line is gone.
    let path = audit.join("runs/2026-11-27.0002.jsonl");
    fs::write(&path, "").unwrap();
    append(&log, DAY, 5..=5);
    assert_chained(&audit, 3);
    // The whole log is gone, and with it the file of intents.
    log.begin(&intent(6)).unwrap();
    fs::rename(&audit, audit.with_extension("old")).unwrap();
    log.begin(&intent(7)).unwrap();
    append(&log, DAY, 7..=8);
    log.blob(&"ab".repeat(32), b"bytes").unwrap();
    assert_chained(&audit, 2);
    assert_chained(&audit.with_extension("old"), 3);
    assert_eq!(fs::read_to_string(&open_files(&audit)[0]).unwrap().lines().count(), 2);
}

#[test]
fn a_copy_in_the_place_of_the_newest_file_is_what_is_written_to() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, DAY, 1..=1);
    let path = audit.join("runs/2026-11-27.0001.jsonl");
    fs::copy(&path, audit.join("copy")).unwrap();
    fs::rename(audit.join("copy"), &path).unwrap();
    append(&log, DAY, 2..=2);
    assert_chained(&audit, 2);
}

#[test]
fn runs_of_a_dead_process_are_closed_once() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    log.begin(&intent(1)).unwrap();
    append(&log, DAY, 1..=1);
    log.begin(&intent(2)).unwrap();
    log.begin(&intent(3)).unwrap();
    append(&log, DAY, 3..=3);
    // The lock of a forgotten value is never given back, as a dead process would; a copy has none.
    let [owned] = &open_files(&audit)[..] else { panic!("one file") };
    let mut copy = fs::read(owned).unwrap();
    copy.extend(br#"{"v":1,"run_id":"torn"#);
    std::mem::forget(log);
    fs::write(audit.join("open/copy.jsonl"), copy).unwrap();

    append(&DiskLog::new(audit.clone()), DAY, 4..=4);
    append(&DiskLog::new(audit.clone()), DAY, 5..=5);

    assert_eq!(open_files(&audit), std::slice::from_ref(owned));
    assert_chained(&audit, 5);
    let records = records(&audit);
    let numbers: Vec<_> = records.iter().map(|record| record.run_id.clone()).collect();
    assert_eq!(numbers, [1, 3, 2, 4, 5].map(run_id));
    let closed = &records[2];
    assert_eq!((closed.exit_code, closed.error_code.as_deref()), (70, Some("Interrupted")));
    assert_eq!(
        closed.result.json(),
        concat!(
            r#"{"ok":false,"command":"rss fetch","error_code":"Interrupted","#,
            r#""error_message":"the run left no record: its process ended before it did, or could not write one"}"#
        )
    );
    assert_eq!(
        (closed.duration_ms, closed.stdout.json(), closed.tape.json()),
        (0, r#""""#, "null")
    );
    assert_eq!(closed.labels.json(), r#"{"actor":"agent"}"#);
}

#[test]
fn a_run_whose_record_lies_before_the_header_is_not_looked_for_there() {
    let (_dir, audit) = audit();
    append(&DiskLog::new(audit.clone()), "2026-11-26", 1..=1);
    append(&DiskLog::new(audit.clone()), "2026-11-27", 2..=2);
    let log = DiskLog::new(audit.clone());
    log.begin(&intent(1)).unwrap();
    let header = fs::read_to_string(&open_files(&audit)[0]).unwrap();
    assert!(
        header.starts_with(
            r#"{"v":1,"opened":"2026-11-27T10:00:00.000Z","file":"2026-11-27.0001.jsonl","seq":2}"#
        ),
        "{header}"
    );
    drop(log);
    // The intent has the identifier of a run of the day before, which no real one has.
    append(&DiskLog::new(audit.clone()), DAY, 3..=3);
    assert_eq!(records(&audit)[2].error_code.as_deref(), Some("Interrupted"));
    assert_chained(&audit, 4);
}

#[test]
fn intents_of_a_log_in_use_are_left_alone() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    log.begin(&intent(1)).unwrap();
    append(&DiskLog::new(audit.clone()), DAY, 2..=2);
    append(&log, DAY, 1..=1);
    assert_chained(&audit, 2);
}

#[test]
fn a_log_that_is_dropped_removes_its_intents_unless_one_is_open() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    log.begin(&intent(1)).unwrap();
    append(&log, DAY, 1..=1);
    assert_eq!(open_files(&audit).len(), 1);
    drop(log);
    assert!(open_files(&audit).is_empty());

    let log = DiskLog::new(audit.clone());
    log.begin(&intent(2)).unwrap();
    drop(log);
    assert_eq!(open_files(&audit).len(), 1);
}

#[test]
fn intents_that_are_not_needed_are_cleared_when_they_grow() {
    let (_dir, audit) = audit();
    let log =
        DiskLog::with_bounds(audit.clone(), Bounds { max_open_bytes: 1000, ..Bounds::default() });
    for number in 1..=5 {
        log.begin(&intent(number)).unwrap();
    }
    append(&log, DAY, 1..=4);
    let path = open_files(&audit).remove(0);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 6);
    append(&log, DAY, 5..=5);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        format!(
            "{}\n",
            r#"{"v":1,"opened":"2026-11-27T10:00:00.000Z","file":"2026-11-27.0001.jsonl","seq":5}"#
        )
    );
    log.begin(&intent(6)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
}

#[test]
fn a_lock_that_is_not_given_back_in_time_is_an_error() {
    let (_dir, audit) = audit();
    let log = DiskLog::with_bounds(
        audit.clone(),
        Bounds { lock_wait: Duration::from_millis(30), ..Bounds::default() },
    );
    append(&log, DAY, 1..=1);
    let other = OpenOptions::new().read(true).write(true).open(audit.join("lock")).unwrap();
    other.lock().unwrap();

    let started = Instant::now();
    assert_says(&log.append(&mut record(2)).unwrap_err(), &["lock `", "audit/lock`"]);
    assert!(started.elapsed() >= Duration::from_millis(30));
    assert_says(&log.begin(&intent(2)).unwrap_err(), &["lock `"]);
    let fresh = DiskLog::with_bounds(
        audit.clone(),
        Bounds { lock_wait: Duration::from_millis(30), ..Bounds::default() },
    );
    assert_says(&fresh.blob(&"ab".repeat(32), b"x").unwrap_err(), &["lock `"]);

    other.unlock().unwrap();
    append(&log, DAY, 2..=2);
    assert_chained(&audit, 2);
}

#[test]
fn opening_is_tried_again_after_it_failed() {
    let (_dir, audit) = audit();
    fs::create_dir_all(audit.parent().unwrap()).unwrap();
    fs::write(&audit, "a file").unwrap();
    let log = DiskLog::new(audit.clone());
    for _ in 0..2 {
        let errors = [
            log.begin(&intent(1)).unwrap_err(),
            log.blob(&"ab".repeat(32), b"x").unwrap_err(),
            log.append(&mut record(1)).unwrap_err(),
        ];
        for error in errors {
            assert_says(&error, &["audit"]);
            assert!(error.source.is_some());
        }
    }
    fs::remove_file(&audit).unwrap();
    append(&log, DAY, 1..=1);
    assert_chained(&audit, 1);
}

#[test]
fn a_file_in_the_place_of_a_directory_is_an_error_that_leaves_old_records() {
    for name in ["runs", "open", "blobs", "locks"] {
        let (_dir, audit) = audit();
        append(&DiskLog::new(audit.clone()), DAY, 1..=1);
        fs::rename(audit.join(name), audit.join("aside")).unwrap();
        fs::write(audit.join(name), "").unwrap();
        let log = DiskLog::new(audit.clone());
        assert_says(&log.append(&mut record(2)).unwrap_err(), &["create the directory", name]);
        fs::remove_file(audit.join(name)).unwrap();
        fs::rename(audit.join("aside"), audit.join(name)).unwrap();
        append(&log, DAY, 2..=2);
        assert_chained(&audit, 2);
    }
}

#[test]
fn a_day_whose_file_cannot_be_begun_is_an_error_and_the_next_append_goes_on() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, DAY, 1..=1);
    fs::rename(audit.join("runs"), audit.join("aside")).unwrap();
    fs::write(audit.join("runs"), "").unwrap();
    assert_says(&log.append(&mut record_on("2026-11-28", 2)).unwrap_err(), &["runs"]);
    fs::remove_file(audit.join("runs")).unwrap();
    fs::rename(audit.join("aside"), audit.join("runs")).unwrap();
    append(&log, "2026-11-28", 2..=2);
    assert_chained(&audit, 2);
}

#[test]
fn another_format_is_refused_and_nothing_written() {
    let (_dir, audit) = audit();
    fs::create_dir_all(&audit).unwrap();
    fs::write(audit.join("format"), "tapeline-audit 2\n").unwrap();
    let log = DiskLog::new(audit.clone());
    assert_says(
        &log.append(&mut record(1)).unwrap_err(),
        &["tapeline-audit 2", "tapeline-audit 1", "use the log"],
    );
    assert!(log.begin(&intent(1)).is_err() && log.blob(&"ab".repeat(32), b"x").is_err());
    assert_eq!(file_names(&audit), ["format"]);
}

#[test]
fn a_line_that_is_too_long_is_refused() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, DAY, 1..=1);
    let mut long = record(2);
    long.stdout = crate::audit::Kept::inline(&"x".repeat(MAX_LINE_BYTES));
    assert_says(&log.append(&mut long).unwrap_err(), &["append run", "bytes", "262144"]);
    let mut long = intent(2);
    long.labels = crate::audit::Kept::inline(&"x".repeat(MAX_LINE_BYTES));
    let error = log.begin(&long).unwrap_err();
    assert_says(&error, &["write the intent of run"]);
    append(&log, DAY, 2..=2);
    assert_chained(&audit, 2);
}

#[test]
fn a_blob_is_written_once_under_its_hash() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    let sha256 = hex(&Sha256::digest(b"content"));
    let shard = audit.join("blobs").join(sha256.get(..2).unwrap());
    log.blob(&sha256, b"content").unwrap();
    assert_eq!(file_names(&shard), std::slice::from_ref(&sha256));
    // Whoever finds it there sets its time, which keeps it from being pruned, and nothing else.
    fs::write(shard.join(&sha256), b"CONTENT").unwrap();
    let then = SystemTime::UNIX_EPOCH;
    let set =
        |time| File::options().write(true).open(shard.join(&sha256)).unwrap().set_modified(time);
    set(then).unwrap();
    let modified = || fs::metadata(shard.join(&sha256)).unwrap().modified().unwrap();
    log.blob(&sha256, b"content").unwrap();
    assert_eq!(modified(), then);
    DiskLog::new(audit.clone()).blob(&sha256, b"content").unwrap();
    assert!(modified() > then);
    assert_eq!(fs::read(shard.join(&sha256)).unwrap(), b"CONTENT");

    // What a loss of power left empty is written again.
    fs::write(shard.join(&sha256), b"").unwrap();
    DiskLog::new(audit.clone()).blob(&sha256, b"content").unwrap();
    assert_eq!(fs::read(shard.join(&sha256)).unwrap(), b"content");
    assert_eq!(file_names(&shard).len(), 1);
}

#[test]
fn a_blob_is_looked_for_again_once_somebody_else_began_a_file() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    append(&log, DAY, 1..=1);
    let sha256 = hex(&Sha256::digest(b"content"));
    let path = blob_path(&audit, &sha256).unwrap();
    log.blob(&sha256, b"content").unwrap();
    append(&DiskLog::new(audit.clone()), "2026-11-28", 2..=2);
    fs::remove_file(&path).unwrap();
    append(&log, "2026-11-28", 3..=3);
    log.blob(&sha256, b"content").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"content");
}

#[test]
fn a_blob_is_written_again_where_the_log_was_moved_away() {
    let (_dir, audit) = audit();
    let bounds = Bounds { look_apart: Duration::ZERO, ..Bounds::default() };
    let log = DiskLog::with_bounds(audit.clone(), bounds);
    let sha256 = hex(&Sha256::digest(b"content"));
    log.blob(&sha256, b"content").unwrap();
    fs::rename(&audit, audit.with_extension("moved")).unwrap();
    append(&log, DAY, 1..=1);
    log.blob(&sha256, b"content").unwrap();
    assert_eq!(fs::read(blob_path(&audit, &sha256).unwrap()).unwrap(), b"content");
}

#[test]
fn a_blob_under_another_name_or_without_a_place_is_refused() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    assert_says(&log.blob("../x", b"x").unwrap_err(), &["keep a blob as `../x`"]);
    fs::write(audit.join("blobs/ab"), "").unwrap();
    assert_says(&log.blob(&"ab".repeat(32), b"x").unwrap_err(), &["keep the blob", "blobs/ab"]);
}

#[test]
fn half_blobs_of_dead_writers_go_when_they_are_old() {
    let (_dir, audit) = audit();
    append(&DiskLog::new(audit.clone()), DAY, 1..=1);
    let unfinished = ["old.tmp", "new.tmp"].map(|name| audit.join("blobs").join(name));
    for path in &unfinished {
        fs::write(path, "half").unwrap();
    }
    let long_ago = SystemTime::UNIX_EPOCH;
    File::options().write(true).open(&unfinished[0]).unwrap().set_modified(long_ago).unwrap();
    append(&DiskLog::new(audit.clone()), DAY, 2..=2);
    assert_eq!(file_names(&audit.join("blobs")), ["new.tmp"]);
}

#[test]
fn a_format_that_a_loss_of_power_left_empty_is_written_again() {
    let (_dir, audit) = audit();
    append(&DiskLog::new(audit.clone()), DAY, 1..=1);
    fs::write(audit.join("format"), "").unwrap();
    append(&DiskLog::new(audit.clone()), DAY, 2..=2);
    assert_eq!(fs::read_to_string(audit.join("format")).unwrap(), FORMAT);
    assert_chained(&audit, 2);
}

#[test]
fn a_run_whose_record_lacks_only_its_newline_is_not_interrupted() {
    let (_dir, audit) = audit();
    let log = DiskLog::new(audit.clone());
    log.begin(&intent(1)).unwrap();
    append(&log, DAY, 1..=1);
    log.die();
    let path = audit.join("runs/2026-11-27.0001.jsonl");
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 1]).unwrap();
    append(&DiskLog::new(audit.clone()), DAY, 2..=2);
    assert_chained(&audit, 2);
    assert!(open_files(&audit).is_empty());
}
