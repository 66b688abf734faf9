//! [`said`]: what the library leaves out of the words of a text, said in what it reads.
//!
//! The base of a ruby, tabs that are placed, equations; and changes as if they were accepted, with rows
//! and paragraphs that were deleted.

use memchr::memmem;
use quick_xml::{Reader, Writer, events::Event};

use super::{
    equation::{linear, typed},
    tree::{Element, Node},
};

/// The part itself where nothing in it is left out, and where it cannot be read to its end. Plain
/// text has the letters of an equation alone.
pub(super) fn said(part: Vec<u8>, is_plain: bool) -> Vec<u8> {
    const LEFT_OUT: [&[u8]; 5] =
        [b"<w:ptab", b"<w:ruby>", b"<m:oMath", b"<w:del ", b"<w:moveFrom "];

    let has = |what: &&[u8]| memmem::find(&part, what).is_some();
    let written = match std::str::from_utf8(&part) {
        Ok(text) if LEFT_OUT.iter().any(has) => {
            rewritten(text, if is_plain { typed } else { linear })
        }
        _ => None,
    };
    written.unwrap_or(part)
}

/// An equation as text.
type Equation = fn(&Element) -> String;

/// Paragraphs and tables one at a time.
fn rewritten(text: &str, equation: Equation) -> Option<Vec<u8>> {
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::new(Vec::with_capacity(text.len()));
    // Paragraphs whose marks were deleted: what follows joins them.
    let mut held: Vec<Node> = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) if matches!(tag.name().as_ref(), "w:p" | "w:tbl" | "m:oMathPara") => {
                let element = Element::read(&tag, &mut reader)?;
                let joins = has_deleted_mark(&element);
                held.push(Node::Element(element));
                if joins {
                    continue;
                }
                write_all(accepted(std::mem::take(&mut held), false, equation), &mut writer)?;
            }
            Event::Text(text) if !held.is_empty() && text.trim().is_empty() => {}
            event => {
                write_all(accepted(std::mem::take(&mut held), false, equation), &mut writer)?;
                if event == Event::Eof {
                    return Some(writer.into_inner());
                }
                writer.write_event(event).ok()?;
            }
        }
    }
}

fn write_all(nodes: Vec<Node>, writer: &mut Writer<Vec<u8>>) -> Option<()> {
    nodes.into_iter().try_for_each(|node| node.write(writer))
}

/// What stands beside each other, in a paragraph or not.
fn accepted(nodes: Vec<Node>, in_paragraph: bool, equation: Equation) -> Vec<Node> {
    let mut done: Vec<Node> = Vec::with_capacity(nodes.len());
    let mut joins = false;
    for node in nodes {
        let mut element = match node.element() {
            Ok(element) => element,
            Err(other) => {
                done.push(other);
                continue;
            }
        };
        let name = element.tag.name().as_ref().to_owned();
        if name == "m:oMath" {
            let text = Element::text("w:t", &equation(&element));
            done.push(Node::Element(Element::new("w:r", vec![Node::Element(text)])));
            continue;
        }
        let inside = match name.as_str() {
            "w:p" | "m:oMathPara" => true,
            "w:tc" | "w:txbxContent" => false,
            _ => in_paragraph,
        };
        element.children = accepted(element.children, inside, equation);
        match name.as_str() {
            "w:del" | "w:moveFrom" if !element.children.is_empty() => {}
            "w:tr" if is_deleted(element.child("w:trPr")) => {}
            "w:tbl" if element.child("w:tr").is_none() => {}
            "w:ptab" => done.push(Node::Element(Element::new("w:tab", Vec::new()))),
            "w:ruby" => done.extend(base(element)),
            "m:oMathPara" if in_paragraph => done.extend(element.children),
            "m:oMathPara" => done.push(Node::Element(Element::new("w:p", element.children))),
            "w:p" => {
                let mark_is_deleted = has_deleted_mark(&element);
                if mark_is_deleted && !has_content(&element) {
                    continue;
                }
                match std::mem::replace(&mut joins, mark_is_deleted) {
                    true => join(&mut done, element),
                    false => done.push(Node::Element(element)),
                }
                continue;
            }
            _ => done.push(Node::Element(element)),
        }
        joins = false;
    }
    done
}

/// The paragraph goes on where the last one ends; the mark that is left is its own.
fn join(done: &mut [Node], mut next: Element) {
    let last = done.iter_mut().rev().find_map(|node| match node {
        Node::Element(element) => Some(element),
        Node::Other(_) => None,
    });
    let Some(last) = last else { return };
    let is_mark = |node: &Node| node.as_element().is_some_and(|element| element.is("w:pPr"));
    last.children.retain(|node| !is_mark(node));
    let mark = next.children.iter().position(is_mark).map(|at| next.children.remove(at));
    last.children.splice(0..0, mark);
    last.children.append(&mut next.children);
}

/// The contents of the runs that a ruby's guide stands over.
fn base(ruby: Element) -> Vec<Node> {
    let elements = |nodes: Vec<Node>| nodes.into_iter().filter_map(|node| node.element().ok());
    elements(ruby.children)
        .filter(|part| part.is("w:rubyBase"))
        .flat_map(|base| elements(base.children).flat_map(|run| run.children).collect::<Vec<_>>())
        .filter(|node| !node.as_element().is_some_and(|element| element.is("w:rPr")))
        .collect()
}

fn has_deleted_mark(paragraph: &Element) -> bool {
    let mark = paragraph.child("w:pPr").and_then(|properties| properties.child("w:rPr"));
    is_deleted(mark)
}

