//! `exchange-rate`, by the requirements REQ-0031-001 to -010. The numbers are made up.

mod cache;
mod convert;
mod corpus;
mod help;
mod latest;
mod upstream;

use serde_json::json;
use tapeline::Policy;

use crate::world::{START_MS, World};

const ATTRIBUTION: &str = "Rates By Exchange Rate API";
const HOUR_MS: i64 = 3_600_000;
const CNY_URL: &str = "https://open.er-api.com/v6/latest/CNY";
const CNY_ENTRY: &str = "cache/exchange-rate/CNY.json";
const CNY_RATES: &str =
    r#""CNY":1,"USD":0.14,"EUR":0.125,"GBP":0.11,"JPY":20.5,"HKD":1.09,"VND":3500.25,"KWD":0.043"#;

/// An answer in the service's shape, of the hour before [`START_MS`] and good for 24 hours.
fn body(base: &str, rates: &str) -> String {
    let last_update = (START_MS - HOUR_MS) / 1000;
    let next_update = last_update + 24 * 3600;
    format!(
        r#"{{"result":"success","provider":"https://example.com","documentation":"https://example.com/docs","terms_of_use":"https://example.com/terms","time_last_update_unix":{last_update},"time_last_update_utc":"Tue, 14 Nov 2023 21:13:20 +0000","time_next_update_unix":{next_update},"time_next_update_utc":"Wed, 15 Nov 2023 21:13:20 +0000","time_eol_unix":0,"base_code":"{base}","rates":{{{rates}}}}}"#
    )
}

fn cny() -> String {
    body("CNY", CNY_RATES)
}

/// The policy without leave to read or write files.
fn no_files(mut policy: Policy) -> Policy {
    policy.read_files = false;
    policy.write_files = false;
    policy
}

/// A cache entry with this answer, fetched an hour before [`START_MS`].
fn entry(body: &str) -> String {
    json!({"fetched_at_ms": START_MS - HOUR_MS, "body": body}).to_string()
}

impl World {
    fn answers_cny(&self) {
        self.service.answers(200, &[("content-type", "application/json")], cny());
    }

    /// A world whose cache was filled by a run at [`START_MS`].
    fn with_cny_kept() -> Self {
        let world = Self::new();
        world.answers_cny();
        world.exec("exchange-rate latest --base CNY").ok();
        assert_eq!(world.service.asked().len(), 1);
        world
    }
}
