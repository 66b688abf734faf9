//! [`Cells`]: a sheet as a stream of rows, of which one is held at a time.
//!
//! Cells stand where their reference says, and where they have none, or one that is no place of a
//! sheet, after the one before them.

use std::mem;

use quick_xml::events::BytesStart;

use super::{
    super::warning::{Code, Warning},
    Watch,
    cell::{Cell, CellKind, Shared},
    fault::Fault,
    limits, reference,
    strings::Run,
    value::Value,
    xml::{Node, Xml},
};

/// Of cells that a warning is about, so many are named.
const NAMED: usize = 3;

pub(super) struct Cells<'a> {
    xml: Xml<'a>,
    state: State<'a>,
    /// What ends the sheet, when the row before it has been given.
    fault: Option<Fault>,
    is_done: bool,
}

/// A row with values.
pub(super) struct SheetRow {
    /// From 0.
    pub(super) index: u32,
    /// By column, from 0: each once, in order, none empty.
    pub(super) cells: Vec<(u32, Value)>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(xml: Xml<'a>, shared: &'a Shared) -> Self {
        let state = State {
            shared,
            only_places: false,
            count: 0,
            is_data: false,
            is_row: false,
            row: None,
            next_row: 0,
            next_column: 0,
            cells: Vec::new(),
            bytes: 0,
            is_sorted: true,
            cell: Cell::default(),
            is_cell: false,
            text_of: None,
            is_inline: false,
            run: Run::default(),
            uncomputed: Found::default(),
            dangling: Found::default(),
            misplaced: 0,
        };
        Self { xml, state, fault: None, is_done: false }
    }

    /// Only where values are is asked for: one shared text in each of a million cells is not copied.
    pub(super) fn places(mut self) -> Self {
        self.state.only_places = true;
        self
    }

    /// The next row that has a value.
    ///
    /// # Errors
    /// [`Fault::Damaged`] where the sheet breaks off; the rows before that have been given.
    pub(super) fn next_row(&mut self, watch: &mut dyn Watch) -> Result<Option<SheetRow>, Fault> {
        if let Some(fault) = self.fault.take() {
            self.is_done = true;
            return Err(fault);
        }
        while !self.is_done {
            match self.advance(watch) {
                Ok(Some(row)) => return Ok(Some(row)),
                Ok(None) => {}
                Err(fault @ Fault::Stop(_)) => return Err(fault),
                Err(damaged) => {
                    self.is_done = true;
                    let row = self.state.end_row()?;
                    if row.is_none() {
                        return Err(damaged);
                    }
                    self.is_done = false;
                    self.fault = Some(damaged);
                    return Ok(row);
                }
            }
        }
        Ok(None)
    }

    /// Warns of what is peculiar in the rows that were given.
    pub(super) fn tell(&self, sheet: &str, watch: &mut dyn Watch) {
        let State { uncomputed, dangling, misplaced, .. } = &self.state;
        if let Some(cells) = uncomputed.named() {
            let message = format!(
                "formulas of `{sheet}` were never computed and are empty here: {cells}; \
                 a spreadsheet program computes them when it saves the workbook"
            );
            watch.warn(Warning::new(Code::FormulaWithoutValue, message).at(sheet));
        }
        if let Some(cells) = dangling.named() {
            let message =
                format!("cells of `{sheet}` refer to texts that the workbook lacks: {cells}");
            watch.warn(Warning::new(Code::DamagedPart, message).at(sheet));
        }
        if *misplaced > 0 {
            let message = format!(
                "{misplaced} rows or cells of `{sheet}` are at no place, or at one already passed; \
                 rows follow the row before them, cells past the last column are left out"
            );
            watch.warn(Warning::new(Code::DamagedPart, message).at(sheet));
        }
        super::package::tell_doctype(&self.xml, watch);
    }

    /// Cells so far, empty ones counted.
    pub(super) fn count(&self) -> u64 {
        self.state.count
    }

    fn advance(&mut self, watch: &mut dyn Watch) -> Result<Option<SheetRow>, Fault> {
        let Self { xml, state, is_done, .. } = self;
        match xml.next(watch)? {
            Node::Open(element) => {
                let name = element.local_name();
                match name.as_ref() {
                    "c" if state.is_data => state.begin_cell(&element)?,
                    "v" if state.is_cell => {
                        state.cell.has_value = true;
                        state.text_of = Some(TextOf::Value);
                    }
                    "f" if state.is_cell => state.cell.has_formula = true,
                    "is" if state.is_cell => {
                        state.is_inline = true;
                        state.run = Run::default();
                    }
                    "row" if state.is_data => {
                        let row = state.end_row()?;
                        state.begin_row(&element);
                        return Ok(row);
                    }
                    "sheetData" => state.is_data = true,
                    other if state.is_inline => {
                        state.run.open(other);
                        state.text_of = state.run.is_text().then_some(TextOf::Inline);
                    }
                    _ => {}
                }
            }
            Node::Text(text) => state.text(&text)?,
            Node::Close(end) => {
                state.text_of = None;
                match end.local_name().as_ref() {
                    "c" if state.is_cell => state.end_cell()?,
                    "row" if state.is_data => return state.end_row(),
                    "is" => state.is_inline = false,
                    "sheetData" => {
                        // What follows says nothing of values, and may be long.
                        *is_done = true;
                        return state.end_row();
                    }
                    other if state.is_inline => {
                        state.run.close(other);
                        state.text_of = state.run.is_text().then_some(TextOf::Inline);
                    }
                    _ => {}
                }
            }
            Node::Other => {}
            Node::End => {
                *is_done = true;
                return state.end_row();
            }
        }
        Ok(None)
    }
}

