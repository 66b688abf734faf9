//! What no body may do, whatever is in it: panic, take long, be read to more than it is, or show
//! what does not belong into a line.
//!
//! The fuzz target `feed` holds the same of bytes that it makes up.

use encoding_rs::{BIG5, GBK, SHIFT_JIS, UTF_8, WINDOWS_1251};
use jiff::Timestamp;
use proptest::{prelude::*, sample::Index};
use url::Url;

use super::{Feed, Item, Origin, Unreadable, read};

const URL: &str = "https://a.example/feeds/all.xml";

/// A feed of each kind, and a page.
const FEEDS: &[&str] = &[
    "<?xml version='1.0'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
     xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel><title>a</title><link>/</link></channel>\
     <item><title>b &amp;amp; c</title><link>/b</link></item><item><title/></item></rdf:RDF>",
    "<!DOCTYPE rss PUBLIC 'x' 'y' [<!ENTITY e 'f'>]><rss version='0.91'><channel><title>日本</title>\
     <item><title>&e; &nbsp; R&D</title><link>b</link><description><![CDATA[<p>c<br>d]]></description>\
     </item></channel></rss>",
    "\u{FEFF}<?xml version='1.0' encoding='gbk'?><rss version='2.0' xml:base='/x/' \
     xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:media='http://search.yahoo.com/mrss/'>\
     <channel><title>中文</title><item><title>a &lt;b&gt;c&lt;/b&gt;</title><guid>https://a.example/1</guid>\
     <pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate><dc:creator>d</dc:creator><category>e</category>\
     <enclosure url='f.mp3' length='7' type='audio/mpeg'/><media:group><media:content url='g'/>\
     </media:group></item><item><pubDate>6 Nov 1994</pubDate><author>h@a.example (i)</author></item>\
     </channel></rss>",
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' \
     xmlns:dc='http://purl.org/dc/elements/1.1/'><channel rdf:about='x'><title>a</title></channel>\
     <item rdf:about='/b'><title>c</title><link>/b</link><dc:date>2024-01-05T12:00+01:00</dc:date></item>\
     </rdf:RDF>",
    "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title mode='escaped'>a</title><entry>\
     <title>b</title><link rel='alternate' type='text/html' href='c'/><issued>2024-01-05</issued>\
     <author><name>d</name><email>e</email></author><content type='text/html'>&lt;p>f</content></entry>\
     </feed>",
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://b.example/'><title>a</title><entry>\
     <id>urn:1</id><title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>b<i>c</i></div></title>\
     <link href='d'/><updated>2024-01-05T12:00:00Z</updated><category term='e'/><summary>f</summary>\
     <content type='html' xml:base='g/'>&lt;p&gt;h</content></entry></feed>",
    "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"a\",\"authors\":[{\"name\":\"b\"}],\
     \"items\":[{\"id\":\"1\",\"url\":\"/c\",\"title\":\"d\\u001b\",\"content_html\":\"<p>e\",\
     \"date_published\":\"2024-01-05T12:00:00Z\",\"tags\":[\"f\"],\"attachments\":[{\"url\":\"g\",\
     \"mime_type\":\"h\",\"size_in_bytes\":7}]},{\"id\":2,\"content_text\":\"<i>\"}]}",
    "<!DOCTYPE html><html><head><base href='/x/'><title>a</title>\
     <link rel=alternate type='application/rss+xml' href=b title='c &amp; d'></head><p>e</html>",
];

/// Pieces that mean something, to be put where they do not.
const PIECES: &[&str] = &[
    "<",
    ">",
    "&",
    "\"",
    "'",
    "<item>",
    "</item>",
    "<entry xml:base='z/'>",
    "<title>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml version='1.0' encoding='utf-16'?>",
    "<!DOCTYPE a [<!ENTITY e '&#60;x'>",
    "&e;",
    "&#xD800;",
    "&amp;#8232;",
    "\u{1b}[31m",
    "\u{85}",
    "\u{202E}",
    "\u{2028}",
    "\u{FEFF}",
    "\0",
    "\r\n",
    "<link>http://[\n</link>",
    "<media:group>",
    "<html>",
    "{",
    "}",
    "null",
];

