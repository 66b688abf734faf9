//! REQ-0024-001, -002 and -003.

use std::sync::atomic::Ordering;

use serde_json::json;
use tapeline::Policy;

use super::{ADD, OUT, STATES, SUBSCRIPTIONS, URL};
use crate::world::{START_MS, World};

#[test]
fn a_first_add_makes_an_entry_and_no_request() {
    let world = World::new();
    let run = world.exec(ADD).ok();
    assert_eq!(run.fields(), ["ok", "command", "name", "url", "created"]);
    assert_eq!(
        run.result,
        json!({"ok": true, "command": "rss add", "name": "news", "url": URL, "created": true})
    );
    assert_eq!(run.envelope.stdout, format!("added news: {URL}\n"));
    assert_eq!(
        world.read(SUBSCRIPTIONS).unwrap(),
        format!(
            "[\n  {{\n    \"name\": \"news\",\n    \"url\": \"{URL}\",\n    \
             \"created_at_ms\": {START_MS},\n    \"updated_at_ms\": {START_MS}\n  }}\n]\n"
        )
    );
    assert!(world.service.asked().is_empty());
    assert_eq!(world.read(STATES), None);
}

#[test]
fn a_name_that_is_taken_gets_the_new_url_and_time() {
    let world = World::subscribed();
    world.set_now_ms(START_MS + 7);
    let run = world.exec("rss add --name news --url https://feeds.example/all.xml").ok();
    assert_eq!(run.result["created"], false);
    assert_eq!(run.envelope.stdout, "updated news: https://feeds.example/all.xml\n");
    let entry = json!([{
        "name": "news",
        "url": "https://feeds.example/all.xml",
        "created_at_ms": START_MS,
        "updated_at_ms": START_MS + 7,
    }]);
    assert_eq!(world.json(SUBSCRIPTIONS), entry);
}

/// What is known of `news` and `other`.
fn put_states(world: &World) {
    let states = json!([
        {"name": "news", "etag": "\"1\"", "last_fetch_ms": 1, "last_status": 200},
        {"name": "other", "last_modified": "then", "last_fetch_ms": 2, "last_status": 404},
    ]);
    world.put(STATES, states.to_string());
}

#[test]
fn only_another_url_drops_what_is_known_of_the_last_fetch() {
    for (url, is_kept) in [
        (URL, true),
        ("HTTPS://FEEDS.example:443/news.xml#top", true),
        ("http://feeds.example/news.xml", false),
        ("https://feeds.example/news.xml?all", false),
        ("https://feeds.example/News.xml", false),
    ] {
        let world = World::subscribed();
        put_states(&world);
        world.exec(&format!("rss add --name news --url '{url}'")).ok();
        let names: Vec<_> = world.json(STATES).as_array().unwrap().iter().map(name_of).collect();
        let expected: &[&str] = if is_kept { &["news", "other"] } else { &["other"] };
        assert_eq!(names, expected, "{url}");
        assert_eq!(world.json(SUBSCRIPTIONS)[0]["url"], url, "as it was given");
    }
}

