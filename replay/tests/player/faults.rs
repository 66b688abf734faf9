//! Cases with each thing that can go wrong in them.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tapeline::ApprovalAnswer;
use tapeline_replay::Kit;

use crate::{
    commands::{LEAVES_A_THREAD, OTHER_VALUE, RECORDED, registry},
    corpus::corpus,
    world::{World, answer, body, called, files},
};

const URL: &str = "https://a.example/";

/// One case, of a run that does these things.
fn world(steps: &[&str]) -> World {
    let world = World::new()
        .says(ApprovalAnswer::Approved)
        .answers(URL, answer(200, &[("content-type", "application/json")], "{\"a\":1}"));
    let ran = world.run(steps);
    world.promoted(&ran.record, "group/case");
    world
}

/// What each variant is, in the order of its number.
fn listed(world: &World, case: &str) -> Vec<String> {
    let (exit, out) = world.cli(&["faults", case, "--list"], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
    let numbered = out.lines().filter_map(|line| line.strip_prefix("   "));
    numbered.map(|line| line.trim_start().split_once("  ").unwrap().1.to_owned()).collect()
}

/// A JSON object for each variant.
fn tried(world: &World, case: &str) -> Vec<Value> {
    let (exit, out) = world.cli(&["faults", case, "--json"], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn everything_that_can_go_wrong_is_tried() {
    let steps = ["get https://a.example/", "approve jump", "write a.txt 1", "write a.txt 2"];
    let world = world(&[&steps[..], &["sleep 5"]].concat());
    let mut variants = tried(&world, "group/case").into_iter();
    for (words, code) in [
        ("answer 1 (GET https://a.example/): dns", "NetworkError"),
        ("answer 1 (GET https://a.example/): address_denied", "NetworkDenied"),
        ("answer 1 (GET https://a.example/): connect_refused", "NetworkError"),
        ("answer 1 (GET https://a.example/): connect_timeout", "NetworkError"),
        ("answer 1 (GET https://a.example/): tls", "NetworkError"),
        ("answer 1 (GET https://a.example/): reset", "NetworkError"),
        ("answer 1 (GET https://a.example/): read_timeout", "NetworkError"),
        ("answer 1 (GET https://a.example/): truncated after 0 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): truncated after 3 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): stall after 0 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): stall after 3 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): decode after 0 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): decode after 3 bytes", "NetworkError"),
        ("answer 1 (GET https://a.example/): too_large after 2097153 bytes", "LimitExceeded"),
        ("answer 1 (GET https://a.example/): 429 with `retry-after: 2`", ""),
        ("answer 1 (GET https://a.example/): 429", ""),
        ("answer 1 (GET https://a.example/): 503", ""),
        ("answer 1 (GET https://a.example/): 200 with a web page", ""),
        ("answer 1 (GET https://a.example/): 200 with nothing", ""),
        ("write 1 (`.agents/a.txt`): directory", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): not_a_directory", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): link", "PathEscapesAgentsRoot"),
        ("write 1 (`.agents/a.txt`): not_a_file", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): full", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): permission", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): name_too_long", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): io", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): full when put in place", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): permission when put in place", "WorkspaceError"),
        ("write 1 (`.agents/a.txt`): io when put in place", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): directory", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): not_a_directory", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): link", "PathEscapesAgentsRoot"),
        ("write 2 (`.agents/a.txt`): not_a_file", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): full", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): permission", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): name_too_long", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): io", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): full when put in place", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): permission when put in place", "WorkspaceError"),
        ("write 2 (`.agents/a.txt`): io when put in place", "WorkspaceError"),
        ("approval 1 (jump): denied", "ApprovalDenied"),
        ("approval 1 (jump): failed", "ApprovalDenied"),
        ("approval 1 (jump): late", "ApprovalDenied"),
        ("approval 1 (jump): unavailable", "ApprovalRequired"),
        ("clock: a year later", ""),
        ("clock: a year earlier", ""),
        ("cancel before it begins", "Cancelled"),
        ("cancel after 0 events", "Cancelled"),
        ("cancel after 1 events", "Cancelled"),
        ("cancel after 2 events", "Cancelled"),
        ("cancel after 3 events", "Cancelled"),
        ("timeout before it begins", "Timeout"),
        ("timeout after 0 events", "Timeout"),
        ("timeout after 1 events", "Timeout"),
        ("timeout after 2 events", "Timeout"),
        ("timeout after 3 events", "Timeout"),
    ] {
        let variant = variants.next().unwrap();
        assert_eq!(variant["variant"], words);
        let came = variant["envelope"]["error_code"].as_str().unwrap_or_default();
        assert_eq!(came, code, "{words}: {variant}");
        // The first of two writes stands when the second one is refused.
        let lines = variant["envelope"]["stdout"].as_str().unwrap().lines().count();
        let done = match words.split_at(7).0 {
            "write 1" => Some(2),
            "write 2" => Some(3),
            _ => None,
        };
        assert!(done.is_none_or(|done| lines == done), "{words}: {variant}");
    }
    assert_eq!(variants.next(), None);
    let (exit, out) = world.cli(&["faults"], registry::<RECORDED>());
    let all = "1 case, 57 variants: all hold\n\
               of them: 19 answers, 22 writes, 4 approvals, 2 clocks, 5 cancels, 5 timeouts\n";
    assert_eq!((exit, &*out), (0, all));
}

