//! [`Value`]: what a cell says, and numbers in their shortest form.

/// The value of a cell as stored, not as shown: no rounding, no currency, no percent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    #[default]
    Empty,
    Text(String),
    Number {
        /// In the shortest form that reads back as the same double; an integer with all its digits.
        text: String,
        /// Over 2^53: programs that compute in doubles change it.
        is_large_integer: bool,
    },
    Bool(bool),
    /// In ISO 8601: `2024-03-01`, `2024-03-01T12:30:00`, `12:30:00`; a duration as `36:00:00`.
    Date(String),
    /// `#DIV/0!`
    Error(String),
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Empty } else { Self::Text(text) }
    }

    /// A number with the digits that it is written with.
    pub(super) fn written(number: &str) -> Self {
        match Self::number(number) {
            Self::Number { is_large_integer, .. } => {
                Self::Number { text: number.to_owned(), is_large_integer }
            }
            other => other,
        }
    }

    /// What stands in a table.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Text(text) | Self::Number { text, .. } | Self::Date(text) | Self::Error(text) => {
                text
            }
        }
    }

    pub(super) fn is_large_integer(&self) -> bool {
        matches!(self, Self::Number { is_large_integer: true, .. })
    }

    /// Text that a spreadsheet would compute. A number with its sign is none.
    pub(super) fn is_formula_like(&self) -> bool {
        matches!(self, Self::Text(text) if text.starts_with(['=', '+', '-', '@']))
    }

    /// A number as it is stored in the part: `1.0000000000000001E-5`, `0.10000000000000001`.
    pub(super) fn number(stored: &str) -> Self {
        let digits = stored.strip_prefix(['-', '+']).unwrap_or(stored);
        if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Self::integer(stored.starts_with('-'), digits);
        }
        match stored.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                let size = number.abs();
                if (1e-6..1e21).contains(&size) {
                    // Whole numbers of this size have no other digits than these.
                    let is_large_integer = size > MAX_EXACT && size.fract() <= 0.0;
                    Self::Number { text: number.to_string(), is_large_integer }
                } else if size > 0.0 {
                    Self::Number { text: format!("{number:E}"), is_large_integer: false }
                } else {
                    Self::Number { text: "0".to_owned(), is_large_integer: false }
                }
            }
            _ => Self::text(stored),
        }
    }

    fn integer(is_negative: bool, digits: &str) -> Self {
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Self::Number { text: "0".to_owned(), is_large_integer: false };
        }
        let is_large_integer = match digits.parse::<u64>() {
            Ok(number) => number > MAX_EXACT_INTEGER,
            Err(_) => true,
        };
        let sign = if is_negative { "-" } else { "" };
        Self::Number { text: format!("{sign}{digits}"), is_large_integer }
    }
}

/// 2^53: the integers up to it are doubles.
const MAX_EXACT_INTEGER: u64 = 1 << 53;
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_may_look_like_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM"] {
            assert!(Value::text(text).is_formula_like(), "{text}");
        }
        assert!(!Value::number("-1").is_formula_like());
        assert!(!Value::text("a=1").is_formula_like());
    }

    #[test]
    fn numbers_are_in_their_shortest_form() {
        for (stored, text) in [
            ("1", "1"),
            ("007", "7"),
            ("-0", "0"),
            ("0.10000000000000001", "0.1"),
            ("78.459999999999994", "78.46"),
            ("1.0000000000000001E-5", "0.00001"),
            ("1E3", "1000"),
            ("1.5E+300", "1.5E300"),
            ("-2.5e-9", "-2.5E-9"),
            ("12345678901234567890", "12345678901234567890"),
            ("1.50", "1.5"),
        ] {
            let Value::Number { text: got, .. } = Value::number(stored) else { panic!("{stored}") };
            assert_eq!(got, text, "{stored}");
        }
        assert_eq!(Value::number("NaN"), Value::Text("NaN".to_owned()));
        assert_eq!(Value::number("n/a"), Value::Text("n/a".to_owned()));
    }

    #[test]
    fn integers_over_2_to_the_53_are_flagged() {
        for (stored, is_large) in [
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-12345678901234567890", true),
            ("1.2345678901234568E+19", true),
            ("1E300", false),
            ("9007199254740993.5", true),
            ("0.5", false),
        ] {
            let Value::Number { is_large_integer, .. } = Value::number(stored) else { panic!() };
            assert_eq!(is_large_integer, is_large, "{stored}");
        }
    }
}
