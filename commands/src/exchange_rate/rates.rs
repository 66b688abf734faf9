//! [`Rates`]: one table of rates, from the text of an answer.
//!
//! The same checks hold for an answer that has just come in and for one from the cache.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{error::Category, value::RawValue};
use tapeline::{ErrorCode, Failure};

use super::{age::Age, currency::Currency, exact};

/// What the rates of one base were at a time, with the answer they came in.
#[derive(Debug)]
pub(super) struct Rates {
    base: Currency,
    body: String,
    table: BTreeMap<String, Box<RawValue>>,
    last_update_unix: i64,
    last_update_utc: String,
    next_update_unix: i64,
    next_update_utc: String,
    eol_unix: i64,
}

/// The documented fields of a success; others are left alone.
#[derive(Deserialize)]
struct Success {
    base_code: String,
    rates: BTreeMap<String, Box<RawValue>>,
    time_last_update_unix: i64,
    time_last_update_utc: String,
    time_next_update_unix: i64,
    time_next_update_utc: String,
    #[serde(default)]
    time_eol_unix: i64,
}

/// What tells a success from an error.
#[derive(Deserialize)]
struct Verdict {
    result: String,
    #[serde(rename = "error-type")]
    error_type: Option<String>,
}

impl Rates {
    /// Reads the body of a success.
    ///
    /// # Errors
    /// `ParseError` for what is not the documented JSON, `RemoteError` for the service's own
    /// error, another base than the one asked for and an empty table.
    pub(super) fn parse(base: &Currency, body: String) -> Result<Self, Failure> {
        if let Some(error) = remote_error(base, body.as_bytes()) {
            return Err(error);
        }
        let verdict: Result<Verdict, _> = serde_json::from_str(&body);
        let success = verdict.and_then(|_| serde_json::from_str::<Success>(&body));
        let success = success.map_err(|error| {
            let text = body.trim();
            let what = match error.classify() {
                _ if text.is_empty() => "it is empty".to_owned(),
                _ if text.starts_with('<') => "it looks like a web page".to_owned(),
                // Cut inside a number, it is a syntax error to the parser.
                _ if text.starts_with('{') && !text.ends_with('}') => "it ends early".to_owned(),
                Category::Eof => "it ends early".to_owned(),
                Category::Data => format!(
                    "a documented field is missing or of another kind (line {}, column {})",
                    error.line(),
                    error.column()
                ),
                Category::Syntax | Category::Io => "it is no JSON".to_owned(),
            };
            not_documented(base, &what)
        })?;
        if success.base_code != base.as_str() {
            let answered = excerpt(&success.base_code);
            return Err(unusable(
                base,
                &format!("the service answered with the rates of `{answered}`"),
            ));
        }
        if success.rates.is_empty() {
            return Err(unusable(base, "the service answered without any rate"));
        }
        Ok(Self {
            base: base.clone(),
            body,
            table: success.rates,
            last_update_unix: success.time_last_update_unix,
            last_update_utc: success.time_last_update_utc,
            next_update_unix: success.time_next_update_unix,
            next_update_utc: success.time_next_update_utc,
            eol_unix: success.time_eol_unix,
        })
    }

    /// The rate of one currency, above zero; `None` if the table does not have it.
    ///
    /// # Errors
    /// `ParseError` for a rate that is no number or has more digits than can be kept,
    /// `RemoteError` for one that is not above zero.
    pub(super) fn rate(&self, currency: &Currency) -> Result<Option<Decimal>, Failure> {
        let Some(raw) = self.table.get(currency.as_str()) else {
            return Ok(None);
        };
        let Some(rate) = exact::parse(raw.get()) else {
            let raw = excerpt(raw.get());
            return Err(not_documented(
                &self.base,
                &format!("`{raw}` for `{currency}` is no number that can be kept exactly"),
            ));
        };
        if rate <= Decimal::ZERO {
            return Err(unusable(
                &self.base,
                &format!("the service answered with `{rate}` for `{currency}`"),
            ));
        }
        Ok(Some(rate))
    }

    /// That every rate of `used` which the table has can be used.
    ///
    /// # Errors
    /// As [`Rates::rate`].
    pub(super) fn check(&self, used: &[Currency]) -> Result<(), Failure> {
        used.iter().try_for_each(|currency| self.rate(currency).map(drop))
    }

