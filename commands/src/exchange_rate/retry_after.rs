//! How long the service is left alone once it limits its callers.

use std::time::Duration;

use tapeline::http::Response;

use crate::retry_after::retry_after_ms;

/// The pause the provider documents for an answer that names none.
const DOCUMENTED_PAUSE: Duration = Duration::from_secs(20 * 60);

/// The pause that `response` asks for. One that is missing, unreadable or over counts as the
/// documented one.
pub(super) fn retry_after(response: &Response, now_ms: i64) -> Duration {
    retry_after_ms(response, now_ms)
        .and_then(|pause_ms| u64::try_from(pause_ms).ok())
        .map_or(DOCUMENTED_PAUSE, Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW_MS: i64 = 784_111_777_000;

    #[track_caller]
    fn check(asked: Option<&str>, seconds: u64) {
        let headers = asked.map(|value| ("retry-after".to_owned(), value.to_owned()));
        let response = Response {
            url: "https://open.er-api.com/v6/latest/CNY".to_owned(),
            redirects: Vec::new(),
            status: 429,
            headers: headers.into_iter().collect(),
            body: Vec::new(),
        };
        assert_eq!(retry_after(&response, NOW_MS), Duration::from_secs(seconds));
    }

    #[test]
    fn takes_what_the_service_asks_for() {
        check(Some("7"), 7);
        check(Some(" 0 "), 0);
        check(Some("Sun, 06 Nov 1994 08:50:37 GMT"), 60);
    }

    #[test]
    fn falls_back_to_the_documented_twenty_minutes() {
        check(None, 1200);
        check(Some("soon"), 1200);
        check(Some("-5"), 1200);
        check(Some("Sun, 06 Nov 1994 08:00:00 GMT"), 1200);
    }
}
