//! `&`: what is a reference in XML, and what must become one.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use super::{
    controls::{is_forbidden, stand_in},
    doctype::Entities,
    faults::Faults,
    patch::Patched,
};

/// `text`, which begins with `&`: how many bytes of it give way to what, if any.
pub(super) fn reference(
    text: &str,
    entities: &mut Entities<'_>,
    faults: &mut Faults,
) -> Option<(usize, Cow<'static, str>)> {
    let name = text.get(1..).unwrap_or_default();
    if let Some(number) = name.strip_prefix('#') {
        return numeric(number, faults);
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let length = name.bytes().take_while(is_name).count();
    let end = length.saturating_add(2);
    let Some(name) = name.get(..length).filter(|_| text.as_bytes().get(end - 1) == Some(&b';'))
    else {
        return Some(bare(faults));
    };
    if name.is_empty() {
        return Some(bare(faults));
    }
    if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
        return None;
    }
    if let Some(value) = entities.expand(name) {
        return Some((end, value.into()));
    }
    if faults.nested_entity.is_none() && entities.is_nested(name) {
        faults.nested_entity = Some(name.to_owned());
    }
    faults.undeclared_entities = faults.undeclared_entities.saturating_add(1);
    let known = text.as_bytes().get(..end).and_then(|whole| htmlize::ENTITIES.get(whole));
    match known.and_then(|characters| str::from_utf8(characters).ok()) {
        Some(characters) => Some((end, escaped(characters).into())),
        None => Some((1, "&amp;".into())),
    }
}

/// The value of an attribute, with neither bare `&` nor `<` in it.
pub(super) fn value<'a>(
    text: &'a str,
    entities: &mut Entities<'_>,
    faults: &mut Faults,
) -> Cow<'a, str> {
    let mut patched = Patched::new(text);
    let mut at = 0_usize;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(found) = rest.bytes().position(|byte| byte == b'&' || byte == b'<') else {
            return patched.finish("");
        };
        at = at.saturating_add(found);
        let rest = rest.get(found..).unwrap_or_default();
        let mended = if rest.starts_with('<') {
            faults.broken_tags = faults.broken_tags.saturating_add(1);
            Some((1, Cow::Borrowed("&lt;")))
        } else {
            reference(rest, entities, faults)
        };
        let length = match mended {
            Some((length, with)) => {
                patched.replace(at..at.saturating_add(length), &with);
                length
            }
            None => 1,
        };
        at = at.saturating_add(length);
    }
}

/// Characters as text or in a value between quotes of either kind.
pub(super) fn escaped(characters: &str) -> String {
    let mut escaped = String::with_capacity(characters.len());
    for character in characters.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

fn bare(faults: &mut Faults) -> (usize, Cow<'static, str>) {
    faults.bare_ampersands = faults.bare_ampersands.saturating_add(1);
    (1, "&amp;".into())
}

/// What follows `&#`.
fn numeric(text: &str, faults: &mut Faults) -> Option<(usize, Cow<'static, str>)> {
    let Some((code, length)) = number(text) else {
        return Some(bare(faults));
    };
    let end = length.saturating_add(2);
    match code {
        // What pages mean by these is what browsers take them for.
        0x80..=0x9F => {
            faults.controls = faults.controls.saturating_add(1);
            let byte = u8::try_from(code).unwrap_or_default();
            let meant = WINDOWS_1252.decode_without_bom_handling(&[byte]).0.into_owned();
            Some((end, meant.into()))
        }
        // A character beyond U+FFFF, by its halves in UTF-16.
        0xD800..=0xDBFF => {
            faults.controls = faults.controls.saturating_add(1);
            let after = text.get(length..).and_then(|rest| rest.strip_prefix("&#"));
            let low = after.and_then(number).filter(|(low, _)| (0xDC00..=0xDFFF).contains(low));
            let whole = low.and_then(|(low, length)| {
                let high = (code & 0x3FF) << 10;
                Some((char::from_u32(0x1_0000 + high + (low & 0x3FF))?, length))
            });
            Some(match whole {
                Some((character, length)) => {
                    (end.saturating_add(length).saturating_add(2), character.to_string().into())
                }
                None => (end, "".into()),
            })
        }
        _ if char::from_u32(code).is_none_or(is_forbidden) => {
            faults.controls = faults.controls.saturating_add(1);
            Some((end, char::from_u32(code).map_or("", stand_in).into()))
        }
        _ if text.starts_with('X') => {
            faults.broken_tags = faults.broken_tags.saturating_add(1);
            Some((3, "&#x".into()))
        }
        _ => None,
    }
}

/// The number at the start, with how long it is, its semicolon included. What is too large for any
/// character is no error, but the largest number.
pub(super) fn number(text: &str) -> Option<(u32, usize)> {
    let hexadecimal = text.starts_with(['x', 'X']);
    let (prefix, radix) = if hexadecimal { (1_usize, 16) } else { (0, 10) };
    let digits = text.get(prefix..)?;
    let length = digits.chars().take_while(|it| it.is_digit(radix)).count();
    let digits = digits.get(..length).filter(|digits| !digits.is_empty())?;
    let end = prefix.saturating_add(length);
    (text.as_bytes().get(end) == Some(&b';'))
        .then(|| (u32::from_str_radix(digits, radix).unwrap_or(u32::MAX), end.saturating_add(1)))
}
