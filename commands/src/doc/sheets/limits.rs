//! What a workbook may take at most: each number says what it keeps from happening.

use tapeline::Failure;

/// Bytes of a sheet, and of the shared strings, unpacked; they are streamed. Longer ones keep a
/// reader busy for minutes.
pub(super) const MAX_SHEET_BYTES: u64 = 1 << 30;

/// Bytes of any other part, unpacked, and of what is held of the shared strings: memory.
pub(super) const MAX_PART_BYTES: u64 = 64 << 20;

/// Bytes of one tag, or of the text between two tags: the XML reader holds it whole. A cell of a
/// spreadsheet program has 32,767 characters.
pub(super) const MAX_TOKEN_BYTES: u64 = 16 << 20;

/// Bytes of the values of one row: it is held whole, and its cells may all be one long shared string.
pub(super) const MAX_ROW_BYTES: usize = 32 << 20;

/// Elements inside each other.
pub(super) const MAX_DEPTH: usize = 256;

/// Elements and comments of one part: three for each cell.
pub(super) const MAX_ELEMENTS: u64 = 60_000_000;

/// Cells that are read, empty ones counted; of a table, those of its gaps too.
pub(super) const MAX_CELLS: u64 = 20_000_000;

/// Sheets, and relations of one part.
pub(super) const MAX_LISTED: usize = 10_000;

/// Columns of a sheet: `XFD` is the last.
pub(super) const COLUMNS: u32 = 16_384;

/// Rows of a sheet.
pub(super) const ROWS: u32 = 1_048_576;

pub(super) fn too_many_cells() -> Failure {
    Failure::limit_exceeded(
        "cells",
        MAX_CELLS,
        format!("the workbook has more than {MAX_CELLS} cells"),
    )
    .hint("save the sheet alone, or half of its rows, as a workbook of its own")
}

pub(super) fn too_long_row(row: u32) -> Failure {
    Failure::limit_exceeded(
        "row",
        MAX_ROW_BYTES as u64,
        format!("the values of row {} are longer than {MAX_ROW_BYTES} bytes", u64::from(row) + 1),
    )
    .hint("take the longest texts of that row out of the workbook")
}

pub(super) fn too_big_part(part: &str, max: u64) -> Failure {
    Failure::limit_exceeded(
        "part",
        max,
        format!("`{part}` is larger than {max} bytes unpacked"),
    )
    .hint("split the workbook: save single sheets, or half of the rows, as workbooks of their own")
}

pub(super) fn too_long_token(part: &str) -> Failure {
    Failure::limit_exceeded(
        "token",
        MAX_TOKEN_BYTES,
        format!("`{part}` has a text or tag longer than {MAX_TOKEN_BYTES} bytes"),
    )
    .hint("take the longest texts out of the workbook and save it anew")
}

pub(super) fn too_deep(part: &str) -> Failure {
    Failure::limit_exceeded(
        "nesting",
        MAX_DEPTH as u64,
        format!("`{part}` has elements nested deeper than {MAX_DEPTH}"),
    )
    .hint("open it in a spreadsheet program and save it as xlsx again")
}

pub(super) fn too_many_elements(part: &str) -> Failure {
    Failure::limit_exceeded(
        "elements",
        MAX_ELEMENTS,
        format!("`{part}` has more than {MAX_ELEMENTS} elements"),
    )
    .hint("split the workbook: save single sheets, or half of the rows, as workbooks of their own")
}

pub(super) fn too_many(what: &str, part: &str) -> Failure {
    Failure::limit_exceeded(
        "sheets",
        MAX_LISTED as u64,
        format!("`{part}` lists more than {MAX_LISTED} {what}"),
    )
    .hint("split the workbook: save the sheets that matter as a workbook of their own")
}
