//! [`Table`]: made-up rates in the shape of the provider's answers. Theirs may not be passed on.

use serde_json::json;

/// The provider that `exchange-rate` asks.
pub(crate) const HOST: &str = "open.er-api.com";

const HOUR: i64 = 60 * 60;

/// What a request for the rates of `base` asks for.
pub(crate) fn target(base: &str) -> String {
    format!("/v6/latest/{base}")
}

/// A table of CNY that was updated an hour ago.
pub(crate) fn cny() -> Table {
    Table::new(
        "CNY",
        &[
            ("AED", "0.456789"),
            ("EUR", "0.111222"),
            ("GBP", "0.101112"),
            ("HKD", "1.234567"),
            ("JPY", "19.876543"),
            ("KRW", "198.765432"),
            ("USD", "0.123456"),
            ("VND", "3456.789012"),
        ],
    )
}

/// One answer of the provider. Its times are relative to now, since the program's clock is real.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    base: String,
    rates: String,
    now: i64,
    last_update: i64,
    next_update: i64,
    end_of_life: i64,
}

impl Table {
    /// Updated an hour ago and due again in 23. Rates are JSON as the body is to spell it; the
    /// base itself is put in front of them.
    pub(crate) fn new(base: &str, rates: &[(&str, &str)]) -> Self {
        Self::at(now(), base, rates)
    }

    fn at(now: i64, base: &str, rates: &[(&str, &str)]) -> Self {
        // As text: no JSON value would keep how a number is spelled.
        let rates = rates.iter().map(|(code, rate)| format!(",\"{code}\":{rate}"));
        Self {
            base: base.to_owned(),
            rates: format!("\"{base}\":1{}", rates.collect::<String>()),
            now,
            last_update: now - HOUR,
            next_update: now + 23 * HOUR,
            end_of_life: 0,
        }
    }

    /// Updated so many hours ago, and due again a day after that.
    pub(crate) fn updated(self, hours_ago: i64) -> Self {
        let last_update = self.now - hours_ago * HOUR;
        Self { last_update, next_update: last_update + 24 * HOUR, ..self }
    }

    /// Due again in so many hours.
    pub(crate) fn due(self, hours: i64) -> Self {
        Self { next_update: self.now + hours * HOUR, ..self }
    }

    /// Given out by a service that ends at a second of the Unix epoch.
    pub(crate) fn end_of_life(self, end_of_life: i64) -> Self {
        Self { end_of_life, ..self }
    }

    /// Without any rate, the base's own included.
    pub(crate) fn emptied(self) -> Self {
        Self { rates: String::new(), ..self }
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The answer's body.
    pub(crate) fn body(&self) -> String {
        let Self { base, rates, now: _, last_update, next_update, end_of_life } = self;
        let (last_utc, next_utc) = (utc(*last_update), utc(*next_update));
        // As text: the fields stand in the provider's order.
        format!(
            r#"{{"result":"success","provider":"https://www.exchangerate-api.com","documentation":"https://www.exchangerate-api.com/docs/free","terms_of_use":"https://www.exchangerate-api.com/terms","time_last_update_unix":{last_update},"time_last_update_utc":"{last_utc}","time_next_update_unix":{next_update},"time_next_update_utc":"{next_utc}","time_eol_unix":{end_of_life},"base_code":"{base}","rates":{{{rates}}}}}"#
        )
    }

    /// The cache entry that keeps this answer, fetched so many hours ago.
    pub(crate) fn kept(&self, hours_ago: i64) -> String {
        let fetched_at_ms = (self.now - hours_ago * HOUR) * 1000;
        json!({"fetched_at_ms": fetched_at_ms, "body": self.body()}).to_string()
    }
}

#[expect(clippy::disallowed_methods, reason = "the program that is run goes by the real clock")]
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn utc(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn table() -> Table {
        Table::at(NOW, "CNY", &[("USD", "0.120"), ("XAU", "1e-7")])
    }

    #[test]
    fn an_answer_has_the_providers_shape_and_is_fresh() {
        let body = table().body();
        assert!(body.ends_with(r#""rates":{"CNY":1,"USD":0.120,"XAU":1e-7}}"#), "{body}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["time_last_update_utc"], "Tue, 14 Nov 2023 21:13:20 +0000");
        assert_eq!(body["time_next_update_utc"], "Wed, 15 Nov 2023 21:13:20 +0000");
        assert_eq!(body["time_next_update_unix"], NOW + 23 * HOUR);
        assert_eq!(body["time_eol_unix"], 0);
        assert_eq!(body["result"], "success");
    }

    #[test]
    fn a_table_can_be_old_overdue_or_empty() {
        let old: Value = serde_json::from_str(&table().updated(30).body()).unwrap();
        assert_eq!(old["time_last_update_unix"], NOW - 30 * HOUR);
        assert_eq!(old["time_next_update_unix"], NOW - 6 * HOUR);
        let late: Value = serde_json::from_str(&table().due(72).body()).unwrap();
        assert_eq!(late["time_next_update_unix"], NOW + 72 * HOUR);
        let empty: Value = serde_json::from_str(&table().emptied().body()).unwrap();
        assert_eq!(empty["rates"], json!({}));
    }

    #[test]
    fn a_cache_entry_holds_the_body_as_text() {
        let kept: Value = serde_json::from_str(&table().kept(1)).unwrap();
        assert_eq!(kept["fetched_at_ms"], (NOW - HOUR) * 1000);
        assert_eq!(kept["body"], table().body());
    }
}