    /// That the table has every currency of `wanted`.
    ///
    /// # Errors
    /// `UnknownCurrency`, naming those it does not have.
    pub(super) fn require(&self, wanted: &[Currency]) -> Result<(), Failure> {
        let is_unknown = |currency: &&Currency| !self.table.contains_key(currency.as_str());
        let unknown: Vec<&str> = wanted.iter().filter(is_unknown).map(Currency::as_str).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let base = &self.base;
        Err(Failure::new(
            ErrorCode::UNKNOWN_CURRENCY,
            format!("the rates of `{base}` do not hold `{}`", unknown.join("`, `")),
        )
        .hint(format!(
            "`exchange-rate latest --base {base} --out FILE` writes all codes there are to a file"
        ))
        .detail("codes", &unknown))
    }

    /// How many currencies the table has.
    pub(super) fn total(&self) -> usize {
        self.table.len()
    }

    /// The answer as it was received.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    pub(super) fn base(&self) -> &Currency {
        &self.base
    }

    pub(super) fn last_update_ms(&self) -> i64 {
        self.last_update_unix.saturating_mul(1000)
    }

    pub(super) fn next_update_ms(&self) -> i64 {
        self.next_update_unix.saturating_mul(1000)
    }

    pub(super) fn last_update_utc(&self) -> &str {
        &self.last_update_utc
    }

    pub(super) fn next_update_utc(&self) -> &str {
        &self.next_update_utc
    }

    /// When the service ends, if it has said so.
    pub(super) fn end_of_life_unix(&self) -> Option<i64> {
        (self.eol_unix != 0).then_some(self.eol_unix)
    }

    pub(super) fn age(&self, now_ms: i64) -> Age {
        Age::from_ms(now_ms.saturating_sub(self.last_update_ms()))
    }
}

/// The service's own error, if `body` holds one.
pub(super) fn remote_error(base: &Currency, body: &[u8]) -> Option<Failure> {
    let verdict: Verdict = serde_json::from_slice(body).ok()?;
    if verdict.result == "success" {
        return None;
    }
    let error_type = verdict.error_type.as_deref().map(excerpt);
    let message = match &error_type {
        Some(error_type) => format!("the service has no rates of `{base}`: `{error_type}`"),
        None => format!("the service has no rates of `{base}` and does not say why"),
    };
    let failure = Failure::new(ErrorCode::REMOTE_ERROR, message).detail("error_type", &error_type);
    Some(match error_type.as_deref() {
        Some("unsupported-code") => {
            failure.hint(format!("check that `{base}` is an ISO 4217 code"))
        }
        _ => failure,
    })
}

/// A success that contradicts itself or the question.
fn unusable(base: &Currency, what: &str) -> Failure {
    Failure::new(ErrorCode::REMOTE_ERROR, format!("the rates of `{base}` cannot be used: {what}"))
        .detail("error_type", None::<&str>)
}

/// An answer that is not the documented JSON.
pub(super) fn not_documented(base: &Currency, what: &str) -> Failure {
    Failure::new(
        ErrorCode::PARSE_ERROR,
        format!("the answer for the rates of `{base}` is not the documented JSON: {what}"),
    )
}

