//! Which names are paths, how those are shown, and that none of them leaves the root.

use std::error::Error;

use clap::Parser;
use proptest::prelude::*;

use super::*;

/// What a path is shown as, or the words it is refused with.
fn check(text: &str) -> String {
    match text.parse::<WorkspacePath>() {
        Ok(path) => path.to_string(),
        Err(escape) => escape.to_string(),
    }
}

fn refuses(texts: &[&str], because: &str) {
    for text in texts {
        let answer = check(text);
        assert!(answer.contains(because), "{text:?}: {answer}");
        assert!(answer.contains("; "), "{text:?} is told what to do: {answer}");
    }
}

#[test]
fn shows_the_root_with_every_path() {
    assert_eq!(check("cache/x.json"), ".agents/cache/x.json");
    assert_eq!(check(".agents/cache/x.json"), ".agents/cache/x.json");
    assert_eq!(check(".agents"), ".agents");
    assert_eq!(format!("{:>9}|", WorkspacePath::root()), "  .agents|");
}

#[test]
fn only_the_first_agents_is_the_root() {
    assert_eq!(check(".agents/.agents/x"), ".agents/.agents/x");
    assert_eq!(check(".agents/.agents"), ".agents/.agents");
    assert_eq!(check(".agentsx/y"), ".agents/.agentsx/y");
    let path: WorkspacePath = ".agents/.agents/x".parse().unwrap();
    assert_eq!(path.as_str(), ".agents/x");
}

#[test]
fn accepts_what_only_looks_odd() {
    for text in [
        "日本/報告 1.md",
        "a b",
        " a",
        "~",
        "%2e%2e",
        "..a",
        "a..b",
        "...a",
        "COM10",
        "CONSOLE",
        "com",
        "lpt⁴",
    ] {
        assert_eq!(check(text), format!(".agents/{text}"));
    }
}

#[test]
fn refuses_empty_paths_and_components() {
    refuses(&[""], "is empty");
    refuses(&["a//b", "a/", ".agents/", "a/b//"], "an empty name");
}

#[test]
fn refuses_absolute_paths_of_every_platform() {
    refuses(
        &[
            "/etc/passwd",
            "/",
            "//server/x",
            "\\x",
            "\\\\?\\C:\\x",
            "C:",
            "c:/x",
            "C:x",
            ".agents//x",
            "/.agents/x",
        ],
        "is absolute",
    );
}

#[test]
fn refuses_dots() {
    refuses(&["..", "../x", "a/../b", "a/..", ".agents/..", ".agents/../x"], "`..`");
    refuses(&[".", "./x", "a/./b", "a/."], "`.`");
}

#[test]
fn refuses_characters_that_platforms_or_readers_take_differently() {
    refuses(&["a\\b", "a/..\\..\\b"], "a backslash");
    refuses(&["ab:c", "file.txt:stream", "1:x"], "a colon");
    refuses(&["a\0b"], "U+0000");
    refuses(&["a\nb"], "U+000A");
    refuses(&["a\tb"], "U+0009");
    refuses(&["a\u{7f}"], "U+007F");
    refuses(&["a\u{85}"], "U+0085");
    refuses(&["a\u{2028}"], "U+2028");
    let marks = "\u{061C}\u{200E}\u{200F}".chars();
    for bidi in marks.chain('\u{202A}'..='\u{202E}').chain('\u{2066}'..='\u{2069}') {
        refuses(&[&format!("a{bidi}b")], &format!("U+{:04X}", u32::from(bidi)));
    }
}

#[test]
fn refuses_windows_devices_in_any_case_and_with_any_extension() {
    refuses(
        &[
            "CON",
            "prn",
            "a/Aux",
            "nul.txt",
            "NUL.tar.gz",
            "com0",
            "COM9.x",
            "COM¹",
            "lpt³.md",
            "LPT1",
            "conin$",
            "CONOUT$.log",
            "con .txt",
            "aux/x",
        ],
        "a device on Windows",
    );
}

#[test]
fn refuses_names_that_windows_shortens() {
    refuses(&["a.", "a ", "a./b", "dir /b", "...", " "], "ends in a dot or a space");
}

#[test]
fn refuses_the_names_of_drafts() {
    refuses(&[".tapeline-draft-0a", "a/.TAPELINE-Draft-0a", ".tapeline-draft-/x"], "half-written");
}

