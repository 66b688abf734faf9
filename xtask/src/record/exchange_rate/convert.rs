//! `exchange-rate convert`: arithmetic, its limits, and rates of few digits.

use serde_json::json;
use tapeline_replay::loopback::Answer;

use super::{CONVERT, scenario, usd};
use crate::rates::{Table, cny};
use crate::record::scenario::Scenario;

/// By the direct rate 11.550000 KWD, by the other table 11.571131.
const IMPRECISE: &str = "exchange-rate convert --from KRW --to KWD --amount 50000";

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = converted();
    scenarios.extend(refused());
    scenarios.extend(imprecise());
    scenarios
}

fn converted() -> Vec<Scenario> {
    vec![
        scenario("convert-from-network", "the rate is asked for and kept")
            .line(CONVERT)
            .rates(&cny())
            .shows("/result/converted_amount", "12.345600")
            .shows("/result/cached", false),
        scenario("convert-to-four-places", "a precision of its own")
            .line("exchange-rate convert --from USD --to CNY --amount 12.34 --precision 4")
            .rates(&usd())
            .shows("/result/converted_amount", "99.9541"),
        scenario("convert-to-no-places", "the least precision: whole units")
            .line("exchange-rate convert --from CNY --to USD --amount 100 --precision 0")
            .rates(&cny())
            .shows("/result/converted_amount", "12"),
        scenario("convert-to-ten-places", "the highest precision fills up with zeros")
            .line("exchange-rate convert --from CNY --to USD --amount 100 --precision 10")
            .rates(&cny())
            .shows("/result/converted_amount", "12.3456000000"),
        scenario("convert-lower-case-codes", "codes in lower case are shown in upper case")
            .line("exchange-rate convert --from cny --to usd --amount 100")
            .rates(&cny())
            .shows("/result/from", "CNY")
            .shows("/result/to", "USD"),
        scenario("convert-half-away-from-zero", "0.125 at two places is 0.13")
            .line("exchange-rate convert --from CNY --to USD --amount 1 --precision 2")
            .rates(&Table::new("CNY", &[("USD", "0.125")]))
            .shows("/result/converted_amount", "0.13"),
        scenario("convert-rounded-once", "a product just below one half is not rounded twice")
            .line(
                "exchange-rate convert --from CNY --to USD --precision 0 \
                 --amount 0.9999999999999999999999999999",
            )
            .rates(&Table::new("CNY", &[("USD", "0.5")]))
            .shows("/result/converted_amount", "0"),
        scenario("convert-many-digits", "a long amount loses none of its digits")
            .line(
                "exchange-rate convert --from CNY --to USD --precision 10 \
                 --amount 1234567890123456.123456789012",
            )
            .rates(&cny())
            .shows("/result/converted_amount", "152414813443081.3991774813"),
        scenario("convert-same-currency", "a currency in itself is one to one")
            .line("exchange-rate convert --from CNY --to CNY --amount 12.34")
            .rates(&cny())
            .shows("/result/rate", "1")
            .shows("/result/converted_amount", "12.340000"),
        scenario("convert-nothing", "an amount of zero")
            .line("exchange-rate convert --from CNY --to USD --amount 0")
            .rates(&cny())
            .shows("/result/converted_amount", "0.000000"),
        scenario("convert-with-plus-sign", "a plus may stand before the amount")
            .line("exchange-rate convert --from CNY --to USD --amount +100.50")
            .rates(&cny())
            .shows("/result/amount", "100.50"),
        scenario("convert-whole-rate", "a rate without decimals")
            .line("exchange-rate convert --from CNY --to JPY --amount 1.5")
            .rates(&Table::new("CNY", &[("JPY", "20")]))
            .shows("/result/converted_amount", "30.000000"),
        scenario("convert-rate-of-ten-digits", "a rate of ten digits before the point")
            .line("exchange-rate convert --from CNY --to IRR --amount 2.5")
            .rates(&Table::new("CNY", &[("IRR", "1234567890.25")]))
            .shows("/result/converted_amount", "3086419725.625000"),
        scenario("convert-rate-with-exponent", "a rate in scientific notation is exact")
            .line("exchange-rate convert --from CNY --to XAU --amount 1000000 --precision 8")
            .rates(&Table::new("CNY", &[("XAU", "1.2345E-7")]))
            .shows("/result/rate", "0.00000012345")
            .shows("/result/converted_amount", "0.12345000"),
    ]
}

