//! [`Name`]: what a subscription is called.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// Lower-case letters, digits and hyphens, 1 to 64 of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(super) struct Name(String);

impl Name {
    const MOST_BYTES: usize = 64;

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let is_allowed = |character: &char| matches!(character, 'a'..='z' | '0'..='9' | '-');
        if let Some(other) = text.chars().find(|character| !is_allowed(character)) {
            return Err(InvalidName::Character(other));
        }
        match text.len() {
            0 => Err(InvalidName::Empty),
            1..=Self::MOST_BYTES => Ok(Self(text.to_owned())),
            _ => Err(InvalidName::TooLong),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a text is no name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidName {
    #[error("a name has at least one character")]
    Empty,
    #[error("a name has {max} characters at most", max = Name::MOST_BYTES)]
    TooLong,
    #[error("`{0}` is not allowed in a name: lower-case letters, digits and hyphens are")]
    Character(char),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_lower_case_letters_digits_and_hyphens() {
        for text in ["a", "wapo-politics", "36kr", "-", &"n".repeat(64)] {
            assert_eq!(text.parse::<Name>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn says_what_is_wrong_with_others() {
        for (text, why) in [
            ("", InvalidName::Empty),
            (&*"n".repeat(65), InvalidName::TooLong),
            ("WaPo", InvalidName::Character('W')),
            ("a b", InvalidName::Character(' ')),
            ("a_b", InvalidName::Character('_')),
            ("../a", InvalidName::Character('.')),
            ("新闻", InvalidName::Character('新')),
        ] {
            assert_eq!(text.parse::<Name>(), Err(why), "{text:?}");
        }
    }
}
