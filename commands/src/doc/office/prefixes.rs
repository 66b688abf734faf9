//! [`usual`]: a part of XML with the prefixes that everybody uses.
//!
//! The library knows attributes by their whole names, `w:val`; what another program wrote as
//! `ns0:val` means the same.

use memchr::memmem;
use quick_xml::{
    NsReader, Writer,
    events::{BytesEnd, BytesStart, Event},
    name::{PrefixDeclaration, QName, ResolveResult},
};

/// The ends of namespaces, transitional and strict, and their prefixes.
const USUAL: &[(&str, &str)] = &[
    ("/wordprocessingml/2006/main", "w"),
    ("/wordprocessingml/main", "w"),
    ("/officeDocument/2006/relationships", "r"),
    ("/officeDocument/relationships", "r"),
    ("/presentationml/2006/main", "p"),
    ("/presentationml/main", "p"),
    ("/drawingml/2006/main", "a"),
    ("/drawingml/main", "a"),
    ("/officeDocument/2006/math", "m"),
    ("/officeDocument/math", "m"),
    ("/markup-compatibility/2006", "mc"),
];

/// The part itself where its prefixes are the usual ones, and where it cannot be read to its end.
pub(super) fn usual(part: Vec<u8>) -> Vec<u8> {
    let written = match std::str::from_utf8(&part) {
        Ok(text) if has_others(text) => rewritten(text),
        _ => None,
    };
    written.unwrap_or(part)
}

/// Whether a declaration gives another prefix to a namespace that has a usual one. What is in no
/// tag is taken for one, too: then it is rewritten for nothing.
fn has_others(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), b"xmlns:").any(|at| {
        let declared = text.get(at + "xmlns:".len()..).unwrap_or_default();
        let Some((prefix, value)) = declared.split_once('=') else { return false };
        let value = value.trim_start();
        let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            return false;
        };
        let namespace = value.get(1..).and_then(|value| value.split(quote).next());
        let prefix = prefix.trim_end();
        match namespace.and_then(prefix_of) {
            // Every part of some programs declares it, and few have anything of it.
            Some("mc") if prefix != "mc" => {
                let alternatives = format!("<{prefix}:AlternateContent");
                memmem::find(text.as_bytes(), alternatives.as_bytes()).is_some()
            }
            usual => usual.is_some_and(|usual| usual != prefix),
        }
    })
}

fn prefix_of(namespace: &str) -> Option<&'static str> {
    let is_its = |(end, _): &&(&str, &str)| namespace.ends_with(end);
    USUAL.iter().find(is_its).map(|(_, prefix)| *prefix)
}

fn rewritten(text: &str) -> Option<Vec<u8>> {
    let mut reader = NsReader::from_str(text);
    let mut writer = Writer::new(Vec::with_capacity(text.len()));
    let mut is_root = true;
    loop {
        let event = reader.read_event().ok()?;
        let event = match &event {
            Event::Start(start) => Event::Start(renamed(start, &reader, is_root)?),
            Event::Empty(start) => Event::Empty(renamed(start, &reader, is_root)?),
            Event::End(end) => Event::End(BytesEnd::new(element_name(end.name(), &reader))),
            Event::Eof => return Some(writer.into_inner()),
            other => other.borrow(),
        };
        is_root &= !matches!(event, Event::Start(_) | Event::Empty(_));
        writer.write_event(event).ok()?;
    }
}

/// A tag with the usual prefixes, which the first of all declares.
fn renamed(
    start: &BytesStart<'_>,
    reader: &NsReader<&[u8]>,
    is_root: bool,
) -> Option<BytesStart<'static>> {
    let mut tag = BytesStart::new(element_name(start.name(), reader));
    if is_root {
        // The library does not look at them, but they make the part one of the kind.
        for (end, prefix) in USUAL.iter().filter(|(end, _)| end.contains("2006")) {
            let namespace = format!("http://schemas.openxmlformats.org{end}");
            tag.push_attribute((format!("xmlns:{prefix}").as_str(), namespace.as_str()));
        }
    }
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.ok()?;
        let declares = attribute.key.as_namespace_binding();
        if declares.is_some_and(|declared| is_known(declared, &attribute.value)) {
            continue;
        }
        let name = match reader.resolver().resolve_attribute(attribute.key) {
            (ResolveResult::Bound(namespace), local) if attribute.key.prefix().is_some() => {
                prefixed(namespace.as_ref(), local.as_ref())
            }
            _ => None,
        };
        let name = name.unwrap_or_else(|| attribute.key.as_ref().to_owned());
        // As it is written, its references too.
        let attribute = quick_xml::events::attributes::Attribute {
            key: QName(&name),
            value: attribute.value.as_ref().into(),
        };
        tag.push_attribute(attribute);
    }
    Some(tag)
}

fn is_known(declared: PrefixDeclaration<'_>, namespace: &str) -> bool {
    let usual = prefix_of(namespace);
    match declared {
        PrefixDeclaration::Default => usual.is_some(),
        PrefixDeclaration::Named(prefix) => {
            usual.is_some() || USUAL.iter().any(|(_, usual)| *usual == prefix)
        }
    }
}

fn element_name(name: QName<'_>, reader: &NsReader<&[u8]>) -> String {
    let renamed = match reader.resolver().resolve_element(name) {
        (ResolveResult::Bound(namespace), local) => prefixed(namespace.as_ref(), local.as_ref()),
        _ => None,
    };
    renamed.unwrap_or_else(|| name.as_ref().to_owned())
}

fn prefixed(namespace: &str, local: &str) -> Option<String> {
    prefix_of(namespace).map(|prefix| format!("{prefix}:{local}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

    #[track_caller]
    fn check(part: &str, expected: &[&str]) {
        let written = String::from_utf8(usual(part.as_bytes().to_vec())).unwrap();
        for piece in expected {
            assert!(written.contains(piece), "`{piece}` in {written}");
        }
    }

    #[test]
    fn other_prefixes_become_the_usual_ones() {
        check(
            &format!(
                "<ns0:p xmlns:ns0=\"{W}\"><ns0:pStyle ns0:val=\"a &amp; &quot;b&quot;\"/>x</ns0:p>"
            ),
            &["<w:p xmlns:w=", "<w:pStyle w:val=\"a &amp; &quot;b&quot;\"/>x</w:p>"],
        );
        check(
            &format!("<p xmlns=\"{W}\" xmlns:z='{W}'><q z:val='1' val='2'/></p>"),
            &["<w:q w:val=\"1\" val=\"2\"/></w:p>"],
        );
        check(
            "<a><b xmlns:q='http://purl.oclc.org/ooxml/officeDocument/relationships' q:id='r1'/></a>",
            &["<b r:id=\"r1\"/>"],
        );
    }

    #[test]
    fn the_usual_ones_are_left_as_they_are() {
        let part = format!("<w:p xmlns:w='{W}' xmlns:v=\"urn:other\"><w:r   v:x='1'/></w:p>");
        assert_eq!(usual(part.clone().into_bytes()), part.into_bytes());
        let broken = format!("<ns0:p xmlns:ns0=\"{W}\"><ns0:q></ns0:p>").into_bytes();
        assert_eq!(usual(broken.clone()), broken);
    }
}
