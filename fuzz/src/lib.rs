//! What the fuzz targets share: commands to run, an outside that answers, input as files.
#![forbid(unsafe_code)]

mod commands;
mod documents;
mod files;
mod outside;
mod parts;
mod scratch;

pub use self::{
    commands::registry,
    documents::{check_document, check_table, check_table_of_text, quiet},
    files::{File, files, input, sha256_hex},
    outside::{Echo, Yes},
    parts::{RELATIONS, format_of, packed},
    scratch::scratch,
};
