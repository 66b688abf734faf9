//! [`Currency`] and [`Symbols`]: currency codes as they stand on a command line.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// Three ASCII letters, upper-case. Whether it is a currency is for the table of rates to say:
/// the service knows codes beyond ISO 4217.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(super) struct Currency(String);

impl Currency {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Currency {
    type Err = InvalidCurrency;

    fn from_str(text: &str) -> Result<Self, InvalidCurrency> {
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_code { Ok(Self(text.to_ascii_uppercase())) } else { Err(InvalidCurrency) }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A text that is no currency code.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a currency code is three letters, such as `EUR`")]
pub(super) struct InvalidCurrency;

/// The value of `--symbols`: at least one code, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Symbols(Vec<Currency>);

impl Symbols {
    pub(super) fn as_slice(&self) -> &[Currency] {
        &self.0
    }
}

impl FromStr for Symbols {
    type Err = InvalidSymbols;

    fn from_str(text: &str) -> Result<Self, InvalidSymbols> {
        let text = text.trim();
        // `ALL` is the Albanian lek; whoever writes it in lower case and alone wants everything.
        if text.eq_ignore_ascii_case("all") && text != "ALL" {
            return Err(InvalidSymbols::Everything);
        }
        let mut codes = Vec::new();
        for part in text.split(',').map(str::trim) {
            if part.is_empty() {
                return Err(InvalidSymbols::Gap);
            }
            let code = part.parse().map_err(|_| InvalidSymbols::Code(part.to_owned()))?;
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        Ok(Self(codes))
    }
}

/// Why a text is no list of codes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidSymbols {
    #[error(
        "a whole table is too much for an answer, `--out FILE` writes it to a file \
         (the Albanian lek alone is `ALL`)"
    )]
    Everything,
    #[error("a code is missing in it; codes are separated by single commas, as in `USD,EUR`")]
    Gap,
    #[error("`{0}` is no currency code; codes are three letters, separated by commas")]
    Code(String),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbols(text: &str) -> Vec<String> {
        let symbols: Symbols = text.parse().unwrap();
        symbols.as_slice().iter().map(Currency::to_string).collect()
    }

    #[test]
    fn takes_codes_in_any_case() {
        assert_eq!("cny".parse::<Currency>().unwrap().as_str(), "CNY");
        assert_eq!("uSd".parse::<Currency>().unwrap().as_str(), "USD");
    }

    #[test]
    fn refuses_what_is_no_three_letters() {
        for text in ["", "US", "USDT", "US1", "$", "\u{a5}", "\u{20ac}", " USD", "U D", "ÄÖ"] {
            assert_eq!(text.parse::<Currency>(), Err(InvalidCurrency), "{text:?}");
        }
    }

    #[test]
    fn folds_duplicates_and_blanks_around_commas() {
        assert_eq!(symbols(" usd, eur ,usd"), ["USD", "EUR"]);
    }

    #[test]
    fn refuses_gaps_and_names_the_part_that_is_no_code() {
        for text in ["", " ", "USD,", ",USD", "USD,,EUR"] {
            assert_eq!(text.parse::<Symbols>(), Err(InvalidSymbols::Gap), "{text:?}");
        }
        let refused = "USD,EURO".parse::<Symbols>().unwrap_err();
        assert!(refused.to_string().contains("`EURO`"), "{refused}");
        assert!("USD EUR".parse::<Symbols>().is_err());
    }

    #[test]
    fn all_means_everything_and_is_refused_but_the_lek_is_not() {
        for text in ["all", "All", " all "] {
            assert_eq!(text.parse::<Symbols>(), Err(InvalidSymbols::Everything), "{text:?}");
        }
        assert_eq!(symbols("ALL"), ["ALL"]);
        assert_eq!(symbols("usd,all"), ["USD", "ALL"]);
    }

    proptest! {
        #[test]
        fn a_list_holds_each_code_once(codes in prop::collection::vec("[A-Ca-c]{3}", 1..30)) {
            let listed = symbols(&format!("zzz,{}", codes.join(" , ")));
            let mut folded = listed.clone();
            folded.sort();
            folded.dedup();
            prop_assert_eq!(folded.len(), listed.len());
            prop_assert!(codes.iter().all(|code| listed.contains(&code.to_uppercase())));
        }
    }
}
