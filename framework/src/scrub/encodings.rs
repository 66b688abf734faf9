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

/// Other ways in which writers spell a secret in URLs, forms and JSON, and in base64 and UTF-16.
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
    spellings.extend(base64(secret.as_bytes()));
    if secret.is_ascii() {
        spellings
            .push(secret.split("").collect::<Vec<_>>().join("\0").trim_matches('\0').to_owned());
    }
    spellings.retain(|spelling| is_searchable(spelling));
    spellings
}

/// What a secret looks like in base64, wherever in the encoded bytes it begins: in each of three
/// places the letters that it alone decides, and all of it where it stands alone.
fn base64(secret: &[u8]) -> Vec<String> {
    /// Fewer letters stand in other texts by chance.
    const FEWEST: usize = 8;

    let mut spellings = Vec::new();
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret);
        let whole = base64_letters(&bytes);
        let decided = whole.get((before * 8).div_ceil(6)..bytes.len() * 8 / 6).unwrap_or_default();
        spellings.push(decided.to_owned());
        if before == 0 && decided.len() < whole.len() {
            let padding = "=".repeat((4 - whole.len() % 4) % 4);
            spellings.extend([format!("{whole}{padding}"), whole]);
        }
    }
    spellings.retain(|spelling| spelling.len() >= FEWEST);
    let for_urls: Vec<_> =
        spellings.iter().map(|spelling| spelling.replace('+', "-").replace('/', "_")).collect();
    spellings.extend(for_urls);
    spellings
}

/// Base64 without padding.
fn base64_letters(bytes: &[u8]) -> String {
    let mut letters = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [mut a, mut b, mut c] = [0; 3];
        for (byte, place) in group.iter().zip([&mut a, &mut b, &mut c]) {
            *place = *byte;
        }
        let bits = u32::from_be_bytes([0, a, b, c]);
        let values = [18, 12, 6, 0].map(|shift| bits >> shift & 63);
        letters.extend(values.iter().take(group.len() + 1).map(|value| letter(*value)));
    }
    letters
}

fn letter(value: u32) -> char {
    let from = |first: u8, offset: u32| char::from_u32(u32::from(first) + offset).unwrap_or('=');
    match value {
        0..=25 => from(b'A', value),
        26..=51 => from(b'a', value - 26),
        52..=61 => from(b'0', value - 52),
        62 => '+',
        _ => '/',
    }
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
