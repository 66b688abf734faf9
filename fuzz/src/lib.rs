//! What the fuzz targets share: commands to run, an outside that answers, input as files.
#![forbid(unsafe_code)]

mod commands;
mod files;
mod outside;
mod scratch;

pub use self::{
    commands::registry,
    files::{File, files, input, sha256_hex},
    outside::{Echo, Yes},
    scratch::scratch,
};