struct State<'a> {
    shared: &'a Shared,
    /// Shared texts are told by a value in their place.
    only_places: bool,
    count: u64,
    is_data: bool,
    is_row: bool,
    /// The row that is being read; none before its first cell says which it is.
    row: Option<u32>,
    next_row: u32,
    next_column: u32,
    cells: Vec<(u32, Value)>,
    /// Of the values of this row.
    bytes: usize,
    is_sorted: bool,
    cell: Cell,
    is_cell: bool,
    text_of: Option<TextOf>,
    is_inline: bool,
    run: Run,
    uncomputed: Found,
    dangling: Found,
    misplaced: u64,
}

#[derive(Clone, Copy)]
enum TextOf {
    Value,
    Inline,
}

impl State<'_> {
    fn begin_row(&mut self, element: &BytesStart<'_>) {
        self.is_row = true;
        self.row = None;
        self.next_column = 0;
        if let Some(number) = super::xml::attribute(element, "r") {
            let row = reference::row(&number).filter(|row| *row >= self.next_row);
            if row.is_none() {
                self.misplaced += 1;
            }
            self.row = Some(row.unwrap_or(self.next_row));
        }
    }

    fn begin_cell(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        self.count += 1;
        if self.count > limits::MAX_CELLS {
            return Err(limits::too_many_cells().into());
        }
        let place = self.cell.begin(element);
        self.is_cell = true;
        self.is_row = true;
        self.is_inline = false;
        self.text_of = None;
        if self.row.is_none() {
            let row = place.flatten().and_then(|(_, row)| row);
            let row = row.filter(|row| *row >= self.next_row);
            self.row = Some(row.unwrap_or(self.next_row));
        }
        if place == Some(None) {
            self.misplaced += 1;
        }
        self.cell.column = place.flatten().map_or(self.next_column, |(column, _)| column);
        self.next_column = self.cell.column.saturating_add(1);
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Fault> {
        let into = match self.text_of {
            Some(TextOf::Value) => &mut self.cell.value,
            Some(TextOf::Inline) => &mut self.cell.inline,
            None => return Ok(()),
        };
        if self.bytes + into.len() + text.len() > limits::MAX_ROW_BYTES {
            return Err(limits::too_long_row(self.row.unwrap_or(self.next_row)).into());
        }
        into.push_str(text);
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), Fault> {
        self.is_cell = false;
        self.is_inline = false;
        let (row, column) = (self.row.unwrap_or(self.next_row), self.cell.column);
        if self.cell.is_uncomputed() {
            self.uncomputed.add(column, row);
            return Ok(());
        }
        let value = match self.cell.kind {
            CellKind::Shared if self.cell.inline.is_empty() => {
                let stored = self.cell.value.trim();
                let text = stored.parse().ok().and_then(|index| self.shared.strings.get(index));
                if text.is_none() && !stored.is_empty() {
                    self.dangling.add(column, row);
                }
                let text = text.unwrap_or_default();
                if self.bytes + text.len() > limits::MAX_ROW_BYTES {
                    return Err(limits::too_long_row(row).into());
                }
                if self.only_places && !text.is_empty() {
                    self.bytes += text.len();
                    Value::Bool(true)
                } else {
                    Value::text(text)
                }
            }
            _ => self.cell.value(self.shared),
        };
        self.bytes += match &value {
            Value::Empty => return Ok(()),
            Value::Text(text) | Value::Date(text) | Value::Error(text) => text.len(),
            Value::Number { text, .. } => text.len(),
            Value::Bool(_) => 0,
        };
        if column >= limits::COLUMNS {
            self.misplaced += 1;
            return Ok(());
        }
        self.is_sorted &= self.cells.last().is_none_or(|(last, _)| *last < column);
        self.cells.push((column, value));
        // Of one place there may be any number.
        if self.cells.len() > 2 * limits::COLUMNS as usize {
            self.sort();
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<Option<SheetRow>, Fault> {
        if self.is_cell {
            // The end of the cell is missing.
            self.end_cell()?;
        }
        self.sort();
        self.bytes = 0;
        self.next_column = 0;
        if !mem::take(&mut self.is_row) {
            return Ok(None);
        }
        let index = self.row.take().unwrap_or(self.next_row);
        self.next_row = index.saturating_add(1);
        if self.cells.is_empty() {
            return Ok(None);
        }
        let cells = mem::take(&mut self.cells);
        self.cells.reserve(cells.len());
        Ok(Some(SheetRow { index, cells }))
    }

    /// Cells in order, of several at one place the last.
    fn sort(&mut self) {
        if self.is_sorted {
            return;
        }
        self.cells.sort_by_key(|(column, _)| *column);
        self.cells.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                mem::swap(later, earlier);
            }
            is_same
        });
        self.is_sorted = true;
    }
}

/// Cells that something is wrong with.
#[derive(Default)]
struct Found {
    first: Vec<String>,
    count: usize,
}

impl Found {
    fn add(&mut self, column: u32, row: u32) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(format!("`{}`", reference::name(column, row)));
        }
    }

    fn named(&self) -> Option<String> {
        let others = self.count - self.first.len();
        match (self.count, others) {
            (0, _) => None,
            (_, 0) => Some(self.first.join(", ")),
            _ => Some(format!("{} and {others} more", self.first.join(", "))),
        }
    }
}
