//! REQ-0024-001 to -004: several terminals on one folder, as several processes have it.
#![expect(clippy::disallowed_methods, reason = "a test looks at what is on disk, and has threads")]

use std::{path::Path, sync::Arc, thread};

use serde_json::Value;
use tapeline::{
    Envelope, Policy, Terminal, async_trait,
    http::{Http, HttpFault, HttpRequest, HttpResponse},
};

use super::{ADD, BY_NAME, RSS, STATES, SUBSCRIPTIONS};
use crate::world::Public;

const TIMES: usize = 15;

/// Does something else while it is asked, then gives a feed.
struct Meanwhile<F>(F);

#[async_trait]
impl<F: Fn() + Send + Sync> Http for Meanwhile<F> {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        (self.0)();
        let headers = vec![("etag".to_owned(), "\"1\"".to_owned())];
        Ok(HttpResponse { status: 200, headers, body: RSS.into() })
    }
}

/// A terminal that shares nothing but the folder with the others on it.
pub(super) fn terminal(root: &Path, meanwhile: impl Fn() + Send + Sync + 'static) -> Terminal {
    Terminal::builder()
        .root(root)
        .policy(Policy::default().allow_declared_network())
        .http(Arc::new(Meanwhile(meanwhile)))
        .resolver(Arc::new(Public))
        .build()
        .unwrap()
}

#[track_caller]
pub(super) fn ok(envelope: &Envelope) -> Value {
    assert_eq!(envelope.error_code, None, "{envelope:?}");
    serde_json::from_str(envelope.result.get()).unwrap()
}

fn names(root: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(".agents").join(file)).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&text).unwrap();
    entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
}

fn numbered(names: &[&str]) -> Vec<String> {
    let mut all: Vec<_> = names
        .iter()
        .flat_map(|name| (0..TIMES).map(move |number| format!("{name}-{number}")))
        .collect();
    all.sort();
    all
}

#[test]
fn of_two_that_add_at_once_neither_loses_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for who in ["a", "b"] {
            let terminal = terminal(folder.path(), || {});
            scope.spawn(move || {
                for number in 0..TIMES {
                    let name = format!("{who}-{number}");
                    let line = format!("rss add --name {name} --url https://a.example/{name}");
                    assert_eq!(ok(&terminal.exec_blocking(line))["created"], true);
                }
            });
        }
    });
    assert_eq!(names(folder.path(), SUBSCRIPTIONS), numbered(&["a", "b"]));
}

#[test]
fn of_adding_removing_and_fetching_at_once_none_loses_what_another_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let first = terminal(folder.path(), || {});
    for name in numbered(&["fetched", "removed"]) {
        ok(&first.exec_blocking(format!("rss add --name {name} --url https://a.example/{name}")));
    }
    thread::scope(|scope| {
        for (command, who, rest) in [
            ("add", "added", " --url https://a.example/"),
            ("remove", "removed", ""),
            ("fetch", "fetched", ""),
        ] {
            let terminal = terminal(folder.path(), || {});
            scope.spawn(move || {
                for number in 0..TIMES {
                    let line = format!("rss {command} --name {who}-{number}{rest}");
                    let result = ok(&terminal.exec_blocking(line));
                    if command == "fetch" {
                        assert_eq!(result["warnings"], Value::Array(Vec::new()));
                    }
                }
            });
        }
    });
    assert_eq!(names(folder.path(), SUBSCRIPTIONS), numbered(&["added", "fetched"]));
    assert_eq!(names(folder.path(), STATES), numbered(&["fetched"]));
}

/// Runs a line while [`BY_NAME`] waits for its answer; gives the result of the fetch.
fn fetch_during(root: &Path, line: &'static str) -> Value {
    let other = Arc::new(terminal(root, || {}));
    ok(&other.exec_blocking(ADD));
    let fetching = terminal(root, move || {
        let other = other.clone();
        // Another thread, as a terminal does not block within another's run.
        thread::spawn(move || ok(&other.exec_blocking(line))).join().unwrap();
    });
    ok(&fetching.exec_blocking(BY_NAME))
}

#[test]
fn a_request_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let line = "rss add --name other --url https://a.example/";
    let result = fetch_during(folder.path(), line);
    assert_eq!(result["warnings"], Value::Array(Vec::new()));
    assert_eq!(names(folder.path(), SUBSCRIPTIONS), ["news", "other"]);
    assert_eq!(names(folder.path(), STATES), ["news"]);
}

#[test]
fn what_an_answer_taught_is_not_kept_of_another_feed() {
    for line in
        ["rss add --name news --url https://feeds.example/other.xml", "rss remove --name news"]
    {
        let folder = tempfile::tempdir().unwrap();
        let result = fetch_during(folder.path(), line);
        assert_eq!(result["count_total"], 2, "the items are given all the same");
        assert_eq!(result["warnings"][0]["code"], "StateNotWritten", "{line}");
        let message = result["warnings"][0]["message"].as_str().unwrap();
        assert!(message.ends_with("the subscription `news` was changed meanwhile"), "{message}");
        assert!(!folder.path().join(".agents").join(STATES).exists(), "{line}");
    }
}
