//! [`Remarks`]: what is said of a document as a whole, gathered while its pages are read.

use super::super::block::Sink;
use super::super::warning::{Code, Warning};
use super::file::File;
use super::fonts::Fonts;
use super::object::Object;

/// Names that one warning gives.
const MAX_NAMES: usize = 8;

/// Pages that something is said of.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    scanned: Vec<u32>,
    pub(super) is_cut: bool,
}

impl Remarks {
    pub(super) fn scanned(&mut self, page: u32) {
        self.scanned.push(page);
    }

    /// Warns of what was gathered.
    pub(super) fn give(
        &self,
        file: &File<'_>,
        fonts: &mut Fonts,
        max_pages: u32,
        sink: &mut dyn Sink,
    ) {
        if self.is_cut {
            let message =
                format!("the document has more than {max_pages} pages: only these were read");
            sink.warn(Warning::new(Code::PageLimit, message));
        }
        if !self.scanned.is_empty() {
            let message = "pages without text, most likely pictures of it: try `doc ocr`";
            let pages = if self.scanned.len() == 1 { "page" } else { "pages" };
            let place = format!("{pages} {}", ranges(&self.scanned));
            sink.warn(Warning::new(Code::ScannedPages, message).at(place));
        }
        let doubtful = fonts.doubtful();
        if !doubtful.is_empty() {
            let mut names: Vec<&str> =
                doubtful.iter().map(String::as_str).take(MAX_NAMES).collect();
            if doubtful.len() > MAX_NAMES {
                names.push("…");
            }
            let message = format!(
                "fonts that do not say which characters they show: the text may be wrong ({})",
                names.join(", ")
            );
            sink.warn(Warning::new(Code::UnmappedGlyphs, message));
        }
        if has_attachments(file) {
            let message = "files are attached to the document; they are not read";
            sink.warn(Warning::new(Code::EmbeddedObject, message));
        }
    }
}

fn has_attachments(file: &File<'_>) -> bool {
    let root = file.root();
    let Some(root) = root.dictionary() else { return false };
    let names = file.entry(root, "Names");
    let Some(names) = names.dictionary() else { return false };
    let files = file.entry(names, "EmbeddedFiles");
    let Some(files) = files.dictionary() else { return false };
    ["Names", "Kids"].iter().any(|name| {
        file.entry(files, name).array().is_some_and(|items: &[Object]| !items.is_empty())
    })
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
    let shown: Vec<String> = ranges
        .iter()
        .map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        )
        .collect();
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
