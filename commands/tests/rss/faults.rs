//! REQ-0024-004: feeds as they are found in the field, and what is said of their damage. Each of
//! these loses items, dates or all of the feed with the parser alone.

use serde_json::{Value, json};

use super::{BY_URL, RSS, read, read_as, rss};
use crate::world::World;

const ONE: &str = "<item><title>one</title><link>https://a.example/1</link></item>";

#[test]
fn a_late_declaration_is_no_fault() {
    let feed = rss(ONE);
    for before in ["\n", "\r\n \t", "<!-- made by hand -->\n", "\u{feff}\n"] {
        let body = format!("{before}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{feed}");
        read(body).mended(&[]).titled(&["one"]);
    }
    read(format!("<?xml version=\"1.0\"?><?xml version=\"1.0\"?>{feed}")).titled(&["one"]);
}

#[test]
fn what_a_server_says_before_the_feed_is_dropped() {
    for before in [
        "Warning: something is deprecated on line 7\n",
        "<br />\n<b>Notice</b>: it is late in <b>/srv/x.php</b><br />\n",
        "0\r\n",
    ] {
        let body = format!("{before}<?xml version=\"1.0\"?>{}", rss(ONE));
        read(body).mended(&["BytesBeforeProlog"]).titled(&["one"]);
    }
}

#[test]
fn bare_ampersands_are_text() {
    let items = "<item><title>R&B, AT&T & co.</title><link>https://a.example/?a=1&b=2</link></item>\
        <item><title>two</title><enclosure url='https://a.example/?a=1&b=2' type='a/b' length='1'/></item>";
    let read = read(rss(items)).mended(&["BareAmpersands"]).titled(&["R&B, AT&T & co.", "two"]);
    assert_eq!(read.items[0]["link"], "https://a.example/?a=1&b=2");
    assert_eq!(read.items[1]["enclosures"][0]["url"], "https://a.example/?a=1&b=2");
    assert_eq!(read.run.fields_of("warnings"), ["code", "message"]);
}

#[test]
fn entities_of_html_are_characters() {
    let items = "<item><title>Caf&eacute;&nbsp;&ndash; &copy; &euro;1</title></item>\
        <item><title>&nobody; knows</title></item>";
    read(rss(items)).mended(&["UndeclaredEntities"]).titled(&["Café – © €1", "&nobody; knows"]);
}

#[test]
fn control_characters_are_taken_out() {
    let items = "<item><title>a\u{0}b\u{8}c\u{1f}&#1;&#x1F;d\u{fffe}</title></item>\
        <item><title>It&#146;s</title></item>";
    read(rss(items)).mended(&["ControlCharacters"]).titled(&["abc d", "It’s"]);
}

#[test]
fn titles_are_plain_text_however_often_they_were_escaped() {
    for (title, text) in [
        ("Bread &amp; butter", "Bread & butter"),
        ("Bread &amp;amp; butter", "Bread & butter"),
        ("Caf&amp;eacute;", "Café"),
        ("It&amp;#8217;s", "It’s"),
        ("It&amp;amp;#8217;s", "It’s"),
        ("&lt;b&gt;Bold&lt;/b&gt; &lt;em&gt;news&lt;/em&gt;", "Bold news"),
        ("&amp;lt;b&amp;gt;Bold&amp;lt;/b&amp;gt;", "Bold"),
        ("<![CDATA[<i>One</i> &amp; two]]>", "One & two"),
        ("<![CDATA[]]>x", "x"),
        ("<b>Bold</b> news", "Bold news"),
        ("News <b>in bold</b>, and on", "News in bold, and on"),
        ("a &lt; b", "a < b"),
        ("if a &amp;lt; b", "if a < b"),
        ("\n  two\n\tlines  ", "two lines"),
    ] {
        let read = read(rss(&format!("<item><title>{title}</title></item>")));
        assert_eq!(read.each("title"), [text], "{title}");
    }
}

