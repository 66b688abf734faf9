//! [`Styles`]: of each cell format, whether it shows a date.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    Watch,
    fault::Fault,
    number_format::{self, Format},
    xml::{self, Node, Xml},
};

/// Spreadsheet programs stop at 65,490 cell formats, and at fewer of numbers.
const MAX_FORMATS: usize = 1 << 17;

#[derive(Debug, Default)]
pub(super) struct Styles {
    /// What is written in the workbook itself; an id may be that of a built-in one.
    codes: BTreeMap<u32, Format>,
    /// The ids of the number formats, by cell format.
    cells: Vec<u32>,
}

impl Styles {
    pub(super) fn read(&mut self, part: &mut Xml<'_>, watch: &mut dyn Watch) -> Result<(), Fault> {
        // Elements of the same names stand in other lists too.
        let mut list = List::Other;
        loop {
            match part.next(watch)? {
                Node::Open(element) => match (element.local_name().as_ref(), list) {
                    ("numFmts", _) => list = List::Numbers,
                    ("cellXfs", _) => list = List::Cells,
                    ("numFmt", List::Numbers) if self.codes.len() < MAX_FORMATS => {
                        let code = xml::attribute(&element, "formatCode").unwrap_or_default();
                        if let Some(id) = number(xml::attribute(&element, "numFmtId")) {
                            self.codes.insert(id, number_format::of_code(&code));
                        }
                    }
                    ("xf", List::Cells) if self.cells.len() < MAX_FORMATS => {
                        let id = number(xml::attribute(&element, "numFmtId"));
                        self.cells.push(id.unwrap_or_default());
                    }
                    _ => {}
                },
                Node::Close(end) if matches!(end.local_name().as_ref(), "numFmts" | "cellXfs") => {
                    list = List::Other;
                }
                Node::End => return Ok(()),
                Node::Close(_) | Node::Text(_) | Node::Other => {}
            }
        }
    }

    pub(super) fn format(&self, cell_format: usize) -> Format {
        let Some(id) = self.cells.get(cell_format) else { return Format::default() };
        self.codes.get(id).copied().unwrap_or_else(|| number_format::built_in(*id))
    }
}

#[derive(Clone, Copy)]
enum List {
    Numbers,
    Cells,
    Other,
}

fn number(value: Option<Cow<'_, str>>) -> Option<u32> {
    value?.trim().parse().ok()
}
