//! [`Flow`]: the document in its order, block by block.

use std::collections::{BTreeMap, BTreeSet};

use office_oxide::docx::{
    BlockElement, DocxDocument, Paragraph, ParagraphContent, ParagraphProperties, Run, RunContent,
    document::Body,
    hyperlink::{Hyperlink, HyperlinkTarget},
};

use super::{
    super::{
        block::{Block, Kind, Place, Rendering, Sink, Stop},
        office::{Chart, Look, Package, Spans},
    },
    lists::{Lists, Marker},
    notes::{Notes, SIGNS, Which},
    styles::Styles,
    table::{Rows, cells},
};

/// An address beyond that is no link to anybody, and would be copied with each piece of its text.
const MOST_ADDRESS_BYTES: usize = 2_000;

pub(super) struct Flow<'d, 's> {
    document: &'d DocxDocument,
    package: &'s mut Package,
    sink: &'s mut dyn Sink,
    pub(super) rendering: Rendering,
    styles: Styles<'d>,
    lists: Lists<'d>,
    notes: Notes,
    /// By relationship; each is given once.
    charts: Option<BTreeMap<String, String>>,
    seen: u64,
    done: u64,
}

/// A paragraph's text, and what hangs on it.
pub(super) struct Line<'d> {
    pub(super) text: String,
    pub(super) before: Vec<Hanging<'d>>,
    pub(super) after: Vec<Hanging<'d>>,
}

