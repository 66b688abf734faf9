//! Bad input, each with its code and a record, and nothing lost.

use std::{fs, process::Stdio, time::Duration};

use tapeline_replay::loopback::Answer;

use crate::{
    rates::{aged, fresh},
    world::{CONVERT, World, envelope, tree},
};

/// Runs a line, looks at its code, finds its record, and runs it again.
fn check(world: &World, line: &str, code: &str) -> serde_json::Value {
    let envelope = world.exec(line);
    assert_eq!(envelope["error_code"], code, "{line:?}: {envelope:#}");
    let record = world.record(&envelope);
    assert_eq!(record["command"], line);
    assert_eq!(record["error_code"], code);
    world.check_replays(&envelope);
    envelope
}

#[test]
fn lines_that_break_the_grammar() {
    let world = World::new();
    for outside in [
        "a;b",
        "a|b",
        "a<b",
        "a>b",
        "a`b",
        "a$(b",
        "a${b",
        "a&b",
        "a\u{3000}b",
        "a\u{a0}b",
        "“a”",
        "\\ a",
    ] {
        let envelope = check(&world, &format!("hello --name {outside}"), "InvalidCommandLine");
        assert!(envelope["result"]["column"].as_u64().unwrap() > 13, "{envelope:#}");
        assert!(envelope["hint"].is_string(), "{envelope:#}");
    }
    for everywhere in ["a\nb", "a\rb", "a\u{1b}b", "a\u{85}b", "a\u{202e}b", "a\u{2028}b", "\"a"] {
        check(&world, &format!("hello --name {everywhere}"), "InvalidCommandLine");
        if everywhere != "\"a" {
            check(&world, &format!("hello --name '{everywhere}'"), "InvalidCommandLine");
        }
    }
    check(&world, "", "InvalidCommandLine");
    check(&world, "  \t ", "InvalidCommandLine");
    check(&world, &format!("hello --name '{}'", "x".repeat(9 << 10)), "InvalidCommandLine");
}

#[test]
fn lines_that_lead_nowhere_or_do_not_fit() {
    let world = World::new();
    let envelope = check(&world, "exchange-rate convrt --from CNY", "UnknownCommand");
    assert_eq!(envelope["result"]["suggestions"][0], "exchange-rate convert");
    check(&world, "汇率 转换 🙂", "UnknownCommand");
    check(&world, "hello --name 你好", "InvalidArgs");
    check(&world, "hello --name '🙂🙂'", "InvalidArgs");
    let envelope = check(&world, "hello --nmae x", "InvalidArgs");
    assert_eq!(envelope["hint"], "did you mean `--name`?");
    check(&world, "exchange-rate latest --base CNY --out ../x.json", "PathEscapesAgentsRoot");
    check(&world, "exchange-rate latest --base CNY --out /etc/passwd", "PathEscapesAgentsRoot");
}

#[test]
fn stdin_is_left_alone_by_a_command_that_takes_none() {
    let world = World::new();
    let mut command = world.command(&["exec", "--json", "hello"]);
    // A pipe that is never written to nor closed: whoever reads it waits for ever.
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert_eq!(envelope(&output)["exit_code"], 0);
    drop(held);
}