#[test]
fn without_a_guid_there_is_none_and_the_same_bytes_give_the_same_file() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>one</title></entry></feed>";
    let rdf = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
        xmlns='http://purl.org/rss/1.0/'><channel><title>t</title></channel>\
        <item><title>one</title><link>https://a.example/1</link></item></rdf:RDF>";
    for body in [rss(ONE), atom.to_owned(), rdf.to_owned()] {
        let first = read(body.as_str()).titled(&["one"]);
        assert_eq!(first.each("guid"), [Value::Null], "{body}");
        let second = read(body.as_str());
        assert_eq!(first.items, second.items);
        assert_eq!(first.run.result, second.run.result);
        assert_eq!(first.run.envelope.artifacts, second.run.envelope.artifacts);
    }
}

#[track_caller]
fn check_dates(dates: &[(&str, &str)], warnings: &[&str]) {
    let items: String = dates
        .iter()
        .map(|(date, _)| format!("<item><title>x</title><pubDate>{date}</pubDate></item>"))
        .collect();
    let read = read(rss(&items)).mended(warnings);
    let published: Vec<_> = dates.iter().map(|(_, published)| json!(published)).collect();
    assert_eq!(read.each("published_at"), published);
    let shown = read.run.result["items"].as_array().unwrap().iter();
    assert_eq!(shown.map(|item| item["published_at"].clone()).collect::<Vec<_>>(), published);
}

#[test]
fn dates_are_read_with_their_usual_damage() {
    check_dates(
        &[
            ("Tue, 14 Nov 2023 22:13:20 +0000", "2023-11-14T22:13:20Z"),
            ("Tue, 14 Nov 23 22:13:20 GMT", "2023-11-14T22:13:20Z"),
            ("Mon, 14 Nov 2023 22:13 GMT", "2023-11-14T22:13:00Z"),
            ("Thurs, 14 Sept 2023 22:13:20 EST", "2023-09-15T03:13:20Z"),
            ("Di, 14 Dez 2023 22:13:20 +0100", "2023-12-14T21:13:20Z"),
            ("mar., 14 févr. 2023 22:13:20 +0100", "2023-02-14T21:13:20Z"),
            ("2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"),
            ("2023-11-14 22:13:20 +0800", "2023-11-14T14:13:20Z"),
            ("  2023-11-14   22:13:20   +0800 ", "2023-11-14T14:13:20Z"),
        ],
        &[],
    );
}

#[test]
fn a_zone_that_is_assumed_is_said() {
    check_dates(
        &[
            ("Tue, 14 Nov 2023 22:13:20", "2023-11-14T22:13:20Z"),
            ("2023-11-14 22:13:20", "2023-11-14T22:13:20Z"),
            ("2023/1/4", "2023-01-04T00:00:00Z"),
            ("2023年11月14日", "2023-11-14T00:00:00Z"),
            ("Tue Nov 14 22:13:20 2023", "2023-11-14T22:13:20Z"),
            ("14 November 2023 10:13 pm", "2023-11-14T22:13:00Z"),
        ],
        &["AssumedZone"],
    );
}

#[test]
fn a_date_that_is_not_sure_is_given_as_it_stands() {
    check_dates(
        &[
            ("03/04/2023", "03/04/2023"),
            ("last week", "last week"),
            ("Tue, 31 Feb 2023 10:00:00 GMT", "Tue, 31 Feb 2023 10:00:00 GMT"),
            ("{{ date }}", "{{ date }}"),
        ],
        &[],
    );
}

#[test]
fn an_unknown_type_of_content_costs_no_entry() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title>\
        <entry><title type='weird/type'>one</title><id>1</id><content type='x-custom; a=b'>Text</content></entry>\
        <entry><title>two</title><id>2</id><content type=''>Text</content></entry>\
        <entry><title>three</title><id>3</id><content type='image/png'>AAAA</content></entry></feed>";
    read(atom).titled(&["one", "two", "three"]);
    // That of the answer tells nothing either.
    for content_type in ["text/plain", "application/octet-stream", "x", "", "text/html"] {
        read_as(content_type, rss(ONE)).mended(&[]).titled(&["one"]);
    }
}

