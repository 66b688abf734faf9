//! What a text does not tell by itself: each warning.

use super::{
    documents::{self, Sheet, Slide, docx_parts, lines, paragraph, pdf, row, text},
    scenario,
};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let rows = row(&[text("a"), text("b")]);
    let warns = |case: &str, title: &'static str, name: &str, document: Vec<u8>| {
        scenario(case, title).line(format!("doc extract --in {name}")).file(name, document)
    };
    vec![
        scenario("warns-truncated", "a text is cut at `--max-chars`, and says so")
            .line("doc extract --in note.docx --max-chars 20 --mode text")
            .file("note.docx", documents::docx(&paragraph("One sentence. And another one.")))
            .shows("/result/status", "truncated")
            .shows("/result/warnings/0/code", "Truncated"),
        scenario("warns-page-limit", "of a very long PDF the first 5,000 pages are read")
            .line("doc extract --in long.pdf --mode text --out long.txt")
            .file("long.pdf", documents::long_pdf(5001))
            .shows("/result/status", "truncated")
            .shows("/result/pages", 5001)
            .shows("/result/warnings/0/code", "PageLimit"),
        warns(
            "warns-scanned-pages",
            "pages that are pictures are named",
            "scan.pdf",
            pdf(&[&lines(11, 700, &["A cover letter."]), &documents::scan()]),
        )
        .shows("/result/warnings/0/code", "ScannedPages"),
        warns(
            "warns-unmapped-glyphs",
            "a font that does not say what its glyphs mean",
            "odd.pdf",
            documents::unmapped(),
        )
        .shows("/result/warnings/0/code", "UnmappedGlyphs"),
        warns(
            "warns-hidden-sheet",
            "a hidden sheet is given and named",
            "two.xlsx",
            documents::xlsx(&[
                Sheet::new("Front", &rows),
                Sheet { is_hidden: true, ..Sheet::new("Back", &rows) },
            ]),
        )
        .shows("/result/warnings/0/code", "HiddenSheet"),
        warns(
            "warns-formula-without-value",
            "a formula that was never computed",
            "new.xlsx",
            documents::xlsx(&[Sheet::new(
                "Sums",
                "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1+1</f></c></row>\n",
            )]),
        )
        .shows("/result/warnings/0/code", "FormulaWithoutValue"),
        warns(
            "warns-macros-ignored",
            "macros are neither run nor read",
            "macro.docm",
            docx_parts(&paragraph("With a macro.")).bytes("word/vbaProject.bin", b"macro").pack(),
        )
        .shows("/result/warnings/0/code", "MacrosIgnored"),
        warns(
            "warns-embedded-object",
            "an object inside a document is not read",
            "object.docx",
            docx_parts(&paragraph("With an object."))
                .bytes("word/embeddings/oleObject1.bin", b"object")
                .pack(),
        )
        .shows("/result/warnings/0/code", "EmbeddedObject"),
        warns(
            "warns-damaged-part",
            "a slide that cannot be read is named, and the others are given",
            "damaged.pptx",
            documents::pptx_parts(&["First", "Second", "Third"].map(|title| Slide {
                title,
                lines: &[],
                notes: None,
            }))
            .replaced("ppt/slides/slide2.xml", b"<p:sld><p:cSld>")
            .pack(),
        )
        .shows("/result/warnings/0/code", "DamagedPart"),
        warns(
            "warns-external-entity",
            "an entity is not followed",
            "entity.docx",
            documents::with_doctype(
                "<!DOCTYPE d [<!ENTITY secret SYSTEM \"file:///etc/passwd\">]>",
                "The password: &secret;",
            ),
        )
        .shows("/result/warnings/0/code", "ExternalEntityIgnored"),
    ]
}
