//! PDF: order, pages, fonts, and what a file of pages may be hiding.

use super::{
    documents::{Pdf, bomb_pdf, letter, lines, locked_pdf, long_pdf, pdf, scan, unmapped},
    extract, refused, text_of,
};

#[test]
fn a_letter_as_markdown() {
    assert_eq!(
        text_of(letter(), "md"),
        "# Minutes\n\nThe board met on the first of March and took note of the report.\n\n\
         Both shops stay open.\n\nSigned: the chair.\n"
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let column = |left: u32, words: [&str; 4]| {
        let mut content = format!("BT /F1 11 Tf 14 TL {left} 700 Td\n");
        for line in words {
            content.push_str(&format!("({line}) Tj T*\n"));
        }
        content.push_str("ET\n");
        content
    };
    // Drawn line by line across the columns, as some programs do.
    let left = column(
        72,
        [
            "the first column goes on",
            "until its own end and is",
            "not interrupted by what",
            "stands beside it",
        ],
    );
    let right = column(
        320,
        [
            "here the second column",
            "begins which is read when",
            "the first one is done and",
            "not before",
        ],
    );
    let text = text_of(pdf(&[&format!("{left}{right}")]), "text");
    let text = text.replace('\n', " ");
    assert!(
        text.contains("stands beside it here the second column")
            || text.contains("stands beside it  here the second column"),
        "{text}"
    );
}

#[test]
fn pages_that_are_pictures_are_told() {
    let (run, _) = extract(pdf(&[&lines(11, 700, &["text"]), &scan(), &scan()]), "");
    assert_eq!(run.warnings(), ["ScannedPages"]);
    let warning = &run.result["warnings"][0];
    assert_eq!(warning["where"], "pages 2-3");
    assert!(warning["message"].as_str().unwrap().contains("doc ocr"), "{warning}");
    let (run, _) = extract(pdf(&[&scan()]), "");
    assert_eq!(
        (run.result["status"].as_str(), run.warnings()),
        (Some("empty"), vec!["ScannedPages"])
    );
}

#[test]
fn a_file_without_its_table_of_objects_is_mended() {
    let whole = letter();
    let end = whole.windows(4).rposition(|bytes| bytes == b"xref").unwrap();
    let end = whole[..end].windows(5).rposition(|bytes| bytes == b"\nxref").unwrap_or(end);
    let text = text_of(whole[..end].to_vec(), "text");
    assert!(text.contains("Both shops stay open."), "{text}");
}

#[test]
fn a_password_is_asked_for() {
    refused(locked_pdf(), "Encrypted", &["without a password"]);
}

#[test]
fn a_stream_that_unpacks_to_too_much_is_refused() {
    let run = refused(bomb_pdf(), "LimitExceeded", &["64 MiB"]);
    assert_eq!(run.result["limit"], "part");
}

#[test]
fn fonts_that_do_not_say_what_their_glyphs_are_are_told() {
    let (run, _) = extract(unmapped(), "");
    assert_eq!(run.warnings(), ["UnmappedGlyphs"]);
}

#[test]
fn a_tree_of_pages_that_goes_round_ends() {
    let mut pdf = Pdf::default();
    let tree = pdf.object("<< /Type /Pages /Kids [1 0 R 1 0 R] /Count 1000000000 >>");
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    let world = crate::world::World::new();
    world.put("in/document", pdf.finish(root, ""));
    let run = world.exec("doc extract --in in/document");
    assert_ne!(run.envelope.error_code.as_deref(), Some("Internal"));
}

#[test]
fn more_than_five_thousand_pages_are_not_read() {
    let (run, text) = extract(long_pdf(5001), "--mode text");
    assert_eq!(run.warnings(), ["PageLimit"]);
    assert_eq!(
        (run.result["status"].as_str(), run.result["pages"].as_u64()),
        (Some("truncated"), Some(5001))
    );
    assert_eq!(text.matches("page").count(), 5000);
}
