//! [`Amount`] and [`Precision`]: what `convert` multiplies, and how it shows the product.
//!
//! The grammar of amounts is checked here: `Decimal` itself would take `1_000`, `1e3` and `.5`.

use std::{fmt, str::FromStr};

use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

/// A plain decimal from zero up, exactly as written: `12.340` keeps its last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount(Decimal);

impl Amount {
    pub(super) fn decimal(self) -> Decimal {
        self.0
    }
}

impl FromStr for Amount {
    type Err = InvalidAmount;

    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let (whole, places) = match digits.split_once('.') {
            Some((whole, places)) => (whole, Some(places)),
            None => (digits, None),
        };
        if !is_digits(whole) || !places.is_none_or(is_digits) {
            return Err(match text.strip_prefix('-') {
                Some(positive) if positive.parse::<Self>().is_ok() => InvalidAmount::Negative,
                _ => InvalidAmount::Grammar,
            });
        }
        Decimal::from_str_exact(digits).map(Self).map_err(|_| InvalidAmount::TooLong)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a text is no amount.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidAmount {
    #[error(
        "an amount is plain digits, with a dot between digits at most, such as `12.34`: \
         no exponent, no grouping, no unit"
    )]
    Grammar,
    #[error("negative amounts are not converted")]
    Negative,
    #[error("it has more digits than can be kept exactly (28, of which 28 after the dot)")]
    TooLong,
}

/// Decimal places of `converted_amount`: 0 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Precision(u32);

impl Precision {
    const MAX: u32 = 10;

    pub(super) fn places(self) -> u32 {
        self.0
    }
}

impl FromStr for Precision {
    type Err = InvalidPrecision;

    fn from_str(text: &str) -> Result<Self, InvalidPrecision> {
        match text.parse() {
            Ok(places) if places <= Self::MAX && is_digits(text) => Ok(Self(places)),
            _ => Err(InvalidPrecision),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A text that is no precision.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a precision is a whole number from 0 to {max}", max = Precision::MAX)]
pub(super) struct InvalidPrecision;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_the_digits_as_written() {
        for (text, shown) in [
            ("100", "100"),
            ("+5", "5"),
            ("12.340", "12.340"),
            ("0", "0"),
            ("000", "0"),
            ("007", "7"),
            ("00.50", "0.50"),
            ("0.0000000000000000000000000001", "0.0000000000000000000000000001"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("0000000000000000000000000000000000000000012", "12"),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_plain_decimal() {
        for text in [
            "", "+", "abc", "1e3", "1E3", "1_000", "1,000", "1.2.3", ".5", "5.", ".", "+.5", "++5",
            " 5", "5 ", "0x10", "NaN", "inf", "\u{ff15}", "5USD", "--5", "-", "-abc", "-.5",
            "1'000",
        ] {
            assert_eq!(text.parse::<Amount>(), Err(InvalidAmount::Grammar), "{text:?}");
        }
    }

    #[test]
    fn refuses_negative_amounts_by_name() {
        for text in ["-5", "-0.01", "-0"] {
            assert_eq!(text.parse::<Amount>(), Err(InvalidAmount::Negative), "{text:?}");
        }
    }

    #[test]
    fn refuses_more_digits_than_it_could_keep() {
        for text in [
            "79228162514264337593543950336",
            "7922816251426433759354395033.66",
            "0.00000000000000000000000000001",
            "1.00000000000000000000000000000",
            &"9".repeat(400),
        ] {
            assert_eq!(text.parse::<Amount>(), Err(InvalidAmount::TooLong), "{text:?}");
        }
    }

    #[test]
    fn a_precision_is_a_whole_number_from_0_to_10() {
        assert_eq!("0".parse::<Precision>().unwrap().places(), 0);
        assert_eq!("10".parse::<Precision>().unwrap().places(), 10);
        for text in ["11", "-1", "+1", "2.0", "", "six", "99999999999999999999"] {
            assert_eq!(text.parse::<Precision>(), Err(InvalidPrecision), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_never_changes_a_digit(text in "[+]?0{0,3}[0-9]{1,20}([.][0-9]{1,8})?") {
            let shown = text.parse::<Amount>().unwrap().to_string();
            let plain = text.trim_start_matches('+').trim_start_matches('0');
            let plain = if plain.is_empty() || plain.starts_with('.') {
                format!("0{plain}")
            } else {
                plain.to_owned()
            };
            prop_assert_eq!(shown, plain);
        }

        #[test]
        fn takes_any_text_without_panic(text in any::<String>()) {
            let _ = text.parse::<Amount>();
        }
    }
}
