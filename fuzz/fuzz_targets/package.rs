//! Files as the parts of an Office document: they are packed without compression, so that what is
//! changed in them reaches the readers; then as any document, and a table of it becomes CSV.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_fuzz::{check_document, check_table, files, packed, quiet};

fuzz_target!(init: quiet(), |input: &[u8]| {
    let document = packed(&files(input));
    check_document(&document);
    check_table(&document);
});
