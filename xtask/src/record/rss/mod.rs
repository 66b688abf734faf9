//! Scenarios of `rss`.

mod answers;
mod feeds;
mod help;
mod subscriptions;

use super::scenario::{Provider, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    [help::scenarios(), subscriptions::scenarios(), feeds::scenarios(), answers::scenarios()]
        .into_iter()
        .flatten()
        .collect()
}

const HOST: &str = "feeds.example.org";
const PATH: &str = "/news.xml";
const FETCH: &str = "rss fetch --url https://feeds.example.org/news.xml";
const SUBSCRIPTIONS: &str = "workspace/rss/subscriptions.json";
const STATES: &str = "workspace/rss/fetch_state.json";
/// One subscription, `news`, to [`FETCH`]'s URL.
const SUBSCRIBED: &str = r#"[
  {
    "name": "news",
    "url": "https://feeds.example.org/news.xml",
    "created_at_ms": 1790000000000,
    "updated_at_ms": 1790000000000
  }
]
"#;

/// A server that takes no connection, unless the scenario says what it answers.
fn scenario(case: &str, title: &'static str) -> Scenario {
    Scenario::new("rss", case, title).host(HOST).provider(Provider::Down)
}

/// Two items, as they should be.
const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>The Daily Example</title>
    <link>https://feeds.example.org/</link>
    <description>News that is made up</description>
    <item>
      <title>Bread &amp; butter</title>
      <link>https://feeds.example.org/1</link>
      <guid isPermaLink="false">tag:example.org,2026:1</guid>
      <dc:creator>A. Writer</dc:creator>
      <pubDate>Tue, 03 Nov 2026 08:30:00 +0100</pubDate>
      <category>Food</category>
      <description>&lt;p&gt;A &lt;b&gt;slice&lt;/b&gt; of it.&lt;/p&gt;&lt;p&gt;And another.&lt;/p&gt;</description>
    </item>
    <item>
      <title>Milk</title>
      <link>https://feeds.example.org/2</link>
      <pubDate>Mon, 02 Nov 2026 07:00:00 GMT</pubDate>
      <enclosure url="https://feeds.example.org/2.mp3" type="audio/mpeg" length="12345"/>
    </item>
  </channel>
</rss>
"#;
