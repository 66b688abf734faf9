//! A feed's bytes to its items: the parser of `rss fetch`, for a host that has the bytes already.
//!
//! ```text
//! bytes ── charset ──> text ── mend ──> clean XML ── with_feed_rs ──┐
//!                        │                  │         ^ complete     │
//!                        │                  └─────── lenient ───────┼─> raw ── finish ──> Feed
//!                        └──────────────── json ────────────────────┘
//! ```
//!
//! [`read`] is pure: the same bytes give the same items. Real feeds are damaged in many ways;
//! whatever is mended is said in [`Feed::warnings`], and what cannot be read is an [`Unreadable`],
//! never a feed without items in silence.

mod charset;
mod mend;

mod complete;
mod json;
mod lenient;
mod with_feed_rs;

mod finish;
mod join;
mod raw;

mod date;
mod html;
mod text;

#[cfg(test)]
mod hostile;

use std::fmt;

use serde::Serialize;

/// What is known of the bytes besides themselves.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The URL that answered, absolute: what relative links are relative to.
    pub url: &'a str,
    /// The answer's `Content-Type`.
    pub content_type: Option<&'a str>,
}

/// A feed that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// Its family.
    pub format: Format,
    /// Plain text, on one line.
    pub title: Option<String>,
    /// In the order of the feed.
    pub items: Vec<Item>,
    /// The feed ends in the middle; the items before that are here.
    pub partial: bool,
    /// What was mended or assumed, each kind once.
    pub warnings: Vec<Warning>,
}

/// The families of feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// RSS 0.91 to 2.x: `<rss>`.
    Rss,
    /// RSS 0.90 and 1.0: `<rdf:RDF>`.
    Rdf,
    /// Atom 0.3 and 1.0.
    Atom,
    /// JSON Feed 1.0 and 1.1.
    Json,
}

/// One item (RSS) or entry (Atom). What the feed does not say is left out, never made up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Plain text on one line: without tags, references decoded, also where escaped twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// As in the feed: `guid`, `id` or `rdf:about`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guid: Option<String>,
    /// The authors' names, joined by `, `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// RFC 3339 in UTC where the date can be read without doubt, else as in the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<String>,
    /// Plain text, whole, paragraphs on lines of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// As [`Item::published_at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Plain text each, in the order of the feed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Files that belong to the item.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enclosures: Vec<Enclosure>,
    /// The item's whole text, as in the feed: HTML that nobody has made safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_html: Option<String>,
}

/// A file that belongs to an item, of whatever module the feed names it with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Enclosure {
    /// Absolute.
    pub url: String,
    /// Media type, as in the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Its length, as the feed says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What was mended or assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable: `ByteOrderMarks`, `CharsetLabel`, …
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// Bytes that are no feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, in a lower-case fragment.
    pub message: String,
    /// From 1, in the text as decoded, where the parser knows.
    pub line: Option<u64>,
    /// From 1, in bytes, where the parser knows.
    pub column: Option<u64>,
    /// The feeds that the page names, where the bytes are an HTML page.
    pub discovered: Vec<Discovered>,
}

