//! PDF: order, pages, fonts, and what a file of pages may be hiding.

use super::{
    documents::{
        Pdf, bomb_pdf, flate, letter, lines, locked_pdf, long_pdf, page_pdf, pdf, scan, unmapped,
    },
    extract, refused, text_of,
};
use crate::world::Run;

/// Code, place and message of each warning.
fn told(run: &Run) -> Vec<(&str, Option<&str>, &str)> {
    let warnings = run.result["warnings"].as_array().unwrap().iter();
    warnings
        .map(|warning| {
            let text = |name: &str| warning[name].as_str();
            (text("code").unwrap(), text("where"), text("message").unwrap())
        })
        .collect()
}

/// Lines that deflate does not make one pattern of.
fn prose() -> String {
    let line = |number: u32| format!("line {number} of them has {} words", number * 7919 % 1000);
    let all: Vec<String> = (1..40).map(line).collect();
    lines(11, 800, &all.iter().map(String::as_str).collect::<Vec<_>>())
}

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
    let run = refused(bomb_pdf(), "LimitExceeded", &["64 MiB", "print the other pages"]);
    assert_eq!(run.result["limit"], "part");
}

#[test]
fn fonts_that_do_not_say_what_their_glyphs_are_are_told() {
    let (run, _) = extract(unmapped(), "");
    assert_eq!(run.warnings(), ["UnmappedGlyphs"]);
    assert_eq!(run.result["warnings"][0]["where"], "page 1");
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
    assert_eq!(run.result["warnings"][0]["where"], "page 5001");
    assert_eq!(
        (run.result["status"].as_str(), run.result["pages"].as_u64()),
        (Some("truncated"), Some(5001))
    );
    assert_eq!(text.matches("page").count(), 5000);
}

#[test]
fn content_that_is_cut_or_damaged_is_told() {
    let whole = flate(prose().as_bytes());
    let filter = "/Filter /FlateDecode";
    let (run, text) = extract(page_pdf(filter, &whole, "", &[]), "--mode text");
    assert!(run.warnings().is_empty() && text.contains("line 39"), "{text}");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 0x55;
    for damaged in [whole[..whole.len() / 2].to_vec(), changed] {
        let (run, text) = extract(page_pdf(filter, &damaged, "", &[]), "--mode text");
        let [("DamagedPart", Some("page 1"), message)] = told(&run)[..] else { panic!("{run:?}") };
        assert!(message.contains("as far as it goes"), "{message}");
        assert!(text.contains("line 2 of"), "{text}");
    }
}

#[test]
fn what_is_whole_all_the_same_is_not_told() {
    let whole = flate(prose().as_bytes());
    let filter = "/Filter /FlateDecode";
    // Without the end of its checksum.
    let (run, text) = extract(page_pdf(filter, &whole[..whole.len() - 2], "", &[]), "");
    assert!(run.warnings().is_empty() && text.contains("line 39"), "{run:?}");
    // A length that is wrong, and no end of the file.
    let document = page_pdf(filter, &whole, "", &[]);
    let length = format!("/Length {} ", whole.len());
    let at = document.windows(length.len()).position(|it| it == length.as_bytes()).unwrap();
    let mut wrong = document[..document.len() - 200].to_vec();
    wrong.splice(at..at + length.len(), *b"/Length 7 ");
    let (run, text) = extract(wrong, "");
    assert!(run.warnings().is_empty() && text.contains("line 39"), "{run:?}");
}

#[test]
fn a_document_of_which_nothing_is_left_is_refused() {
    let text = lines(11, 700, &["text"]);
    let without = |from: &[u8], to: &[u8]| {
        let mut document = page_pdf("", text.as_bytes(), "", &[]);
        let at = document.windows(from.len()).position(|it| it == from).unwrap();
        document.splice(at..at + from.len(), to.iter().copied());
        document
    };
    let parts = ["page 1", "is not in the file", "get another copy"];
    refused(without(b"/Contents 4 0 R", b"/Contents 9 0 R"), "ParseError", &parts);
    // A page that the tree does not lead to is found all the same.
    let (run, lost) = extract(without(b"/Kids [3 0 R]", b"/Kids [8 0 R]"), "--mode text");
    assert_eq!((lost.as_str(), run.warnings()), ("text\n", vec!["DamagedPart"]));
    // A page that has nothing to draw is no damage.
    let (run, _) = extract(without(b"/Contents 4 0 R", b""), "");
    assert_eq!((&run.result["status"], run.warnings().len()), (&"empty".into(), 0));
    let cut = page_pdf("", text.as_bytes(), "", &[]);
    let start = cut.windows(4).position(|it| it == b"BT /").unwrap();
    refused(cut[..start + 10].to_vec(), "ParseError", &["page 1", "cut off"]);
}