#[test]
fn tags_that_are_never_closed_cost_no_item() {
    for items in [
        "<item><title>one<link>https://a.example/1</link></item><item><title>two</title></item>",
        "<item><title>one</title><description>text</item><item><title>two</title></item>",
        "<item><title>one</title><x><y></x></item><item><title>two</title></item>",
        "<item><title>one</title><item><title>two</title></item>",
        "<item><title>one</title></z></item><item><title>two</title></item>",
    ] {
        read(rss(items)).mended(&["UnclosedElements"]).titled(&["one", "two"]);
    }
}

#[test]
fn tags_that_are_no_xml_are_mended() {
    let items = "<item x><title>one</title><link>https://a.example/1</link><enclosure url=https://a.example/1.mp3 \
        type=audio/mpeg length=7></enclosure></item><item><title>1 < 2</title></item>";
    let read = read(rss(items)).mended(&["BrokenTags"]).titled(&["one", "1 < 2"]);
    assert_eq!(
        read.items[0]["enclosures"],
        json!([{"url": "https://a.example/1.mp3", "mime": "audio/mpeg", "bytes": 7}])
    );
}

#[test]
fn a_cut_feed_gives_what_comes_before_the_cut() {
    let cut_in = |feed: &'static str, place: &str| feed.split_at(feed.find(place).unwrap()).0;
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title>\
        <entry><title>one</title><id>1</id></entry><entry><title>two</title><id>2</id></entry></feed>";
    let json = r#"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":"one"},{"id":"2","title":"two"}]}"#;
    for (body, titles) in [
        (cut_in(RSS, "<enclosure"), &["Bread & butter"][..]),
        (cut_in(RSS, "ure url"), &["Bread & butter"]),
        (cut_in(RSS, "  </channel>"), &["Bread & butter", "Milk"]),
        (cut_in(RSS, "nnel>\n</rss>"), &["Bread & butter", "Milk"]),
        (cut_in(atom, "</entry></feed>"), &["one", "two"]),
        (cut_in(atom, "</feed>"), &["one", "two"]),
        (cut_in(json, ",{\"id\":\"2\""), &["one"]),
        (cut_in(json, "title\":\"two"), &["one"]),
        (cut_in(json, "]}"), &["one", "two"]),
    ] {
        let read = read(body).mended(&["Partial"]).titled(titles);
        let run = &read.run;
        assert_eq!(run.result["partial"], true, "{body}");
        let last = ["items", "not_modified", "partial", "out", "warnings"].map(str::to_owned);
        assert!(run.fields().ends_with(&last), "{:?}", run.fields());
        assert!(run.envelope.stdout.contains("the feed ends in the middle"), "{body}");
    }
}

#[test]
fn a_feed_that_is_whole_is_not_partial() {
    for body in [RSS.to_owned(), rss(""), format!("{RSS}\n<!-- 0.1 s -->\n"), format!("{RSS}junk")]
    {
        let world = World::new();
        world.serves(body.as_str());
        let run = world.exec(BY_URL).ok();
        assert_eq!(run.result["partial"], Value::Null, "{body}");
    }
}

#[test]
fn a_feed_cut_in_its_first_item_still_has_its_title() {
    let body = "<rss version='2.0'><channel><title>t</title><item><title>one</title><descr";
    let read = read(body).mended(&["Partial"]).titled(&["one"]);
    assert_eq!(read.run.result["title"], "t");
}

#[test]
fn each_kind_of_fault_is_told_once() {
    let body = "oops <?xml version=\"1.0\"?><rss><channel><title>Rock & roll & R&B</title>\
         <item><title>R&nbsp;&amp;&eacute; \u{8}\u{8}B</title><pubDate>14 Nov 2023 22:13</pubDate></item>\
         <item><title>two</title><pubDate>14 Nov 2023 22:14</pubDate></item>";
    read(body)
        .mended(&[
            "BytesBeforeProlog",
            "ControlCharacters",
            "BareAmpersands",
            "UndeclaredEntities",
            "AssumedZone",
            "Partial",
        ])
        .titled(&["R &é B", "two"]);
}

