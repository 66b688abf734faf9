//! Encodings: the other ways in which one secret is written in URLs, forms and JSON.

use super::is_searchable;

/// A percent-encoded text in plain form, if it is one and the plain form is UTF-8.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.split_first_chunk().filter(|_| first == b'%');
        let (byte, after) = escape
            .and_then(|(&[high, low], after)| Some((digit(high)? * 16 + digit(low)?, after)))
            .unwrap_or((first, after));
        decoded.push(byte);
        rest = after;
    }
    (decoded.len() < text.len()).then(|| String::from_utf8(decoded).ok())?
}

/// Other ways in which writers spell a secret in URLs, forms and JSON.
pub(super) fn encoded(secret: &str) -> Vec<String> {
    let component = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let script = |byte: u8| component(byte) || b"!*'()".contains(&byte);
    let query = |byte: u8| byte.is_ascii_graphic() && !b"\"#<>'".contains(&byte);
    let userinfo = |byte: u8| query(byte) && !b"?`{}/:;=@[\\]^|".contains(&byte);
    let form = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte);

    let mut spellings = vec![
        percent_encode(secret, component),
        percent_encode(secret, script),
        percent_encode(secret, query),
        percent_encode(secret, userinfo),
        percent_encode(secret, form).replace("%20", "+"),
    ];
    // Lower-case digits are as good: only the two characters after a `%` differ.
    let lower: Vec<_> = spellings.iter().map(|spelling| lower_case_escapes(spelling)).collect();
    spellings.extend(lower);

    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let ascii: String = json
        .chars()
        .map(|character| match character {
            ' '..='~' => character.to_string(),
            _ => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        })
        .collect();
    spellings.extend([json.to_owned(), json.replace('/', "\\/"), ascii.replace('/', "\\/"), ascii]);
    spellings.retain(|spelling| is_searchable(spelling));
    spellings
}

fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if keep(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn lower_case_escapes(encoded: &str) -> String {
    let mut digits = 0;
    encoded
        .chars()
        .map(|character| {
            if character == '%' {
                digits = 2;
            } else if digits > 0 {
                digits -= 1;
                return character.to_ascii_lowercase();
            }
            character
        })
        .collect()
}
