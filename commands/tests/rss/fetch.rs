//! REQ-0024-004 and -005: what is asked for, and what the answer shows.

use serde_json::{Value, json};

use super::{BY_NAME, BY_URL, OUT, RSS, STATES, URL, read, rss};
use crate::world::World;

#[test]
fn a_subscription_is_fetched_by_its_name() {
    let world = World::subscribed();
    world.serves(RSS);
    let run = world.exec(BY_NAME).ok();
    assert_eq!(
        run.fields(),
        [
            "ok",
            "command",
            "name",
            "url",
            "title",
            "format",
            "count_total",
            "count_emitted",
            "items",
            "not_modified",
            "warnings",
        ]
    );
    assert_eq!(
        run.result,
        json!({
            "ok": true,
            "command": "rss fetch",
            "name": "news",
            "url": URL,
            "title": "The Daily Example",
            "format": "rss",
            "count_total": 2,
            "count_emitted": 2,
            "items": [
                {
                    "title": "Bread & butter",
                    "published_at": "2023-11-14T20:13:20Z",
                    "link": "https://feeds.example/1",
                },
                {"title": "Milk", "link": "https://feeds.example/2"},
            ],
            "not_modified": false,
            "warnings": [],
        })
    );
    assert_eq!(
        run.envelope.stdout,
        "\
The Daily Example
  2023-11-14 20:13  Bread & butter
                    https://feeds.example/1
                    Milk
                    https://feeds.example/2
2 items
"
    );
    assert_eq!(run.envelope.stderr, "");
    assert_eq!(run.envelope.artifacts.len(), 0);
}

#[test]
fn the_request_is_a_get_that_asks_for_feeds_first() {
    let world = World::new();
    world.serves(RSS);
    world.exec(BY_URL).ok();
    let requests = world.service.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((&*request.method, &*request.url), ("GET", URL));
    let names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["accept"]);
    assert!(request.headers[0].1.starts_with("application/rss+xml, "), "{:?}", request.headers);
    assert!(request.headers[0].1.ends_with(", */*;q=0.1"), "{:?}", request.headers);
    assert_eq!(request.max_body_bytes, 2 << 20);
    assert_eq!(request.timeout_ms, 15_000);
}

#[test]
fn a_feed_is_fetched_by_its_url_and_nothing_is_remembered() {
    let world = World::new();
    for _ in 0..2 {
        let headers = [("etag", "\"1\""), ("last-modified", "Tue, 14 Nov 2023 00:00:00 GMT")];
        world.service.answers(200, &headers, RSS);
        let run = world.exec(BY_URL).ok();
        assert_eq!(run.fields()[..4], ["ok", "command", "url", "title"]);
        assert_eq!(run.result["url"], URL);
        let [request] = &*world.service.requests() else { panic!("one request") };
        assert_eq!(request.headers.len(), 1, "{:?}", request.headers);
    }
    assert!(world.workspace.files().is_empty());
}

#[test]
fn a_fetch_by_the_url_of_a_subscription_keeps_no_state_either() {
    let world = World::subscribed();
    world.service.answers(429, &[("retry-after", "60")], "");
    world.exec(BY_URL).fails("RateLimited", &[]);
    world.serves(RSS);
    world.exec(BY_URL).ok();
    assert_eq!(world.read(STATES), None);
}

