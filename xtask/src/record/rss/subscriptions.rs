//! Adding, listing and removing.

use super::{STATES, SUBSCRIBED, SUBSCRIPTIONS, scenario};
use crate::record::scenario::Scenario;

const WAPO: &str = "https://www.washingtonpost.com/arcio/rss/category/politics/";
const WAPO_SUBSCRIBED: &str = r#"[{"name": "wapo-politics", "url": "https://www.washingtonpost.com/arcio/rss/category/politics/", "created_at_ms": 1790000000000, "updated_at_ms": 1790000000000}]"#;
const VALIDATORS: &str =
    r#"[{"name": "news", "etag": "\"1\"", "last_fetch_ms": 1790000000000, "last_status": 200}]"#;

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        scenario("add", "a first subscription")
            .line(format!("rss add --name wapo-politics --url {WAPO}"))
            .shows("/result/created", true),
        scenario("add-quoted-url", "a URL with an ampersand is quoted")
            .line(r#"rss add --name releases --url "https://example.com/feed?tag=release&lang=en""#)
            .shows("/result/created", true),
        scenario("add-again", "the same URL once more keeps what is known of it")
            .line("rss add --name news --url https://feeds.example.org/news.xml")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .file(STATES, VALIDATORS)
            .shows("/result/created", false),
        scenario("add-another-url", "another URL forgets what is known of the first")
            .line("rss add --name news --url https://feeds.example.org/all.xml")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .file(STATES, VALIDATORS)
            .shows("/result/created", false),
        scenario("add-bad-name", "a name of other characters")
            .line("rss add --name News --url https://feeds.example.org/")
            .fails("InvalidArgs"),
        scenario("add-bad-scheme", "a URL that is no http")
            .line("rss add --name news --url ftp://feeds.example.org/")
            .fails("InvalidArgs"),
        scenario("add-credentials", "a URL with a password")
            .line("rss add --name news --url https://me:geheim42@feeds.example.org/")
            .fails("InvalidArgs"),
        scenario("add-corrupt-state", "a file that is no JSON is left as it is")
            .line("rss add --name news --url https://feeds.example.org/")
            .file(SUBSCRIPTIONS, "[{\"name\": \"old")
            .fails("StateCorrupt"),
        scenario("list", "subscriptions by name")
            .line("rss list --max 50")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .shows("/result/count_total", 1),
        scenario("list-empty", "no subscription yet")
            .line("rss list")
            .shows("/result/count_total", 0),
        scenario("list-out", "all subscriptions in a file")
            .line("rss list --out artifacts/rss/subscriptions.json")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .shows("/artifacts/0/path", ".agents/artifacts/rss/subscriptions.json"),
        scenario("list-out-exists", "a file that is there is not replaced unasked")
            .line("rss list --out artifacts/rss/subscriptions.json")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .file("artifacts/rss/subscriptions.json", "[]")
            .fails("OutExists"),
        scenario("list-out-overwrite", "a file is replaced once that is approved")
            .line("rss list --out artifacts/rss/subscriptions.json --overwrite")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .file("artifacts/rss/subscriptions.json", "[]")
            .yes(),
        scenario("remove", "a subscription and what is known of it")
            .line("rss remove --name wapo-politics")
            .file(SUBSCRIPTIONS, WAPO_SUBSCRIBED),
        scenario("remove-absent", "a name that nobody subscribed under")
            .line("rss remove --name nobody")
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .fails("NotFound"),
    ]
}
