//! REQ-0031-002, -003, -004 and -009.

use std::sync::atomic::Ordering;

use serde_json::json;
use tapeline::{
    Policy,
    workspace::{WorkspaceFaultKind, WriteStage},
};

use super::{ATTRIBUTION, CNY_ENTRY, CNY_URL, HOUR_MS, body, cny, entry};
use crate::world::{START_MS, World};

#[test]
fn shows_five_common_currencies_and_how_many_there_are() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate latest --base CNY").ok();
    assert_eq!(world.service.asked(), [format!("GET {CNY_URL}")]);
    assert_eq!(
        run.fields(),
        [
            "ok",
            "command",
            "base_code",
            "time_last_update_utc",
            "time_next_update_utc",
            "cached",
            "stale",
            "rates_total",
            "rates",
            "source_url",
            "attribution",
            "warnings",
        ]
    );
    assert_eq!(
        run.result,
        json!({
            "ok": true,
            "command": "exchange-rate latest",
            "base_code": "CNY",
            "time_last_update_utc": "Tue, 14 Nov 2023 21:13:20 +0000",
            "time_next_update_utc": "Wed, 15 Nov 2023 21:13:20 +0000",
            "cached": false,
            "stale": false,
            "rates_total": 8,
            "rates": {"EUR": "0.125", "GBP": "0.11", "HKD": "1.09", "JPY": "20.5", "USD": "0.14"},
            "source_url": CNY_URL,
            "attribution": "Rates By Exchange Rate API",
            "warnings": [],
        })
    );
    assert_eq!(
        run.envelope.stdout,
        "\
1 CNY is
  code  rate
  USD    0.14
  EUR    0.125
  JPY   20.5
  GBP    0.11
  HKD    1.09
5 of 8 rates
as of Tue, 14 Nov 2023 21:13:20 +0000, 1 hour old
next update Wed, 15 Nov 2023 21:13:20 +0000
Rates By Exchange Rate API
"
    );
    assert!(run.envelope.artifacts.is_empty());
}

#[test]
fn leaves_the_base_out_of_the_common_currencies() {
    let world = World::new();
    world.service.answers(200, &[], body("USD", r#""USD":1,"CNY":7.1,"EUR":0.9,"JPY":150"#));
    let run = world.exec("exchange-rate latest --base usd").ok();
    assert_eq!(run.result["base_code"], "USD");
    assert_eq!(run.result["rates"], json!({"EUR": "0.9", "JPY": "150"}));
    assert_eq!(run.result["rates_total"], 4);
}

#[test]
fn shows_only_the_symbols_asked_for() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate latest --base CNY --symbols USD,EUR").ok();
    assert_eq!(run.result["rates"], json!({"EUR": "0.125", "USD": "0.14"}));
}

#[test]
fn takes_symbols_as_people_write_them() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate latest --base cny --symbols \" usd, eur ,usd\"").ok();
    assert_eq!(run.result["base_code"], "CNY");
    assert_eq!(run.result["rates"], json!({"EUR": "0.125", "USD": "0.14"}));
    assert!(run.envelope.stdout.contains("  USD   0.14\n  EUR   0.125\n2 of 8"), "as asked");
}

#[test]
fn shows_the_base_when_it_is_asked_for() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate latest --base CNY --symbols CNY").ok();
    assert_eq!(run.result["rates"], json!({"CNY": "1"}));
}

