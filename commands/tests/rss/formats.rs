//! REQ-0024-004 and -005: the families of feeds and their modules.

use serde_json::{Value, json};

use super::{OUT, Read, read, rss};
use crate::world::World;

#[track_caller]
fn check(read: &Read, format: &str, items: &Value) {
    assert_eq!(read.run.result["format"], format);
    assert_eq!(read.items, *items);
}

#[test]
fn rss_of_any_version_is_rss() {
    for root in [
        "<rss version='2.0'>",
        "<rss version='0.91'>",
        "<rss version='0.92'>",
        "<rss version='2.00'>",
        "<rss version='2.01'>",
        "<rss version='3.0'>",
        "<rss version=''>",
        "<rss>",
        "<RSS version='2.0'>",
    ] {
        let end = if root.starts_with("<RSS") { "</RSS>" } else { "</rss>" };
        let body = format!(
            "{root}<channel><title>News</title><item><title>One</title>\
             <link>https://a.example/1</link></item></channel>{end}"
        );
        let read = read(body).mended(&[]);
        assert_eq!(read.run.result["title"], "News", "{root}");
        check(&read, "rss", &json!([{"title": "One", "link": "https://a.example/1"}]));
    }
}

#[test]
fn an_old_doctype_of_rss_0_91_is_no_fault() {
    let doctype = "<!DOCTYPE rss PUBLIC \"-//Netscape Communications//DTD RSS 0.91//EN\" \
        \"http://my.netscape.com/publish/formats/rss-0.91.dtd\">";
    let body =
        format!("<?xml version='1.0'?>\n{doctype}\n{}", rss("<item><title>a</title></item>"));
    read(body).mended(&[]).titled(&["a"]);
}

#[test]
fn rss_0_90_is_rdf() {
    let read = read(
        r#"<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
<channel><title>The first of all</title><link>https://a.example/</link></channel>
<image><title>No item</title><url>https://a.example/i.png</url><link>https://a.example/</link></image>
<item><title>One</title><link>https://a.example/1</link></item>
<item><title>Two</title><link>https://a.example/2</link></item>
<textinput><title>No item</title><name>q</name><link>https://a.example/q</link></textinput>
</rdf:RDF>"#,
    )
    .mended(&[]);
    assert_eq!(read.run.result["title"], "The first of all");
    check(
        &read,
        "rdf",
        &json!([
            {"title": "One", "link": "https://a.example/1"},
            {"title": "Two", "link": "https://a.example/2"},
        ]),
    );
}

#[test]
fn rss_1_0_is_rdf_with_its_modules() {
    let read = read(
        r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel rdf:about="https://a.example/"><title>Old news</title><link>https://a.example/</link>
<description>d</description><items><rdf:Seq><rdf:li rdf:resource="https://a.example/1"/></rdf:Seq></items></channel>
<item rdf:about="https://a.example/1"><title>One</title><link>https://a.example/1</link>
<description>Short</description><dc:creator>A. Writer</dc:creator><dc:date>2023-11-14T10:00:00+01:00</dc:date>
<dc:subject>Food</dc:subject><content:encoded><![CDATA[<p>Long</p>]]></content:encoded></item>
</rdf:RDF>"#,
    )
    .mended(&[]);
    assert_eq!(read.run.result["title"], "Old news");
    check(
        &read,
        "rdf",
        &json!([{
            "title": "One",
            "link": "https://a.example/1",
            "guid": "https://a.example/1",
            "author": "A. Writer",
            "published_at": "2023-11-14T09:00:00Z",
            "summary": "Short",
            "categories": ["Food"],
            "content_html": "<p>Long</p>",
        }]),
    );
}

