//! [`Exchange`]: an answer that a case is given.

use tapeline::scrub::sweep;

use super::text::beginning;
use crate::given::GivenAnswer;

/// So much of a body is shown.
const MOST_BODY: usize = 4 * 1024;

/// A request and what came of it. Nothing in it looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    /// `GET https://…`
    pub(super) request: String,
    /// `200`, or the fault.
    pub(super) outcome: String,
    /// `name: value`, a line each.
    pub(super) headers: String,
    /// The beginning of the body, where that is text.
    pub(super) body: String,
    /// Of the whole body.
    pub(super) bytes: usize,
}

impl Exchange {
    pub(super) fn of(given: &GivenAnswer) -> Self {
        let request = sweep(&format!("{} {}", given.method, given.url)).into_owned();
        match &given.answer.outcome {
            Err(fault) => Self {
                request,
                outcome: fault.kind.name().to_owned(),
                headers: String::new(),
                body: String::new(),
                bytes: 0,
            },
            Ok(response) => {
                let headers = response.headers.iter();
                let headers: String =
                    headers.map(|(name, value)| format!("{name}: {value}\n")).collect();
                let body = std::str::from_utf8(&response.body).map(sweep).unwrap_or_default();
                Self {
                    request,
                    outcome: response.status.to_string(),
                    headers: sweep(&headers).into_owned(),
                    body: beginning(&body, MOST_BODY).to_owned(),
                    bytes: response.body.len(),
                }
            }
        }
    }

    /// How much of the body is shown, in words.
    pub(super) fn extent(&self) -> String {
        match (self.bytes, self.body.len()) {
            (0, _) => "no body".to_owned(),
            (bytes, 0) => format!("body of {bytes} bytes, no text"),
            (bytes, shown) if shown < bytes => {
                format!("body of {bytes} bytes, which begins")
            }
            (bytes, _) => format!("body of {bytes} bytes"),
        }
    }
}