#[derive(Clone, Debug)]
enum Change {
    Cut(Index),
    Drop(Index, Index),
    Repeat(Index, Index, u8),
    Byte(Index, u8),
    Piece(Index, &'static str),
    /// The end of another feed.
    Splice(Index, &'static str, Index),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let at = any::<Index>;
        let feed = || prop::sample::select(FEEDS);
        prop_oneof![
            at().prop_map(Self::Cut),
            (at(), at()).prop_map(|(from, to)| Self::Drop(from, to)),
            (at(), at(), 2..9_u8).prop_map(|(from, to, times)| Self::Repeat(from, to, times)),
            (at(), any::<u8>()).prop_map(|(at, byte)| Self::Byte(at, byte)),
            (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Self::Piece(at, piece)),
            (at(), feed(), at()).prop_map(|(at, feed, from)| Self::Splice(at, feed, from)),
        ]
    }

    fn make(&self, body: &mut Vec<u8>) {
        let length = body.len().saturating_add(1);
        let range = |from: &Index, to: &Index| {
            let (from, to) = (from.index(length), to.index(length));
            from.min(to)..from.max(to)
        };
        match self {
            Self::Cut(at) => body.truncate(at.index(length)),
            Self::Drop(from, to) => drop(body.drain(range(from, to))),
            Self::Repeat(from, to, times) => {
                let range = range(from, to);
                let again = body[range.clone()].repeat(usize::from(*times));
                body.splice(range.end..range.end, again);
            }
            Self::Byte(at, byte) => {
                if let Some(place) = body.get_mut(at.index(length)) {
                    *place = *byte;
                }
            }
            Self::Piece(at, piece) => {
                let at = at.index(length);
                body.splice(at..at, piece.bytes());
            }
            Self::Splice(at, feed, from) => {
                body.truncate(at.index(length));
                body.extend_from_slice(&feed.as_bytes()[from.index(feed.len())..]);
            }
        }
    }
}

/// A feed in some encoding.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let encode = |text: &str, by: usize| {
        let units = || text.encode_utf16();
        match by {
            0 => units().flat_map(u16::to_le_bytes).collect(),
            1 => units().flat_map(u16::to_be_bytes).collect(),
            2 => text.chars().map(u32::from).flat_map(u32::to_le_bytes).collect(),
            3 => GBK.encode(text).0.into_owned(),
            4 => BIG5.encode(text).0.into_owned(),
            5 => SHIFT_JIS.encode(text).0.into_owned(),
            6 => WINDOWS_1251.encode(text).0.into_owned(),
            _ => UTF_8.encode(text).0.into_owned(),
        }
    };
    (prop::sample::select(FEEDS), 0..12_usize).prop_map(move |(text, by)| encode(text, by))
}

fn content_type() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some("text/html".to_owned())),
        "[a-z/+]{0,8}(; ?charset=(utf-8|gbk|utf-16|iso-2022-jp|\"x\u{1b}\u{202E}\"|))?"
            .prop_map(Some),
    ]
}

fn check(body: &[u8], content_type: Option<&str>) {
    let origin = Origin { url: URL, content_type };
    let answer = read(body, origin);
    assert_eq!(answer, read(body, origin), "not the same twice");
    match answer {
        Ok(feed) => check_feed(&feed, body.len()),
        Err(error) => check_error(&error),
    }
}

fn check_error(error: &Unreadable) {
    is_message(&error.message);
    assert!(error.line != Some(0) && error.column != Some(0), "{error:?}");
    assert!(error.column.is_none_or(|_| error.line.is_some()), "{error:?}");
    for feed in &error.discovered {
        assert!(Url::parse(&feed.url).is_ok(), "{error:?}");
        is_plain(feed.title.as_deref());
        is_plain(feed.mime.as_deref());
    }
}

fn check_feed(feed: &Feed, length: usize) {
    let mut codes: Vec<_> = feed.warnings.iter().map(|warning| warning.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), feed.warnings.len(), "{:?}", feed.warnings);
    feed.warnings.iter().for_each(|warning| is_message(&warning.message));
    assert_eq!(feed.partial, codes.contains(&"Partial"));

    is_line(feed.title.as_deref());
    for item in &feed.items {
        check_item(item);
    }
    let bytes: usize = feed.items.iter().map(bytes_of).sum();
    assert!(bytes <= 16 * length + (512 << 10), "{bytes} bytes of {length}");
}

