//! What servers answer besides a feed, and what is asked of them.

use tapeline_replay::loopback::Answer;

use super::{FETCH, PATH, RSS, STATES, SUBSCRIBED, SUBSCRIPTIONS, scenario};
use crate::record::scenario::Scenario;

const BY_NAME: &str = "rss fetch --name news";
const WAPO_HOST: &str = "www.washingtonpost.com";
const WAPO_PATH: &str = "/arcio/rss/category/politics/";
const WAPO_SUBSCRIBED: &str = r#"[{"name": "wapo-politics", "url": "https://www.washingtonpost.com/arcio/rss/category/politics/", "created_at_ms": 1790000000000, "updated_at_ms": 1790000000000}]"#;
const KNOWN: &str = r#"[{"name": "news", "etag": "W/\"7\"", "last_modified": "Mon, 02 Nov 2026 07:00:00 GMT", "last_fetch_ms": 1790000000000, "last_status": 200}]"#;
/// In the year 2100.
const PAUSED: &str = r#"[{"name": "news", "last_fetch_ms": 1790000000000, "last_status": 429, "not_before_ms": 4102444800000}]"#;

pub(super) fn scenarios() -> Vec<Scenario> {
    let subscribed =
        |case, title| scenario(case, title).line(BY_NAME).file(SUBSCRIPTIONS, SUBSCRIBED);
    let fetched = |case, title| scenario(case, title).line(FETCH);
    let feed = || Answer::ok("application/rss+xml", RSS);
    let wapo = |case, title, line: &str| {
        scenario(case, title)
            .host(WAPO_HOST)
            .line(line)
            .file(SUBSCRIPTIONS, WAPO_SUBSCRIBED)
            .serves(WAPO_PATH, feed())
    };
    vec![
        wapo("fetch-name", "a subscription", "rss fetch --name wapo-politics --max-items 20"),
        wapo("fetch-name-out", "all items of a subscription in a file", "rss fetch --name wapo-politics --max-items 100 --out artifacts/rss/wapo-politics-items.json"),
        scenario("fetch-url", "a feed without a subscription")
            .host(WAPO_HOST)
            .line("rss fetch --url https://www.washingtonpost.com/arcio/rss/category/politics/ --max-items 20")
            .serves(WAPO_PATH, feed()),
        subscribed("fetch-validators", "a first fetch keeps the validators")
            .serves(PATH, feed().header("etag", "\"8\"").header("last-modified", "Tue, 03 Nov 2026 08:00:00 GMT")),
        subscribed("fetch-not-modified", "what is known goes back as it came")
            .file(STATES, KNOWN)
            .serves(PATH, Answer::status(304).header("etag", "W/\"7\""))
            .shows("/result/not_modified", true)
            .shows("/result/count_total", 0),
        subscribed("fetch-force", "with `--force` nothing is said of what is known")
            .line("rss fetch --name news --force")
            .file(STATES, KNOWN)
            .serves(PATH, feed())
            .shows("/result/not_modified", false),
        subscribed("fetch-moved", "a feed that moved for good is told, the subscription left alone")
            .serves(PATH, Answer::redirect(301, "/new.xml"))
            .serves("/new.xml", feed())
            .shows("/result/moved_to", "https://feeds.example.org/new.xml"),
        fetched("fetch-moved-for-now", "a feed that moved for now is followed and no more")
            .serves(PATH, Answer::redirect(302, "/now.xml"))
            .serves("/now.xml", feed())
            .shows("/result/moved_to", serde_json::Value::Null),
        fetched("fetch-not-found", "no feed any more").serves(PATH, Answer::status(404)).fails("HttpError").shows("/result/status", 404),
        subscribed("fetch-gone", "a feed that is gone").serves(PATH, Answer::status(410)).fails("HttpError").shows("/result/status", 410),
        subscribed("fetch-limited-seconds", "a pause in seconds")
            .serves(PATH, Answer::status(429).header("retry-after", "120"))
            .fails("RateLimited")
            .shows("/result/retry_after_ms", 120_000),
        subscribed("fetch-limited-date", "a pause until a date")
            .serves(PATH, Answer::status(429).header("date", "Tue, 03 Nov 2026 08:00:00 GMT").header("retry-after", "Tue, 03 Nov 2026 08:10:00 GMT"))
            .fails("RateLimited")
            .shows("/result/retry_after_ms", 600_000),
        subscribed("fetch-within-the-pause", "no request before the end of the pause")
            .file(STATES, PAUSED)
            .fails("RateLimited"),
        fetched("fetch-unavailable", "503 with a pause")
            .serves(PATH, Answer::status(503).header("retry-after", "60"))
            .fails("HttpError")
            .shows("/result/retry_after_ms", 60_000),
        fetched("fetch-no-answer", "a server that says nothing")
            .timeout_ms(600)
            .serves(PATH, Answer::stall_before_head())
            .fails("NetworkError"),
        fetched("fetch-body-stalls", "a body that stops coming")
            .timeout_ms(600)
            .serves(PATH, feed().stall_after(300))
            .fails("NetworkError")
            .shows("/result/fault", "stall"),
        fetched("fetch-body-cut", "a body shorter than its length says")
            .serves(PATH, feed().cut_after(300))
            .fails("NetworkError"),
        subscribed("fetch-body-cut-by-name", "the state keeps the status of an answer that cannot be used")
            .serves(PATH, feed().cut_after(300))
            .fails("NetworkError")
            .shows("/result/status", 200),
        subscribed("fetch-redirect-in-a-circle", "a sixth redirect is not followed")
            .serves(PATH, Answer::redirect(302, PATH))
            .fails("NetworkError")
            .shows("/result/status", 302),
        fetched("fetch-refused", "nobody listens").fails("NetworkError"),
        scenario("fetch-unknown-name", "a name that nobody subscribed under")
            .line("rss fetch --name nobody")
            .fails("NotFound"),
        scenario("fetch-name-and-url", "a name or a URL, not both")
            .line("rss fetch --name news --url https://feeds.example.org/")
            .fails("InvalidArgs"),
        scenario("fetch-neither", "neither a name nor a URL").line("rss fetch").fails("InvalidArgs"),
        scenario("fetch-corrupt-state", "a file of states that is no JSON is left as it is")
            .line(BY_NAME)
            .file(SUBSCRIPTIONS, SUBSCRIBED)
            .file(STATES, "not JSON")
            .fails("StateCorrupt"),
    ]
}