fn name_of(entry: &serde_json::Value) -> String {
    entry["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_new_name_knows_nothing_of_an_old_fetch() {
    let world = World::new();
    put_states(&world);
    assert_eq!(world.exec(ADD).ok().result["created"], true);
    assert_eq!(world.state(), json!(null));
}

#[test]
fn an_entry_keeps_the_fields_of_a_later_version() {
    let world = World::new();
    let entry = json!([{
        "name": "news", "url": "https://a.example/", "created_at_ms": 1, "updated_at_ms": 2,
        "tags": ["x"],
    }]);
    world.put(SUBSCRIPTIONS, entry.to_string());
    world.exec(ADD).ok();
    assert_eq!(world.json(SUBSCRIPTIONS)[0]["tags"], json!(["x"]));
    assert_eq!(world.json(SUBSCRIPTIONS)[0]["created_at_ms"], 1);
}

#[test]
fn refuses_names_of_other_characters_or_lengths() {
    let world = World::subscribed();
    let before = world.read(SUBSCRIPTIONS);
    for (name, part) in [
        ("''", "--name"),
        (&*"n".repeat(65), "64 characters at most"),
        ("News", "`N` is not allowed in a name"),
        ("'a b'", "` ` is not allowed"),
        ("a_b", "`_` is not allowed"),
        ("../a", "`.` is not allowed"),
        ("新闻", "`新` is not allowed"),
    ] {
        for rest in ["add --url https://a.example/", "remove", "fetch"] {
            world
                .exec(&format!("rss {rest} --name {name}"))
                .fails("InvalidArgs", &["--name", part]);
        }
    }
    let longest = "n".repeat(64);
    world.exec(&format!("rss add --name {longest} --url https://a.example/")).ok();
    world.exec(&format!("rss remove --name {longest}")).ok();
    assert_eq!(world.read(SUBSCRIPTIONS), before);
}

#[test]
fn refuses_urls_that_are_never_fetched() {
    let world = World::new();
    for (url, parts) in [
        ("ftp://a.example/", &["`ftp` URLs cannot be fetched", "`https`"][..]),
        ("file:///etc/passwd", &["`file` URLs"]),
        ("feed:https://a.example/", &["`feed` URLs"]),
        ("javascript:alert(1)", &["`javascript` URLs"]),
        ("data:text/xml,x", &["`data` URLs"]),
        ("localhost:8080/feed", &["no whole URL"]),
        ("https:///feed", &["no host"]),
        ("https://user@a.example/", &["must not carry credentials", "`user:password@`"]),
        ("https://:geheim42@a.example/", &["must not carry credentials"]),
        ("https://", &["no host"]),
        ("a.example/feed", &["no whole URL"]),
        ("//a.example/feed", &["no whole URL"]),
        ("'http://[::1'", &["no URL"]),
        ("''", &["--url"]),
    ] {
        for rest in ["add --name news", "fetch"] {
            world
                .exec(&format!("rss {rest} --url {url}"))
                .fails("InvalidArgs", &[&["--url"], parts].concat());
        }
    }
    assert!(world.workspace.files().is_empty());
    assert!(world.service.asked().is_empty());
}

#[test]
fn add_and_remove_need_their_arguments() {
    let world = World::new();
    for (line, part) in [
        ("rss add --name news", "`--url <URL>` is required"),
        ("rss add --url https://a.example/", "`--name <NAME>` is required"),
        ("rss remove", "`--name <NAME>` is required"),
    ] {
        world.exec(line).fails("InvalidArgs", &[part]);
    }
}

#[test]
fn without_subscriptions_the_list_is_empty() {
    let run = World::new().exec("rss list").ok();
    assert_eq!(run.fields(), ["ok", "command", "count_total", "count_emitted", "items"]);
    assert_eq!(
        run.result,
        json!({"ok": true, "command": "rss list", "count_total": 0, "count_emitted": 0, "items": []})
    );
    assert_eq!(run.envelope.stdout, "no subscriptions; `rss add` makes one\n");
}

/// So many subscriptions, `feed-0` and so on.
fn with_subscriptions(count: usize) -> World {
    let world = World::new();
    let entries = (0..count).map(|number| {
        json!({
            "name": format!("feed-{number}"),
            "url": format!("https://a.example/{number}"),
            "created_at_ms": 1,
            "updated_at_ms": 2,
        })
    });
    world.put(SUBSCRIPTIONS, json!(entries.collect::<Vec<_>>()).to_string());
    world
}

#[test]
fn a_list_is_sorted_by_name() {
    let world = World::new();
    for name in ["b", "a-1", "10", "a", "9"] {
        world.exec(&format!("rss add --name {name} --url https://a.example/{name}")).ok();
    }
    let run = world.exec("rss list").ok();
    let names: Vec<_> = run.result["items"].as_array().unwrap().iter().map(name_of).collect();
    assert_eq!(names, ["10", "9", "a", "a-1", "b"]);

    let run = world.exec("rss list --max 1").ok();
    assert_eq!(run.fields_of("items"), ["name", "url", "updated_at_ms"]);
    assert_eq!(
        run.result["items"],
        json!([{"name": "10", "url": "https://a.example/10", "updated_at_ms": START_MS}])
    );
    assert_eq!(
        run.envelope.stdout,
        "  name  updated           url
  10    2023-11-14 22:13  https://a.example/10
1 of 5 subscriptions; `--out` writes all to a file
"
    );
}

#[test]
fn a_list_shows_fifty_unless_told_otherwise() {
    let world = with_subscriptions(501);
    for (line, emitted) in [("rss list", 50), ("rss list --max 1", 1), ("rss list --max 500", 500)]
    {
        let run = world.exec(line).ok();
        assert_eq!(run.result["count_total"], 501, "{line}");
        assert_eq!(run.result["count_emitted"], emitted, "{line}");
        assert_eq!(run.result["items"].as_array().unwrap().len(), emitted, "{line}");
    }
    for max in ["0", "501", "-1", "many", "99999999999"] {
        world
            .exec(&format!("rss list --max {max}"))
            .fails("InvalidArgs", &["--max", &format!("`{max}`")]);
    }
}

#[test]
fn list_out_writes_the_whole_array() {
    let world = with_subscriptions(3);
    let run = world.exec(&format!("rss list --max 1 --out {OUT}")).ok();
    assert_eq!(run.fields(), ["ok", "command", "count_total", "count_emitted", "items", "out"]);
    assert_eq!(run.result["out"], ".agents/artifacts/rss/items.json");
    assert_eq!(run.result["count_emitted"], 1);
    assert_eq!(world.json(OUT), world.json(SUBSCRIPTIONS));
    let artifact = &run.envelope.artifacts[0];
    assert_eq!(artifact.mime, "application/json");
    assert_eq!(artifact.description, "3 subscriptions");
    assert!(
        run.envelope
            .stdout
            .ends_with("1 of 3 subscriptions; all are in .agents/artifacts/rss/items.json\n")
    );
}

#[test]
fn list_out_replaces_a_file_only_with_a_yes() {
    let world = with_subscriptions(1);
    world.put(OUT, "old");
    world
        .exec(&format!("rss list --out {OUT}"))
        .fails("OutExists", &["`.agents/artifacts/rss/items.json` exists already", "--overwrite"]);
    let overwrite = format!("rss list --out {OUT} --overwrite");
    world.exec(&overwrite).fails("ApprovalDenied", &[]);
    assert_eq!(world.read(OUT).as_deref(), Some("old"));
    world.approver.approves.store(true, Ordering::SeqCst);
    world.exec(&overwrite).ok();
    assert_eq!(world.json(OUT), world.json(SUBSCRIPTIONS));
    assert_eq!(
        world.approver.asked.lock().unwrap().last().unwrap(),
        "overwrite `.agents/artifacts/rss/items.json`"
    );
    world.exec("rss list --overwrite").fails("InvalidArgs", &["`--out <PATH>` is required"]);
}

#[test]
fn remove_ends_a_subscription_and_what_is_known_of_it() {
    let world = World::subscribed();
    world.exec("rss add --name other --url https://a.example/").ok();
    put_states(&world);
    let run = world.exec("rss remove --name news").ok();
    assert_eq!(run.fields(), ["ok", "command", "name"]);
    assert_eq!(run.result, json!({"ok": true, "command": "rss remove", "name": "news"}));
    assert_eq!(run.envelope.stdout, "removed news\n");
    assert_eq!(world.json(SUBSCRIPTIONS).as_array().unwrap().len(), 1);
    assert_eq!(world.json(SUBSCRIPTIONS)[0]["name"], "other");
    assert_eq!(world.json(STATES).as_array().unwrap().len(), 1);
    assert_eq!(world.json(STATES)[0]["name"], "other");
    assert!(world.service.asked().is_empty());
}

#[test]
fn a_name_that_is_not_there_is_not_removed() {
    let world = World::subscribed();
    put_states(&world);
    let before = world.workspace.files();
    let run = world
        .exec("rss remove --name nobody")
        .fails("NotFound", &["no subscription is named `nobody`", "`rss list`"]);
    assert_eq!(run.result["name"], "nobody");
    assert_eq!(world.workspace.files(), before);
    World::new().exec("rss remove --name news").fails("NotFound", &["`news`"]);
}

#[test]
fn nothing_is_changed_without_leave_to_write() {
    let mut policy = Policy::default();
    policy.write_files = false;
    let world = World::with_policy(policy);
    world.exec(ADD).fails("CapabilityDenied", &[]);
    world.exec("rss remove --name news").fails("CapabilityDenied", &[]);
    world.exec("rss list").ok();
    assert!(world.workspace.files().is_empty());
}
