//! What is refused, each code once and more.

use super::{documents, note, scenario};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let refuses = |case: &str, title: &'static str, name: &str, document: Vec<u8>| {
        scenario(case, title).line(format!("doc extract --in {name}")).file(name, document)
    };
    let half = |mut document: Vec<u8>| {
        document.truncate(document.len() / 2);
        document
    };
    let mut scenarios = vec![
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
        scenario("overwrite-approval-required", "nobody is there to approve")
            .line("doc extract --in note.docx --out note.md --overwrite")
            .file("note.docx", note())
            .file("note.md", "older\n")
            .fails("ApprovalRequired"),
        scenario("overwrite-without-out", "`--overwrite` means nothing by itself")
            .line("doc extract --in note.docx --overwrite")
            .file("note.docx", note())
            .fails("InvalidArgs"),
        scenario("out-suffix", "a text goes to no file that means something else")
            .line("doc extract --in note.docx --out note.exe")
            .file("note.docx", note())
            .fails("InvalidArgs"),
        scenario("in-is-a-folder", "a folder is no document")
            .line("doc extract --in inbox")
            .file("inbox/note.docx", note())
            .fails("WorkspaceError"),
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
            "not-supported-xlsb",
            "a workbook of the binary kind, and the way round",
            "binary.xlsb",
            binary_workbook(),
        )
        .fails("NotSupported")
        .shows("/result/format", "xlsb"),
        refuses(
            "not-supported-rtf",
            "a text of another kind, and the way round",
            "old.rtf",
            b"{\\rtf1\\ansi All is well.}".to_vec(),
        )
        .fails("NotSupported")
        .shows("/result/format", "rtf"),
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
        refuses(
            "parse-error-cut",
            "a document whose end is missing",
            "cut.docx",
            half(documents::report()),
        )
        .fails("ParseError"),
        refuses(
            "parse-error-pptx",
            "a presentation whose list of slides is none",
            "talk.pptx",
            documents::pptx_parts(&[]).replaced("ppt/presentation.xml", b"<p:pres").pack(),
        )
        .fails("ParseError"),
        refuses(
            "parse-error-xlsx",
            "a workbook whose list of sheets is none",
            "book.xlsx",
            documents::xlsx_parts(&[]).replaced("xl/workbook.xml", b"<workb").pack(),
        )
        .fails("ParseError"),
        refuses(
            "parse-error-pdf",
            "a PDF of its first line alone",
            "cut.pdf",
            b"%PDF-1.7\n".to_vec(),
        )
        .fails("ParseError"),
    ];
    for (format, stream) in [("xls", "Workbook"), ("ppt", "PowerPoint Document")] {
        scenarios.push(elsewhere(format, documents::compound(stream)));
    }
    for (format, kind) in [
        ("odt", "vnd.oasis.opendocument.text"),
        ("ods", "vnd.oasis.opendocument.spreadsheet"),
        ("odp", "vnd.oasis.opendocument.presentation"),
        ("epub", "epub+zip"),
    ] {
        let kind = format!("application/{kind}");
        let document = documents::package([("mimetype", kind.as_bytes())]);
        scenarios.push(elsewhere(format, document));
    }
    scenarios
}

/// A document of a kind that is not read.
fn elsewhere(format: &'static str, document: Vec<u8>) -> Scenario {
    let title = "a document of another kind, and the way round";
    let name = format!("other.{format}");
    scenario(&format!("not-supported-{format}"), title)
        .line(format!("doc extract --in {name}"))
        .file(&name, document)
        .fails("NotSupported")
        .shows("/result/format", format)
}

fn binary_workbook() -> Vec<u8> {
    let kind = "application/vnd.ms-excel.sheet.binary.macroEnabled.main";
    documents::Parts::default().part("xl/workbook.bin", kind, "").pack()
}
