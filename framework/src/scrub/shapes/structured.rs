//! Shapes that are more than a mark and a row of bytes.

use std::ops::Range;

/// Whether a word may begin there: behind what is no letter or digit, or behind an escape that ends
/// in one.
pub(super) fn starts_word(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'\\', b'u', b'0', b'0', high, low] => {
            high.is_ascii_hexdigit() && low.is_ascii_hexdigit()
        }
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// As far as the bytes from there are of an alphabet. A dot at the end ends a sentence.
pub(super) fn run(bytes: &[u8], from: usize, is_in: fn(u8) -> bool) -> Range<usize> {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_in(**byte)).count();
    let row = rest.get(..length).unwrap_or_default();
    let dots = row.iter().rev().take_while(|byte| **byte == b'.').count();
    from..from + length - dots
}

/// The same, backwards from there.
fn run_before(bytes: &[u8], to: usize, is_in: fn(u8) -> bool) -> Range<usize> {
    let before = bytes.get(..to).unwrap_or_default();
    to - before.iter().rev().take_while(|byte| is_in(**byte)).count()..to
}

/// Whether there are letters and digits, as in what was drawn by lot and not in words.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}

fn url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn has(bytes: &[u8], at: usize, text: &str) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
}

/// `hooks.slack.com/services/T…/B…/…`: whoever has the path may write.
pub(super) fn slack_webhook(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at + "hooks.slack.com/".len();
    let kind =
        ["services/", "workflows/", "triggers/"].into_iter().find(|kind| has(bytes, from, kind))?;
    let path = run(bytes, from + kind.len(), |byte| url(byte) || byte == b'/');
    let is_one = path.len() >= 20 && is_mixed(bytes.get(path.clone())?);
    is_one.then_some(path)
}

/// `…discord.com/api/webhooks/<id>/<token>`.
pub(super) fn discord_webhook(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let host = run_before(bytes, at, |byte| url(byte) || byte == b'.');
    let host = bytes.get(host)?;
    if !host.ends_with(b"discord.com") && !host.ends_with(b"discordapp.com") {
        return None;
    }
    let id = run(bytes, at + "/api/webhooks/".len(), |byte| byte.is_ascii_digit());
    let token = has(bytes, id.end, "/").then(|| run(bytes, id.end + 1, url))?;
    (id.len() >= 15 && token.len() >= 60).then_some(token)
}

/// `SG.`, 22 bytes, a dot, 43 bytes.
pub(super) fn sendgrid(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let first = run(bytes, at + "SG.".len(), url);
    let second = has(bytes, first.end, ".").then(|| run(bytes, first.end + 1, url))?;
    let is_one = starts_word(bytes, at) && first.len() == 22 && second.len() == 43;
    is_one.then_some(at..second.end)
}

/// 8 to 10 digits, a colon, `AA` and 33 bytes.
pub(super) fn telegram(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let id = run_before(bytes, at, |byte| byte.is_ascii_digit());
    let token = run(bytes, at + 1, url);
    // It stands in URLs as `/bot<id>:…`.
    let starts = starts_word(bytes, id.start)
        || bytes.get(..id.start).is_some_and(|before| before.ends_with(b"bot"));
    let is_one = (8..=10).contains(&id.len()) && token.len() == 35 && starts;
    is_one.then_some(id.start..token.end)
}

/// Three parts: a user's number in base64, six bytes, 27 to 38 bytes. The mark is the first dot.
pub(super) fn discord(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const TIME: usize = 6;

    let second = at + 1 + TIME;
    if bytes.get(second) != Some(&b'.') || run(bytes, at + 1, url).len() != TIME {
        return None;
    }
    let mac = run(bytes, second + 1, url);
    let user = run_before(bytes, at, url);
    let is_user = (23..=28).contains(&user.len())
        && matches!(bytes.get(user.start), Some(b'M' | b'N' | b'O'))
        && starts_word(bytes, user.start);
    let id = base64(bytes.get(user.clone())?).filter(|_| is_user)?;
    let is_one = id.iter().all(u8::is_ascii_digit) && (27..=38).contains(&mac.len());
    is_one.then_some(user.start..mac.end)
}