pub(super) enum Hanging<'d> {
    TextBox(&'d [BlockElement]),
    Chart(&'d str),
    /// The words of a diagram.
    Words(&'d [String]),
}

impl<'d, 's> Flow<'d, 's> {
    pub(super) fn new(
        document: &'d DocxDocument,
        package: &'s mut Package,
        sink: &'s mut dyn Sink,
    ) -> Self {
        let rendering = sink.rendering();
        let notes = document.footnotes.len().saturating_add(document.endnotes.len());
        let is_signed = rendering.is_plain() && notes <= SIGNS.len();
        Self {
            document,
            package,
            sink,
            rendering,
            styles: Styles::new(document.styles.as_ref()),
            lists: Lists::new(document.numbering.as_ref()),
            notes: Notes::new(is_signed),
            charts: None,
            seen: 0,
            done: 0,
        }
    }

    pub(super) fn body(&mut self) -> Result<(), Stop> {
        let Body { elements, .. } = &self.document.body;
        for (index, element) in elements.iter().enumerate() {
            self.done = u64::try_from(index).unwrap_or_default();
            self.blocks(std::slice::from_ref(element))?;
        }
        Ok(())
    }

    /// The headers, or the footers, each text once.
    pub(super) fn edges(&mut self, kind: &Kind) -> Result<(), Stop> {
        let mut given = BTreeSet::new();
        for edge in &self.document.headers_footers {
            if !edge.active || edge.is_header != (*kind == Kind::Header) {
                continue;
            }
            let text = self.flat(&edge.content)?;
            if !text.is_empty() && given.insert(text.clone()) {
                self.give(kind.clone(), text)?;
            }
        }
        Ok(())
    }

    /// The notes that the text refers to.
    pub(super) fn notes(&mut self) -> Result<(), Stop> {
        let document = self.document;
        for (which, bodies) in
            [(Which::Footnote, &document.footnotes), (Which::Endnote, &document.endnotes)]
        {
            let bodies: BTreeMap<u32, &[BlockElement]> =
                bodies.iter().rev().map(|note| (note.id, note.content.as_slice())).collect();
            let mut index = 0;
            while let Some(id) = self.notes.get(which, index) {
                index += 1;
                let label = self.notes.label(which, id);
                let text = match bodies.get(&id) {
                    Some(body) => self.flat(body)?,
                    None => continue,
                };
                if !text.is_empty() {
                    self.give(Kind::Footnote { label }, text)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn comments(&mut self) -> Result<(), Stop> {
        for comment in &self.document.comments {
            let text = self.flat(&comment.content)?;
            let author = comment.author.clone().filter(|author| !author.trim().is_empty());
            if !text.is_empty() {
                self.give(Kind::Comment { author }, text)?;
            }
        }
        Ok(())
    }

    fn blocks(&mut self, elements: &'d [BlockElement]) -> Result<(), Stop> {
        for element in elements {
            match element {
                BlockElement::Paragraph(paragraph) => self.paragraph(paragraph)?,
                BlockElement::Table(table) => self.table(table)?,
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, paragraph: &'d Paragraph) -> Result<(), Stop> {
        self.tick()?;
        let properties = paragraph.properties.as_ref();
        let heading = self.styles.heading(properties);
        let Line { text, before, after } = self.line(paragraph, heading.is_some());
        self.hanging(before)?;
        // A blank item counts all the same.
        let marker = self.marker(properties);
        if !text.is_empty() {
            match (heading, marker) {
                (Some(level), Some((_, Marker::Number(number)))) => {
                    let text = self.numbered(&number, text);
                    self.give(Kind::Heading(level), text)?;
                }
                (Some(level), _) => self.give(Kind::Heading(level), text)?,
                (None, Some((depth, Marker::Number(number)))) => {
                    let marker = (!self.rendering.is_plain()).then_some(number);
                    self.give(Kind::ListItem { depth, marker }, text)?;
                }
                (None, Some((depth, Marker::Bullet))) => {
                    self.give(Kind::ListItem { depth, marker: None }, text)?;
                }
                (None, _) => self.give(Kind::Paragraph, text)?,
            }
        }
        self.hanging(after)
    }

    fn hanging(&mut self, hanging: Vec<Hanging<'d>>) -> Result<(), Stop> {
        for hanging in hanging {
            match hanging {
                Hanging::TextBox(elements) => self.blocks(elements)?,
                Hanging::Words(words) => {
                    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty())
                    {
                        let text = self.escaped(word);
                        self.give(Kind::ListItem { depth: 0, marker: None }, text)?;
                    }
                }
                Hanging::Chart(relation) => {
                    let chart = self.chart(relation);
                    let blocks = chart.map(|chart| chart.blocks(Place::Document, self.rendering));
                    for block in blocks.unwrap_or_default() {
                        self.sink.take(block)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn table(&mut self, table: &'d office_oxide::docx::Table) -> Result<(), Stop> {
        let mut rows = Rows::default();
        let mut merged = BTreeSet::new();
        for row in &table.rows {
            let cells = cells(row, &mut merged);
            if rows.is_full_for(cells.len()) || rows.chars > self.sink.room() {
                self.give_rows(&mut rows)?;
            }
            let mut texts = Vec::with_capacity(cells.len());
            for cell in cells {
                texts.push(match cell {
                    Some(cell) => self.flat(&cell.content)?,
                    None => String::new(),
                });
            }
            rows.push(texts);
        }
        self.give_rows(&mut rows)
    }

    fn give_rows(&mut self, rows: &mut Rows) -> Result<(), Stop> {
        match rows.take() {
            Some(rows) => self.sink.take(Block::table(Place::Document, rows)),
            None => Ok(()),
        }
    }

    pub(super) fn line(&mut self, paragraph: &'d Paragraph, is_heading: bool) -> Line<'d> {
        let mut spans = Spans::new(self.rendering, self.sink.room());
        let mut hanging = (Vec::new(), Vec::new());
        let properties = paragraph.properties.as_ref();
        for content in &paragraph.content {
            match content {
                ParagraphContent::Run(run) => {
                    self.run(run, properties, is_heading, None, &mut spans, &mut hanging);
                }
                ParagraphContent::Hyperlink(link) => {
                    let address = address(link);
                    for run in &link.runs {
                        self.run(run, properties, is_heading, address, &mut spans, &mut hanging);
                    }
                }
            }
        }
        let (before, after) = hanging;
        Line { text: spans.finish(), before, after }
    }

    fn run(
        &mut self,
        run: &'d Run,
        paragraph: Option<&ParagraphProperties>,
        is_heading: bool,
        address: Option<&str>,
        spans: &mut Spans,
        hanging: &mut (Vec<Hanging<'d>>, Vec<Hanging<'d>>),
    ) {
        let look = self.styles.look(paragraph, run.properties.as_ref());
        let is_hidden = look.is_none();
        let (bold, italic) = look.unwrap_or_default();
        // A heading is bold as it is.
        let look = Look { bold: bold && !is_heading, italic, address: address.map(str::to_owned) };
        for content in &run.content {
            let found = match content {
                _ if is_hidden => continue,
                RunContent::Text(text) if text.contains(['\n', '\r']) => {
                    spans.push(&text.replace(['\n', '\r'], " "), &look);
                    continue;
                }
                RunContent::Text(text) => {
                    spans.push(text, &look);
                    continue;
                }
                RunContent::Tab => {
                    spans.push("\t", &look);
                    continue;
                }
                RunContent::Break(_) => {
                    spans.push("\n", &look);
                    continue;
                }
                RunContent::FormField(field) => {
                    spans.push(field.display_text.as_deref().unwrap_or_default(), &look);
                    continue;
                }
                RunContent::FootnoteRef(id, _) => {
                    spans.push_note(&self.notes.label(Which::Footnote, *id));
                    continue;
                }
                RunContent::EndnoteRef(id, _) => {
                    spans.push_note(&self.notes.label(Which::Endnote, *id));
                    continue;
                }
                RunContent::TextBox(elements) => Hanging::TextBox(elements),
                RunContent::Drawing(drawing) => match &drawing.chart_rel_id {
                    Some(relation) => Hanging::Chart(relation),
                    None if !drawing.dgm_text.is_empty() => Hanging::Words(&drawing.dgm_text),
                    None => continue,
                },
                // Comments are given at the end; documents inside this one are not read.
                RunContent::CommentRef(_)
                | RunContent::CommentRangeStart(_)
                | RunContent::DeferredPart(_) => continue,
            };
            let (before, after) = &mut *hanging;
            if spans.is_blank() { before.push(found) } else { after.push(found) }
        }
    }

    pub(super) fn marker(
        &mut self,
        properties: Option<&ParagraphProperties>,
    ) -> Option<(u8, Marker)> {
        let (list, level) = self.styles.numbering(properties)?;
        Some((self.styles.depth(properties, level), self.lists.next(list, level)))
    }

    pub(super) fn chart(&mut self, relation: &str) -> Option<Chart> {
        let Self { package, charts, .. } = self;
        let charts = charts.get_or_insert_with(|| {
            let relations = package.main_part().map(|part| package.relations(&part));
            let charts = relations.unwrap_or_default().into_iter();
            charts
                .filter(|(_, (kind, _))| kind == "chart")
                .map(|(id, (_, part))| (id, part))
                .collect()
        });
        let part = charts.remove(relation)?;
        Some(Chart::read(&package.text(&part)?))
    }

    fn give(&mut self, kind: Kind, text: String) -> Result<(), Stop> {
        self.sink.take(Block::new(kind, Place::Document, text))
    }

    pub(super) fn escaped(&self, text: &str) -> String {
        self.rendering.text(text)
    }

    /// A number that has no place of its own in a block: plain text is what was typed, and goes
    /// without it as it goes without the other marks.
    pub(super) fn numbered(&self, number: &str, text: String) -> String {
        match self.rendering.is_plain() {
            true => text,
            false => format!("{} {text}", self.escaped(number)),
        }
    }

    /// Counts paragraphs, blank ones too, and asks now and then whether to go on.
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.seen += 1;
        if self.seen.is_multiple_of(512) {
            let total = u64::try_from(self.document.body.elements.len()).ok();
            self.sink.go_on(self.done, total)?;
        }
        Ok(())
    }
}

/// Where a link leads outside the document.
fn address(link: &Hyperlink) -> Option<&str> {
    match &link.target {
        HyperlinkTarget::External(address) if address.len() <= MOST_ADDRESS_BYTES => Some(address),
        HyperlinkTarget::External(_) | HyperlinkTarget::Internal(_) => None,
    }
}

/// Paragraphs of the body that are not empty, with headings, items, and those in cells.
pub(super) fn paragraphs(document: &DocxDocument) -> u32 {
    fn count(elements: &[BlockElement]) -> u32 {
        elements.iter().fold(0, |sum, element| {
            sum.saturating_add(match element {
                BlockElement::Paragraph(paragraph) => u32::from(!paragraph.content.is_empty()),
                BlockElement::Table(table) => {
                    let cells = table.rows.iter().flat_map(|row| &row.cells);
                    cells.fold(0, |sum: u32, cell| sum.saturating_add(count(&cell.content)))
                }
            })
        })
    }
    count(&document.body.elements)
}
