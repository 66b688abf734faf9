//! [`Spans`]: a line of text in pieces of one look, and what is written for it.

use super::super::{
    block::Rendering,
    markdown::{emphasis, escape, link},
};

/// Pieces of text in their order. Programs cut a word into runs for reasons of their own: pieces of
/// one look are joined, or Markdown would have `**wo****rd**`.
#[derive(Debug)]
pub(in super::super) struct Spans {
    rendering: Rendering,
    /// More is not wanted. It is counted in bytes, of which a character has four at most.
    room: usize,
    spans: Vec<Span>,
}

#[derive(Debug)]
struct Span {
    text: String,
    look: Look,
    /// As it is given: for marks of notes.
    is_ready: bool,
}

/// How a piece looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Look {
    pub(in super::super) bold: bool,
    pub(in super::super) italic: bool,
    pub(in super::super) address: Option<String>,
}

impl Spans {
    /// `room` is how many characters are wanted: of a longer line, a little more than those is kept.
    pub(in super::super) fn new(rendering: Rendering, room: usize) -> Self {
        Self { rendering, room: room.saturating_mul(4).saturating_add(4), spans: Vec::new() }
    }

    pub(in super::super) fn push(&mut self, text: &str, look: &Look) {
        let end = (0..=self.room.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        self.room -= text.len();
        match self.spans.last_mut() {
            Some(last)
                if !last.is_ready && (last.look == *look || !self.rendering.is_markdown()) =>
            {
                last.text.push_str(text);
            }
            _ => {
                self.spans.push(Span { text: text.to_owned(), look: look.clone(), is_ready: false })
            }
        }
    }

    /// A mark that refers to a note.
    pub(in super::super) fn push_note(&mut self, label: &str) {
        let text = match self.rendering.is_markdown() {
            true => format!("[^{label}]"),
            false => format!("[{label}]"),
        };
        self.spans.push(Span { text, look: Look::default(), is_ready: true });
    }

    pub(in super::super) fn is_blank(&self) -> bool {
        self.spans.iter().all(|span| span.text.trim().is_empty())
    }

    /// Without blanks at its edges.
    pub(in super::super) fn finish(self) -> String {
        let mut text = String::new();
        let mut spans = self.spans.into_iter().peekable();
        while let Some(span) = spans.next() {
            let Some(address) = span.look.address.clone() else {
                text.push_str(&span.render(self.rendering));
                continue;
            };
            // A link may be bold in parts.
            let mut inner = span.render(self.rendering);
            while let Some(next) =
                spans.next_if(|next| next.look.address.as_ref() == Some(&address))
            {
                inner.push_str(&next.render(self.rendering));
            }
            let is_link =
                self.rendering.is_markdown() && !inner.contains("](") && !inner.contains('\n');
            text.push_str(&if is_link { link(&inner, &address) } else { inner });
        }
        let trimmed = text.trim();
        if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
    }
}

impl Span {
    fn render(self, rendering: Rendering) -> String {
        if self.is_ready || !rendering.is_markdown() {
            return self.text;
        }
        let escaped = escape(&self.text);
        match (self.look.bold, self.look.italic) {
            (false, false) => escaped,
            (true, false) => by_line(&escaped, "**"),
            (false, true) => by_line(&escaped, "*"),
            (true, true) => by_line(&escaped, "***"),
        }
    }
}

/// Emphasis does not go over the end of a line.
fn by_line(text: &str, mark: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| emphasis(line, mark)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bold() -> Look {
        Look { bold: true, ..Look::default() }
    }

    fn check(rendering: Rendering, expected: &str) {
        let mut spans = Spans::new(rendering, 1000);
        let to =
            |bold| Look { bold, italic: false, address: Some("https://a.example/".to_owned()) };
        spans.push("  wo", &bold());
        spans.push("rd ", &bold());
        spans.push("2*3", &Look::default());
        spans.push_note("1");
        spans.push(" ", &Look::default());
        spans.push("see ", &to(false));
        spans.push("here", &to(true));
        spans.push("one\ntwo", &bold());
        assert_eq!(spans.finish(), expected);
    }

    #[test]
    fn markdown_joins_pieces_of_one_look() {
        let expected = "**word** 2\\*3[^1] [see **here**](https://a.example/)**one**\n**two**";
        check(Rendering::Markdown, expected);
    }

    #[test]
    fn keeps_little_more_than_is_wanted() {
        let mut spans = Spans::new(Rendering::Plain, 2);
        spans.push("äöüß", &bold());
        spans.push("äöüß", &Look::default());
        assert_eq!(spans.finish(), "äöüßäö");
    }

    #[test]
    fn plain_text_has_no_marks() {
        check(Rendering::Plain, "word 2*3[1] see hereone\ntwo");
    }
}
