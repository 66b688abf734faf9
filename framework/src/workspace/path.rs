//! [`WorkspacePath`]: a name that cannot leave the workspace, on any platform.
//!
//! What is refused here is refused everywhere, so that a line recorded on Linux means the same on
//! Windows and nothing is decided by the platform it happens to run on. Links are not visible in a
//! name; the workspace itself refuses those.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

/// How users write the root.
const ROOT: &str = ".agents";

/// What our own half-written files begin with; no path names them and no listing shows them.
pub(super) const DRAFT_PREFIX: &str = ".tapeline-draft-";

/// Longer paths are refused before anybody looks at them (the usual `PATH_MAX`). Whether one
/// component is too long is the file system's to say: `NameTooLong`.
const MAX_BYTES: usize = 4096;

/// A relative path below the workspace root, such as `.agents/exports/rates.json`.
///
/// It is read with or without the leading `.agents/` and shown with it. Whatever is accepted
/// stays inside: no `..`, nothing absolute, no empty component, no name that one of the platforms
/// understands in a way of its own. The root itself is `.agents`.
///
/// Only the first `.agents` is the root: a directory of that name below it is an ordinary one, so
/// the text to keep and to read again is the one `Display` gives.
///
/// ```
/// use tapeline::workspace::WorkspacePath;
///
/// let path: WorkspacePath = "exports/rates.json".parse()?;
/// assert_eq!(path, ".agents/exports/rates.json".parse::<WorkspacePath>()?);
/// assert_eq!(path.to_string(), ".agents/exports/rates.json");
/// assert!("../secrets".parse::<WorkspacePath>().is_err());
/// # Ok::<(), tapeline::workspace::PathEscape>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath {
    /// Without the leading `.agents/`; empty for the root.
    below_root: String,
}

impl WorkspacePath {
    /// The workspace itself, to be listed.
    pub fn root() -> Self {
        Self { below_root: String::new() }
    }

    /// This path with more components, separated by `/`. A leading `.agents` is a directory of
    /// that name here.
    ///
    /// # Errors
    /// As parsing.
    pub fn join(&self, more: &str) -> Result<Self, PathEscape> {
        let below_root =
            if self.is_root() { more.to_owned() } else { format!("{}/{more}", self.below_root) };
        check(more)
            .and_then(|()| check_length(&below_root))
            .map_err(|problem| PathEscape::new(more, &problem))?;
        Ok(Self { below_root })
    }

    /// The directory this path is in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let below_root = self.below_root.rsplit_once('/').map_or("", |(parent, _)| parent);
        Some(Self { below_root: below_root.to_owned() })
    }

    /// The last component; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.components().next_back()
    }

    /// The components from the root down; none for the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.below_root.split('/').filter(|component| !component.is_empty())
    }

    /// The path without the leading `.agents/`, empty for the root.
    pub fn as_str(&self) -> &str {
        &self.below_root
    }

    /// Whether this is the workspace itself.
    pub fn is_root(&self) -> bool {
        self.below_root.is_empty()
    }
}

impl FromStr for WorkspacePath {
    type Err = PathEscape;

    fn from_str(text: &str) -> Result<Self, PathEscape> {
        if text == ROOT {
            return Ok(Self::root());
        }
        let below_root =
            text.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')).unwrap_or(text);
        check(below_root).map_err(|problem| PathEscape::new(text, &problem))?;
        Ok(Self { below_root: below_root.to_owned() })
    }
}

impl TryFrom<&str> for WorkspacePath {
    type Error = PathEscape;

    fn try_from(text: &str) -> Result<Self, PathEscape> {
        text.parse()
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            formatter.pad(ROOT)
        } else {
            formatter.pad(&format!("{ROOT}/{}", self.below_root))
        }
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WorkspacePath({self})")
    }
}

impl Serialize for WorkspacePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that is no [`WorkspacePath`]; its `Display` says what is wrong and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathEscape {
    /// For the caller: control characters escaped, long paths shortened.
    pub message: String,
}