#[test]
fn atom_1_0_has_texts_of_each_type() {
    let read = read(
        r#"<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title type="html">A &amp;lt;blog&amp;gt;</title><id>tag:a.example,2023:blog</id><updated>2023-11-14T09:00:00Z</updated>
<entry><title type="html">Caf&amp;eacute; &lt;em&gt;noir&lt;/em&gt;</title>
<link rel="alternate" type="text/html" href="https://a.example/cafe"/>
<link rel="enclosure" type="audio/mpeg" length="7" href="https://a.example/cafe.mp3"/>
<link rel="edit" href="https://a.example/edit"/>
<id>tag:a.example,2023:cafe</id><author><name>B. Logger</name><email>b@a.example</email></author>
<author><name>C. Logger</name></author>
<published>2023-11-13T10:00:00+01:00</published><updated>2023-11-14T09:00:00.5Z</updated>
<category term="drinks" label="Drinks"/><category term="food"/><summary>Short &amp; good</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Good <em>coffee</em>.</p></div></content></entry>
<entry><title type="text">1 &lt; 2</title><link href="https://a.example/2"/><id>2</id><updated>2023-11-14T09:00:00Z</updated>
<content type="html">&lt;p&gt;Text&lt;/p&gt;</content></entry>
</feed>"#,
    )
    .mended(&[]);
    assert_eq!(read.run.result["title"], "A <blog>");
    let first = &read.items[0];
    let mut known = first.as_object().unwrap().clone();
    let content = known.remove("content_html").unwrap();
    assert!(content.as_str().unwrap().contains("<p>Good <em>coffee</em>.</p>"), "{content}");
    assert_eq!(
        json!(known),
        json!({
            "title": "Café noir",
            "link": "https://a.example/cafe",
            "guid": "tag:a.example,2023:cafe",
            "author": "B. Logger, C. Logger",
            "published_at": "2023-11-13T09:00:00Z",
            "updated_at": "2023-11-14T09:00:00.5Z",
            "summary": "Short & good",
            "categories": ["Drinks", "food"],
            "enclosures": [{"url": "https://a.example/cafe.mp3", "mime": "audio/mpeg", "bytes": 7}],
        })
    );
    assert_eq!(read.items[1]["title"], "1 < 2");
    assert_eq!(read.items[1]["summary"], "Text", "of an item with its whole text only");
    assert_eq!(read.items[1]["content_html"], "<p>Text</p>");
    assert_eq!(read.run.result["format"], "atom");
}

#[test]
fn atom_0_3_is_atom() {
    let read = read(
        r#"<?xml version="1.0"?>
<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Atom of old</title>
<link rel="alternate" type="text/html" href="https://a.example/"/>
<entry><title mode="escaped">One &amp;amp; two</title><link rel="alternate" type="text/html" href="https://a.example/1"/>
<id>tag:a.example,2004:1</id><author><name>B. Logger</name></author><issued>2004-05-06T07:08:09Z</issued>
<modified>2004-05-07T00:00:00Z</modified><summary>Short</summary>
<content type="text/html" mode="escaped">&lt;p&gt;Long&lt;/p&gt;</content></entry></feed>"#,
    )
    .mended(&[]);
    assert_eq!(read.run.result["title"], "Atom of old");
    check(
        &read,
        "atom",
        &json!([{
            "title": "One & two",
            "link": "https://a.example/1",
            "guid": "tag:a.example,2004:1",
            "author": "B. Logger",
            "published_at": "2004-05-06T07:08:09Z",
            "updated_at": "2004-05-07T00:00:00Z",
            "summary": "Short",
            "content_html": "<p>Long</p>",
        }]),
    );
}

