//! What the library forgets of a deck: which part a slide is, which chart a frame shows, and what
//! stands at the head and the foot of the pages of notes.

use std::collections::{BTreeMap, BTreeSet};

use office_oxide::pptx::{PptxDocument, Shape, TextContent};
use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::{super::office::Package, shapes::plain};

/// The part of each slide.
pub(super) fn slide_parts(document: &PptxDocument, package: &mut Package) -> Vec<Option<String>> {
    let main = package.main_part();
    let relations = main.map(|main| package.relations(&main)).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for (index, slide) in document.presentation.slides.iter().enumerate() {
        let part = match slide.rel_id.as_str() {
            "" => Some(format!("/ppt/slides/slide{}.xml", index + 1)),
            id => relations.get(id).map(|(_, part)| part.clone()),
        };
        // A slide that is named again is given once.
        if part.as_ref().is_none_or(|part| seen.insert(part.clone())) {
            parts.push(part);
        }
    }
    parts
}

/// Parts that a slide leads to.
#[derive(Default)]
pub(super) struct Related {
    /// By the number of the frame.
    pub(super) charts: BTreeMap<u32, String>,
    pub(super) notes: Option<String>,
}

pub(super) fn related(part: &str, package: &mut Package) -> Related {
    let relations = package.relations(part);
    let of_kind = |wanted: &str| relations.values().find(|(kind, _)| kind == wanted);
    let notes = of_kind("notesSlide").map(|(_, part)| part.clone());
    let mut related = Related { charts: BTreeMap::new(), notes };
    if of_kind("chart").is_none() {
        return related;
    }
    let Some(xml) = package.text(part) else { return related };
    let mut reader = Reader::from_str(&xml);
    reader.config_mut().check_end_names = false;
    let mut frame = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => match tag.local_name().as_ref() {
                "cNvPr" => frame = attribute(&tag, "id").and_then(|id| id.trim().parse().ok()),
                "chart" => {
                    let relation = attribute(&tag, "id").and_then(|id| relations.get(&id));
                    if let (Some(frame), Some((_, part))) = (frame, relation) {
                        related.charts.insert(frame, part.clone());
                    }
                }
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return related,
            Ok(_) => {}
        }
    }
}

/// The placeholders of a page of notes that are neither its slide nor its text, in their order: what
/// each is for, and its text.
pub(super) fn edges_of_notes(xml: &str) -> Vec<(String, String)> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let mut edges = Vec::new();
    let mut role = None;
    let mut text = String::new();
    let mut is_text = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => match tag.local_name().as_ref() {
                "sp" => (role, text) = (None, String::new()),
                "ph" => role = attribute(&tag, "type"),
                "t" => is_text = true,
                _ => {}
            },
            Ok(Event::Text(piece)) if is_text => text.push_str(&piece.xml10_content()),
            Ok(Event::GeneralRef(reference)) if is_text => match reference.resolve_char_ref() {
                Ok(Some(character)) => text.push(character),
                _ => text.push_str(resolve_predefined_entity(&reference).unwrap_or_default()),
            },
            Ok(Event::End(tag)) => match tag.local_name().as_ref() {
                "t" => is_text = false,
                "p" if !text.is_empty() => text.push(' '),
                "sp" => {
                    let text = text.trim();
                    if let Some("hdr" | "ftr" | "dt" | "sldNum") = role.as_deref()
                        && !text.is_empty()
                    {
                        edges.push((role.take().unwrap_or_default(), text.to_owned()));
                    }
                }
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return edges,
            Ok(_) => {}
        }
    }
}

/// The texts of layouts and masters that some slide shows and that are no placeholders. The library
/// gathers them anew for each slide.
pub(super) fn static_texts(document: &PptxDocument) -> Vec<String> {
    let mut texts = Vec::new();
    let mut layouts = BTreeSet::new();
    let mut masters = BTreeSet::new();
    for slide in document.slides.iter().filter(|slide| !slide.hide_master_shapes) {
        let Some(index) = slide.layout_index.filter(|index| layouts.insert(*index)) else {
            continue;
        };
        let Some(layout) = document.layouts.get(index) else { continue };
        gather(&layout.shapes, &mut texts);
        let master = layout.master_index.filter(|_| layout.show_master_shapes);
        if let Some(master) = master.filter(|index| masters.insert(*index)) {
            gather(
                document.masters.get(master).map_or(&[][..], |master| &master.shapes),
                &mut texts,
            );
        }
    }
    texts
}

fn gather(shapes: &[Shape], texts: &mut Vec<String>) {
    for shape in shapes {
        match shape {
            Shape::Group(group) => gather(&group.children, texts),
            Shape::AutoShape(shape) if shape.placeholder.is_none() => {
                let runs = shape.text_body.iter().flat_map(|body| &body.paragraphs);
                let mut runs = runs.flat_map(|paragraph| &paragraph.content);
                // A field alone is a number or a date that belongs to a slide.
                let is_text = |content: &TextContent| match content {
                    TextContent::Run(run) => !run.text.trim().is_empty(),
                    TextContent::LineBreak | TextContent::Field(_) => false,
                };
                if runs.any(is_text) {
                    texts.extend(shape.text_body.as_ref().map(plain));
                }
            }
            Shape::AutoShape(_)
            | Shape::Picture(_)
            | Shape::GraphicFrame(_)
            | Shape::Connector(_) => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let mut attributes = tag.attributes().flatten();
    let found = attributes.find(|found| found.key.local_name().as_ref() == wanted);
    found.map(|found| found.value.into_owned())
}
