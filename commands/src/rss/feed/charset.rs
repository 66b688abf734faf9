//! Bytes to text: what a feed is written in, by the order of the spec.

use std::{borrow::Cow, str};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
};

use super::{Warning, text};

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How far into the body an XML declaration is looked for; something may precede it.
const DECLARATION_WITHIN: usize = 1024;

/// The text of a body, and what was wrong about its label.
///
/// A byte order mark decides before all else; then the header's charset, the XML declaration, and
/// where neither is there and the bytes are no UTF-8, what they look like. A label that the bytes
/// contradict is a warning. Text in UTF-8 is borrowed.
pub(super) fn decode<'a>(
    body: &'a [u8],
    content_type: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Cow<'a, str> {
    let mut rest = body;
    while let Some(unmarked) = rest.strip_prefix(UTF8_MARK) {
        rest = unmarked;
    }
    let text = match Width::of(body) {
        Some((width, mark)) => Cow::Owned(width.decode(body.get(mark..).unwrap_or_default())),
        None => {
            let mark = (rest.len() < body.len()).then_some("utf-8");
            let header = content_type.and_then(charset);
            by_label(rest, [mark, header, declaration(rest)], warnings)
        }
    };
    let marks = body.len().saturating_sub(rest.len()) / UTF8_MARK.len();
    without_marks(text, marks, warnings)
}

/// Encodings of two and four bytes, in which no label can be read.
#[derive(Clone, Copy)]
enum Width {
    Two(&'static Encoding),
    Four(fn([u8; 4]) -> u32),
}

impl Width {
    /// With the length of the byte order mark, which may be missing: then the first character
    /// tells, since feeds begin with `<` or `{`.
    fn of(body: &[u8]) -> Option<(Self, usize)> {
        Some(match body {
            [0xFF, 0xFE, 0, 0, ..] => (Self::Four(u32::from_le_bytes), 4),
            [0, 0, 0xFE, 0xFF, ..] => (Self::Four(u32::from_be_bytes), 4),
            [0xFF, 0xFE, ..] => (Self::Two(UTF_16LE), 2),
            [0xFE, 0xFF, ..] => (Self::Two(UTF_16BE), 2),
            [b'<' | b'{', 0, 0, 0, ..] => (Self::Four(u32::from_le_bytes), 0),
            [0, 0, 0, b'<' | b'{', ..] => (Self::Four(u32::from_be_bytes), 0),
            [b'<' | b'{', 0, ..] => (Self::Two(UTF_16LE), 0),
            [0, b'<' | b'{', ..] => (Self::Two(UTF_16BE), 0),
            _ => return None,
        })
    }

    fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Two(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            // No browser reads UTF-32, and so no crate for them does.
            Self::Four(number) => bytes
                .chunks(4)
                .map(|unit| match unit.try_into() {
                    Ok(unit) => char::from_u32(number(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
                    Err(_) => char::REPLACEMENT_CHARACTER,
                })
                .collect(),
        }
    }
}

fn by_label<'a>(
    body: &'a [u8],
    labels: [Option<&str>; 3],
    warnings: &mut Vec<Warning>,
) -> Cow<'a, str> {
    let unknown = labels.iter().flatten().find(|label| encoding(label).is_none());
    let mut known = labels.iter().flatten().filter_map(|label| Some((*label, encoding(label)?)));
    let declared = known.next();
    // The mark, the header and the declaration may each say something else.
    let other = known.find(|(_, encoding)| declared.is_none_or(|(_, first)| first != *encoding));