impl Unreadable {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, column: None, discovered: Vec::new() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Unreadable {}

/// A feed that an HTML page names: `<link rel="alternate">`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Discovered {
    /// Absolute.
    pub url: String,
    /// Media type, as on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The feed in a body, decoded of its transfer and content encodings.
///
/// # Errors
/// What is no feed, or is damaged beyond its first item.
///
/// ```
/// use tapeline_commands::rss::feed::{Format, Origin, read};
///
/// let body = b"<rss><channel><title>News</title><item><title>One &amp;amp; two</title>\
///     <link>/1</link><pubDate>Sun, 6 Nov 94 08:49 GMT</pubDate></item></channel></rss>";
/// let feed = read(body, Origin { url: "https://a.example/feed", content_type: None })?;
/// assert_eq!(feed.format, Format::Rss);
/// assert_eq!(feed.items[0].title.as_deref(), Some("One & two"));
/// assert_eq!(feed.items[0].link.as_deref(), Some("https://a.example/1"));
/// assert_eq!(feed.items[0].published_at.as_deref(), Some("1994-11-06T08:49:00Z"));
/// # Ok::<_, tapeline_commands::rss::feed::Unreadable>(())
/// ```
pub fn read(body: &[u8], origin: Origin<'_>) -> Result<Feed, Unreadable> {
    let mut warnings = Vec::new();
    let text = charset::decode(body, origin.content_type, &mut warnings);
    if text.trim_start().starts_with('{') {
        let (raw, cut) = json::read(text.trim())?;
        return Ok(finish::finish(raw, text.len(), origin.url, cut, warnings));
    }
    if let Some(what) = no_markup(&text) {
        return Err(Unreadable::new(what));
    }
    if html::is_page(&text) {
        return Err(page(&text, origin.url));
    }
    let mended = mend::mend(&text, &mut warnings);
    if let Some(why) = mended.refused {
        return Err(Unreadable::new(why));
    }
    raw::check_counts(mended.items, 0)?;
    let mut raw = read_xml(&mended, origin.url).map_err(|why| match is_html(origin) {
        // It has no root of a page, and none of a feed.
        true => page(&text, origin.url),
        false => why,
    })?;
    if mended.cut && raw.items.last().is_some_and(|item| *item == raw::RawItem::default()) {
        raw.items.pop();
    }
    if mended.cut && raw.items.is_empty() {
        return Err(Unreadable::new("the feed ends before its first item does"));
    }
    if raw.items.is_empty() && mended.items > 0 {
        return Err(Unreadable::new(format!(
            "the feed has {} items, and none of them can be read",
            mended.items
        )));
    }
    // What is made of the items has room where the text was.
    let (cut, length) = (mended.cut, text.len());
    drop(mended);
    drop(text);
    Ok(finish::finish(raw, length, origin.url, cut, warnings))
}

fn page(text: &str, url: &str) -> Unreadable {
    Unreadable {
        discovered: html::discover(text, url),
        ..Unreadable::new("the answer is an HTML page, and no feed")
    }
}

fn is_html(origin: Origin<'_>) -> bool {
    let essence = origin.content_type.and_then(|it| it.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/html")
}

/// What a text is that has no tag in it.
fn no_markup(text: &str) -> Option<&'static str> {
    match text.trim_start().chars().next() {
        None => Some("the answer is empty"),
        Some('[') if text.trim_end().ends_with(']') => {
            Some("the answer is a list in JSON, and no feed")
        }
        Some(_) if !text.contains('<') => Some("the answer is text without markup, and no feed"),
        Some(_) => None,
    }
}

/// `feed-rs` makes a copy of the URL for each link.
const LONGEST_BASE: usize = 256;

/// By `feed-rs` where that finds all items, else by whichever reader finds more.
fn read_xml(mended: &mend::Mended<'_>, url: &str) -> Result<raw::RawFeed, Unreadable> {
    // The end of a cut feed is missing to feed-rs, and of RDF the names of the items, which are in
    // attributes.
    let root = mended.text.get(1..).unwrap_or_default();
    let root = root.split(|it: char| it.is_whitespace() || it == '>').next().unwrap_or_default();
    let is_rdf = root.rsplit(':').next().is_some_and(|local| local.eq_ignore_ascii_case("rdf"));
    let suits = !mended.cut && !is_rdf && !mended.is_too_heavy && url.len() <= LONGEST_BASE;
    let strict = if suits { with_feed_rs::read(&mended.text, url) } else { None };
    match strict {
        Some(mut raw) if raw.items.len() >= mended.items => {
            if complete::is_incomplete(&raw, &mended.text)
                && let Ok(other) = lenient::read(&mended.text, url)
            {
                complete::complete(&mut raw, other, &mended.text);
            }
            Ok(raw)
        }
        Some(raw) => match lenient::read(&mended.text, url) {
            Ok(other) if other.items.len() >= raw.items.len() => Ok(other),
            _ => Ok(raw),
        },
        None => lenient::read(&mended.text, url),
    }
}
