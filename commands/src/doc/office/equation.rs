//! An equation on one line: [`linear`], as people type it: `x=(-b±√(b^2-4ac))/(2a)`; [`typed`], its
//! letters alone.
//!
//! Office Math (ECMA-376, part 1, 22.1).

use quick_xml::events::Event;

use super::tree::{Element, Node};

/// The letters of an equation, one after the other.
pub(super) fn typed(of: &Element) -> String {
    match of.is("m:t") {
        true => words(of),
        false => of.elements().map(typed).collect(),
    }
}

/// The words and signs of an equation, or of a part of one.
pub(super) fn linear(of: &Element) -> String {
    let part = |name: &str| of.child(name).map(linear).unwrap_or_default();
    let grouped = |name: &str| group(&part(name));
    match of.tag.name().as_ref() {
        "m:t" => words(of),
        "m:f" => format!("{}/{}", grouped("m:num"), grouped("m:den")),
        "m:sSup" => format!("{}^{}", part("m:e"), grouped("m:sup")),
        "m:sSub" => format!("{}_{}", part("m:e"), grouped("m:sub")),
        "m:sSubSup" => format!("{}_{}^{}", part("m:e"), grouped("m:sub"), grouped("m:sup")),
        "m:sPre" => format!("_{}^{}{}", grouped("m:sub"), grouped("m:sup"), part("m:e")),
        "m:limLow" => format!("{}_{}", part("m:e"), grouped("m:lim")),
        "m:limUpp" => format!("{}^{}", part("m:e"), grouped("m:lim")),
        "m:nary" => {
            let mut text = sign(of, "m:naryPr", "m:chr").unwrap_or_else(|| "∫".to_owned());
            for (mark, name) in [('_', "m:sub"), ('^', "m:sup")] {
                let limit = part(name);
                if !limit.is_empty() {
                    text.push(mark);
                    text.push_str(&group(&limit));
                }
            }
            format!("{text} {}", part("m:e"))
        }
        "m:d" => {
            let sign =
                |name, usual: &str| sign(of, "m:dPr", name).unwrap_or_else(|| usual.to_owned());
            let parts = of.elements().filter(|part| part.is("m:e")).map(linear);
            let parts = parts.collect::<Vec<_>>().join(&sign("m:sepChr", "|"));
            format!("{}{parts}{}", sign("m:begChr", "("), sign("m:endChr", ")"))
        }
        "m:rad" => match part("m:deg").as_str() {
            "" => format!("√{}", grouped("m:e")),
            degree => format!("√[{degree}]{}", grouped("m:e")),
        },
        "m:acc" => {
            let mark = sign(of, "m:accPr", "m:chr").unwrap_or_else(|| "\u{302}".to_owned());
            format!("{}{mark}", part("m:e"))
        }
        "m:func" => format!("{} {}", part("m:fName"), part("m:e")),
        "m:m" => rows(of, "m:mr", |row| rows(row, "m:e", linear, ", "), "; "),
        "m:eqArr" => rows(of, "m:e", linear, "; "),
        name if name.ends_with("Pr") => String::new(),
        _ => of.elements().map(linear).collect(),
    }
}

fn rows(of: &Element, name: &str, row: impl Fn(&Element) -> String, between: &str) -> String {
    let rows: Vec<String> = of.elements().filter(|part| part.is(name)).map(row).collect();
    rows.join(between)
}

/// A sign that its properties name; an empty one is none at all.
fn sign(of: &Element, properties: &str, name: &str) -> Option<String> {
    let value = of.child(properties)?.child(name)?.attribute("m:val")?;
    Some(quick_xml::escape::unescape(&value).map_or_else(|_| value.clone(), Into::into))
}

/// In brackets where it is more than a name or a number.
fn group(text: &str) -> String {
    match text.chars().all(char::is_alphanumeric) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

fn words(of: &Element) -> String {
    let text = |node: &Node| match node {
        Node::Other(Event::Text(text)) => text.xml10_content().into_owned(),
        Node::Other(Event::CData(text)) => text.xml10_content().into_owned(),
        Node::Other(Event::GeneralRef(reference)) => {
            let name = format!("&{};", reference.xml10_content());
            quick_xml::escape::unescape(&name).map(Into::into).unwrap_or_default()
        }
        _ => String::new(),
    };
    of.children.iter().map(text).collect()
}
