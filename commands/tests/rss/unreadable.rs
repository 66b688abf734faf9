//! REQ-0024-004 and -013: bodies that are no feed, and feeds of which nothing can be read.

use serde_json::json;

use super::{BY_NAME, BY_URL, OUT, RSS, rss};
use crate::world::{START_MS, World};

#[test]
fn what_is_no_feed_is_told_and_never_an_empty_feed() {
    for (body, part) in [
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ("no feed", "the answer is text without markup"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "its root `<svg>` is that of no feed"),
        ("<opml version='2.0'><body/></opml>", "its root `<opml>` is that of no feed"),
        ("{}", "it has no `items` with a link or text"),
        ("{\"error\": \"no such feed\"}", "it has no `items` with a link or text"),
        ("{\"items\": []}", "it has no `items` with a link or text"),
        ("{\"items\": [{\"id\": 7}, {\"name\": \"x\"}]}", "it has no `items` with a link or text"),
        ("{\"items\": 7}", "the answer is JSON, but no JSON Feed"),
        ("{\"items\" 7}", "the JSON is malformed: expected `:` (line 1, column 10)"),
        ("[1]", "the answer is a list in JSON, and no feed"),
        ("<rss", ""),
        ("\u{1}\u{2}", ""),
        ("%PDF-1.7", "the answer is text without markup"),
    ] {
        let world = World::subscribed();
        world.service.answers(200, &[], body);
        let run = world
            .exec(BY_NAME)
            .fails("ParseError", &["`feeds.example` sent no feed that can be read: ", part]);
        assert_eq!(run.result["discovered"], json!(null), "{body}");
        assert_eq!(
            world.state(),
            json!({"name": "news", "last_fetch_ms": START_MS, "last_status": 200}),
            "{body}"
        );
    }
}

#[test]
fn a_parse_error_has_its_place_where_that_is_known() {
    let world = World::new();
    world.serves("{\"items\": [\n  {\"id\": \"1\"},\n  {\"id\" 2}\n]}");
    let run = world.exec(BY_URL).fails("ParseError", &["(line 3, column 9)"]);
    assert_eq!(run.fields()[2..], ["error_code", "error_message", "line", "column"]);
    assert_eq!((&run.result["line"], &run.result["column"]), (&json!(3), &json!(9)));
    // A line break in a name is before the first character of its line.
    world.serves("{\"items\n\": []}");
    world.exec(BY_URL).fails("ParseError", &["(line 2, column 1)"]);
}

#[test]
fn a_page_names_its_feeds() {
    let page = r#"<!DOCTYPE html>
<html><head><title>No feed: <link rel="alternate" type="application/rss+xml" href="/title"></title>
<!-- <link rel="alternate" type="application/rss+xml" href="/comment"> -->
<base href="/blog/">
<link rel="stylesheet" type="text/css" href="/style.css">
<link rel="alternate" hreflang="de" href="/de">
<LINK REL='Alternate home' TYPE='application/rss+xml; charset=utf-8' TITLE=' The  &quot;News&quot; ' HREF='../feed?a=1&amp;b=2'>
<link rel=alternate type=application/atom+xml href=//other.example/atom>
<link rel="alternate" type="application/feed+json" href="feed.json"/>
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">
<link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2">
</head><body></body></html>"#;
    let world = World::subscribed();
    world.service.answers(200, &[("content-type", "text/html"), ("etag", "\"1\"")], page);
    let run = world.exec(&format!("{BY_NAME} --out {OUT}")).fails(
        "ParseError",
        &[
            "the answer is an HTML page, and no feed",
            "the page names a feed: `rss fetch --url 'https://feeds.example/feed?a=1&b=2'`",
        ],
    );
    assert_eq!(run.fields()[2..], ["error_code", "error_message", "discovered"]);
    assert_eq!(
        run.result["discovered"],
        json!([
            {
                "url": "https://feeds.example/feed?a=1&b=2",
                "mime": "application/rss+xml; charset=utf-8",
                "title": "The \"News\"",
            },
            {"url": "https://other.example/atom", "mime": "application/atom+xml"},
            {"url": "https://feeds.example/blog/feed.json", "mime": "application/feed+json"},
        ])
    );
    assert_eq!(world.read(OUT), None);
    assert_eq!(world.state()["etag"], json!(null));
}

