//! What differs, as a page, a summary and JUnit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Arc,
};

use quick_xml::{Reader, events::Event};
use serde::Serialize;
use tapeline::{
    Command, Context, Failure, Group, Registry, Spec, async_trait, clap, group, registration,
};
use tapeline_replay::Kit;

use crate::{
    commands::{
        MORE_LINES, OTHER_VALUE, PANICS, RECORDED, SWALLOWS_A_READ, TELLS_SECRETS, registry,
    },
    corpus::corpus,
    secret_samples::samples,
    world::{World, files, parsed},
};

/// A table of rates, and what a build calls its column.
#[derive(Default)]
struct Latest<const BUILD: u8>;

const RATE: u8 = 0;
pub(crate) const VALUE: u8 = 1;
const HOSTILE: u8 = 2;
const MANY: u8 = 3;

#[derive(clap::Args, Serialize)]
struct Base {
    base: String,
}

#[derive(Serialize)]
struct Rates {
    rates: BTreeMap<String, String>,
}

#[async_trait]
impl<const BUILD: u8> Command for Latest<BUILD> {
    type Args = Base;
    type Output = Rates;

    fn spec() -> Spec {
        Spec::new("rates latest", "a table")
    }

    async fn run(&self, args: Base, door: &Context) -> Result<Rates, Failure> {
        let column = match BUILD {
            RATE => "rate",
            HOSTILE => EVIL,
            _ => "value",
        };
        door.stdout().line(&format!("1 {} is\n  code  {column}\n  USD   0.1", args.base));
        let rate = if BUILD == HOSTILE { EVIL } else { "0.1" };
        let mut rates = BTreeMap::from([(args.base.clone(), rate.to_owned())]);
        if BUILD == MANY {
            rates
                .extend((0..2100).map(|number| (format!("{}-{number}", args.base), String::new())));
        }
        Ok(Rates { rates })
    }
}

const EVIL: &str = "</script></pre></code></summary><script>alert(1)</script>\
    <img src=x onerror=alert(1)> ````` ```\n~~~\n# heading\n| a | [x](http://evil.example) ![y](z)\n\
    ]]> --> &lt; @all \u{202e}\u{9b}31m\u{7f}\0\u{1b}[31m\u{ffff} \" '";

pub(crate) fn rates<const BUILD: u8>() -> Arc<Registry> {
    let registry = Registry::builder()
        .register(group(Group { path: "rates", summary: "rates", long_help: "" }))
        .register(registration::<Latest<BUILD>>())
        .build();
    Arc::new(registry.unwrap())
}

/// So many cases of the table, of other bases.
pub(crate) fn tables(count: usize, title: &str) -> World {
    let world = World::new();
    world.promoted(&world.run(&["print a"]).record, "rates/base0");
    let first = world.path("golden/rates/base0");
    let case = first.join("given/case.json");
    let of_do = fs::read_to_string(&case).unwrap();
    let title_of_do = "\"title\": \"do 'print a'\"";
    assert!(of_do.contains(title_of_do), "{of_do}");
    let of_rates = of_do
        .replace(title_of_do, &format!("\"title\": \"{title}\""))
        .replace("do 'print a'", "rates latest base0");
    fs::write(&case, of_rates).unwrap();
    fs::remove_dir_all(first.join("expect")).unwrap();
    world.cli(&[], rates::<RATE>());
    assert_eq!(world.cli(&["accept", "*"], rates::<RATE>()).0, 0);
    for number in 1..count {
        let other = world.path(&format!("golden/rates/base{number}"));
        for file in files(&first) {
            let copy = other.join(file.strip_prefix(&first).unwrap());
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            let text = fs::read_to_string(file).unwrap();
            fs::write(copy, text.replace("base0", &format!("base{number}"))).unwrap();
        }
    }
    world
}

pub(crate) struct Written {
    pub(crate) html: String,
    pub(crate) markdown: String,
    pub(crate) junit: String,
    pub(crate) exit: u8,
    pub(crate) said: String,
}

