//! [`Word`]: what `hello` can draw.

use std::str::FromStr;

use serde::Serialize;

use super::glyphs;

/// Letters (upper-case), digits and blanks, with something to see among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Word(String);

impl Word {
    /// 120 columns: a line that most screens show unbroken.
    const MAX_CHARS: usize = 20;

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Word {
    type Err = InvalidWord;

    fn from_str(text: &str) -> Result<Self, InvalidWord> {
        let word = text.to_ascii_uppercase();
        if let Some(character) = word.chars().find(|character| !glyphs::can_draw(*character)) {
            return Err(InvalidWord::Character(character));
        }
        if word.trim().is_empty() {
            return Err(InvalidWord::Blank);
        }
        match word.chars().count() {
            0..=Self::MAX_CHARS => Ok(Self(word)),
            count => Err(InvalidWord::TooLong(count)),
        }
    }
}

/// Why a text cannot be drawn.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidWord {
    #[error("`{}` cannot be drawn, only A to Z, 0 to 9 and the blank", .0.escape_debug())]
    Character(char),
    #[error("there is nothing to draw in it")]
    Blank,
    #[error("it has {0} characters, and at most {max} fit a line", max = Word::MAX_CHARS)]
    TooLong(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_lower_case_as_upper_case() {
        assert_eq!("agent 7".parse::<Word>().unwrap().as_str(), "AGENT 7");
    }

    #[test]
    fn names_the_character_it_cannot_draw() {
        let refused = |text: &str| text.parse::<Word>().unwrap_err().to_string();
        assert!(refused("caf\u{e9}").starts_with("`\u{e9}`"), "{}", refused("caf\u{e9}"));
        assert!(refused("a\tb").starts_with("`\\t`"), "{}", refused("a\tb"));
        assert!(refused("\u{4f60}\u{597d}").starts_with("`\u{4f60}`"));
    }

    #[test]
    fn wants_something_to_see_on_one_line() {
        assert_eq!("".parse::<Word>(), Err(InvalidWord::Blank));
        assert_eq!("   ".parse::<Word>(), Err(InvalidWord::Blank));
        assert!("x".repeat(20).parse::<Word>().is_ok());
        assert_eq!("x".repeat(21).parse::<Word>(), Err(InvalidWord::TooLong(21)));
    }
}
