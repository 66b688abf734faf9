//! `rss`: subscriptions, and fetching that survives real feeds.
//!
//! ```text
//! add, remove ──> subscriptions ──> list
//!      │                └──> fetch ──> answer ──> feed
//!      └──> fetch_state <─────┘
//! ```
//!
//! Both state files are read, changed and written under one lock, which is never held over a
//! request: `fetch` looks at them before it and once more after it.

mod add;
mod fetch;
mod list;
mod remove;

mod answer;
mod asked;
pub mod feed;
mod files;

mod fetch_state;
mod state_file;
mod subscriptions;

mod feed_url;
mod name;
mod text;

use tapeline::{Group, Registration};

/// All that is registered here.
pub(crate) const REGISTRATIONS: &[Registration] = &[
    GROUP_REGISTRATION,
    add::REGISTRATION,
    fetch::REGISTRATION,
    list::REGISTRATION,
    remove::REGISTRATION,
];

const GROUP_REGISTRATION: Registration = tapeline::group(GROUP);

tapeline::inventory::submit! { GROUP_REGISTRATION }

const GROUP: Group = Group {
    path: "rss",
    summary: "feed subscriptions, and what is new in a feed",
    long_help: "\
Reads RSS, RDF, Atom and JSON Feed from any public host. A subscription gives a feed a short name;
`rss fetch --name` then asks the server only for what has changed, and keeps to the pauses that it
asks for. `rss fetch --url` reads any feed once and remembers nothing.

Subscriptions and what is known of their last fetch are kept below `.agents/workspace/rss/`. An
answer shows titles, dates and links; `--out` writes the whole items to a file.

There are no logins, no full texts of linked pages, and no fetching of several feeds at once.",
};
