//! Files as the parts of an Office document.

use std::io::{Cursor, Write};

use tapeline_commands::doc::Format;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{File, files};

/// The part that names the others. Files of an input have no names that begin with a dot.
pub const RELATIONS: (&str, &str) = ("_rels/rels", "_rels/.rels");

/// Files as a document without compression, so that what is changed in them reaches its reader.
/// What holds one together is there in any case: an input may be one part alone.
///
/// # Panics
/// Memory takes every file: never.
pub fn packed(format: Format, files: &[File]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    let frame = frame(format);
    let missing = frame.iter().filter(|part| !files.iter().any(|file| file.path == part.path));
    for File { path, content } in missing.chain(files) {
        // A name that is there twice is refused.
        let name = if path == RELATIONS.0 { RELATIONS.1 } else { path };
        if package.start_file(name, options).is_ok() {
            package.write_all(content).expect("memory takes it");
        }
    }
    package.finish().expect("memory takes it").into_inner()
}

/// What document the files are of, by the folder of the first that says it.
pub fn format_of(files: &[File]) -> Format {
    let by_folder = |file: &File| match file.path.split('/').next() {
        Some("word") => Some(Format::Docx),
        Some("ppt") => Some(Format::Pptx),
        Some("xl") => Some(Format::Xlsx),
        _ => None,
    };
    files.iter().find_map(by_folder).unwrap_or(Format::Xlsx)
}

/// A small document of the format that refers to every part its reader knows.
fn frame(format: Format) -> Vec<File> {
    let input: &[u8] = match format {
        Format::Docx => include_bytes!("../frames/docx.txt"),
        Format::Pptx => include_bytes!("../frames/pptx.txt"),
        Format::Xlsx => include_bytes!("../frames/xlsx.txt"),
        _ => b"",
    };
    files(input)
}

#[cfg(test)]
mod tests {
    use tapeline_commands::doc::{Options, extract};

    use super::*;

    #[test]
    fn the_frames_are_documents_and_their_parts_can_be_replaced() {
        let text = |format, files: &[File]| {
            let found = extract(&packed(format, files), &Options::default(), |_, _| true).unwrap();
            assert_eq!(found.format, format);
            found.text
        };
        for (format, part) in [
            (Format::Docx, "word/document.xml"),
            (Format::Pptx, "ppt/slides/slide1.xml"),
            (Format::Xlsx, "xl/worksheets/sheet1.xml"),
        ] {
            let whole = text(format, &[]);
            let main = frame(format).into_iter().find(|file| file.path == part).unwrap();
            let changed = String::from_utf8(main.content).unwrap().replace(">text<", ">other<");
            let changed = changed.replace(">One<", ">other<").into_bytes();
            let changed = File { path: part.to_owned(), content: changed };
            assert_eq!(format_of(std::slice::from_ref(&changed)), format);
            assert!(!whole.contains("other") && text(format, &[changed]).contains("other"));
        }
    }
}
