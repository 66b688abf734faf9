//! What is too large: each limit that a small file can pass.

use zip::{CompressionMethod, write::SimpleFileOptions};

use super::{
    documents::{self, Parts, Sheet, docx_parts, flate, number, row, text, xlsx_parts},
    note, scenario,
};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let refuses =
        |limit: &'static str, title: &'static str, name: &'static str, document: Vec<u8>| {
            scenario(&format!("limit-{limit}"), title)
                .line(format!("doc extract --in {name}"))
                .file(name, document)
                .fails("LimitExceeded")
        };
    let deep = "<w:tbl><w:tr><w:tc>".repeat(100) + &"</w:tc></w:tr></w:tbl>".repeat(100);
    let workbook = |cells: &[String]| packed(&xlsx_parts(&[Sheet::new("S", &row(cells))]));
    vec![
        refuses("file", "the host allows files of 100 bytes", "note.docx", note())
            .config("[limits]\nfile_bytes = 100\n"),
        refuses(
            "package",
            "a package that says that it unpacks to 4 GiB",
            "bomb.docx",
            declaring(note(), u32::MAX - 1),
        )
        .shows("/result/limit", "package"),
        refuses(
            "part-bytes",
            "a stream that unpacks to more than 64 MiB",
            "bomb.pdf",
            documents::bomb_pdf(),
        )
        .shows("/result/limit", "part"),
        refuses(
            "nesting",
            "elements too deep inside each other",
            "deep.docx",
            documents::docx(&deep),
        )
        .shows("/result/limit", "nesting"),
        refuses(
            "memory",
            "more paragraphs than are held in memory",
            "long.docx",
            packed(&docx_parts(&"<w:p/>".repeat(1_000_000))),
        )
        .shows("/result/limit", "memory"),
        refuses(
            "objects",
            "a PDF that lists more than 2 million objects",
            "many.pdf",
            many_objects(),
        )
        .shows("/result/limit", "objects"),
        refuses(
            "row",
            "a row of more than 32 MiB",
            "row.xlsx",
            workbook(&vec![text(&"a".repeat(1 << 20)); 33]),
        )
        .shows("/result/limit", "row"),
        refuses(
            "token",
            "a text of more than 16 MiB in a cell",
            "cell.xlsx",
            workbook(&[text(&"a".repeat(17 << 20))]),
        )
        .shows("/result/limit", "token"),
        refuses("sheets", "a workbook of more than 10,000 sheets", "many.xlsx", many_sheets())
            .shows("/result/limit", "sheets"),
    ]
}

/// A package whose parts are compressed.
fn packed(parts: &Parts) -> Vec<u8> {
    parts.pack_by(SimpleFileOptions::default().compression_method(CompressionMethod::Deflated))
}

/// A package in which the last file is said to have so many bytes, unpacked.
fn declaring(mut package: Vec<u8>, bytes: u32) -> Vec<u8> {
    /// Where the size stands in a row of the directory.
    const UNPACKED: usize = 24;

    let row = package.windows(4).rposition(|bytes| bytes == b"PK\x01\x02");
    let size = package.iter_mut().skip(row.unwrap_or_default() + UNPACKED);
    size.zip(bytes.to_le_bytes()).for_each(|(place, byte)| *place = byte);
    package
}

/// A PDF whose table of objects has rows that take a few kilobytes.
fn many_objects() -> Vec<u8> {
    const OBJECTS: usize = 2_000_001;

    let rows = flate(&vec![1; 2 * OBJECTS]);
    let mut file = b"%PDF-1.7\n".to_vec();
    let start = file.len();
    file.extend(format!(
        "1 0 obj\n<< /Type /XRef /W [1 1 0] /Size {OBJECTS} /Root 1 0 R /Filter /FlateDecode /Length \
         {} >>\nstream\n",
        rows.len()
    ).bytes());
    file.extend(rows);
    file.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// A workbook that lists one sheet again and again.
fn many_sheets() -> Vec<u8> {
    let parts = xlsx_parts(&[Sheet::new("S", &row(&[number("1")]))]);
    let list = String::from_utf8_lossy(&parts.content("xl/workbook.xml")).into_owned();
    let again = "<sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/>".repeat(10_001);
    let list = list.replace("<sheets>", &format!("<sheets>{again}"));
    packed(&parts.replaced("xl/workbook.xml", list.as_bytes()))
}
