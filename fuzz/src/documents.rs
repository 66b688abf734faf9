//! What holds of any document.

use std::{
    panic,
    path::Path,
    process,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use tapeline::{ErrorCode, Request, Terminal, workspace::MemoryWorkspace};
use tapeline_commands::doc::{Code, Extraction, Format, Mode, Options, STACK_BYTES, extract};

use crate::registry;

/// Ends the program at a panic of ours, caught or not. Readers of other people's making have some,
/// and answer `ParseError`: those are let be.
pub fn quiet() {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map(|location| Path::new(location.file()));
        // What is relative is of this package, or of the standard library.
        let is_ours = |file: &Path| {
            file.starts_with(ours) || file.is_relative() && !file.starts_with("library")
        };
        if file.is_none_or(is_ours) {
            eprintln!("{panic}");
            process::abort();
        }
    }));
}

/// Extracts a document: there is text or a declared error, and what is said of the text is true; for
/// some, a second time. How it is extracted depends on the length of the input.
///
/// # Panics
/// Where something does not hold.
pub fn check_document(bytes: &[u8], format: Option<Format>) {
    on_the_worker(move |bytes| check(bytes, format), bytes);
}

fn check(bytes: &[u8], format: Option<Format>) {
    let (mode, is_short) = (bytes.len() % 3, (bytes.len() / 3).is_multiple_of(8));
    let mode = [Mode::Text, Mode::Md, Mode::Json].get(mode).copied().unwrap_or(Mode::Md);
    let options = Options { format, mode, max_chars: if is_short { 40 } else { 20_000 } };
    let found = extract(bytes, &options, |_, _| true);
    match &found {
        Ok(found) => check_text(found, &options),
        Err(failure) => {
            let declared = [
                ErrorCode::ENCRYPTED,
                ErrorCode::INVALID_ARGS,
                ErrorCode::LIMIT_EXCEEDED,
                ErrorCode::NOT_SUPPORTED,
                ErrorCode::PARSE_ERROR,
            ];
            assert!(declared.contains(&failure.code()), "{failure:?}");
        }
    }
    let sum = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    if sum.is_multiple_of(8) {
        let again = extract(bytes, &options, |_, _| true);
        assert_eq!(format!("{found:?}"), format!("{again:?}"), "not the same twice");
    }
}

fn check_text(found: &Extraction, options: &Options) {
    let is_cut = found.warnings.iter().any(|warning| warning.code == Code::Truncated);
    assert!(found.extracted_chars <= options.max_chars && (found.truncated || !is_cut));
    if options.mode == Mode::Json {
        serde_json::from_str::<serde_json::Value>(&found.text).expect("JSON");
    } else {
        assert!(found.text.chars().count() >= found.extracted_chars);
    }
}

/// Makes CSV of a table in a document, as the command does.
///
/// # Panics
/// Where something does not hold.
pub fn check_table(document: &[u8]) {
    let line = match document.len() % 4 {
        0 => "table to-csv --in in",
        1 => "table to-csv --in in --sheet 1 --max-rows 3 --delimiter tab",
        2 => "table to-csv --in in --table 2 --out out.csv --overwrite",
        _ => "table to-csv --in in --table 1 --out out.csv --overwrite",
    };
    check_csv(Request::new(line), document);
}

/// Makes CSV of a text on stdin, as the command does.
///
/// # Panics
/// Where something does not hold.
pub fn check_table_of_text(text: &[u8]) {
    let mut request = Request::new("table to-csv --in - --out out.csv --overwrite");
    request.stdin = Some(String::from_utf8_lossy(text).into_owned());
    check_csv(request, b"");
}

fn check_csv(request: Request, document: &[u8]) {
    let workspace = Arc::new(MemoryWorkspace::new().with_file("in", document));
    // What is read goes to no tape: that would be half of the work.
    let terminal = Terminal::builder()
        .in_memory()
        .without_tape()
        .workspace(workspace)
        .registry(registry())
        .build();
    let envelope = terminal.expect("the terminal can be built").start(request).wait();
    assert_ne!(envelope.error_code.as_deref(), Some("Internal"), "{envelope:?}");
}

type Work = Box<dyn FnOnce() + Send>;

/// Works on a copy of the bytes, on the one thread that has the stack for it: making one each time
/// would take longer than the work.
fn on_the_worker(work: impl FnOnce(&[u8]) + Send + 'static, bytes: &[u8]) {
    static WORKER: LazyLock<Mutex<(Sender<Work>, Receiver<()>)>> = LazyLock::new(|| {
        let (give, given) = mpsc::channel::<Work>();
        let (end, ended) = mpsc::channel();
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            for work in given {
                work();
                if end.send(()).is_err() {
                    return;
                }
            }
        });
        worker.expect("a thread can be had");
        Mutex::new((give, ended))
    });

    let worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = bytes.to_vec();
    worker.0.send(Box::new(move || work(&bytes))).expect("the worker takes work");
    worker.1.recv().expect("the worker ends its work");
}
