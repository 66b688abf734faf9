//! [`check`]: what a log holds, found out without any code of the writer's.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::{Context, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A log whose chain holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) records: u64,
    pub(super) files: usize,
    /// Lines that a writer did not live to finish.
    pub(super) torn: u64,
    pub(super) interrupted: u64,
    /// Blobs that records name, each once.
    pub(super) blobs: usize,
    runs: HashSet<String>,
}

impl Found {
    pub(super) fn has(&self, run_id: &str) -> bool {
        self.runs.contains(run_id)
    }
}

/// Reads the whole log: every `prev` is the SHA-256 of what is before it, records are numbered
/// without holes, no run has two of them, no whole line is unreadable, and every blob that is
/// referred to is there and is what its name says.
pub(super) fn check(audit: &Path) -> anyhow::Result<Found> {
    let mut found = Found::default();
    let mut blobs = HashMap::new();
    let mut prev = [0; 32];
    let mut names = fs::read_dir(audit.join("runs"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    for path in names {
        found.files += 1;
        let mut reader = BufReader::with_capacity(1 << 20, fs::File::open(&path)?);
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            number += 1;
            let whole = line.strip_suffix(b"\n").unwrap_or(&line);
            let is_record = record(&mut found, &mut blobs, prev, whole)
                .with_context(|| format!("line {number} of {}", path.display()))?;
            let sha256: [u8; 32] = Sha256::digest(whole).into();
            prev = match is_record {
                true => sha256,
                // The next record vouches for the torn line and for what is before it.
                false => Sha256::new().chain_update(prev).chain_update(sha256).finalize().into(),
            };
        }
    }
    let mut unread: Vec<_> = blobs.iter().map(|(sha256, blob)| (sha256.clone(), *blob)).collect();
    while let Some((sha256, Blob { bytes, is_value })) = unread.pop() {
        let shard = sha256.get(..2).context("a blob without a name")?;
        let path = audit.join("blobs").join(shard).join(&sha256);
        let content = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        ensure!(content.len() as u64 == bytes, "{} has another length", path.display());
        ensure!(hex(&content) == sha256, "{} is not what its name says", path.display());
        if is_value {
            // A tape that is kept apart names others.
            let mut inner = HashMap::new();
            collect(&serde_json::from_slice(&content).context("read a value")?, &mut inner);
            inner.retain(|sha256, blob| blobs.insert(sha256.clone(), *blob).is_none());
            unread.extend(inner);
        }
    }
    found.blobs = blobs.len();
    Ok(found)
}

fn record(
    found: &mut Found,
    blobs: &mut HashMap<String, Blob>,
    prev: [u8; 32],
    line: &[u8],
) -> anyhow::Result<bool> {
    let record: Value = match serde_json::from_slice(line) {
        Ok(record) => record,
        Err(error) if error.is_eof() => {
            found.torn += 1;
            return Ok(false);
        }
        Err(error) => return Err(error).context("a whole line that is no JSON"),
    };
    let text = |name| record.get(name).and_then(Value::as_str);
    let seq = record.get("seq").and_then(Value::as_u64).context("no seq")?;
    ensure!(seq == found.records + 1, "seq {seq} after {}", found.records);
    found.records = seq;
    ensure!(text("prev") == Some(&*spelled(&prev)), "prev is not the line before");
    let run_id = text("run_id").context("no run_id")?;
    ensure!(found.runs.insert(run_id.to_owned()), "a second record of run {run_id}");
    found.interrupted += u64::from(text("error_code") == Some("Interrupted"));
    collect(&record, blobs);
    let fields = record.as_object().into_iter().flat_map(|fields| fields.values());
    blobs.extend(
        fields
            .filter_map(reference)
            .map(|(sha256, blob)| (sha256, Blob { is_value: true, ..blob })),
    );
    Ok(true)
}

/// What a reference says of a blob.
#[derive(Clone, Copy, Debug)]
struct Blob {
    bytes: u64,
    /// A value of a record, and not the content of a file or a body.
    is_value: bool,
}

/// References of every kind: a field of a record that is kept apart, and the contents of a tape.
fn collect(value: &Value, blobs: &mut HashMap<String, Blob>) {
    match value {
        Value::Object(fields) => {
            blobs.extend(reference(value));
            fields.values().for_each(|value| collect(value, blobs));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, blobs)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `{"$blob": sha256, "bytes": n}`.
fn reference(value: &Value) -> Option<(String, Blob)> {
    let sha256 = value.get("$blob")?.as_str()?.to_owned();
    Some((sha256, Blob { bytes: value.get("bytes")?.as_u64()?, is_value: false }))
}

/// The ids of runs that files of intents name, torn ones aside.
pub(super) fn intents(audit: &Path) -> anyhow::Result<Vec<String>> {
    let mut runs = Vec::new();
    let open = match fs::read_dir(audit.join("open")) {
        Ok(open) => open,
        // The writer was killed before it made the folder.
        Err(_) => return Ok(runs),
    };
    for entry in open {
        let text = match fs::read_to_string(entry?.path()) {
            // Others may be at work, and close the runs of those who are gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            text => text?,
        };
        let intents = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        runs.extend(intents.filter_map(|intent| Some(intent.get("run_id")?.as_str()?.to_owned())));
    }
    Ok(runs)
}

/// Files that somebody began and did not live to finish, in log and workspace.
pub(super) fn leftovers(root: &Path) -> anyhow::Result<usize> {
    let mut count = 0;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if name.starts_with(".tapeline-draft-") || name.ends_with(".tmp") {
                count += 1;
            }
        }
    }
    Ok(count)
}

fn hex(bytes: &[u8]) -> String {
    spelled(&Sha256::digest(bytes))
}

fn spelled(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("runs")).unwrap();
        fs::write(folder.path().join("runs/2026-11-27.0001.jsonl"), lines.join("\n")).unwrap();
        folder
    }

    fn line(seq: u64, prev: &str, rest: &str) -> String {
        format!(r#"{{"seq":{seq},"run_id":"run-{seq}"{rest},"prev":"{prev}"}}"#)
    }

    fn fails(lines: &[&str]) -> String {
        format!("{:#}", check(log(lines).path()).unwrap_err())
    }

    #[test]
    fn a_chain_that_holds_is_counted() {
        let first = line(1, &"0".repeat(64), "");
        let torn = r#"{"seq":2,"#;
        let both = [Sha256::digest(&first), Sha256::digest(torn)].concat();
        let second = line(2, &hex(&both), r#","error_code":"Interrupted""#);
        let found = check(log(&[&first, torn, &second, ""]).path()).unwrap();
        assert_eq!((found.records, found.files, found.torn, found.interrupted), (2, 1, 1, 1));
        assert!(found.has("run-2") && !found.has("run-3"));
    }

    #[test]
    fn each_kind_of_damage_is_found() {
        let first = line(1, &"0".repeat(64), "");
        let after = |rest| line(2, &hex(first.as_bytes()), rest);
        assert!(fails(&[&first, &line(3, &hex(first.as_bytes()), "")]).ends_with("seq 3 after 1"));
        assert!(fails(&[&first, &line(2, "ff", "")]).ends_with("prev is not the line before"));
        assert!(fails(&[&first, "{]"]).contains("a whole line that is no JSON"));
        let twice = after("").replace("run-2", "run-1");
        assert!(fails(&[&first, &twice]).ends_with("a second record of run run-1"));
        let blob = format!(r#","stdout":{{"$blob":"{}","bytes":1}}"#, "ab".repeat(32));
        assert!(fails(&[&first, &after(&blob)]).contains("blobs/ab/abab"));
    }

    #[test]
    fn a_blob_is_what_its_name_says_and_so_is_what_it_names() {
        let body = hex(b"a body");
        let tape = format!(r#"{{"body":{{"$blob":"{body}","bytes":6}}}}"#);
        let name = hex(tape.as_bytes());
        let with = |bytes: usize, blobs: &[(&str, &str)]| {
            let tape = format!(r#","tape":{{"$blob":"{name}","bytes":{bytes}}}"#);
            let folder = log(&[&line(1, &"0".repeat(64), &tape)]);
            for (name, content) in blobs {
                let shard = folder.path().join("blobs").join(name.get(..2).unwrap());
                fs::create_dir_all(&shard).unwrap();
                fs::write(shard.join(name), content).unwrap();
            }
            check(folder.path()).map(|found| found.blobs).map_err(|error| format!("{error:#}"))
        };
        let (tape, body) = ((&*name, &*tape), &*body);
        let bytes = tape.1.len();
        assert_eq!(with(bytes, &[tape, (body, "a body")]), Ok(2));
        assert!(with(bytes, &[tape]).unwrap_err().contains(body));
        assert!(with(bytes, &[tape, (body, "another")]).unwrap_err().contains("another length"));
        assert!(with(bytes, &[tape, (body, "a soul")]).unwrap_err().contains("its name says"));
        assert!(with(1, &[tape, (body, "a body")]).unwrap_err().contains("another length"));
    }

    #[test]
    fn intents_and_unfinished_files_are_seen() {
        let folder = log(&[]);
        assert_eq!(intents(folder.path()).unwrap(), [""; 0]);
        fs::create_dir(folder.path().join("open")).unwrap();
        let text = "{\"seq\":0}\n{\"run_id\":\"run-1\"}\n{\"run_id\":\"torn";
        fs::write(folder.path().join("open/1.jsonl"), text).unwrap();
        assert_eq!(intents(folder.path()).unwrap(), ["run-1"]);
        assert_eq!(leftovers(folder.path()).unwrap(), 0);
        fs::write(folder.path().join("open/half.tmp"), "").unwrap();
        fs::write(folder.path().join(".tapeline-draft-1"), "").unwrap();
        assert_eq!(leftovers(folder.path()).unwrap(), 2);
    }
}
