//! Records, intents and directories for the tests of this folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use crate::audit::{HostVersion, Intent, Kept, Record, RunsFile};

pub(in crate::audit) fn intent(number: u32) -> Intent {
    Intent {
        v: Record::VERSION,
        run_id: run_id(number),
        timestamp: "2026-11-27T10:00:00.000Z".into(),
        command: Kept::inline("rss fetch https://feeds.test/a"),
        parsed_command: Kept::raw(raw(
            r#"{"path":"rss fetch","args":{"url":"https://feeds.test/a"}}"#,
        )),
        labels: Kept::raw(raw(r#"{"actor":"agent"}"#)),
        timeout_ms: 30_000,
        capabilities: vec!["Network".into()],
        host: HostVersion { name: "host".into(), version: "1.2.3".into() },
        framework: "0.1.0".into(),
        specs: "ab".repeat(32),
    }
}

pub(in crate::audit) fn record(number: u32) -> Record {
    let intent = intent(number);
    Record {
        v: intent.v,
        seq: 0,
        run_id: intent.run_id,
        timestamp: intent.timestamp,
        command: intent.command,
        parsed_command: intent.parsed_command,
        labels: intent.labels,
        stdin: Kept::null(),
        timeout_ms: intent.timeout_ms,
        capabilities: intent.capabilities,
        exit_code: 0,
        error_code: None,
        error_message: Kept::null(),
        hint: Kept::null(),
        truncated: Kept::raw(raw("[]")),
        duration_ms: 12,
        artifacts: Kept::raw(raw("[]")),
        stdout: Kept::inline("fetched 3 items\n"),
        stderr: Kept::inline(""),
        result: Kept::raw(raw(r#"{"ok":true,"command":"rss fetch"}"#)),
        tape: Kept::null(),
        host: intent.host,
        framework: intent.framework,
        specs: intent.specs,
        prev: String::new(),
    }
}

pub(super) fn record_on(day: &str, number: u32) -> Record {
    Record { timestamp: format!("{day}T10:00:00.000Z"), ..record(number) }
}

pub(super) fn run_id(number: u32) -> String {
    format!("0193b3d0-0000-7000-8000-{number:012}")
}

pub(in crate::audit) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All lines of the log, without their newlines.
pub(super) fn lines(audit: &Path) -> Vec<String> {
    let files = RunsFile::list(audit).unwrap();
    let texts = files.iter().map(|file| fs::read_to_string(file.path(audit)).unwrap());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Reads the log as a stranger would: every `prev` is the hash of the line before, the records
/// are numbered from 1 without holes.
#[track_caller]
pub(super) fn assert_chained(audit: &Path, records: usize) {
    let mut prev = vec![0; 32];
    let mut seq = 0;
    for line in lines(audit) {
        let sha256 = Sha256::digest(&line);
        if let Ok(record) = serde_json::from_str::<Record>(&line) {
            seq += 1;
            assert_eq!((record.seq, &hex(&prev)), (seq, &record.prev));
            prev = sha256.to_vec();
        } else {
            prev = Sha256::digest([prev, sha256.to_vec()].concat()).to_vec();
        }
    }
    assert_eq!(seq, records as u64);
}

pub(super) fn records(audit: &Path) -> Vec<Record> {
    lines(audit).iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

pub(super) fn file_names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(super) fn open_files(audit: &Path) -> Vec<PathBuf> {
    let open = audit.join("open");
    file_names(&open).iter().map(|name| open.join(name)).collect()
}

fn raw(json: &str) -> Box<serde_json::value::RawValue> {
    serde_json::from_str(json).unwrap()
}