#[test]
fn pages_that_are_missing_are_told_up_to_a_number() {
    let mut pdf = Pdf::default();
    let font = pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    let content = pdf.stream("", lines(11, 700, &["here"]).as_bytes());
    let page = pdf.object(format!(
        "<< /Type /Page /MediaBox [0 0 595 842] /Contents {content} 0 R /Resources << /Font << /F1 \
         {font} 0 R >> >> >>"
    ));
    let kids = format!("{page} 0 R {}", "77 0 R ".repeat(30));
    let tree = pdf.object(format!("<< /Type /Pages /Kids [{kids}] /Count 33 >>"));
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    let (run, text) = extract(pdf.finish(root, ""), "--mode text");
    assert_eq!((text.as_str(), run.result["pages"].as_u64()), ("here\n", Some(31)));
    let told = told(&run);
    assert!(told.iter().all(|(code, ..)| *code == "DamagedPart"), "{told:?}");
    assert_eq!(told[0].1, Some("page 2"));
    assert_eq!(told[20].1, Some("pages 32-33"));
    assert_eq!(told[21], ("DamagedPart", Some("pages 22-31"), "10 more pages are damaged"));
    assert_eq!(told.len(), 22);
}

#[test]
fn a_list_of_pages_that_is_lost_is_told() {
    let whole = letter();
    let tree = whole.windows(6).position(|it| it == b"/Kids ").unwrap();
    let (run, text) = extract(whole[..tree - 20].to_vec(), "--mode text");
    let [("DamagedPart", None, message)] = told(&run)[..] else { panic!("{run:?}") };
    assert!(message.contains("others may be missing"), "{message}");
    assert!(text.contains("Both shops stay open."), "{text}");
}

#[test]
fn a_form_that_is_missing_is_told() {
    let content = format!("{}/X1 Do", lines(11, 700, &["text"]));
    let (run, text) = extract(page_pdf("", content.as_bytes(), "", &[]), "--mode text");
    assert_eq!(text, "text\n");
    assert_eq!((run.warnings(), told(&run)[0].1), (vec!["DamagedPart"], Some("page 1")));
}

#[test]
fn notes_on_a_page_are_comments_at_its_end() {
    let page = "/Annots [<< /Subtype /Text /Rect [50 250 60 260] /Contents (Is this *so*?) /T (Ana) >> \
                << /Subtype /StrikeOut /Rect [1 1 2 2] /Contents (Away with it) /Popup 9 0 R >> \
                << /Subtype /Popup /Rect [1 1 2 2] /Contents (not twice) >> \
                << /Subtype /Text /Rect [1 1 2 2] /StateModel (Review) /Contents (Accepted) >> \
                << /Subtype /Text /F 2 /Rect [1 1 2 2] /Contents (hidden) >> \
                << /Subtype /Square /Rect [1 1 2 2] /Contents (no note) >>]";
    let document = page_pdf("", lines(11, 700, &["text"]).as_bytes(), page, &[]);
    assert_eq!(text_of(document.clone(), "text"), "text\n\nIs this *so*?\n\nAway with it\n");
    assert_eq!(
        text_of(document.clone(), "md"),
        "text\n\n> **Comment** (Ana): Is this \\*so\\*?\n\n> **Comment**: Away with it\n"
    );
    let json = text_of(document, "json");
    assert!(json.contains(r#"{"kind":"comment","page":1,"author":"Ana","text""#), "{json}");
}

#[test]
fn files_that_are_attached_are_told() {
    let page = "/Annots [<< /Subtype /FileAttachment /Rect [1 1 2 2] >>]";
    let document = page_pdf("", lines(11, 700, &["text"]).as_bytes(), page, &[]);
    let (run, _) = extract(document, "");
    assert_eq!((run.warnings(), told(&run)[0].1), (vec!["EmbeddedObject"], Some("page 1")));
}

#[test]
fn work_that_a_small_file_makes_is_bounded() {
    // Fonts that have no number of their own are read anew each time, with all of a long map.
    let map = format!("<< /Length 4000000 >>\nstream\n{}\nendstream", " ".repeat(4_000_000));
    let mut pdf = Pdf::default();
    let root = pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object(format!("<< /Type /Pages /Kids [{}] /Count 60 >>", "3 0 R ".repeat(60)));
    pdf.object(
        "<< /Type /Page /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 << \
         /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >> >> >>",
    );
    pdf.stream("", b"/F1 9 Tf");
    pdf.object(map);
    let document = pdf.finish(root, "");
    let run = refused(document, "LimitExceeded", &["million steps", "split the document"]);
    assert_eq!(run.result["limit"], "elements");
}
