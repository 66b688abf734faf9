//! Cases of every format there was stay readable.

use std::{fs, path::Path};

use proptest::prelude::*;
use tapeline_replay::{CASE_FORMAT, Kit};
use tempfile::TempDir;

use crate::{
    commands::{RECORDED, registry},
    world::{called, files},
};

fn kit(golden: &Path, pending: &Path, arguments: &[&str]) -> (u8, String) {
    let folders = ["--golden", golden.to_str().unwrap(), "--pending", pending.to_str().unwrap()];
    called(&[arguments, &folders].concat(), &Kit::new(registry::<RECORDED>()))
}

fn frozen(format: u32) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/format-{format}"))
}

#[test]
fn cases_of_every_format_are_read_and_replay() {
    for format in 1..=CASE_FORMAT {
        let pending = TempDir::new().unwrap();
        let (exit, out) = kit(&frozen(format), pending.path(), &[]);
        assert_eq!(exit, 0, "format {format}: {out}");
        assert!(out.contains("17 cases: 17 ok"), "{out}");
        assert_eq!(kit(&frozen(format), pending.path(), &["check"]).0, 0);
    }
}

#[test]
fn a_later_format_is_broken_and_says_so() {
    let folder = TempDir::new().unwrap();
    let (golden, pending) = (folder.path().join("golden"), folder.path().join("pending"));
    let given = golden.join("group/case/given");
    fs::create_dir_all(&given).unwrap();
    for (case, why) in [
        (
            format!(r#"{{"format":{}}}"#, CASE_FORMAT + 1),
            "its format is 2, this build reads up to 1",
        ),
        (r#"{"format":0}"#.to_owned(), "its format is 0"),
        ("{}".to_owned(), "missing field `format`"),
        (r#"{"format":1,"odd":1}"#.to_owned(), "the JSON is not what it should be"),
    ] {
        fs::write(given.join("case.json"), &case).unwrap();
        let (exit, out) = kit(&golden, &pending, &[]);
        assert_eq!(exit, 2);
        assert!(out.contains("group/case: broken\n") && out.contains(why), "{case}: {out}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever a file holds, the case is read or broken, and all others stay as they are.
    #[test]
    fn any_bytes_in_a_file_are_read_or_broken(
        place in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..8),
        keeps in any::<bool>(),
    ) {
        let folder = TempDir::new().unwrap();
        let (golden, pending) = (folder.path().join("golden"), folder.path().join("pending"));
        let frozen = frozen(CASE_FORMAT);
        let all = files(&frozen);
        for file in &all {
            let to = golden.join(file.strip_prefix(&frozen).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
        let file = golden.join(place.get(&all).strip_prefix(&frozen).unwrap());
        let mut content = fs::read(&file).unwrap();
        let at = at.index(content.len() + 1);
        let rest = if keeps { content.split_off(at) } else { Vec::new() };
        content.truncate(at);
        fs::write(&file, [content, bytes, rest].concat()).unwrap();
        let (_, out) = kit(&golden, &pending, &["--json"]);
        prop_assert!(out.lines().count() == 17 && !out.contains("\"verdict\":\"panic\""), "{}", out);
    }
}
