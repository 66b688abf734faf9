//! `Retry-After`: how long a service that limits its callers wants to be left alone.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use tapeline::http::Response;

/// The pause the provider documents for an answer that names none.
const DOCUMENTED_PAUSE: Duration = Duration::from_secs(20 * 60);

/// The pause that `response` asks for: seconds, or a date in the form HTTP prescribes. A date is
/// taken against the answer's own `Date` where it has one, since this clock may be wrong. A pause
/// that is missing, unreadable or over counts as the documented one.
pub(super) fn retry_after(response: &Response, now_ms: i64) -> Duration {
    let asked = response.header("retry-after").map(str::trim).unwrap_or_default();
    if let Ok(seconds) = asked.parse::<u64>() {
        return Duration::from_secs(seconds);
    }
    let now = response.header("date").and_then(date).map_or(now_ms, Timestamp::as_millisecond);
    date(asked)
        .and_then(|until| u64::try_from(until.as_millisecond().saturating_sub(now)).ok())
        .filter(|ms| *ms > 0)
        .map_or(DOCUMENTED_PAUSE, Duration::from_millis)
}

fn date(text: &str) -> Option<Timestamp> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    PARSER.parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW_MS: i64 = 784_111_777_000;

    #[track_caller]
    fn check(headers: &[(&str, &str)], seconds: u64) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let response = Response {
            url: "https://open.er-api.com/v6/latest/CNY".to_owned(),
            redirects: Vec::new(),
            status: 429,
            headers: headers.collect(),
            body: Vec::new(),
        };
        assert_eq!(retry_after(&response, NOW_MS), Duration::from_secs(seconds));
    }

    #[test]
    fn takes_seconds() {
        check(&[("retry-after", "7")], 7);
        check(&[("retry-after", " 0 ")], 0);
    }

    #[test]
    fn takes_a_date() {
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], 60);
    }

    #[test]
    fn measures_a_date_against_the_answers_own_clock() {
        let date = ("date", "Mon, 06 Nov 1995 08:00:00 GMT");
        check(&[date, ("retry-after", "Mon, 06 Nov 1995 08:01:30 GMT")], 90);
    }

    #[test]
    fn falls_back_to_the_documented_twenty_minutes() {
        check(&[], 1200);
        check(&[("retry-after", "soon")], 1200);
        check(&[("retry-after", "-5")], 1200);
        check(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], 1200);
    }
}
