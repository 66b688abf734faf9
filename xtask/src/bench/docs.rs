//! `cargo xtask bench docs`: the whole way from a document's bytes to its text, against the bare
//! libraries, over the real documents that both read; and how the time grows with pages.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    env, fs,
    hint::black_box,
    io::Cursor,
    panic::catch_unwind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use tapeline_commands::doc::{Mode, Options, STACK_BYTES, extract};

use crate::record::documents::long_pdf;

const ROUNDS: usize = 9;

pub(super) fn run() -> anyhow::Result<()> {
    let corpus = env::var_os("TAPELINE_CORPUS").map(PathBuf::from);
    let corpus = corpus.context("set TAPELINE_CORPUS to the folder of real input")?.join("docs");
    // Readers recurse: all of it on a thread as the command has one.
    let measuring = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || measure(&corpus));
    match measuring.context("make a thread")?.join() {
        Ok(measured) => measured,
        Err(_) => anyhow::bail!("measuring panicked"),
    }
}

fn measure(corpus: &Path) -> anyhow::Result<()> {
    // Libraries that give up on a file say so on stderr.
    std::panic::set_hook(Box::new(|_| {}));
    println!("format  documents  bare library       ours  ours ÷ bare (at most 1.25)");
    for (format, alone) in [
        ("docx", bare_office as fn(&[u8], &str) -> usize),
        ("pptx", bare_office),
        ("xlsx", bare_office),
        ("pdf", bare_pdf),
    ] {
        let documents = read_by_both(&corpus.join(format), format, alone)?;
        ensure!(!documents.is_empty(), "no {format} in `{}` is read by both", corpus.display());
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        // They alternate, so that a slow spell hits both.
        for _ in 0..ROUNDS {
            bare.push(timed(&documents, |document| {
                black_box(alone(document, format));
            }));
            ours.push(timed(&documents, |document| {
                black_box(our_chars(document));
            }));
        }
        let (bare, ours) = (median(bare), median(ours));
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!(
            "{format:<6} {:>10} {:>10.2} ms {:>7.2} ms  {ratio:.2}",
            documents.len(),
            bare.as_secs_f64() * 1e3,
            ours.as_secs_f64() * 1e3,
        );
    }
    measure_pages();
    Ok(())
}

/// Twenty times the pages, and the beginning of them all.
fn measure_pages() {
    let (short, long) = (long_pdf(150), long_pdf(3000));
    let (mut of_short, mut of_long, mut of_start) = (Vec::new(), Vec::new(), Vec::new());
    let reads = |document: &[u8], max_chars| {
        let options = Options { mode: Mode::Text, max_chars, ..Options::default() };
        black_box(extract(document, &options, |_, _| true)).map_or(0, |found| found.extracted_chars)
    };
    for _ in 0..ROUNDS {
        of_short.push(timed(std::slice::from_ref(&short), |it| {
            reads(it, 5_000_000);
        }));
        of_long.push(timed(std::slice::from_ref(&long), |it| {
            reads(it, 5_000_000);
        }));
        of_start.push(timed(std::slice::from_ref(&long), |it| {
            reads(it, 1000);
        }));
    }
    let seconds = |times| median(times).as_secs_f64();
    let (short, long, start) = (seconds(of_short), seconds(of_long), seconds(of_start));
    println!("\n3,000 pages {:.1} ms, 150 pages {:.1} ms", long * 1e3, short * 1e3);
    println!("3,000 pages ÷ 150 pages: {:.1} (at most 30)", long / short);
    println!("the first 1,000 characters ÷ all of 3,000 pages: {:.2} (at most 0.25)", start / long);
}

fn read_by_both(
    folder: &Path,
    format: &str,
    alone: fn(&[u8], &str) -> usize,
) -> anyhow::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder).with_context(|| format!("read `{}`", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    paths.sort();
    let documents = paths.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    // What we refuse may harm the library: it is not asked.
    let by_both = |document: &Vec<u8>| our_chars(document) > 0 && alone(document, format) > 0;
    Ok(documents.into_iter().filter(by_both).collect())
}

fn our_chars(document: &[u8]) -> usize {
    let options = Options { mode: Mode::Text, max_chars: 5_000_000, ..Options::default() };
    extract(document, &options, |_, _| true).map_or(0, |found| found.extracted_chars)
}

fn bare_office(document: &[u8], format: &str) -> usize {
    let format = match format {
        "docx" => office_oxide::DocumentFormat::Docx,
        "pptx" => office_oxide::DocumentFormat::Pptx,
        _ => office_oxide::DocumentFormat::Xlsx,
    };
    let text = catch_unwind(|| {
        let document = office_oxide::Document::from_reader(Cursor::new(document.to_vec()), format);
        document.map_or_else(|_| String::new(), |document| document.plain_text())
    });
    text.map_or(0, |text| text.len())
}

fn bare_pdf(document: &[u8], _format: &str) -> usize {
    let text = catch_unwind(|| {
        let Ok(document) = pdf_oxide::PdfDocument::from_bytes(document.to_vec()) else { return 0 };
        let pages = document.page_count().unwrap_or_default();
        (0..pages).filter_map(|page| document.extract_text(page).ok()).map(|text| text.len()).sum()
    });
    text.unwrap_or_default()
}

fn timed(documents: &[Vec<u8>], reads: impl Fn(&[u8])) -> Duration {
    let start = Instant::now();
    for document in documents {
        reads(document);
    }
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
