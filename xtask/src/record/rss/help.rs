//! Help of the group and its commands.

use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    [
        ("help-of-group", "the group's help names its commands", "rss --help"),
        ("help-of-add", "help of `add`, made from its spec", "rss add --help"),
        ("help-of-list", "help of `list`, made from its spec", "rss list --help"),
        ("help-of-remove", "help of `remove`, made from its spec", "rss remove --help"),
        ("help-of-fetch", "help of `fetch`, made from its spec", "rss fetch --help"),
    ]
    .into_iter()
    .map(|(case, title, line)| Scenario::new("rss", case, title).line(line))
    .collect()
}
