//! Records that anybody may have written, played: there is always a verdict, and it is the same twice.
//!
//! The input is files: `records.jsonl`, and others that are blobs by their content.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use tapeline::audit::{FORMAT, blob_path};
use tapeline_fuzz::{files, registry, scratch, sha256_hex};
use tapeline_replay::{Log, Verdict, replay};

fuzz_target!(|input: &[u8]| {
    const MOST_RECORDS: usize = 4;

    let folder = scratch();
    let audit = folder.path();
    fs::create_dir(audit.join("runs")).expect("a folder can be made");
    fs::write(audit.join("format"), FORMAT).expect("a file can be written");
    for file in files(input) {
        let path = match file.path.as_str() {
            "records.jsonl" => audit.join("runs/2026-11-27.0001.jsonl"),
            _ => blob_path(audit, &sha256_hex(&file.content)).expect("that is a hash"),
        };
        fs::create_dir_all(path.parent().expect("it lies in the log")).expect("a folder");
        fs::write(path, file.content).expect("a file can be written");
    }

    let log = Log::open(audit).expect("the log can be opened");
    for record in log.records().filter_map(Result::ok).take(MOST_RECORDS) {
        let verdict = replay(&log, &record, registry());
        // No command here panics, and whoever plays it may not either.
        assert!(!matches!(verdict, Verdict::Panic | Verdict::Stuck | Verdict::New), "{verdict}");
        let said = verdict.to_string();
        assert!(said.starts_with(verdict.name()));
        assert_eq!(replay(&log, &record, registry()).to_string(), said);
    }
});
