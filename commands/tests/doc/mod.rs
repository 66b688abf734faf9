//! `doc` and `table`: documents as a host meets them, a file in the workspace and a line.
//!
//! The documents are made in `documents`, from text.

pub(crate) mod documents;

mod corpus;
mod docx;
mod extract;
mod hostile;
mod layout;
mod ocr;
mod pdf;
mod pptx;
#[cfg(feature = "ocr")]
mod scans;
mod to_csv;
mod xlsx;

use crate::world::{Run, World};

/// Extracts a document in one mode and gives the text.
#[track_caller]
fn text_of(document: Vec<u8>, mode: &str) -> String {
    extract(document, &format!("--mode {mode}")).1
}

/// Extracts a document with flags; the run, and the text that it wrote.
#[track_caller]
fn extract(document: Vec<u8>, flags: &str) -> (Run, String) {
    let world = World::new();
    world.put("in/document", document);
    let run = world.exec(&format!("doc extract --in in/document --out out/text {flags}")).ok();
    let text = world.read("out/text").unwrap();
    (run, text)
}

/// Extracts a document that cannot be read.
#[track_caller]
fn refused(document: Vec<u8>, code: &str, parts: &[&str]) -> Run {
    let world = World::new();
    world.put("in/document", document);
    let run = world.exec("doc extract --in in/document --out out/text").fails(code, parts);
    assert_eq!(world.read("out/text"), None, "half a file was left");
    run
}
