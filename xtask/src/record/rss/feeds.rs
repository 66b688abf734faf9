//! Feeds of every family, and the ways in which they are damaged.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use tapeline_replay::loopback::Answer;

use super::{FETCH, PATH, RSS, scenario};
use crate::record::scenario::Scenario;

const ATOM: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://feeds.example.org/blog/">
  <title>A blog</title>
  <id>tag:example.org,2026:blog</id>
  <updated>2026-11-03T09:00:00Z</updated>
  <entry>
    <title type="html">Caf&amp;eacute; &amp;lt;3</title>
    <link rel="alternate" href="cafe"/>
    <link rel="self" href="cafe.atom"/>
    <id>tag:example.org,2026:cafe</id>
    <author><name>B. Logger</name></author>
    <published>2026-11-02T10:00:00+01:00</published>
    <updated>2026-11-03T09:00:00Z</updated>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Good <em>coffee</em>.</p></div></content>
  </entry>
</feed>
"#;

const RDF: &str = r#"<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="https://feeds.example.org/"><title>Old news</title><link>https://feeds.example.org/</link></channel>
  <item rdf:about="https://feeds.example.org/1"><title>First</title><link>https://feeds.example.org/1</link><dc:date>2026-11-02</dc:date></item>
</rdf:RDF>
"#;

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // A vector takes everything.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

const JSON: &str = r#"{
  "version": "https://jsonfeed.org/version/1.1",
  "title": "A feed in JSON",
  "items": [
    {"id": 7, "url": "https://feeds.example.org/7", "title": "An integer for an id", "content_text": "5 < 7", "date_published": "2026-11-02T10:00:00Z"},
    {"id": "8", "url": "https://feeds.example.org/8", "content_html": "<p>Without a title</p>"}
  ]
}
"#;

const ATOM_03: &str = r#"<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Atom of old</title>
<entry><title>One</title><link rel="alternate" type="text/html" href="https://feeds.example.org/1"/><id>1</id><issued>2004-05-06T07:08:09Z</issued><modified>2004-05-07T00:00:00Z</modified></entry></feed>
"#;

const RSS_090: &str = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
<channel><title>The first of all</title></channel><item><title>One</title><link>https://feeds.example.org/1</link></item></rdf:RDF>
"#;

/// Without version, a bare `&`, an unknown entity, no zone, `Sept`, and a tag that is never closed.
const DAMAGED: &str = "\r\n<?xml version=\"1.0\"?><rss><channel><title>Rock & roll</title>\
    <item><title>R&nbsp;&amp;amp; B <br></title><link>https://feeds.example.org/1</link>\
    <pubDate>Thurs, 3 Sept 26 08:49</pubDate></item>\
    <item><title>Second\u{8}</title><link>/2</link><pubDate>03/04/2026</pubDate></item></channel></rss>";

pub(super) fn scenarios() -> Vec<Scenario> {
    let fetched = |case, title| scenario(case, title).line(FETCH);
    let xml = |body: &str| Answer::ok("application/xml", body);
    let total = "/result/count_total";
    vec![
        fetched("fetch-rss", "RSS 2.0").serves(PATH, Answer::ok("application/rss+xml", RSS)).shows(total, 2),
        scenario("fetch-max-items", "one of two items is shown")
            .line(format!("{FETCH} --max-items 1"))
            .serves(PATH, xml(RSS))
            .shows(total, 2)
            .shows("/result/count_emitted", 1),
        scenario("fetch-out", "all items in one file, the feed as received in another")
            .line(format!("{FETCH} --max-items 1 --out artifacts/rss/items.json --raw-out artifacts/rss/news.xml"))
            .serves(PATH, xml(RSS))
            .shows("/artifacts/1/path", ".agents/artifacts/rss/news.xml"),
        fetched("fetch-atom", "Atom 1.0 with relative links").serves(PATH, Answer::ok("application/atom+xml", ATOM)).shows("/result/format", "atom"),
        fetched("fetch-rdf", "RSS 1.0").serves(PATH, xml(RDF)).shows("/result/format", "rdf"),
        fetched("fetch-json", "JSON Feed with an integer for an id").serves(PATH, Answer::ok("application/feed+json", JSON)).shows(total, 2),
        fetched("fetch-json-with-a-mark", "JSON Feed behind a byte order mark").serves(PATH, Answer::ok("application/feed+json", format!("\u{feff}{JSON}"))).shows(total, 2),
        fetched("fetch-atom-0-3", "Atom 0.3").serves(PATH, xml(ATOM_03)).shows(total, 1),
        fetched("fetch-rss-0-90", "RSS 0.90").serves(PATH, xml(RSS_090)).shows(total, 1),
        fetched("fetch-damaged", "what is mended is told").serves(PATH, xml(DAMAGED)).shows(total, 2),
        fetched("fetch-gzip", "a feed that came compressed")
            .serves(PATH, xml("").body(gzipped(RSS.as_bytes())).header("content-encoding", "gzip"))
            .shows(total, 2),
        fetched("fetch-gzip-bomb", "a feed of 3 MiB that came as 3 KiB is not unpacked")
            .serves(
                PATH,
                xml("").body(gzipped(&vec![b' '; 3 << 20])).header("content-encoding", "gzip"),
            )
            .fails("LimitExceeded"),
        fetched("fetch-gbk", "GBK by its XML declaration")
            .serves(PATH, Answer::ok("text/xml", b"<?xml version=\"1.0\" encoding=\"gbk\"?><rss version=\"2.0\"><channel><title>\xd6\xd0\xce\xc4</title><item><title>\xc4\xe3\xba\xc3</title><link>https://feeds.example.org/1</link><pubDate>2026\xc4\xea11\xd4\xc23\xc8\xd5</pubDate></item></channel></rss>"))
            .shows("/result/title", "中文")
            .shows("/result/items/0/title", "你好"),
        fetched("fetch-cut-feed", "a feed that ends in the middle")
            .serves(PATH, xml(RSS.split_at(RSS.find("<enclosure").unwrap_or_default()).0))
            .shows("/result/partial", true),
        fetched("fetch-html-page", "a page names its feeds")
            .serves(PATH, Answer::ok("text/html", "<!doctype html><html><head><title>No feed</title><link rel=alternate type=application/rss+xml href=/feed.xml title=News></head><body></body></html>"))
            .fails("ParseError")
            .shows("/result/discovered/0/url", "https://feeds.example.org/feed.xml"),
        fetched("fetch-no-feed", "XML that is no feed").serves(PATH, xml("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")).fails("ParseError"),
        fetched("fetch-billion-laughs", "entities of entities")
            .serves(PATH, xml("<!DOCTYPE rss [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]><rss version=\"2.0\"><channel><title>&c;</title><item><title>one</title><link>https://feeds.example.org/1</link></item></channel></rss>"))
            .fails("ParseError"),
        fetched("fetch-three-mebibytes", "a feed that is too long is not read")
            .serves(PATH, xml(&" ".repeat(3 << 20)))
            .fails("LimitExceeded"),
    ]
}