fn is_deleted(properties: Option<&Element>) -> bool {
    properties.is_some_and(|of| of.child("w:del").or_else(|| of.child("w:moveFrom")).is_some())
}

/// Whether there is something to see in a paragraph.
fn has_content(element: &Element) -> bool {
    const SEEN: [&str; 10] = [
        "w:t",
        "w:tab",
        "w:br",
        "w:cr",
        "w:sym",
        "w:drawing",
        "w:pict",
        "w:object",
        "w:footnoteReference",
        "w:endnoteReference",
    ];

    let parts = element.elements().filter(|part| !part.is("w:pPr"));
    parts.into_iter().any(|part| SEEN.iter().any(|name| part.is(name)) || has_content(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &str) {
        let written = said(format!("<w:body>{body}</w:body>").into_bytes(), false);
        let written = String::from_utf8(written).unwrap().replace(" xml:space=\"preserve\"", "");
        assert_eq!(written, format!("<w:body>{expected}</w:body>"));
    }

    fn run(text: &str) -> String {
        format!("<w:r><w:t>{text}</w:t></w:r>")
    }

    #[test]
    fn the_base_of_a_ruby_is_in_its_run() {
        let guide = format!("<w:rubyPr/><w:rt>{}</w:rt>", run("g"));
        let ruby = format!(
            "<w:ruby>{guide}<w:rubyBase><w:r><w:rPr><w:b/></w:rPr><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>"
        );
        check(&format!("<w:p><w:r>{ruby}</w:r></w:p>"), &format!("<w:p>{}</w:p>", run("東京")));
    }

    #[test]
    fn a_placed_tab_is_a_tab() {
        check(
            "<w:p><w:r><w:ptab w:alignment=\"right\"/></w:r></w:p>",
            "<w:p><w:r><w:tab/></w:r></w:p>",
        );
    }

    #[test]
    fn equations_are_typed_on_one_line() {
        let of = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
        let part = |name: &str, inside: &str| format!("<m:{name}>{inside}</m:{name}>");
        let e = |text: &str| part("e", &of(text));
        for (equation, text) in [
            (part("f", &(part("num", &of("a+b")) + &part("den", &of("2")))), "(a+b)/2"),
            (part("sSup", &(e("x") + &part("sup", &of("10")))), "x^10"),
            (part("d", &(e("x") + &e("y"))), "(x|y)"),
            (
                part(
                    "d",
                    &("<m:dPr><m:begChr m:val=\"[\"/><m:endChr m:val=\"\"/></m:dPr>".to_owned()
                        + &e("y")),
                ),
                "[y",
            ),
            (
                part(
                    "nary",
                    &("<m:naryPr><m:chr m:val=\"∑\"/></m:naryPr>".to_owned()
                        + &part("sub", &of("i=1"))
                        + &part("sup", &of("n"))
                        + &e("i")),
                ),
                "∑_(i=1)^n i",
            ),
            (part("rad", &e("x")), "√x"),
            (
                part("m", &(part("mr", &(e("1") + &e("2"))) + &part("mr", &(e("3") + &e("4"))))),
                "1, 2; 3, 4",
            ),
            (of("a &lt; b"), "a &lt; b"),
        ] {
            let equation = format!("<m:oMath>{equation}</m:oMath>");
            let expected = format!("<w:p>{}</w:p>", run(text));
            check(&format!("<w:p>{equation}</w:p>"), &expected);
            check(&format!("<m:oMathPara>{equation}</m:oMathPara>"), &expected);
            check(&format!("<w:p><m:oMathPara>{equation}</m:oMathPara></w:p>"), &expected);
        }
    }

    #[test]
    fn plain_text_has_the_letters_of_an_equation() {
        let of =
            |name: &str, text: &str| format!("<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>");
        let fraction = format!("<m:f>{}{}</m:f>", of("num", "a"), of("den", "2"));
        let part = said(format!("<w:p><m:oMath>{fraction}</m:oMath></w:p>").into_bytes(), true);
        assert!(String::from_utf8(part).unwrap().contains(">a2</w:t>"));
    }

    #[test]
    fn deleted_rows_and_marks_are_gone() {
        let mark = "<w:pPr><w:rPr><w:del w:id=\"1\"/></w:rPr></w:pPr>";
        let deleted = "<w:del w:id=\"2\"><w:r><w:delText>gone</w:delText></w:r></w:del>";
        let kept = format!("<w:p><w:pPr><w:jc/></w:pPr>{}</w:p>", run("b"));
        check(&format!("<w:p>{mark}{deleted}</w:p>{kept}"), &kept);
        check(
            &format!("<w:p>{mark}{}{deleted}</w:p>\n{kept}", run("a")),
            &format!("<w:p><w:pPr><w:jc/></w:pPr>{}{}</w:p>", run("a"), run("b")),
        );
        let row = |properties: &str, text: &str| {
            format!("<w:tr>{properties}<w:tc><w:p>{}</w:p></w:tc></w:tr>", run(text))
        };
        let of = "<w:trPr><w:del w:id=\"1\"/></w:trPr>";
        check(
            &format!("<w:tbl>{}{}</w:tbl>", row(of, "gone"), row("", "b")),
            &format!("<w:tbl>{}</w:tbl>", row("", "b")),
        );
        check(&format!("<w:tbl>{}</w:tbl>", row(of, "gone")), "");
        // At the end, and before what is no paragraph.
        check(&format!("<w:p>{mark}{}</w:p>", run("a")), &format!("<w:p>{mark}{}</w:p>", run("a")));
    }
}