const JSON_FEED: &str = r#"{
  "version": "https://jsonfeed.org/version/1.1",
  "title": "A feed in JSON",
  "authors": [{"name": "The editors"}],
  "items": [
    {
      "id": "tag:1", "url": "https://a.example/1", "external_url": "https://b.example/",
      "title": "5 < 7 & more", "content_html": "<p>Long</p>", "summary": "Short",
      "date_published": "2023-11-14T10:00:00+01:00", "date_modified": "2023-11-14T11:00:00Z",
      "authors": [{"name": "A. Writer"}, {"name": "B. Writer"}], "tags": ["Food", "Food", "Drink"],
      "attachments": [{"url": "/1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 7}]
    },
    {"id": "2", "external_url": "https://b.example/2", "content_text": "Only <text>"}
  ]
}"#;

#[test]
fn a_json_feed_is_read_whole() {
    let read = read(JSON_FEED).mended(&[]);
    assert_eq!(read.run.result["title"], "A feed in JSON");
    check(
        &read,
        "json",
        &json!([
            {
                "title": "5 < 7 & more",
                "link": "https://a.example/1",
                "guid": "tag:1",
                "author": "A. Writer, B. Writer",
                "published_at": "2023-11-14T09:00:00Z",
                "summary": "Short",
                "updated_at": "2023-11-14T11:00:00Z",
                "categories": ["Food", "Drink"],
                "enclosures": [
                    {"url": "https://feeds.example/1.mp3", "mime": "audio/mpeg", "bytes": 7},
                ],
                "content_html": "<p>Long</p>",
            },
            {
                "link": "https://b.example/2",
                "guid": "2",
                "author": "The editors",
                "summary": "Only <text>",
                "content_html": "Only &lt;text>",
            },
        ]),
    );
}

#[test]
fn a_json_feed_of_version_1_0_has_one_author() {
    let body = JSON_FEED
        .replace("/1.1", "/1")
        .replace(r#""authors": [{"name": "The editors"}]"#, r#""author": {"name": "The editor"}"#);
    let read = read(body).mended(&[]);
    assert_eq!(read.run.result["format"], "json");
    assert_eq!(read.each("author"), ["A. Writer, B. Writer", "The editor"]);
}

#[test]
fn a_json_feed_behind_a_mark_or_with_numbers_for_ids_is_read() {
    let read_json = |body: &str| read(body).mended(&[]);
    let marked = read_json(&format!("\u{feff}{JSON_FEED}"));
    assert_eq!(marked.items, read_json(JSON_FEED).items);
    let numbers = JSON_FEED.replace("\"tag:1\"", "17").replace("\"2\"", "18446744073709551616");
    assert_eq!(read_json(&numbers).each("guid"), ["17", "18446744073709551616"]);
}

#[test]
fn a_json_feed_is_read_field_by_field() {
    let body = r#"{"version": "https://jsonfeed.org/version/1", "title": null, "items": [
        {"id": null, "title": 7, "url": "https://a.example/1", "tags": null, "authors": "me",
         "attachments": [{}, 3], "date_published": null, "content_html": ["x"]},
        "no item", 3, null]}"#;
    check(&read(body), "json", &json!([{"title": "7", "link": "https://a.example/1"}]));
}

#[test]
fn the_modules_of_rss_are_in_the_file() {
    let body = r#"<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>News</title><atom:link rel="self" href="https://a.example/feed"/><itunes:author>Nobody</itunes:author>
<item><title>Media</title><media:content url="https://a.example/1.jpg" type="image/jpeg" fileSize="9" medium="image"/></item>
<item><title>Media group</title><media:group><media:content url="https://a.example/2.mp4" type="video/mp4"/></media:group></item>
<item><title>Podcast</title><itunes:author>A. Speaker</itunes:author><itunes:duration>12:34</itunes:duration>
<itunes:summary>Spoken</itunes:summary><enclosure url="https://a.example/3.mp3" type="audio/mpeg" length="11"/></item>
<item><title>Dublin Core</title><dc:creator>A. Writer</dc:creator><dc:date>2023-11-14</dc:date><dc:subject>Food</dc:subject></item>
<item><title>Content</title><description>Short</description><content:encoded><![CDATA[<p>Long &amp; good</p>]]></content:encoded></item>
</channel></rss>"#;
    let read = read(body).mended(&["AssumedZone"]);
    assert_eq!(
        read.items,
        json!([
            {
                "title": "Media",
                "enclosures": [{"url": "https://a.example/1.jpg", "mime": "image/jpeg", "bytes": 9}],
            },
            {
                "title": "Media group",
                "enclosures": [{"url": "https://a.example/2.mp4", "mime": "video/mp4"}],
            },
            {
                "title": "Podcast",
                "author": "A. Speaker",
                "summary": "Spoken",
                "enclosures": [
                    {"url": "https://a.example/3.mp3", "mime": "audio/mpeg", "bytes": 11},
                ],
            },
            {
                "title": "Dublin Core",
                "author": "A. Writer",
                "published_at": "2023-11-14T00:00:00Z",
                "categories": ["Food"],
            },
            {"title": "Content", "summary": "Short", "content_html": "<p>Long &amp; good</p>"},
        ])
    );
}

