//! [`WorkspacePath`]: a name that cannot leave the workspace, on any platform.
//!
//! What is refused here is refused everywhere, so that a line recorded on Linux means the same on
//! Windows and nothing is decided by the platform it happens to run on. Links are not visible in a
//! name; the workspace itself refuses those.

#[cfg(test)]
mod tests;

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
