//! What a server's answer amounts to, before anybody looks for a feed in it.

use std::fmt::Write as _;

use tapeline::{ErrorCode, Failure, http::Response, line};
use url::Url;

use super::{
    feed::{Discovered, Unreadable},
    text,
};
use crate::retry_after::retry_after_ms;

/// An answer that is no failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is nothing new.
    NotModified,
    /// The body is what was asked for.
    Body,
}

/// Whether the request named a version that the caller has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    None,
    Sent,
}

/// What the status says.
///
/// # Errors
/// `RateLimited` for 429, `HttpError` for all but success: for a 304 to a request without condition,
/// too, which leaves the caller with nothing.
pub(super) fn of(
    response: &Response,
    condition: Condition,
    pause_ms: Option<u64>,
) -> Result<Answer, Failure> {
    match response.status {
        200..300 => Ok(Answer::Body),
        304 if condition == Condition::Sent => Ok(Answer::NotModified),
        429 => {
            let hint =
                if pause_ms.is_some() { "ask again after the pause" } else { "try again later" };
            Err(rate_limited(&host(response), pause_ms, hint))
        }
        status => Err(http_error(&host(response), status, pause_ms)),
    }
}

/// The status of the answer that a failed request had all the same: one with too long a body, one
/// that cannot be decoded, a redirect that is not followed.
pub(super) fn status_of(failure: &Failure) -> Option<u16> {
    failure.detail_json("status")?.parse().ok()
}

/// Milliseconds of the pause that a 429 or 503 asks for; one that is over is none.
pub(super) fn pause_ms(response: &Response, now_ms: i64) -> Option<u64> {
    if !matches!(response.status, 429 | 503) {
        return None;
    }
    let pause = retry_after_ms(response, now_ms).and_then(|pause| u64::try_from(pause).ok());
    pause.filter(|pause| *pause > 0)
}

/// For a server that wants to be left alone, for so many milliseconds where that is known.
pub(super) fn rate_limited(who: &str, pause_ms: Option<u64>, hint: &str) -> Failure {
    let pause = match pause_ms {
        Some(pause_ms) => format!(" of {}", text::duration(pause_ms)),
        None => String::new(),
    };
    let failure = Failure::new(ErrorCode::RATE_LIMITED, format!("`{who}` asks for a pause{pause}"));
    with_pause(failure.hint(hint), pause_ms)
}

/// Where a feed has gone for good: the end of the permanent redirects that the way begins with.
pub(super) fn moved_to(response: &Response) -> Option<&str> {
    let permanent = response.redirects.iter().take_while(|(status, _)| matches!(status, 301 | 308));
    permanent.last().map(|(_, url)| &**url)
}

