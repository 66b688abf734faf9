//! `exchange-rate convert`: an amount of one currency in another.

use std::{fmt::Write as _, slice};

use rust_decimal::Decimal;
use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Limits, NetworkScope, Registration, Spec,
    async_trait, clap,
};

use super::{
    amount::{Amount, Precision},
    currency::Currency,
    exact,
    lookup::{CacheUse, Found, look_up, warn},
    upstream::{self, ATTRIBUTION},
    warning::Warning,
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<Convert>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Convert;

#[derive(clap::Args, Serialize)]
struct ConvertArgs {
    /// The currency of the amount: three letters, in any case.
    #[arg(long, value_name = "ISO4217")]
    from: Currency,

    /// The currency wanted: three letters, in any case.
    #[arg(long, value_name = "ISO4217")]
    to: Currency,

    /// Plain decimal such as 12.34; negative amounts are refused.
    // Taken for a value and refused by name, where clap would speak of an unknown flag.
    #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
    amount: Amount,

    /// Decimal places of the converted amount, 0 to 10.
    #[arg(long, value_name = "PLACES", default_value = "6", allow_negative_numbers = true)]
    precision: Precision,

    /// Ask the service even if the kept rates are fresh.
    #[arg(long)]
    no_cache: bool,
}

#[derive(Serialize)]
struct ConvertOutput {
    from: Currency,
    to: Currency,
    amount: Amount,
    rate: String,
    converted_amount: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    inverse: Option<Inverse>,
    time_last_update_utc: String,
    time_next_update_utc: String,
    cached: bool,
    stale: bool,
    attribution: &'static str,
    warnings: Vec<Warning>,
}

/// The same conversion by the table of the other currency, whose rate has more digits.
#[derive(Serialize)]
struct Inverse {
    /// How much of `from` one unit of `to` is.
    rate: String,
    /// `amount ÷ rate`, rounded as `converted_amount` is.
    converted_amount: String,
    source_url: String,
}

#[async_trait]
impl Command for Convert {
    type Args = ConvertArgs;
    type Output = ConvertOutput;

    fn spec() -> Spec {
        Spec::new("exchange-rate convert", "an amount of one currency in another")
            .long_help(
                "\
`converted_amount` is `amount` times `rate`, computed exactly and rounded once to `--precision`
places, half away from zero: 0.125 at 2 places is 0.13. Amounts and rates are JSON strings of plain
digits.

An amount is digits with at most one dot between them. A `+` may stand before it; negative amounts,
exponents and grouping (`1,000`) are refused.

The service gives rates with six decimals, which leaves few digits to a weak currency. A rate below
four significant digits brings the warning `ImpreciseRate` with the possible error, and `inverse`:
the same conversion by the table of the other currency.",
            )
            .example(
                "exchange-rate convert --from CNY --to USD --amount 100",
                "100 yuan in dollars",
            )
            .example(
                "exchange-rate convert --from USD --to CNY --amount 12.34 --precision 4",
                "with four decimal places",
            )
            .capabilities(
                Capabilities::none()
                    .read_files()
                    .write_files()
                    .network(NetworkScope::hosts([upstream::HOST])),
            )
            .limits(Limits { http_body_bytes: upstream::MAX_BODY_BYTES, ..Limits::UNBOUNDED })
            .error_codes(upstream::ERROR_CODES)
    }

    async fn run(&self, args: ConvertArgs, door: &Context) -> Result<ConvertOutput, Failure> {
        let mut found =
            look_up(door, &args.from, slice::from_ref(&args.to), args.cache_use()).await?;
        found.rates.require(slice::from_ref(&args.to))?;
        let rate = match found.rates.rate(&args.to)? {
            Some(rate) if args.from != args.to => rate,
            // A currency in itself, whatever digits the table shows.
            _ => Decimal::ONE,
        };
        let converted = exact::product(args.amount.decimal(), rate, args.precision.places())
            .ok_or_else(|| too_large(&args))?;
        let inverse = match imprecision(rate) {
            Some(warning) => {
                warn(door, &mut found.warnings, warning);
                inverse(&args, door, &mut found.warnings).await
            }
            None => None,
        };
        let output = ConvertOutput {
            rate: rate.to_string(),
            converted_amount: converted.to_string(),
            inverse,
            from: args.from,
            to: args.to,
            amount: args.amount,
            time_last_update_utc: found.rates.last_update_utc().to_owned(),
            time_next_update_utc: found.rates.next_update_utc().to_owned(),
            cached: found.cached,
            stale: found.stale,
            attribution: ATTRIBUTION,
            warnings: std::mem::take(&mut found.warnings),
        };
        door.stdout().text(&text(&output, &found));
        Ok(output)
    }
}

impl ConvertArgs {
    fn cache_use(&self) -> CacheUse {
        CacheUse::from_flag(self.no_cache)
    }
}

fn too_large(args: &ConvertArgs) -> Failure {
    Failure::new(
        ErrorCode::INVALID_ARGS,
        format!(
            "the amount `{}` of `{}` in `{}` has more digits than can be kept exactly with {} \
             decimal places",
            args.amount, args.from, args.to, args.precision
        ),
    )
    .hint("take a smaller amount, or a smaller `--precision`")
}

/// The warning that a rate of few digits deserves.
///
/// Trailing zeros are not written by the service: `2` is 2.000000 to its six decimals. So digits
/// are counted down to the sixth decimal, or to the last one written if that is further.
fn imprecision(rate: Decimal) -> Option<Warning> {
    const DECIMALS: u32 = 6;
    const ENOUGH: u128 = 1000;
    let scale = DECIMALS.saturating_sub(rate.scale());
    let units = rate.mantissa().unsigned_abs().saturating_mul(10_u128.pow(scale));
    if !(1..ENOUGH).contains(&units) {
        return None;
    }
    // Half a unit of the last place, in hundredths of a percent, rounded up.
    let error = 5000_u128.div_ceil(units);
    let error = format!("{}.{:02}", error / 100, error % 100);
    Some(Warning::imprecise(units.ilog10() + 1, error))
}

/// The conversion by the other table, if it is to be had fresh; no table, no word about it.
async fn inverse(
    args: &ConvertArgs,
    door: &Context,
    warnings: &mut Vec<Warning>,
) -> Option<Inverse> {
    let used = [args.from.clone()];
    let found = look_up(door, &args.to, &used, args.cache_use()).await.ok()?;
    let rate = found.rates.rate(&args.from).ok()??;
    if found.stale {
        return None;
    }
    let converted = exact::quotient(args.amount.decimal(), rate, args.precision.places())?;
    for warning in found.warnings {
        // Both tables may tell the same of the service.
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    Some(Inverse {
        rate: rate.to_string(),
        converted_amount: converted.to_string(),
        source_url: upstream::url(&args.to),
    })
}

fn text(output: &ConvertOutput, found: &Found) -> String {
    let ConvertOutput { from, to, amount, rate, converted_amount, .. } = output;
    let mut text = format!("{amount} {from} = {converted_amount} {to}\n");
    let _ = writeln!(text, "1 {from} = {rate} {to}");
    if let Some(Inverse { rate, converted_amount, .. }) = &output.inverse {
        let _ = writeln!(
            text,
            "more precisely, by 1 {to} = {rate} {from}: {amount} {from} = {converted_amount} {to}"
        );
    }
    let _ = write!(
        text,
        "as of {}, {}{}\n{ATTRIBUTION}\n",
        output.time_last_update_utc,
        found.age,
        found.origin(),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_imprecision(rate: &str, expected: Option<(&str, &str)>) {
        let warning = imprecision(exact::parse(rate).unwrap());
        let json = warning.map(|warning| serde_json::to_string(&warning).unwrap());
        match (json, expected) {
            (None, None) => {}
            (Some(json), Some((digits, percent))) => {
                let fields =
                    format!(r#""significant_digits":{digits},"max_error_percent":"{percent}"}}"#);
                assert!(json.ends_with(&fields), "{rate}: {json}");
            }
            (json, _) => panic!("{rate}: {json:?}"),
        }
    }

    #[test]
    fn a_rate_of_fewer_than_four_digits_is_imprecise() {
        check_imprecision("0.000001", Some(("1", "50.00")));
        check_imprecision("0.000024", Some(("2", "2.09")));
        check_imprecision("0.000228", Some(("3", "0.22")));
        check_imprecision("0.000999", Some(("3", "0.06")));
        check_imprecision("0.00023", Some(("3", "0.22")));
        check_imprecision("1e-7", Some(("1", "50.00")));
        check_imprecision("0.00000123", Some(("3", "0.41")));
    }

    #[test]
    fn a_rate_of_four_digits_to_the_sixth_decimal_is_not() {
        for rate in ["0.001", "0.000001234", "1", "2", "7.1", "0.376", "25432.75", "1234567890"] {
            check_imprecision(rate, None);
        }
    }
}
