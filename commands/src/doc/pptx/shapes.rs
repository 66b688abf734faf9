//! [`Shapes`]: what stands on a slide, shape by shape.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use office_oxide::pptx::{
    GraphicContent, Shape, Slide, Table, TextBody, TextContent, TextParagraph,
    shape::{AutoShape, BulletStyle, HyperlinkInfo, HyperlinkTarget},
    slide::SlideComment,
};

use super::{
    super::{
        block::{Block, Kind, Place, Sink, Stop},
        office::{Chart, Look, Package, Spans},
    },
    frames::{self, Related},
    give,
    numbers::Numbers,
};

/// An address beyond that is no link to anybody, and would be copied with each piece of its text.
const MOST_ADDRESS_BYTES: usize = 2_000;

pub(super) struct Shapes<'s> {
    package: &'s mut Package,
    /// What stands at edges, each text once.
    edges: BTreeSet<String>,
    /// Charts, each given once.
    charts: BTreeSet<String>,
    /// Charts that plain text has after the slides.
    put_off: Vec<(Place, String)>,
    /// Parts of notes: slides may share one.
    notes: BTreeSet<String>,
    /// Where parts of comments are in memory: it tells them apart and shows nowhere.
    comments: BTreeSet<usize>,
}

impl<'s> Shapes<'s> {
    pub(super) fn new(package: &'s mut Package) -> Self {
        Self {
            package,
            edges: BTreeSet::new(),
            charts: BTreeSet::new(),
            put_off: Vec::new(),
            notes: BTreeSet::new(),
            comments: BTreeSet::new(),
        }
    }

    pub(super) fn related(&mut self, part: &str) -> Related {
        frames::related(part, self.package)
    }

    pub(super) fn slide(
        &mut self,
        slide: &Slide,
        related: &Related,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let title = title(&slide.shapes);
        if let Some(body) = title.and_then(|title| title.text_body.as_ref()) {
            let lines: Vec<String> =
                body.paragraphs.iter().map(|line| text(line, false, sink)).collect();
            let text = lines.join(" ").replace('\n', " ");
            give(Kind::Heading(2), place, text.trim().to_owned(), sink)?;
        }
        let title = title.map(std::ptr::from_ref);
        self.shapes(&slide.shapes, title, &related.charts, place, sink)
    }

    fn shapes(
        &mut self,
        shapes: &[Shape],
        title: Option<*const AutoShape>,
        charts: &BTreeMap<u32, String>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        for shape in shapes {
            match shape {
                Shape::Group(group) => self.shapes(&group.children, title, charts, place, sink)?,
                Shape::AutoShape(shape) if title == Some(std::ptr::from_ref(shape)) => {}
                Shape::AutoShape(shape) => self.auto_shape(shape, place, sink)?,
                Shape::GraphicFrame(frame) => match (&frame.content, charts.get(&frame.id)) {
                    (GraphicContent::Table(rows), _) => table(rows, place, sink)?,
                    (GraphicContent::Text(_), Some(chart)) => match sink.rendering().is_plain() {
                        true => self.put_off.push((place, chart.clone())),
                        false => self.chart(chart, place, sink)?,
                    },
                    (GraphicContent::Text(lines), None) => {
                        for line in lines.iter().map(|line| line.trim()) {
                            let text = escaped(line, sink);
                            give(Kind::ListItem { depth: 0, marker: None }, place, text, sink)?;
                        }
                    }
                    (GraphicContent::OleObject(_) | GraphicContent::Unknown, _) => {}
                },
                Shape::Picture(_) | Shape::Connector(_) => {}
            }
        }
        Ok(())
    }

    fn auto_shape(
        &mut self,
        shape: &AutoShape,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let Some(text_body) = &shape.text_body else { return Ok(()) };
        let role = shape.placeholder.as_ref().and_then(|role| role.ph_type.as_deref());
        match role {
            Some(role @ ("dt" | "ftr" | "hdr" | "sldNum")) => {
                self.edge(role, &plain(text_body), place, sink)
            }
            _ => body(text_body, place, sink),
        }
    }

