//! REQ-0031-005, -007 and -009.

use serde_json::json;
use tapeline::http::HttpFaultKind;

use super::{CNY_URL, body};
use crate::world::World;

const IRR: &str = r#""IRR":1,"USD":0.000024,"KWD":0.0000075"#;
const USD: &str = r#""USD":1,"IRR":42000"#;

#[test]
fn multiplies_the_amount_by_the_rate() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate convert --from CNY --to USD --amount 100").ok();
    assert_eq!(world.service.asked(), [format!("GET {CNY_URL}")]);
    assert_eq!(
        run.fields(),
        [
            "ok",
            "command",
            "from",
            "to",
            "amount",
            "rate",
            "converted_amount",
            "time_last_update_utc",
            "time_next_update_utc",
            "cached",
            "stale",
            "attribution",
            "warnings",
        ]
    );
    assert_eq!(
        run.result,
        json!({
            "ok": true,
            "command": "exchange-rate convert",
            "from": "CNY",
            "to": "USD",
            "amount": "100",
            "rate": "0.14",
            "converted_amount": "14.000000",
            "time_last_update_utc": "Tue, 14 Nov 2023 21:13:20 +0000",
            "time_next_update_utc": "Wed, 15 Nov 2023 21:13:20 +0000",
            "cached": false,
            "stale": false,
            "attribution": "Rates By Exchange Rate API",
            "warnings": [],
        })
    );
    assert_eq!(
        run.envelope.stdout,
        "\
100 CNY = 14.000000 USD
1 CNY = 0.14 USD
as of Tue, 14 Nov 2023 21:13:20 +0000, 1 hour old
Rates By Exchange Rate API
"
    );
}