/// As much of a foreign text as a message bears.
fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn currency(code: &str) -> Currency {
        code.parse().unwrap()
    }

    fn body(base: &str, rates: &str) -> String {
        format!(
            r#"{{"result":"success","time_last_update_unix":1700000000,
            "time_last_update_utc":"Tue, 14 Nov 2023 22:13:20 +0000",
            "time_next_update_unix":1700086400,
            "time_next_update_utc":"Wed, 15 Nov 2023 22:13:20 +0000",
            "time_eol_unix":0,"base_code":"{base}","rates":{{{rates}}}}}"#
        )
    }

    fn parse(body: impl Into<String>) -> Result<Rates, Failure> {
        Rates::parse(&currency("CNY"), body.into())
    }

    #[track_caller]
    fn check_refused(body: impl Into<String>, code: ErrorCode, part: &str) {
        let failure = parse(body).unwrap_err();
        assert_eq!(failure.code(), code, "{failure}");
        assert!(failure.message().contains(part), "{failure}");
    }

    #[test]
    fn reads_numbers_of_every_spelling() {
        let rates =
            r#""CNY":1,"USD":0.25,"KWD":1e-7,"VND":3500.5,"IRR":1234567890.123456,"XYZ":1.0E-5"#;
        let rates = parse(body("CNY", rates)).unwrap();
        assert_eq!(rates.total(), 6);
        for (code, plain) in [
            ("CNY", "1"),
            ("USD", "0.25"),
            ("KWD", "0.0000001"),
            ("VND", "3500.5"),
            ("IRR", "1234567890.123456"),
            ("XYZ", "0.000010"),
        ] {
            assert_eq!(rates.rate(&currency(code)).unwrap().unwrap().to_string(), plain, "{code}");
        }
        assert_eq!(rates.rate(&currency("EUR")).unwrap(), None);
    }

    #[test]
    fn keeps_the_answer_as_received() {
        let body = body("CNY", r#" "USD" : 0.250 "#);
        assert_eq!(parse(body.clone()).unwrap().body(), body);
    }

    #[test]
    fn says_what_is_wrong_with_an_answer() {
        let whole = body("CNY", r#""USD":0.25"#);
        check_refused("", ErrorCode::PARSE_ERROR, "it is empty");
        check_refused("\n<!DOCTYPE html><p>busy", ErrorCode::PARSE_ERROR, "web page");
        check_refused(whole.split_at(100).0, ErrorCode::PARSE_ERROR, "ends early");
        check_refused("busy", ErrorCode::PARSE_ERROR, "no JSON");
        check_refused("[]", ErrorCode::PARSE_ERROR, "documented field");
        check_refused("{}", ErrorCode::PARSE_ERROR, "documented field");
        check_refused(r#"{"result":"success"}"#, ErrorCode::PARSE_ERROR, "documented field");
        check_refused(whole.replace("1700000000", "\"now\""), ErrorCode::PARSE_ERROR, "documented");
    }

    #[test]
    fn refuses_another_base_and_an_empty_table() {
        check_refused(body("USD", r#""CNY":7.25"#), ErrorCode::REMOTE_ERROR, "rates of `USD`");
        check_refused(body("CNY", ""), ErrorCode::REMOTE_ERROR, "without any rate");
    }

    #[test]
    fn passes_the_services_own_error_on() {
        let error = r#"{"result":"error","error-type":"unsupported-code"}"#;
        check_refused(error, ErrorCode::REMOTE_ERROR, "`unsupported-code`");
        check_refused(r#"{"result":"error"}"#, ErrorCode::REMOTE_ERROR, "does not say why");
        let failure = parse(r#"{"result":"error"}"#).unwrap_err();
        assert_eq!(failure.detail_json("error_type"), Some("null"));
    }

    #[test]
    fn refuses_a_used_rate_that_is_no_rate_and_leaves_the_others_alone() {
        let rates = r#""USD":0.25,"EUR":0,"GBP":-1,"JPY":"20.5","HKD":null,"IRR":0.12345678901234567890123456789"#;
        let rates = parse(body("CNY", rates)).unwrap();
        assert!(rates.check(&[currency("USD"), currency("AUD")]).is_ok());
        for (code, expected) in [
            ("EUR", ErrorCode::REMOTE_ERROR),
            ("GBP", ErrorCode::REMOTE_ERROR),
            ("JPY", ErrorCode::PARSE_ERROR),
            ("HKD", ErrorCode::PARSE_ERROR),
            ("IRR", ErrorCode::PARSE_ERROR),
        ] {
            let failure = rates.check(&[currency("USD"), currency(code)]).unwrap_err();
            assert_eq!(failure.code(), expected, "{failure}");
            assert!(failure.message().contains(code), "{failure}");
        }
    }

    #[test]
    fn names_all_codes_it_does_not_have() {
        let rates = parse(body("CNY", r#""USD":0.25"#)).unwrap();
        let wanted = [currency("USD"), currency("QQQ"), currency("ZZZ")];
        let failure = rates.require(&wanted).unwrap_err();
        assert_eq!(failure.code(), ErrorCode::UNKNOWN_CURRENCY);
        assert!(failure.message().contains("`QQQ`, `ZZZ`"), "{failure}");
        assert_eq!(failure.detail_json("codes"), Some(r#"["QQQ","ZZZ"]"#));
    }

    #[test]
    fn shortens_foreign_text_at_a_character() {
        assert_eq!(excerpt(&"\u{e9}".repeat(61)), format!("{}…", "\u{e9}".repeat(60)));
        assert_eq!(excerpt(&"\u{e9}".repeat(60)), "\u{e9}".repeat(60));
    }

    proptest! {
        #[test]
        fn a_cut_answer_is_an_error(end in 0..400_usize) {
            let whole = body("CNY", r#""USD":0.25,"EUR":0.125"#);
            if end < whole.len() {
                prop_assert!(parse(whole.split_at(end).0).is_err());
            }
        }

        #[test]
        fn no_answer_makes_it_panic(body in any::<String>()) {
            prop_assert!(parse(body).is_err());
        }
    }
}
