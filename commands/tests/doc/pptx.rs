//! Presentations: titles, notes, tables, in the order of the slides.

use super::{
    documents::{Slide, pptx, pptx_parts, talk},
    extract, text_of,
};

#[test]
fn a_talk_as_markdown() {
    let text = text_of(talk(), "md");
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "## Every line on tape");
    assert!(lines.contains(&"> **Notes**: Greet the audience."), "{text}");
    assert!(lines.contains(&"## \u{8c22}\u{8c22}"), "{text}");
    let place = |part: &str| text.find(part).unwrap();
    assert!(place("What an agent did") < place("What it would do now"));
    assert!(place("What it would do now") < place("Questions?"));
}

#[test]
fn a_slide_that_is_damaged_is_said_and_the_others_are_read() {
    let slides = ["one", "two", "three"].map(|title| Slide { title, lines: &[], notes: None });
    let parts = pptx_parts(&slides);
    let whole = parts.pack();
    let (run, text) = extract(whole, "--mode text");
    assert_eq!((run.warnings(), text.as_str()), (vec![], "one\n\ntwo\n\nthree\n"));
    let damaged = parts.replaced("ppt/slides/slide2.xml", b"<p:sld><p:cSld>").pack();
    let (run, text) = extract(damaged, "--mode text");
    assert_eq!(run.warnings(), ["DamagedPart"]);
    assert_eq!(run.result["warnings"][0]["where"], "ppt/slides/slide2.xml");
    assert_eq!(text, "one\n\nthree\n");
    assert_eq!(run.result["slides"], 3);
}

#[test]
fn no_slide_is_no_text() {
    let (run, _) = extract(pptx(&[]), "");
    assert_eq!(
        (run.result["status"].as_str(), run.result["slides"].as_u64()),
        (Some("empty"), Some(0))
    );
}

#[test]
fn a_slide_without_a_title_begins_behind_a_rule() {
    let slide = |title, line| Slide { title, lines: line, notes: None };
    let talk = pptx(&[slide("", &["one"]), slide("", &["two"]), slide("Three", &["three"])]);
    assert_eq!(text_of(talk.clone(), "md"), "one\n\n---\n\ntwo\n\n## Three\n\nthree\n");
    assert_eq!(text_of(talk, "text"), "one\n\ntwo\n\nThree\n\nthree\n");
}
