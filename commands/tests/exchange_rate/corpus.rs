//! Every currency of real answers, where a folder of them is given. They are not in the
//! repository: the provider's terms forbid that.
#![expect(clippy::disallowed_methods, reason = "a test reads the folder it is pointed at")]

use std::{env, fs, path::PathBuf};

use serde_json::json;

use crate::world::World;

/// The answers `latest-*.json` in the folder `exchange-rate` of `TAPELINE_CORPUS`.
fn answers() -> Option<Vec<PathBuf>> {
    let corpus = PathBuf::from(env::var_os("TAPELINE_CORPUS")?);
    let entries = fs::read_dir(corpus.join("exchange-rate")).expect("TAPELINE_CORPUS has no rates");
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    let is_answer = |name: &str| name.starts_with("latest-") && name.ends_with(".json");
    paths.retain(|path| is_answer(&path.file_name().unwrap().to_string_lossy()));
    paths.sort();
    Some(paths)
}

#[test]
fn converts_every_currency_of_real_answers_exactly() {
    let Some(paths) = answers() else {
        println!("skipped: TAPELINE_CORPUS is not set");
        return;
    };
    assert!(!paths.is_empty(), "no answer in TAPELINE_CORPUS");
    let mut converted = 0;
    for path in paths {
        let body = fs::read_to_string(&path).unwrap();
        let base = text_after(&body, "\"base_code\"");
        let world = World::new();
        let last_update: i64 = number_after(&body, "\"time_last_update_unix\"").parse().unwrap();
        world.set_now_ms(last_update * 1000);
        let entry = json!({"fetched_at_ms": last_update * 1000, "body": body});
        world.put(&format!("cache/exchange-rate/{base}.json"), entry.to_string());
        for (code, rate) in rates(&body) {
            for (amount, places) in [("1", 6), ("12.34", 2), ("987654321.987654321", 10)] {
                let line = format!(
                    "exchange-rate convert --from {base} --to {code} --amount {amount} \
                     --precision {places}"
                );
                let run = world.exec(&line).ok();
                assert_eq!(run.result["stale"], false, "{line}");
                assert_eq!(run.result["rate"], rate, "{line}");
                assert_eq!(run.result["converted_amount"], product(amount, rate, places), "{line}");
                converted += 1;
            }
        }
    }
    println!("{converted} conversions");
    assert!(converted > 1000);
}

/// The digits of each rate as they stand in the answer.
fn rates(body: &str) -> impl Iterator<Item = (&str, &str)> {
    let (_, rates) = body.split_once("\"rates\"").unwrap();
    let rates = rates.split_once('{').unwrap().1.split_once('}').unwrap().0;
    rates.split(',').map(|pair| {
        let (code, rate) = pair.split_once(':').unwrap();
        (code.trim().trim_matches('"'), rate.trim())
    })
}

fn text_after<'a>(body: &'a str, name: &str) -> &'a str {
    body.split_once(name).unwrap().1.split('"').nth(1).unwrap()
}

fn number_after<'a>(body: &'a str, name: &str) -> &'a str {
    let after = body.split_once(name).unwrap().1.trim_start_matches([':', ' ']);
    after.split([',', '\n', '}']).next().unwrap()
}

/// `left × right` in whole numbers of 128 bits, half away from zero: enough for these.
fn product(left: &str, right: &str, places: u32) -> String {
    let digits = |number: &str| number.replace('.', "").parse::<u128>().unwrap();
    let scale = |number: &str| number.split_once('.').map_or(0, |(_, places)| places.len());
    let scale = u32::try_from(scale(left) + scale(right)).unwrap();
    let product = digits(left) * digits(right);
    let unit = 10_u128.pow(scale.saturating_sub(places));
    let rounded = (product + unit / 2) / unit * 10_u128.pow(places.saturating_sub(scale));
    let whole = rounded / 10_u128.pow(places);
    match places {
        0 => whole.to_string(),
        _ => format!("{whole}.{:0width$}", rounded % 10_u128.pow(places), width = places as usize),
    }
}
