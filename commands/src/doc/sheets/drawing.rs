//! The text of shapes, diagrams and the titles of charts.

use super::{
    Watch,
    bounded::Bounded,
    fault::Fault,
    strings::decode,
    xml::{Node, Xml},
};

/// Which text of a part is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Each paragraph.
    All,
    /// Titles alone; a chart repeats the cells it is drawn from.
    Titles,
}

/// Adds the paragraphs of a part, in its order.
pub(super) fn read(
    part: &mut Xml<'_>,
    wanted: Wanted,
    paragraphs: &mut Bounded<String>,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut gathered = String::new();
    let mut titles = 0_usize;
    // A copy for programs that do not know the first way of saying it.
    let mut copies = 0_usize;
    let mut is_text = false;
    while !paragraphs.is_full() {
        match part.next(watch)? {
            Node::Open(element) => match element.local_name().as_ref() {
                "title" => titles += 1,
                "Fallback" => copies += 1,
                "t" => is_text = copies == 0 && (wanted == Wanted::All || titles > 0),
                // The cached value of a title that is taken from a cell.
                "v" => is_text = copies == 0 && wanted == Wanted::Titles && titles > 0,
                "br" if !gathered.is_empty() => gathered.push('\n'),
                _ => {}
            },
            Node::Text(text) if is_text => gathered.push_str(&text),
            Node::Close(end) => match end.local_name().as_ref() {
                "t" | "v" => is_text = false,
                "title" => {
                    titles = titles.saturating_sub(1);
                    flush(&mut gathered, paragraphs);
                }
                "Fallback" => copies = copies.saturating_sub(1),
                "p" => flush(&mut gathered, paragraphs),
                _ => {}
            },
            Node::End => return Ok(()),
            Node::Text(_) | Node::Other => {}
        }
    }
    Ok(())
}

fn flush(gathered: &mut String, paragraphs: &mut Bounded<String>) {
    let text = decode(gathered.trim()).into_owned();
    if !text.is_empty() {
        let characters = text.chars().count();
        paragraphs.push(text, characters);
    }
    gathered.clear();
}
