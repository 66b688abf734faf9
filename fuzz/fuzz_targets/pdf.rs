//! Bytes as a PDF: there is text or a declared error, the same each time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_commands::doc::Format;
use tapeline_fuzz::{check_document, quiet};

fuzz_target!(init: quiet(), |bytes: &[u8]| check_document(bytes, Some(Format::Pdf)));
