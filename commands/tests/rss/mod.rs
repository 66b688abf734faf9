//! `rss`, by the requirements REQ-0024-001 to REQ-0024-005 and REQ-0024-010 to -013. The feeds are made up.
//!
//! | requirement | where |
//! | --- | --- |
//! | REQ-0024-001 `add`, REQ-0024-002 `list`, REQ-0024-003 `remove` | `subscriptions`, `state`, `together` |
//! | REQ-0024-004 `fetch` | `fetch`, `conditional`, `formats`, `faults`, `charsets`, `unreadable` |
//! | REQ-0024-005 its files | `files`, `formats` |
//! | REQ-0024-010 one folder, of which the host knows only what it registers | `fetch` |
//! | REQ-0024-011 paths stay in the workspace | `files` |
//! | REQ-0024-012 what is large goes to files | `fetch`, `files` |
//! | REQ-0024-013 stable codes, 429 with its pause | `upstream`, `pauses`, `state`, `unreadable` |

mod charsets;
mod conditional;
mod faults;
mod fetch;
mod files;
mod formats;
mod pauses;
mod secrets;
mod state;
mod subscriptions;
mod together;
mod unreadable;
mod upstream;

use serde_json::Value;

use crate::world::{Run, World};

const URL: &str = "https://feeds.example/news.xml";
const ADD: &str = "rss add --name news --url https://feeds.example/news.xml";
const BY_NAME: &str = "rss fetch --name news";
const BY_URL: &str = "rss fetch --url https://feeds.example/news.xml";
const SUBSCRIPTIONS: &str = "workspace/rss/subscriptions.json";
const STATES: &str = "workspace/rss/fetch_state.json";
const OUT: &str = "artifacts/rss/items.json";
const RAW_OUT: &str = "artifacts/rss/news.xml";

/// Two items, as they should be.
const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
  <channel>
    <title>The Daily Example</title>
    <link>https://feeds.example/</link>
    <description>News that is made up</description>
    <item>
      <title>Bread &amp; butter</title>
      <link>https://feeds.example/1</link>
      <guid isPermaLink="false">tag:feeds.example,2023:1</guid>
      <author>writer@feeds.example (A. Writer)</author>
      <pubDate>Tue, 14 Nov 2023 21:13:20 +0100</pubDate>
      <category>Food</category>
      <description>&lt;p&gt;A &lt;b&gt;slice&lt;/b&gt; of it.&lt;/p&gt;&lt;p&gt;And another.&lt;/p&gt;</description>
      <enclosure url="https://feeds.example/1.mp3" type="audio/mpeg" length="12345"/>
    </item>
    <item>
      <title>Milk</title>
      <link>https://feeds.example/2</link>
    </item>
  </channel>
</rss>
"#;

impl World {
    /// A world with one subscription, `news`, to [`URL`].
    fn subscribed() -> Self {
        let world = Self::new();
        world.exec(ADD).ok();
        world
    }

    fn serves(&self, body: impl Into<Vec<u8>>) {
        self.service.answers(200, &[("content-type", "application/rss+xml")], body);
    }

    /// A file of JSON; `null` where there is none.
    #[track_caller]
    fn json(&self, path: &str) -> Value {
        self.read(path).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
    }

    /// What is known of the last fetch of `news`.
    #[track_caller]
    fn state(&self) -> Value {
        let states = self.json(STATES);
        let mut states = states.as_array().into_iter().flatten();
        states.find(|state| state["name"] == "news").cloned().unwrap_or_default()
    }
}

/// A feed that was read by its URL, with all items whole.
struct Read {
    run: Run,
    items: Value,
}

/// Reads a body that comes with this `Content-Type`.
#[track_caller]
fn read_as(content_type: &str, body: impl Into<Vec<u8>>) -> Read {
    let world = World::new();
    world.service.answers(200, &[("content-type", content_type)], body);
    let run = world.exec(&format!("{BY_URL} --max-items 500 --out {OUT}")).ok();
    let items = world.json(OUT);
    assert_eq!(run.result["count_total"], items.as_array().unwrap().len());
    assert_eq!(run.result["count_total"], run.result["count_emitted"]);
    Read { run, items }
}

/// Reads a body whose server says nothing of its encoding.
#[track_caller]
fn read(body: impl Into<Vec<u8>>) -> Read {
    read_as("application/xml", body)
}

impl Read {
    /// One field of every item.
    fn each(&self, field: &str) -> Vec<Value> {
        let items = self.items.as_array().unwrap();
        items.iter().map(|item| item[field].clone()).collect()
    }

    /// What was mended and nothing else; with each warning goes a line on stderr.
    #[track_caller]
    fn mended(self, codes: &[&str]) -> Self {
        assert_eq!(self.run.warnings(), codes, "{}", self.run.result);
        for warning in self.run.result["warnings"].as_array().unwrap() {
            let line = format!("warning: {}\n", warning["message"].as_str().unwrap());
            assert!(self.run.envelope.stderr.contains(&line), "{}", self.run.envelope.stderr);
        }
        self
    }

    #[track_caller]
    fn titled(self, titles: &[&str]) -> Self {
        assert_eq!(self.each("title"), titles, "{}", self.items);
        self
    }
}

/// RSS around items.
fn rss(items: &str) -> String {
    format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>")
}
