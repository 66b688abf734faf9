//! What is pending by groups of what changed alike: printed, and settled by answers.

use std::fs;

use crate::{
    commands::{FEWER_REQUESTS, MORE_LINES, OTHER_HEADER, RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    report::{VALUE, rates, tables},
    secret_samples::samples,
    world::{World, files, sealed},
};

/// Five cases print a line more, and `two/plain` is expected to print something else besides.
pub(crate) fn changed() -> World {
    let world = corpus();
    let envelope = world.path("golden/two/plain/expect/envelope.json");
    let text =
        fs::read_to_string(&envelope).unwrap().replace("\"steps\": [\"a\"", "\"steps\": [\"x\"");
    fs::write(envelope, text).unwrap();
    world.cli(&[], registry::<MORE_LINES>());
    world
}

#[test]
fn without_a_person_the_groups_are_printed() {
    let world = changed();
    let (exit, out) = world.cli(&["review"], registry::<RECORDED>());
    assert_eq!(exit, 1);
    assert_eq!(
        out,
        "do: 5 cases
  /stdout
    + one line more ×5
  in one/answers, one/files, two/people, two/plain, two/removal
  a case is settled whole, and some of these differ elsewhere, too:
    /result/steps/* ×1

do: 1 case
  /result/steps/*
    \"x\" → \"a\" ×1
  in two/plain
  a case is settled whole, and some of these differ elsewhere, too:
    /stdout ×1

5 cases pending
look: tapeline replay diff CASE; settle: tapeline replay accept CASE | tapeline replay reject CASE
one group after the other: tapeline replay review, at a terminal
"
    );
    let (exit, out) = world.cli(&["review", "one"], registry::<RECORDED>());
    assert!(exit == 1 && out.starts_with("do: 2 cases\n"), "{out}");
    assert_eq!(world.cli(&["review", "none"], registry::<RECORDED>()).0, 2);
    world.cli(&[], registry::<RECORDED>());
    world.cli(&["reject", "*"], registry::<RECORDED>());
    let nothing = (0, "nothing is pending\n".to_owned());
    assert_eq!(world.cli(&["review"], registry::<RECORDED>()), nothing);
    assert_eq!(world.asked(&["review"], &[]), nothing);
}

#[test]
fn lines_with_blanks_at_their_ends_stand_between_quotes() {
    let world = tables(2, "a table");
    world.cli(&[], rates::<VALUE>());
    let (_, out) = world.cli(&["review"], rates::<VALUE>());
    let told = "rates latest: 2 cases\n  /stdout\n    \"  code  rate\" → \"  code  value\" ×2\n";
    assert!(out.starts_with(told), "{out}");
}

#[test]
fn a_group_is_accepted_whole_and_its_cases_are_in_no_other_group_then() {
    let world = changed();
    let (exit, out) = world.asked(&["review"], &["a"]);
    assert_eq!(exit, 0, "{out}");
    assert!(
        out.contains("(1/2) Accept these 5 cases [a,r,l,c,s,q,?]? 5 cases accepted\n"),
        "{out}"
    );
    assert!(out.ends_with("5 cases accepted, 0 rejected, 0 left\n"), "{out}");
    assert!(!out.contains("(2/2)"), "{out}");
    assert_eq!(world.cli(&[], registry::<MORE_LINES>()).1.lines().next(), Some("6 cases: 6 ok"));
}

#[test]
fn a_group_is_rejected_and_the_cases_stay_as_they_were() {
    let world = changed();
    let before = files(&world.path("golden"));
    let (exit, out) = world.asked(&["review"], &["s", "r"]);
    assert_eq!(exit, 1, "{out}");
    assert!(out.ends_with("1 case rejected\n0 cases accepted, 1 rejected, 4 left\n"), "{out}");
    let (exit, out) = world.asked(&["review"], &["r"]);
    assert_eq!(exit, 0, "{out}");
    assert!(out.starts_with("\ndo: 4 cases\n"), "{out}");
    assert_eq!(files(&world.path("golden")), before);
    assert!(!world.path("target/replay-pending/two/plain").exists());
}

#[test]
fn cases_are_looked_at_and_settled_alone() {
    let world = changed();
    // Past the help, the list and the fourth; back and forth; two alone; then the group is smaller.
    let answers = ["x", "l", "4", "o", "n", "e", "d", "?", "r", "k", "k", "a", "j", "b", "s", "q"];
    let (exit, out) = world.asked(&["review"], &answers);
    assert_eq!(exit, 1, "{out}");
    for said in [
        "a  accept these cases, each whole\n",
        "    4  two/plain\n",
        "(4/5) Accept two/plain [a,r,d,o,n,e,j,k,b,q,?]? ",
        "expect/stdout.txt\n  a\n  b\n",
        "expect/stdout.txt\n  a\n  b\n  one line more\n",
        "given: 0 answers\nasked for now: 0 requests\n",
        "two/plain: changed\nexpect/stdout.txt\n    a\n    b\n  + one line more\n",
        "a  accept this case alone, whole\n",
        "1 case rejected\n",
        // The next one took its place; two before it.
        "(4/4) Accept two/removal ",
        "(3/4) Accept two/people ",
        "(2/4) Accept one/files [a,r,d,o,n,e,j,k,b,q,?]? 1 case accepted\n",
        "(2/3) Accept two/people ",
        "(3/3) Accept two/removal ",
        "do: 3 cases\n  /stdout\n    + one line more ×3\n  in one/answers, two/people, two/removal\n\
         (1/2) Accept these 3 cases ",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert!(out.ends_with("1 case accepted, 1 rejected, 3 left\n"), "{out}");
    assert_eq!(world.cli(&["one/files"], registry::<MORE_LINES>()).0, 0);
    assert_eq!(world.cli(&["accept", "two/plain"], registry::<RECORDED>()).0, 2);
}

#[test]
fn whoever_quits_or_goes_leaves_the_rest_pending() {
    let world = changed();
    for answers in [&[][..], &["q"], &["c"], &["c", "q"], &["l", "?"]] {
        let (exit, out) = world.asked(&["review"], answers);
        assert_eq!(exit, 1, "{out}");
        assert!(out.ends_with("0 cases accepted, 0 rejected, 5 left\n"), "{out}");
    }
}

#[test]
fn exchanges_are_shown_as_they_were_given_and_asked_for() {
    let world = corpus();
    world.cli(&["one/answers"], registry::<OTHER_HEADER>());
    let (_, out) = world.asked(&["review"], &["c", "e"]);
    let given = "given: 3 answers
  GET https://a.example/
    200, 1 byte: \"1\"
  GET https://a.example/
    200, 1 byte: \"2\"
  GET https://a.example/second
    fault: reset
asked for now: 3 requests
  GET https://a.example/
    headers: [[\"x-build\",\"2\"]]
";
    assert!(out.contains(given), "{out}");
    let before = "asked for before: 3 requests\n  GET https://a.example/\n    headers: []\n";
    assert!(out.contains(before), "{out}");
    world.cli(&["one/answers"], registry::<FEWER_REQUESTS>());
    let (_, out) = world.cli(&["review"], registry::<RECORDED>());
    assert!(
        out.contains("  /given\n    - \"answer to GET https://a.example/second\" ×1\n"),
        "{out}"
    );
}

#[test]
fn what_is_new_is_a_group_of_its_own() {
    let world = corpus();
    for case in ["two/plain", "two/people"] {
        fs::remove_dir_all(world.path("golden").join(case).join("expect")).unwrap();
    }
    world.cli(&["two"], registry::<MORE_LINES>());
    let (_, out) = world.cli(&["review"], registry::<RECORDED>());
    assert!(out.starts_with("do: 1 case\n"), "{out}");
    assert!(out.contains("\ndo, new: 2 cases\n  in two/people, two/plain\n"), "{out}");
    let (exit, out) = world.asked(&["review"], &["a", "c", "d", "o", "n", "b", "a"]);
    assert_eq!(exit, 0, "{out}");
    assert!(
        out.contains("two/people: new\n") && out.contains("nothing is expected yet\n"),
        "{out}"
    );
    assert_eq!(world.cli(&["two"], registry::<MORE_LINES>()).0, 0);
}

#[test]
fn what_cannot_be_settled_is_told_with_the_reason() {
    let world = corpus();
    world.cli(&["two/plain"], registry::<SWALLOWS_A_READ>());
    world.cli(&["one"], registry::<MORE_LINES>());
    let title = world.path("golden/one/files/given/case.json");
    let text = fs::read_to_string(&title).unwrap();
    fs::write(&title, text.replace("\"title\": \"", "\"title\": \"now ")).unwrap();
    for (exit, out) in
        [world.cli(&["review"], registry::<RECORDED>()), world.asked(&["review"], &["a"])]
    {
        assert_eq!(exit, 2, "{out}");
        assert!(out.ends_with("2 cases cannot be settled\n"), "{out}");
        assert!(out.contains("one/files: the case was changed since it was run"), "{out}");
        assert!(out.contains("two/plain: `miss` is nothing to accept\n  not on the tape"), "{out}");
        assert!(out.contains("do: 1 case\n") && out.contains("in one/answers\n"), "{out}");
    }
}

/// Somebody else may have written what is pending, and a server what is given.
#[test]
fn nothing_that_is_shown_acts_on_the_terminal_or_tells_a_secret() {
    let world = corpus();
    world.cli(&["one"], registry::<MORE_LINES>());
    let secrets: Vec<String> = samples().into_iter().map(|(_, text, _)| text).collect();
    let evil = format!("\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\r\u{85}end\n{}\n", secrets.join("\n"));
    let pending = world.path("target/replay-pending/one");
    fs::write(pending.join("answers/expect/stdout.txt"), &evil).unwrap();
    let envelope = pending.join("answers/expect/envelope.json");
    let named = r#""steps": [], "a\nb": "c\u001b","#;
    let text = fs::read_to_string(&envelope).unwrap().replacen(
        "\"steps\": [",
        &format!("{named} \"x\": ["),
        1,
    );
    fs::write(envelope, text).unwrap();
    sealed(&pending.join("answers"));
    for (_, out) in [
        world.cli(&["review"], registry::<RECORDED>()),
        world.cli(&["diff", "one"], registry::<RECORDED>()),
        world.asked(&["review"], &["c", "d", "n", "o", "e", "j", "b", "s", "s", "s", "s"]),
    ] {
        assert!(out.contains("\\u001b]0;x\\u0007\\u009b2J\\u202e"), "{out}");
        let acts =
            |character: char| character != '\n' && tapeline::line::is_refused_everywhere(character);
        assert!(!out.contains(acts), "{out:?}");
        assert!(!out.contains("\nb"), "{out}");
        for secret in &secrets {
            assert!(!out.contains(secret), "{secret} in {out}");
        }
    }
}

#[test]
fn what_is_long_is_shown_up_to_a_bound() {
    let world = World::new();
    for number in 0..13 {
        let ran = world.run(&["print a", &format!("print {number}")]);
        world.promoted(&ran.record, &format!("many/case-{number:02}"));
    }
    let ran = world.run(&["print a", "many 5000"]);
    world.promoted(&ran.record, "many/long");
    world.cli(&[], registry::<MORE_LINES>());
    let (_, out) = world.cli(&["review"], registry::<RECORDED>());
    assert!(out.contains("many/case-09, … and 4 more\n"), "{out}");
    assert!(!out.contains("many/long"), "{out}");
    let (_, out) = world.asked(&["review"], &["l", "14", "n", "d"]);
    assert!(out.contains("   14  many/long\n"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() < 300), "{out}");
}
