//! REQ-0031-008, and what else the service may answer.

use serde_json::{Value, json};
use tapeline::http::HttpFaultKind;

use super::{CNY_ENTRY, body, cny};
use crate::world::World;

const LINE: &str = "exchange-rate latest --base CNY";

/// The failure that an answer amounts to, with nothing kept before or after.
#[track_caller]
fn check(
    status: u16,
    headers: &[(&str, &str)],
    answer: impl Into<Vec<u8>>,
    code: &str,
    parts: &[&str],
) -> Value {
    let world = World::new();
    world.service.answers(status, headers, answer);
    let run = world.exec(LINE).fails(code, parts);
    assert_eq!(world.read(CNY_ENTRY), None, "nothing of it is kept");
    assert_eq!(world.service.asked().len(), 1);
    run.result
}

#[test]
fn the_services_own_error_is_passed_on_at_any_status() {
    let answer = r#"{"result":"error","error-type":"unsupported-code"}"#;
    for status in [200, 404, 500] {
        let result = check(status, &[], answer, "RemoteError", &["unsupported-code", "CNY"]);
        assert_eq!(result["error_type"], "unsupported-code");
    }
    let result = check(200, &[], r#"{"result":"error"}"#, "RemoteError", &["does not say why"]);
    assert_eq!(result["error_type"], Value::Null);
}

#[test]
fn an_answer_for_another_base_or_without_usable_rates_is_an_error_of_the_service() {
    check(200, &[], body("USD", r#""CNY":7.1"#), "RemoteError", &["`CNY`", "`USD`"]);
    check(200, &[], body("CNY", ""), "RemoteError", &["without any rate"]);
    check(200, &[], body("CNY", r#""USD":0"#), "RemoteError", &["`USD`", "`0`"]);
    check(200, &[], body("CNY", r#""USD":-0.14"#), "RemoteError", &["`USD`", "`-0.14`"]);
}

#[test]
fn a_rate_that_is_not_used_may_be_anything() {
    let world = World::new();
    world.service.answers(200, &[], body("CNY", r#""USD":0.14,"XXX":0,"YYY":null"#));
    let run = world.exec(LINE).ok();
    assert_eq!(run.result["rates_total"], 3);
    assert_eq!(run.result["rates"], json!({"USD": "0.14"}));
}

#[test]
fn a_success_that_is_not_the_documented_json_is_a_parse_error() {
    let page = "<!DOCTYPE html><html><body>maintenance</body></html>";
    check(200, &[("content-type", "text/html")], page, "ParseError", &["web page"]);
    check(200, &[], "", "ParseError", &["empty"]);
    check(200, &[], b"\xff\xfe".to_vec(), "ParseError", &["UTF-8"]);
    check(200, &[], r#"{"rates":{}}"#, "ParseError", &["documented field"]);
    let whole = cny();
    check(200, &[], &whole.as_bytes()[..whole.len() - 40], "ParseError", &["ends early"]);
    let long = body("CNY", r#""USD":0.12345678901234567890123456789012"#);
    check(200, &[], long, "ParseError", &["kept exactly"]);
    check(200, &[], body("CNY", r#""USD":"0.14""#), "ParseError", &["`USD`"]);
}

#[test]
fn a_status_that_is_no_success_is_named() {
    for status in [304, 403, 404, 500, 503] {
        let text = status.to_string();
        let result = check(status, &[], "no", "RemoteHttpError", &[&text, "CNY"]);
        assert_eq!(result["status"], status);
    }
}

#[test]
fn a_rate_limit_says_how_long_to_wait() {
    let pause = |headers: &[(&str, &str)]| {
        check(429, headers, "slow down", "RateLimited", &["pause"])["retry_after_ms"].clone()
    };
    assert_eq!(pause(&[("retry-after", "7")]), 7_000);
    assert_eq!(pause(&[("retry-after", "Tue, 14 Nov 2023 22:15:20 GMT")]), 120_000);
    assert_eq!(pause(&[]), 1_200_000, "the documented twenty minutes");
    assert_eq!(pause(&[("retry-after", "later")]), 1_200_000);
}

#[test]
fn no_answer_is_a_network_error() {
    for kind in [
        HttpFaultKind::Dns,
        HttpFaultKind::ConnectRefused,
        HttpFaultKind::ConnectTimeout,
        HttpFaultKind::Tls,
        HttpFaultKind::Reset,
        HttpFaultKind::ReadTimeout,
        HttpFaultKind::Truncated,
        HttpFaultKind::Stall,
        HttpFaultKind::Decode,
    ] {
        let world = World::new();
        world.service.fails(kind);
        let run = world.exec(LINE).fails("NetworkError", &[]);
        assert_eq!(run.result["fault"], kind.name());
    }
}

#[test]
fn an_answer_over_one_mebibyte_is_refused() {
    let world = World::new();
    world.service.answers(200, &[], vec![b' '; (1 << 20) + 1]);
    let run = world.exec(LINE).fails("LimitExceeded", &[]);
    assert_eq!(run.result["max"], 1 << 20);
}

#[test]
fn the_end_of_the_service_is_a_warning() {
    let world = World::new();
    let ending = cny().replace("\"time_eol_unix\":0", "\"time_eol_unix\":1735689600");
    world.service.answers(200, &[], ending);
    for cached in [false, true] {
        let run = world.exec(LINE).ok();
        assert_eq!(run.result["cached"], cached);
        assert_eq!(run.warnings(), ["EndOfLife"]);
        assert_eq!(run.result["warnings"][0]["time_eol_unix"], 1_735_689_600);
        assert!(run.envelope.stderr.contains("2025-01-01"), "{}", run.envelope.stderr);
    }
}