#[track_caller]
fn check(rate: &str, amount: &str, precision: &str, converted: &str) {
    let world = World::new();
    world.service.answers(200, &[], body("CNY", &format!(r#""CNY":1,"USD":{rate}"#)));
    let run = world
        .exec(&format!(
            "exchange-rate convert --from cny --to usd --amount {amount} --precision {precision}"
        ))
        .ok();
    assert_eq!(run.result["converted_amount"], converted, "{amount} × {rate} at {precision}");
}

#[test]
fn rounds_once_half_away_from_zero_to_exactly_the_places_asked_for() {
    check("7.1", "12.34", "4", "87.6140");
    check("7.1", "12.34", "2", "87.61");
    check("0.5", "0.25", "2", "0.13");
    check("0.5", "5", "0", "3");
    check("0.5", "0.9999999999999999999999999999", "0", "0");
    check("1", "0", "10", "0.0000000000");
    check("2", "+7", "1", "14.0");
}

#[test]
fn keeps_every_digit_of_a_rate() {
    check("1e-7", "1000000", "10", "0.1000000000");
    check("1.0E-5", "1", "10", "0.0000100000");
    check("0.000023", "1", "10", "0.0000230000");
    check("25432.75", "3", "6", "76298.250000");
    check("1234567890.123456", "10", "6", "12345678901.234560");
    check("1234567890", "1234567890", "0", "1524157875019052100");
}

#[test]
fn an_amount_and_rate_are_given_back_as_plain_digits() {
    let world = World::new();
    world.service.answers(200, &[], body("CNY", r#""CNY":1,"USD":1.5E3"#));
    let run = world.exec("exchange-rate convert --from CNY --to USD --amount +012.340").ok();
    assert_eq!(run.result["amount"], "12.340");
    assert_eq!(run.result["rate"], "1500");
}

#[test]
fn a_currency_in_itself_is_one_and_must_be_in_the_table() {
    let world = World::with_cny_kept();
    let run = world.exec("exchange-rate convert --from CNY --to CNY --amount 2.5").ok();
    assert_eq!(run.result["rate"], "1");
    assert_eq!(run.result["converted_amount"], "2.500000");
    assert_eq!(run.warnings(), [""; 0]);
    world.service.answers(200, &[], body("QQQ", r#""USD":1"#));
    world
        .exec("exchange-rate convert --from QQQ --to QQQ --amount 1")
        .fails("UnknownCurrency", &["`QQQ`"]);
}

#[test]
fn refuses_amounts_that_are_no_plain_decimal() {
    let world = World::new();
    for (amount, part) in [
        ("abc", "`abc`"),
        ("-5", "negative"),
        ("-0.01", "negative"),
        ("--amount=-5", "negative"),
        ("1e3", "no exponent"),
        ("1,000", "no grouping"),
        ("1_000", "no grouping"),
        (".5", "between digits"),
        ("5.", "between digits"),
        ("\"\"", "--amount"),
        ("0.00000000000000000000000000001", "digits"),
        ("99999999999999999999999999999999", "digits"),
    ] {
        let amount = match amount.strip_prefix("--amount") {
            Some(_) => amount.to_owned(),
            None => format!("--amount {amount}"),
        };
        world
            .exec(&format!("exchange-rate convert --from CNY --to USD {amount}"))
            .fails("InvalidArgs", &["--amount", part]);
    }
    world
        .exec("exchange-rate convert --from CNY --to USD")
        .fails("InvalidArgs", &["--amount", "required"]);
    assert!(world.service.asked().is_empty());
}

#[test]
fn refuses_a_precision_out_of_range() {
    let world = World::new();
    for precision in ["11", "-1", "2.5", "six"] {
        world
            .exec(&format!(
                "exchange-rate convert --from CNY --to USD --amount 1 --precision {precision}"
            ))
            .fails("InvalidArgs", &["--precision", "from 0 to 10"]);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn names_the_amount_whose_product_cannot_be_held() {
    let world = World::with_cny_kept();
    let amount = "79228162514264337593543950335";
    world
        .exec(&format!("exchange-rate convert --from CNY --to VND --amount {amount}"))
        .fails("InvalidArgs", &[amount, "--precision"]);
}

#[test]
fn names_the_currency_the_table_does_not_hold() {
    let world = World::with_cny_kept();
    let run = world
        .exec("exchange-rate convert --from CNY --to qqq --amount 1")
        .fails("UnknownCurrency", &["`QQQ`", "`CNY`"]);
    assert_eq!(run.result["codes"], json!(["QQQ"]));
    assert!(world.service.asked().is_empty(), "a hit makes no request");
}

#[test]
fn a_rate_of_few_digits_brings_the_inverse() {
    let world = World::new();
    world.service.answers(200, &[], body("IRR", IRR));
    world.service.answers(200, &[], body("USD", USD));
    let run = world.exec("exchange-rate convert --from IRR --to USD --amount 100").ok();
    assert_eq!(run.result["converted_amount"], "0.002400", "the formula stays");
    assert_eq!(
        run.result["inverse"],
        json!({
            "rate": "42000",
            "converted_amount": "0.002381",
            "source_url": "https://open.er-api.com/v6/latest/USD",
        })
    );
    assert_eq!(run.warnings(), ["ImpreciseRate"]);
    assert_eq!(run.result["warnings"][0]["significant_digits"], 2);
    assert_eq!(run.result["warnings"][0]["max_error_percent"], "2.09");
    assert!(run.envelope.stdout.contains("more precisely, by 1 USD = 42000 IRR"));
    assert_eq!(world.service.asked().len(), 2);

    let again = world.exec("exchange-rate convert --from IRR --to USD --amount 100").ok();
    assert_eq!(again.result["inverse"], run.result["inverse"]);
    assert!(world.service.asked().is_empty(), "both tables are kept");
}

#[test]
fn without_the_other_table_the_warning_stands_alone() {
    for answer in ["fault", "503", "error", "no such rate"] {
        let world = World::new();
        world.service.answers(200, &[], body("IRR", IRR));
        match answer {
            "fault" => world.service.fails(HttpFaultKind::ReadTimeout),
            "503" => world.service.answers(503, &[], "busy"),
            "error" => world.service.answers(200, &[], r#"{"result":"error"}"#),
            _ => world.service.answers(200, &[], body("USD", r#""USD":1"#)),
        }
        let run = world.exec("exchange-rate convert --from IRR --to USD --amount 100").ok();
        assert_eq!(run.result["converted_amount"], "0.002400", "{answer}");
        assert_eq!(run.result.get("inverse"), None, "{answer}");
        assert_eq!(run.warnings(), ["ImpreciseRate"], "{answer}");
        assert_eq!(world.service.asked().len(), 2, "one request more at most");
    }
}

#[test]
fn short_rates_that_are_exact_bring_no_warning() {
    for rate in ["1", "2", "0.5", "0.14", "0.001"] {
        let world = World::new();
        world.service.answers(200, &[], body("CNY", &format!(r#""CNY":1,"USD":{rate}"#)));
        let run = world.exec("exchange-rate convert --from CNY --to USD --amount 1").ok();
        assert_eq!(run.warnings(), [""; 0], "{rate}");
        assert_eq!(world.service.asked().len(), 1, "{rate}");
    }
}
