//! [`Remarks`]: what is said of a document as a whole, gathered while its pages are read.

use std::collections::BTreeSet;

use tapeline::{ErrorCode, Failure};

use super::super::block::Sink;
use super::super::warning::{Code, Warning};
use super::damage::Damage;
use super::file::File;
use super::fonts::Fonts;
use super::strings::decoded;

/// Names that one warning gives.
const MAX_NAMES: usize = 8;
/// Damaged pages that are warned of one by one.
const MAX_TOLD: usize = 20;
/// Ranges of pages that one warning gives.
const MAX_RANGES: usize = 50;

/// Pages that something is said of.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    scanned: Vec<u32>,
    has_text: bool,
    /// The first page of which something is lost, and what it is.
    loss: Option<(u32, Damage)>,
    /// Damaged pages so far, and those that are warned of together.
    damaged: usize,
    untold: Vec<u32>,
    attached: Vec<u32>,
    /// Pages were looked for one by one.
    pub(super) is_loose: bool,
    pub(super) is_cut: bool,
}

impl Remarks {
    pub(super) fn scanned(&mut self, page: u32) {
        self.scanned.push(page);
    }

    pub(super) fn text(&mut self) {
        self.has_text = true;
    }

    pub(super) fn attached(&mut self, page: u32) {
        self.attached.push(page);
    }

    /// Warns of a page, or keeps it for a warning of many.
    pub(super) fn damaged(&mut self, page: u32, damage: Damage, sink: &mut dyn Sink) {
        if damage.is_loss() {
            self.loss.get_or_insert((page, damage));
        }
        self.damaged += 1;
        if self.damaged > MAX_TOLD {
            self.untold.push(page);
            return;
        }
        let warning = Warning::new(Code::DamagedPart, damage.message());
        sink.warn(warning.at(format!("page {page}")));
    }

    /// Warns of pages that the document says it has, and that nothing names.
    pub(super) fn short(&mut self, count: u32, said: Option<u64>, sink: &mut dyn Sink) {
        let Some(said) = said.filter(|said| *said > u64::from(count)) else { return };
        let message = format!("the document says that it has {said} pages, and {count} are there");
        let place = span(u64::from(count) + 1, said);
        sink.warn(Warning::new(Code::DamagedPart, message).at(place));
    }

    /// # Errors
    /// `ParseError` where nothing could be read, and something is damaged.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.loss {
            Some((page, damage)) if !self.has_text && self.scanned.is_empty() => {
                let why = damage.message();
                let message =
                    format!("the document is damaged, none of it is text: page {page}: {why}");
                Err(Failure::new(ErrorCode::PARSE_ERROR, message)
                    .hint("open it in a PDF viewer and save it again, or get another copy"))
            }
            _ => Ok(()),
        }
    }

    /// Warns of what was gathered; `count` is how many pages there are.
    pub(super) fn give(
        &self,
        file: &File<'_>,
        fonts: &mut Fonts,
        (count, max_pages): (u32, u32),
        sink: &mut dyn Sink,
    ) {
        if self.is_loose {
            let message = "the list of pages is damaged: those that were found are given, in the \
                           order of their numbers, and others may be missing";
            sink.warn(Warning::new(Code::DamagedPart, message));
        }
        if !self.untold.is_empty() {
            let message = format!("{} more pages are damaged", self.untold.len());
            sink.warn(Warning::new(Code::DamagedPart, message).at(pages(&self.untold)));
        }
        if self.is_cut {
            let message = format!("only the first {max_pages} of {count} pages were read");
            let place = span(u64::from(max_pages) + 1, u64::from(count));
            sink.warn(Warning::new(Code::PageLimit, message).at(place));
        }
        if !self.scanned.is_empty() {
            let message = "pages without text, most likely pictures of it: try `doc ocr`";
            sink.warn(Warning::new(Code::ScannedPages, message).at(pages(&self.scanned)));
        }
        let doubtful = fonts.doubtful();
        if !doubtful.is_empty() {
            let mut names: Vec<&str> =
                doubtful.keys().map(String::as_str).take(MAX_NAMES).collect();
            if doubtful.len() > MAX_NAMES {
                names.push("…");
            }
            let message = format!(
                "fonts that do not say which characters they show: the text may be wrong ({})",
                names.join(", ")
            );
            let used: BTreeSet<u32> = doubtful.values().flatten().copied().collect();
            let place = pages(&used.into_iter().collect::<Vec<u32>>());
            sink.warn(Warning::new(Code::UnmappedGlyphs, message).at(place));
        }
        if !self.attached.is_empty() {
            let message = "files are attached to the page; they are not read";
            sink.warn(Warning::new(Code::EmbeddedObject, message).at(pages(&self.attached)));
        }
        let names = attachments(file);
        if !names.is_empty() {
            let message = "files are attached to the document; they are not read";
            sink.warn(Warning::new(Code::EmbeddedObject, message).at(names.join(", ")));
        }
    }
}

/// The names of the first files that are attached to the document.
fn attachments(file: &File<'_>) -> Vec<String> {
    /// Nodes of the tree that are looked at: what is made up may have a circle in it.
    const MAX_NODES: usize = 100;
    const MAX_CHARS: usize = 100;

    let root = file.root();
    let Some(root) = root.dictionary() else { return Vec::new() };
    let names = file.entry(root, "Names");
    let Some(names) = names.dictionary() else { return Vec::new() };
    let mut pending = vec![file.entry(names, "EmbeddedFiles").into_shared()];
    let mut found = Vec::new();
    for _ in 0..MAX_NODES {
        let Some(node) = pending.pop() else { break };
        let Some(node) = node.dictionary() else { continue };
        // Pairs of a name and a file.
        for pair in file.entry(node, "Names").array().unwrap_or_default().chunks(2) {
            let name = pair.first().map(|name| file.resolve(name));
            let name = name.as_ref().and_then(|name| name.string()).map(decoded);
            let name = name.unwrap_or_default();
            found.push(match name.trim() {
                "" => "a file without a name".to_owned(),
                name => name.chars().take(MAX_CHARS).collect(),
            });
            if found.len() == MAX_NAMES {
                return found;
            }
        }
        let kids = file.entry(node, "Kids");
        let kids = kids.array().unwrap_or_default().iter().take(MAX_NODES).rev();
        pending.extend(kids.map(|kid| file.resolve(kid).into_shared()));
    }
    found
}

/// `page 3`, `pages 3-7`.
fn span(first: u64, last: u64) -> String {
    if first == last { format!("page {first}") } else { format!("pages {first}-{last}") }
}

/// `page 3`, `pages 1-3, 7`.
fn pages(pages: &[u32]) -> String {
    format!("{} {}", if pages.len() == 1 { "page" } else { "pages" }, ranges(pages))
}

/// `1-3, 7`.
fn ranges(pages: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == page => *last = page,
            _ => ranges.push((page, page)),
        }
    }
    let mut shown: Vec<String> = ranges
        .iter()
        .take(MAX_RANGES)
        .map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        )
        .collect();
    if ranges.len() > MAX_RANGES {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_follow_each_other_are_one_range() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
    }
}
