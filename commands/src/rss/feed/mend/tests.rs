//! What is mended, and what is left as it is.

use std::borrow::Cow;

use proptest::prelude::*;
use quick_xml::{Error, Reader, errors::IllFormedError, events::Event};

use super::{Mended, Warning, mend};

/// What comes out, and the codes of the warnings.
#[track_caller]
fn check(text: &str, mended: &str, codes: &[&str]) {
    let mut warnings = Vec::new();
    assert_eq!(mend(text, &mut warnings).text, mended, "{text}");
    assert_eq!(warnings.iter().map(|it| it.code).collect::<Vec<_>>(), codes, "{text}");
}

#[test]
fn clean_xml_is_borrowed() {
    for text in [
        "<rss version=\"2.0\"><channel><title>a &amp; b &#8217;</title></channel></rss>\n",
        "<?xml version=\"1.0\"?>\n<!-- made by hand --><feed xmlns = 'x'><entry /></feed >",
        "<feed><title><![CDATA[a & b < c]]></title></feed>",
    ] {
        let mut warnings = Vec::new();
        assert!(matches!(mend(text, &mut warnings).text, Cow::Borrowed(_)), "{text}");
        assert_eq!(warnings, [], "{text}");
    }
}

#[test]
fn what_is_no_element_is_dropped() {
    for (text, mended) in [
        ("\n<?xml version='1.0'?>\n<a/>", "<a/>"),
        (
            "<feed>b<?xml version='1.0'?>c<!-- <d> -->e<?php echo '>' ?>f</feed>",
            "<feed>bcef</feed>",
        ),
        ("<?xml version='1.0'><a/>", "<a/>"),
        ("<!DOCTYPE a [<!-- ' --><!ELEMENT a ANY> ]><a/>", "<a/>"),
        ("<!doctype a \"><a/>", "<a/>"),
    ] {
        check(text, mended, &[]);
    }
}

#[test]
fn what_precedes_the_feed_is_dropped() {
    check("oops <rss version='2.0'/>", "<rss version='2.0'/>", &["BytesBeforeProlog"]);
    check("<br />Notice<?xml version='1.0'?><feed/>", "<feed/>", &["BytesBeforeProlog"]);
    check("no feed", "", &["BytesBeforeProlog"]);
    check(
        "<br /><b>Notice</b> <rss version='2.0'/>",
        "<rss version='2.0'/>",
        &["BytesBeforeProlog"],
    );
    for feed in ["<feed xmlns='a'></feed>", "<a:feed xmlns:a='b'/>", "<rdf:RDF></rdf:RDF>"] {
        check(&format!("<answer>{feed}"), feed, &["BytesBeforeProlog"]);
    }
    // A word for many things, that no vocabulary says more about; and a feed in an entry.
    for text in ["<answer><feed/></answer>", "<entry><rss/></entry>", "<rss><rss/></rss>"] {
        check(text, &text.replacen("<rss>", "<rss version=\"2.0\">", 1), &[]);
    }
}

#[test]
fn control_characters_go() {
    for text in ["<a>b\u{1}\u{FFFF}c</a>", "<a>b&#1;c</a>", "<a>b&#xFFFE;&#99999999999;c</a>"] {
        check(text, "<a>bc</a>", &["ControlCharacters"]);
    }
    for text in ["<a>b\u{B}c</a>", "<a>b&#12;c</a>"] {
        check(text, "<a>b c</a>", &["ControlCharacters"]);
    }
    check("<a>&#146;&#55357;&#56832;</a>", "<a>\u{2019}\u{1F600}</a>", &["ControlCharacters"]);
}

#[test]
fn references_are_those_of_xml() {
    check("<a b='c&d'>e & f &g</a>", "<a b='c&amp;d'>e &amp; f &amp;g</a>", &["BareAmpersands"]);
    check(
        "<a b='&nbsp;'>&LT;&nvlt;</a>",
        "<a b='\u{A0}'>&lt;&lt;\u{20D2}</a>",
        &["UndeclaredEntities"],
    );
    check("<a>&nobody;</a>", "<a>&amp;nobody;</a>", &["UndeclaredEntities"]);
}

#[test]
fn declared_entities_are_resolved_once_and_stay_small() {
    check(
        "<!DOCTYPE a [<!ENTITY co 'A &#38; B'>]><a>&co;</a>",
        "<a>&amp;co;</a>",
        &["UndeclaredEntities"],
    );
    check(
        "<!DOCTYPE a [<!ENTITY co \"A&#160;'B'\">]><a>&co;</a>",
        "<a>A\u{A0}&apos;B&apos;</a>",
        &[],
    );
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY a '{}'><!ENTITY b '&a;&a;'>]><a>{}</a>",
        "x".repeat(900),
        "&a;&b;".repeat(1000)
    );
    assert!(mend(&bomb, &mut Vec::new()).text.len() < bomb.len() * 5);
}

