//! Rows of a table of equal length, whatever its cells say about spans.

use std::collections::BTreeSet;

use office_oxide::docx::{TableCell, TableRow, table::MergeType};

/// Word has at most 63 columns. A span of a billion would be a billion cells.
const MOST_SPANNED: u32 = 63;

/// In a row that is wider than this, cells do not span: a part of a few bytes each would become one
/// of as many columns.
const MOST_SPANNED_IN_ROW: usize = 2_000;

/// Cells of one block. A table with more is given in several, each as wide as its widest row: one
/// row of 100,000 cells does not widen 100,000 others.
const MOST_CELLS: usize = 100_000;

/// The cells of a row, those that are merged into another one empty.
///
/// `merged` holds the columns where a cell of the row above reaches down; it becomes that of this
/// row. A cell that continues nothing stands for itself.
pub(super) fn cells<'d>(
    row: &'d TableRow,
    merged: &mut BTreeSet<usize>,
) -> Vec<Option<&'d TableCell>> {
    let above = std::mem::take(merged);
    let mut cells = Vec::new();
    for cell in &row.cells {
        let column = cells.len();
        let properties = cell.properties.as_ref();
        let merge = properties.and_then(|properties| properties.vertical_merge);
        let is_deleted = properties.is_some_and(|properties| properties.deleted);
        let is_continued = merge == Some(MergeType::Continue) && above.contains(&column);
        if merge.is_some() {
            merged.insert(column);
        }
        cells.push((!is_deleted && !is_continued).then_some(cell));

        let span = properties.and_then(|properties| properties.grid_span).unwrap_or(1);
        let more = usize::try_from(span.clamp(1, MOST_SPANNED) - 1).unwrap_or_default();
        if column + more <= MOST_SPANNED_IN_ROW {
            cells.resize(column + 1 + more, None);
        }
    }
    cells
}

/// Rows as they come, until there are enough for a block.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Vec<String>>,
    columns: usize,
    pub(super) chars: usize,
}

impl Rows {
    /// Whether a row of `columns` makes the block too big.
    pub(super) fn is_full_for(&self, columns: usize) -> bool {
        let columns = columns.max(self.columns);
        !self.rows.is_empty() && columns.saturating_mul(self.rows.len() + 1) > MOST_CELLS
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.columns = self.columns.max(row.len());
        self.chars += row.iter().map(String::len).sum::<usize>();
        self.rows.push(row);
    }

    /// All of one length; nothing for a table without text.
    pub(super) fn take(&mut self) -> Option<Vec<Vec<String>>> {
        let Self { mut rows, columns, chars } = std::mem::take(self);
        rows.iter_mut().for_each(|row| row.resize(columns, String::new()));
        (chars > 0).then_some(rows)
    }
}
