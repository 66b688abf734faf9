//! [`Warning`]: what a caller should know of an answer that stands all the same.

use serde::Serialize;
use tapeline::Failure;

use super::{age::Age, currency::Currency};

/// One element of `result.warnings`: `code` and `message`, then the fields of that code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Warning {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// `StaleRates`: milliseconds since the service made the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_ms: Option<i64>,
    /// `ImpreciseRate`: of the rate, from 1 to 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    significant_digits: Option<u32>,
    /// `ImpreciseRate`: by how much `rate` and `converted_amount` may be off, in percent, rounded
    /// up.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_error_percent: Option<String>,
    /// `EndOfLife`: when the service ends, in seconds of the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_eol_unix: Option<i64>,
}

impl Warning {
    fn new(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            age_ms: None,
            significant_digits: None,
            max_error_percent: None,
            time_eol_unix: None,
        }
    }

    /// A cache entry that is there and cannot be used; it counts as absent.
    pub(super) fn cache_read(base: &Currency, why: &str) -> Self {
        let message = format!("the cached rates of `{base}` cannot be used: {why}");
        Self::new("CacheReadError", message)
    }

    /// An answer that could not be kept for the next run.
    pub(super) fn cache_write(base: &Currency, why: &Failure) -> Self {
        let message = format!("the rates of `{base}` are not kept: {}", why.message());
        Self::new("CacheWriteError", message)
    }

    /// Expired rates, because nobody answered.
    pub(super) fn stale(base: &Currency, age: Age, why: &Failure) -> Self {
        Self {
            age_ms: Some(age.ms()),
            ..Self::new(
                "StaleRates",
                format!(
                    "the rates of `{base}` are out of date, {age}, and new ones were not to be \
                     had: {}",
                    why.message()
                ),
            )
        }
    }

    /// A rate with few digits.
    pub(super) fn imprecise(significant_digits: u32, max_error_percent: String) -> Self {
        let digits = if significant_digits == 1 { "digit" } else { "digits" };
        let message = format!(
            "the rate has {significant_digits} significant {digits}: it and the converted amount \
             may be off by {max_error_percent} %"
        );
        Self {
            significant_digits: Some(significant_digits),
            max_error_percent: Some(max_error_percent),
            ..Self::new("ImpreciseRate", message)
        }
    }

    /// The service says that it ends.
    pub(super) fn end_of_life(time_eol_unix: i64) -> Self {
        let day = jiff::Timestamp::from_second(time_eol_unix).map_or_else(
            |_| format!("at second {time_eol_unix} of the Unix epoch"),
            |end| format!("on {}", end.strftime("%F")),
        );
        let message = format!("the service says that it ends {day}");
        Self { time_eol_unix: Some(time_eol_unix), ..Self::new("EndOfLife", message) }
    }
}