#[test]
fn a_fetch_is_by_a_name_or_a_url_and_not_by_both() {
    let world = World::subscribed();
    for (line, part) in [
        ("rss fetch", "`--name <NAME>` or `--url <URL>` is required"),
        ("rss fetch --max-items 3", "is required"),
        ("rss fetch --name news --url https://a.example/", "cannot be used with"),
        ("rss fetch --url https://a.example/ --name news", "cannot be used with"),
        ("rss fetch --name news --name news", "more than once"),
        ("rss fetch news", "`news` is not an argument"),
    ] {
        world.exec(line).fails("InvalidArgs", &[part]);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn a_name_without_a_subscription_is_not_found() {
    let world = World::subscribed();
    let before = world.workspace.files();
    let run = world
        .exec("rss fetch --name nobody")
        .fails("NotFound", &["no subscription is named `nobody`", "`rss list`", "`rss add`"]);
    assert_eq!(run.result["name"], "nobody");
    assert!(world.service.asked().is_empty());
    assert_eq!(world.workspace.files(), before);
}

/// So many items, titled by their numbers.
fn numbered(count: usize) -> String {
    let items = (0..count).map(|number| format!("<item><title>{number}</title></item>"));
    rss(&items.collect::<String>())
}

#[test]
fn so_many_items_are_shown_and_all_are_counted() {
    for (arguments, emitted) in
        [("", 20), (" --max-items 1", 1), (" --max-items 500", 500), (" --max-items=21", 21)]
    {
        let world = World::new();
        world.serves(numbered(501));
        let run = world.exec(&format!("{BY_URL}{arguments}")).ok();
        assert_eq!(run.result["count_total"], 501, "{arguments}");
        assert_eq!(run.result["count_emitted"], emitted, "{arguments}");
        let items = run.result["items"].as_array().unwrap();
        assert_eq!(items.len(), emitted, "{arguments}");
        assert_eq!(items[emitted - 1]["title"], (emitted - 1).to_string(), "in the feed's order");
        assert!(run.envelope.stdout.contains(&format!("{emitted} of 501 items")), "{arguments}");
    }
    let world = World::new();
    for count in ["0", "501", "-1", "all", "1.5"] {
        world
            .exec(&format!("{BY_URL} --max-items {count}"))
            .fails("InvalidArgs", &["--max-items", &format!("`{count}`")]);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn a_feed_without_items_is_one() {
    for (body, format) in [
        (rss(""), "rss"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title></feed>".to_owned(), "atom"),
        (
            r#"{"version":"https://jsonfeed.org/version/1.1","title":"News","items":[]}"#
                .to_owned(),
            "json",
        ),
    ] {
        let run = read(body).mended(&[]).run;
        assert_eq!(run.result["format"], format);
        assert_eq!(run.result["title"], "News");
        assert_eq!(run.result["items"], json!([]));
        assert!(run.envelope.stdout.starts_with("News\n0 items;"), "{}", run.envelope.stdout);
    }
}

#[test]
fn fields_that_a_feed_does_not_have_are_left_out() {
    let read = read(
        "<rss version='2.0'><channel><item><guid isPermaLink='false'>1</guid></item></channel></rss>",
    );
    assert_eq!(read.run.fields()[3], "format", "no title");
    assert_eq!(read.run.result["items"], json!([{}]));
    assert_eq!(read.items, json!([{"guid": "1"}]));
    assert!(read.run.envelope.stdout.contains("(no title)"));
}

#[test]
fn help_tells_of_every_flag_and_of_what_an_answer_may_hold() {
    let run = World::new().exec("rss fetch --help").ok();
    for part in [
        "--name <NAME>",
        "--url <URL>",
        "--max-items <K>",
        "--out <PATH>",
        "--raw-out <PATH>",
        "--overwrite",
        "--force",
        "`not_modified: true`",
        "`partial: true`",
        "`RateLimited`",
        "`discovered`",
        "`moved_to`",
    ] {
        assert!(run.envelope.stdout.contains(part), "no `{part}` in {}", run.envelope.stdout);
    }
}

/// REQ-0024-010 and -013.
#[test]
fn the_group_is_registered_with_the_codes_of_its_commands() {
    let world = World::new();
    let run = world.exec("rss").ok();
    assert_eq!(run.result["subcommands"], json!(["add", "fetch", "list", "remove"]));
    for (path, expected) in [
        ("rss add", &["StateCorrupt"][..]),
        ("rss list", &["StateCorrupt"]),
        ("rss remove", &["NotFound", "StateCorrupt"]),
        (
            "rss fetch",
            &["NotFound", "NetworkError", "HttpError", "RateLimited", "ParseError", "StateCorrupt"],
        ),
    ] {
        let spec = world.terminal.registry().specs().find(|spec| spec.path == path).unwrap();
        let codes: Vec<_> = spec.error_codes.iter().map(|code| code.name()).collect();
        assert_eq!(codes, expected, "{path}");
    }
}

/// REQ-0024-012.
#[test]
fn what_is_large_is_in_files_alone() {
    let text = "Lorem ipsum dolor. ".repeat(50_000);
    let world = World::new();
    world.serves(rss(&format!("<item><title>one</title><description>{text}</description></item>")));
    let run = world.exec(&format!("{BY_URL} --out {OUT}")).ok();
    assert!(run.envelope.to_json().len() < 2_000);
    assert!(world.read(OUT).unwrap().len() > 900_000);
}

#[test]
fn the_same_bytes_give_the_same_output() {
    let body = RSS.replace("<guid isPermaLink=\"false\">tag:feeds.example,2023:1</guid>", "");
    let outputs: Vec<Value> = (0..3).map(|_| read(body.as_str()).items).collect();
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    assert_eq!(outputs[0][0]["guid"], Value::Null);
    assert_eq!(outputs[0][1]["guid"], Value::Null);
}
