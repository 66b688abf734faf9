//! Seeds of documents: those in the cases, what they are built of, and the real ones where
//! `TAPELINE_CORPUS` is set. All are short: of long ones there are the beginnings of their parts.

use std::{
    env, fs,
    io::{Cursor, Read},
    path::Path,
};

use tapeline_commands::doc::Format;
use tapeline_fuzz::{File, RELATIONS, format_of, input};
use zip::ZipArchive;

use super::{Done, Seeds, files_below, pdfs};

/// Longer ones cost more than they find.
pub(super) const LONGEST: usize = 8 * 1024;

/// The seeds of each target that reads documents.
pub(super) fn seeds(root: &Path) -> Done<Vec<(&'static str, Seeds)>> {
    let mut folders = vec![root.join("golden")];
    for format in ["docx", "pdf", "pptx", "xlsx"] {
        let corpus = env::var_os("TAPELINE_CORPUS");
        folders.extend(corpus.map(|path| Path::new(&path).join("docs").join(format)));
    }
    let (mut any, mut pdf, mut table) = (Seeds::new(), pdfs::made(), texts());
    let (mut docx, mut pptx, mut xlsx) = (Seeds::new(), Seeds::new(), Seeds::new());
    for folder in folders {
        for file in files_below(&folder)? {
            let is_one = file.contains("/given/workspace/") || file.starts_with("_blobs/");
            if !is_one && file.contains('/') {
                continue;
            }
            let document = fs::read(folder.join(&file))?;
            if document.get(..1024).unwrap_or(&document).windows(5).any(|head| head == b"%PDF-") {
                pdf.extend(pdfs::taken_apart(&document));
                pdf.push(document.clone());
            } else {
                let parts = parts(&document);
                let inputs = inputs(&parts);
                table.extend(inputs.iter().filter(|input| has_table(input)).cloned());
                match format_of(&parts) {
                    Format::Docx => docx.extend(inputs),
                    Format::Pptx => pptx.extend(inputs),
                    _ => xlsx.extend(inputs),
                }
            }
            any.push(document);
        }
    }
    let mut all = [
        ("docx", docx),
        ("pdf", pdf),
        ("pptx", pptx),
        ("preflight", any),
        ("table", table),
        ("xlsx", xlsx),
    ];
    for (_, seeds) in &mut all {
        seeds.retain(|seed| seed.len() <= LONGEST);
    }
    Ok(all.into())
}

/// Tables that are texts.
fn texts() -> Seeds {
    let texts = [
        "[{\"name\": \"ink\", \"count\": 3}, {\"name\": \"paper\", \"price\": 1.50e3, \"x\": null}]",
        "[[1, true], [\"a\\u00e9\", -0.5]]",
        "| a | b \\| c |\n|---|:-:|\n| 1 | *two* |\n\ntext\n\n| x |\n|--|\n",
    ];
    texts.into_iter().map(|text| format!("=== stdin\n{text}").into_bytes()).collect()
}

fn has_table(input: &[u8]) -> bool {
    let input = String::from_utf8_lossy(input);
    ["<w:tbl>", "<a:tbl>", "=== xl/"].iter().any(|table| input.contains(table))
}

/// The parts of a package that readers look at, the important ones first.
fn parts(document: &[u8]) -> Vec<File> {
    const UNREAD: [&str; 7] =
        ["theme", "docProps", "ettings.xml", "fontTable", "customXml", "Props", "Styles"];
    const IN_ORDER: [&str; 6] =
        ["presentation.xml", "workbook.xml", "/document", "sheet1.", "slide1.", ".rels"];

    let Ok(mut package) = ZipArchive::new(Cursor::new(document)) else { return Vec::new() };
    let mut parts = Vec::new();
    for index in 0..package.len() {
        let Ok(part) = package.by_index(index) else { continue };
        let path = String::from_utf8_lossy(part.name_raw()).into_owned();
        let is_xml = path.ends_with(".xml") || path.ends_with(".rels");
        let mut content = Vec::new();
        let read = part.take(64 * 1024).read_to_end(&mut content);
        if is_xml && read.is_ok() && !UNREAD.iter().any(|unread| path.contains(unread)) {
            let path = if path == RELATIONS.1 { RELATIONS.0.to_owned() } else { path };
            parts.push(File { path, content });
        }
    }
    parts.sort_by_key(|part| {
        let place = IN_ORDER.iter().position(|name| part.path.contains(name));
        (part.path != "[Content_Types].xml", place.unwrap_or(IN_ORDER.len()), part.path.clone())
    });
    parts
}

/// A document as far as it is short, and each part of it in a document of its own.
fn inputs(parts: &[File]) -> Seeds {
    const OF_SEVERAL: usize = 2 * 1024;

    let short = |part: &File, most: usize| File {
        path: part.path.clone(),
        content: beginning(&String::from_utf8_lossy(&part.content), most).into_bytes(),
    };
    let mut whole = Vec::new();
    let mut length = 0;
    for part in parts {
        let part = short(part, OF_SEVERAL);
        length += part.path.len() + part.content.len() + 6;
        if length <= LONGEST {
            whole.push(part);
        }
    }
    let mut inputs = vec![input(&whole)];
    for part in parts.iter().filter(|part| part.path.ends_with(".xml")) {
        let mut part = short(part, LONGEST / 2);
        part.path = first(&part.path);
        inputs.push(input(&[part]));
    }
    inputs
}

/// The beginning of XML, in which what is open is closed.
fn beginning(xml: &str, most: usize) -> String {
    if xml.len() <= most {
        return xml.to_owned();
    }
    let (mut beginning, mut open) = (String::new(), Vec::new());
    for piece in xml.split_inclusive('>') {
        if beginning.len() + piece.len() > most {
            break;
        }
        beginning.push_str(piece);
        let tag = piece.rsplit('<').next().unwrap_or_default().trim_end_matches('>');
        if tag.starts_with('/') {
            open.pop();
        } else if !tag.starts_with(['?', '!']) && !tag.ends_with('/') {
            open.extend(tag.split_whitespace().next());
        }
    }
    open.iter().rev().for_each(|name| beginning.push_str(&format!("</{name}>")));
    beginning
}

/// The name that the first of its kind has: others refer to that one.
fn first(path: &str) -> String {
    let name = path.trim_end_matches(".xml");
    match name.trim_end_matches(|character: char| character.is_ascii_digit()) {
        of_all if of_all.len() < name.len() => format!("{of_all}1.xml"),
        _ => path.to_owned(),
    }
}
