//! Bounded text: stdout and stderr on their way into an envelope.

use std::{iter::Peekable, str::Chars};

/// What a run printed so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: String,
    /// All bytes printed, kept or not.
    printed: u64,
}

impl Output {
    /// What is kept at most; a run that prints more is broken.
    const MOST_BYTES: usize = 16 << 20;

    pub(crate) fn push(&mut self, text: &str) {
        // Once something is lost nothing is kept after it: what is kept has no holes.
        if self.text.len() as u64 == self.printed {
            let room = Self::MOST_BYTES - self.text.len();
            let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            self.text.push_str(text.get(..end.unwrap_or(0)).unwrap_or_default());
        }
        self.printed += text.len() as u64;
    }

    /// The text for people, without control sequences, and how long it was.
    pub(crate) fn take(&mut self) -> (String, u64) {
        let text = std::mem::take(&mut self.text);
        let lost = self.printed - text.len() as u64;
        let text = without_control(text);
        let printed = text.len() as u64 + lost;
        (text, printed)
    }
}

/// Cuts at a character boundary so that text and last line fit in `max` bytes.
pub(crate) fn cut(text: &str, max: u64, last_line: &str) -> String {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let room = max.saturating_sub(last_line.len() + 2);
    let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    let mut kept = text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned();
    if !kept.is_empty() && !kept.ends_with('\n') {
        kept.push('\n');
    }
    kept.push_str(last_line);
    kept.push('\n');
    kept
}

/// Strips ANSI sequences, C0 but line feed and tab, DEL, C1 and bidi controls.
fn without_control(text: String) -> String {
    let is_control = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t') || is_bidi_control(character)
    };
    if !text.contains(is_control) {
        return text;
    }
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            // C1: the same introducers as one character.
            '\u{9b}' => skip_parameters(&mut characters),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut characters),
            other if is_control(other) => {}
            other => clean.push(other),
        }
    }
    clean
}

pub(crate) fn is_bidi_control(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// What follows ESC (ECMA-48): CSI, a string, or intermediates and one final character.
fn skip_escape(characters: &mut Peekable<Chars<'_>>) {
    match characters.peek() {
        Some('[') => {
            characters.next();
            skip_parameters(characters);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            characters.next();
            skip_string(characters);
        }
        _ => {
            while characters.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            characters.next_if(|next| matches!(next, '0'..='~'));
        }
    }
}

fn skip_parameters(characters: &mut Peekable<Chars<'_>>) {
    while characters.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    characters.next_if(|next| matches!(next, '@'..='~'));
}

/// To BEL, ST, or the end of the line: an unterminated string must not swallow the output.
fn skip_string(characters: &mut Peekable<Chars<'_>>) {
    while let Some(next) = characters.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                characters.next_if(|next| *next == '\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, without_control};

    #[test]
    fn strips_sequences_and_keeps_the_text_between_them() {
        let cases = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{9b}1;2Hx", "x"),
            ("\u{9d}0;t\u{9c}x", "x"),
            ("a\r\nb\rc\u{8}d\u{7f}", "a\nbcd"),
            ("\u{202e}abc\u{2066}中文\u{61c}", "abc中文"),
            ("\u{1b}(Bx\u{1b}=y", "xy"),
            ("\u{1b}]unterminated\nnext line", "\nnext line"),
            ("ends in escape\u{1b}", "ends in escape"),
        ];
        for (given, wanted) in cases {
            assert_eq!(without_control(given.to_owned()), wanted, "{given:?}");
        }
    }

    #[test]
    fn cuts_at_a_character_boundary_and_says_so() {
        for max in 10..40 {
            let text = cut("汇率汇率汇率汇率汇率", max, "[cut]");
            assert!(text.len() <= 40 && text.ends_with("[cut]\n"), "{max}: {text:?}");
        }
        assert_eq!(cut("汇率汇率", 13, "[cut]"), "汇率\n[cut]\n");
    }
}
