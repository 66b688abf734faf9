//! The way to the service fails, or the run is ended on it.

use tapeline_replay::loopback::Answer;

use super::{CONVERT, scenario};
use crate::rates::cny;
use crate::record::scenario::{Provider, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    let lost = |case, title| scenario(case, title).line(CONVERT).fails("NetworkError");
    vec![
        lost("connection-refused", "nobody listens").shows("/result/fault", "connect_refused"),
        lost("name-unresolved", "the name does not resolve")
            .provider(Provider::Unresolved)
            .shows("/result/fault", "dns"),
        lost("certificate-for-another-name", "a server under another name is not trusted")
            .provider(Provider::Impostor)
            .shows("/result/fault", "tls"),
        lost("connection-reset", "a reset in place of an answer")
            .answer("CNY", Answer::reset_before_head())
            .shows("/result/fault", "reset"),
        lost("connection-closed", "the end of the connection in place of an answer")
            .answer("CNY", Answer::close_before_head())
            .shows("/result/fault", "reset"),
        lost("body-truncated", "a body shorter than its length says")
            .answer("CNY", Answer::ok_json(cny().body()).cut_after(100))
            .shows("/result/fault", "truncated"),
        lost("chunked-body-truncated", "a chunked body without its end")
            .answer("CNY", Answer::ok_json(cny().body()).chunked().cut_after(100))
            .shows("/result/fault", "truncated"),
        lost("body-encoding-broken", "a body that is not compressed as it says")
            .answer("CNY", Answer::ok_json("no gzip").header("content-encoding", "gzip"))
            .shows("/result/fault", "decode"),
        lost("no-http", "bytes that are no HTTP")
            .answer("CNY", Answer::raw("220 mail.example.org ready\r\n\r\n"))
            .shows("/result/fault", "decode"),
        lost("no-answer-in-time", "a service that says nothing")
            .answer("CNY", Answer::stall_before_head())
            .timeout_ms(600)
            .shows("/result/fault", "read_timeout"),
        lost("body-stalls", "a body that stops coming")
            .answer("CNY", Answer::ok_json(cny().body()).stall_after(100))
            .timeout_ms(600)
            .shows("/result/fault", "stall"),
        scenario("body-over-a-mebibyte", "an answer that is too long is not read")
            .line(CONVERT)
            .answer("CNY", Answer::ok_json(" ".repeat((1 << 20) + 1)))
            .fails("LimitExceeded"),
        scenario("cancelled", "Ctrl-C while the service is waited for")
            .line(CONVERT)
            .answer("CNY", Answer::stall_before_head())
            .interrupted()
            .fails("Cancelled"),
        scenario("cancelled-in-the-body", "Ctrl-C after half a body")
            .line(CONVERT)
            .answer("CNY", Answer::ok_json(cny().body()).stall_after(100))
            .interrupted()
            .fails("Cancelled"),
    ]
}