/// 14 bytes, `.atlasv1.`, 60 bytes or more.
pub(super) fn terraform(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let id = run_before(bytes, at, alnum);
    let token = run(bytes, at + ".atlasv1.".len(), url);
    (id.len() == 14 && token.len() >= 60).then_some(id.start..token.end)
}

/// `pat`, 14 bytes, a dot, 64 hexadecimal digits.
pub(super) fn airtable(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let id = run(bytes, at + "pat".len(), alnum);
    let token =
        has(bytes, id.end, ".").then(|| run(bytes, id.end + 1, |b| b.is_ascii_hexdigit()))?;
    let is_one = starts_word(bytes, at) && id.len() == 14 && token.len() == 64;
    is_one.then_some(at..token.end)
}

/// Three or five parts in base64, the first of which is a JSON object that names an algorithm.
pub(super) fn jwt(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let header = run(bytes, at, url);
    let payload = has(bytes, header.end, ".").then(|| run(bytes, header.end + 1, url))?;
    let has_third = has(bytes, payload.end, ".");
    if payload.len() < 4 || !has_third || !starts_word(bytes, at) {
        return None;
    }
    let decoded = base64(bytes.get(header)?)?;
    let names_algorithm = decoded.windows(5).any(|window| window == b"\"alg\"");
    let whole = run(bytes, at, |byte| url(byte) || byte == b'.');
    (decoded.first() == Some(&b'{') && names_algorithm).then_some(at..whole.end)
}

/// The whole block of a private key of any kind, up to its last line, or as far as it goes.
pub(super) fn pem(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const MOST_LABEL: usize = 80;
    const MOST_BLOCK: usize = 64 << 10;

    let rest = bytes.get(at..)?;
    let label = rest.get("-----BEGIN".len()..rest.len().min(MOST_LABEL))?;
    let label = label.get(..label.windows(5).position(|five| five == b"-----")?)?;
    let is_private = label.windows(b"PRIVATE".len()).any(|word| word == b"PRIVATE");
    // Between the words of a URL's query there is `%20` or `+`.
    let is_label = label.iter().all(|byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'%' | b'+')
    });
    if !is_private || !is_label {
        return None;
    }
    let from = "-----BEGIN".len() + label.len() + "-----".len();
    let body = rest.get(from..rest.len().min(MOST_BLOCK))?;
    let ends = body.windows(b"-----END".len()).position(|mark| mark == b"-----END");
    let end = match ends {
        Some(ends) => {
            let last = body.get(ends + b"-----END".len()..)?;
            let closing = last.iter().take(MOST_LABEL).collect::<Vec<_>>();
            let closes = closing.windows(5).position(|five| five.iter().all(|byte| **byte == b'-'));
            ends + b"-----END".len() + closes.map_or(0, |closes| closes + 5)
        }
        None => body.iter().take_while(|byte| is_armour(**byte)).count(),
    };
    // A page that shows how a key begins has none.
    (end >= 24).then_some(at..at + from + end)
}

/// What a block of base64 has in it, with headers and line breaks, these escaped or not.
fn is_armour(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\r\n\\ :,-%".contains(&byte)
}

/// A key file of PuTTY, up to its last line.
pub(super) fn putty(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..rest.len().min(64 << 10))?;
    let find = |mark: &[u8]| rest.windows(mark.len()).position(|window| window == mark);
    find(b"Private-Lines:")?;
    let mac = find(b"Private-MAC:").map(|mac| mac + b"Private-MAC:".len());
    let end = match mac {
        Some(mac) => run(rest, mac + 1, |byte| byte.is_ascii_hexdigit()).end,
        None => rest.len(),
    };
    Some(at..at + end.min(rest.len()))
}