#[test]
fn a_discovered_feed_is_fetched_by_the_line_of_the_hint() {
    let world = World::new();
    world.serves("<!doctype html><link rel=alternate type=application/rss+xml href='/a b?c&d'>");
    let hint = world.exec(BY_URL).fails("ParseError", &[]).envelope.hint.unwrap();
    let line = hint.split('`').nth(1).unwrap();
    world.serves(RSS);
    world.exec(line).ok();
    assert_eq!(
        world.service.asked().last().map(String::as_str),
        Some("GET https://feeds.example/a%20b?c&d")
    );
}

#[test]
fn links_of_a_page_are_relative_to_where_it_was() {
    let world = World::new();
    world.service.answers(302, &[("location", "https://other.example/deep/page")], "");
    world.serves("<html><link rel='alternate' type='text/xml' href='feed.xml'></html>");
    let run = world.exec(BY_URL).fails("ParseError", &["`other.example`"]);
    assert_eq!(run.result["discovered"][0]["url"], "https://other.example/deep/feed.xml");
}

#[test]
fn a_page_without_its_root_is_one() {
    let world = World::new();
    world.serves("<head><title>a</title><link rel=alternate type=application/rss+xml href=b>");
    let run = world.exec(BY_URL).fails("ParseError", &["an HTML page"]);
    assert_eq!(run.result["discovered"][0]["url"], "https://feeds.example/b");
}

#[test]
fn an_interface_in_json_is_no_feed_of_a_page() {
    let world = World::new();
    world.serves(
        "<html><link rel=alternate type=application/json href=/wp-json/wp/v2/posts/1>\
         <link rel=alternate type=application/json href=/feed.json></html>",
    );
    let run = world.exec(BY_URL).fails("ParseError", &[]);
    assert_eq!(run.result["discovered"].as_array().unwrap().len(), 1);
    assert_eq!(run.result["discovered"][0]["url"], "https://feeds.example/feed.json");
}

#[test]
fn a_page_without_feeds_names_none() {
    for page in ["<!doctype html><p>Nothing here", "<html><body><rss></rss></body></html>"] {
        let world = World::new();
        // What a server calls it does not make it a feed.
        world.serves(page);
        let run = world.exec(BY_URL).fails("ParseError", &["an HTML page", "with a browser"]);
        assert_eq!(run.result["discovered"], json!(null), "{page}");
    }
}

#[test]
fn entities_made_of_entities_are_refused() {
    let laughs: String = (1..10)
        .map(|depth| format!("<!ENTITY l{depth} \"{}\">", format!("&l{};", depth - 1).repeat(10)))
        .collect();
    let feed = rss("<item><title>&l9;</title><link>https://a.example/</link></item>");
    let body = format!("<!DOCTYPE rss [<!ENTITY l0 \"ha\">{laughs}]>{feed}");
    let world = World::new();
    world.serves(body);
    let why = "entity `&l9;` is made of other entities";
    let run = world.exec(BY_URL).fails("ParseError", &[why]);
    assert!(run.envelope.to_json().len() < 2000, "{run:?}");
}

#[test]
fn no_file_and_no_address_is_read_for_an_entity() {
    let feed = rss("<item><title>a&secret;b</title></item>");
    for entity in ["SYSTEM \"file:///etc/passwd\"", "PUBLIC \"-//X\" \"http://127.0.0.1/\""] {
        let world = World::new();
        world.serves(format!("<!DOCTYPE rss [<!ENTITY secret {entity}>]>{feed}"));
        let run = world.exec(BY_URL).ok();
        assert_eq!(run.result["items"][0]["title"], "a&secret;b");
        assert_eq!(run.warnings(), ["UndeclaredEntities"]);
        assert_eq!(world.service.asked().len(), 1);
    }
}

#[test]
fn a_feed_that_goes_deep_ends_no_run() {
    let deep = |tag: &str| format!("<{tag}>").repeat(100_000);
    for body in [
        rss(&format!("<item><title>one</title><description>{}</description></item>", deep("b"))),
        rss(&format!("<item><title>one</title></item>{}", deep("x"))),
        format!("{{\"items\":[{{\"id\":\"1\",\"x\":{}", "[".repeat(200_000)),
        deep("rss"),
        deep("item"),
    ] {
        let world = World::new();
        world.serves(body);
        let run = world.exec(BY_URL);
        assert!(matches!(run.envelope.error_code.as_deref(), None | Some("ParseError")), "{run:?}");
    }
}
