//! docx: the model that `office_oxide` builds of it into blocks.
//!
//! The order is that of a printed page: what stands at the head of pages, the body, its notes, what
//! stands at the foot, remarks. A text box comes before or after the paragraph that it hangs on.

mod flat;
mod flow;
mod lists;
mod notes;
mod styles;
mod table;
#[cfg(test)]
mod tests;

use std::io::Cursor;

use office_oxide::docx::DocxDocument;
use tapeline::{ErrorCode, Failure};

use super::{
    block::{Kind, Sink, Stop},
    office::{Package, Schema, caught},
};

/// Gives the document's blocks, and the number of its paragraphs: headings, list items and those in
/// cells counted, blank ones not.
///
/// # Errors
/// `ParseError`, `LimitExceeded` (`document_memory`), and the sink's.
pub(super) fn read(bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Stop> {
    let mut package = Package::open(bytes, Schema::Text, sink)?;
    sink.go_on(0, None)?;
    let mut parsed = caught(|| DocxDocument::from_reader(Cursor::new(package.bytes())))?;
    if parsed.is_err() && package.repair(sink) {
        parsed = caught(|| DocxDocument::from_reader(Cursor::new(package.bytes())))?;
    }
    let document = parsed.map_err(|error| {
        let why: String = error.to_string().chars().take(200).collect();
        Failure::new(ErrorCode::PARSE_ERROR, format!("the document could not be read: {why}"))
            .hint("open it in an office program, save it anew and try that copy")
    })?;
    let damaged = document.unreadable_parts.iter().map(|line| match line.split_once(": ") {
        Some((part, why)) => (part, why),
        None => (line.as_str(), "it is damaged"),
    });
    package.warn_of_damage(damaged, document.unreadable_parts_omitted, sink);

    sink.count(flow::paragraphs(&document));
    let mut flow = flow::Flow::new(&document, &mut package, sink);
    flow.edges(&Kind::Header)?;
    flow.body()?;
    flow.notes()?;
    flow.edges(&Kind::Footer)?;
    flow.comments()
}