#[test]
fn what_is_made_to_wear_out_its_readers_is_told() {
    let refused = |text: &str| mend(text, &mut Vec::new()).refused;
    let nested = |text: &str| {
        let why = refused(text)?;
        Some(why.strip_prefix("its entity `&")?.split_once(';')?.0.to_owned())
    };
    let laughs = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;'>]>";
    assert_eq!(nested(&format!("{laughs}<a>&x;&y;</a>")).as_deref(), Some("y"));
    assert_eq!(nested(&format!("{laughs}<a b='&y;'/>")).as_deref(), Some("y"));
    assert_eq!(nested(&format!("{laughs}<a>&x;</a>")), None);
    let known = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY x '&y;'><!ENTITY c '&amp;&#38;'>]>";
    assert_eq!(nested(&format!("{known}<a>&x;&c;&y;</a>")), None);

    let deep = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    assert_eq!(refused(&deep(4096)), None);
    assert!(refused(&deep(4097)).unwrap().contains("4096 deep"));
    assert_eq!(refused(&"<a></a>".repeat(5000)), None);
}

#[test]
fn tags_become_xml() {
    for (text, mended) in [
        (
            "<a>1 < 2 <3 <> <b@c.d> <e f < g</a>",
            "<a>1 &lt; 2 &lt;3 &lt;> &lt;b@c.d> &lt;e f &lt; g</a>",
        ),
        ("<a><a b=c d='<e>' f/ ></ a x>", "<a><a b=\"c\" d='&lt;e>' f=\"\"/></a>"),
        ("<a b=\"c>text</a>", "<a b=\"c\">text</a>"),
        ("<a b=\"c\"d='e'>f</a", "<a b=\"c\" d='e'>f"),
        ("<a><b>c</b<d/></a>", "<a><b>c</b><d/></a>"),
        ("<a><![cdata[b]]></a>", "<a><![CDATA[b]]></a>"),
    ] {
        check(text, mended, &["BrokenTags"]);
    }
}

#[test]
fn rss_is_of_version_2_whatever_it_says() {
    for text in ["<rss/>", "<rss version='0.94'/>", "<rss version=''/>"] {
        check(text, "<rss version=\"2.0\"/>", &[]);
    }
}

#[test]
fn counts_items_and_knows_a_cut() {
    for (text, items, cut) in [
        ("<rss><item/><x:Entry></x:Entry><items/><![CDATA[<item>]]></rss>", 2, false),
        ("<rss><br><item></rss>", 1, false),
        ("<rss><item><title>a", 1, true),
        ("<rss><item><tit", 1, true),
        ("<rss><item><![CDATA[a", 1, true),
        ("<feed><entry/></feed><", 1, false),
        ("", 0, false),
    ] {
        let Mended { items: found, cut: is_cut, .. } = mend(text, &mut Vec::new());
        assert_eq!((found, is_cut), (items, cut), "{text}");
    }
    check("<a><![CDATA[b", "<a><![CDATA[b]]>", &[]);
    check("<a>b<![CDA", "<a>b", &[]);
}

/// Pieces that meet in the wrong places.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<",
        ">",
        "/",
        "&",
        ";",
        "'",
        "\"",
        "=",
        "[",
        "]",
        "!",
        "?",
        "-",
        " ",
        "a",
        "rss",
        "<item>",
        "</a>",
        "<a b='c'>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?xml ",
        "?>",
        "<?p",
        "<!DOCTYPE a",
        " [",
        "<!ENTITY e 'f'>",
        "&e;",
        "&amp;",
        "&nbsp;",
        "&#1;",
        "&#x41;",
        "\u{1}",
        "\u{FFFE}",
        "é",
        "\u{FEFF}",
        " version='1'",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn check_any(text: &str) {
    let mended = mend(text, &mut Vec::new());
    assert!(mended.text.len() <= text.len() * 8 + 32, "{text:?} grows");
    let mut warnings: Vec<Warning> = Vec::new();
    let again = mend(&mended.text, &mut warnings);
    // Told, and left to the readers.
    warnings.retain(|warning| warning.code != "UnclosedElements");
    assert_eq!((&again.text, warnings), (&mended.text, Vec::new()), "{text:?} again");

    let mut reader = Reader::from_str(&mended.text);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                for attribute in tag.attributes().with_checks(false) {
                    let attribute = attribute.unwrap_or_else(|error| panic!("{text:?}: {error}"));
                    quick_xml::escape::unescape(&attribute.value).unwrap();
                }
            }
            Ok(Event::GeneralRef(reference)) => {
                let name = reference.as_ref().to_owned();
                let is_known = reference.resolve_char_ref().unwrap().is_some()
                    || quick_xml::escape::resolve_predefined_entity(&name).is_some();
                assert!(is_known, "{text:?}: {name}");
            }
            Ok(_)
            | Err(Error::IllFormed(
                IllFormedError::MismatchedEndTag { .. } | IllFormedError::UnmatchedEndTag(_),
            )) => {}
            Err(error) => panic!("{text:?} becomes {:?}: {error}", mended.text),
        }
    }
}

proptest! {
    #[test]
    fn any_text_becomes_tokens_and_stays_as_mended(text in any::<String>()) {
        check_any(&text);
    }

    #[test]
    fn any_markup_becomes_tokens_and_stays_as_mended(text in pieces()) {
        check_any(&text);
    }
}
