//! Files as the parts of a document, a table of which becomes CSV. A file `stdin` is a table itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_fuzz::{check_table, check_table_of_text, files, format_of, packed, quiet};

fuzz_target!(init: quiet(), |input: &[u8]| {
    let files = files(input);
    match files.iter().find(|file| file.path == "stdin") {
        Some(stdin) => check_table_of_text(&stdin.content),
        None => check_table(&packed(format_of(&files), &files)),
    }
});