fn check_item(item: &Item) {
    is_line(item.title.as_deref());
    is_line(item.author.as_deref());
    item.categories.iter().for_each(|category| is_line(Some(category)));
    for line in item.summary.iter().flat_map(|summary| summary.split('\n')) {
        is_line(Some(line));
    }
    let guid = item.guid.as_deref();
    assert!(guid.is_none_or(|guid| !guid.is_empty() && guid.trim() == guid), "{guid:?}");
    is_link(item.link.as_deref());
    item.enclosures.iter().for_each(|enclosure| is_link(Some(&enclosure.url)));
    for date in [&item.published_at, &item.updated_at].into_iter().flatten() {
        is_line(Some(date));
        // One that was understood is as jiff writes it, and of a year that feeds are of.
        if let Ok(instant) = date.parse::<Timestamp>()
            && date.ends_with('Z')
            && date.contains('T')
            && date.len() == "1994-11-06T08:49:37Z".len()
        {
            assert_eq!(instant.to_string(), *date);
        }
    }
}

/// Absolute, or as given where no base makes it so.
fn is_link(link: Option<&str>) {
    let Some(link) = link else { return };
    is_plain(Some(link));
    if let Ok(url) = Url::parse(link) {
        assert_eq!(url.as_str(), link);
    } else {
        let base = Url::parse(URL).unwrap();
        assert!(base.join(link).is_err(), "{link:?} is relative");
    }
}

fn is_message(text: &str) {
    assert!(!text.is_empty() && text.len() < 400, "{text:?}");
    is_plain(Some(text));
}

fn is_plain(text: Option<&str>) {
    assert!(!text.unwrap_or_default().chars().any(char::is_control), "{text:?}");
}

fn is_line(text: Option<&str>) {
    let Some(text) = text else { return };
    assert!(!text.is_empty() && text.trim() == text && !text.contains("  "), "{text:?}");
    let hides = |it: char| {
        it.is_control() || matches!(it, '\u{202A}'..='\u{202E}' | '\u{2028}' | '\u{2029}')
    };
    assert!(!text.chars().any(hides), "{text:?}");
}

fn bytes_of(item: &Item) -> usize {
    let Item { title, link, guid, author, published_at, summary, updated_at, .. } = item;
    let texts = [title, link, guid, author, published_at, summary, updated_at, &item.content_html];
    let one: usize = texts.into_iter().flatten().map(String::len).sum();
    let categories: usize = item.categories.iter().map(String::len).sum();
    one + categories + item.enclosures.iter().map(|it| it.url.len()).sum::<usize>()
}

