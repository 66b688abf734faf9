//! The kit's command line: exit codes, text, one JSON object.

use serde_json::Value;
use tapeline_replay::{Json, Kit};

use crate::{
    commands::{MORE_LINES, OTHER_VALUE, PANICS, RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    world::{World, called, files},
};

/// The report, which is one line and one object.
fn report(out: &str) -> Value {
    let line = out.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{out}");
    let Json::Object(fields) = Json::parse(line).unwrap() else { panic!("{out}") };
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["run_id", "verdict", "differences", "misses", "why"]);
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_run_without_a_log_says_where_it_is_looked_for() {
    let nowhere = tempfile::tempdir().unwrap();
    let kit = Kit::new(registry::<RECORDED>()).root(nowhere.path());
    let (exit, out) = called(&["run", "01a2202b-1d66"], &kit);
    let audit = nowhere.path().join("audit").display().to_string();
    let said = format!("there is no audit log at `{audit}`: give the root that the run was");
    assert!(exit == 2 && out.contains(&said), "{out}");
}

/// One level too deep, what is pending would lie among the cases.
#[test]
fn a_group_or_a_case_is_no_folder_of_cases() {
    let world = corpus();
    let before = files(&world.path("golden"));
    for deep in ["golden/one", "golden/one/files", "golden/new"] {
        let golden = world.path(deep).display().to_string();
        for verb in [&[][..], &["check"], &["accept", "*"], &["gc", "--apply"]] {
            let arguments = [verb, &["--golden", &golden]].concat();
            let (exit, out) = called(&arguments, &Kit::new(registry::<MORE_LINES>()));
            let root = world.path("golden").canonicalize().unwrap();
            let said = format!("lies among the cases of `{}`: give that as", root.display());
            assert!(exit == 2 && out.contains(&said), "{out}");
        }
        assert_eq!(files(&world.path("golden")), before);
    }
}

#[test]
fn the_report_of_each_verdict_is_one_object() {
    let world = World::new();
    let id = world.run(&["print a"]).record.run_id;
    let run = |registry| {
        let (code, out) = world.cli(&["run", &id, "--json"], registry);
        (code, report(&out))
    };
    let (code, report) = run(registry::<RECORDED>());
    assert_eq!(
        (code, &report["verdict"], &report["run_id"]),
        (0, &"ok".into(), &id.clone().into())
    );
    let (code, report) = run(registry::<OTHER_VALUE>());
    assert_eq!((code, &report["verdict"]), (1, &"changed".into()));
    assert_eq!(report["differences"][0]["path"], "/result/steps/0");
    assert_eq!(report["differences"][0]["expected"], "\"a\"");
    assert_eq!(report["differences"][1]["expected"], Value::Null);
    let (code, report) = run(registry::<SWALLOWS_A_READ>());
    assert_eq!((code, &report["verdict"]), (1, &"miss".into()));
    assert_eq!(report["misses"][0], "file `.agents/new.txt`");
    let (code, report) = run(registry::<PANICS>());
    assert_eq!((code, &report["verdict"]), (1, &"panic".into()));
}

#[test]
fn what_is_said_before_a_verb_is_said_to_it_or_refused() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<MORE_LINES>());
    let kept = world.path("kept");
    std::fs::rename(world.path("target/replay-pending"), &kept).unwrap();
    let accept = ["--pending", kept.to_str().unwrap(), "accept", "*"];
    let (exit, out) = world.cli(&accept, registry::<RECORDED>());
    assert_eq!((exit, out.as_str()), (0, "two/plain: accepted\n"));
    for before in ["--json", "--twice", "two"] {
        let (exit, out) = world.cli(&[before, "check"], registry::<RECORDED>());
        assert!(exit == 2 && out.starts_with("a verb comes first: "), "{before}: {out}");
    }
}

#[test]
fn the_help_of_every_verb_tells_its_exit_codes() {
    for verb in [
        "", "run", "promote", "diff", "accept", "reject", "amend", "check", "review", "log",
        "faults", "selftest", "mv", "gc",
    ] {
        let arguments = [verb, "--help"];
        let arguments = arguments.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
        let help = crate::world::parsed(&arguments).unwrap_err().to_string();
        assert!(help.contains("Exit code: "), "{verb}: {help}");
    }
}

#[test]
fn the_text_names_the_run_and_what_differs() {
    let world = World::new();
    let id = world.run(&["print a"]).record.run_id;
    let (code, out) = world.cli(&["run", &id], registry::<MORE_LINES>());
    assert_eq!(code, 1);
    assert_eq!(out, format!("{id}: changed\n/stdout\n    a\n  + one line more\n"));
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let world = World::new();
    let id = world.run(&["print a"]).record.run_id;
    let beginning = id.get(..20).unwrap();
    let (code, out) = world.cli(&["run", beginning, "--json"], registry::<RECORDED>());
    assert_eq!((code, &report(&out)["verdict"]), (0, &"ok".into()));
    assert_eq!(report(&out)["run_id"], *id);
}

#[test]
fn what_cannot_be_run_again_says_why() {
    let world = World::new();
    let (code, out) = world.cli(&["run", "0198f3c2-0000"], registry::<RECORDED>());
    assert_eq!(code, 2);
    assert!(out.contains("broken\n  ") && out.contains("audit"), "{out}");
    world.run(&["print a"]);
    for (run_id, word) in [("0198f3c2-0000", "no run"), ("0198", "too short")] {
        let (code, out) = world.cli(&["run", run_id, "--json"], registry::<RECORDED>());
        let report = report(&out);
        assert_eq!((code, &report["verdict"]), (2, &"broken".into()));
        assert!(report["why"].as_str().unwrap().contains(word), "{out}");
    }
}

#[test]
fn the_beginning_of_several_run_ids_is_not_enough() {
    let world = World::new();
    let id = world.run(&["print a"]).record.run_id;
    world.run(&["print b"]);
    let (code, out) = world.cli(&["run", id.get(..8).unwrap()], registry::<RECORDED>());
    assert_eq!(code, 2);
    assert!(out.contains("cannot find that run in"), "{out}");
    assert!(out.contains("the beginning of several run ids") && out.contains("give more"), "{out}");
}