/// `scheme://user:password@host`: the password, or the user where the password says nothing.
pub(super) fn userinfo(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const MOST: usize = 1024;
    // Sent along with a token that is the user's name.
    const NO_PASSWORD: &[&[u8]] = &[b"", b"x", b"x-oauth-basic"];

    let scheme =
        run_before(bytes, at, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if scheme.is_empty() {
        return None;
    }
    let from = at + "://".len();
    let rest = bytes.get(from..)?;
    let is_end = |byte: &u8| {
        byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/?#\\\"'<>`".contains(byte)
    };
    let length = rest.iter().take(MOST).take_while(|byte| !is_end(byte)).count();
    let authority = rest.get(..length)?;
    let at_sign = authority.iter().rposition(|byte| *byte == b'@')?;
    let has_host = authority.get(at_sign + 1).is_some_and(|byte| alnum(*byte) || *byte == b'[');
    let userinfo = authority.get(..at_sign).filter(|_| has_host)?;
    let colon = userinfo.iter().position(|byte| *byte == b':')?;
    let (user, password) = (userinfo.get(..colon)?, userinfo.get(colon + 1..)?);
    let secret = match NO_PASSWORD.contains(&password) {
        true => from..from + colon,
        false => from + colon + 1..from + at_sign,
    };
    let value = if NO_PASSWORD.contains(&password) { user } else { password };
    if is_dummy(value) {
        return None;
    }
    // One of a few letters is not looked for by itself, with its user it is.
    match value.len() {
        0 => None,
        1..=3 => (at_sign >= 4).then_some(from..from + at_sign),
        _ => Some(secret),
    }
}

/// `Bearer` and a token with digits in it.
pub(super) fn bearer(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    let from = behind_blanks(bytes, at + "bearer".len())?;
    let token = run(bytes, from, is_token);
    let value = bytes.get(token.clone())?;
    (starts_word(bytes, at) && value.len() >= 16 && is_random(value)).then_some(token)
}

/// `Basic` and what decodes to `user:password`.
pub(super) fn basic(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    let from = behind_blanks(bytes, at + "basic".len())?;
    let token = run(bytes, from, is_token);
    let decoded = base64(bytes.get(token.clone())?)?;
    let is_text = std::str::from_utf8(&decoded).is_ok_and(|text| !text.contains(char::is_control));
    let has_colon = decoded.iter().skip(1).any(|byte| *byte == b':');
    (starts_word(bytes, at) && token.len() >= 8 && is_text && has_colon).then_some(token)
}

/// One blank or more, as written in a text, a form or a URL.
fn behind_blanks(bytes: &[u8], at: usize) -> Option<usize> {
    let blanks = run(bytes, at, |byte| matches!(byte, b' ' | b'\t' | b'+'));
    match blanks.len() {
        0 => has(bytes, at, "%20").then_some(at + 3),
        1..=4 => Some(blanks.end),
        _ => None,
    }
}

/// `--token …` and `--token=…`, where `token` alone says nothing: what pages and feeds call a token
/// need not be a secret.
pub(super) fn flagged_token(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    labelled(bytes, at + 1)
}

/// `db_password = "…"`, `"client_secret": "…"`, `--password …`: the value, where it is no word of
/// prose or of a program.
pub(super) fn labelled(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    /// No label is longer.
    const MOST_NAME: usize = 40;

    let near = bytes.get(..bytes.len().min(at + MOST_NAME)).unwrap_or_default();
    let name = run(near, at, url);
    let flag = run_before(bytes.get(at.saturating_sub(MOST_NAME)..at)?, at.min(MOST_NAME), url);
    let flag = bytes.get(at - flag.len()..at)?;
    let is_flag = flag.first() == Some(&b'-');
    let label: Vec<u8> = bytes
        .get(name.clone())?
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
        .collect();
    let is_password = [&b"password"[..], b"passwd", b"passphrase", b"pwd"].contains(&&*label);
    let is_key = [
        &b"secret"[..],
        b"secretkey",
        b"secretaccesskey",
        b"secrettoken",
        b"apikey",
        b"apikeysecret",
        b"accountkey",
        b"privatekey",
        b"accesstoken",
        b"accesstokensecret",
        b"authtoken",
        b"refreshtoken",
    ]
    .contains(&&*label);
    // `--page-token` tells where a list goes on.
    let is_token = *label == *b"token" && is_flag && flag.iter().all(|byte| *byte == b'-');
    if !is_password && !is_key && !is_token {
        return None;
    }
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    // The name may be quoted, escaped quotes included.
    let quoted = run(bytes, name.end, |byte| matches!(byte, b'\\' | b'"' | b'\''));
    let sign = run(bytes, quoted.end, blank).end;
    let behind = ["=>", ":=", "=", ":"].into_iter().find(|sign_text| has(bytes, sign, sign_text));
    // Behind a flag a blank is enough.
    let is_behind_blanks = is_flag && quoted.is_empty() && (1..=4).contains(&(sign - name.end));
    let behind = behind.or_else(|| is_behind_blanks.then_some(""))?;
    let gap = run(bytes, sign + behind.len(), blank);
    let opening = run(bytes, gap.end, |byte| matches!(byte, b'\\' | b'"' | b'\''));
    if quoted.len() > 2 || gap.len() > 8 || opening.len() > 2 {
        return None;
    }
    let value = run(bytes, opening.end, is_value);
    let text = bytes.get(value.clone())?;
    let is_called = matches!(bytes.get(value.end), Some(b'(' | b'[' | b'{'));
    let least = match (is_password, behind) {
        (true, "") => 8,
        (true, _) => 6,
        (false, _) => LEAST_KEY,
    };
    let is_one = (least..=MOST_VALUE).contains(&text.len())
        && is_random(text)
        && !is_dummy(text)
        && !is_called;
    is_one.then_some(value)
}

const LEAST_KEY: usize = 16;
const MOST_VALUE: usize = 512;

/// The values of `token=…` and `token: …` in a word of a command line, where they are long and drawn
/// by lot. In other texts they are none: feeds are full of signed addresses of pictures.
pub(in crate::scrub) fn tokens_in_word(word: &str) -> impl Iterator<Item = &str> {
    let bytes = word.as_bytes();
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let ends = bytes.windows(6).enumerate().filter_map(move |(at, window)| {
        let is_label = window.get(..5)?.eq_ignore_ascii_case(b"token")
            && matches!(window.last(), Some(b'=' | b':'));
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        (is_label && !before.is_some_and(|before| url(*before))).then_some(at + 6)
    });
    ends.filter_map(move |end| {
        let gap = run(bytes.get(..bytes.len().min(end + 4))?, end, blank);
        let value = run(bytes.get(..bytes.len().min(gap.end + MOST_VALUE + 1))?, gap.end, is_value);
        let text = bytes.get(value.clone())?;
        let is_one =
            (LEAST_KEY..=MOST_VALUE).contains(&text.len()) && is_random(text) && !is_dummy(text);
        word.get(value).filter(|_| is_one)
    })
}

/// Whether a text is long enough for a secret and has letters and digits.
pub(in crate::scrub) fn may_be_drawn(text: &str) -> bool {
    text.trim().len() >= 8 && is_mixed(text.as_bytes())
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>&;,(){}[]\\|".contains(&byte)
}

/// Drawn by lot, as far as one can see: letters, digits, and no address of something.
fn is_random(value: &[u8]) -> bool {
    let is_address = value.windows(3).any(|three| three == b"://") || value.starts_with(b"/");
    is_mixed(value) && !is_address
}

const DUMMIES: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "user",
    "username",
    "changeme",
    "example",
    "true",
    "false",
    "null",
    "mypassword",
    "your-password",
    "your_password",
    "yourpassword",
];

/// Whether a value is one of the words that documentation has for a secret.
pub(in crate::scrub) fn is_stand_in(value: &str) -> bool {
    DUMMIES.iter().any(|dummy| value.eq_ignore_ascii_case(dummy))
}

/// What stands for a secret in documentation.
fn is_dummy(value: &[u8]) -> bool {
    let is_template =
        value.iter().any(|byte| b"$<>{}*%".contains(byte)) && !value.iter().any(u8::is_ascii_digit);
    let is_variable = value.first().is_some_and(|byte| b"$<{%*".contains(byte));
    let first = value.first().copied().unwrap_or_default();
    let is_one_letter = value.iter().all(|byte| *byte == first);
    DUMMIES.iter().any(|dummy| value.eq_ignore_ascii_case(dummy.as_bytes()))
        || is_template
        || is_variable
        || is_one_letter
}

/// Base64 in either alphabet, with padding or without.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let text = text.get(..text.len() - padding)?;
    if padding > 2 || text.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, whole @ ..] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend(whole.iter().take(group.len() * 6 / 8));
    }
    Some(bytes)
}
