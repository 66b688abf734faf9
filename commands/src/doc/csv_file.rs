//! [`CsvFile`]: rows on their way to a file, with what people are shown of them.

use tapeline::{ErrorCode, Failure, OutFile, clap};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{
    value::Value,
    warning::{Code, Warning},
};

/// Between the fields of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Delimiter {
    #[default]
    Comma,
    Semicolon,
    Tab,
}

/// A table as CSV by RFC 4180, lines ending in CRLF.
pub(super) struct CsvFile {
    file: Option<OutFile>,
    format: csv::WriterBuilder,
    /// Lines on their way to the file.
    chunk: csv::Writer<Vec<u8>>,
    /// Fields of each line; shorter rows are filled up.
    columns: usize,
    rows: u64,
    /// Of the values so far.
    bytes: u64,
    preview: Vec<Vec<String>>,
    large: Remark,
    formula_like: Remark,
}

/// What was written.
pub(super) struct Table {
    pub(super) rows: u64,
    pub(super) warnings: Vec<Warning>,
    /// The first rows, aligned.
    pub(super) preview: String,
    pub(super) out: Option<String>,
}

/// Cells that are worth a warning: how many, and where the first one is.
#[derive(Default)]
struct Remark {
    cells: u64,
    first: Option<(u64, usize)>,
}

impl CsvFile {
    /// Rows that people are shown.
    const PREVIEW_ROWS: usize = 10;
    /// Lines are given to the file when they are more.
    const CHUNK_BYTES: usize = 64 << 10;
    /// Bytes of all values. One long text that a workbook keeps once may be in each of its cells.
    const MOST_BYTES: u64 = 1 << 30;

    pub(super) fn new(file: Option<OutFile>, columns: usize, delimiter: Delimiter) -> Self {
        let delimiter = match delimiter {
            Delimiter::Comma => b',',
            Delimiter::Semicolon => b';',
            Delimiter::Tab => b'\t',
        };
        let mut format = csv::WriterBuilder::new();
        format.delimiter(delimiter).terminator(csv::Terminator::CRLF).flexible(true);
        Self {
            file,
            chunk: format.from_writer(Vec::new()),
            format,
            columns,
            rows: 0,
            bytes: 0,
            preview: Vec::new(),
            large: Remark::default(),
            formula_like: Remark::default(),
        }
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The door's; `LimitExceeded` (`csv`).
    pub(super) fn push(&mut self, row: &[Value]) -> Result<(), Failure> {
        self.rows += 1;
        let bytes = row.iter().fold(0, |sum: usize, cell| sum.saturating_add(cell.as_str().len()));
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        if self.bytes > Self::MOST_BYTES {
            let message = format!("the table is longer than {} bytes", Self::MOST_BYTES);
            return Err(Failure::limit_exceeded("csv", Self::MOST_BYTES, message)
                .hint("`--max-rows` takes the first rows"));
        }
        for (column, cell) in row.iter().enumerate() {
            if cell.is_large_integer() {
                self.large.note(self.rows, column);
            }
            if cell.is_formula_like() {
                self.formula_like.note(self.rows, column);
            }
        }
        if self.preview.len() < Self::PREVIEW_ROWS {
            self.preview.push(row.iter().map(|cell| shown(cell.as_str())).collect());
        }
        if self.file.is_none() {
            // The first rows are shown, and the others counted.
            return Ok(());
        }
        let missing = self.columns.saturating_sub(row.len());
        let fields = row.iter().map(Value::as_str).chain(std::iter::repeat_n("", missing));
        self.chunk.write_record(fields).map_err(|error| unwritten(&error))?;
        if self.chunk.get_ref().len() > Self::CHUNK_BYTES {
            self.pass_on()?;
        }
        Ok(())
    }

    /// Gives the lines so far to the file.
    fn pass_on(&mut self) -> Result<(), Failure> {
        let empty = self.format.from_writer(Vec::new());
        let chunk = std::mem::replace(&mut self.chunk, empty);
        let lines = chunk.into_inner().map_err(|error| unwritten(&error.into_error()))?;
        self.file.as_mut().map_or(Ok(()), |file| file.append(&lines))
    }

    /// Puts the file in place.
    ///
    /// # Errors
    /// The door's.
    pub(super) fn finish(mut self, description: &str) -> Result<Table, Failure> {
        self.pass_on()?;
        let Self { file, rows, preview, large, formula_like, .. } = self;
        let out = match file {
            Some(file) => Some(file.finish(&[], "text/csv; charset=utf-8", description)?),
            None => None,
        };
        let warnings = [
            large.warning(
                Code::LargeInteger,
                "is an integer over 2^53, which spreadsheets round",
                "are integers over 2^53, which spreadsheets round",
            ),
            formula_like.warning(
                Code::FormulaLikeText,
                "is text that begins as a formula does: a spreadsheet would compute it",
                "are texts that begin as formulas do: a spreadsheet would compute them",
            ),
        ];
        let warnings = warnings.into_iter().flatten().collect();
        Ok(Table { rows, warnings, preview: aligned(&preview), out })
    }
}

impl Remark {
    fn note(&mut self, row: u64, column: usize) {
        self.cells += 1;
        self.first.get_or_insert((row, column));
    }

    fn warning(&self, code: Code, one: &str, many: &str) -> Option<Warning> {
        let (row, column) = self.first?;
        let message = match self.cells {
            1 => format!("1 cell {one}"),
            cells => format!("{cells} cells {many}"),
        };
        Some(Warning::new(code, message).at(format!("row {row}, column {}", column + 1)))
    }
}

/// Memory takes every line: a bug, if ever.
fn unwritten(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::INTERNAL, format!("a line of CSV cannot be made: {error}"))
}

/// A cell on one line, and not too wide.
fn shown(cell: &str) -> String {
    const WIDEST: usize = 30;

    let mut shown = String::new();
    let mut width = 0;
    for character in cell.chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if character.is_control() {
            continue;
        }
        width += character.width().unwrap_or_default();
        if width > WIDEST {
            shown.push('…');
            break;
        }
        shown.push(character);
    }
    shown
}

/// Rows with their columns below each other, whatever the width of their characters.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width()) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_places() {
        let rows = [["名称", "n"], ["ab", "10"]];
        let rows = rows.map(|row| row.map(shown).to_vec());
        assert_eq!(aligned(&rows), "名称  n\nab    10\n");
    }

    #[test]
    fn a_text_in_each_of_many_cells_is_bounded() {
        let mut csv = CsvFile::new(None, 1, Delimiter::Comma);
        let row = [Value::text("a".repeat(1 << 20))];
        for _ in 0..1024 {
            csv.push(&row).unwrap();
        }
        let failure = csv.push(&row).unwrap_err();
        assert_eq!(failure.code(), ErrorCode::LIMIT_EXCEEDED);
    }

    #[test]
    fn long_cells_are_cut_for_people() {
        assert_eq!(shown(&"a".repeat(40)).chars().count(), 31);
        assert_eq!(shown("a\nb\u{7}"), "a b");
    }
}