#[test]
fn peers_that_misbehave() {
    let half = "{\"result\":\"success\",\"base_code\":\"CNY\"".to_owned() + &" ".repeat(200);
    for (what, answer, code) in [
        ("resets", Answer::reset_before_head(), "NetworkError"),
        ("closes", Answer::close_before_head(), "NetworkError"),
        ("half a body", Answer::ok_json(&half).cut_after(100), "NetworkError"),
        ("half a chunked body", Answer::ok_json(&half).chunked().cut_after(100), "NetworkError"),
        ("too much", Answer::endless("0123456789abcdef"), "LimitExceeded"),
        ("another type", Answer::ok("text/html", "<html><h1>Busy</h1></html>"), "ParseError"),
        ("broken JSON", Answer::ok_json(&half), "ParseError"),
        ("server error", Answer::status(503), "RemoteHttpError"),
        ("too many requests", Answer::status(429), "RateLimited"),
        (
            "its own error",
            Answer::ok_json(r#"{"result":"error","error-type":"unsupported-code"}"#),
            "RemoteError",
        ),
        ("elsewhere", Answer::redirect(302, "http://169.254.169.254/latest"), "NetworkDenied"),
    ] {
        let world = World::with(answer);
        let envelope = world.exec(CONVERT);
        assert_eq!(envelope["error_code"], code, "{what}: {envelope:#}");
        assert_eq!(world.record(&envelope)["error_code"], code);
        assert!(!world.kept_rates("CNY").exists(), "{what}: kept");
        world.check_replays(&envelope);
    }
}

#[test]
fn peers_that_stall_leave_time_to_fall_back() {
    for answer in [Answer::stall_before_head(), Answer::ok_json("{\"result\":").stall_after(5)] {
        let world = World::with(answer);
        let envelope = world.exec_with(&["--timeout-ms", "700"], CONVERT);
        assert_eq!(envelope["error_code"], "NetworkError", "{envelope:#}");
        assert!(envelope["duration_ms"].as_u64().unwrap() < 700, "{envelope:#}");
        world.check_replays(&envelope);
    }
}

#[test]
fn a_peer_that_refuses() {
    let mut world = World::new();
    world.stop_server();
    let envelope = check(&world, CONVERT, "NetworkError");
    assert_eq!(envelope["result"]["fault"], "connect_refused");
}

#[test]
fn a_cache_that_is_expired_corrupt_or_cannot_be_written() {
    let mut world = World::with(aged(30));
    assert_eq!(world.exec(CONVERT)["result"]["cached"], false);
    let again = world.exec(CONVERT);
    assert_eq!(again["result"]["cached"], false, "an expired entry was a hit");
    world.check_replays(&again);
    world.stop_server();
    let stale = world.exec(CONVERT);
    assert_eq!(stale["exit_code"], 0, "{stale:#}");
    assert_eq!(stale["result"]["stale"], true);
    assert_eq!(stale["result"]["warnings"][0]["code"], "StaleRates");
    world.check_replays(&stale);

    let world = World::with(fresh());
    world.exec(CONVERT);
    let kept = fs::read(world.kept_rates("CNY")).unwrap();
    fs::write(world.kept_rates("CNY"), &kept[..kept.len() / 2]).unwrap();
    let mended = world.exec(CONVERT);
    assert_eq!(mended["result"]["warnings"][0]["code"], "CacheReadError", "{mended:#}");
    assert_eq!(mended["result"]["cached"], false);
    world.check_replays(&mended);
    assert_eq!(world.exec(CONVERT)["result"]["cached"], true);

    let world = World::with(fresh());
    fs::create_dir_all(world.root().join(".agents")).unwrap();
    fs::write(world.root().join(".agents/cache"), "a file in the way").unwrap();
    let unkept = world.exec(CONVERT);
    assert_eq!(unkept["exit_code"], 0, "{unkept:#}");
    let warnings = unkept["result"]["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["code"] == "CacheWriteError"), "{unkept:#}");
    world.check_replays(&unkept);
}

#[test]
fn a_root_that_cannot_be_written_keeps_the_run_from_starting() {
    let world = World::with(fresh());
    fs::write(world.root(), "a file where a directory must be").unwrap();
    let before = tree(world.path("").as_path());
    for line in [CONVERT, "hello", "no such command", "a | b"] {
        let envelope = world.exec(line);
        assert_eq!(envelope["error_code"], "AuditUnavailable", "{envelope:#}");
        assert_eq!(envelope["exit_code"], 74);
        assert_eq!(envelope["result"]["ran"], false);
        assert_eq!(envelope["stdout"], "");
    }
    assert!(world.server().requests().is_empty(), "a request was made");
    assert_eq!(tree(world.path("").as_path()), before);
    assert_eq!(fs::read(world.root()).unwrap(), b"a file where a directory must be");
}

#[test]
fn an_answer_after_the_deadline_is_too_late() {
    let world = World::with(Answer::stall_before_head());
    let started = std::time::Instant::now();
    let envelope = world.exec_with(&["--timeout-ms", "200"], CONVERT);
    // 250 ms of a run are kept for the fallback, so nothing of this one is left for the network.
    assert_eq!(envelope["error_code"], "NetworkError", "{envelope:#}");
    assert!(started.elapsed() < Duration::from_secs(10));
    world.check_replays(&envelope);
}
