//! `selftest`: changes that cases must notice, those they need not, and what it leaves as it is.

use std::{collections::BTreeMap, fs, path::PathBuf, time::SystemTime};

use crate::{
    commands::{OTHER_VALUE, RECORDED, registry},
    corpus::corpus,
    world::{World, answer, files},
};

const URL: &str = "https://a.example/";

#[test]
fn in_a_sound_corpus_every_change_is_seen_and_nothing_is_written() {
    let world = corpus();
    let before = contents(&world);
    let (exit, out) = world.cli(&["selftest"], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
    assert!(!out.contains("not seen"), "{out}");
    assert!(out.contains(" mutations of 6 cases: 100.0 % seen; "), "{out}");
    assert!(mutations(&out) > 600, "{out}");
    assert_eq!(contents(&world), before);
}

#[test]
fn a_value_on_which_nothing_depends_is_unobserved_and_not_counted() {
    let world = World::new().answers(URL, answer(200, &[("x-nobody", "cares")], "1"));
    let ran = world.run(&["get https://a.example/"]);
    world.promoted(&ran.record, "group/answer");
    let (exit, out) = world.cli(&["selftest"], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
    assert!(out.contains("\n      2  given/http.json /*/response/headers/*/* altered\n"), "{out}");
    let unobserved = "unobserved: group/answer given/http.json: /0/response/";
    assert!(!out.contains(unobserved), "{out}");
    let (_, verbose) = world.cli(&["selftest", "--verbose"], registry::<RECORDED>());
    assert!(verbose.contains(&format!("{unobserved}headers/0/1 altered\n")), "{verbose}");
    assert!(
        !verbose.contains(&format!("{unobserved}status altered\n")),
        "it is printed: {verbose}"
    );
    assert_eq!(mutations(&out), mutations(&verbose));
}

/// The part of a change that changes nothing is not missed when it is gone.
#[test]
fn what_must_be_seen_and_is_not_is_named_and_fails() {
    let world = corpus();
    let given = world.path("golden/two/idle/given");
    fs::create_dir_all(&given).unwrap();
    let case = r#"{"format":1,"title":"t","base":"two/plain","change":{"clock_start":0}}"#;
    fs::write(given.join("case.json"), case).unwrap();
    world.cli(&["two/idle"], registry::<RECORDED>());
    assert_eq!(world.cli(&["accept", "two/idle"], registry::<RECORDED>()).0, 0);
    let (exit, out) = world.cli(&["selftest", "two"], registry::<RECORDED>());
    assert_eq!(exit, 1, "{out}");
    let survivor = "not seen: two/idle given/case.json: /change/clock_start removed (ok)\n";
    assert!(out.starts_with(survivor), "{out}");
    assert_eq!(out.matches("not seen").count(), 1, "{out}");
    assert!(out.contains(" of 5 cases: 99."), "{out}");
    let (exit, json) = world.cli(&["selftest", "two/idle", "--json"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let survivors: Vec<_> = lines.iter().filter(|line| line["counted"] == true).collect();
    assert_eq!(survivors.len(), 1, "{json}");
    assert_eq!(survivors[0]["case"], "two/idle");
    assert_eq!(survivors[0]["what"], "/change/clock_start removed");
    let total = lines.last().unwrap();
    assert_eq!(total["cases"], 1);
    assert_eq!(total["seen"].as_u64().unwrap() + 1, total["mutations"].as_u64().unwrap());
}

#[test]
fn a_case_that_is_red_as_it_is_is_not_tested_and_the_others_are() {
    let world = corpus();
    fs::write(world.path("golden/two/plain/given/stray"), "").unwrap();
    let (exit, out) = world.cli(&["selftest", "two"], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("not tested: two/plain: broken\n"), "{out}");
    assert!(out.contains(" mutations of 3 cases: 100.0 % seen; "), "{out}");
    let (exit, out) = world.cli(&["selftest", "one/files"], registry::<OTHER_VALUE>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("not tested: one/files: changed\n"), "{out}");
    assert!(out.contains("\n0 mutations of 0 cases: 0.0 % seen; "), "{out}");
}

#[test]
fn a_sample_is_a_part_and_always_the_same() {
    let world = corpus();
    let all = world.cli(&["selftest"], registry::<RECORDED>()).1;
    let sample = || world.cli(&["selftest", "--sample", "7", "--verbose"], registry::<RECORDED>());
    let (exit, one) = sample();
    assert_eq!((exit, one.clone()), sample());
    let (part, whole) = (mutations(&one), mutations(&all));
    assert!(part > whole / 14 && part < whole / 3, "{part} of {whole}");
    // Beside JSON it is said on stderr.
    let said = "no mutation was made, so nothing is tested: give a smaller `--sample`\n";
    for (more, said) in [(&[][..], said), (&["--json"], "")] {
        let none = [&["selftest", "two/plain", "--sample", "1000000"], more].concat();
        assert_eq!(world.cli(&none, registry::<RECORDED>()), (2, said.to_owned()));
    }
}

/// Of two entries of one name the first would mean nothing, whatever it says.
#[test]
fn entries_of_one_name_are_refused() {
    let world = corpus();
    for (file, entry, more) in [
        (
            "one/files/given/workspace.json",
            r#""reads": ["#,
            r#""reads": [{"path":".agents/in.txt","absent":true},"#,
        ),
        (
            "one/files/given/workspace.json",
            r#""lists": ["#,
            r#""lists": [{"path":".agents/dir","entries":[]},"#,
        ),
        (
            "one/files/given/workspace.json",
            r#""entries": ["#,
            r#""entries": [{"name":"a.txt","kind":"dir"},"#,
        ),
    ] {
        let path = world.path("golden").join(file);
        let whole = fs::read_to_string(&path).unwrap();
        assert!(whole.contains(entry), "{whole}");
        fs::write(&path, whole.replace(entry, more)).unwrap();
        let (exit, out) = world.cli(&["one/files"], registry::<RECORDED>());
        assert_eq!(exit, 2, "{out}");
        assert!(out.contains("stands twice: take one away"), "{out}");
        fs::write(&path, whole).unwrap();
    }
    let given = world.path("golden/one/derived/given");
    fs::create_dir_all(&given).unwrap();
    let dns = r#"{"place":0,"fault":{"kind":"dns"}}"#;
    let tls = r#"{"place":0,"fault":{"kind":"tls"}}"#;
    let change = format!(r#"{{"answers":[{dns},{tls}]}}"#);
    let case = format!(r#"{{"format":1,"title":"t","base":"one/answers","change":{change}}}"#);
    fs::write(given.join("case.json"), case).unwrap();
    let (exit, out) = world.cli(&["one/derived"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("answer 0 is changed twice"), "{out}");
}

/// How many mutations a score counts.
fn mutations(out: &str) -> usize {
    let score = out.lines().find(|line| line.contains(" mutations of ")).unwrap();
    score.split(' ').next().unwrap().parse().unwrap()
}

/// All that lies below the root, and when it was written.
fn contents(world: &World) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let content = |file: PathBuf| {
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        (file.clone(), (fs::read(file).unwrap(), modified))
    };
    files(&world.path("")).into_iter().map(content).collect()
}