fn refused() -> Vec<Scenario> {
    let amount = |case, title, amount: &str| {
        scenario(case, title)
            .line(format!("exchange-rate convert --from CNY --to USD --amount {amount}"))
            .fails("InvalidArgs")
    };
    let precision = |case, title, precision: &str| {
        scenario(case, title)
            .line(format!("{CONVERT} --precision {precision}"))
            .fails("InvalidArgs")
    };
    vec![
        amount("convert-amount-negative", "negative amounts are refused by name", "-5"),
        amount("convert-amount-with-exponent", "an amount has no exponent", "1e3"),
        amount("convert-amount-with-grouping", "an amount has no grouping", "1,000"),
        amount("convert-amount-with-unit", "an amount has no unit", "100CNY"),
        amount("convert-amount-ends-in-point", "a point stands between digits", "5."),
        amount(
            "convert-amount-too-long",
            "an amount of more digits than can be kept exactly",
            "12345678901234567890.1234567890",
        ),
        precision("convert-precision-too-high", "eleven places are too many", "11"),
        precision("convert-precision-negative", "places are counted from zero", "-1"),
        precision("convert-precision-no-number", "a precision is a whole number", "2.0"),
        scenario("convert-product-too-long", "a product that cannot be kept exactly")
            .line("exchange-rate convert --from CNY --to JPY --amount 9999999999999999999999999999")
            .rates(&cny())
            .fails("InvalidArgs"),
        scenario("convert-amount-missing", "all that is required is named")
            .line("exchange-rate convert --from CNY --to USD")
            .fails("InvalidArgs"),
        scenario("convert-source-symbol", "a currency's symbol is no code")
            .line("exchange-rate convert --from ¥ --to USD --amount 100")
            .fails("InvalidArgs"),
        scenario("convert-target-unknown", "the table does not have the currency wanted")
            .line("exchange-rate convert --from CNY --to XYZ --amount 100")
            .rates(&cny())
            .fails("UnknownCurrency")
            .shows("/result/codes", json!(["XYZ"])),
    ]
}

fn imprecise() -> Vec<Scenario> {
    vec![
        scenario("convert-imprecise-rate", "a weak currency, more precisely by the other table")
            .line(IMPRECISE)
            .rates(&krw())
            .rates(&kwd())
            .shows("/result/converted_amount", "11.550000")
            .shows("/result/warnings/0/code", "ImpreciseRate")
            .shows("/result/inverse/converted_amount", "11.571131"),
        scenario("convert-imprecise-rate-other-table-kept", "the other table is in the cache")
            .line(IMPRECISE)
            .rates(&krw())
            .kept(&kwd(), 1)
            .shows("/result/inverse/converted_amount", "11.571131"),
        scenario("convert-imprecise-rate-alone", "no other table, so the warning stands alone")
            .line(IMPRECISE)
            .rates(&krw())
            .answer("KWD", Answer::status(503))
            .shows("/result/warnings/0/code", "ImpreciseRate")
            .shows("/result/inverse", json!(null)),
        scenario("convert-imprecise-rate-other-table-stale", "a stale table is no better")
            .line(IMPRECISE)
            .rates(&krw())
            .kept(&kwd().updated(30), 29)
            .answer("KWD", Answer::status(503))
            .shows("/result/warnings/0/code", "ImpreciseRate")
            .shows("/result/inverse", json!(null)),
    ]
}

fn krw() -> Table {
    Table::new("KRW", &[("CNY", "0.005031"), ("KWD", "0.000231"), ("USD", "0.000621")])
}

fn kwd() -> Table {
    Table::new("KWD", &[("CNY", "21.765432"), ("KRW", "4321.098765"), ("USD", "2.687123")])
}