#[test]
fn refuses_malformed_codes_and_lists_before_any_request() {
    let world = World::new();
    for (line, parts) in [
        ("exchange-rate latest", &["--base", "required"][..]),
        ("exchange-rate latest --base", &["--base"]),
        ("exchange-rate latest --base US", &["--base", "`US`", "three letters"]),
        ("exchange-rate latest --base \u{a5}", &["--base", "three letters"]),
        ("exchange-rate latest --base CNY --symbols USD,,EUR", &["--symbols", "single commas"]),
        ("exchange-rate latest --base CNY --symbols \"\"", &["--symbols"]),
        ("exchange-rate latest --base CNY --symbols USD,EURO", &["`EURO`", "three letters"]),
        ("exchange-rate latest --base CNY --base USD", &["--base", "more than once"]),
        ("exchange-rate latest --base CNY --overwrite", &["--out"]),
    ] {
        world.exec(line).fails("InvalidArgs", parts);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn refuses_all_symbols_with_a_hint_to_out() {
    let world = World::new();
    world.exec("exchange-rate latest --base CNY --symbols all").fails("InvalidArgs", &["--out"]);
    assert!(world.service.asked().is_empty());
}

#[test]
fn names_the_currencies_the_table_does_not_hold() {
    let world = World::new();
    world.answers_cny();
    let run = world
        .exec("exchange-rate latest --base CNY --symbols USD,qqq,zzz")
        .fails("UnknownCurrency", &["`QQQ`, `ZZZ`", "--out"]);
    assert_eq!(run.result["codes"], json!(["QQQ", "ZZZ"]));
    assert!(world.read(CNY_ENTRY).is_some(), "the answer itself was good and is kept");
}

#[test]
fn out_writes_the_answer_as_received() {
    let world = World::new();
    world.answers_cny();
    let line = "exchange-rate latest --base CNY --out artifacts/exchange-rate/latest-CNY.json";
    let run = world.exec(line).ok();
    let path = ".agents/artifacts/exchange-rate/latest-CNY.json";
    assert_eq!(run.result["out"], path);
    assert_eq!(run.fields().iter().position(|field| field == "out"), Some(9), "after `rates`");
    assert_eq!(run.result["rates"].as_object().unwrap().len(), 5, "never the full table");
    assert!(run.envelope.stdout.contains(&format!("all 8 rates are in {path}")));
    let [artifact] = run.envelope.artifacts.as_slice() else { panic!("{:?}", run.envelope) };
    assert_eq!(artifact.path, path);
    assert_eq!(artifact.mime, "application/json");
    assert_eq!(artifact.bytes, cny().len() as u64);
    assert!(artifact.description.contains("Rates By Exchange Rate API"));
    assert_eq!(world.read(path), Some(cny()));
}

#[test]
fn out_writes_the_kept_answer_on_a_hit() {
    let world = World::with_cny_kept();
    let run = world.exec("exchange-rate latest --base CNY --symbols USD --out rates.json").ok();
    assert_eq!(run.result["cached"], true);
    assert_eq!(run.result["rates"], json!({"USD": "0.14"}));
    assert_eq!(world.read("rates.json"), Some(cny()));
    assert!(world.service.asked().is_empty());
}

#[test]
fn out_stays_below_the_workspace_root() {
    let world = World::new();
    for path in ["../x.json", "/tmp/x.json", "a/../../x.json", ".agents/../x.json", "C:x.json"] {
        world
            .exec(&format!("exchange-rate latest --base CNY --out {path}"))
            .fails("PathEscapesAgentsRoot", &["--out"]);
    }
    assert!(world.service.asked().is_empty());
}

#[test]
fn out_does_not_replace_a_file_unasked() {
    let world = World::new();
    world.put("rates.json", "mine");
    world
        .exec("exchange-rate latest --base CNY --out rates.json")
        .fails("OutExists", &["rates.json", "--overwrite"]);
    assert!(world.service.asked().is_empty(), "known before any request");
    assert_eq!(world.read("rates.json").as_deref(), Some("mine"));
}

#[test]
fn overwrite_asks_first_and_leaves_the_old_file_until_there_is_a_new_one() {
    let world = World::new();
    world.put("rates.json", "mine");
    let line = "exchange-rate latest --base CNY --out rates.json --overwrite";
    world.exec(line).fails("ApprovalDenied", &[]);
    assert!(world.service.asked().is_empty());
    assert!(world.approver.asked.lock().unwrap()[0].contains("rates.json"));

    world.approver.approves.store(true, Ordering::SeqCst);
    world.service.answers(503, &[], "busy");
    world.exec(line).fails("RemoteHttpError", &["503"]);
    assert_eq!(world.read("rates.json").as_deref(), Some("mine"));

    world.answers_cny();
    world.exec(line).ok();
    assert_eq!(world.read("rates.json"), Some(cny()));
}

#[test]
fn a_failed_run_leaves_no_out_file() {
    let world = World::new();
    world.answers_cny();
    world
        .exec("exchange-rate latest --base CNY --symbols QQQ --out rates.json")
        .fails("UnknownCurrency", &["QQQ"]);
    assert_eq!(world.read("rates.json"), None);
}

#[test]
fn needs_the_network_only_for_what_is_not_kept() {
    let world = World::with_policy(Policy::default());
    world.exec("exchange-rate latest --base CNY").fails("CapabilityDenied", &[]);
    assert!(world.service.asked().is_empty());
    world.put(CNY_ENTRY, entry(&cny()));
    let run = world.exec("exchange-rate latest --base CNY").ok();
    assert_eq!(run.result["cached"], true);
    // Out of date, it stands in for a service out of reach, not for one that may not be asked.
    world.set_now_ms(START_MS + 72 * HOUR_MS);
    world.exec("exchange-rate latest --base CNY").fails("CapabilityDenied", &[]);
}

#[test]
fn the_common_currencies_are_five_or_the_other_four() {
    let table = r#""CNY":1,"USD":2,"EUR":3,"JPY":4,"GBP":5,"HKD":6,"AUD":7,"CAD":8,"SGD":9"#;
    for base in ["CNY", "USD", "EUR", "JPY", "GBP", "HKD"] {
        let world = World::new();
        world.service.answers(200, &[], body(base, table));
        let run = world.exec(&format!("exchange-rate latest --base {base}")).ok();
        let mut common = json!({"USD": "2", "EUR": "3", "JPY": "4", "GBP": "5", "HKD": "6"});
        common.as_object_mut().unwrap().remove(base);
        assert_eq!(run.result["rates"], common, "{base}");
        assert_eq!(run.result["rates_total"], 9, "{base}");
    }
}

#[test]
fn a_code_is_asked_for_and_shown_in_upper_case() {
    let world = World::new();
    world.answers_cny();
    let run = world.exec("exchange-rate latest --base cNy --symbols eUr").ok();
    assert_eq!(world.service.asked(), [format!("GET {CNY_URL}")]);
    assert_eq!(run.result["base_code"], "CNY");
    assert_eq!(run.result["source_url"], CNY_URL);
    assert_eq!(run.result["rates"], json!({"EUR": "0.125"}));
    assert!(run.envelope.stdout.starts_with("1 CNY is\n  code  rate\n  EUR   0.125\n"));
    assert!(world.read(CNY_ENTRY).is_some(), "kept under the same name");
}

#[test]
fn rates_are_texts_of_plain_digits_however_they_are_spelled() {
    let world = World::new();
    let rates = r#""CNY":1,"AAA":1e-7,"BBB":1.0E-5,"CCC":0.000023,"DDD":25432.75,"EEE":1234567890,"FFF":1234567890.123456,"GGG":1.5E3,"HHH":2.50"#;
    world.service.answers(200, &[], body("CNY", rates));
    let symbols = "CNY,AAA,BBB,CCC,DDD,EEE,FFF,GGG,HHH";
    let run = world.exec(&format!("exchange-rate latest --base CNY --symbols {symbols}")).ok();
    assert_eq!(
        run.result["rates"],
        json!({
            "CNY": "1",
            "AAA": "0.0000001",
            "BBB": "0.000010",
            "CCC": "0.000023",
            "DDD": "25432.75",
            "EEE": "1234567890",
            "FFF": "1234567890.123456",
            "GGG": "1500",
            "HHH": "2.50",
        })
    );
}

#[test]
fn a_full_table_reaches_neither_stdout_nor_result() {
    let letters = || 'A'..='N';
    let codes = letters().flat_map(|left| letters().map(move |right| format!("X{left}{right}")));
    let rates: Vec<_> = codes.map(|code| format!(r#""{code}":1.5"#)).collect();
    let table = body("CNY", &format!(r#""USD":0.14,{}"#, rates.join(",")));
    for out in ["", " --out rates.json"] {
        let world = World::new();
        world.service.answers(200, &[], table.as_str());
        let run = world.exec(&format!("exchange-rate latest --base CNY{out}")).ok();
        assert_eq!(run.result["rates_total"], 197, "{out}");
        assert_eq!(run.result["rates"], json!({"USD": "0.14"}), "{out}");
        assert!(!run.envelope.stdout.contains("XAA"), "{out}: {}", run.envelope.stdout);
        assert!(!run.envelope.result.get().contains("XAA"), "{out}");
        assert!(run.envelope.truncated.is_empty(), "{out}");
    }
}

#[test]
fn out_keeps_every_byte_of_an_answer_in_any_spelling() {
    let pretty = cny().replace(",\"", ",\r\n\t\"").replace("0.125", "1.250E-1");
    let pretty = format!(" {}\n\n", pretty.replace("/docs", "\\/docs \\u00e9 \u{e9}"));
    let world = World::new();
    world.service.answers(200, &[], pretty.as_str());
    world.exec("exchange-rate latest --base CNY --out fresh.json").ok();
    assert_eq!(world.read("fresh.json"), Some(pretty.clone()));
    let run = world.exec("exchange-rate latest --base CNY --out kept.json").ok();
    assert_eq!(run.result["cached"], true);
    assert_eq!(world.read("kept.json"), Some(pretty));
}

#[test]
fn out_writes_the_kept_answer_when_nobody_answers() {
    let world = World::with_cny_kept();
    world.set_now_ms(START_MS + 72 * HOUR_MS);
    let run = world.exec("exchange-rate latest --base CNY --out rates.json").ok();
    assert_eq!(run.result["stale"], true);
    assert_eq!(run.result["out"], ".agents/rates.json");
    assert_eq!(world.read("rates.json"), Some(cny()));
}

#[test]
fn attribution_is_the_last_line_and_the_age_stands_above_it() {
    let world = World::new();
    for (hours, line, age) in [
        (0, "exchange-rate latest --base CNY", ", 1 hour old\n"),
        (1, "exchange-rate latest --base CNY --out rates.json", ", 2 hours old, from the cache\n"),
        (72, "exchange-rate latest --base CNY", ", 3 days old, from the cache and out of date\n"),
    ] {
        world.set_now_ms(START_MS + hours * HOUR_MS);
        if hours == 0 {
            world.answers_cny();
        }
        let run = world.exec(line).ok();
        assert_eq!(run.envelope.stdout.lines().last(), Some(ATTRIBUTION), "{line}");
        assert_eq!(run.result["attribution"], ATTRIBUTION, "{line}");
        assert!(run.envelope.stdout.contains(age), "{}", run.envelope.stdout);
    }
}

#[test]
fn out_does_not_replace_the_entry_that_the_run_itself_keeps() {
    let world = World::new();
    world.answers_cny();
    world
        .exec(&format!("exchange-rate latest --base CNY --out {CNY_ENTRY}"))
        .fails("OutExists", &["CNY.json"]);
    assert_eq!(world.exec("exchange-rate latest --base CNY").ok().result["cached"], true);
}

#[test]
fn an_out_that_cannot_be_written_fails_the_run_and_leaves_the_entry() {
    for stage in [WriteStage::Create, WriteStage::AfterBytes(100), WriteStage::Commit] {
        let world = World::new();
        world.workspace.fail_write("rates.json", stage, WorkspaceFaultKind::Full);
        world.answers_cny();
        let run = world
            .exec("exchange-rate latest --base CNY --out rates.json")
            .fails("WorkspaceError", &["rates.json"]);
        assert_eq!(run.result["kind"], "full", "{stage:?}");
        assert_eq!(world.read("rates.json"), None, "{stage:?}");
        // What was asked for is kept; a file that could not be begun cost no request.
        let is_asked = stage != WriteStage::Create;
        assert_eq!(world.service.asked().len(), usize::from(is_asked), "{stage:?}");
        assert_eq!(world.read(CNY_ENTRY).is_some(), is_asked, "{stage:?}");
    }
}
