//! [`said`]: what the library leaves out of the words of a text, said in what it reads.
//!
//! The base of a ruby, tabs that are placed, equations; what is there in several ways; and changes as
//! if they were accepted, with rows and paragraphs that were deleted. What fields inside the
//! instructions of others came to is no text.

use memchr::memmem;
use quick_xml::{Reader, Writer, events::Event};

use super::{
    alternate::{has_alternatives, says_something},
    equation::{linear, typed},
    fields::Instructions,
    tree::{Element, Node},
};

/// The part itself where nothing in it is left out, and where it cannot be read to its end. Plain
/// text has the letters of an equation alone.
pub(super) fn said(part: Vec<u8>, is_plain: bool) -> Vec<u8> {
    const LEFT_OUT: [&[u8]; 6] =
        [b"<w:ptab", b"<w:ruby>", b"<m:oMath", b"<w:del ", b"<w:moveFrom ", b"<w:isLgl"];

    let has = |what: &&[u8]| memmem::find(&part, what).is_some();
    let written = std::str::from_utf8(&part).ok().and_then(|text| {
        let instructions = Instructions::of(text);
        let is_left_out =
            !instructions.is_empty() || has_alternatives(text) || LEFT_OUT.iter().any(has);
        let equation = if is_plain { typed } else { linear };
        is_left_out.then(|| Words { equation, instructions, said: 0 }.rewritten(text))?
    });
    written.unwrap_or(part)
}

/// What is to be said otherwise, and how.
pub(super) struct Words {
    /// An equation as text.
    equation: fn(&Element) -> String,
    instructions: Instructions,
    /// Elements so far that there is something to read in.
    pub(super) said: u64,
}

impl Words {
    /// Paragraphs and tables one at a time.
    fn rewritten(&mut self, text: &str) -> Option<Vec<u8>> {
        const AT_ONCE: [&str; 5] = ["w:p", "w:tbl", "m:oMathPara", "mc:AlternateContent", "w:lvl"];

        let mut reader = Reader::from_str(text);
        let mut writer = Writer::new(Vec::with_capacity(text.len()));
        // Paragraphs whose marks were deleted: what follows joins them.
        let mut held: Vec<Node> = Vec::new();
        loop {
            match reader.read_event().ok()? {
                Event::Start(tag) if AT_ONCE.contains(&tag.name().as_ref()) => {
                    let element = Element::read(&tag, &mut reader)?;
                    let joins = has_deleted_mark(&element);
                    held.push(Node::Element(element));
                    if joins {
                        continue;
                    }
                    write_all(self.accepted(std::mem::take(&mut held), false), &mut writer)?;
                }
                Event::Text(text) if !held.is_empty() && text.trim().is_empty() => {}
                event => {
                    write_all(self.accepted(std::mem::take(&mut held), false), &mut writer)?;
                    if event == Event::Eof {
                        return Some(writer.into_inner());
                    }
                    writer.write_event(event).ok()?;
                }
            }
        }
    }

    /// What stands beside each other, in a paragraph or not.
    pub(super) fn accepted(&mut self, nodes: Vec<Node>, in_paragraph: bool) -> Vec<Node> {
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
            self.said += u64::from(says_something(&element));
            let name = element.tag.name().as_ref().to_owned();
            if name == "w:fldChar" {
                self.instructions.pass();
            }
            if name == "m:oMath" {
                if !self.instructions.is_inside() {
                    let text = Element::text("w:t", &(self.equation)(&element));
                    done.push(Node::Element(Element::new("w:r", vec![Node::Element(text)])));
                }
                continue;
            }
            if name == "mc:AlternateContent" {
                done.extend(self.chosen(element, in_paragraph));
                joins = false;
                continue;
            }
            let is_instruction = self.instructions.is_inside() && is_shown(&name);
            let inside = match name.as_str() {
                "w:p" | "m:oMathPara" => true,
                "w:tc" | "w:txbxContent" => false,
                _ => in_paragraph,
            };
            element.children = self.accepted(element.children, inside);
            match name.as_str() {
                _ if is_instruction => {}
                "w:del" | "w:moveFrom" if !element.children.is_empty() => {}
                "w:tr" if is_deleted(element.child("w:trPr")) => {}
                "w:tbl" if !has_row(&element) => {}
                "w:lvl" => done.push(Node::Element(legal(element))),
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
}

fn write_all(nodes: Vec<Node>, writer: &mut Writer<Vec<u8>>) -> Option<()> {
    nodes.into_iter().try_for_each(|node| node.write(writer))
}

/// What an instruction cannot have: text, and what is shown as if it were.
fn is_shown(name: &str) -> bool {
    matches!(
        name,
        "w:t"
            | "w:tab"
            | "w:ptab"
            | "w:br"
            | "w:cr"
            | "w:sym"
            | "w:noBreakHyphen"
            | "w:drawing"
            | "w:pict"
            | "w:footnoteReference"
            | "w:endnoteReference"
    )
}

/// Whether a table has rows of its own, inside of what marks them or not.
fn has_row(element: &Element) -> bool {
    element.elements().any(|part| part.is("w:tr") || !part.is("w:tbl") && has_row(part))
}

/// A level of a list whose numbers are all decimal, as laws have them, counts in a way of that name.
fn legal(mut level: Element) -> Element {
    let is_off = |value: String| matches!(value.as_str(), "0" | "false" | "off");
    let sign = level.child("w:isLgl");
    if sign.is_none_or(|sign| sign.attribute("w:val").is_some_and(is_off)) {
        return level;
    }
    for node in &mut level.children {
        let Some(format) = node.as_element().filter(|part| part.is("w:numFmt")) else { continue };
        let way = match format.attribute("w:val").as_deref() {
            Some("bullet" | "none") => continue,
            Some("decimalZero") => "legalZero",
            _ => "legal",
        };
        let mut format = Element::new("w:numFmt", Vec::new());
        format.tag.push_attribute(("w:val", way));
        *node = Node::Element(format);
    }
    level
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
mod tests;
