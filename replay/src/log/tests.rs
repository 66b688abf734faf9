//! The reader of a log: torn and foreign lines, blobs, ids.

use std::{error::Error as _, fs, path::PathBuf};

use sha2::{Digest as _, Sha256};
use tapeline::audit::{DiskLog, HostVersion, Kept, MAX_LINE_BYTES, Record, Sink as _};
use tempfile::TempDir;

use super::{Log, LogErrorKind};

const FIRST: &str = "2026-11-27.0001.jsonl";

pub(super) fn record(number: u32, day: &str) -> Record {
    Record {
        v: Record::VERSION,
        seq: 0,
        run_id: run_id(number),
        timestamp: format!("{day}T10:00:00.000Z"),
        command: Kept::inline("hello"),
        parsed_command: Kept::null(),
        labels: Kept::null(),
        stdin: Kept::null(),
        timeout_ms: 30_000,
        capabilities: Vec::new(),
        exit_code: 0,
        error_code: None,
        error_message: Kept::null(),
        hint: Kept::null(),
        truncated: Kept::null(),
        duration_ms: 1,
        artifacts: Kept::null(),
        stdout: Kept::inline("hi\n"),
        stderr: Kept::inline(""),
        result: Kept::null(),
        tape: Kept::null(),
        host: HostVersion { name: "host".into(), version: "1".into() },
        framework: "0.1.0".into(),
        specs: String::new(),
        prev: String::new(),
    }
}

fn run_id(number: u32) -> String {
    format!("0193b3{number:02}-0000-7000-8000-000000000000")
}

/// Records 1 to 3 on one day, 4 and 5 on the next.
fn written() -> (TempDir, PathBuf, Log) {
    let dir = tempfile::tempdir().unwrap();
    let audit = dir.path().join("audit");
    let disk = DiskLog::new(audit.clone());
    for (number, day) in [
        (1, "2026-11-27"),
        (2, "2026-11-27"),
        (3, "2026-11-27"),
        (4, "2026-11-28"),
        (5, "2026-11-28"),
    ] {
        disk.append(&mut record(number, day)).unwrap();
    }
    let log = Log::open(&audit).unwrap();
    (dir, audit, log)
}

/// What reading the log gives: a `seq`, or where it failed and why.
fn read(log: &Log) -> Vec<String> {
    log.records()
        .map(|item| item.map_or_else(|error| told(&error), |record| record.seq.to_string()))
        .collect()
}

/// The whole chain of messages, without the directory.
fn told(error: &super::LogError) -> String {
    let mut text = error.to_string();
    let file = error.file.file_name().unwrap().to_str().unwrap();
    text = text.replace(&error.file.display().to_string(), file);
    format!("{text}: {}", error.source().unwrap())
}

#[test]
fn records_come_in_order_over_all_files() {
    let (_dir, audit, log) = written();
    fs::write(audit.join("runs/notes.txt"), "not a file of the log").unwrap();
    assert_eq!(read(&log), ["1", "2", "3", "4", "5"]);
}

#[test]
fn a_line_that_is_no_record_is_an_error_in_its_place() {
    let (_dir, audit, log) = written();
    let path = audit.join("runs").join(FIRST);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let long = "x".repeat(2 * MAX_LINE_BYTES);
    let longest = format!("\"{}\"", "y".repeat(MAX_LINE_BYTES - 2));
    let newer = lines[2].replacen("\"v\":1", "\"v\":2", 1);
    let parts = [lines[0], &long, lines[1], "", &newer, &longest, "{}"].map(str::as_bytes);
    let mut bytes = parts.join(&b'\n');
    bytes.extend(b"\n\xff\n{\"v\":1,");
    fs::write(&path, bytes).unwrap();

    let in_file = |line: u64, why: &str| format!("cannot read line {line} of `{FIRST}`: {why}");
    assert_eq!(
        read(&log),
        [
            "1".to_owned(),
            in_file(2, "the line is longer than 262144 bytes"),
            "2".to_owned(),
            in_file(4, "the JSON is not what it should be"),
            in_file(5, "the record has version 2, this build reads 1"),
            in_file(6, "the JSON is not what it should be"),
            in_file(7, "the JSON is not what it should be"),
            in_file(8, "the line is not UTF-8"),
            in_file(9, "the line is torn"),
            "4".to_owned(),
            "5".to_owned(),
        ]
    );
}

