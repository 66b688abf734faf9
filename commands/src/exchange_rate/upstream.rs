//! The service behind `exchange-rate`: one request, and what its answers amount to.

use std::time::Duration;

use tapeline::{Context, ErrorCode, Failure, http::Request};

use super::{
    currency::Currency,
    rates::{Rates, not_documented, remote_error},
    retry_after::retry_after,
};

/// The only host the commands declare.
pub(super) const HOST: &str = "open.er-api.com";

/// What the provider's terms ask to be shown with its rates.
pub(super) const ATTRIBUTION: &str = "Rates By Exchange Rate API";

/// The largest answer that is read. A table of 170 currencies is 3 to 4 KiB.
pub(super) const MAX_BODY_BYTES: u64 = 1 << 20;

/// The codes that asking the service can end with.
pub(super) const ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::UNKNOWN_CURRENCY,
    ErrorCode::NETWORK_ERROR,
    ErrorCode::PARSE_ERROR,
    ErrorCode::REMOTE_ERROR,
    ErrorCode::REMOTE_HTTP_ERROR,
    ErrorCode::RATE_LIMITED,
];

/// Where the rates of `base` are.
pub(super) fn url(base: &Currency) -> String {
    format!("https://{HOST}/v6/latest/{base}")
}

/// A request without rates to show for it.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) failure: Failure,
    /// The service is out of reach or out of order, and may be in order later. Otherwise its
    /// answer is final, and older rates are no answer to it.
    pub(super) passing: bool,
}

impl Unanswered {
    fn passing(failure: Failure) -> Self {
        Self { failure, passing: true }
    }

    fn last(failure: Failure) -> Self {
        Self { failure, passing: false }
    }

    /// By the code alone: for failures that are not about a status.
    fn by_code(failure: Failure) -> Self {
        let passing = [ErrorCode::NETWORK_ERROR, ErrorCode::PARSE_ERROR].contains(&failure.code());
        Self { failure, passing }
    }
}

/// Asks for the rates of `base`, those of `used` fit for use.
pub(super) async fn fetch(
    door: &Context,
    base: &Currency,
    used: &[Currency],
) -> Result<Rates, Unanswered> {
    let request = Request::get(url(base)).header("accept", "application/json");
    let http = door.http().map_err(Unanswered::last)?;
    let response = http.send(request).await.map_err(Unanswered::by_code)?;
    if response.status == 429 {
        let pause = retry_after(&response, door.clock().now_ms());
        return Err(Unanswered::passing(rate_limited(pause)));
    }
    if !(200..300).contains(&response.status) {
        if let Some(error) = remote_error(base, &response.body) {
            return Err(Unanswered::last(error));
        }
        let failure = http_error(base, response.status);
        return Err(match response.status {
            500.. => Unanswered::passing(failure),
            _ => Unanswered::last(failure),
        });
    }
    let rates = match String::from_utf8(response.body) {
        Ok(body) => Rates::parse(base, body),
        Err(_) => Err(not_documented(base, "it is not UTF-8")),
    };
    let rates = rates.map_err(Unanswered::by_code)?;
    rates.check(used).map_err(Unanswered::by_code)?;
    Ok(rates)
}

fn rate_limited(pause: Duration) -> Failure {
    let wait = match pause.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    };
    let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
    Failure::new(ErrorCode::RATE_LIMITED, format!("`{HOST}` asks for a pause of {wait}"))
        .hint("ask again after the pause; rates change once a day")
        .detail("retry_after_ms", pause_ms)
}

fn http_error(base: &Currency, status: u16) -> Failure {
    Failure::new(
        ErrorCode::REMOTE_HTTP_ERROR,
        format!(
            "`{HOST}` answered the request for the rates of `{base}` with HTTP status {status}"
        ),
    )
    .detail("status", status)
}