    // Nothing but UTF-8 begins with its mark, whatever else is broken.
    let (text, read_as) = match labels {
        [Some(_), ..] => (String::from_utf8_lossy(body), UTF_8),
        _ => read(body, declared.map(|it| it.1), other.map(|it| it.1)),
    };
    let name = read_as.name();
    // A label may be anything, such as what makes a terminal do something.
    let shown = |label: &str| {
        let start: String = label.chars().take(40).collect();
        text::line(&start).unwrap_or_default()
    };
    let message = match (declared, unknown) {
        (Some((label, encoding)), _) if encoding != read_as => {
            let label = shown(label);
            Some(format!("the feed says it is `{label}` and is not; it was read as `{name}`"))
        }
        (_, Some(label)) => {
            let label = shown(label);
            Some(format!("`{label}` is no charset; the feed was read as `{name}`"))
        }
        (None, None) if read_as != UTF_8 => {
            Some(format!("the feed names no charset; it was read as `{name}`, as it looks"))
        }
        _ => None,
    };
    warnings.extend(message.map(|message| Warning { code: "CharsetLabel", message }));
    if let Cow::Owned(text) = &text {
        let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
        if replaced > 0 {
            let message = format!("broken characters replaced by `\u{FFFD}`: {replaced}");
            warnings.push(Warning { code: "BrokenCharacters", message });
        }
    }
    text
}

/// The text, with the encoding it was read in.
fn read<'a>(
    body: &'a [u8],
    declared: Option<&'static Encoding>,
    other: Option<&'static Encoding>,
) -> (Cow<'a, str>, &'static Encoding) {
    let labelled = declared.unwrap_or(UTF_8);
    if let Ok(text) = str::from_utf8(body) {
        // Seven bits are the same text in every encoding but this one, where escapes are text.
        // Those are no control characters that somebody meant, whatever the label.
        let is_escaped =
            text.is_ascii() && (text.contains("\u{1B}$B") || text.contains("\u{1B}$@"));
        return if is_escaped || (labelled == ISO_2022_JP && text.contains('\u{1B}')) {
            (Cow::Owned(in_encoding(body, ISO_2022_JP).0), ISO_2022_JP)
        } else if text.is_ascii() && !is_utf16(labelled) {
            (Cow::Borrowed(text), labelled)
        } else if is_utf16(labelled) && text.contains('\0') {
            (Cow::Owned(in_encoding(body, labelled).0), labelled)
        } else {
            (Cow::Borrowed(text), UTF_8)
        };
    }
    if is_mostly_utf8(body, declared == Some(UTF_8)) {
        return (String::from_utf8_lossy(body), UTF_8);
    }
    // A server's default for all that it serves; that text in many bytes decodes is no accident.
    let default = encoding_rs::WINDOWS_1252;
    let candidates = match other {
        Some(other) if labelled == default && is_multibyte(other) => [Some(other), declared],
        _ => [declared, other],
    };
    for candidate in candidates.into_iter().flatten().filter(|it| *it != UTF_8) {
        if is_utf16(candidate) && !body.contains(&0) {
            continue;
        }
        let (text, fits) = in_encoding(body, candidate);
        if fits {
            return (Cow::Owned(text), candidate);
        }
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(body, true);
    let guess = same_decoder(detector.guess(None, Utf8Detection::Deny));
    (Cow::Owned(in_encoding(body, guess).0), guess)
}

/// The text, and whether all but a few characters are what the encoding has.
fn in_encoding(body: &[u8], encoding: &'static Encoding) -> (String, bool) {
    let (text, broken) = encoding.decode_without_bom_handling(body);
    let fits = !broken || {
        let replaced = text.chars().filter(|it| *it == char::REPLACEMENT_CHARACTER).count();
        let foreign = text.chars().filter(|it| !it.is_ascii()).count();
        few(replaced, foreign.saturating_sub(replaced))
    };
    (text.into_owned(), fits)
}

/// Whether bytes that are no UTF-8 were meant to be: other encodings hit on its sequences now and
/// then, so one broken character must stand against several good ones, or against one where the label
/// says so, too.
fn is_mostly_utf8(body: &[u8], is_declared: bool) -> bool {
    let (mut good, mut broken, mut cut) = (0, 0, false);
    for chunk in body.utf8_chunks() {
        good += chunk.valid().chars().filter(|it| !it.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
        cut = chunk.invalid().len() > 1;
    }
    // The last character is cut, as its first bytes show, and all before it is well.
    few(broken, good)
        || (is_declared && broken <= good)
        || (broken == 1 && good > 0 && cut && !ends_valid(body))
}

fn ends_valid(body: &[u8]) -> bool {
    body.utf8_chunks().last().is_none_or(|last| last.invalid().is_empty())
}

fn few(broken: usize, good: usize) -> bool {
    broken.saturating_mul(4) <= good
}

/// The encoding of a label, by the Web's names and a few that systems use among themselves.
fn encoding(label: &str) -> Option<&'static Encoding> {
    let label = label.trim();
    if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) {
        return Some(same_decoder(encoding));
    }
    let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    Some(match plain.to_ascii_lowercase().as_str() {
        "utf8mb4" | "cp65001" | "xutf8" => UTF_8,
        "cp936" | "ms936" | "windows936" | "euccn" => GB18030,
        "cp950" | "ms950" | "windows950" | "big5eten" => BIG5,
        "cp932" | "windows932" | "shiftjisx0213" => SHIFT_JIS,
        "cp949" | "ms949" => EUC_KR,
        plain => Encoding::for_label_no_replacement(plain.as_bytes()).map(same_decoder)?,
    })
}