impl PathEscape {
    fn new(text: &str, problem: &Problem<'_>) -> Self {
        if text.is_empty() {
            return Self { message: "the path is empty; name a file below `.agents/`".to_owned() };
        }
        Self { message: format!("the path `{}` {problem}", shown(text)) }
    }
}

/// The text as it can stand in a message: one line, no control characters, not endless.
fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    let mut shown = String::new();
    for character in text.chars().take(MAX_CHARS) {
        if is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// Why a path is refused, worded to follow "the path `…`".
#[derive(Debug, thiserror::Error)]
enum Problem<'path> {
    #[error("is longer than {MAX_BYTES} bytes; use a shorter one")]
    TooLong,
    #[error("is absolute; name a file below `.agents/` instead, such as `exports/data.json`")]
    Absolute,
    #[error("has a backslash; write `/` between names")]
    Backslash,
    #[error("has a colon, which not every platform can hold in a name; leave it out")]
    Colon,
    #[error("has the invisible character U+{0:04X}; leave it out")]
    Invisible(u32),
    #[error("has an empty name in it; write one `/` between names and none at the end")]
    EmptyComponent,
    #[error("has the name `{0}` in it, and would be resolved; write the path from `.agents/` down")]
    Dots(&'path str),
    #[error("has the name `{0}`, which ends in a dot or a space; leave that out")]
    TrailingDotOrSpace(&'path str),
    #[error("has the name `{0}` in it, which is a device on Windows; use another name")]
    Reserved(&'path str),
    #[error("has the name `{0}` in it, which is kept for half-written files; use another name")]
    Draft(&'path str),
}

fn check(below_root: &str) -> Result<(), Problem<'_>> {
    check_length(below_root)?;
    if is_absolute(below_root) {
        return Err(Problem::Absolute);
    }
    for character in below_root.chars() {
        match character {
            '\\' => return Err(Problem::Backslash),
            ':' => return Err(Problem::Colon),
            _ if is_invisible(character) => return Err(Problem::Invisible(character.into())),
            _ => {}
        }
    }
    below_root.split('/').try_for_each(check_component)
}

fn check_length(below_root: &str) -> Result<(), Problem<'static>> {
    if below_root.len() > MAX_BYTES { Err(Problem::TooLong) } else { Ok(()) }
}

fn check_component(component: &str) -> Result<(), Problem<'_>> {
    match component {
        "" => Err(Problem::EmptyComponent),
        "." | ".." => Err(Problem::Dots(component)),
        _ if component.ends_with(['.', ' ']) => Err(Problem::TrailingDotOrSpace(component)),
        _ if is_reserved(component) => Err(Problem::Reserved(component)),
        _ if starts_with_ignoring_case(component, DRAFT_PREFIX) => Err(Problem::Draft(component)),
        _ => Ok(()),
    }
}

/// `/x`, `\x` and `C:x`, whatever the platform.
fn is_absolute(path: &str) -> bool {
    let mut characters = path.chars();
    match characters.next() {
        Some('/' | '\\') => true,
        Some(drive) => drive.is_ascii_alphabetic() && characters.next() == Some(':'),
        None => false,
    }
}

/// Characters that make a name read differently from what it is: controls (C0, DEL, C1), line and
/// paragraph separators, and the bidirectional controls of Unicode's UAX #9.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061C}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// Device names of Windows, which it finds in any directory, in any case and with any extension:
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>.
fn is_reserved(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or(component).trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let Some(number) = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")) else {
        return false;
    };
    let mut characters = number.chars();
    matches!(characters.next(), Some('0'..='9' | '¹' | '²' | '³')) && characters.next().is_none()
}

/// Some file systems do not tell cases apart, and there `.TAPELINE-DRAFT-x` is a draft too.
fn starts_with_ignoring_case(component: &str, prefix: &str) -> bool {
    component
        .as_bytes()
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
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
        refuses(
            &[".tapeline-draft-0a", "a/.TAPELINE-Draft-0a", ".tapeline-draft-/x"],
            "half-written",
        );
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
}
