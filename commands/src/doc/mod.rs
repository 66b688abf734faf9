//! `doc`: documents into text, and their tables into CSV.
//!
//! Bytes go one way: [`format`] tells by magic what they are, [`package`] looks a container over
//! before a reader unpacks it, a reader (`docx`, `pdf`, `pptx`, `sheets`) turns them into blocks, and
//! [`extraction`] writes the blocks down as text, Markdown or JSON until it is full. A reader knows
//! nothing of files, flags and limits of length; it learns from its sink when to stop.
//!
//! Readers of other people's making overflow the stack and panic on made-up input: all of it runs on
//! a worker with a stack of its own, after the depth of the input was looked at. Hosts that have a
//! document's bytes already call [`extract`] on a thread with [`STACK_BYTES`].

mod extract;
mod ocr;
mod to_csv;

mod input;
mod read;
mod tables;

mod csv_file;
mod grid;

mod format;
mod package;

mod docx;
mod office;
mod pdf;
mod pptx;
mod sheets;

mod block;
mod cut;
mod depth;
mod extraction;
mod markdown;
mod said;
mod value;
mod warning;

use tapeline::{Group, Registration};

pub use self::{
    extraction::Mode,
    format::Format,
    read::{Count, Extraction, Options, STACK_BYTES, extract},
    warning::{Code, Warning},
};

/// All that is registered here.
pub(crate) const REGISTRATIONS: &[Registration] = &[
    GROUP_REGISTRATION,
    extract::REGISTRATION,
    ocr::REGISTRATION,
    TABLE_REGISTRATION,
    to_csv::REGISTRATION,
];

const GROUP_REGISTRATION: Registration = tapeline::group(GROUP);
const TABLE_REGISTRATION: Registration = tapeline::group(TABLE);

tapeline::inventory::submit! { GROUP_REGISTRATION }
tapeline::inventory::submit! { TABLE_REGISTRATION }

const GROUP: Group = Group {
    path: "doc",
    summary: "text out of documents and of pictures of text",
    long_help: "\
Documents are read inside this program, without any other: nothing in them is run, and nothing that
they refer to is fetched. The bytes decide what a document is, not its name. The same bytes give the
same text.",
};

const TABLE: Group = Group {
    path: "table",
    summary: "tables of documents as CSV",
    long_help: "\
Tables of workbooks, documents and presentations, and those that stand on stdin, become CSV. Values
are as they are stored.",
};
