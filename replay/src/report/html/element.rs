//! [`Markup`]: HTML in the making, in which no text is ever taken for markup.

use std::fmt::Write;

use super::super::text::Escaped;

/// Elements that hold elements and texts. What it is given stands between tags or in quotes, and is
/// escaped there; only tags and names of attributes are taken as they are, and these are ours.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    pub(super) fn text(&mut self, text: &str) {
        // A `String` takes all that is written.
        let _ = write!(self.0, "{}", Escaped(text));
    }

    /// A tag with nothing in it and no end.
    pub(super) fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            let _ = write!(self.0, " {name}=\"{}\"", Escaped(value));
        }
        self.0.push('>');
    }

    /// An element with whatever is put in.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes);
        inside(self);
        let _ = write!(self.0, "</{tag}>");
    }

    /// An element with a text.
    pub(super) fn say(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(tag, attributes, |markup| markup.text(text));
    }

    /// `style` or `script`, which end where their end tag stands and know no escapes.
    pub(super) fn verbatim(&mut self, tag: &'static str, ours: &'static str) {
        let _ = writeln!(self.0, "<{tag}>{ours}</{tag}>");
    }

    pub(super) fn line_break(&mut self) {
        self.0.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_texts() {
        let mut markup = Markup::default();
        markup.element("p", &[("title", "\"><script>")], |markup| {
            markup.text("</p>");
            markup.say("code", &[], "&\u{202e}");
        });
        assert_eq!(
            markup.into_text(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;<code>&amp;\\u{202e}</code></p>"
        );
    }
}