/// For a body that is no feed.
pub(super) fn parse_error(response: &Response, why: &Unreadable) -> Failure {
    let at = match (why.line, why.column) {
        (Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        (Some(line), None) => format!(" (line {line})"),
        (None, _) => String::new(),
    };
    let message =
        format!("`{}` sent no feed that can be read: {}{at}", host(response), why.message);
    let mut failure =
        Failure::new(ErrorCode::PARSE_ERROR, message).hint(match why.discovered.first() {
            Some(feed) => format!("the page names a feed: `{}`", fetch_line(feed)),
            None => {
                "look at the URL with a browser; the site may name its feed elsewhere".to_owned()
            }
        });
    if let Some(line) = why.line {
        failure = failure.detail("line", line);
    }
    if let Some(column) = why.column {
        failure = failure.detail("column", column);
    }
    match why.discovered.is_empty() {
        true => failure,
        false => failure.detail("discovered", &why.discovered),
    }
}

/// The line that fetches a feed.
fn fetch_line(feed: &Discovered) -> String {
    line::print(&["rss", "fetch", "--url", &feed.url])
        .unwrap_or_else(|_| format!("rss fetch --url {}", feed.url))
}

fn http_error(host: &str, status: u16, pause_ms: Option<u64>) -> Failure {
    let hint = match status {
        304 => "the server says that nothing is new, and was not asked that; try again later",
        300..=399 => "the server leads nowhere: check the URL with a browser",
        401 | 403 | 407 => "the feed wants a login, or lets no programs in; neither is got around",
        404 => "check the URL; the site may name its feed elsewhere",
        410 => "the feed is gone for good; `rss remove` ends a subscription",
        408 | 425 | 500.. => "try again later",
        _ => "check the URL",
    };
    let mut message = format!("`{host}` answered with HTTP status {status}");
    if let Some(pause_ms) = pause_ms {
        let _ = write!(message, " and asks for a pause of {}", text::duration(pause_ms));
    }
    let hint = if pause_ms.is_some() { "ask again after the pause" } else { hint };
    let failure = Failure::new(ErrorCode::HTTP_ERROR, message).hint(hint).detail("status", status);
    with_pause(failure, pause_ms)
}

fn with_pause(failure: Failure, pause_ms: Option<u64>) -> Failure {
    match pause_ms {
        Some(pause_ms) => failure.detail("retry_after_ms", pause_ms),
        None => failure,
    }
}

/// Who answered, as messages name it: what else is in a URL may be a secret.
fn host(response: &Response) -> String {
    Url::parse(&response.url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_else(|| "the server".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, redirects: &[(u16, &str)]) -> Response {
        let redirects = redirects.iter().map(|(status, url)| (*status, (*url).to_owned()));
        Response {
            url: "https://a.example/feed?key=secret".to_owned(),
            redirects: redirects.collect(),
            status,
            headers: vec![("retry-after".to_owned(), "7".to_owned())],
            body: Vec::new(),
        }
    }

    #[test]
    fn a_status_is_a_body_or_news_of_none_or_a_failure() {
        for (status, condition, expected) in [
            (200, Condition::None, Ok(Answer::Body)),
            (203, Condition::Sent, Ok(Answer::Body)),
            (304, Condition::Sent, Ok(Answer::NotModified)),
            (304, Condition::None, Err("HttpError")),
            (302, Condition::None, Err("HttpError")),
            (404, Condition::Sent, Err("HttpError")),
            (410, Condition::None, Err("HttpError")),
            (429, Condition::None, Err("RateLimited")),
            (503, Condition::None, Err("HttpError")),
        ] {
            let response = answer(status, &[]);
            let answered = of(&response, condition, None).map_err(|failure| {
                assert!(failure.hint_text().is_some());
                assert!(!failure.message().contains("secret"), "{failure}");
                failure.code().name()
            });
            assert_eq!(answered, expected, "{status}");
        }
    }

    #[test]
    fn only_a_429_and_a_503_ask_for_a_pause() {
        for (status, pause) in [(200, None), (404, None), (429, Some(7000)), (503, Some(7000))] {
            assert_eq!(pause_ms(&answer(status, &[]), 0), pause, "{status}");
        }
    }

    #[test]
    fn a_pause_that_is_over_is_none() {
        let mut response = answer(429, &[]);
        response.headers[0].1 = "Sun, 06 Nov 1994 08:49:37 GMT".to_owned();
        assert_eq!(pause_ms(&response, 1_700_000_000_000), None);
    }

    #[test]
    fn a_move_is_for_good_as_far_as_every_step_is() {
        for (redirects, moved) in [
            (&[][..], None),
            (&[(301, "b")][..], Some("b")),
            (&[(301, "b"), (308, "c")][..], Some("c")),
            (&[(301, "b"), (302, "c"), (301, "d")][..], Some("b")),
            (&[(307, "b"), (301, "c")][..], None),
        ] {
            assert_eq!(moved_to(&answer(200, redirects)), moved, "{redirects:?}");
        }
    }

    #[test]
    fn a_body_that_is_no_feed_is_told_with_its_place_and_the_feeds_it_names() {
        let mut why = Unreadable {
            message: "a page of HTML".to_owned(),
            line: Some(3),
            column: Some(7),
            discovered: Vec::new(),
        };
        let failure = parse_error(&answer(200, &[]), &why);
        assert_eq!(
            failure.message(),
            "`a.example` sent no feed that can be read: a page of HTML (line 3, column 7)"
        );
        assert_eq!(failure.detail_json("line"), Some("3"));
        assert_eq!(failure.detail_json("column"), Some("7"));
        assert_eq!(failure.detail_json("discovered"), None);

        let url = "https://a.example/feed?a=1&b=2".to_owned();
        why.discovered = vec![Discovered { url, mime: None, title: None }];
        let failure = parse_error(&answer(200, &[]), &why);
        assert_eq!(
            failure.detail_json("discovered"),
            Some(r#"[{"url":"https://a.example/feed?a=1&b=2"}]"#)
        );
        assert_eq!(
            failure.hint_text(),
            Some("the page names a feed: `rss fetch --url 'https://a.example/feed?a=1&b=2'`")
        );
    }
}
