//! REQ-0031-005, -007 and -009, and -006 and -010 as far as they are the command's own.

use serde_json::json;
use tapeline::{Policy, http::HttpFaultKind};

use super::{ATTRIBUTION, CNY_ENTRY, CNY_URL, HOUR_MS, body, entry};
use crate::world::{START_MS, World};

const IRR: &str = r#""IRR":1,"USD":0.000024,"KWD":0.0000075"#;
const USD: &str = r#""USD":1,"IRR":42000"#;
const IRR_LINE: &str = "exchange-rate convert --from IRR --to USD --amount 100";
const IRR_ENTRY: &str = "cache/exchange-rate/IRR.json";
const USD_ENTRY: &str = "cache/exchange-rate/USD.json";

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
fn a_rate_below_four_digits_tells_the_size_of_the_possible_error() {
    for (rate, digits, percent) in [
        ("0.000001", 1, "50.00"),
        ("1e-7", 1, "50.00"),
        ("0.00023", 3, "0.22"),
        ("0.000999", 3, "0.06"),
    ] {
        let world = World::with_policy(Policy::default());
        world.put(IRR_ENTRY, entry(&body("IRR", &format!(r#""IRR":1,"USD":{rate}"#))));
        let run = world.exec(IRR_LINE).ok();
        assert_eq!(run.warnings(), ["ImpreciseRate"], "{rate}");
        let warning = &run.result["warnings"][0];
        assert_eq!(warning["significant_digits"], digits, "{rate}");
        assert_eq!(warning["max_error_percent"], percent, "{rate}");
        let message = warning["message"].as_str().unwrap();
        assert!(message.contains(&format!("may be off by {percent} %")), "{message}");
        assert!(run.envelope.stderr.contains(message), "{rate}");
    }
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

#[test]
fn refuses_malformed_and_missing_codes_before_any_request() {
    let world = World::new();
    for (arguments, parts) in [
        ("--to USD --amount 1", &["--from", "required"][..]),
        ("--from CNY --amount 1", &["--to", "required"]),
        ("--from CN --to USD --amount 1", &["--from", "`CN`", "three letters"]),
        ("--from CNY --to USDT --amount 1", &["--to", "`USDT`", "three letters"]),
        ("--from \u{a5} --to USD --amount 1", &["--from", "three letters"]),
        ("--from CNY --to $ --amount 1", &["--to", "three letters"]),
        ("--from CNY --to \u{20ac} --amount 1", &["--to", "three letters"]),
        ("--from CNY --to USD,EUR --amount 1", &["--to", "three letters"]),
        ("--from CNY --to USD --amount 1 --precision", &["--precision"]),
    ] {
        world.exec(&format!("exchange-rate convert {arguments}")).fails("InvalidArgs", parts);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn precision_changes_nothing_but_the_converted_amount() {
    let world = World::new();
    world.service.answers(200, &[], body("CNY", r#""CNY":1,"USD":0.142857"#));
    for (precision, converted) in [
        (" --precision 0", "2"),
        (" --precision 1", "1.8"),
        ("", "1.761427"),
        (" --precision 10", "1.7614268100"),
    ] {
        let line = "exchange-rate convert --from CNY --to USD --amount 12.33";
        let run = world.exec(&format!("{line}{precision}")).ok();
        assert_eq!(run.result["amount"], "12.33", "{precision}");
        assert_eq!(run.result["rate"], "0.142857", "{precision}");
        assert_eq!(run.result["converted_amount"], converted, "{precision}");
    }
}

#[test]
fn a_rate_of_more_digits_than_can_be_kept_is_an_error() {
    for rate in [
        "0.12345678901234567890123456789",
        "123456789012345678901234567890",
        "1.2345678901234567890123456789012e5",
        "1e-29",
        "1e29",
    ] {
        let world = World::new();
        world.service.answers(200, &[], body("CNY", &format!(r#""CNY":1,"USD":{rate}"#)));
        world
            .exec("exchange-rate convert --from CNY --to USD --amount 1")
            .fails("ParseError", &["kept exactly", "`USD`"]);
        assert_eq!(world.read(CNY_ENTRY), None, "{rate}");
    }
}

#[test]
fn a_currency_in_itself_is_one_whatever_the_table_shows() {
    for (rate, code) in [("0.999999", None), ("1e-7", None), ("0", Some("RemoteError"))] {
        let world = World::new();
        world.service.answers(200, &[], body("CNY", &format!(r#""CNY":{rate}"#)));
        let run = world.exec("exchange-rate convert --from cny --to CNY --amount 1.005");
        match code {
            Some(code) => drop(run.fails(code, &["`CNY`"])),
            None => {
                let run = run.ok();
                assert_eq!(run.result["rate"], "1", "{rate}");
                assert_eq!(run.result["converted_amount"], "1.005000", "{rate}");
                assert_eq!(run.warnings(), [""; 0], "{rate}");
            }
        }
    }
}

#[test]
fn no_cache_asks_all_the_same() {
    let world = World::with_cny_kept();
    let line = "exchange-rate convert --from CNY --to USD --amount 100";
    world.service.answers(200, &[], body("CNY", r#""USD":0.15"#));
    let run = world.exec(&format!("{line} --no-cache")).ok();
    assert_eq!((&run.result["cached"], &run.result["rate"]), (&json!(false), &json!("0.15")));
    assert_eq!(world.service.asked(), [format!("GET {CNY_URL}")]);
    let run = world.exec(line).ok();
    assert_eq!((&run.result["cached"], &run.result["rate"]), (&json!(true), &json!("0.15")));
    assert!(world.service.asked().is_empty());
}

#[test]
fn no_cache_asks_for_the_other_table_too() {
    let world = World::new();
    world.put(IRR_ENTRY, entry(&body("IRR", IRR)));
    world.put(USD_ENTRY, entry(&body("USD", USD)));
    world.service.answers(200, &[], body("IRR", IRR));
    world.service.answers(200, &[], body("USD", r#""USD":1,"IRR":41000"#));
    let run = world.exec(&format!("{IRR_LINE} --no-cache")).ok();
    assert_eq!(run.result["cached"], false);
    assert_eq!(run.result["inverse"]["rate"], "41000");
    assert_eq!(world.service.asked().len(), 2);
}

#[test]
fn kept_rates_stand_in_as_for_latest() {
    let line = "exchange-rate convert --from CNY --to USD --amount 100";
    for (hours, flag, stale, warnings) in
        [(0, " --no-cache", false, &[][..]), (72, "", true, &["StaleRates"])]
    {
        let world = World::with_cny_kept();
        world.set_now_ms(START_MS + hours * HOUR_MS);
        world.service.fails(HttpFaultKind::ConnectTimeout);
        let run = world.exec(&format!("{line}{flag}")).ok();
        assert_eq!(run.result["converted_amount"], "14.000000");
        assert_eq!((&run.result["cached"], &run.result["stale"]), (&json!(true), &json!(stale)));
        assert_eq!(run.warnings(), warnings);
        assert!(run.envelope.stdout.contains("from the cache"), "{}", run.envelope.stdout);
        assert_eq!(run.envelope.stdout.lines().last(), Some(ATTRIBUTION));
    }
    let world = World::new();
    world.service.fails(HttpFaultKind::ConnectTimeout);
    world.exec(line).fails("NetworkError", &[]);
}

#[test]
fn the_inverse_stands_after_the_converted_amount() {
    let world = World::new();
    world.put(IRR_ENTRY, entry(&body("IRR", IRR)));
    world.put(USD_ENTRY, entry(&body("USD", USD)));
    let run = world.exec(IRR_LINE).ok();
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
            "inverse",
            "time_last_update_utc",
            "time_next_update_utc",
            "cached",
            "stale",
            "attribution",
            "warnings",
        ]
    );
    assert_eq!(run.fields_of("inverse"), ["rate", "converted_amount", "source_url"]);
    assert_eq!(
        run.fields_of("warnings"),
        ["code", "message", "significant_digits", "max_error_percent"]
    );
    assert_eq!(run.envelope.stdout.lines().last(), Some(ATTRIBUTION));
    assert!(world.service.asked().is_empty(), "both tables were kept");
}

#[test]
fn the_inverse_divides_and_rounds_half_away_from_zero() {
    let world = World::new();
    world.put(IRR_ENTRY, entry(&body("IRR", r#""IRR":1,"USD":0.000125"#)));
    world.put(USD_ENTRY, entry(&body("USD", r#""USD":1,"IRR":8000"#)));
    let run =
        world.exec("exchange-rate convert --from IRR --to USD --amount 1000 --precision 2").ok();
    assert_eq!(run.result["converted_amount"], "0.13");
    assert_eq!(run.result["inverse"]["converted_amount"], "0.13");
}

#[test]
fn an_other_table_that_is_out_of_date_is_no_inverse() {
    let world = World::new();
    world.service.answers(200, &[], body("USD", USD));
    world.exec("exchange-rate latest --base USD").ok();
    world.set_now_ms(START_MS + 72 * HOUR_MS);
    world.service.answers(200, &[], body("IRR", IRR));
    world.service.fails(HttpFaultKind::Dns);
    let run = world.exec(IRR_LINE).ok();
    assert_eq!(run.result.get("inverse"), None);
    assert_eq!(run.warnings(), ["ImpreciseRate"]);
    assert_eq!(run.result["stale"], false, "the direct rate is fresh");
}

#[test]
fn an_other_table_that_may_not_be_asked_for_is_no_inverse() {
    let world = World::with_policy(Policy::default());
    world.put(IRR_ENTRY, entry(&body("IRR", IRR)));
    let run = world.exec(IRR_LINE).ok();
    assert_eq!(run.result["converted_amount"], "0.002400");
    assert_eq!(run.result.get("inverse"), None);
    assert_eq!(run.warnings(), ["ImpreciseRate"]);
    assert!(world.service.asked().is_empty());
}

#[test]
fn a_broken_entry_of_the_other_table_is_a_warning_of_the_inverse() {
    let world = World::new();
    world.put(IRR_ENTRY, entry(&body("IRR", IRR)));
    world.put(USD_ENTRY, "{");
    world.service.answers(200, &[], body("USD", USD));
    let run = world.exec(IRR_LINE).ok();
    assert_eq!(run.result["cached"], true, "of the direct rate");
    assert_eq!(run.result["inverse"]["rate"], "42000");
    assert_eq!(run.warnings(), ["ImpreciseRate", "CacheReadError"]);
    assert_eq!(world.service.asked().len(), 1);
}

#[test]
fn an_inverse_that_cannot_be_held_is_left_out() {
    let world = World::new();
    world.put(IRR_ENTRY, entry(&body("IRR", IRR)));
    world.put(USD_ENTRY, entry(&body("USD", r#""USD":1,"IRR":1e-7"#)));
    let amount = "10000000000000000000000000";
    let run =
        world.exec(&format!("exchange-rate convert --from IRR --to USD --amount {amount}")).ok();
    assert_eq!(run.result["converted_amount"], "240000000000000000000.000000");
    assert_eq!(run.result.get("inverse"), None);
    assert_eq!(run.warnings(), ["ImpreciseRate"]);
}

#[test]
fn the_end_of_the_service_is_told_once_for_both_tables() {
    let ending = |body: String| body.replace("\"time_eol_unix\":0", "\"time_eol_unix\":1735689600");
    let world = World::new();
    world.service.answers(200, &[], ending(body("IRR", IRR)));
    world.service.answers(200, &[], ending(body("USD", USD)));
    let run = world.exec(IRR_LINE).ok();
    assert_eq!(run.result["inverse"]["rate"], "42000");
    assert_eq!(run.warnings(), ["EndOfLife", "ImpreciseRate"]);
}

#[test]
fn a_kept_answer_serves_both_commands() {
    let world = World::new();
    world.answers_cny();
    world.exec("exchange-rate convert --from CNY --to USD --amount 1").ok();
    let run = world.exec("exchange-rate latest --base CNY").ok();
    assert_eq!(run.result["cached"], true);
    assert_eq!(world.service.asked().len(), 1);
}
