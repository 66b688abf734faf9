//! The font of `hello`: glyphs of five by five dots, and how a word is put together from them.

/// Rows of a glyph.
const HEIGHT: usize = 5;
/// Dots in a row of a glyph.
const WIDTH: u32 = 5;

/// Whether the font has the character.
pub(super) fn can_draw(character: char) -> bool {
    glyph(character).is_some()
}

/// The rows of the word, top down, without blanks at their ends. Characters the font does not
/// have are left out.
pub(super) fn draw(word: &str) -> Vec<String> {
    let mut rows = [const { String::new() }; HEIGHT];
    for glyph in word.chars().filter_map(glyph) {
        for (row, dots) in rows.iter_mut().zip(glyph) {
            if !row.is_empty() {
                row.push(' ');
            }
            let lit = |dot: &u32| (dots >> (WIDTH - 1 - dot)) & 1 == 1;
            row.extend((0..WIDTH).map(|dot| if lit(&dot) { '#' } else { ' ' }));
        }
    }
    rows.map(|row| row.trim_end().to_owned()).into()
}

/// The rows of a character, top down; the highest of the five bits is the leftmost dot.
#[rustfmt::skip]
fn glyph(character: char) -> Option<[u8; HEIGHT]> {
    Some(match character {
        'A' => [0b01110, 0b10001, 0b11111, 0b10001, 0b10001],
        'B' => [0b11110, 0b10001, 0b11110, 0b10001, 0b11110],
        'C' => [0b01111, 0b10000, 0b10000, 0b10000, 0b01111],
        'D' => [0b11110, 0b10001, 0b10001, 0b10001, 0b11110],
        'E' => [0b11111, 0b10000, 0b11110, 0b10000, 0b11111],
        'F' => [0b11111, 0b10000, 0b11110, 0b10000, 0b10000],
        'G' => [0b01111, 0b10000, 0b10011, 0b10001, 0b01111],
        'H' => [0b10001, 0b10001, 0b11111, 0b10001, 0b10001],
        'I' => [0b11111, 0b00100, 0b00100, 0b00100, 0b11111],
        'J' => [0b00111, 0b00010, 0b00010, 0b10010, 0b01100],
        'K' => [0b10001, 0b10010, 0b11100, 0b10010, 0b10001],
        'L' => [0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
        'M' => [0b10001, 0b11011, 0b10101, 0b10001, 0b10001],
        'N' => [0b10001, 0b11001, 0b10101, 0b10011, 0b10001],
        'O' => [0b01110, 0b10001, 0b10001, 0b10001, 0b01110],
        'P' => [0b11110, 0b10001, 0b11110, 0b10000, 0b10000],
        'Q' => [0b01110, 0b10001, 0b10101, 0b10010, 0b01101],
        'R' => [0b11110, 0b10001, 0b11110, 0b10010, 0b10001],
        'S' => [0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        'T' => [0b11111, 0b00100, 0b00100, 0b00100, 0b00100],
        'U' => [0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        'V' => [0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
        'W' => [0b10001, 0b10001, 0b10101, 0b11011, 0b10001],
        'X' => [0b10001, 0b01010, 0b00100, 0b01010, 0b10001],
        'Y' => [0b10001, 0b01010, 0b00100, 0b00100, 0b00100],
        'Z' => [0b11111, 0b00010, 0b00100, 0b01000, 0b11111],
        '0' => [0b01110, 0b10011, 0b10101, 0b11001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b11111],
        '2' => [0b11110, 0b00001, 0b01110, 0b10000, 0b11111],
        '3' => [0b11110, 0b00001, 0b01110, 0b00001, 0b11110],
        '4' => [0b10010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b11110],
        '6' => [0b01110, 0b10000, 0b11110, 0b10001, 0b01110],
        '7' => [0b11111, 0b00010, 0b00100, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b01110, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b01111, 0b00001, 0b01110],
        ' ' => [0; HEIGHT],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn draws_a_word() {
        assert_eq!(
            draw("HI 5").join("\n"),
            "#   # #####       #####\n\
             #   #   #         #\n\
             #####   #         ####\n\
             #   #   #             #\n\
             #   # #####       ####"
        );
    }

    #[test]
    fn has_a_glyph_of_its_own_for_every_letter_digit_and_the_blank() {
        let drawable = ('A'..='Z').chain('0'..='9').chain([' ']);
        let glyphs: BTreeSet<_> = drawable.map(|character| glyph(character).unwrap()).collect();
        assert_eq!(glyphs.len(), 37);
        assert!(glyphs.iter().flatten().all(|dots| *dots < 1 << WIDTH));
        assert!(!can_draw('a') && !can_draw('\u{c4}'));
    }
}
