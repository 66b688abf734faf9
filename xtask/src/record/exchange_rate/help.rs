//! Every form of help of the group and its commands.

use super::super::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let group = "the group's help names both commands";
    let latest = "help of `latest`, made from its spec";
    let convert = "help of `convert`, made from its spec";
    [
        ("help-of-group", group, "exchange-rate"),
        ("help-of-group-by-flag", group, "exchange-rate --help"),
        ("help-of-group-by-word", group, "exchange-rate help"),
        ("help-of-latest-by-flag", latest, "exchange-rate latest --help"),
        ("help-of-latest-by-word", latest, "exchange-rate help latest"),
        ("help-of-convert-by-flag", convert, "exchange-rate convert --help"),
        ("help-of-convert-by-word", convert, "exchange-rate help convert"),
    ]
    .into_iter()
    .map(|(case, title, line)| Scenario::new("exchange-rate", case, title).line(line))
    .collect()
}
