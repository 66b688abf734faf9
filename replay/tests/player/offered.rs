//! What a report offers to accept: what it shows and nothing else, and nothing that is refused then.

use std::{fs, path::PathBuf};

use crate::{
    commands::{MORE_LINES, RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    report::{VALUE, Written, rates, tables, written},
    review::changed,
    world::World,
};

/// What `accept` is given in a summary, line by line.
fn offered(markdown: &str) -> Vec<&str> {
    let words = |line: &'_ str| line.starts_with("tapeline replay accept ");
    let lines = markdown.lines().filter(|line| words(line));
    lines.map(|line| line.strip_prefix("tapeline replay accept ").unwrap()).collect()
}

fn summary(world: &World, arguments: &[&str]) -> String {
    let arguments = [&["report", "--markdown", "-"], arguments].concat();
    world.cli(&arguments, registry::<MORE_LINES>()).1
}

/// The names of the cases that wait.
fn waiting(world: &World) -> Vec<String> {
    let (_, out) = world.cli(&["diff", "*"], registry::<RECORDED>());
    let names = out.lines().filter_map(|line| line.strip_suffix(": changed"));
    names.map(str::to_owned).collect()
}

#[test]
fn only_what_is_shown_is_offered() {
    let world = corpus();
    world.cli(&[], registry::<MORE_LINES>());
    let markdown = summary(&world, &["two/plain", "two/people"]);
    assert_eq!(offered(&markdown), ["two/people two/plain"], "{markdown}");
    world.cli(&["accept", "two/people", "two/plain"], registry::<RECORDED>());
    assert_eq!(waiting(&world), ["one/answers", "one/files", "two/removal"]);
    // All that waits now, and not all that could.
    let markdown = summary(&world, &["one", "two/removal"]);
    assert_eq!(offered(&markdown), ["one/answers one/files two/removal"], "{markdown}");
    assert_eq!(offered(&summary(&world, &[])), ["'*'"]);

    // A miss of another build is shown, and is nothing to accept.
    let miss = world.path("target/replay-pending/two/miss");
    world.cli(&["two/plain"], registry::<SWALLOWS_A_READ>());
    fs::rename(world.path("target/replay-pending/two/plain"), &miss).unwrap();
    let markdown = summary(&world, &[]);
    assert_eq!(offered(&markdown), ["one/answers one/files two/removal"], "{markdown}");
}

#[test]
fn a_long_list_is_named_by_its_group_where_nothing_else_waits_there() {
    let world = tables(60, "a table");
    let Written { markdown, html, .. } = written(&world, &["rates"], rates::<VALUE>());
    assert_eq!(offered(&markdown), ["rates"], "{markdown}");
    assert!(html.contains("tapeline replay accept rates</pre>"));
    let Written { markdown, .. } = written(&world, &["rates/base1*"], rates::<VALUE>());
    assert_eq!(offered(&markdown)[0].split(' ').count(), 11, "{markdown}");
    // One of the group is broken: what takes the others would name it, too.
    fs::write(world.path("golden/rates/base7/given/case.json"), "{").unwrap();
    let Written { markdown, .. } = written(&world, &["rates"], rates::<VALUE>());
    assert_eq!(offered(&markdown), [""; 0], "{markdown}");
    assert!(markdown.contains("```console\ntapeline replay review\n```"), "{markdown}");
}

#[test]
fn lines_name_the_folders_that_are_not_the_usual_ones() {
    let world = corpus();
    let pending = world.path("what is kept");
    let pending = pending.to_str().unwrap();
    let options =
        format!(" --golden {} --pending '{pending}'", world.path("golden").to_str().unwrap());
    let called = |arguments: &[&str]| {
        let arguments = [arguments, &["--pending", pending]].concat();
        world.cli_in_full(&arguments, registry::<MORE_LINES>()).1
    };
    let out = called(&["two/plain"]);
    let look = format!(
        "look: tapeline replay review{options}; take it: tapeline replay accept CASE{options}\n"
    );
    assert!(out.contains(&look), "{out}");
    let out = called(&["review"]);
    assert!(out.contains(&format!("tapeline replay reject CASE{options}\n")), "{out}");
    let out = called(&["report", "two/plain", "--markdown", "-"]);
    assert!(out.contains(&format!("tapeline replay accept two/plain{options}\n")), "{out}");
    let out = called(&["report", "two/plain", "--html", "-"]);
    let shown = options.replace('\'', "&#39;");
    assert!(out.contains(&format!("tapeline replay diff two/plain{shown}<")), "{out}");
    let arguments = ["review", "--from", pending];
    let (_, out) = world.cli(&arguments, registry::<RECORDED>());
    let look = format!("look: tapeline replay diff CASE --from '{pending}'; ");
    assert!(out.contains(&look), "{out}");
}

#[test]
fn that_a_case_is_settled_whole_is_told_where_some_differ_elsewhere() {
    let world = changed();
    let Written { html, markdown, .. } = written(&world, &[], registry::<MORE_LINES>());
    let told = "a case is settled whole, and some of these differ elsewhere, too:\n\n\
                - <code>expect/envelope.json /result/steps/&#42;</code> (1×)\n";
    assert!(markdown.contains(told), "{markdown}");
    let other = "elsewhere, too:\n\n- <code>expect/stdout.txt</code> (1×)\n";
    assert!(markdown.contains(other), "{markdown}");
    let told = "<p class=\"note\">a case is settled whole, and some of these differ elsewhere, too:\
                </p><ul class=\"elsewhere\"><li><code>expect/envelope.json /result/steps/*</code>";
    assert!(html.contains(told), "{html}");
    // All of these differ in the same places.
    let world = tables(3, "a table");
    let Written { html, markdown, .. } = written(&world, &[], rates::<VALUE>());
    assert!(!markdown.contains("elsewhere") && !html.contains("class=\"elsewhere\""));
}

/// Five changed cases in a folder as CI keeps it.
fn kept(world: &World) -> PathBuf {
    let kept = world.path("kept");
    world.cli(&["--pending", kept.to_str().unwrap()], registry::<MORE_LINES>());
    kept
}

/// The lines that are offered end so.
fn from(world: &World) -> String {
    format!(" --from {}", world.path("kept").display())
}

fn told_of(world: &World, filter: &[&str]) -> Written {
    let kept = world.path("kept");
    let arguments = [filter, &["--from", kept.to_str().unwrap()]].concat();
    written(world, &arguments, registry::<RECORDED>())
}

#[test]
fn all_of_a_kept_folder_is_offered_at_once() {
    let world = corpus();
    kept(&world);
    let Written { exit, markdown, said, .. } = told_of(&world, &[]);
    assert_eq!((exit, offered(&markdown)), (1, vec![&*format!("'*'{}", from(&world))]), "{said}");
}

#[test]
fn a_case_that_was_changed_since_is_marked_and_not_offered() {
    let world = corpus();
    kept(&world);
    let case = world.path("golden/two/plain/given/case.json");
    let text = fs::read_to_string(&case).unwrap();
    fs::write(case, text.replace("\"title\": \"", "\"title\": \"now ")).unwrap();
    let Written { exit, markdown, html, junit, .. } = told_of(&world, &[]);
    assert_eq!(exit, 2);
    assert!(markdown.contains("\n4 changed · 1 stale\n"), "{markdown}");
    let why = "the case was changed since it was run: run it again";
    assert!(markdown.contains(&format!("### 1 × <code>{why}</code>: stale\n")), "{markdown}");
    let others = format!("one/answers one/files two/people two/removal{}", from(&world));
    assert_eq!(offered(&markdown), [others], "{markdown}");
    assert!(html.contains(&format!("<p class=\"reason\" lang=\"\">{why}</p>")), "{html}");
    assert!(junit.contains(&format!("message=\"stale: {why}\" type=\"stale\">two/plain: stale")));
}

#[test]
fn a_case_that_two_shards_kept_is_told_once_and_not_offered() {
    let world = corpus();
    let kept = world.path("kept");
    for (shard, cases) in [("1", &["two"][..]), ("2", &["one", "two/plain"])] {
        let shard = kept.join(shard);
        let arguments = [cases, &["--pending", shard.to_str().unwrap()]].concat();
        world.cli(&arguments, registry::<MORE_LINES>());
    }
    let Written { exit, markdown, said, .. } = told_of(&world, &[]);
    assert_eq!(exit, 2);
    assert!(markdown.starts_with("## 5 cases wait for a decision\n\n4 changed · 1 broken\n"));
    assert!(
        said.contains("two/plain: it is in `") && said.contains("pending: 5 cases\n"),
        "{said}"
    );
    assert!(markdown.contains("give &#96;--from&#96; one of them"), "{markdown}");
    let others = format!("one/answers one/files two/people two/removal{}", from(&world));
    assert_eq!(offered(&markdown), [others], "{markdown}");
    // What is offered is taken.
    let from = kept.to_str().unwrap();
    let accept = ["accept", "one/answers", "one/files", "two/people", "two/removal"];
    let (exit, out) = world.cli(&[&accept[..], &["--from", from]].concat(), registry::<RECORDED>());
    assert_eq!((exit, out.lines().count()), (0, 4), "{out}");
}

#[test]
fn what_cannot_be_read_is_told_beside_the_rest() {
    let world = corpus();
    let kept = kept(&world);
    fs::remove_dir_all(world.path("golden/one/answers")).unwrap();
    fs::write(kept.join("two/plain/pending.json"), "{").unwrap();
    let Written { exit, markdown, html, said, .. } = told_of(&world, &[]);
    assert_eq!(exit, 2);
    assert!(said.contains("one/answers: `") && said.contains("two/plain: `"), "{said}");
    assert!(markdown.contains("\n3 changed · 2 broken\n"), "{markdown}");
    assert!(markdown.contains("### 2 × <code>what cannot be used</code>: broken\n"), "{markdown}");
    assert!(markdown.contains("\n- <code>two/plain</code>: <code>"), "{markdown}");
    assert!(!markdown.contains("console\n\n"), "{markdown}");
    assert!(html.contains("id=\"two/plain\"") && html.contains("id=\"two/removal\""));
    let others = format!("one/files two/people two/removal{}", from(&world));
    assert_eq!(offered(&markdown), [others], "{markdown}");
}

#[test]
fn a_filter_that_means_nothing_that_waits_is_refused() {
    let world = corpus();
    let kept = kept(&world);
    let (kept, junit) = (kept.to_str().unwrap(), world.path("report.xml"));
    let junit = junit.to_str().unwrap();
    for filter in [&["nosuch"][..], &["two", "nosuch"]] {
        let arguments = [&["report", "--junit", junit, "--from", kept], filter].concat();
        let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
        let said = format!("nothing is pending of `nosuch` in `{kept}`: run it first\n");
        assert_eq!((exit, out), (2, said));
    }
    assert!(!fs::exists(junit).unwrap());
}

#[test]
fn what_is_broken_ends_a_report_and_a_review_as_it_ends_a_run() {
    let world = corpus();
    fs::write(world.path("golden/two/plain/given/case.json"), "{").unwrap();
    let kept = world.path("kept");
    let kept = kept.to_str().unwrap();
    let (exit, _) = world.cli(&["two/plain", "--pending", kept], registry::<RECORDED>());
    assert_eq!(exit, 2);
    let Written { exit, markdown, .. } = told_of(&world, &[]);
    assert_eq!(exit, 2, "{markdown}");
    assert!(markdown.contains("### 1 × <code>what cannot be used</code>: broken\n"), "{markdown}");
    let arguments = ["review", "--from", kept];
    let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
    assert!(exit == 2 && out.ends_with("0 cases pending\n1 case cannot be settled\n"), "{out}");
    let (exit, out) = world.asked(&arguments, &[]);
    assert!(exit == 2 && out.ends_with("1 case cannot be settled\n"), "{out}");
}
