//! REQ-0031-008, and what else the service may answer.

use serde_json::{Value, json};
use tapeline::http::HttpFaultKind;

use super::{CNY_ENTRY, CNY_URL, body, cny};
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

#[test]
fn the_end_of_the_service_is_a_warning_of_convert_too() {
    let world = World::new();
    let ending = cny().replace("\"time_eol_unix\":0", "\"time_eol_unix\":1735689600");
    world.service.answers(200, &[], ending);
    let run = world.exec("exchange-rate convert --from CNY --to USD --amount 1").ok();
    assert_eq!(run.warnings(), ["EndOfLife"]);
    assert_eq!(run.fields_of("warnings"), ["code", "message", "time_eol_unix"]);

    world.service.answers(200, &[], cny().replace("\"time_eol_unix\":0,", ""));
    let run = world.exec(&format!("{LINE} --no-cache")).ok();
    assert_eq!(run.warnings(), [""; 0], "nothing is said of an end");
}

#[test]
fn one_request_without_credentials_and_within_the_bounds() {
    let world = World::new();
    world.answers_cny();
    world.exec(LINE).ok();
    let requests = world.service.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.url.as_str()), ("GET", CNY_URL));
    assert_eq!(request.headers, [("accept".to_owned(), "application/json".to_owned())]);
    assert!(request.body.is_empty());
    assert_eq!(request.connect_timeout_ms, 5_000);
    assert_eq!(request.timeout_ms, 15_000);
    assert_eq!(request.max_body_bytes, 1 << 20);
}

#[test]
fn declares_one_host_the_workspace_and_its_codes() {
    let world = World::new();
    for (path, capabilities) in [
        ("exchange-rate convert", &["ReadFiles", "WriteFiles", "Network(open.er-api.com)"][..]),
        (
            "exchange-rate latest",
            &["ReadFiles", "WriteFiles", "Network(open.er-api.com)", "HighRisk"],
        ),
    ] {
        let spec = world.terminal.registry().specs().find(|spec| spec.path == path).unwrap();
        assert_eq!(spec.capabilities.names(), capabilities, "{path}");
        let codes: Vec<_> = spec.error_codes.iter().map(|code| code.name()).collect();
        assert_eq!(
            codes,
            [
                "UnknownCurrency",
                "NetworkError",
                "ParseError",
                "RemoteError",
                "RemoteHttpError",
                "RateLimited",
            ],
            "{path}"
        );
    }
}

#[test]
fn a_redirect_to_another_host_is_not_followed() {
    check(302, &[("location", "https://example.com/")], "", "NetworkDenied", &["example.com"]);
}

#[test]
fn a_redirect_on_the_host_is_followed() {
    let world = World::new();
    world.service.answers(301, &[("location", "/v6/latest/CNY/")], "");
    world.answers_cny();
    let run = world.exec(LINE).ok();
    assert_eq!(run.result["source_url"], CNY_URL);
    assert_eq!(world.service.asked().len(), 2);
}

#[test]
fn any_result_but_success_is_an_error_of_the_service() {
    let answer = cny().replace("\"success\"", "\"maintenance\"");
    check(200, &[], answer, "RemoteError", &["does not say why"]);
}

#[test]
fn a_base_the_service_refuses_is_named() {
    let world = World::new();
    let answer = r#"{"result":"error","error-type":"unsupported-code"}"#;
    for line in [
        "exchange-rate latest --base xxx",
        "exchange-rate convert --from xxx --to USD --amount 1",
        "exchange-rate convert --from xxx --to xxx --amount 1",
    ] {
        world.service.answers(404, &[], answer);
        let run = world.exec(line).fails("RemoteError", &["`unsupported-code`", "`XXX`"]);
        assert!(run.envelope.error_message.unwrap().contains("unsupported-code"));
        assert_eq!(run.result["error_type"], "unsupported-code");
    }
    assert!(world.workspace.files().is_empty());
}

#[test]
fn a_rate_limit_is_one_whatever_its_body_says() {
    let answer = r#"{"result":"error","error-type":"quota-reached"}"#;
    let result = check(429, &[], answer, "RateLimited", &["pause"]);
    assert_eq!(result["retry_after_ms"], 1_200_000);
}

#[test]
fn an_answer_of_one_mebibyte_is_read() {
    let world = World::new();
    let answer = cny();
    let padding = " ".repeat((1 << 20) - answer.len());
    world.service.answers(200, &[], answer + &padding);
    world.exec(LINE).ok();
}

#[test]
fn a_failure_tells_its_details_after_what_every_failure_has() {
    for (status, headers, answer, detail) in [
        (200, &[][..], r#"{"result":"error","error-type":"unsupported-code"}"#, "error_type"),
        (404, &[], "no", "status"),
        (429, &[("retry-after", "7")], "", "retry_after_ms"),
        (200, &[], &cny(), "codes"),
    ] {
        let world = World::new();
        world.service.answers(status, headers, answer);
        let run = world.exec("exchange-rate convert --from CNY --to QQQ --amount 1");
        assert_eq!(run.fields(), ["ok", "command", "error_code", "error_message", detail]);
        assert_eq!(run.result["command"], "exchange-rate convert");
        assert_ne!(run.envelope.exit_code, 0);
    }
}
