//! Any bytes as a document: there is text or a declared error, the same each time, and what is said
//! of the text is true. PDF is read from these bytes; packages are mostly refused, and have a target
//! of their own.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_fuzz::{check_document, quiet};

fuzz_target!(init: quiet(), |bytes: &[u8]| check_document(bytes));
