//! The reader of workbooks (xlsx): their sheets as blocks, or one of them as rows.
//!
//! ```text
//! package ──> xml ──> book ──┬─> cells ──┬─> extract
//!              │             │           └─> table
//!              │     strings, styles
//!              └──> remarks, drawing ──────> extract
//! ```
//!
//! A sheet is streamed, and one row of it held; what its cells refer to is held whole, under the
//! bounds of [`limits`]. Nothing that a workbook says of sizes and counts is believed. What cannot be
//! read is a warning as long as anything else can.

mod fault;
mod limits;

mod package;
mod xml;

mod book;
mod strings;
mod styles;

mod cell;
mod cells;
mod count;
mod number_format;
mod reference;
mod serial;

mod bounded;
mod drawing;
mod remarks;

mod extract;
mod table;

#[cfg(test)]
mod tests;

use super::{block::Watch, value};

pub(super) use self::{
    book::Book,
    extract::read,
    table::{Row, RowSink, Size, open},
};

/// A number as a date by ISO 8601, where the code of its format is one of dates or times.
pub(super) fn date(serial: f64, code: &str, is_1904: bool) -> Option<String> {
    serial::iso(serial, number_format::of_code(code), is_1904)
}
