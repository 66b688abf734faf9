//! What is refused, each code once and more.

use super::{documents, note, scenario};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let refuses = |case: &str, title: &'static str, name: &str, document: Vec<u8>| {
        scenario(case, title).line(format!("doc extract --in {name}")).file(name, document)
    };
    let deep = "<w:tbl><w:tr><w:tc>".repeat(100) + &"</w:tc></w:tr></w:tbl>".repeat(100);
    let mut cut = documents::report();
    cut.truncate(cut.len() / 2);
    vec![
        scenario("ocr-without-models", "pictures are read by models, which a host has to name")
            .line("doc ocr --in inbox/scan.pdf --out artifacts/doc/scan.txt")
            .file("inbox/scan.pdf", documents::pdf(&[&documents::scan()]))
            .fails("NotSupported")
            .shows("/result/format", "ocr"),
        scenario("ocr-chinese-without-models", "nor is there a word of what a picture says else")
            .line("doc ocr --in inbox/receipt.jpg --lang chi_sim")
            .file("inbox/receipt.jpg", b"\xff\xd8\xff\xe0".to_vec())
            .fails("NotSupported"),
        scenario("ocr-max-pages-out-of-range", "`--max-pages` is a number from 1 to 500")
            .line("doc ocr --in inbox/scan.pdf --max-pages 0")
            .fails("InvalidArgs"),
        scenario("ocr-not-found", "a picture that is not there")
            .line("doc ocr --in inbox/scan.pdf --max-pages 3")
            .fails("NotFound"),
        scenario("format-contradicted", "a named format that the bytes contradict")
            .line("doc extract --in note.docx --format pdf")
            .file("note.docx", note())
            .fails("InvalidArgs"),
        scenario("max-chars-out-of-range", "`--max-chars` is a number from 1 to 5,000,000")
            .line("doc extract --in note.docx --max-chars 0")
            .fails("InvalidArgs"),
        scenario("out-is-in", "the text does not take the place of its document")
            .line("doc extract --in note.docx --out note.docx --overwrite")
            .file("note.docx", note())
            .fails("InvalidArgs"),
        scenario("not-found", "a document that is not there")
            .line("doc extract --in missing.docx")
            .fails("NotFound"),
        scenario("path-escapes", "a document outside the workspace")
            .line("doc extract --in ../note.docx")
            .fails("PathEscapesAgentsRoot"),
        scenario("out-exists", "an older text stays as it is")
            .line("doc extract --in note.docx --out note.md")
            .file("note.docx", note())
            .file("note.md", "older\n")
            .fails("OutExists"),
        refuses(
            "encrypted",
            "a document that only its password opens",
            "locked.docx",
            documents::compound("EncryptedPackage"),
        )
        .fails("Encrypted"),
        refuses(
            "encrypted-pdf",
            "a PDF that only its password opens",
            "locked.pdf",
            documents::locked_pdf(),
        )
        .fails("Encrypted"),
        refuses(
            "not-supported-doc",
            "a document of Word up to 2003, and the way round",
            "old.docx",
            documents::compound("WordDocument"),
        )
        .fails("NotSupported")
        .shows("/result/format", "doc"),
        refuses(
            "not-supported-odt",
            "a document of another office, and the way round",
            "open.odt",
            documents::package([(
                "mimetype",
                b"application/vnd.oasis.opendocument.text".as_slice(),
            )]),
        )
        .fails("NotSupported")
        .shows("/result/format", "odt"),
        refuses(
            "not-supported-picture",
            "a picture, and the way round",
            "scan.png",
            b"\x89PNG\r\n\x1a\n".to_vec(),
        )
        .fails("NotSupported")
        .shows("/result/format", "png"),
        refuses("parse-error-empty", "an empty file", "empty.docx", Vec::new()).fails("ParseError"),
        refuses(
            "parse-error-text",
            "text by the name of a PDF",
            "text.pdf",
            b"Dear all,\n".to_vec(),
        )
        .fails("ParseError"),
        refuses("parse-error-cut", "a document whose end is missing", "cut.docx", cut)
            .fails("ParseError"),
        refuses(
            "limit-nesting",
            "elements too deep inside each other",
            "deep.docx",
            documents::docx(&deep),
        )
        .fails("LimitExceeded")
        .shows("/result/limit", "nesting"),
        refuses(
            "limit-part-bytes",
            "a stream that unpacks to more than 64 MiB",
            "bomb.pdf",
            documents::bomb_pdf(),
        )
        .fails("LimitExceeded")
        .shows("/result/limit", "part"),
    ]
}
