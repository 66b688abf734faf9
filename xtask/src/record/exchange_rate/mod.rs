//! Scenarios of `exchange-rate`.

mod cache;
mod convert;
mod failing;
mod help;
mod latest;
mod service;

use super::scenario::{Provider, Scenario};
use crate::rates::Table;

pub(super) fn scenarios() -> Vec<Scenario> {
    let tables = [
        help::scenarios(),
        latest::scenarios(),
        convert::scenarios(),
        cache::scenarios(),
        service::scenarios(),
        failing::scenarios(),
    ];
    tables.into_iter().flatten().collect()
}

/// A conversion whose rate is in [`cny`](crate::rates::cny): 12.345600 USD.
const CONVERT: &str = "exchange-rate convert --from CNY --to USD --amount 100";
const LATEST: &str = "exchange-rate latest --base CNY";

/// A provider that takes no connection, unless the scenario says what it answers.
fn scenario(case: &str, title: &'static str) -> Scenario {
    Scenario::new("exchange-rate", case, title).provider(Provider::Down)
}

fn usd() -> Table {
    Table::new(
        "USD",
        &[
            ("CNY", "8.100012"),
            ("EUR", "0.900901"),
            ("GBP", "0.819012"),
            ("HKD", "10.000081"),
            ("JPY", "161.001234"),
        ],
    )
}
