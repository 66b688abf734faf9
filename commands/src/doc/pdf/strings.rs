//! Strings that are meant for people: values of fields, text that stands for a picture of it.

/// UTF-16 or UTF-8 with their marks; else what PDF calls its own encoding.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let text: String = match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|&byte| character(byte)).collect(),
    };
    text.chars()
        .filter(|character| !character.is_control() || matches!(character, '\n' | '\r' | '\t'))
        .collect()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(unit));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

fn character(byte: u8) -> char {
    const FROM_18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const FROM_80: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚',
        '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    let at = |table: &[char], first: u8| table.get(usize::from(byte - first)).copied();
    match byte {
        0x18..=0x1F => at(&FROM_18, 0x18).unwrap_or('\u{FFFD}'),
        0x80..=0xA0 => at(&FROM_80, 0x80).unwrap_or('\u{FFFD}'),
        _ => char::from(byte),
    }
}