#[test]
fn a_fault_differs_from_the_one_that_is_there() {
    let world = corpus();
    let variants = listed(&world, "one/answers");
    let of_third = |words: &str| {
        variants.contains(&format!("answer 3 (GET https://a.example/second): {words}"))
    };
    assert!(!of_third("reset") && of_third("dns") && of_third("429"), "{variants:?}");
    assert!(!of_third("truncated after 1 bytes") && of_third("truncated after 0 bytes"));
}

#[test]
fn the_changed_answer_comes_again_and_anything_else_is_more_than_the_tape_holds() {
    for (steps, misses) in [
        ("or https://a.example/ https://a.example/", 0),
        ("or https://a.example/ https://b.example/", 1),
        ("?get https://a.example/", 0),
    ] {
        let world = world(&[steps]);
        let variants = tried(&world, "group/case");
        assert_eq!(variants[0]["variant"], "answer 1 (GET https://a.example/): dns");
        assert_eq!(variants[0]["misses"], misses, "{steps}");
        let (exit, out) = world.cli(&["faults"], registry::<RECORDED>());
        let said = out.contains("14 ask for more than the tape holds\n");
        assert_eq!((exit, said), (0, misses > 0), "{out}");
    }
}

/// The one case does not hold, and this is said of it.
#[track_caller]
fn check_breach(steps: &[&str], says: &[&str]) {
    let (exit, out) = world(steps).cli(&["faults"], registry::<RECORDED>());
    assert_eq!(exit, 1, "{out}");
    for said in says {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert!(out.contains("do not hold\n"), "{out}");
}

#[test]
fn a_code_that_is_not_declared_is_seen() {
    let case = "group/case: variant 1: answer 1 (GET https://a.example/): dns\n";
    let odd =
        "  declared code: `do` does not declare `Odd`\n  it answers: exit code 65, Odd: odd\n";
    check_breach(&["odd-on-failure https://a.example/"], &[&format!("{case}{odd}")]);
    let bug = "  declared code: `Internal` is a bug in `do`\n";
    check_breach(&["panic-on-failure https://a.example/"], &[bug]);
}

#[test]
fn an_envelope_that_is_not_valid_is_seen() {
    let less = "  valid envelope: a failure without `result.limit`\n";
    check_breach(&["less-on-failure https://a.example/"], &[less]);
}

#[test]
fn a_file_that_is_cut_left_or_gone_is_seen() {
    check_breach(
        &["half a.json https://a.example/"],
        &[
            "  no half file: `.agents/a.json` holds the first 4 of 7 bytes\n",
            "  no half file: `.agents/a.json` holds no whole JSON\n",
            "  no half file: `.agents/a.json` was written, and the failure names no such artifact\n",
        ],
    );
    let left = "  no half file: `.agents/a.part` is left, which the whole run removes\n";
    check_breach(&["part a.part https://a.example/"], &[left]);
    let gone = "  no half file: the artifact `.agents/a.txt` is not there\n";
    check_breach(&["gone a.txt https://a.example/"], &[gone]);
}

#[test]
fn a_run_that_does_not_end_is_seen() {
    let world = world(&["hang-on-failure https://a.example/"]);
    let golden = world.path("golden");
    let kit = Kit::new(registry::<RECORDED>()).patience(Duration::from_millis(300));
    let (exit, out) = called(&["faults", "--golden", golden.to_str().unwrap()], &kit);
    assert_eq!(exit, 1, "{out}");
    assert!(out.contains("  one record: stuck\n"), "{out}");
}

#[test]
fn what_writes_after_the_end_is_seen() {
    let world = world(&["print a"]);
    let (exit, out) = world.cli(&["faults"], registry::<LEAVES_A_THREAD>());
    assert_eq!(exit, 1, "{out}");
    let left = "  no late effect: something that it began still has its door\n";
    // Before it begins there is none.
    assert_eq!((out.matches(left).count(), out.matches("begins").count()), (4, 0), "{out}");
}

#[test]
fn a_case_that_is_not_ok_or_derived_has_no_variants() {
    let world = corpus();
    let (exit, out) = world.cli(&["faults", "two/plain"], registry::<OTHER_VALUE>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("two/plain: not run: changed\n"), "{out}");
    assert!(out.ends_with("0 cases, 0 variants\n1 case could not be run\n"), "{out}");
    let (exit, out) = world.cli(&["faults", "two/plain", "--json"], registry::<OTHER_VALUE>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("{\"case\":\"two/plain\",\"verdict\":\"changed\","), "{out}");
    let keep = ["faults", "two/plain", "--keep", "1", "--as", "kept/clock"];
    assert_eq!(world.cli(&keep, registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["faults", "kept"], registry::<RECORDED>());
    let none = "derived cases have no variants of their own: name the base of each instead \
                (`base` in its `given/case.json`)\n";
    assert_eq!((exit, &*out), (2, none));
    let (exit, out) = world.cli(&["faults", "kept", "two/plain"], registry::<RECORDED>());
    assert!(exit == 0 && out.starts_with("1 case, 6 variants: all hold\n"), "{out}");
    assert!(out.ends_with("1 case is derived, and left out\n"), "{out}");
    let (exit, out) = world.cli(&["faults", "none"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("`none` is no case here"), "{out}");
}

#[test]
fn a_variant_is_kept_as_a_derived_case() {
    let steps = ["get https://a.example/", "approve jump", "write a.txt 1", "write a.txt 2"];
    let world = world(&steps);
    let variants = listed(&world, "group/case");
    for (number, words) in variants.iter().enumerate() {
        let (number, name) = ((number + 1).to_string(), format!("kept/{number}"));
        let keep = ["faults", "group/case", "--keep", &number, "--as", &name, "--title", words];
        let (exit, out) = world.cli(&keep, registry::<RECORDED>());
        assert_eq!((exit, &*out), (0, &*format!("{name}: made of group/case: {words}\n")));
        let given = world.path("golden").join(&name).join("given");
        let bytes: u64 = files(&given).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        assert!(bytes < 1024, "{words}: {bytes}");
        let case = fs::read_to_string(given.join("case.json")).unwrap();
        let case: Value = serde_json::from_str(&case).unwrap();
        assert_eq!((&case["title"], &case["base"]), (&json!(words), &json!("group/case")));
    }
    let all_ok = (0, format!("{0} cases: {0} ok\n", variants.len() + 1));
    assert_eq!(world.cli(&[], registry::<RECORDED>()), all_ok);
    assert_eq!(world.cli(&["check"], registry::<RECORDED>()).0, 0);
}

#[test]
fn what_cannot_be_kept_leaves_nothing() {
    let world = corpus();
    let other = World::new().answers(URL, body("1"));
    let ran = other.run(&["or https://a.example/ https://b.example/"]);
    other.promoted(&ran.record, "group/case");
    for (world, of, number, name, why) in [
        (&world, "two/plain", "0", "new/case", "`two/plain` has 6 variants: `--list` shows them"),
        (&world, "two/plain", "7", "new/case", "`two/plain` has 6 variants: `--list` shows them"),
        (&world, "two/plain", "1", "two/people", "there is a case `two/people` already"),
        (&world, "two", "1", "new/case", "name the one case that `--keep` takes a variant of"),
        (
            &other,
            "group/case",
            "1",
            "new/case",
            "not on the tape: answer to GET https://b.example/",
        ),
    ] {
        let before = files(&world.path("golden"));
        let keep = ["faults", of, "--keep", number, "--as", name];
        let (exit, out) = world.cli(&keep, registry::<RECORDED>());
        assert_eq!(exit, 2, "{out}");
        assert!(out.contains(why), "{out}");
        assert_eq!(files(&world.path("golden")), before, "{of}");
        assert!(!world.path("golden/new").exists());
    }
}
