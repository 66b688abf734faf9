//! Decimals without a silent rounding: parsing, products and quotients.
//!
//! `Decimal`'s own arithmetic rounds when a product has more digits than it holds, so that a
//! second rounding to the wanted places can go wrong: 0.9999999999999999999999999999 × 0.5 at no
//! places came out as 1. Here mantissas are multiplied exactly and the result is rounded once,
//! half away from zero.

use rust_decimal::Decimal;

use super::wide::Wide;

/// A JSON number as a decimal, all its digits kept; `None` for anything else and for more digits
/// than a decimal holds.
pub(super) fn parse(number: &str) -> Option<Decimal> {
    match number.split_once(['e', 'E']) {
        None => Decimal::from_str_exact(number).ok(),
        Some((significand, _)) => {
            // `from_scientific` would round a significand that is too long.
            Decimal::from_str_exact(significand).ok()?;
            Decimal::from_scientific(number).ok()
        }
    }
}

/// `left × right` with exactly `places` decimals; `None` where a decimal cannot hold that.
/// Neither is negative.
pub(super) fn product(left: Decimal, right: Decimal, places: u32) -> Option<Decimal> {
    let mantissa = mantissa(left).times(&mantissa(right))?;
    rounded(mantissa, Wide::from(1), places, left.scale() + right.scale(), 0)
}

/// `left ÷ right` with exactly `places` decimals; `None` where a decimal cannot hold that, and
/// for a divisor of zero. Neither is negative.
pub(super) fn quotient(left: Decimal, right: Decimal, places: u32) -> Option<Decimal> {
    rounded(mantissa(left), mantissa(right), places, left.scale(), right.scale())
}

fn mantissa(value: Decimal) -> Wide {
    Wide::from(value.mantissa().unsigned_abs())
}

