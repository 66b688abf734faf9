//! Characters that XML forbids, also as references.

use std::borrow::Cow;

use super::faults::Faults;

/// How many bytes are looked at together; the loop over them has no branch, so it is vectors.
const STRIDE: usize = 64;

pub(super) fn without_controls<'a>(text: &'a str, faults: &mut Faults) -> Cow<'a, str> {
    if !may_have_forbidden(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        if is_forbidden(character) {
            faults.controls = faults.controls.saturating_add(1);
            kept.push_str(stand_in(character));
        } else {
            kept.push(character);
        }
    }
    Cow::Owned(kept)
}

pub(super) fn is_forbidden(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// What comes in its place: those that part words are white space, as word processors have them.
pub(super) fn stand_in(forbidden: char) -> &'static str {
    match forbidden {
        '\u{B}' | '\u{C}' | '\u{1C}'..='\u{1F}' => " ",
        _ => "",
    }
}

fn may_have_forbidden(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (stride, after) = rest.split_at(STRIDE.min(rest.len()));
        let (mut control, mut leads) = (false, false);
        for byte in stride {
            control |= *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
            leads |= *byte == 0xEF;
        }
        // U+FFFE and U+FFFF, of which the last bytes may be in the next stride.
        let forbidden = |at| matches!(rest.get(at..), Some([0xEF, 0xBF, 0xBE | 0xBF, ..]));
        if control || (leads && (0..stride.len()).any(forbidden)) {
            return true;
        }
        rest = after;
    }
    false
}