#[test]
fn feeds_of_all_kinds_are_read_before_anything_is_done_to_them() {
    for text in FEEDS {
        check(text.as_bytes(), None);
        let is_page = text.contains("<html>");
        assert_eq!(
            read(text.as_bytes(), Origin { url: URL, content_type: None }).is_err(),
            is_page,
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_are_items_or_an_error(body: Vec<u8>, content_type in content_type()) {
        check(&body, content_type.as_deref());
    }

    #[test]
    fn a_feed_that_was_tampered_with_is_items_or_an_error(
        mut body in body(),
        changes in prop::collection::vec(Change::any(), 0..6),
        content_type in content_type(),
    ) {
        for change in &changes {
            change.make(&mut body);
        }
        check(&body, content_type.as_deref());
    }
}

const RSS: &str = "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><item>";
const ATOM: &str = "<feed xmlns='http://www.w3.org/2005/Atom'><entry>";

/// One of these that is quadratic takes a minute, or more memory than there is.
#[test]
fn bodies_that_repeat_one_thing_take_linear_time_and_memory() {
    const BYTES: usize = 200_000;
    let repeated = [
        ("", "<!DOCTYPE a>"),
        ("", "<!DOCTYPE html>"),
        ("", "<!-- -->"),
        ("", "<?x ?>"),
        ("<html>", "<link rel=feed href=a>"),
        ("<html>", "<link rel=feed href='javascript:a'>"),
        ("<html><link ", "a "),
        ("<rss ", "a "),
        ("<rss version='2.0' ", "xmlns:a='b' "),
        (RSS, "<"),
        (RSS, "&"),
        (RSS, "<a b='"),
        (RSS, "<a xml:base='b/'>"),
        (RSS, "<a xml:base='b/'><link>c</link></a>"),
        (RSS, "<media:content url='a'>"),
        (RSS, "<media:group>"),
        (RSS, "<media:group><media:title>a</media:title>"),
        (
            RSS,
            "<pubDate>1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a 1 a</pubDate></item><item>",
        ),
        (ATOM, "<link xml:base='b/' href='c'>"),
        (ATOM, "</entry><entry xml:base='b/'>"),
        (ATOM, "<content type='xhtml'><div>"),
        ("{\"items\":[", "["),
        ("{\"items\":[{\"title\":\"", "&amp;"),
        ("{\"a\":", "["),
    ];
    for (start, unit) in repeated {
        let body = format!("{start}{}", unit.repeat(BYTES / unit.len()));
        check(body.as_bytes(), None);
    }
}

#[test]
fn tags_that_are_nested_deeply_are_no_deep_calls() {
    for name in ["a", "media:group", "media:content", "media:community", "author", "image", "title"]
    {
        for closed in [0, 1] {
            let (start, end) = (format!("<{name} url='a'>"), format!("</{name}>"));
            let body = format!(
                "{RSS}{}{}</item></channel></rss>",
                start.repeat(20_000),
                end.repeat(20_000 * closed)
            );
            check(body.as_bytes(), None);
        }
    }
}

/// What is said once, and belongs to each of many: `a` times `b` bytes of `a` and `b`.
#[test]
fn what_many_share_is_not_copied_without_end() {
    let long = "a".repeat(100_000);
    let bodies = [
        (
            format!("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://a/{long}/'>"),
            "<entry><link href='b'/></entry>",
            "</feed>",
        ),
        (
            format!("<feed xmlns='http://purl.org/atom/ns#' xml:base='http://a/{long}/'>"),
            "<entry><link href='b'/></entry>",
            "</feed>",
        ),
        (
            format!("<rss version='2.0' xml:base='http://a/{long}/'><channel>"),
            "<item><link>b</link></item>",
            "</channel></rss>",
        ),
        (
            format!("{ATOM}<id xml:base='http://a/{long}/'>"),
            "<link href='b'/>",
            "</id></entry></feed>",
        ),
        (
            format!("{RSS}<media:title>{long}</media:title><media:rating>{long}</media:rating>"),
            "<media:group><media:content url='b'/></media:group>",
            "</item></channel></rss>",
        ),
        (
            format!("{RSS}<media:rating>{long}</media:rating>"),
            "<media:content url='b'/>",
            "</item></channel></rss>",
        ),
        (
            format!(
                "{{\"version\":\"jsonfeed.org\",\"author\":{{\"name\":\"{long}\"}},\"items\":["
            ),
            "{},",
            "{}]}",
        ),
        (format!("<html><base href='/{long}/'>"), "<link rel=feed href=b>", ""),
        (
            format!("<!DOCTYPE a [<!ENTITY b \"{}\">]>{RSS}<title>", "a".repeat(1000)),
            "&b;",
            "</title></item></channel></rss>",
        ),
    ];
    for (start, unit, end) in bodies {
        let body = format!("{start}{}{end}", unit.repeat(100_000 / unit.len()));
        check(body.as_bytes(), None);
    }
}

#[test]
fn more_items_than_any_feed_has_are_an_error() {
    let refused = |start: &str, unit: &str, end: &str, count: usize| {
        let body = format!("{start}{}{end}", unit.repeat(count));
        check(body.as_bytes(), None);
        let error = read(body.as_bytes(), Origin { url: URL, content_type: None }).unwrap_err();
        assert!(error.message.starts_with("the feed has more than"), "{}", error.message);
    };
    refused("<rss><channel>", "<item/>", "", 20_001);
    refused("{\"items\":[", "{},", "{}]}", 20_001);
    refused("{\"items\":[", "{},", "", 20_001);
    refused("<feed><entry>", "<category term='a'/>", "</entry></feed>", 50_001);
    refused("<rss><channel><item>", "<author>a</author>", "", 50_001);
    refused("{\"version\":\"jsonfeed.org\",\"items\":[{\"tags\":[", "1,", "1]}]}", 50_001);
    let authors = "{\"version\":\"jsonfeed.org\",\"items\":[{},{},{}],\"authors\":[";
    refused(authors, "{\"name\":\"a\"},", "{}]}", 20_000);
}

#[test]
fn attributes_that_no_reader_looks_at_are_dropped() {
    let many: String = (0..300).map(|it| format!(" a{it}='b'")).collect();
    let body = format!("<rss><channel><item><enclosure url='c'{many}/></item></channel></rss>");
    let feed = read(body.as_bytes(), Origin { url: URL, content_type: None }).unwrap();
    assert_eq!(feed.items[0].enclosures[0].url, "https://a.example/feeds/c");
}