/// `(numerator ÷ 10^scale) ÷ (divisor ÷ 10^divisor_scale)`, rounded to `places`.
fn rounded(
    numerator: Wide,
    divisor: Wide,
    places: u32,
    scale: u32,
    divisor_scale: u32,
) -> Option<Decimal> {
    let up = places + divisor_scale;
    let numerator = numerator.times(&Wide::power_of_ten(up.saturating_sub(scale))?)?;
    let divisor = divisor.times(&Wide::power_of_ten(scale.saturating_sub(up))?)?;
    let digits = i128::try_from(numerator.divided_by(&divisor)?.to_u128()?).ok()?;
    Decimal::try_from_i128_with_scale(digits, places).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        parse(text).unwrap()
    }

    #[track_caller]
    fn check_product(left: &str, right: &str, places: u32, expected: &str) {
        let product = product(decimal(left), decimal(right), places).unwrap();
        assert_eq!(product.to_string(), expected, "{left} × {right} at {places}");
    }

    #[test]
    fn parses_every_digit() {
        for (number, plain) in [
            ("0.000023", "0.000023"),
            ("1.0E-5", "0.000010"),
            ("1e-7", "0.0000001"),
            ("25432.75", "25432.75"),
            ("1", "1"),
            ("1234567890.5", "1234567890.5"),
            ("1e10", "10000000000"),
            ("1.25e+1", "12.5"),
            ("0.376000", "0.376000"),
        ] {
            assert_eq!(decimal(number).to_string(), plain, "{number}");
        }
    }

    #[test]
    fn refuses_more_digits_than_it_holds_and_what_is_no_number() {
        for number in [
            "0.00000000000000000000000000001",
            "1.23456789012345678901234567890123",
            "1.23456789012345678901234567890123e5",
            "1e-29",
            "1e40",
            "\"1\"",
            "null",
            "true",
            "[1]",
            "1e99999999999999999999",
        ] {
            assert_eq!(parse(number), None, "{number}");
        }
    }

    #[test]
    fn rounds_once_half_away_from_zero() {
        check_product("100", "0.14", 6, "14.000000");
        check_product("12.34", "7.1", 2, "87.61");
        check_product("0.5", "1", 0, "1");
        check_product("1.5", "1", 0, "2");
        check_product("2.5", "1", 0, "3");
        check_product("0.0000005", "1", 6, "0.000001");
        check_product("0.00000049999", "1", 6, "0.000000");
        check_product("0", "7.1", 3, "0.000");
    }

    #[test]
    fn does_not_round_on_the_way() {
        check_product("0.9999999999999999999999999999", "0.5", 0, "0");
        check_product("1234567890123456789012345678", "0.9", 0, "1111111101111111110111111110");
        check_product("12345678901234567890.12345678", "0.0000001", 10, "1234567890123.4567890123");
    }

    #[test]
    fn says_when_a_decimal_cannot_hold_the_result() {
        let largest = decimal("79228162514264337593543950335");
        assert_eq!(product(largest, decimal("1"), 0), Some(largest));
        assert_eq!(product(largest, decimal("1"), 1), None);
        assert_eq!(product(largest, decimal("1.0000000001"), 0), None);
        assert_eq!(quotient(largest, decimal("0.1"), 0), None);
        assert_eq!(quotient(decimal("1"), decimal("0"), 0), None);
    }

    #[test]
    fn divides_and_rounds_once() {
        for (left, right, places, expected) in [
            ("100", "42000", 6, "0.002381"),
            ("1", "3", 10, "0.3333333333"),
            ("2", "3", 0, "1"),
            ("1", "2", 0, "1"),
            ("0.0000000000000000000000000001", "79228162514264337593543950335", 10, "0.0000000000"),
            ("5", "0.00001", 2, "500000.00"),
        ] {
            let quotient = quotient(decimal(left), decimal(right), places).unwrap();
            assert_eq!(quotient.to_string(), expected, "{left} ÷ {right} at {places}");
        }
    }

    /// School arithmetic on digit strings: slow, and nothing in common with the code above.
    mod by_hand {
        pub(super) fn product(left: &str, right: &str, places: usize) -> String {
            let (left, left_places) = digits(left);
            let (right, right_places) = digits(right);
            let mut product = vec![0_u32; left.len() + right.len()];
            for (i, a) in left.iter().rev().enumerate() {
                for (j, b) in right.iter().rev().enumerate() {
                    product[i + j] += a * b;
                    for k in i + j.. {
                        if product[k] < 10 {
                            break;
                        }
                        product[k + 1] += product[k] / 10;
                        product[k] %= 10;
                    }
                }
            }
            // `product` has its lowest digit first.
            let mut scale = left_places + right_places;
            while scale < places {
                product.insert(0, 0);
                scale += 1;
            }
            let dropped: Vec<u32> = product.drain(..scale - places).collect();
            if dropped.last().is_some_and(|digit| *digit >= 5) {
                product.push(0);
                let mut k = 0;
                product[k] += 1;
                while product[k] == 10 {
                    product[k] = 0;
                    k += 1;
                    product[k] += 1;
                }
            }
            while product.len() <= places {
                product.push(0);
            }
            while product.len() > places + 1 && product.last() == Some(&0) {
                product.pop();
            }
            let mut text: String =
                product.iter().rev().map(|digit| char::from_digit(*digit, 10).unwrap()).collect();
            if places > 0 {
                text.insert(text.len() - places, '.');
            }
            text
        }

        fn digits(number: &str) -> (Vec<u32>, usize) {
            let places = number.split_once('.').map_or(0, |(_, places)| places.len());
            (number.chars().filter_map(|character| character.to_digit(10)).collect(), places)
        }
    }

    #[test]
    fn the_reference_itself_is_right() {
        assert_eq!(by_hand::product("0.9999999999999999999999999999", "0.5", 0), "0");
        assert_eq!(by_hand::product("9.995", "1", 2), "10.00");
        assert_eq!(by_hand::product("12.34", "7.1", 4), "87.6140");
    }

    proptest! {
        #[test]
        fn product_equals_arithmetic_by_hand(
            left in "(0|[1-9][0-9]{0,13})([.][0-9]{1,14})?",
            right in "(0|[1-9][0-9]{0,9})([.][0-9]{1,18})?",
            places in 0..=10_u32,
        ) {
            let expected = by_hand::product(&left, &right, places as usize);
            let product = product(decimal(&left), decimal(&right), places);
            // 28 digits always fit, 30 never do.
            match product {
                Some(product) => prop_assert_eq!(product.to_string(), expected),
                None => prop_assert!(expected.len() > 29, "{expected} was refused"),
            }
        }

        #[test]
        fn quotient_is_the_nearest(left in 0..=u64::MAX, right in 1..=u64::MAX, places in 0..=8_u32) {
            let (left, right) = (u128::from(left), u128::from(right));
            if let Some(scaled) = left.checked_mul(10_u128.pow(places) * 2) {
                let nearest = (scaled + right) / (right * 2);
                let quotient = quotient(left.into(), right.into(), places).unwrap();
                prop_assert_eq!(quotient.mantissa().unsigned_abs(), nearest);
            }
        }

        #[test]
        fn parsing_keeps_the_value(whole in "0|[1-9][0-9]{0,7}", places in "[0-9]{1,9}", exponent in -9..=9_i32) {
            let shifted = decimal(&format!("{whole}.{places}e{exponent}"));
            let digits: u128 = format!("{whole}{places}").parse().unwrap();
            let scale = i64::try_from(places.len()).unwrap() - i64::from(exponent);
            // shifted == digits × 10^-scale, compared over a common power of ten.
            let common = 20;
            let from_digits = digits * 10_u128.pow(u32::try_from(common - scale).unwrap());
            let from_decimal = shifted.mantissa().unsigned_abs() * 10_u128.pow(20 - shifted.scale());
            prop_assert_eq!(from_digits, from_decimal);
        }
    }
}
