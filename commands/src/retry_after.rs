//! `Retry-After`: how long a service wants to be left alone.

use jiff::{Timestamp, civil::DateTime, fmt::rfc2822::DateTimeParser, tz::TimeZone};
use tapeline::http::Response;

/// A longer pause is a mistake of the service's, and would shut it out for good: 31 days.
const LONGEST_MS: i64 = 31 * 24 * 60 * 60 * 1000;

/// Milliseconds of the pause that `response` asks for: given in seconds, or as a date in one of the
/// three forms of HTTP. A date is taken against the answer's own `Date` where it has one, since this
/// clock may be wrong; one that is over makes the pause negative. `None` for no pause, or one that
/// cannot be read.
pub(crate) fn retry_after_ms(response: &Response, now_ms: i64) -> Option<i64> {
    let asked = response.header("retry-after")?.trim();
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = asked.parse().unwrap_or(i64::MAX);
        return Some(seconds.saturating_mul(1000).min(LONGEST_MS));
    }
    let until = date(asked)?.as_millisecond();
    let now = response.header("date").and_then(date).map_or(now_ms, Timestamp::as_millisecond);
    Some(until.saturating_sub(now).min(LONGEST_MS))
}

/// RFC 9110, 5.6.7: the usual form, and the two that a recipient must still understand.
fn date(text: &str) -> Option<Timestamp> {
    static USUAL: DateTimeParser = DateTimeParser::new();
    const OBSOLETE: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    let text = text.trim();
    USUAL.parse_timestamp(text).ok().or_else(|| {
        let read = |form: &&str| DateTime::strptime(form, text).ok();
        TimeZone::UTC.to_timestamp(OBSOLETE.iter().find_map(read)?).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW_MS: i64 = 784_111_777_000;

    #[track_caller]
    fn check(headers: &[(&str, &str)], pause_ms: Option<i64>) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let response = Response {
            url: "https://a.example/feed".to_owned(),
            redirects: Vec::new(),
            status: 429,
            headers: headers.collect(),
            body: Vec::new(),
        };
        assert_eq!(retry_after_ms(&response, NOW_MS), pause_ms, "{response:?}");
    }

    #[test]
    fn takes_seconds() {
        check(&[("retry-after", "7")], Some(7000));
        check(&[("retry-after", " 0 ")], Some(0));
        for long in ["2678401", "9999999999999999", "99999999999999999999999"] {
            check(&[("retry-after", long)], Some(LONGEST_MS));
        }
    }

    #[test]
    fn takes_a_date_in_each_of_the_forms_of_http() {
        for date in [
            "Sun, 06 Nov 1994 08:50:37 GMT",
            "Sunday, 06-Nov-94 08:50:37 GMT",
            "Sun Nov  6 08:50:37 1994",
        ] {
            check(&[("retry-after", date)], Some(60_000));
        }
    }

    #[test]
    fn measures_a_date_against_the_answers_own_clock() {
        let date = ("date", "Mon, 06 Nov 1995 08:00:00 GMT");
        check(&[date, ("retry-after", "Mon, 06 Nov 1995 08:01:30 GMT")], Some(90_000));
    }

    #[test]
    fn a_date_that_is_over_is_a_negative_pause() {
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], Some(-30_000));
    }

    #[test]
    fn what_cannot_be_read_is_no_pause() {
        for headers in [&[][..], &[("retry-after", "soon")], &[("retry-after", "-5")]] {
            check(headers, None);
        }
    }
}
