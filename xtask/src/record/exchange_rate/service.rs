//! What the service answers where it answers: its errors, its statuses, and tables that are off.

use serde_json::json;
use tapeline_replay::loopback::Answer;

use super::{CONVERT, LATEST, scenario, usd};
use crate::rates::{Table, cny};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = errors();
    scenarios.extend(tables());
    scenarios.extend(no_json());
    scenarios.extend(redirects());
    scenarios
}

fn errors() -> Vec<Scenario> {
    let error = |kind: &str| json!({"result": "error", "error-type": kind}).to_string();
    let limited = |case, title| scenario(case, title).line(CONVERT).fails("RateLimited");
    vec![
        scenario("service-unsupported-code", "the service does not know the base")
            .line("exchange-rate latest --base XYZ")
            .answer("XYZ", Answer::ok_json(error("unsupported-code")))
            .fails("RemoteError")
            .shows("/result/error_type", "unsupported-code"),
        scenario("service-unsupported-code-in-itself", "an unknown currency is not one to one")
            .line("exchange-rate convert --from XYZ --to XYZ --amount 1")
            .answer("XYZ", Answer::ok_json(error("unsupported-code")))
            .fails("RemoteError"),
        scenario("service-error-with-status", "the service's own error counts at any status")
            .line(LATEST)
            .answer("CNY", Answer::status(404).body(error("malformed-request")))
            .fails("RemoteError")
            .shows("/result/error_type", "malformed-request"),
        scenario("service-error-without-type", "an error that does not say why")
            .line(LATEST)
            .answer("CNY", Answer::ok_json(r#"{"result":"error"}"#))
            .fails("RemoteError"),
        scenario("service-404", "a status that is no success")
            .line(CONVERT)
            .answer("CNY", Answer::status(404).body("not here\n"))
            .fails("RemoteHttpError")
            .shows("/result/status", 404),
        scenario("service-503", "a service that is out of order")
            .line(CONVERT)
            .answer("CNY", Answer::status(503))
            .fails("RemoteHttpError")
            .shows("/result/status", 503),
        limited("service-429", "without a word of it the documented pause counts")
            .answer("CNY", Answer::status(429))
            .shows("/result/retry_after_ms", 1_200_000),
        limited("service-429-with-seconds", "a pause in seconds")
            .answer("CNY", Answer::status(429).header("retry-after", "90"))
            .shows("/result/retry_after_ms", 90_000),
        limited("service-429-with-date", "a pause until a date, by the service's own clock")
            .answer(
                "CNY",
                Answer::status(429)
                    .header("date", "Sun, 06 Nov 1994 08:49:37 GMT")
                    .header("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"),
            )
            .shows("/result/retry_after_ms", 60_000),
    ]
}

fn tables() -> Vec<Scenario> {
    let rate = |case, title, rate| {
        scenario(case, title).line(CONVERT).rates(&Table::new("CNY", &[("USD", rate)]))
    };
    vec![
        scenario("service-other-base", "the rates of another base are not used")
            .line(CONVERT)
            .answer("CNY", Answer::ok_json(usd().body()))
            .fails("RemoteError"),
        scenario("service-no-rates", "a table without rates is not used")
            .line(CONVERT)
            .rates(&cny().emptied())
            .fails("RemoteError"),
        scenario("service-ends", "the service says when it ends")
            .line(CONVERT)
            .rates(&cny().end_of_life(2_208_988_800))
            .shows("/result/warnings/0/code", "EndOfLife"),
        rate("service-rate-of-zero", "a rate that is not above zero is not used", "0")
            .fails("RemoteError"),
        rate("service-rate-as-text", "a rate in quotes is no number", "\"0.123456\"")
            .fails("ParseError"),
        rate(
            "service-rate-too-long",
            "a rate of more digits than can be kept is not rounded",
            "0.12345678901234567890123456789",
        )
        .fails("ParseError"),
        scenario("service-odd-rate-unused", "a rate that nobody asked for may be odd")
            .line(CONVERT)
            .rates(&Table::new("CNY", &[("AAA", "null"), ("USD", "0.123456")]))
            .shows("/result/converted_amount", "12.345600"),
    ]
}

fn no_json() -> Vec<Scenario> {
    let answer = |case, title, answer| {
        scenario(case, title).line(CONVERT).answer("CNY", answer).fails("ParseError")
    };
    let body = cny().body();
    let cut = body.get(..body.len() / 2).unwrap_or_default();
    vec![
        answer(
            "service-web-page",
            "a web page with status 200",
            Answer::ok("text/html", "<!doctype html><title>Busy</title><h1>Try later</h1>"),
        ),
        answer("service-json-cut", "half the JSON as the whole body", Answer::ok_json(cut)),
        answer("service-nothing", "an empty body", Answer::ok_json("")),
        answer("service-field-missing", "JSON of another kind", {
            Answer::ok_json(r#"{"result":"success","base_code":"CNY","rates":{"CNY":1}}"#)
        }),
        answer("service-no-utf-8", "a body that is no text", Answer::ok_json(b"{\"result\":\xff}")),
    ]
}

fn redirects() -> Vec<Scenario> {
    let redirect = |case, title, location| {
        scenario(case, title).line(CONVERT).answer("CNY", Answer::redirect(302, location))
    };
    vec![
        redirect("redirect-on-the-same-host", "a detour is followed", "/v6/latest/CNY.json")
            .answer("CNY.json", Answer::ok_json(cny().body()))
            .shows("/result/converted_amount", "12.345600"),
        redirect("redirect-in-a-circle", "a detour without end is left", "/v6/latest/CNY")
            .fails("NetworkError"),
        redirect(
            "redirect-to-another-host",
            "a detour to a host that is not declared is refused",
            "https://rates.example.org/v6/latest/CNY",
        )
        .fails("NetworkDenied"),
        redirect(
            "redirect-to-an-address",
            "a detour to an address inside is refused",
            "https://169.254.169.254/latest",
        )
        .fails("NetworkDenied"),
        redirect(
            "redirect-to-plain-http",
            "a detour that leaves TLS is refused",
            "http://open.er-api.com/v6/latest/CNY",
        )
        .fails("NetworkDenied"),
    ]
}
