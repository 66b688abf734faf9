//! A change of a command, as its reviewers see it: which cases turn red, where, and what settles them.

#[cfg(unix)]
use std::io::Write;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

#[cfg(unix)]
use crate::pty::{shown_until, terminal};
use crate::{
    scratch::{Scratch, copy_folder},
    world::PROGRAM,
};

/// The golden cases in a folder of their own, and a changed build.
struct Review {
    folder: TempDir,
    program: PathBuf,
}

impl Review {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
        copy_folder(&golden, &folder.path().join("golden")).unwrap();
        Self { folder, program: PathBuf::new() }
    }

    fn kit(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).arg("replay").args(arguments);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    /// Name, verdict and paths (or misses) of each case that is not `ok`.
    fn red(&self) -> Vec<(String, String, Vec<String>)> {
        let (_, reports) = self.kit(&["--json"]);
        let reports = reports.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let places = |report: &Value| -> Vec<String> {
            let differences = report["differences"].as_array().unwrap().iter();
            let misses = report["misses"].as_array().unwrap().iter();
            differences
                .map(|difference| text(&difference["path"]))
                .chain(misses.map(text))
                .collect()
        };
        reports
            .filter(|report| report["verdict"] != "ok")
            .map(|report| (text(&report["case"]), text(&report["verdict"]), places(&report)))
            .collect()
    }

    /// The cases with a file of that name.
    fn with(&self, file: &str) -> Vec<String> {
        let mut cases = Vec::new();
        let golden = self.folder.path().join("golden");
        for group in fs::read_dir(&golden).unwrap().flatten() {
            for case in fs::read_dir(group.path()).into_iter().flatten().flatten() {
                if case.path().join(file).exists() {
                    let case = case.path().strip_prefix(&golden).unwrap().to_owned();
                    cases.push(case.to_str().unwrap().to_owned());
                }
            }
        }
        cases.sort();
        cases
    }

    fn is_settled(&self) {
        let (code, said) = self.kit(&[]);
        assert_eq!(code, Some(0), "{said}");
    }
}

#[test]
fn a_changed_build_is_settled_by_one_accept_and_one_amend() {
    let mut review = Review::new();
    let mut requesting = review.with("expect/requests.json");
    requesting.retain(|case| !case.starts_with("rss/"));
    assert!(requesting.len() >= 40, "{}", requesting.len());

    let scratch = Scratch::copy().unwrap();
    let source = "commands/src/exchange_rate/upstream.rs";
    let header = ".header(\"accept\", \"application/json\")";
    let more = format!("{header}.header(\"accept-language\", \"en\")");
    scratch.replace(source, header, &more).unwrap();
    review.program = scratch.build().unwrap();
    let red = review.red();
    let names: Vec<&String> = red.iter().map(|(name, ..)| name).collect();
    assert_eq!(names, requesting.iter().collect::<Vec<_>>(), "all its cases, and no others");
    for (name, verdict, paths) in &red {
        assert_eq!(verdict, "changed", "{name}");
        assert!(
            paths.iter().all(|path| path.starts_with("/requests/") && path.contains("/headers/")),
            "{name}: {paths:?}"
        );
    }
    let (code, said) = review.kit(&["review"]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("  /requests/*/headers/*\n    + [\"accept-language\",\"en\"] ×"),
        "{said}"
    );
    let (code, _) = review.kit(&["accept", "*"]);
    assert_eq!(code, Some(0));
    review.is_settled();

    // The same build, which now also reads a file that no tape knows, and does without it. A column
    // has another name, too.
    let titles = "\"  code  rate\\n\" };";
    let source = "commands/src/exchange_rate/latest.rs";
    scratch.replace(source, titles, &titles.replace("rate", "value")).unwrap();
    let (lookup, kept) = ("commands/src/exchange_rate/lookup.rs", "let mut kept = None;");
    let read = "let _ = door.workspace().and_then(|files| files.read(&\"exchange-rate.toml\".parse().unwrap()));";
    scratch.replace(lookup, kept, &format!("{kept} {read}")).unwrap();
    review.program = scratch.build().unwrap();
    let red = review.red();
    assert!(red.len() >= 40, "{}", red.len());
    for (name, verdict, misses) in &red {
        assert_eq!(verdict, "miss", "{name}");
        assert!(
            misses.iter().all(|miss| miss == "file `.agents/exchange-rate.toml`"),
            "{misses:?}"
        );
    }
    let (code, said) = review.kit(&["amend", "*", "--absent", "exchange-rate.toml"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(" cases amended\n"), "{said}");
    let (code, said) = review.kit(&["review"]);
    assert_eq!(code, Some(1), "{said}");
    let (group, rest) = said.split_once("\n\n").unwrap();
    assert!(group.starts_with("exchange-rate latest: "), "{said}");
    let values = "\n  /stdout\n    \"  code  rate\" → \"  code  value\" ×";
    assert!(group.contains(values), "{said}");
    assert!(rest.contains(" cases pending\n") && !rest.contains("\n\n"), "one group: {said}");
    let (code, _) = review.kit(&["accept", "*"]);
    assert_eq!(code, Some(0));
    review.is_settled();
}

#[cfg(unix)]
#[test]
fn at_a_terminal_review_asks_and_does_as_it_is_told() {
    let mut review = Review::new();
    review.program = PROGRAM.into();
    for case in ["hello/default", "hello/name"] {
        let stdout = review.folder.path().join("golden").join(case).join("expect/stdout.txt");
        let text = fs::read_to_string(&stdout).unwrap();
        fs::write(stdout, format!("{text}a line less\n")).unwrap();
    }
    let (code, said) = review.kit(&["hello"]);
    assert_eq!(code, Some(1));
    let look = "look: tapeline replay review; take it: tapeline replay accept CASE\n";
    assert!(said.ends_with(look), "{said}");
    let (mut ours, theirs) = terminal();
    let mut child = Command::new(PROGRAM)
        .current_dir(review.folder.path())
        .args(["replay", "review"])
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs)
        .spawn()
        .unwrap();
    let shown = shown_until(&mut ours, "(1/1) Accept these 2 cases [a,r,l,c,s,q,?]? ");
    assert!(shown.contains("hello: 2 cases\r\n  /stdout\r\n    - a line less ×2\r\n"), "{shown}");
    for (answer, shows) in [
        ("2\n", "(2/2) Accept hello/name "),
        ("r\n", "(1/1) Accept this case "),
        ("a\n", "1 case accepted, 1 rejected, 0 left\r\n"),
    ] {
        ours.write_all(answer.as_bytes()).unwrap();
        shown_until(&mut ours, shows);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let red = review.red();
    assert_eq!(red.len(), 1);
    assert_eq!(red[0].0, "hello/name");
}

#[test]
fn what_is_wrong_is_said_beside_a_document_and_not_in_it() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--json"][..], &["report", "--markdown", "-"], &["log", "--json"]] {
        let mut command = Command::new(PROGRAM);
        let output = command.current_dir(&folder).arg("replay").args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("there are no cases") || said.contains("no audit log"), "{said}");
    }
}