#[test]
fn what_is_left_of_a_line_is_torn_unless_it_is_a_whole_record() {
    let (_dir, audit, log) = written();
    let path = audit.join("runs").join(FIRST);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.trim_end()).unwrap();
    assert_eq!(read(&log), ["1", "2", "3", "4", "5"]);
    for left in ["9", "{}", "null"] {
        fs::write(&path, format!("{text}{left}")).unwrap();
        let torn = format!("cannot read line 4 of `{FIRST}`: the line is torn");
        assert_eq!(read(&log), ["1", "2", "3", &torn, "4", "5"]);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_one_error() {
    let (_dir, audit, log) = written();
    fs::remove_file(audit.join("runs").join(FIRST)).unwrap();
    fs::create_dir(audit.join("runs").join(FIRST)).unwrap();
    let items = read(&log);
    assert_eq!(items.len(), 3, "{items:?}");
    assert!(items[0].ends_with("the operating system refused"), "{items:?}");
    assert_eq!(items[1..], ["4", "5"]);
}

#[test]
fn a_run_is_found_by_its_id_or_a_beginning_no_other_has() {
    let (_dir, audit, log) = written();
    fs::write(audit.join("runs/2026-11-29.0001.jsonl"), format!("{{\"torn\":\"{}", run_id(2)))
        .unwrap();
    let seq = |run_id: &str| log.find(run_id).unwrap().map(|record| record.seq);
    assert_eq!(seq(&run_id(2)), Some(2));
    assert_eq!(seq("0193b304"), Some(4));
    assert_eq!(seq("0193b309"), None);
    assert_eq!(seq("-0000-7000"), None);

    let mut twin = record(5, "2026-11-29");
    twin.run_id.replace_range(9..13, "ffff");
    DiskLog::new(audit.clone()).append(&mut twin).unwrap();
    assert_eq!(seq(&twin.run_id), Some(6));
    assert_eq!(seq("0193b305-f"), Some(6));
    let error = log.find("0193b305").unwrap_err();
    assert!(
        matches!(&error.kind, LogErrorKind::Ambiguous { runs, .. } if runs.contains(&twin.run_id)),
        "{error:?}"
    );
    assert!(matches!(log.find("0193b30").unwrap_err().kind, LogErrorKind::ShortPrefix { .. }));
}

#[test]
fn the_tail_crosses_files() {
    let (_dir, _audit, log) = written();
    let tail = |count| -> Vec<u64> {
        log.tail(count).unwrap().into_iter().map(|record| record.unwrap().seq).collect()
    };
    assert_eq!(tail(0), [0; 0]);
    assert_eq!(tail(1), [5]);
    assert_eq!(tail(4), [2, 3, 4, 5]);
    assert_eq!(tail(usize::MAX), [1, 2, 3, 4, 5]);
}

#[test]
fn torn_lines_are_told_between_the_last_records_and_not_counted() {
    let (_dir, audit, log) = written();
    let path = audit.join("runs").join(FIRST);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let zeros = "\0".repeat(2 * MAX_LINE_BYTES);
    let torn = "{\"v\":1,\"seq\":3,\"run_id\":\"0193";
    fs::write(&path, [lines[0], &zeros, lines[1], torn, torn, lines[2], ""].join("\n")).unwrap();
    let second = audit.join("runs/2026-11-28.0001.jsonl");
    let text = fs::read_to_string(&second).unwrap();
    fs::write(&second, format!("{text}{{\"v\":1")).unwrap();
    let tail = |count| -> Vec<String> {
        let told = |item: Result<Record, super::LogError>| {
            item.map_or_else(|error| told(&error), |record| record.seq.to_string())
        };
        log.tail(count).unwrap().into_iter().map(told).collect()
    };
    let torn =
        |line: u64, file: &str| format!("cannot read line {line} of `{file}`: the line is torn");
    let end = torn(3, "2026-11-28.0001.jsonl");
    assert_eq!(tail(3), ["3", "4", "5", &end]);
    assert_eq!(tail(4), ["2", &torn(4, FIRST), &torn(5, FIRST), "3", "4", "5", &end]);
    // What is written right now may look like anything.
    fs::write(&second, format!("{text}9")).unwrap();
    assert_eq!(tail(3), ["3", "4", "5", &end]);
    assert_eq!(tail(5)[..3], ["1", &torn(2, FIRST), "2"]);
}

#[test]
fn values_are_read_in_place_and_from_blobs() {
    let (_dir, audit, log) = written();
    let json = r#"["a", 1.50]"#;
    let sha256: String = Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect();
    DiskLog::new(audit.clone()).blob(&sha256, json.as_bytes()).unwrap();
    let kept = Kept::raw(
        serde_json::from_str(&format!(r#"{{"$blob":"{sha256}","bytes":{}}}"#, json.len())).unwrap(),
    );

    assert_eq!(log.kept_json(&kept).unwrap(), json);
    assert_eq!(log.value::<(String, f64)>(&kept).unwrap(), ("a".to_owned(), 1.5));
    assert_eq!(log.value::<String>(&Kept::inline("x")).unwrap(), "x");
    assert_eq!(log.kept_json(&Kept::null()).unwrap(), "null");
    assert!(matches!(log.value::<u8>(&kept).unwrap_err().kind, LogErrorKind::Json(_)));

    fs::write(audit.join("blobs").join(sha256.get(..2).unwrap()).join(&sha256), "[]").unwrap();
    assert!(matches!(
        log.value::<(String, f64)>(&kept).unwrap_err().kind,
        LogErrorKind::BlobChanged { .. }
    ));
    assert!(matches!(log.blob("../format").unwrap_err().kind, LogErrorKind::NoBlobName { .. }));
    assert!(matches!(log.blob(&"ab".repeat(32)).unwrap_err().kind, LogErrorKind::Io(_)));
}

#[test]
fn what_is_no_log_of_ours_is_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Log::open(dir.path()).unwrap_err().kind, LogErrorKind::Absent));
    fs::create_dir(dir.path().join("runs")).unwrap();
    assert!(matches!(Log::open(dir.path()).unwrap_err().kind, LogErrorKind::Absent));
    fs::write(dir.path().join("runs").join(FIRST), "").unwrap();
    assert!(matches!(Log::open(dir.path()).unwrap_err().kind, LogErrorKind::NoFormat));
    fs::write(dir.path().join("format"), "tapeline-audit 2\n").unwrap();
    assert!(
        matches!(Log::open(dir.path()).unwrap_err().kind, LogErrorKind::Format { found } if found.ends_with('2'))
    );
}
