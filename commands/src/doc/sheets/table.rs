//! `table to-csv`: the rows of one sheet, one after the other, of typed cells.

use super::{
    super::block::Stop,
    Watch,
    book::{Book, Meant, Sheet},
    fault::{Fault, guard},
    limits,
    value::Value,
};

/// Whom the rows of a table are given to.
pub(in crate::doc) trait RowSink: Watch {
    /// # Errors
    /// [`Stop::Full`] when no more rows are wanted.
    fn take(&mut self, row: Row) -> Result<(), Stop>;
}

/// A row from the first column on; one without values too, where rows with values follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doc) struct Row {
    /// As shown beside it, from 1.
    pub(in crate::doc) number: u32,
    /// As many as the sheet has columns.
    pub(in crate::doc) cells: Vec<Value>,
}

/// How far the values of a sheet reach, from `A1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Size {
    pub(in crate::doc) rows: u32,
    pub(in crate::doc) columns: u32,
}

/// Opens a workbook for its tables. Of a hidden sheet is said when it is taken.
pub(in crate::doc) fn open<'a>(bytes: &'a [u8], watch: &mut dyn Watch) -> Result<Book<'a>, Stop> {
    guard(|| Book::open(bytes, Meant::One, watch))
}

impl Book<'_> {
    /// In the order of the workbook, hidden ones among them.
    pub(in crate::doc) fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// The size of a sheet, by index, which reads it from end to end: what it says of its size
    /// itself is often wrong.
    pub(in crate::doc) fn size(
        &mut self,
        sheet: usize,
        watch: &mut dyn Watch,
    ) -> Result<Size, Stop> {
        guard(|| {
            let mut size = Size::default();
            if self.count_cells(sheet, watch)? > limits::MAX_CELLS {
                return Err(limits::too_many_cells().into());
            }
            let mut cells = match self.cells(sheet) {
                Ok(Some(cells)) => cells.places(),
                Ok(None) => return Ok(size),
                // `rows` tells of it.
                Err(Fault::Damaged(_)) => return Ok(size),
                Err(Fault::Stop(stop)) => return Err(stop),
            };
            loop {
                match cells.next_row(watch) {
                    Ok(Some(row)) => {
                        size.rows = row.index.saturating_add(1);
                        let last = row.cells.last().map_or(0, |(column, _)| column + 1);
                        size.columns = size.columns.max(last);
                    }
                    Ok(None) | Err(Fault::Damaged(_)) => return Ok(size),
                    Err(Fault::Stop(stop)) => return Err(stop),
                }
            }
        })
    }

    /// Gives the rows of a sheet, by index; `size` is what [`Book::size`] said. Rows between those
    /// with values are given empty; all of them together have at most 20 million cells.
    pub(in crate::doc) fn rows(
        &mut self,
        sheet: usize,
        size: Size,
        sink: &mut dyn RowSink,
    ) -> Result<(), Stop> {
        guard(|| {
            let name = self.name(sheet);
            let mut cells = match self.cells(sheet) {
                Ok(Some(cells)) => cells,
                Ok(None) => return Ok(()),
                Err(fault) => return fault.tell(&name, sink),
            };
            let columns = usize::try_from(size.columns).unwrap_or(usize::MAX);
            let mut next = 0;
            let mut given = 0;
            let end = loop {
                let row = match cells.next_row(sink) {
                    Ok(Some(row)) => row,
                    Ok(None) => break Ok(()),
                    Err(fault) => break fault.tell(&name, sink),
                };
                let mut values = vec![Value::Empty; columns];
                for (column, value) in row.cells {
                    let place = usize::try_from(column).ok().and_then(|at| values.get_mut(at));
                    if let Some(place) = place {
                        *place = value;
                    }
                }
                let mut give = |index: u32, cells: Vec<Value>| {
                    given += u64::from(size.columns);
                    if given > limits::MAX_CELLS {
                        return Err(limits::too_many_cells().into());
                    }
                    if index.is_multiple_of(1024) {
                        sink.go_on(0, None)?;
                    }
                    sink.take(Row { number: index.saturating_add(1), cells })
                };
                let gap = next..row.index;
                let mut taken = Ok(());
                for index in gap {
                    taken = give(index, vec![Value::Empty; columns]);
                    if taken.is_err() {
                        break;
                    }
                }
                if let Err(stop) = taken.and_then(|()| give(row.index, values)) {
                    break Err(stop);
                }
                next = row.index.saturating_add(1);
            };
            cells.tell(&name, sink);
            end
        })
    }

    fn name(&self, sheet: usize) -> String {
        self.sheets.get(sheet).map(|sheet| sheet.name.clone()).unwrap_or_default()
    }
}
