//! `doc extract`: each sheet as a heading, a table, and what is written beside the cells.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{
        block::{Block, Kind, Place, Rendering, Sink, Stop},
        warning::{Code, Warning},
    },
    Watch,
    book::{Book, Meant, read_part},
    bounded::Bounded,
    cells::SheetRow,
    drawing::{self, Wanted},
    fault::guard,
    limits, reference, remarks,
    value::Value,
    xml::Xml,
};

/// Gives the blocks of a workbook, and the number of its sheets.
pub(in crate::doc) fn read(bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Stop> {
    guard(|| {
        let mut book = Book::open(bytes, Meant::All, sink)?;
        sink.count(u32::try_from(book.sheets.len()).unwrap_or(u32::MAX));
        let mut beside = Beside::default();
        let mut cells_read = 0;
        for index in 0..book.sheets.len() {
            sink.go_on(0, None)?;
            let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
            let place = Place::Sheet(number);
            let Some(sheet) = book.sheets.get(index).cloned() else { break };
            let name = rendered(sheet.name.clone(), sink.rendering());
            sink.take(Block::new(Kind::Heading(2), place, name))?;
            let Some(part) = &sheet.part else { continue };
            cells_read += table(&mut book, index, place, sink)?;
            if cells_read > limits::MAX_CELLS {
                return Err(limits::too_many_cells().into());
            }
            beside.give(&mut book, part, &sheet.name, place, sink)?;
        }
        Ok(())
    })
}

/// Gives the cells of a sheet, and says how many it has.
fn table(
    book: &mut Book<'_>,
    index: usize,
    place: Place,
    sink: &mut dyn Sink,
) -> Result<u64, Stop> {
    let name = book.sheets.get(index).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let mut cells = match book.cells(index) {
        Ok(Some(cells)) => cells,
        Ok(None) => return Ok(0),
        Err(fault) => return fault.tell(&name, sink).map(|()| 0),
    };
    let mut grid = Grid::default();
    let room = sink.room();
    let mut is_cut = false;
    loop {
        match cells.next_row(sink) {
            Ok(Some(row)) => grid.add(row, sink.rendering()),
            Ok(None) => break,
            Err(fault) => {
                fault.tell(&name, sink)?;
                break;
            }
        }
        if !grid.fits(room, sink.rendering()) {
            is_cut = true;
            break;
        }
    }
    cells.tell(&name, sink);
    let count = cells.count();
    drop(cells);
    if !grid.rows.is_empty() {
        sink.take(Block::table(place, grid.into_rows()))?;
    }
    // Rows were left out: nothing may follow them.
    if is_cut { Err(Stop::Full) } else { Ok(count) }
}

/// Rows with values; those without are left out, and so are such columns.
#[derive(Default)]
struct Grid {
    rows: Vec<Vec<(u32, String)>>,
    columns: BTreeSet<u32>,
    characters: usize,
}

impl Grid {
    fn add(&mut self, row: SheetRow, rendering: Rendering) {
        let mut cells = Vec::with_capacity(row.cells.len());
        for (column, value) in row.cells {
            let text = shown(value);
            if text.trim().is_empty() {
                continue;
            }
            let text = rendered(text, rendering);
            self.characters += text.chars().count();
            self.columns.insert(column);
            cells.push((column, text));
        }
        if !cells.is_empty() {
            self.rows.push(cells);
        }
    }

    /// Whether all of it may be written: in text each cell, empty ones too, is one character or more
    /// away from the next.
    fn fits(&self, room: usize, rendering: Rendering) -> bool {
        /// Cells of a table as JSON, where only what is in them counts.
        const MOST_CELLS: usize = 2_000_000;

        let cells = self.rows.len() * self.columns.len();
        match rendering {
            Rendering::Blocks => self.characters <= room && cells <= MOST_CELLS,
            Rendering::Plain | Rendering::Markdown => self.characters + cells <= room,
        }
    }

    /// All of one length.
    fn into_rows(self) -> Vec<Vec<String>> {
        let columns = self.columns;
        let wide = |row: Vec<(u32, String)>| {
            let mut cells = row.into_iter().peekable();
            let cell = |column: &u32| {
                cells.next_if(|(at, _)| at == column).map(|(_, text)| text).unwrap_or_default()
            };
            columns.iter().map(cell).collect()
        };
        self.rows.into_iter().map(wide).collect()
    }
}

/// A value as text for people: between date and time stands a blank.
fn shown(value: Value) -> String {
    match value {
        Value::Empty => String::new(),
        Value::Text(text) | Value::Number { text, .. } | Value::Error(text) => text,
        Value::Bool(value) => value.to_string(),
        Value::Date(text) => match text.split_once('T') {
            Some((date, time)) if date.len() == "2024-03-01".len() => format!("{date} {time}"),
            _ => text,
        },
    }
}

fn rendered(text: String, rendering: Rendering) -> String {
    if rendering.is_markdown() { rendering.text(&text) } else { text }
}

/// What is written beside the cells. Each part is read once, however many sheets refer to it.
#[derive(Default)]
struct Beside {
    seen: BTreeSet<String>,
    persons: Option<BTreeMap<String, String>>,
}

impl Beside {
    fn give(
        &mut self,
        book: &mut Book<'_>,
        part: &str,
        sheet: &str,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let relations = book.package.relations(part, sink)?;
        let of = |kind: &'static str| {
            let of_kind = relations.iter().filter(move |relation| relation.kind == kind);
            of_kind.map(|relation| relation.target.as_str())
        };
        let mut remarks = Bounded::new(sink.room());
        for path in of("threadedComment") {
            if self.is_new(path) {
                let persons = self.persons(book, sink)?;
                let read = |part: &mut Xml<'_>, watch: &mut dyn Watch| {
                    remarks::read_threads(part, persons, &mut remarks, watch)
                };
                read_part(&mut book.package, path, limits::MAX_PART_BYTES, sink, read)?;
            }
        }
        for path in of("comments") {
            if self.is_new(path) {
                let read = |part: &mut Xml<'_>, watch: &mut dyn Watch| {
                    remarks::read_notes(part, &mut remarks, watch)
                };
                read_part(&mut book.package, path, limits::MAX_PART_BYTES, sink, read)?;
            }
        }
        let is_cut = remarks.is_full();
        let mut remarks = remarks.into_items();
        // By row, then by column; a thread keeps its order.
        remarks.sort_by_cached_key(|remark| {
            let (column, row) = reference::parse(&remark.cell).unwrap_or((u32::MAX, None));
            (row.unwrap_or(u32::MAX), column)
        });
        for remark in remarks {
            let text = format!("{}: {}", remark.cell, remark.text);
            let kind = Kind::Comment { author: remark.author };
            sink.take(Block::new(kind, place, rendered(text, sink.rendering())))?;
        }
        if is_cut {
            return Err(Stop::Full);
        }
        for path in of("drawing") {
            if self.is_new(path) {
                self.drawing(book, path, place, sink)?;
            }
        }
        if relations.iter().any(|relation| matches!(&*relation.kind, "oleObject" | "package")) {
            let message = format!("documents embedded in `{sheet}` are not read");
            sink.warn(Warning::new(Code::EmbeddedObject, message).at(sheet));
        }
        Ok(())
    }

    /// The text of shapes, then of the charts and diagrams among them.
    fn drawing(
        &mut self,
        book: &mut Book<'_>,
        drawing: &str,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let relations = book.package.relations(drawing, sink)?;
        let inner = relations.iter().filter_map(|relation| match &*relation.kind {
            "chart" | "chartEx" => Some((relation.target.as_str(), Wanted::Titles)),
            "diagramData" => Some((relation.target.as_str(), Wanted::All)),
            _ => None,
        });
        for (path, wanted) in [(drawing, Wanted::All)].into_iter().chain(inner) {
            // The drawing itself was seen by the caller.
            if path != drawing && !self.is_new(path) {
                continue;
            }
            let mut paragraphs = Bounded::new(sink.room());
            let read = |part: &mut Xml<'_>, watch: &mut dyn Watch| {
                drawing::read(part, wanted, &mut paragraphs, watch)
            };
            read_part(&mut book.package, path, limits::MAX_PART_BYTES, sink, read)?;
            let is_cut = paragraphs.is_full();
            for text in paragraphs.into_items() {
                let text = rendered(text, sink.rendering());
                sink.take(Block::new(Kind::Paragraph, place, text))?;
            }
            if is_cut {
                return Err(Stop::Full);
            }
        }
        Ok(())
    }

    fn is_new(&mut self, path: &str) -> bool {
        self.seen.insert(path.to_lowercase())
    }

    fn persons(
        &mut self,
        book: &mut Book<'_>,
        watch: &mut dyn Watch,
    ) -> Result<&BTreeMap<String, String>, Stop> {
        if self.persons.is_none() {
            let mut persons = BTreeMap::new();
            if let Some(path) = book.persons.clone() {
                let read = |part: &mut Xml<'_>, watch: &mut dyn Watch| {
                    remarks::read_persons(part, &mut persons, watch)
                };
                read_part(&mut book.package, &path, limits::MAX_PART_BYTES, watch, read)?;
            }
            self.persons = Some(persons);
        }
        Ok(self.persons.get_or_insert_default())
    }
}