#[test]
fn a_summary_is_plain_text_and_never_cut() {
    let long = "Lorem ipsum dolor. ".repeat(5_000);
    let markup = format!(
        "&lt;p&gt;{long}&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;&lt;p&gt;End&amp;nbsp;now&lt;/p&gt;"
    );
    let read =
        read(rss(&format!("<item><title>a</title><description>{markup}</description></item>")));
    assert_eq!(read.items[0]["summary"], format!("{}\nEnd now", long.trim()));
}

#[test]
fn relative_links_are_those_of_xml_base() {
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/blog/"><title>t</title>
<entry><title>1</title><id>1</id><link href="one"/></entry>
<entry xml:base="deep/"><title>2</title><id>2</id><link href="two"/></entry>
<entry><title>3</title><id>3</id><link href="/three"/></entry>
<entry><title>4</title><id>4</id><link href="//b.example/four"/></entry>
<entry><title>5</title><id>5</id><link xml:base="https://c.example/x/" href="five?a=1&amp;b=2"/></entry></feed>"#;
    assert_eq!(
        read(atom).each("link"),
        [
            "https://a.example/blog/one",
            "https://a.example/blog/deep/two",
            "https://a.example/three",
            "https://b.example/four",
            "https://c.example/x/five?a=1&b=2",
        ]
    );
}

#[test]
fn without_a_base_relative_links_are_those_of_the_url_that_answered() {
    let body = rss(
        "<item><title>1</title><link>one</link><enclosure url='one.mp3' type='audio/mpeg' length='1'/></item>\
         <item><title>2</title><link>/two?x=1&amp;y</link></item>\
         <item><title>3</title><link> https://b.example/three\n</link></item>",
    );
    let world = World::new();
    world.service.answers(302, &[("location", "https://other.example/deep/feed.xml")], "");
    world.serves(body);
    world.exec(&format!("{} --out {OUT}", super::BY_URL)).ok();
    let items = world.json(OUT);
    let links: Vec<_> = (0..3).map(|place| items[place]["link"].clone()).collect();
    assert_eq!(
        links,
        [
            "https://other.example/deep/one",
            "https://other.example/two?x=1&y",
            "https://b.example/three",
        ]
    );
    assert_eq!(items[0]["enclosures"][0]["url"], "https://other.example/deep/one.mp3");
}

#[test]
fn a_guid_is_the_link_where_there_is_no_other_and_it_may_be() {
    let items = "<item><title>1</title><guid>https://a.example/1</guid></item>\
        <item><title>2</title><guid isPermaLink='true'>https://a.example/2</guid></item>\
        <item><title>3</title><guid isPermaLink='false'>https://a.example/3</guid></item>\
        <item><title>4</title><guid>4</guid></item>\
        <item><title>5</title><link>https://a.example/5</link><guid>https://a.example/other</guid></item>";
    let read = read(rss(items));
    assert_eq!(
        json!(read.each("link")),
        json!(["https://a.example/1", "https://a.example/2", null, null, "https://a.example/5"])
    );
    assert_eq!(read.each("guid")[3], "4");
}

#[test]
fn tags_that_were_not_escaped_are_tags_of_the_text() {
    let description = "Text <b>bold</b> &amp; more<br/>and <p>on</p>";
    let read = read(rss(&format!(
        "<item><title>one</title><description>{description}</description></item>"
    )));
    assert_eq!(read.items, json!([{"title": "one", "summary": "Text bold & more\nand\non"}]));
}

#[test]
fn lines_of_text_in_json_stay_lines() {
    let feed = json!({"version": "https://jsonfeed.org/version/1.1", "items": [
        {"id": "1", "content_text": "One.\n\nTwo & <three>.\n- a\n- b"},
    ]});
    let read = read(feed.to_string());
    let item = &read.items[0];
    assert_eq!(item["summary"], "One.\nTwo & <three>.\n- a\n- b");
    assert_eq!(item["content_html"], "One.<br>\n<br>\nTwo &amp; &lt;three>.<br>\n- a<br>\n- b");
}