/// GBK's decoder is GB18030's, and so they are one where labels are compared.
fn same_decoder(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn is_multibyte(encoding: &'static Encoding) -> bool {
    !encoding.is_single_byte() && encoding != UTF_8 && !is_utf16(encoding)
}

/// The `charset` of a media type.
fn charset(content_type: &str) -> Option<&str> {
    content_type.split([';', ',']).skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

/// The `encoding` of the XML declaration.
fn declaration(body: &[u8]) -> Option<&str> {
    if body.trim_ascii_start().first() == Some(&b'{') {
        return None;
    }
    let head = body.get(..DECLARATION_WITHIN).unwrap_or(body);
    let start = head.windows(5).position(|window| window == b"<?xml")?;
    let declaration = head.get(start..)?;
    let end = declaration.iter().position(|byte| *byte == b'>').unwrap_or(declaration.len());
    let declaration = declaration.get(..end)?;
    let name = declaration.windows(8).position(|it| it.eq_ignore_ascii_case(b"encoding"))?;
    let value = declaration.get(name.saturating_add(8)..)?;
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let value = value.split(|byte| byte == quote).next()?;
    str::from_utf8(value).ok().map(str::trim).filter(|value| !value.is_empty())
}

/// Byte order marks are no text, however many programs each wrote one.
fn without_marks<'a>(
    text: Cow<'a, str>,
    marks_before: usize,
    warnings: &mut Vec<Warning>,
) -> Cow<'a, str> {
    let rest = text.trim_start_matches('\u{FEFF}');
    let in_text = text.len().saturating_sub(rest.len()) / '\u{FEFF}'.len_utf8();
    let marks = marks_before.saturating_add(in_text);
    if marks > 1 {
        let message = format!("byte order marks dropped at the start: {marks}");
        warnings.push(Warning { code: "ByteOrderMarks", message });
    }
    if in_text > 0 { Cow::Owned(rest.to_owned()) } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(body: &[u8], content_type: Option<&str>, text: &str, codes: &[&str]) {
        let mut warnings = Vec::new();
        assert_eq!(decode(body, content_type, &mut warnings), text);
        assert_eq!(warnings.iter().map(|it| it.code).collect::<Vec<_>>(), codes, "{text}");
    }

    fn declared(label: &str, text: &str) -> String {
        format!("<?xml version='1.0' encoding = \"{label}\"?><a>{text}</a>")
    }

    #[test]
    fn reads_what_is_declared() {
        for (label, text) in [
            ("GB2312", "中文新闻，你好"),
            ("gbk", "朱镕基"),
            ("GB18030", "𠀀㐀"),
            ("cp936", "中文"),
            ("Big5", "繁體中文"),
            ("Shift_JIS", "日本語テスト"),
            ("EUC-JP", "日本語"),
            ("ISO-2022-JP", "日本語"),
            ("EUC-KR", "한국어"),
            ("KOI8-R", "Новости"),
            ("windows-1251", "Новости"),
            ("iso-8859-1", "café “x”"),
            ("us-ascii", "’"),
        ] {
            let text = declared(label, text);
            let body = encoding(label).unwrap().encode(&text).0;
            check(&body, None, &text, &[]);
            let plain = text.replace("encoding", "standalone");
            let body = encoding(label).unwrap().encode(&plain).0;
            let header = format!("text/xml; Charset=\"{label}\"; x=y");
            check(&body, Some(&header), &plain, &[]);
        }
    }

    #[test]
    fn escapes_of_japanese_need_no_label() {
        let text = declared("utf-8", "日本語");
        let body = "<?xml version='1.0' encoding = \"utf-8\"?><a>\u{1B}$BF|K\\8l\u{1B}(B</a>";
        check(body.as_bytes(), None, &text, &["CharsetLabel"]);
    }

    #[test]
    fn the_first_character_tells_the_width() {
        let text = declared("utf-16", "é𠀀");
        for mark in ["", "\u{FEFF}"] {
            let marked = format!("{mark}{text}");
            let units = || marked.encode_utf16();
            let (le, be) = (units().flat_map(u16::to_le_bytes), units().flat_map(u16::to_be_bytes));
            let numbers = || marked.chars().map(u32::from);
            let le4 = numbers().flat_map(u32::to_le_bytes);
            let be4 = numbers().flat_map(u32::to_be_bytes);
            for body in [le.collect::<Vec<_>>(), be.collect(), le4.collect(), be4.collect()] {
                check(&body, Some("text/xml; charset=utf-8"), &text, &[]);
            }
        }
    }

    #[test]
    fn marks_are_no_text() {
        check("\u{FEFF}<a>é</a>".as_bytes(), None, "<a>é</a>", &[]);
        check("\u{FEFF}\u{FEFF}<a/>".as_bytes(), None, "<a/>", &["ByteOrderMarks"]);
    }

    #[test]
    fn a_wrong_label_is_mended() {
        let text = declared("utf-8", "中文新闻，你好，今天的天气很好，我们去公园散步吧");
        let gbk = GBK.encode(&text).0;
        check(&gbk, None, &text, &["CharsetLabel"]);
        check(&gbk, Some("text/xml;charset=gbk"), &text, &[]);
        let text = declared("gb2312", "中文");
        check(text.as_bytes(), None, &text, &["CharsetLabel"]);
        check(&GBK.encode(&text).0, Some("text/xml; charset=utf-8"), &text, &["CharsetLabel"]);
        let text = declared("utf-16", "a");
        check(text.as_bytes(), None, &text, &["CharsetLabel"]);
        let text = declared("klingon", "é");
        check(text.as_bytes(), None, &text, &["CharsetLabel"]);
    }

    #[test]
    fn the_header_goes_before_the_declaration() {
        let text = declared("windows-1251", "café");
        check(
            &encoding("latin1").unwrap().encode(&text).0,
            Some("a/b; charset=latin1"),
            &text,
            &[],
        );
    }

    #[test]
    fn a_broken_character_leaves_the_rest_as_it_is() {
        let whole = "<a>中文新闻，你好";
        let (body, broken) = (whole.as_bytes(), ["BrokenCharacters"]);
        check(&body[..body.len() - 1], None, "<a>中文新闻，你\u{FFFD}", &broken);
        check(&[body, b"\xFF</a>"].concat(), None, "<a>中文新闻，你好\u{FFFD}</a>", &broken);
    }

    #[test]
    fn utf8_is_borrowed() {
        let text = decode("<a>é</a>".as_bytes(), None, &mut Vec::new());
        assert!(matches!(text, Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_text(body: Vec<u8>, label in "(gbk|utf-16|utf-8|iso-2022-jp|x)") {
            decode(&body, Some(&format!("a/b; charset={label}")), &mut Vec::new());
        }
    }
}
