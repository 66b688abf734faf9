//! The reader of an audit log over any bytes: every line is accounted for, and what was read is
//! written alike.
#![no_main]

use std::{cell::RefCell, fs};

use libfuzzer_sys::fuzz_target;
use tapeline::audit::{FORMAT, MAX_LINE_BYTES, Record, Tape};
use tapeline_fuzz::scratch;
use tapeline_replay::{Log, LogError, LogErrorKind};
use tempfile::TempDir;

thread_local! {
    static AUDIT: RefCell<Option<(TempDir, Log)>> = const { RefCell::new(None) };
}

fuzz_target!(|input: &[u8]| {
    AUDIT.with_borrow_mut(|audit| {
        let (folder, log) = audit.get_or_insert_with(empty);
        check(folder, log, &stretched(input));
    });
});

fn empty() -> (TempDir, Log) {
    let folder = scratch();
    fs::create_dir(folder.path().join("runs")).expect("a folder can be made");
    fs::write(folder.path().join("format"), FORMAT).expect("a file can be written");
    let log = Log::open(folder.path()).expect("the log can be opened");
    (folder, log)
}

/// A fuzzer does not come to the longest line by itself: one byte stands for a quarter of it.
fn stretched(input: &[u8]) -> Vec<u8> {
    let mut room = 6;
    let mut stretched = Vec::with_capacity(input.len());
    for &byte in input {
        if byte == 1 && room > 0 {
            room -= 1;
            stretched.extend([b' '; MAX_LINE_BYTES / 4]);
        } else {
            stretched.push(byte);
        }
    }
    stretched
}

fn check(folder: &TempDir, log: &Log, bytes: &[u8]) {
    let path = folder.path().join("runs/2026-11-27.0001.jsonl");
    fs::write(path, bytes).expect("a file can be written");

    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let read: Vec<Result<Record, LogError>> = log.records().collect();
    assert_eq!(read.len(), lines.len(), "{read:?}");
    for ((read, line), number) in read.iter().zip(&lines).zip(1..) {
        let whole = line.strip_suffix(b"\n");
        match read {
            Ok(record) => {
                // It may lack its newline and nothing else.
                let whole = whole.unwrap_or(line);
                assert!(whole.len() <= MAX_LINE_BYTES);
                check_record(record);
                check_find(log, record, whole);
            }
            Err(error) => {
                assert_eq!(error.line, Some(number), "{error:?}");
                let is_torn = matches!(error.kind, LogErrorKind::Torn);
                let is_long = matches!(error.kind, LogErrorKind::TooLong);
                let length = whole.unwrap_or(line).len();
                // Zero bytes are what a machine that stopped leaves, however many.
                assert_eq!(
                    is_long || (is_torn && length > MAX_LINE_BYTES),
                    length > MAX_LINE_BYTES
                );
                let is_newer = matches!(error.kind, LogErrorKind::Version { .. });
                assert!(is_torn || whole.is_some() || is_long || is_newer, "{error:?}");
            }
        }
    }

    for count in [0, 2] {
        let tail = log.tail(count).expect("the files can be listed");
        // Torn lines are not counted.
        let skipped = lines.len().checked_sub(tail.len()).expect("no line comes twice");
        let is_torn = |error: &LogError| matches!(error.kind, LogErrorKind::Torn);
        let counted = tail.iter().filter(|read| !read.as_ref().is_err_and(is_torn)).count();
        assert!(counted <= count);
        assert!(counted == count || skipped == 0);
        for (last, read) in tail.iter().zip(read.iter().skip(skipped)) {
            assert_eq!(said(last), said(read));
        }
    }
}

fn check_record(record: &Record) {
    let written = serde_json::to_string(record).expect("a record that was read can be written");
    let again: Record = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(serde_json::to_string(&again).ok().as_ref(), Some(&written));
    assert_eq!(format!("{again:?}"), format!("{record:?}"));
    assert!(!written.contains('\n'), "a record is one line");

    let Ok(Some(tape)) = record.tape.read::<Option<Tape>>() else { return };
    let written = serde_json::to_string(&tape).expect("a tape that was read can be written");
    assert_eq!(serde_json::from_str::<Tape>(&written).ok(), Some(tape));
}

/// What was read is found by its name, unless another line claims the name, too.
fn check_find(log: &Log, record: &Record, line: &[u8]) {
    let id = &record.run_id;
    let is_spelled = || String::from_utf8_lossy(line).contains(id.as_str());
    match log.find(id) {
        Ok(Some(found)) => assert!(found.run_id.starts_with(id.as_str())),
        // Our writers spell ids as they are.
        Ok(None) => assert!(!is_spelled(), "`{id}` is not found"),
        Err(error) => match error.kind {
            LogErrorKind::ShortPrefix { .. } => assert!(id.chars().count() < 8),
            LogErrorKind::Ambiguous { .. }
            | LogErrorKind::Version { .. }
            | LogErrorKind::Json(_) => {}
            _ => panic!("{error:?}"),
        },
    }
}

fn said(read: &Result<Record, LogError>) -> String {
    match read {
        Ok(record) => format!("{record:?}"),
        Err(error) => format!("{error:?}"),
    }
}
