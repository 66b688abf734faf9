//! The beginning of a text that is too long.

use super::markdown::BREAK;

/// Longer words are cut inside.
const WORD_CHARS: usize = 100;

/// At most so many characters, and no half word where a blank is near.
pub(super) fn plain(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    let (kept, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let word = kept.chars().rev().take_while(|character| !character.is_whitespace()).count();
    if word > WORD_CHARS || !is_inside_word(kept, rest) {
        return kept.trim_end();
    }
    let before = kept.trim_end_matches(|character: char| !character.is_whitespace()).trim_end();
    // A text of one word is not cut to nothing.
    if before.is_empty() { kept } else { before }
}

/// As [`plain`], of a block of Markdown: no mark in it stays open. Links, marks of notes and escaped
/// characters are there whole or not at all, and emphasis is closed. The first `lead` bytes, the
/// marks of the block itself, are nothing without what follows.
pub(super) fn markdown(text: &str, most: usize, lead: usize) -> String {
    let (mut at, mut chars, mut open) = (0, 0, "");
    // What may be kept, and what closes it: in the middle of a word, and at the end of one.
    let (mut kept, mut whole) = (("", ""), ("", ""));
    while let Some(token) = token(text.get(at..).unwrap_or_default(), open) {
        at += token.len();
        chars += token.chars().count();
        if chars > most {
            break;
        }
        if token.starts_with('*') {
            open = if open.is_empty() { token } else { "" };
        }
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        // A mark, a blank or a break at the end would be one of nothing; half a number, `1.` of
        // `1.5`, would be that of an item.
        let is_end = match token.chars().next_back() {
            _ if token == BREAK => false,
            Some('*') => open.is_empty() || token.starts_with('\\'),
            Some('-' | '+' | '=' | '.' | ')') => !after.starts_with(char::is_alphanumeric),
            last => last.is_some_and(|last| !last.is_whitespace()),
        };
        if is_end && at > lead && chars + open.len() <= most {
            kept = (before, open);
            if !is_inside_word(before, after) {
                whole = kept;
            }
        }
    }
    let is_near = kept.0.len() - whole.0.len() <= WORD_CHARS && !whole.0.is_empty();
    let (text, closing) = if is_near { whole } else { kept };
    format!("{text}{closing}")
}

/// The first cells of a row that is too long, the last of them cut by `cut`. Each costs `marks`
/// characters besides its text. The first word of a cell is there whole or not at all: half a number
/// is another number.
pub(super) fn row(
    cells: &[String],
    most: usize,
    marks: usize,
    cut: impl Fn(&str, usize) -> String,
) -> Vec<String> {
    let mut left = most;
    let mut kept = Vec::new();
    for cell in cells {
        let Some(room) = left.checked_sub(marks) else { break };
        let chars = cell.chars().count();
        if let Some(rest) = room.checked_sub(chars) {
            left = rest;
            kept.push(cell.clone());
            continue;
        }
        let word = cell.chars().take_while(|character| !character.is_whitespace()).count();
        if word <= room || word > WORD_CHARS {
            kept.push(cut(cell, room));
        }
        break;
    }
    while kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
}

/// What stands first and is not divided; nothing where it has no end. `open` is the emphasis that it
/// stands in.
fn token<'t>(text: &'t str, open: &str) -> Option<&'t str> {
    let first = text.chars().next()?;
    let end = match first {
        '\\' => 1 + text.chars().nth(1)?.len_utf8(),
        '<' if text.starts_with(BREAK) => BREAK.len(),
        '*' if !open.is_empty() && text.starts_with(open) => open.len(),
        '*' => text.len() - text.trim_start_matches('*').len(),
        '[' if text.starts_with("[^") => text.find(']')? + 1,
        '[' => {
            let address = text.find("](")?;
            address + text.get(address..)?.find(')')? + 1
        }
        other => other.len_utf8(),
    };
    text.get(..end)
}

/// Whether a word goes on that blanks end: Chinese and its like have none.
fn is_inside_word(before: &str, after: &str) -> bool {
    let is_of_word = |character: char| {
        character.is_alphanumeric() && !matches!(character, '\u{2e80}'..='\u{ffdc}' | '\u{20000}'..)
    };
    before.ends_with(is_of_word) && after.starts_with(is_of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lead: usize, expected: &[(usize, &str)]) {
        for (most, expected) in expected {
            let cut = markdown(text, *most, lead);
            assert_eq!(&cut, expected, "{most}");
            assert!(cut.chars().count() <= *most, "{cut}");
        }
    }

    #[test]
    fn no_mark_stays_open() {
        let expected = [(4, "a"), (6, "a"), (8, "a **bc**"), (10, "a **bc**"), (12, "a **bc de**")];
        check("a **bc de** f", 0, &expected);
        check("**a***b*c", 0, &[(3, ""), (5, "**a**"), (7, "**a**"), (8, "**a***b*")]);
        check(
            "see [the figures](https://a.example/)[^1] x",
            0,
            &[
                (10, "see"),
                (36, "see"),
                (38, "see [the figures](https://a.example/)"),
                (42, "see [the figures](https://a.example/)[^1]"),
            ],
        );
        check(
            "a\\\nb\\*c",
            0,
            &[(2, "a"), (3, "a"), (4, "a\\\nb"), (5, "a\\\nb"), (6, "a\\\nb\\*")],
        );
    }

    #[test]
    fn a_break_in_a_cell_is_there_whole() {
        check("ab<br>cd", 0, &[(3, "ab"), (5, "ab"), (6, "ab"), (8, "ab<br>cd")]);
    }

    #[test]
    fn a_row_is_cut_inside_its_last_cell() {
        let cells = ["a".to_owned(), "one two three".to_owned(), "1234".to_owned()];
        for (most, expected) in [
            (2, &[][..]),
            (4, &["a"]),
            (8, &["a"]),
            (10, &["a", "one"]),
            (20, &["a", "one two three"]),
            (26, &["a", "one two three"]),
            (27, &["a", "one two three", "1234"]),
        ] {
            let kept = row(&cells, most, 3, |cell, room| plain(cell, room).to_owned());
            let chars: usize = kept.iter().map(|cell| 3 + cell.len()).sum();
            assert_eq!(kept, expected, "{most}");
            assert!(chars <= most, "{most}");
        }
    }

    #[test]
    fn no_block_is_one_of_nothing() {
        check("## ab", 3, &[(2, ""), (4, "## a"), (5, "## ab")]);
        check("1.5 m", 0, &[(1, "1"), (2, "1"), (3, "1.5")]);
    }
}
