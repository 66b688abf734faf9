//! REQ-0024-004: text in the encodings that feeds are found in. The first title of each is the
//! same word wherever the encoding has it.

use super::{Read, read, read_as};

/// RSS whose title is these bytes, with what its declaration says.
fn feed(declaration: &str, title: &[u8]) -> Vec<u8> {
    let mut body = declaration.as_bytes().to_vec();
    body.extend(b"<rss version=\"2.0\"><channel><item><title>");
    body.extend(title);
    body.extend(b"</title></item></channel></rss>");
    body
}

fn declared(encoding: &str, title: &[u8]) -> Vec<u8> {
    feed(&format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>"), title)
}

const CHINESE: &[u8] = b"\xD6\xD0\xCE\xC4\xD0\xC2\xCE\xC5";

#[test]
fn the_declaration_says_what_the_bytes_are() {
    for (encoding, title, text) in [
        ("gb2312", CHINESE, "中文新闻"),
        ("GBK", CHINESE, "中文新闻"),
        ("gb18030", b"\x81\x30\x84\x36\xD6\xD0", "\u{A5}中"),
        ("big5", b"\xA4\xA4\xA4\xE5", "中文"),
        ("Shift_JIS", b"\x93\xFA\x96\x7B", "日本"),
        ("euc-jp", b"\xC6\xFC\xCB\xDC", "日本"),
        ("euc-kr", b"\xC7\xD1\xB1\xB9", "한국"),
        ("windows-1250", b"\x9Elu\x9Dou\xE8k\xFD", "žluťoučký"),
        ("windows-1251", b"\xCD\xEE\xE2\xEE\xF1\xF2\xE8", "Новости"),
        ("windows-1252", b"caf\xE9 \x96 \x80", "café – €"),
        ("iso-8859-1", b"caf\xE9", "café"),
        ("ISO-8859-15", b"\xA4", "€"),
        ("koi8-r", b"\xEE\xCF\xD7\xCF\xD3\xD4\xC9", "Новости"),
    ] as [(&str, &[u8], &str); 13]
    {
        read(declared(encoding, title)).mended(&[]).titled(&[text]);
    }
}

#[test]
fn the_header_counts_more_than_the_declaration() {
    read_as("text/xml; charset=gbk", declared("iso-8859-1", CHINESE))
        .mended(&[])
        .titled(&["中文新闻"]);
    read_as("text/xml; charset=\"GBK\"", feed("", CHINESE)).mended(&[]).titled(&["中文新闻"]);
}

#[test]
fn a_mark_counts_more_than_any_label() {
    let marked = |body: Vec<u8>| [b"\xEF\xBB\xBF".as_slice(), &body].concat();
    for encoding in ["iso-8859-1", "gbk", "utf-16"] {
        let body = marked(declared(encoding, "é中".as_bytes()));
        read_as(&format!("text/xml; charset={encoding}"), body).titled(&["é中"]);
    }
}

/// Both byte orders, each with and without its mark.
#[test]
fn utf_16_is_read_in_either_order_with_a_mark_or_without() {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>";
    for declaration in [declaration, ""] {
        let text = format!(
            "{declaration}<rss version=\"2.0\"><channel><item><title>中文 \u{1F600}</title></item></channel></rss>"
        );
        for mark in ["\u{feff}", ""] {
            let text = format!("{mark}{text}");
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            read(big).mended(&[]).titled(&["中文 \u{1F600}"]);
            read(little).mended(&[]).titled(&["中文 \u{1F600}"]);
        }
    }
}

#[track_caller]
fn told(read: Read, part: &str) -> Read {
    let message = &read.run.result["warnings"][0]["message"];
    assert!(message.as_str().unwrap().contains(part), "{message}");
    read
}

#[test]
fn a_label_that_the_bytes_contradict_is_told() {
    let read_utf8 = |label: &str| read(declared(label, "中文 café".as_bytes()));
    for label in ["iso-8859-1", "gb2312", "us-ascii"] {
        let read = read_utf8(label).mended(&["CharsetLabel"]).titled(&["中文 café"]);
        told(read, "read as `UTF-8`");
    }
    let read = read(declared("utf-8", b"caf\xE9")).mended(&["CharsetLabel"]).titled(&["café"]);
    told(read, "says it is `utf-8` and is not");
}

#[test]
fn without_a_label_the_bytes_are_read_as_they_look() {
    read(feed("", "中文".as_bytes())).mended(&[]).titled(&["中文"]);
    let title = CHINESE.repeat(8);
    let text = "中文新闻".repeat(8);
    let read = read(feed("", &title)).mended(&["CharsetLabel"]).titled(&[&text]);
    told(read, "names no charset");
}

#[test]
fn a_label_of_no_charset_is_told_and_passed_over() {
    let read = read(declared("klingon", "中文".as_bytes())).mended(&["CharsetLabel"]);
    told(read.titled(&["中文"]), "`klingon` is no charset");
}

#[test]
fn broken_characters_are_replaced_and_told() {
    let title = ["é".repeat(20).as_bytes(), b"\xFF"].concat();
    read(declared("utf-8", &title))
        .mended(&["BrokenCharacters"])
        .titled(&[&format!("{}\u{fffd}", "é".repeat(20))]);
}

#[test]
fn marks_before_the_feed_are_dropped() {
    let marks = |count: usize| "\u{feff}".repeat(count);
    read(format!("{}{}", marks(1), super::RSS)).mended(&[]);
    read(format!("{}{}", marks(3), super::RSS)).mended(&["ByteOrderMarks"]);
}
