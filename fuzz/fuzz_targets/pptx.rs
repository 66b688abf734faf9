//! Files as the parts of a presentation: there is text or a declared error, the same each time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_commands::doc::Format;
use tapeline_fuzz::{check_document, files, packed, quiet};

const FORMAT: Format = Format::Pptx;

fuzz_target!(init: quiet(), |input: &[u8]| {
    check_document(&packed(FORMAT, &files(input)), Some(FORMAT));
});
