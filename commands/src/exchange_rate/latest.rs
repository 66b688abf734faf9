//! `exchange-rate latest`: the latest rates of one base currency.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, Failure, Limits, NetworkScope, Out, Registration, Spec,
    async_trait, clap,
};

use super::{
    currency::{Currency, Symbols},
    lookup::{CacheUse, Found, look_up},
    upstream::{self, ATTRIBUTION},
    warning::Warning,
};

/// What is shown without `--symbols`.
const DEFAULT_SYMBOLS: &str = "USD,EUR,JPY,GBP,HKD";

pub(super) const REGISTRATION: Registration = tapeline::registration::<Latest>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Latest;

#[derive(clap::Args, Serialize)]
struct LatestArgs {
    /// The currency that all rates are given for: three letters, in any case.
    #[arg(long, value_name = "ISO4217")]
    base: Currency,

    /// Only these currencies, separated by commas; else USD,EUR,JPY,GBP,HKD without the base.
    #[arg(long, value_name = "CSV")]
    symbols: Option<Symbols>,

    /// Ask the service even if the kept rates are fresh.
    #[arg(long)]
    no_cache: bool,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct LatestOutput {
    base_code: Currency,
    time_last_update_utc: String,
    time_next_update_utc: String,
    cached: bool,
    stale: bool,
    rates_total: usize,
    rates: BTreeMap<Currency, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    source_url: String,
    attribution: &'static str,
    warnings: Vec<Warning>,
}

#[async_trait]
impl Command for Latest {
    type Args = LatestArgs;
    type Output = LatestOutput;

    fn spec() -> Spec {
        Spec::new("exchange-rate latest", "the latest rates of one base currency")
            .long_help(
                "\
One unit of the base currency is worth so much of each currency shown. `rates_total` says how many
there are; `--out` writes the service's whole answer, as received, to a file.

Rates are JSON strings of plain digits, exactly as the service gives them. Kept rates count until
the service's next update; `--no-cache` asks all the same. If nobody answers, kept rates are shown
with `cached: true`, and with `stale: true` and the warning `StaleRates` if they are past their
time.",
            )
            .example("exchange-rate latest --base CNY", "five common currencies")
            .example("exchange-rate latest --base CNY --symbols USD,EUR", "only these two")
            .example(
                "exchange-rate latest --base CNY --out artifacts/exchange-rate/latest-CNY.json",
                "the whole answer in a file",
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

    async fn run(&self, args: LatestArgs, door: &Context) -> Result<LatestOutput, Failure> {
        let out = args.out.open(door).await?;
        let shown = match &args.symbols {
            Some(symbols) => symbols.as_slice().to_vec(),
            None => default_symbols(&args.base),
        };
        let found = look_up(door, &args.base, &shown, CacheUse::from_flag(args.no_cache)).await?;
        if args.symbols.is_some() {
            found.rates.require(&shown)?;
        }
        let mut rows = Vec::new();
        for currency in shown {
            if let Some(rate) = found.rates.rate(&currency)? {
                rows.push((currency, rate.to_string()));
            }
        }
        let out = match out {
            Some(out) => {
                let description = format!("all rates of {} as received. {ATTRIBUTION}", args.base);
                let body = found.rates.body().as_bytes();
                Some(out.finish(body, "application/json", &description)?)
            }
            None => None,
        };
        door.stdout().text(&text(&found, &rows, out.as_deref()));
        Ok(LatestOutput {
            source_url: upstream::url(&args.base),
            base_code: args.base,
            time_last_update_utc: found.rates.last_update_utc().to_owned(),
            time_next_update_utc: found.rates.next_update_utc().to_owned(),
            cached: found.cached,
            stale: found.stale,
            rates_total: found.rates.total(),
            rates: rows.into_iter().collect(),
            out,
            attribution: ATTRIBUTION,
            warnings: found.warnings,
        })
    }
}

/// The common currencies, without the base itself.
fn default_symbols(base: &Currency) -> Vec<Currency> {
    let codes = DEFAULT_SYMBOLS.split(',').filter_map(|code| code.parse().ok());
    codes.filter(|code| code != base).collect()
}

fn text(found: &Found, rows: &[(Currency, String)], out: Option<&str>) -> String {
    let rates = &found.rates;
    let mut text = format!("1 {} is\n{}", rates.base(), table(rows));
    if let Some(out) = out {
        let _ = writeln!(text, "all {} rates are in {out}", rates.total());
    } else {
        let _ = writeln!(text, "{} of {} rates", rows.len(), rates.total());
    }
    let _ = write!(
        text,
        "as of {}, {}{}\nnext update {}\n{ATTRIBUTION}\n",
        rates.last_update_utc(),
        found.age,
        found.origin(),
        rates.next_update_utc(),
    );
    text
}

/// Titles, then one line for each rate, decimal points below each other.
fn table(rows: &[(Currency, String)]) -> String {
    let whole_digits = |rate: &str| rate.find('.').unwrap_or(rate.len());
    let width = rows.iter().map(|(_, rate)| whole_digits(rate)).max().unwrap_or_default();
    let titles = if rows.is_empty() { "" } else { "  code  rate\n" };
    rows.iter().fold(titles.to_owned(), |mut table, (currency, rate)| {
        let indent = width - whole_digits(rate);
        let _ = writeln!(table, "  {currency}   {:indent$}{rate}", "");
        table
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_decimal_points() {
        let rows = [("USD", "0.25"), ("JPY", "20.5"), ("IRR", "6000")];
        let rows = rows.map(|(code, rate)| (code.parse().unwrap(), rate.to_owned()));
        assert_eq!(table(&rows), "  code  rate\n  USD      0.25\n  JPY     20.5\n  IRR   6000\n");
    }

    #[test]
    fn the_common_currencies_leave_the_base_out() {
        let shown = |base: &str| {
            let symbols = default_symbols(&base.parse().unwrap());
            symbols.iter().map(Currency::to_string).collect::<Vec<_>>().join(",")
        };
        assert_eq!(shown("CNY"), DEFAULT_SYMBOLS);
        assert_eq!(shown("EUR"), "USD,JPY,GBP,HKD");
    }
}