/// All three.
pub(crate) fn written(world: &World, arguments: &[&str], registry: Arc<Registry>) -> Written {
    let files = ["html", "markdown", "junit"].map(|form| world.path(&format!("report/{form}")));
    let [html, markdown, junit] = files.each_ref().map(|file| file.to_str().unwrap());
    let outputs = ["report", "--html", html, "--markdown", markdown, "--junit", junit];
    let (exit, said) = world.cli(&[&outputs, arguments].concat(), registry);
    let [html, markdown, junit] =
        files.map(|file| world.without_golden(&fs::read_to_string(file).unwrap()));
    Written { html, markdown, junit, exit, said }
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_renamed_column_is_one_group_everywhere() {
    let world = tables(16, "a table");
    let Written { html, markdown, junit, exit, said } = written(&world, &[], rates::<VALUE>());
    assert_eq!(exit, 1);
    assert!(said.contains("16 cases: 16 changed\n"), "{said}");
    assert!(said.contains("written: "), "{said}");

    assert_eq!(count(&markdown, "\n### "), 1, "{markdown}");
    assert!(markdown.starts_with("## 16 of 16 cases are not as expected\n"), "{markdown}");
    assert!(markdown.contains("### 16 × <code>rates latest</code>: changed"), "{markdown}");
    let told = "- <code>expect/stdout.txt</code>: <code>  code  rate</code> → <code>  code  value</code> (16×)";
    assert!(markdown.contains(told), "{markdown}");
    let diff = "```diff\n  1 base0 is\n-   code  rate\n+   code  value\n    USD   0.1\n```";
    assert!(markdown.contains(diff), "{markdown}");
    assert!(markdown.contains("tapeline replay accept '*'\n"), "{markdown}");

    assert_eq!(count(&html, "<details class=\"group\""), 1);
    assert_eq!(count(&html, "<details class=\"case\""), 16);
    assert!(html.contains("<span class=\"count\">16</span>"));
    assert!(html.contains("<del>  code  <mark>rate</mark></del>"));
    assert!(html.contains("<ins>  code  <mark>value</mark></ins>"));
    assert_eq!(count(&junit, "<failure "), 16);
}

#[test]
fn what_is_as_expected_is_told_so() {
    let world = tables(2, "a table");
    let Written { html, markdown, junit, exit, said } = written(&world, &[], rates::<RATE>());
    assert_eq!(exit, 0, "{said}");
    assert_eq!(markdown, "## 2 cases, all as expected\n\n2 ok\n");
    assert!(
        html.contains("<h1>2 cases, all as expected</h1>") && !html.contains("class=\"group\"")
    );
    assert_eq!(count(&junit, "<testcase "), 2);
}

/// Counts by name of element, and all text; fails where it is no XML.
fn xml(xml: &str) -> (BTreeMap<String, usize>, String) {
    let is_legal = |character: char| matches!(character, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_legal), "a character that XML cannot hold");
    let mut reader = Reader::from_str(xml);
    let (mut elements, mut text, mut open) = (BTreeMap::new(), String::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (Event::Start(element) | Event::Empty(element)) = &event else {
                    unreachable!()
                };
                for attribute in element.attributes() {
                    attribute.unwrap();
                }
                let name: &str = element.name().into_inner();
                *elements.entry(name.to_owned()).or_default() += 1;
                open += usize::from(matches!(event, Event::Start(_)));
            }
            Event::End(_) => open -= 1,
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(name) => {
                let named = [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("#39", '\'')];
                text.push(named.iter().find(|(known, _)| *known == &*name).unwrap().1);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
    (elements, text)
}

#[test]
fn every_verdict_has_its_place() {
    let world = corpus();
    fs::remove_dir_all(world.path("golden/two/failure/expect")).unwrap();
    fs::write(world.path("golden/two/removal/given/case.json"), "{").unwrap();
    let kit = |registry| Kit::new(registry).root(world.path("")).left_out(&["plain"]);
    let case = world.path("golden/one/files/given/case.json");
    let text = fs::read_to_string(&case).unwrap();
    let (begin, rest) = text.split_once("\"command\": \"").unwrap();
    let (_, end) = rest.split_once('"').unwrap();
    fs::write(&case, format!("{begin}\"command\": \"plain\"{end}")).unwrap();
    let golden = world.path("golden");
    let arguments = ["report", "--junit", "-", "--golden", golden.to_str().unwrap()];
    let mut out = Vec::new();
    let cli = parsed(&arguments).unwrap();
    let exit = tapeline_replay::cli(&cli, &kit(registry::<RECORDED>()), &mut out).unwrap();
    let junit = String::from_utf8(out).unwrap();
    assert_eq!(exit, 2);
    let (elements, _) = xml(&junit);
    let expected = [
        ("error", 1),
        ("failure", 1),
        ("skipped", 1),
        ("testcase", 6),
        ("testsuite", 1),
        ("testsuites", 1),
    ];
    assert!(elements.iter().map(|(name, count)| (name.as_str(), *count)).eq(expected), "{junit}");
    let counts = "tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"1\"";
    assert_eq!(count(&junit, counts), 2, "{junit}");
    assert!(junit.contains("<skipped message=\"skipped: this build was made without `plain`\""));
    assert!(junit.contains("<testcase classname=\"one\" name=\"answers\"/>"), "{junit}");

    let world = corpus();
    let misses = written(&world, &[], registry::<SWALLOWS_A_READ>());
    // All that ask for the same are one group.
    let told = "### 6 × <code>not on the tape: file &#96;.agents/new.txt&#96;</code>: miss";
    assert!(misses.markdown.contains(told), "{}", misses.markdown);
    assert!(misses.html.contains("not on the tape: file `.agents/new.txt`"));
    let panics = written(&world, &["two"], registry::<PANICS>());
    assert!(panics.markdown.contains("### 4 × <code>do</code>: panic"), "{}", panics.markdown);
    assert_eq!(count(&panics.junit, "<failure message=\"panic\""), 4);
    assert!(!panics.markdown.contains("accept"), "{}", panics.markdown);
}

#[test]
fn exchanges_and_provenance_stand_with_the_case() {
    let world = corpus();
    let Written { html, .. } = written(&world, &["one/answers"], registry::<OTHER_VALUE>());
    for part in [
        "answer to <code>GET https://a.example/</code>: <b>200</b>",
        "answer to <code>GET https://a.example/second</code>: <b>reset</b>",
        "<p class=\"note\">body of 1 bytes</p><pre lang=\"\">2</pre>",
        "&quot;method&quot;: &quot;GET&quot;",
        "<dt>host</dt><dd>tests 1</dd>",
        "tapeline replay accept one/answers",
        "tapeline replay diff one/answers",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
}

#[test]
fn text_from_outside_is_only_ever_text() {
    let world = tables(3, "</title><script>alert(1)</script> `x` [y](z)");
    let Written { html, markdown, junit, .. } = written(&world, &[], rates::<HOSTILE>());
    assert_eq!(count(&html, "<script"), 1);
    assert_eq!(count(&html, "</script"), 1);
    for tag in ["<img", "</pre></code></summary><", "onerror=alert(1)>", "</title><script>"] {
        assert!(!html.contains(tag), "{tag}");
    }
    for text in [&html, &markdown, &junit] {
        let shown = ["\\u{202e}", "&#92;u&#123;202e&#125;", "\\u202e"];
        assert!(shown.iter().any(|shown| text.contains(shown)));
        let unseen = |character: char| {
            (character.is_control() && !matches!(character, '\n' | '\t'))
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{ffff}')
        };
        assert!(!text.contains(unseen));
    }
    // Outside of the blocks of code there is no markup but ours.
    let (mut outside, mut fence) = (String::new(), None);
    for line in markdown.lines() {
        let ticks = line.chars().take_while(|character| *character == '`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks == open && line.len() == ticks => fence = None,
            None => outside.push_str(&format!("{line}\n")),
            Some(_) => {}
        }
    }
    assert_eq!(fence, None);
    let ours = ["code", "/code", "details", "/details", "summary", "/summary"];
    for (place, _) in outside.match_indices('<') {
        let tag = outside.get(place + 1..).unwrap().split('>').next().unwrap();
        assert!(ours.contains(&tag), "{tag}");
    }
    assert!(!outside.contains(['`', '[', ']', '@']), "{outside}");
    let (elements, text) = xml(&junit);
    assert_eq!(elements["failure"], 3);
    assert!(text.contains("<script>alert(1)</script>"), "{text}");
}

#[test]
fn however_much_differs_the_files_stay_small() {
    const CASES: usize = 600;
    let world = tables(CASES, &"a long title ".repeat(200));
    let Written { html, markdown, junit, .. } = written(&world, &[], rates::<HOSTILE>());
    assert!(markdown.len() < 1024 * 1024 && markdown.len() > 1_000_000, "{}", markdown.len());
    let last = markdown.lines().last().unwrap();
    assert!(last.starts_with("**… and ") && last.ends_with(" shows more**"), "{last}");
    // All of stdout, and each rate.
    let left: usize = last.split(' ').nth(2).unwrap().parse().unwrap();
    assert_eq!(count(&markdown, "\n### ") + left, 1 + CASES);
    assert_eq!(count(&markdown, "<details>"), count(&markdown, "</details>"));

    assert_eq!(count(&html, "<details class=\"case\""), 500);
    let named = html.split("data-name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert_eq!(named.collect::<BTreeSet<_>>().len(), CASES);
    assert!(html.len() < 20 * 1024 * 1024, "{}", html.len());
    assert_eq!(count(&junit, "<testcase "), CASES);
}

/// More places than are kept apart.
#[test]
fn a_case_that_is_of_no_group_is_told_all_the_same() {
    let world = tables(2, "a table");
    let Written { html, markdown, .. } = written(&world, &[], rates::<MANY>());
    assert_eq!(count(&markdown, "\n### "), 2, "{markdown}");
    assert!(markdown.contains("- … and 1990 more places\n"), "{markdown}");
    assert!(markdown.contains("### 1 × <code>in places too many to group</code>: changed"));
    assert!(markdown.contains("tapeline replay accept rates/base1\n"), "{markdown}");
    assert!(
        html.contains("data-name=\"rates/base0\"") && html.contains("data-name=\"rates/base1\"")
    );
}

#[test]
fn what_ci_kept_is_reported_without_a_run() {
    let world = corpus();
    let kept = world.path("kept");
    let kept = kept.to_str().unwrap();
    let run = written(&world, &["two", "--pending", kept], registry::<MORE_LINES>());
    let told = written(&world, &["two/plain", "two/people", "--from", kept], registry::<PANICS>());
    assert_eq!((run.exit, told.exit), (1, 1));
    assert!(told.markdown.starts_with("## 2 cases wait for a decision\n"), "{}", told.markdown);
    assert!(told.markdown.contains("+ one line more\n"), "{}", told.markdown);
    let accept = format!("accept two/people two/plain --from {kept}\n");
    assert!(told.markdown.contains(&accept), "{}", told.markdown);
    assert_eq!(count(&told.html, "<details class=\"case\""), 2);
    let (exit, out) =
        world.cli(&["report", "--html", "-", "--from", "no/such"], registry::<RECORDED>());
    // Why is said on stderr, where it is part of no page.
    assert_eq!((exit, out.as_str()), (2, ""));
    let (exit, out) =
        world.cli(&["report", "--html", "x", "--from", "no/such"], registry::<RECORDED>());
    assert!(exit == 2 && out.starts_with("`no/such`: nothing is pending there: give"), "{out}");
}

#[test]
fn a_report_on_the_standard_output_stands_there_alone() {
    let world = corpus();
    let (exit, out) = world.cli(&["report", "--markdown", "-"], registry::<MORE_LINES>());
    assert_eq!(exit, 1);
    assert!(out.starts_with("## 5 of 6 cases are not as expected\n\n1 ok · 5 changed\n"), "{out}");
    assert!(!out.contains("written"), "{out}");
    // What differs waits, as after any run.
    assert!(world.path("target/replay-pending/two/plain").exists());
    let (exit, out) =
        world.cli(&["report", "--markdown", "-", "--html", "-"], registry::<RECORDED>());
    assert_eq!((exit, out.as_str()), (2, ""));
    assert!(parsed(&["report"]).is_err());
}

#[test]
fn two_reports_in_one_file_are_refused() {
    let world = corpus();
    let page = world.path("page").display().to_string();
    let again = world.path("golden/../page").display().to_string();
    let arguments = ["report", "--html", &page, "--markdown", &again];
    let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
    let said = "two of them would be written to one file: give each its own\n";
    assert_eq!((exit, out.as_str()), (2, said));
    assert!(!world.path("page").exists());
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_back() {
    let world = corpus();
    let [taken, junit] = ["golden", "report.xml"].map(|path| world.path(path));
    let [taken, junit] = [&taken, &junit].map(|path| path.to_str().unwrap());
    let arguments = ["report", "--html", taken, "--junit", junit];
    let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
    assert_eq!(exit, 2);
    assert!(out.starts_with("6 cases: 5 changed, 1 ok\n"), "{out}");
    assert!(out.contains(&format!("written: {junit}\ncannot write `{taken}`: ")), "{out}");
    assert_eq!(count(&fs::read_to_string(junit).unwrap(), "<testcase "), 6);
    // A document that is on the standard output is whole, and stands there alone.
    let arguments = ["report", "--html", taken, "--markdown", "-"];
    let (exit, out) = world.cli(&arguments, registry::<MORE_LINES>());
    assert!(exit == 2 && out.starts_with("## 5 of 6 cases"), "{out}");
    assert!(!out.contains("cannot write"), "{out}");
}

#[test]
fn no_report_holds_what_looks_like_a_secret() {
    let world = corpus();
    let Written { html, markdown, junit, .. } = written(&world, &[], registry::<TELLS_SECRETS>());
    let plain = |text: &str| {
        let pairs = [("<mark>", ""), ("</mark>", ""), ("&quot;", "\""), ("&#39;", "'")];
        let more = [("&lt;", "<"), ("&gt;", ">"), ("&#10;", "\n"), ("&amp;", "&")];
        pairs.iter().chain(&more).fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    for text in [html, markdown, junit].map(|text| plain(&text)) {
        assert!(text.contains("{{secret:1}}") || text.contains("&#123;secret:1"));
        for (shape, _, secret) in samples() {
            assert!(!text.contains(&secret), "{shape}");
        }
    }
}