#[test]
fn names_that_make_the_parser_panic_are_read() {
    for author in ["()", "a (", ")(", "@", "<>", "a@b.example ()", "(x)"] {
        let items = format!(
            "<item><title>one</title><author>{}</author></item>",
            author.replace('<', "&lt;")
        );
        read(rss(&items)).titled(&["one"]);
    }
}

#[test]
fn items_outside_of_the_channel_are_found() {
    let body = "<rss version='2.0'><channel><title>t</title></channel>\
        <item><title>one</title></item><item><title>two</title></item></rss>";
    read(body).titled(&["one", "two"]);
}

#[test]
fn names_in_lower_case_and_modules_without_a_declaration_are_read() {
    let items = "<item><title>one</title><pubdate>Tue, 14 Nov 2023 22:13:20 GMT</pubdate></item>\
        <item><title>two</title><content:encoded>&lt;p&gt;Long&lt;/p&gt;</content:encoded>\
        <dc:creator>A. Writer</dc:creator><dc:date>2023-11-14T22:13:20Z</dc:date></item>\
        <item><title>three</title><media:content url='https://a.example/3.jpg' type='image/jpeg'/></item>";
    let read = read(rss(items)).mended(&[]);
    assert_eq!(
        read.items,
        json!([
            {"title": "one", "published_at": "2023-11-14T22:13:20Z"},
            {
                "title": "two",
                "author": "A. Writer",
                "published_at": "2023-11-14T22:13:20Z",
                "summary": "Long",
                "content_html": "<p>Long</p>",
            },
            {
                "title": "three",
                "enclosures": [{"url": "https://a.example/3.jpg", "mime": "image/jpeg"}],
            },
        ])
    );
}

#[test]
fn tags_in_upper_case_and_namespaces_of_any_kind_are_read() {
    for body in [
        "<RSS VERSION='2.0'><CHANNEL><ITEM><TITLE>one</TITLE><LINK>/1</LINK></ITEM></CHANNEL></RSS>",
        "<rss version='2.0' xmlns='http://example.org/x'><channel><item><title>one</title>\
         <link>/1</link></item></channel></rss>",
        "<feed><entry><title>one</title><link href='/1'/></entry></feed>",
        "<feed xmlns='https://www.w3.org/2005/Atom'><entry><title>one</title><link href='/1'/></entry></feed>",
        "<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'><atom:entry><atom:title>one</atom:title>\
         <atom:link href='/1'/></atom:entry></atom:feed>",
        "<entry xmlns='http://www.w3.org/2005/Atom'><title>one</title><link href='/1'/></entry>",
        "<channel><item><title>one</title><link>/1</link></item></channel>",
    ] {
        let read = read(body).mended(&[]).titled(&["one"]);
        assert_eq!(read.each("link"), ["https://feeds.example/1"], "{body}");
    }
}

#[test]
fn a_link_of_atom_is_one_in_rss() {
    let items = "<item xmlns:atom='http://www.w3.org/2005/Atom'><title>1</title><link/>\
        <atom:link rel='self' href='/self'/><atom:link href='/1'/></item>\
        <item><title>2</title><link href='/2'/></item>";
    let read = read(rss(items));
    assert_eq!(read.each("link"), ["https://feeds.example/1", "https://feeds.example/2"]);
}

#[test]
fn authors_are_their_names() {
    for (author, name) in [
        ("a@b.example (A. Writer)", "A. Writer"),
        ("A. Writer &lt;a@b.example&gt;", "A. Writer"),
        ("A. Writer", "A. Writer"),
        ("a@b.example", "a@b.example"),
        ("a@b.example (新闻)", "新闻"),
    ] {
        let read = read(rss(&format!("<item><title>x</title><author>{author}</author></item>")));
        assert_eq!(read.each("author"), [name], "{author}");
    }
}

#[test]
fn what_follows_a_feed_is_none_of_it() {
    let json = r#"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":"one"}]}"#;
    for after in ["\n", "\0", "\n<!-- 0.1 s -->", "junk {\"items\": []}"] {
        read(format!("{json}{after}")).titled(&["one"]);
        read(format!("{}{after}", rss(ONE))).titled(&["one"]);
    }
}
