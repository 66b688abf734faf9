//! Any bytes as a document: what they are is told, and a package is looked over before a reader has
//! it. There is text or a declared error, the same each time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_fuzz::{check_document, quiet};

fuzz_target!(init: quiet(), |bytes: &[u8]| check_document(bytes, None));