    /// What stands at the head or the foot of slides or notes, each text once. The number of a slide
    /// is there for those who have nothing but the text.
    pub(super) fn edge(
        &mut self,
        role: &str,
        text: &str,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let is_number = role == "sldNum";
        let text = text.trim();
        if text.is_empty()
            || is_number && !sink.rendering().is_plain()
            || !is_number && !self.edges.insert(text.to_owned())
        {
            return Ok(());
        }
        let kind = if role == "hdr" { Kind::Header } else { Kind::Footer };
        let text = escaped(text, sink);
        give(kind, place, text, sink)
    }

    /// The charts that were put off.
    pub(super) fn charts(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        for (place, part) in std::mem::take(&mut self.put_off) {
            sink.go_on(u64::from(number_of(place)), None)?;
            self.chart(&part, place, sink)?;
        }
        Ok(())
    }

    fn chart(&mut self, part: &str, place: Place, sink: &mut dyn Sink) -> Result<(), Stop> {
        if !self.charts.insert(part.to_owned()) {
            return Ok(());
        }
        let Some(xml) = self.package.text(part) else { return Ok(()) };
        for block in Chart::read(&xml).blocks(place, sink.rendering()) {
            sink.take(block)?;
        }
        Ok(())
    }

    /// What the speaker reads, and what stands at the edges of that page. Slides that share notes
    /// have them once.
    pub(super) fn notes(
        &mut self,
        slide: &Slide,
        related: &Related,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let Some(part) = &related.notes else { return Ok(()) };
        if !self.notes.insert(part.clone()) {
            return Ok(());
        }
        if let Some(notes) = &slide.notes {
            text_of_notes(notes, place, sink)?;
        }
        let xml = self.package.text(part).unwrap_or_default();
        for (role, text) in frames::edges_of_notes(&xml) {
            self.edge(&role, &text, place, sink)?;
        }
        Ok(())
    }
}

fn text_of_notes(notes: &TextBody, place: Place, sink: &mut dyn Sink) -> Result<(), Stop> {
    let mut numbers = Numbers::default();
    let mut lines = Vec::new();
    for paragraph in &notes.paragraphs {
        let text = text(paragraph, true, sink);
        if text.is_empty() {
            continue;
        }
        lines.push(match numbers.next(paragraph) {
            Some(number) => format!("{} {text}", escaped(&number, sink)),
            None => text,
        });
    }
    give(Kind::Notes, place, lines.join("\n"), sink)
}

impl Shapes<'_> {
    /// The remarks beside a slide. Slides that share a part of them have them once.
    pub(super) fn comments(
        &mut self,
        slide: &Slide,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        for part in &slide.comment_parts {
            if self.comments.insert(Arc::as_ptr(part).cast::<()>().addr()) {
                comments(part, place, sink)?;
            }
        }
        Ok(())
    }
}

fn comments(comments: &[SlideComment], place: Place, sink: &mut dyn Sink) -> Result<(), Stop> {
    for (index, comment) in comments.iter().enumerate() {
        if index % 512 == 511 {
            sink.go_on(u64::from(number_of(place)), None)?;
        }
        let author = comment.author.clone().filter(|author| !author.trim().is_empty());
        let text = escaped(comment.text.trim(), sink);
        give(Kind::Comment { author }, place, text, sink)?;
    }
    Ok(())
}

/// The first placeholder for a title that has one.
fn title(shapes: &[Shape]) -> Option<&AutoShape> {
    shapes.iter().find_map(|shape| match shape {
        Shape::AutoShape(shape) => {
            let role = shape.placeholder.as_ref()?.ph_type.as_deref();
            let is_title = matches!(role, Some("title" | "ctrTitle"));
            (is_title && !plain(shape.text_body.as_ref()?).trim().is_empty()).then_some(shape)
        }
        Shape::Group(group) => title(&group.children),
        Shape::Picture(_) | Shape::GraphicFrame(_) | Shape::Connector(_) => None,
    })
}

