//! What the fuzz targets share: commands to run, an outside that answers, input as files.
#![forbid(unsafe_code)]

mod commands;
mod documents;
mod files;
mod outside;
mod scratch;

pub use self::{
    commands::registry,
    documents::{RELATIONS, check_document, check_table, packed, quiet},
    files::{File, files, input, sha256_hex},
    outside::{Echo, Yes},
    scratch::scratch,
};
