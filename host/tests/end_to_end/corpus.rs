//! Real answers of the provider, every currency of each, where a folder of them is given. They are
//! not in the repository: the provider's terms forbid that.

use std::{env, fs, path::PathBuf};

use tapeline_replay::loopback::Answer;

use crate::{rates::product, world::World};

#[test]
fn every_currency_of_real_answers_is_converted_exactly() {
    let Some(corpus) = env::var_os("TAPELINE_CORPUS").map(PathBuf::from) else {
        println!("skipped: TAPELINE_CORPUS names no folder");
        return;
    };
    let mut files: Vec<_> = fs::read_dir(corpus.join("exchange-rate"))
        .expect("TAPELINE_CORPUS has no folder `exchange-rate`")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("latest-"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "TAPELINE_CORPUS has no answers");
    for file in files {
        let body = fs::read_to_string(&file).unwrap();
        let base = text_after(&body, "\"base_code\"").trim_matches('"').to_owned();
        let mut world = World::new();
        world.answer(&base, Answer::ok_json(&body));
        let rates = rates(&body);
        assert!(rates.len() > 150, "{}", rates.len());
        let mut last = None;
        for (code, rate) in &rates {
            let line =
                format!("exchange-rate convert --from {base} --to {code} --amount 1234.5678");
            let envelope = world.exec(&line);
            let result = &envelope["result"];
            assert_eq!(envelope["exit_code"], 0, "{line}: {envelope:#}");
            assert_eq!(result["converted_amount"], product("1234.5678", rate), "{line}");
            last = Some(envelope);
        }
        world.stop_server();
        world.check_replays(&last.unwrap());
    }
}

/// Code and digits of each rate, read without a JSON parser's idea of numbers.
fn rates(body: &str) -> Vec<(String, String)> {
    let (_, rates) = body.split_once("\"rates\"").unwrap();
    let (_, rates) = rates.split_once('{').unwrap();
    let (rates, _) = rates.split_once('}').unwrap();
    rates
        .split(',')
        .map(|pair| {
            let (code, rate) = pair.split_once(':').unwrap();
            (code.trim().trim_matches('"').to_owned(), rate.trim().to_owned())
        })
        .collect()
}

fn text_after<'a>(body: &'a str, name: &str) -> &'a str {
    let (_, rest) = body.split_once(name).unwrap();
    let rest = rest.trim_start().strip_prefix(':').unwrap().trim_start();
    rest.split([',', '}']).next().unwrap().trim()
}
