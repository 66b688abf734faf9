//! What a caller is told of an [`HttpFault`].
//!
//! A replay has the fault's kind and nothing else of it, so the kind alone decides the text. The
//! cause may hold addresses and is the host's.

use super::{HttpFault, HttpFaultKind, hop::Hop};
use crate::{ErrorCode, Failure};

/// The failure of a hop that ended in `fault`.
pub(super) fn failure(fault: &HttpFault, hop: &Hop, max_body_bytes: u64) -> Failure {
    let say = |what: &str| format!("{} `{}`: {what}", hop.method, hop.host());
    let (code, what, hint) = match fault.kind {
        HttpFaultKind::TooLarge => {
            let message = say(&format!("the answer is longer than {max_body_bytes} bytes"));
            return Failure::limit_exceeded("http_body", max_body_bytes, message)
                .hint("ask for less, or have the host raise the limit");
        }
        HttpFaultKind::AddressDenied => (
            ErrorCode::NETWORK_DENIED,
            "the name leads outside the public network",
            "only public addresses can be reached; the operator may allow others",
        ),
        HttpFaultKind::Dns => (
            ErrorCode::NETWORK_ERROR,
            "the name does not resolve",
            "check the spelling of the host and the network connection",
        ),
        HttpFaultKind::ConnectRefused => (
            ErrorCode::NETWORK_ERROR,
            "it takes no connection",
            "the service may be down: try again later",
        ),
        HttpFaultKind::ConnectTimeout => (
            ErrorCode::NETWORK_ERROR,
            "no connection in the time there was",
            "try again later, or give the run more time with `timeout_ms`",
        ),
        HttpFaultKind::Tls => (
            ErrorCode::NETWORK_ERROR,
            "no TLS connection that can be trusted",
            "its certificate may have expired, be for another name or of an unknown authority",
        ),
        HttpFaultKind::Reset => (
            ErrorCode::NETWORK_ERROR,
            "it closed the connection instead of an answer",
            "try again later",
        ),
        HttpFaultKind::ReadTimeout => (
            ErrorCode::NETWORK_ERROR,
            "no answer in the time there was",
            "try again later, or give the run more time with `timeout_ms`",
        ),
        HttpFaultKind::Truncated => {
            (ErrorCode::NETWORK_ERROR, "the answer ended early", "try again")
        }
        HttpFaultKind::Stall => (
            ErrorCode::NETWORK_ERROR,
            "the answer stopped coming",
            "try again later, or give the run more time with `timeout_ms`",
        ),
        HttpFaultKind::Decode => (
            ErrorCode::NETWORK_ERROR,
            "the answer is not valid HTTP, or its encoding is broken",
            "the service is at fault: try another URL",
        ),
    };
    Failure::new(code, say(what)).hint(hint).detail("fault", fault.kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Request;

    #[test]
    fn tells_the_kind_and_never_the_cause() {
        let hop = Hop::first(Request::get("https://a.example/?key=secret")).unwrap();
        for kind in HttpFaultKind::ALL {
            let told = failure(&HttpFault::new(kind, "10.0.0.1 in /etc"), &hop, 7);
            let code = match kind {
                HttpFaultKind::TooLarge => ErrorCode::LIMIT_EXCEEDED,
                HttpFaultKind::AddressDenied => ErrorCode::NETWORK_DENIED,
                _ => ErrorCode::NETWORK_ERROR,
            };
            assert_eq!(told.code(), code, "{}", kind.name());
            assert!(told.message().starts_with("GET `a.example`: "), "{}", told.message());
            assert!(told.hint_text().is_some(), "{}", kind.name());
            for unsafe_part in ["10.0.0.1", "/etc", "secret"] {
                assert!(!told.message().contains(unsafe_part), "{}", told.message());
            }
            if kind != HttpFaultKind::TooLarge {
                let name = format!("\"{}\"", kind.name());
                assert_eq!(told.detail_json("fault"), Some(&*name));
            }
        }
    }

    #[test]
    fn too_large_names_the_limit() {
        let hop = Hop::first(Request::get("https://a.example/")).unwrap();
        let told = failure(&HttpFault::new(HttpFaultKind::TooLarge, ""), &hop, 7);
        assert_eq!(told.detail_json("limit"), Some("\"http_body\""));
        assert_eq!(told.detail_json("max"), Some("7"));
    }
}
