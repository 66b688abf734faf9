//! The main job: one real run through the door, on tape, run again without the outside.

use crate::{
    rates::{fresh, product},
    scratch::Scratch,
    world::{CONVERT, World},
};

#[test]
fn a_conversion_is_made_recorded_cached_and_replayed() {
    let mut world = World::with(fresh());

    let first = world.exec(CONVERT);
    assert_eq!(first["exit_code"], 0, "{first:#}");
    assert_eq!(first["result"]["converted_amount"], product("100", "0.123457"));
    assert_eq!(first["result"]["rate"], "0.123457");
    assert_eq!(first["result"]["cached"], false);
    assert_eq!(world.server().hits("/v6/latest/CNY"), 1);
    assert_eq!(world.server().requests()[0].header("host"), Some("open.er-api.com"));

    let record = world.record(&first);
    assert_eq!(record["command"], CONVERT);
    assert_eq!(record["parsed_command"]["path"], "exchange-rate convert");
    assert_eq!(record["parsed_command"]["args"]["amount"], "100");
    assert_eq!(record["tape"]["complete"], true);
    let events = record["tape"]["events"].as_array().unwrap();
    let path = ".agents/cache/exchange-rate/CNY.json";
    assert_eq!(events.len(), 3, "{events:#?}");
    assert_eq!(events[0]["file"]["path"], path);
    assert_eq!(events[0]["file"]["absent"], true);
    assert_eq!(events[1]["http"]["request"]["url"], "https://open.er-api.com/v6/latest/CNY");
    assert_eq!(events[1]["http"]["response"]["status"], 200);
    assert!(events[1]["http"]["response"]["body"]["text"].as_str().unwrap().contains("0.123457"));
    assert_eq!(events[2]["write"]["path"], path);
    assert_eq!(events[2]["write"]["ok"], true);

    let second = world.exec(CONVERT);
    assert_eq!(second["result"]["cached"], true);
    assert_eq!(second["result"]["converted_amount"], first["result"]["converted_amount"]);
    assert_eq!(world.server().requests().len(), 1, "the second call made a request");

    world.stop_server();
    world.check_replays(&first);
    world.check_replays(&second);
}

#[test]
fn a_changed_build_is_told_by_its_replay() {
    let mut world = World::with(fresh());
    let first = world.exec(CONVERT);
    world.stop_server();
    world.check_replays(&first);

    let scratch = Scratch::copy().unwrap();
    scratch
        .replace(
            "commands/src/exchange_rate/exact.rs",
            "left.scale() + right.scale(), 0)",
            "left.scale() + right.scale(), 1)",
        )
        .unwrap();
    world.program = scratch.build().unwrap();
    let report = world.replay(first["run_id"].as_str().unwrap());
    assert_eq!(report["verdict"], "changed", "{report:#}");
    let differences = report["differences"].as_array().unwrap();
    let converted = differences
        .iter()
        .find(|difference| difference["path"] == "/result/converted_amount")
        .unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(converted["expected"], r#""12.345700""#);
    assert_eq!(converted["actual"], r#""123.457000""#);
}
