//! The text of a line in the order in which it is read, from marks in the order in which they stand.

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};
use unicode_normalization::UnicodeNormalization;

/// The text of what stands from left to right, and whether it is read from the right.
pub(super) fn text(spaced: &[&str]) -> (String, bool) {
    let is_mixed = spaced.iter().any(|text| text.chars().any(is_right_to_left));
    if !is_mixed {
        let text: String = spaced.concat();
        return (folded(text.trim()), false);
    }
    let (text, is_right) = logical(spaced);
    (folded(text.trim()), is_right)
}

/// Texts as they stand from left to right, in the order of reading.
///
/// What is written to the right is turned around by the rules that would have turned it to be
/// shown; a mark that has several characters has them in the order of reading already.
fn logical(spaced: &[&str]) -> (String, bool) {
    let strong = |wanted: fn(char) -> bool| {
        spaced.iter().flat_map(|text| text.chars()).filter(|&c| wanted(c)).count()
    };
    let is_right =
        strong(is_right_to_left) * 2 >= strong(|character| bidi_class(character) == BidiClass::L);
    let base = if is_right { Level::rtl() } else { Level::ltr() };
    let shown: String = spaced.concat();
    let info = BidiInfo::new(&shown, Some(base));
    let mut start = 0;
    let levels: Vec<Level> = spaced
        .iter()
        .map(|text| {
            let level = info.levels.get(start).copied().unwrap_or(base);
            start += text.len();
            level
        })
        .collect();
    let mut text = String::with_capacity(shown.len());
    for index in BidiInfo::reorder_visual(&levels) {
        let Some(part) = spaced.get(index) else { continue };
        let is_turned = levels.get(index).is_some_and(Level::is_rtl);
        // A word of Latin letters ends there; one that begins with a prefix goes on.
        if text.ends_with(|character: char| character.is_ascii_alphabetic())
            && part.starts_with(is_right_to_left)
        {
            text.push(' ');
        }
        match is_turned {
            true => text.extend(part.chars().map(mirrored)),
            false => text.push_str(part),
        }
    }
    (text, is_right)
}

fn is_right_to_left(character: char) -> bool {
    matches!(bidi_class(character), BidiClass::R | BidiClass::AL)
}

fn mirrored(character: char) -> char {
    match character {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    }
}

/// Letters as people type them: ligatures and the shapes that Arabic letters take are not.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{FB00}'..='\u{FDFB}'
            | '\u{FE70}'..='\u{FEFC}'
            | '\u{2F00}'..='\u{2FD5}'
            | '\u{2E80}'..='\u{2EF3}' => {
                folded.extend(std::iter::once(character).nfkc());
            }
            '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' => folded.push(' '),
            '\u{200B}' | '\u{FEFF}' | '\u{2060}' | '\u{FFFC}' => {}
            other => folded.push(other),
        }
    }
    // Accents that were drawn as characters of their own join the letter before.
    match folded.chars().any(|character| ('\u{300}'..='\u{36F}').contains(&character)) {
        true => folded.nfc().collect(),
        false => folded,
    }
}
