//! [`CaseName`] and [`CasePattern`]: `exchange-rate/latest-from-cache`, and which ones are meant.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// `<group>/<case>`: each of lower-case letters, digits and hyphens.
///
/// ```
/// use tapeline_replay::CaseName;
///
/// let name: CaseName = "rss/fetch-not-modified".parse()?;
/// assert_eq!(name.group(), "rss");
/// assert!("rss/../x".parse::<CaseName>().is_err());
/// # Ok::<(), tapeline_replay::InvalidCaseName>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseName(String);

/// A text that names no case.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` names no case: write `<group>/<case>`, each in lower-case letters, digits and hyphens"
)]
pub struct InvalidCaseName(String);

impl CaseName {
    /// The part before the slash.
    pub fn group(&self) -> &str {
        self.0.split_once('/').map_or(self.0.as_str(), |(group, _)| group)
    }

    /// `<group>/<case>`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CaseName {
    type Err = InvalidCaseName;

    fn from_str(text: &str) -> Result<Self, InvalidCaseName> {
        let is_plain = |part: &str| {
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !part.is_empty() && part.len() <= 100 && part.bytes().all(plain)
        };
        match text.split_once('/') {
            Some((group, case)) if is_plain(group) && is_plain(case) => Ok(Self(text.to_owned())),
            _ => Err(InvalidCaseName(text.to_owned())),
        }
    }
}

impl fmt::Display for CaseName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Which cases are meant: a case, a group, or a glob in which `*` stands for anything.
///
/// ```
/// use tapeline_replay::CasePattern;
///
/// let name = "exchange-rate/latest-from-cache".parse()?;
/// for pattern in ["exchange-rate", "exchange-rate/latest-from-cache", "*cache*", "*/latest-*"] {
///     assert!(CasePattern::new(pattern).matches(&name), "{pattern}");
/// }
/// assert!(!CasePattern::new("exchange-rate/latest").matches(&name));
/// # Ok::<(), tapeline_replay::InvalidCaseName>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasePattern(String);

impl CasePattern {
    /// Any text is a pattern; some match nothing.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether that case is meant.
    pub fn matches(&self, name: &CaseName) -> bool {
        match self.0.contains('*') {
            true => glob(&self.0, name.as_str()),
            false => self.0 == name.as_str() || self.0 == name.group(),
        }
    }
}

impl fmt::Display for CasePattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for CasePattern {
    fn from(pattern: &str) -> Self {
        Self::new(pattern)
    }
}

/// The parts between the stars stand in the text in order, the first at its beginning and the last
/// at its end.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let last = parts.next_back().unwrap_or_default();
    let Some(text) = text.strip_prefix(first) else { return false };
    let Some(mut text) = text.strip_suffix(last) else { return false };
    for part in parts {
        match text.split_once(part) {
            Some((_, after)) => text = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_two_plain_parts() {
        for name in ["a/b", "rss/fetch-304", "0/0"] {
            assert!(name.parse::<CaseName>().is_ok(), "{name}");
        }
        for name in
            ["", "a", "a/", "/a", "a/b/c", "A/b", "a/b_c", "a/.b", "../a", "a/é", "_blobs/x"]
        {
            assert!(name.parse::<CaseName>().is_err(), "{name}");
        }
        assert!(format!("a/{}", "b".repeat(101)).parse::<CaseName>().is_err());
    }

    #[test]
    fn stars_stand_for_anything() {
        let name: CaseName = "group/one-two".parse().unwrap();
        for (pattern, matches) in [
            ("*", true),
            ("group/*", true),
            ("*two", true),
            ("*one*", true),
            ("g*p/*-*o", true),
            ("**", true),
            ("group/one-two*", true),
            ("*one", false),
            ("one*", false),
            ("*two*one*", false),
            ("group/one-two*two", false),
            ("group", true),
            ("grou", false),
            ("group/one", false),
            ("", false),
        ] {
            assert_eq!(CasePattern::new(pattern).matches(&name), matches, "{pattern}");
        }
    }
}
