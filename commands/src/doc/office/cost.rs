//! What a part of XML will take in memory once it is parsed.
//!
//! The library builds the whole document before it gives anything, and an empty paragraph of six
//! bytes becomes hundreds: what it will build is counted before it is asked to.

use office_oxide::{docx, pptx};
use tapeline::Failure;

/// How much the document and the model of it may take together.
const DOCUMENT_BYTES: u64 = 200 << 20;

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

/// Names of elements are known by so many bytes.
const LONGEST: usize = 24;

/// What is left of the memory that a document may take.
pub(super) struct Memory {
    schema: Schema,
    most: u64,
    left: u64,
}

impl Memory {
    /// Besides the document itself.
    pub(super) fn besides(document: &[u8], schema: Schema) -> Self {
        let most = DOCUMENT_BYTES.saturating_sub(u64::try_from(document.len()).unwrap_or(u64::MAX));
        Self { schema, most, left: most }
    }

    pub(super) fn schema(&self) -> Schema {
        self.schema
    }

    /// Takes what a part and its model cost; only one of so many shares is kept.
    ///
    /// # Errors
    /// `LimitExceeded` (`memory`).
    pub(super) fn take(&mut self, part: &[u8], share: u64) -> Result<(), Failure> {
        let cost = of_part(part, self.schema) / share;
        self.left = self.left.checked_sub(cost).ok_or_else(|| {
            let message = "the document has more paragraphs and marks than can be held in memory";
            Failure::limit_exceeded("memory", self.most, message)
                .hint("split the document, or export it to text")
        })?;
        Ok(())
    }
}

/// What a part and its model take together.
fn of_part(part: &[u8], schema: Schema) -> u64 {
    // The part itself is held, once more while it is parsed, and its text.
    let mut cost = u64::try_from(part.len()).unwrap_or(u64::MAX).saturating_mul(5) / 2;
    let mut rest = part;
    while let Some(start) = memchr::memchr(b'<', rest) {
        rest = rest.get(start + 1..).unwrap_or_default();
        let end = rest.iter().take(LONGEST).position(|byte| !is_of_name(*byte));
        let name = rest.get(..end.unwrap_or(LONGEST)).unwrap_or(rest);
        let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        // The ends of elements and comments have none.
        if !local.is_empty() {
            cost += weight(local, schema);
        }
    }
    cost
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b':'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_elements_by_what_they_become() {
        let part = "<w:p><w:r><w:t>abc</w:t></w:r></w:p>".repeat(50);
        let of_names: u64 = [b"p", b"r", b"t"].iter().map(|name| weight(*name, Schema::Text)).sum();
        let of_bytes = u64::try_from(part.len() * 5 / 2).unwrap();
        assert_eq!(of_part(part.as_bytes(), Schema::Text), of_bytes + 50 * of_names);
        assert_eq!(of_part(b"<", Schema::Text), 2);
    }

    #[test]
    fn takes_no_more_than_there_is() {
        let mut memory = Memory::besides(&[], Schema::Slides);
        let part = "<p/>".repeat(1 << 20);
        assert!(memory.take(part.as_bytes(), 4).is_ok());
        let failure = (0..10).find_map(|_| memory.take(part.as_bytes(), 1).err()).unwrap();
        assert_eq!(failure.code(), tapeline::ErrorCode::LIMIT_EXCEEDED);
    }
}
