//! [`Words::chosen`]: of content that is there in several ways, the one that is read.
//!
//! Programs write what older ones do not know twice, `mc:Choice` for the new and `mc:Fallback` for
//! the old. The same text would be there twice, or not at all.

use memchr::memmem;

use super::{
    tree::{Element, Node},
    words::Words,
};

impl Words {
    /// The first way that gives something to read: an emoji is a character of a font in one, and text
    /// in the other. All are walked, since the characters of fields are counted in each.
    pub(super) fn chosen(&mut self, alternatives: Element, in_paragraph: bool) -> Vec<Node> {
        let mut first = None;
        let mut chosen = None;
        for way in alternatives.children.into_iter().filter_map(|node| node.element().ok()) {
            if !way.is("mc:Choice") && !way.is("mc:Fallback") {
                continue;
            }
            let before = self.said;
            let content = self.accepted(way.children, in_paragraph);
            let place = if self.said > before { &mut chosen } else { &mut first };
            place.get_or_insert(content);
        }
        // A picture is no text, and has its place all the same.
        chosen.or(first).unwrap_or_default()
    }
}

/// Whether a part has something else than drawings in several ways: those are read as they are.
pub(super) fn has_alternatives(part: &str) -> bool {
    let choices = memmem::find_iter(part.as_bytes(), b"<mc:Choice");
    choices.filter_map(|at| part.get(at..)).any(|choice| {
        let content = choice.split_once('>').map_or("", |(_, content)| content.trim_start());
        !content.starts_with("<w:drawing") && !content.starts_with("<w:pict")
    })
}

/// Whether there is something to read in an element, itself and not what is inside it.
pub(super) fn says_something(element: &Element) -> bool {
    const SAYS: [&str; 12] = [
        "w:tab",
        "w:br",
        "w:cr",
        "w:sym",
        "w:noBreakHyphen",
        "w:footnoteReference",
        "w:endnoteReference",
        "w:fldChar",
        "m:oMath",
        "v:textpath",
        "c:chart",
        "dgm:relIds",
    ];
    let is_text = element.is("w:t") && !element.children.is_empty();
    is_text || SAYS.iter().any(|name| element.is(name))
}
