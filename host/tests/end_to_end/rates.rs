//! Made-up tables of rates in the provider's shape, and arithmetic to hold the program against.

use std::time::{SystemTime, UNIX_EPOCH};

use tapeline_replay::loopback::Answer;

/// The table of `base`, updated so many hours ago and due again a day after.
pub(crate) fn table(base: &str, hours_old: u64, rates: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "the program under test goes by the real clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let last = now - hours_old * 3600;
    let next = last + 24 * 3600;
    format!(
        r#"{{"result":"success","provider":"https://www.exchangerate-api.com","documentation":"https://www.exchangerate-api.com/docs/free","terms_of_use":"https://www.exchangerate-api.com/terms","time_last_update_unix":{last},"time_last_update_utc":"{hours_old} hours ago","time_next_update_unix":{next},"time_next_update_utc":"a day later","time_eol_unix":0,"base_code":"{base}","rates":{rates}}}"#
    )
}

/// A fresh table of CNY.
pub(crate) fn fresh() -> Answer {
    aged(1)
}

/// A table of CNY, updated so many hours ago.
pub(crate) fn aged(hours: u64) -> Answer {
    Answer::ok_json(table(
        "CNY",
        hours,
        r#"{"CNY":1,"AED":0.456789,"EUR":0.111222,"JPY":19.876543,"KRW":198.765432,"USD":0.123457}"#,
    ))
}

/// `amount × rate` with six decimals, half away from zero, on digits alone.
pub(crate) fn product(amount: &str, rate: &str) -> String {
    let (amount, amount_places) = digits(amount);
    let (rate, rate_places) = digits(rate);
    let (product, places) = (amount * rate, amount_places + rate_places);
    let millionths = match places.checked_sub(6) {
        None | Some(0) => product * 10_u128.pow(6 - places),
        Some(more) => (product + 5 * 10_u128.pow(more - 1)) / 10_u128.pow(more),
    };
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

fn digits(number: &str) -> (u128, u32) {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    (format!("{whole}{fraction}").parse().unwrap(), u32::try_from(fraction.len()).unwrap())
}

#[test]
fn products_are_right_where_known() {
    assert_eq!(product("100", "0.123457"), "12.345700");
    assert_eq!(product("0.5", "0.000001"), "0.000001");
    assert_eq!(product("0.4", "0.000001"), "0.000000");
    assert_eq!(product("1", "25432.75"), "25432.750000");
    assert_eq!(product("3", "1"), "3.000000");
}
