//! [`repaired`]: a package whose side parts cannot be read, with empty ones in their place.
//!
//! Without its styles the words of a document are all there: the library gives up on both.

use std::io::{Cursor, Read, Write};

use quick_xml::{Reader, events::Event};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// The side parts, and what they are when there is nothing in them.
const SIDE: [(&str, &str); 2] = [
    (
        "word/styles.xml",
        "<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"/>",
    ),
    (
        "word/numbering.xml",
        "<w:numbering xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"/>",
    ),
];

/// The package, and the parts that were put in; `None` where nothing is wrong with them.
pub(super) fn repaired(package: &[u8]) -> Option<(Vec<u8>, Vec<&'static str>)> {
    let mut archive = ZipArchive::new(Cursor::new(package)).ok()?;
    let mut damaged = Vec::new();
    for (name, _) in SIDE {
        let mut content = Vec::new();
        let read = archive.by_name(name).map(|mut part| part.read_to_end(&mut content));
        if !matches!(read, Ok(Ok(_))) || !is_well_formed(&content) {
            damaged.push(name);
        }
    }
    if damaged.is_empty() {
        return None;
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let Ok(part) = archive.by_index_raw(index) else { continue };
        if !damaged.iter().any(|name| part.name().is_ok_and(|known| known == *name)) {
            writer.raw_copy_file(part).ok()?;
        }
    }
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, empty) in SIDE.iter().filter(|(name, _)| damaged.contains(name)) {
        writer.start_file(*name, stored).ok()?;
        writer.write_all(empty.as_bytes()).ok()?;
    }
    Some((writer.finish().ok()?.into_inner(), damaged))
}

fn is_well_formed(part: &[u8]) -> bool {
    let mut reader = Reader::from_reader(part);
    let mut buffer = Vec::new();
    let mut depth = 0_usize;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) => return depth == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
