//! pptx: the model that `office_oxide` builds of it into blocks.
//!
//! A slide's title comes first and the other shapes in the order of the file, which is the order that
//! screen readers follow; where they stand on the slide says less. Markdown has charts, notes and
//! comments with their slide; plain text, which has nothing to tell them apart by, has what is
//! written on the slides first and without a break, then the charts, the notes and the comments.

mod frames;
mod numbers;
mod shapes;
#[cfg(test)]
mod tests;

use std::io::Cursor;

use office_oxide::pptx::PptxDocument;
use tapeline::{ErrorCode, Failure};

use super::{
    block::{Block, Kind, Place, Sink, Stop},
    office::{Package, Schema, caught},
};

/// Gives the slides' blocks, and the number of slides.
///
/// # Errors
/// `ParseError`, `LimitExceeded` (`document_memory`), and the sink's.
pub(super) fn read(bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Stop> {
    let mut package = Package::open(bytes, Schema::Slides, sink)?;
    sink.go_on(0, None)?;
    let parsed = caught(|| PptxDocument::from_reader(Cursor::new(package.bytes())))?;
    let document = parsed.map_err(|error| {
        let why: String = error.to_string().chars().take(200).collect();
        Failure::new(ErrorCode::PARSE_ERROR, format!("the slides could not be read: {why}"))
            .hint("open them in an office program, save them anew and try that copy")
    })?;
    let damaged = document.unreadable_parts.iter().map(|(part, why)| (part.as_str(), why.as_str()));
    package.warn_of_damage(damaged, document.unreadable_parts_omitted, sink);

    let parts = frames::slide_parts(&document, &mut package);
    let total = u64::try_from(document.slides.len()).ok();
    sink.count(u32::try_from(document.slides.len()).unwrap_or(u32::MAX));
    let rendering = sink.rendering();
    let mut shapes = shapes::Shapes::new(&mut package);
    let mut all_related = Vec::new();
    for (index, slide) in document.slides.iter().enumerate() {
        sink.go_on(u64::try_from(index).unwrap_or_default(), total)?;
        let part = parts.get(index).and_then(Option::as_deref);
        let related = part.map(|part| shapes.related(part)).unwrap_or_default();
        shapes.slide(slide, &related, place(index), sink)?;
        if !rendering.is_plain() {
            shapes.notes(slide, &related, place(index), sink)?;
            shapes.comments(slide, place(index), sink)?;
        }
        all_related.push(related);
    }
    // What the layouts of the slides show, each text once.
    for text in frames::static_texts(&document) {
        shapes.edge("ftr", &text, Place::Document, sink)?;
    }
    if rendering.is_plain() {
        shapes.charts(sink)?;
        for (index, (slide, related)) in document.slides.iter().zip(&all_related).enumerate() {
            sink.go_on(u64::try_from(index).unwrap_or_default(), total)?;
            shapes.notes(slide, related, place(index), sink)?;
        }
        for (index, slide) in document.slides.iter().enumerate() {
            shapes.comments(slide, place(index), sink)?;
        }
    }
    Ok(())
}

fn place(index: usize) -> Place {
    Place::Slide(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))
}

fn give(kind: Kind, place: Place, text: String, sink: &mut dyn Sink) -> Result<(), Stop> {
    if text.is_empty() { Ok(()) } else { sink.take(Block::new(kind, place, text)) }
}
