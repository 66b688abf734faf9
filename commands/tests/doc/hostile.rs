//! Documents made to harm: each is refused by its code, or read with a warning, and the host lives.

use std::io::Cursor;

use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    documents::{
        Sheet, compound, docx, docx_parts, letter, package, paragraph, report, sales, talk,
        with_doctype, xlsx,
    },
    extract, refused, text_of,
};
use crate::world::World;

#[test]
fn a_part_that_unpacks_to_too_much_is_refused() {
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let bomb = docx_parts(&paragraph(&"0".repeat(65 << 20))).pack_by(deflated);
    assert!(bomb.len() < 1 << 20);
    let run = refused(bomb, "LimitExceeded", &["`word/document.xml`", "64 MiB"]);
    assert_eq!((&run.result["limit"], &run.result["max"]), (&"part".into(), &67_108_864.into()));
}

#[test]
fn a_package_that_unpacks_to_too_much_is_refused() {
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let zeros = vec![0; 32 << 20];
    let one = docx_parts(&paragraph("a")).bytes("word/media/0.bin", &zeros).pack_by(deflated);
    let mut source = ZipArchive::new(Cursor::new(one)).unwrap();
    let mut whole = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..source.len() {
        whole.raw_copy_file(source.by_index_raw(index).unwrap()).unwrap();
    }
    for number in 1..64 {
        let zeros = source.by_index_raw(source.len() - 1).unwrap();
        whole.raw_copy_file_rename(zeros, format!("word/media/{number}.bin")).unwrap();
    }
    let whole = whole.finish().unwrap().into_inner();
    let run = refused(whole, "LimitExceeded", &["2 GiB", "split the document"]);
    assert_eq!(run.result["limit"], "package");
}

#[test]
fn too_many_entries_are_refused() {
    let names: Vec<String> = (0..10_001).map(|number| format!("{number}")).collect();
    let bytes = package(names.iter().map(|name| (name.as_str(), b"".as_slice())));
    let run = refused(bytes, "LimitExceeded", &["10000 files", "split the document"]);
    assert_eq!(run.result["limit"], "entries");
}

#[test]
fn elements_too_deep_inside_each_other_are_refused() {
    let deep =
        format!("{}{}", "<w:tbl><w:tr><w:tc>".repeat(3000), "</w:tc></w:tr></w:tbl>".repeat(3000));
    let run =
        refused(docx(&deep), "LimitExceeded", &["`word/document.xml`", "256", "out of each other"]);
    assert_eq!(run.result["limit"], "nesting");
    // Not closed, and deep in a part beside the main one.
    refused(docx(&"<w:p>".repeat(100_000)), "LimitExceeded", &["256"]);
    let beside =
        docx_parts(&paragraph("a")).bytes("word/header1.xml", "<a>".repeat(300).as_bytes());
    refused(beside.pack(), "LimitExceeded", &["`word/header1.xml`"]);
}

#[test]
fn highly_repetitive_honest_documents_pass() {
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let document = docx_parts(&paragraph("again ").repeat(20_000)).pack_by(deflated);
    let (run, _) = extract(document, "--mode text");
    assert_eq!(run.result["paragraphs"], 20_000);
}

#[test]
fn entities_are_not_expanded_and_not_followed() {
    let laughs = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>";
    for doctype in [laughs, "<!DOCTYPE l [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>"] {
        let (run, text) = extract(with_doctype(doctype, "before &b; after"), "--mode text");
        assert_eq!(run.warnings(), ["ExternalEntityIgnored"]);
        assert_eq!(run.result["warnings"][0]["where"], "word/document.xml");
        assert!(
            text.contains("before") && !text.contains("ha") && !text.contains("root"),
            "{text}"
        );
    }
}

#[test]
fn a_package_cut_anywhere_is_refused_or_read() {
    let whole = report();
    for end in (0..whole.len()).step_by(97) {
        let world = World::new();
        world.put("in/document", &whole[..end]);
        let run = world.exec("doc extract --in in/document");
        assert_ne!(run.envelope.error_code.as_deref(), Some("Internal"), "{end}");
    }
}

#[test]
fn bytes_that_are_changed_do_not_take_the_host_down() {
    let documents = [report(), talk(), sales(), letter()];
    for (number, document) in documents.iter().enumerate() {
        for at in (0..document.len()).step_by(document.len() / 60) {
            let mut changed = document.clone();
            changed[at] ^= 0x15;
            let world = World::new();
            world.put("in/document", changed);
            let run = world.exec("doc extract --in in/document");
            let code = run.envelope.error_code.as_deref();
            assert_ne!(code, Some("Internal"), "byte {at} of document {number}");
        }
    }
}

#[test]
fn encrypted_and_old_documents_are_told_apart() {
    refused(compound("EncryptedPackage"), "Encrypted", &["without a password"]);
    let run = refused(compound("WordDocument"), "NotSupported", &["doc", "save it as docx"]);
    assert_eq!(run.result["format"], "doc");
    let opened = |mimetype: &str| package([("mimetype", mimetype.as_bytes())]);
    let run = refused(
        opened("application/vnd.oasis.opendocument.text"),
        "NotSupported",
        &["odt", "export it to PDF or text"],
    );
    assert_eq!(run.result["format"], "odt");
    refused(opened("application/java-archive"), "ParseError", &["without an Office document"]);
}

#[test]
fn an_empty_workbook_is_no_error() {
    let (run, _) = extract(xlsx(&[Sheet::new("Empty", "")]), "");
    assert_eq!(run.result["sheets"], 1);
    assert!(text_of(xlsx(&[Sheet::new("Empty", "")]), "md").contains("Empty"));
}
