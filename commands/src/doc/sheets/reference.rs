//! `B3`: where a cell is.

use super::limits;

/// Column from 0, and row from 0 where it is given; none past `XFD` or where it is no reference.
pub(super) fn parse(reference: &str) -> Option<(u32, Option<u32>)> {
    let reference = reference.trim();
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let mut column = 0;
    let mut count = 0;
    for letter in letters {
        count += 1;
        column = column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
        if column > limits::COLUMNS {
            return None;
        }
    }
    let digits = reference.get(count..)?;
    Some((column.checked_sub(1)?, row(digits)))
}

/// A row from 0, of its number from 1.
pub(super) fn row(number: &str) -> Option<u32> {
    let number: u32 = number.trim().parse().ok()?;
    (1..=limits::ROWS).contains(&number).then(|| number - 1)
}

/// `B3`, of a column and a row from 0.
pub(super) fn name(column: u32, row: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.push(char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    letters.reverse();
    let letters: String = letters.into_iter().collect();
    format!("{letters}{}", u64::from(row) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_columns_and_rows() {
        for (reference, place) in [
            ("A1", Some((0, Some(0)))),
            ("xfd1048576", Some((16_383, Some(1_048_575)))),
            ("AA10", Some((26, Some(9)))),
            ("B", Some((1, None))),
            ("B4294967295", Some((1, None))),
            ("XFE1", None),
            ("12", None),
            ("", None),
            ("Ä1", None),
        ] {
            assert_eq!(parse(reference), place, "{reference}");
        }
        assert_eq!(parse(&"A".repeat(100)), None);
        assert_eq!(name(0, 0), "A1");
        assert_eq!(name(27, 9), "AB10");
        assert_eq!(name(16_383, 1_048_575), "XFD1048576");
    }
}