fn body(body: &TextBody, place: Place, sink: &mut dyn Sink) -> Result<(), Stop> {
    let mut numbers = Numbers::default();
    for (index, paragraph) in body.paragraphs.iter().enumerate() {
        if index % 512 == 511 {
            sink.go_on(u64::from(number_of(place)), None)?;
        }
        let text = text(paragraph, true, sink);
        if text.is_empty() {
            continue;
        }
        let marker = numbers.next(paragraph);
        let depth = u8::try_from(paragraph.level.min(8)).unwrap_or_default();
        let is_item = match &paragraph.bullet {
            Some(BulletStyle::None) => false,
            Some(_) => true,
            None => paragraph.level > 0,
        };
        let marker = marker.filter(|_| !sink.rendering().is_plain());
        let kind = if is_item { Kind::ListItem { depth, marker } } else { Kind::Paragraph };
        give(kind, place, text, sink)?;
    }
    Ok(())
}

fn table(table: &Table, place: Place, sink: &mut dyn Sink) -> Result<(), Stop> {
    /// A bigger one is given in several blocks, each as wide as its widest row.
    const MOST_CELLS: usize = 100_000;

    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut columns = 0;
    let mut chars = 0;
    for row in &table.rows {
        let widened = row.cells.len().max(columns);
        if chars > sink.room() || widened.saturating_mul(rows.len() + 1) > MOST_CELLS {
            give_rows(std::mem::take(&mut rows), columns, chars, place, sink)?;
            (columns, chars) = (0, 0);
            sink.go_on(u64::from(number_of(place)), None)?;
        }
        let mut texts = Vec::with_capacity(row.cells.len());
        for cell in &row.cells {
            let is_merged = cell.h_merge || cell.v_merge;
            let body = cell.text_body.as_ref().filter(|_| !is_merged);
            let paragraphs = body.map_or(&[][..], |body| &body.paragraphs);
            let mut lines: Vec<String> =
                paragraphs.iter().map(|paragraph| text(paragraph, true, sink)).collect();
            lines.retain(|line| !line.is_empty());
            texts.push(lines.join("\n"));
        }
        columns = columns.max(texts.len());
        chars += texts.iter().map(String::len).sum::<usize>();
        rows.push(texts);
    }
    give_rows(rows, columns, chars, place, sink)
}

fn give_rows(
    mut rows: Vec<Vec<String>>,
    columns: usize,
    chars: usize,
    place: Place,
    sink: &mut dyn Sink,
) -> Result<(), Stop> {
    rows.iter_mut().for_each(|row| row.resize(columns, String::new()));
    if chars == 0 { Ok(()) } else { sink.take(Block::table(place, rows)) }
}

fn text(paragraph: &TextParagraph, with_bold: bool, sink: &dyn Sink) -> String {
    let mut spans = Spans::new(sink.rendering(), sink.room());
    for content in &paragraph.content {
        match content {
            TextContent::Run(run) => {
                let look = Look {
                    bold: with_bold && run.bold == Some(true),
                    italic: run.italic == Some(true),
                    address: run.hyperlink.as_ref().and_then(address).map(str::to_owned),
                };
                // A vertical tab is a line of the same paragraph.
                spans.push(&run.text.replace("_x000B_", "\n").replace('\u{b}', "\n"), &look);
            }
            TextContent::LineBreak => spans.push("\n", &Look::default()),
            TextContent::Field(field) => spans.push(&field.text, &Look::default()),
        }
    }
    spans.finish()
}

pub(super) fn plain(body: &TextBody) -> String {
    let mut text = String::new();
    for paragraph in &body.paragraphs {
        for content in &paragraph.content {
            match content {
                TextContent::Run(run) => text.push_str(&run.text),
                TextContent::LineBreak => text.push(' '),
                TextContent::Field(field) => text.push_str(&field.text),
            }
        }
        text.push(' ');
    }
    text.trim().to_owned()
}

/// Where a link leads outside the deck.
fn address(link: &HyperlinkInfo) -> Option<&str> {
    match &link.target {
        HyperlinkTarget::External(address) if address.len() <= MOST_ADDRESS_BYTES => Some(address),
        HyperlinkTarget::External(_) | HyperlinkTarget::Internal(_) => None,
    }
}

fn escaped(text: &str, sink: &dyn Sink) -> String {
    sink.rendering().text(text)
}

fn number_of(place: Place) -> u32 {
    match place {
        Place::Slide(number) | Place::Page(number) | Place::Sheet(number) => number,
        Place::Document => 0,
    }
}
