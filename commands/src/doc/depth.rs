//! [`scan`]: how deep the elements of an XML part lie, before a reader that recurses sees it.
//!
//! No parser: it has to tell no more than where tags begin and end, exactly as a parser does, and
//! to do so at a small part of a parser's cost. Whatever is malformed counts as deep as it can be.

use memchr::{memchr, memchr3, memmem};

/// What was found of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scan {
    /// Elements inside each other, at most.
    pub(super) depth: usize,
    /// It has a document type declaration.
    pub(super) has_doctype: bool,
}

/// Looks through all of a part; stops where it is deeper than `most`.
pub(super) fn scan(xml: &[u8], most: usize) -> Scan {
    let (mut depth, mut deepest, mut has_doctype) = (0_usize, 0_usize, false);
    let mut rest = xml;
    while let Some(tag) = memchr(b'<', rest).and_then(|start| rest.get(start + 1..)) {
        rest = match tag {
            [b'!', b'-', b'-', inside @ ..] => after(inside, b"-->"),
            [b'!', b'[', inside @ ..] => after(inside, b"]]>"),
            [b'!', inside @ ..] => {
                has_doctype = true;
                after_declaration(inside)
            }
            [b'?', inside @ ..] => after(inside, b"?>"),
            [b'/', inside @ ..] => {
                depth = depth.saturating_sub(1);
                after_tag(inside).1
            }
            inside => {
                let (is_empty, rest) = after_tag(inside);
                deepest = deepest.max(depth + 1);
                if !is_empty {
                    depth += 1;
                }
                rest
            }
        };
        if deepest > most {
            break;
        }
    }
    Scan { depth: deepest, has_doctype }
}

/// What follows the end of something; nothing where it does not end.
fn after<'a>(inside: &'a [u8], end: &[u8]) -> &'a [u8] {
    memmem::find(inside, end).and_then(|start| inside.get(start + end.len()..)).unwrap_or_default()
}

/// Whether a tag is of an empty element, and what follows it. A `>` in quotes ends nothing.
fn after_tag(inside: &[u8]) -> (bool, &[u8]) {
    let mut rest = inside;
    let mut last = None;
    loop {
        let Some(at) = memchr3(b'>', b'"', b'\'', rest) else { return (false, &[]) };
        if let Some(before) = at.checked_sub(1) {
            last = rest.get(before).copied();
        }
        let Some((&found, behind)) = rest.get(at..).and_then(<[u8]>::split_first) else {
            return (false, &[]);
        };
        if found == b'>' {
            return (last == Some(b'/'), behind);
        }
        last = Some(found);
        rest = memchr(found, behind).and_then(|end| behind.get(end + 1..)).unwrap_or_default();
    }
}

/// What follows a declaration, with the brackets of its inner part and its quotes.
fn after_declaration(inside: &[u8]) -> &[u8] {
    let mut nested = 0_usize;
    let mut rest = inside;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match byte {
            b'"' | b'\'' => {
                memchr(byte, behind).and_then(|end| behind.get(end + 1..)).unwrap_or_default()
            }
            b'<' if behind.starts_with(b"!--") => after(behind, b"-->"),
            b'<' => {
                nested += 1;
                behind
            }
            b'>' if nested == 0 => return behind,
            b'>' => {
                nested -= 1;
                behind
            }
            _ => behind,
        };
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(xml: &str, depth: usize, has_doctype: bool) {
        assert_eq!(scan(xml.as_bytes(), 256), Scan { depth, has_doctype }, "{xml}");
    }

    #[test]
    fn counts_elements_inside_each_other() {
        check("", 0, false);
        check("<a/>", 1, false);
        check("<?xml version='1.0'?><a><b><c/></b><b/></a>", 3, false);
        check("<a x='>' y=\"/>\"><b/></a>", 2, false);
        check("<a x='1'/><a></a>", 1, false);
        check("<a><!-- <b><c> --><![CDATA[<b><c><d>]]></a>", 1, false);
        check("<!DOCTYPE a [<!ENTITY b '<c><d>'> <!-- ' --> ]><a/>", 1, true);
        check("<a/></a></a></a><a><b/></a>", 2, false);
    }

    #[test]
    fn stops_where_it_is_too_deep() {
        let deep = "<a>".repeat(100_000);
        assert_eq!(scan(deep.as_bytes(), 256).depth, 257);
    }

    proptest::proptest! {
        /// Never less deep than what a parser that takes anything sees.
        #[test]
        fn is_as_deep_as_a_parser_says(xml in "(<[ab/!? ]{0,3}[ab='\"/ >-]{0,6}>?|x){0,24}") {
            use quick_xml::events::Event;
            let mut reader = quick_xml::Reader::from_reader(xml.as_bytes());
            reader.config_mut().check_end_names = false;
            reader.config_mut().allow_unmatched_ends = true;
            let (mut depth, mut deepest) = (0_usize, 0_usize);
            loop {
                match reader.read_event() {
                    Ok(Event::Start(_)) => {
                        depth += 1;
                        deepest = deepest.max(depth);
                    }
                    Ok(Event::Empty(_)) => deepest = deepest.max(depth + 1),
                    Ok(Event::End(_)) => depth = depth.saturating_sub(1),
                    Ok(Event::Eof) | Err(_) => break,
                    Ok(_) => {}
                }
            }
            proptest::prop_assert!(scan(xml.as_bytes(), 256).depth >= deepest, "{} {deepest}", xml);
        }
    }
}
