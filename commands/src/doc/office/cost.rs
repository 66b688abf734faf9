//! What a part of XML will take in memory once it is parsed.
//!
//! The library builds the whole document before it gives anything, and an empty paragraph of six
//! bytes becomes hundreds: what it will build is counted before it is asked to.

use std::io::Read;

use office_oxide::{docx, pptx};

/// How much the document and the model of it may take together.
pub(super) const DOCUMENT_BYTES: u64 = 200 << 20;

/// Whose elements are counted: some have one name and not one size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Schema {
    Text,
    Slides,
}

/// What an element adds, by its local name: its size in a vector that grows by doubling and what it
/// holds, checked against what documents made of nothing else take.
fn weight(name: &[u8], schema: Schema) -> u64 {
    let grown = |size: usize| size + size / 4;
    let size = match (name, schema) {
        (b"p", Schema::Text) => grown(size_of::<docx::BlockElement>()),
        (b"r" | b"oMath" | b"oMathPara", Schema::Text) => {
            grown(size_of::<docx::ParagraphContent>()) + 64
        }
        (b"commentRangeStart", Schema::Text) => grown(size_of::<docx::ParagraphContent>()) + 32,
        (b"hyperlink" | b"fldSimple", Schema::Text) => {
            2 * size_of::<docx::ParagraphContent>() + 4 * size_of::<docx::Run>()
        }
        (b"t" | b"br" | b"tab" | b"cr" | b"fldChar", Schema::Text) => {
            grown(size_of::<docx::RunContent>()) + 32
        }
        (b"tbl", Schema::Text) => size_of::<docx::Table>() + grown(size_of::<docx::BlockElement>()),
        (b"tr", Schema::Text) => grown(size_of::<docx::TableRow>()),
        (b"tc", Schema::Text) => grown(size_of::<docx::TableCell>()),
        (b"drawing" | b"imagedata", Schema::Text) => grown(size_of::<docx::DrawingInfo>()) + 64,
        (b"sectPr", Schema::Text) => 2 * grown(size_of::<docx::SectionProperties>()),
        (b"style", Schema::Text) => 2 * size_of::<docx::Style>(),
        (b"footnote" | b"endnote" | b"comment" | b"abstractNum", Schema::Text) => 128,

        (b"p", Schema::Slides) => grown(size_of::<pptx::TextParagraph>()),
        (b"r" | b"br" | b"fld" | b"m", Schema::Slides) => {
            grown(size_of::<pptx::TextContent>()) + 64
        }
        (b"tr", Schema::Slides) => grown(size_of::<pptx::shape::TableRow>()),
        (b"tc", Schema::Slides) => grown(size_of::<pptx::shape::TableCell>()),
        (b"sp" | b"pic" | b"cxnSp" | b"grpSp" | b"graphicFrame", Schema::Slides) => {
            grown(size_of::<pptx::Shape>()) + 512
        }
        (b"ph", Schema::Slides) => 320,
        (b"cm" | b"text", Schema::Slides) => 96,

        (b"Relationship" | b"Override" | b"lvl" | b"num" | b"sldId", _) => 384,
        (b"cmAuthor" | b"author", _) => 320,
        (b"shd" | b"tcBorders" | b"pBdr" | b"rFonts" | b"ffData" | b"tcPr", _) => 192,
        (b"headerReference" | b"footerReference" | b"tab" | b"gridCol" | b"col", _) => 64,
        // What is skipped.
        _ => 24,
    };
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// Counts a part as it is inflated. One beyond `left` is not read to its end.
pub(super) fn of_part(part: &mut impl Read, schema: Schema, left: u64) -> u64 {
    let mut counted = Counted::new(schema);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match part.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => counted.add(buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // The library says what is wrong with it.
            Err(_) => break,
        }
        if counted.cost > left {
            break;
        }
    }
    counted.cost
}

/// Names of elements are known by so many bytes.
const LONGEST: usize = 24;

struct Counted {
    schema: Schema,
    cost: u64,
    /// The name after a `<` that the bytes so far ended in.
    name: Option<Vec<u8>>,
}

impl Counted {
    fn new(schema: Schema) -> Self {
        Self { schema, cost: 0, name: None }
    }

    fn add(&mut self, mut bytes: &[u8]) {
        // The part itself is held while it is parsed, and its text once more.
        self.cost += u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_mul(3) / 2;
        if let Some(mut name) = self.name.take() {
            let room = LONGEST.saturating_sub(name.len());
            let end = bytes.iter().take(room).position(|byte| !is_of_name(*byte));
            name.extend(bytes.iter().take(end.unwrap_or(room)));
            if end.is_none() && bytes.len() < room {
                self.name = Some(name);
                return;
            }
            self.element(&name);
        }
        while let Some(start) = memchr::memchr(b'<', bytes) {
            bytes = bytes.get(start + 1..).unwrap_or_default();
            let end = bytes.iter().take(LONGEST).position(|byte| !is_of_name(*byte));
            let name = bytes.get(..end.unwrap_or(LONGEST)).unwrap_or(bytes);
            if end.is_none() && bytes.len() < LONGEST {
                self.name = Some(name.to_vec());
                return;
            }
            self.element(name);
        }
    }

    fn element(&mut self, name: &[u8]) {
        let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        // The ends of elements and comments have none.
        if !local.is_empty() {
            self.cost += weight(local, self.schema);
        }
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b':'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(part: &str, chunk: usize) -> u64 {
        let mut counted = Counted::new(Schema::Text);
        part.as_bytes().chunks(chunk).for_each(|bytes| counted.add(bytes));
        // The bytes alone are divided by two, chunk by chunk.
        counted.cost
    }

    #[test]
    fn counts_elements_wherever_a_read_ends() {
        let part = "<w:p><w:r><w:t>abc</w:t></w:r></w:p>".repeat(50);
        let whole = cost(&part, part.len());
        assert!(whole > 50 * (weight(b"p", Schema::Text) + weight(b"r", Schema::Text)));
        assert!(whole.abs_diff(cost(&part, 2)) <= u64::try_from(part.len()).unwrap());
    }

    #[test]
    fn stops_at_what_is_left() {
        let part = "<p/>".repeat(1 << 20);
        let cost = of_part(&mut part.as_bytes(), Schema::Slides, 1 << 20);
        assert!(cost > 1 << 20 && cost < 200 << 20, "{cost}");
    }
}
