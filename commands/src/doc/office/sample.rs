//! For tests: small packages, and a sink that keeps what it is given.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::super::{
    block::{Block, Kind, Rendering, Sink, Stop, Watch},
    warning::{Code, Warning},
};

pub(in super::super) const NAMESPACES: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart""#;

/// A package of `main` and other parts. A part `a -> kind b` is a relationship: the number of its
/// line is its id, and its text is left empty.
pub(in super::super) fn package(kind: &str, main: (&str, &str), parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, text: &str| {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    };
    put(
        "[Content_Types].xml",
        &format!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/{}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>"#,
            main.0
        ),
    );
    let mut relations: Vec<(String, String)> =
        vec![("_rels/.rels".to_owned(), relation(0, "officeDocument", main.0))];
    put(main.0, main.1);
    for (index, (name, text)) in parts.iter().enumerate() {
        let Some((from, to)) = name.split_once(" -> ") else {
            put(name, text);
            continue;
        };
        let (folder, file) = from.rsplit_once('/').unwrap_or(("", from));
        let (kind, target) = to.split_once(' ').unwrap();
        let part = format!("{folder}/_rels/{file}.rels");
        let found = relation(index, kind, &format!("/{target}"));
        match relations.iter_mut().find(|(known, _)| *known == part) {
            Some((_, known)) => known.push_str(&found),
            None => relations.push((part, found)),
        }
    }
    for (part, relations) in relations {
        let schema = "http://schemas.openxmlformats.org/package/2006/relationships";
        put(&part, &format!(r#"<Relationships xmlns="{schema}">{relations}</Relationships>"#));
    }
    writer.finish().unwrap().into_inner()
}

fn relation(index: usize, kind: &str, target: &str) -> String {
    let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let (target, mode) = match target.strip_prefix("/http") {
        Some(rest) => (format!("http{rest}"), r#" TargetMode="External""#),
        None => (target.to_owned(), ""),
    };
    format!(r#"<Relationship Id="r{index}" Type="{base}/{kind}" Target="{target}"{mode}/>"#)
}

/// Keeps what it is given, until `room` characters.
pub(in super::super) struct Given {
    rendering: Rendering,
    room: usize,
    pub(in super::super) count: u32,
    pub(in super::super) blocks: Vec<Block>,
    pub(in super::super) warnings: Vec<Warning>,
}

impl Given {
    pub(in super::super) fn new(rendering: Rendering) -> Self {
        Self { rendering, room: 100_000, count: 0, blocks: Vec::new(), warnings: Vec::new() }
    }

    pub(in super::super) fn codes(&self) -> Vec<Code> {
        self.warnings.iter().map(|warning| warning.code).collect()
    }

    /// A line for each block.
    pub(in super::super) fn lines(&self) -> Vec<String> {
        let line = |block: &Block| {
            let text = block.text.replace('\n', " / ");
            match &block.kind {
                Kind::Heading(level) => format!("h{level} {text}"),
                Kind::Paragraph => text,
                Kind::ListItem { depth, marker } => {
                    format!("{depth}{} {text}", marker.as_deref().unwrap_or("-"))
                }
                Kind::Table => {
                    let rows: Vec<String> = block.rows.iter().map(|row| row.join("|")).collect();
                    rows.join(" // ").replace('\n', " / ")
                }
                Kind::Footnote { label } => format!("note {label}: {text}"),
                Kind::Comment { author } => format!("{}: {text}", author.as_deref().unwrap_or("?")),
                Kind::Header => format!("header {text}"),
                Kind::Footer => format!("footer {text}"),
                Kind::Notes => format!("notes {text}"),
            }
        };
        self.blocks.iter().map(line).collect()
    }
}

impl Watch for Given {
    fn go_on(&mut self, _done: u64, _total: Option<u64>) -> Result<(), Stop> {
        Ok(())
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

impl Sink for Given {
    fn rendering(&self) -> Rendering {
        self.rendering
    }

    fn take(&mut self, block: Block) -> Result<(), Stop> {
        if self.room == 0 {
            return Err(Stop::Full);
        }
        let cells = block.rows.iter().flatten().map(String::len).sum::<usize>();
        self.room = self.room.saturating_sub(block.text.len() + cells);
        self.blocks.push(block);
        Ok(())
    }

    fn room(&self) -> usize {
        self.room
    }

    fn count(&mut self, count: u32) {
        self.count = count;
    }
}