#[test]
fn refuses_more_than_4096_bytes() {
    let longest = "a/".repeat(2047) + "aa";
    assert_eq!(check(&longest), format!(".agents/{longest}"));
    refuses(&[&(longest.clone() + "a")], "longer than 4096 bytes");
    let path: WorkspacePath = longest.parse().unwrap();
    assert!(path.join("a").is_err());
}

#[test]
fn messages_hold_no_control_characters_and_end() {
    assert_eq!(
        check("a\u{1b}[31m"),
        "the path `a\\u{1b}[31m` has the invisible character U+001B; leave it out"
    );
    assert!(check(&"../".repeat(1000)).len() < 300);
}

#[test]
fn joins_below_and_walks_up() {
    let root = WorkspacePath::root();
    let path = root.join("a/b").unwrap().join(".agents").unwrap();
    assert_eq!(path.to_string(), ".agents/a/b/.agents");
    assert_eq!(path.name(), Some(".agents"));
    assert_eq!(path.components().collect::<Vec<_>>(), ["a", "b", ".agents"]);
    assert_eq!(root.join(".agents").unwrap().to_string(), ".agents/.agents");
    assert_eq!(path.parent().unwrap().to_string(), ".agents/a/b");
    assert_eq!(root.join("a").unwrap().parent(), Some(root.clone()));
    assert_eq!(root.parent(), None);
    assert_eq!(root.name(), None);
    assert_eq!(root.components().count(), 0);
    for escape in ["", "..", "/x", "x/../..", "x/"] {
        assert!(path.join(escape).is_err(), "{escape:?}");
        assert!(root.join(escape).is_err(), "{escape:?}");
    }
}

#[test]
fn serializes_as_it_is_shown() {
    let path: WorkspacePath = "a/b".parse().unwrap();
    assert_eq!(serde_json::to_string(&path).unwrap(), r#"".agents/a/b""#);
    assert_eq!(serde_json::to_string(&WorkspacePath::root()).unwrap(), r#"".agents""#);
}

#[test]
fn clap_takes_it_as_a_value_and_keeps_the_reason() {
    #[derive(Debug, Parser)]
    struct Line {
        #[arg(long)]
        out: Option<WorkspacePath>,
    }
    let line = Line::try_parse_from(["line", "--out", "a/b"]).unwrap();
    assert_eq!(line.out.unwrap().to_string(), ".agents/a/b");
    let error = Line::try_parse_from(["line", "--out", "../b"]).unwrap_err();
    assert!(error.source().unwrap().is::<PathEscape>());
}

/// Text made of what escapes are made of, more often than of anything else.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z.]{0,3}",
        "[/\\\\:. ~]",
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "..",
            "/",
            ".agents",
            "/../",
            "//",
            "C:",
            "nul",
            DRAFT_PREFIX,
            "\u{202e}"
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn is_confined(path: &WorkspacePath) -> bool {
    let text = path.as_str();
    let names_only = std::path::Path::new(text)
        .components()
        .all(|component| matches!(component, std::path::Component::Normal(_)));
    names_only
        && !text.starts_with('/')
        && !text.contains(['\\', ':', '\0'])
        && (path.is_root() || text.split('/').all(|name| !matches!(name, "" | "." | "..")))
}

proptest! {
    #[test]
    fn whatever_is_accepted_stays_inside(text in hostile(), more in hostile()) {
        if let Ok(path) = text.parse::<WorkspacePath>() {
            prop_assert!(is_confined(&path), "{path:?}");
            if let Ok(joined) = path.join(&more) {
                prop_assert!(is_confined(&joined), "{joined:?}");
                prop_assert!(path.components().zip(joined.components()).all(|(a, b)| a == b));
                prop_assert!(joined.components().count() > path.components().count());
            }
        }
    }

    #[test]
    fn reads_back_what_it_shows(text in hostile()) {
        if let Ok(path) = text.parse::<WorkspacePath>() {
            prop_assert_eq!(path.to_string().parse::<WorkspacePath>(), Ok(path));
        }
    }

    #[test]
    // Letters that spell no name of a device.
    fn parents_and_names_join_up_again(text in "[a-e]{1,3}(/[a-e]{1,3}){0,4}") {
        let path: WorkspacePath = text.parse().unwrap();
        let again = path.parent().unwrap().join(path.name().unwrap()).unwrap();
        prop_assert_eq!(again, path);
    }
}
