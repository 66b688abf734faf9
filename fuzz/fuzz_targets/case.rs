//! Folders of cases that anybody may have written: there is always a verdict, and what came of a
//! case and is accepted is `ok` from then on.
//!
//! The input is files below `golden/`; those in `_blobs/` are named by their content.
#![no_main]

use std::{fs, path::Path, time::Duration};

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use tapeline::clap::{self, Parser};
use tapeline_fuzz::{File, files, registry, scratch, sha256_hex};
use tapeline_replay::{Cli, Kit, cli};

#[derive(Parser)]
struct Host {
    #[command(flatten)]
    cli: Cli,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Said {
    case: String,
    verdict: String,
    why: Option<String>,
}

fuzz_target!(|input: &[u8]| {
    let folder = scratch();
    let golden = folder.path().join("golden");
    fs::create_dir(&golden).expect("a folder can be made");
    for file in files(input) {
        // Names that collide make a case that is broken, which is fine.
        let _ = named(file).write(&golden);
    }

    let (code, out) = called(folder.path(), &["--json"]);
    let said = said(&out);
    assert_eq!(called(folder.path(), &["--json"]), (code, out.clone()), "not the same twice");
    let (checked, _) = called(folder.path(), &["check"]);
    assert!(matches!(checked, 0 | 2), "{checked}");

    // Of several cases one may be the base of another, and change it when it is accepted.
    let [Said { case, verdict, .. }] = &*said else { return };
    if matches!(verdict.as_str(), "changed" | "new") {
        let (code, out) = called(folder.path(), &["accept", case]);
        assert_eq!(code, 0, "{out}");
        let (code, out) = called(folder.path(), &["--json"]);
        assert_eq!((code, self::said(&out).len()), (0, 1), "accepted, and still {out}");
        // Other things may lie about; the case itself is as it should be.
        let (_, out) = called(folder.path(), &["check"]);
        assert!(!out.lines().any(|line| line.starts_with(&format!("{case}: "))), "{out}");
    }
});

fn named(file: File) -> File {
    if !file.path.starts_with("_blobs/") {
        return file;
    }
    let sha256 = sha256_hex(&file.content);
    let shard: String = sha256.chars().take(2).collect();
    File { path: format!("_blobs/{shard}/{sha256}"), content: file.content }
}

fn called(folder: &Path, arguments: &[&str]) -> (u8, String) {
    // Many times what a case takes; the machine may be busy.
    const PATIENCE: Duration = Duration::from_secs(20);

    let (golden, pending) = (folder.join("golden"), folder.join("pending"));
    let path = |path: &Path| path.to_str().expect("a path of plain letters").to_owned();
    let mut words = vec!["replay".to_owned()];
    words.extend(arguments.iter().map(|&word| word.to_owned()));
    words.extend(["--golden".to_owned(), path(&golden), "--pending".to_owned(), path(&pending)]);
    let host = Host::try_parse_from(words).expect("the command line is right");
    let kit = Kit::new(registry()).root(folder).patience(PATIENCE);
    let mut out = Vec::new();
    let code = cli(&host.cli, &kit, &mut out).expect("memory can be written");
    (code, String::from_utf8(out).expect("what is said is text"))
}

/// The verdicts, none of which is a fault of ours. A folder without cases is said in words.
fn said(out: &str) -> Vec<Said> {
    let said: Vec<Said> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for Said { verdict, .. } in &said {
        let known = ["ok", "changed", "new", "miss", "broken"];
        assert!(known.contains(&verdict.as_str()), "{out}");
    }
    said
}
