//! What holds of any document.

use std::{
    io::{Cursor, Write},
    panic,
    sync::Arc,
    thread,
};

use tapeline::{ErrorCode, Terminal, workspace::MemoryWorkspace};
use tapeline_commands::doc::{Code, Mode, Options, STACK_BYTES, extract};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{File, registry};

/// Lets panics be that are caught: readers of other people's making have some, and answer
/// `ParseError`. What is not caught ends the program all the same.
pub fn quiet() {
    panic::set_hook(Box::new(|_| {}));
}

/// The part that names the others. Files of an input have no names that begin with a dot.
pub const RELATIONS: (&str, &str) = ("_rels/rels", "_rels/.rels");

/// Files as a package without compression.
///
/// # Panics
/// Memory takes every file: never.
pub fn packed(files: &[File]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    for File { path, content } in files {
        // A name that is there twice is refused.
        let name = if path == RELATIONS.0 { RELATIONS.1 } else { path };
        if package.start_file(name, options).is_ok() {
            package.write_all(content).expect("memory takes it");
        }
    }
    package.finish().expect("memory takes it").into_inner()
}

/// Extracts a document in every mode, each twice.
///
/// # Panics
/// Where something does not hold.
pub fn check_document(bytes: &[u8]) {
    on_a_deep_stack(|| {
        for mode in [Mode::Text, Mode::Md, Mode::Json] {
            let options = Options { mode, max_chars: 2000, ..Options::default() };
            let found = extract(bytes, &options, |_, _| true);
            let again = extract(bytes, &options, |_, _| true);
            match (found, again) {
                (Ok(found), Ok(again)) => {
                    assert_eq!(found, again, "not the same twice");
                    let is_cut =
                        found.warnings.iter().any(|warning| warning.code == Code::Truncated);
                    assert!(found.extracted_chars <= 2000 && (found.truncated || !is_cut));
                    if mode == Mode::Json {
                        serde_json::from_str::<serde_json::Value>(&found.text).expect("JSON");
                    } else {
                        assert!(found.text.chars().count() >= found.extracted_chars);
                    }
                }
                (Err(found), Err(again)) => {
                    assert_eq!(found.message(), again.message(), "not the same twice");
                    let declared = [
                        ErrorCode::ENCRYPTED,
                        ErrorCode::NOT_SUPPORTED,
                        ErrorCode::PARSE_ERROR,
                        ErrorCode::LIMIT_EXCEEDED,
                    ];
                    assert!(declared.contains(&found.code()), "{found:?}");
                }
                (found, again) => panic!("not the same twice: {found:?}, {again:?}"),
            }
        }
    });
}

/// Makes CSV of the first table, as the command does.
///
/// # Panics
/// Where something does not hold.
pub fn check_table(bytes: &[u8]) {
    let workspace = Arc::new(MemoryWorkspace::new().with_file("in", bytes));
    let terminal =
        Terminal::builder().in_memory().workspace(workspace).registry(registry()).build();
    let terminal = terminal.expect("the terminal can be built");
    let envelope = terminal.exec_blocking("table to-csv --in in --table 1 --out out.csv");
    assert_ne!(envelope.error_code.as_deref(), Some("Internal"), "{envelope:?}");
}

fn on_a_deep_stack(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        if let Err(panic) = worker.expect("a thread can be had").join() {
            // What does not hold was said to nobody.
            if let Some(what) = panic.downcast_ref::<String>() {
                eprintln!("{what}");
            }
            panic::resume_unwind(panic);
        }
    });
}
