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
        scenario("cut-as-markdown", "what is cut is Markdown all the same: no mark stays open")
            .line("doc extract --in inbox/report.docx --max-chars 36")
            .file("inbox/report.docx", documents::report())
            .shows("/result/status", "truncated"),
        scenario("cut-as-json", "what is cut is JSON all the same, and says so in it")
            .line("doc extract --in inbox/report.docx --mode json --max-chars 90 --out report.json")
            .file("inbox/report.docx", documents::report())
            .shows("/result/status", "truncated"),
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
            "warns-embedded-object-pdf",
            "a file that is attached to a PDF is named, and not read",
            "attached.pdf",
            with_attachment(),
        )
        .shows("/result/warnings/0/code", "EmbeddedObject")
        .shows("/result/warnings/0/where", "figures.csv"),
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
            "warns-macros-ignored-xlsx",
            "macros of a workbook are neither run nor read",
            "macro.xlsm",
            documents::xlsx_parts(&[Sheet::new("Sums", &rows)])
                .bytes("xl/vbaProject.bin", b"macro")
                .pack(),
        )
        .shows("/result/warnings/0/code", "MacrosIgnored"),
        warns(
            "warns-macros-ignored-pptx",
            "macros of a presentation are neither run nor read",
            "macro.pptm",
            documents::pptx_parts(&[Slide { title: "With a macro", lines: &[], notes: None }])
                .bytes("ppt/vbaProject.bin", b"macro")
                .pack(),
        )
        .shows("/result/warnings/0/code", "MacrosIgnored"),
        warns(
            "warns-damaged-part-docx",
            "styles that cannot be read cost no words",
            "damaged.docx",
            docx_parts(&paragraph("All is well."))
                .replaced("word/styles.xml", b"<w:styles><w:st")
                .pack(),
        )
        .shows("/result/warnings/0/code", "DamagedPart"),
        warns(
            "warns-damaged-part-xlsx",
            "of a sheet that breaks off the rows before are given",
            "damaged.xlsx",
            documents::xlsx_parts(&[Sheet::new("Whole", &rows), Sheet::new("Half", &rows)])
                .replaced("xl/worksheets/sheet2.xml", HALF_A_SHEET.as_bytes())
                .pack(),
        )
        .shows("/result/warnings/0/code", "DamagedPart"),
        warns(
            "warns-damaged-part-pdf",
            "a page that cannot be read is named, and the others are given",
            "damaged.pdf",
            half_a_pdf(),
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

const HALF_A_SHEET: &str = "\
<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>
<row><c t=\"inlineStr\"><is><t>one</t></is></c></row><row><c t=\"inli";

/// What its second page shows is not in the file.
fn half_a_pdf() -> Vec<u8> {
    let mut letter = documents::letter();
    let shown = b"/Contents 5 0 R";
    let place = letter.windows(shown.len()).position(|bytes| bytes == shown);
    let place = place.unwrap_or_default();
    letter.splice(place..place + shown.len(), *b"/Contents 9 0 R");
    letter
}

/// A PDF that a file is attached to.
fn with_attachment() -> Vec<u8> {
    let mut pdf = documents::Pdf::default();
    let font = pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    let content = pdf.stream("", lines(11, 700, &["See the figures."]).as_bytes());
    let tree = content + 2;
    let page = pdf.object(format!(
        "<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
         /Resources << /Font << /F1 {font} 0 R >> >> >>"
    ));
    pdf.object(format!("<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>"));
    let file = pdf.stream("/Type /EmbeddedFile", b"shop,units\n");
    let root = pdf.object(format!(
        "<< /Type /Catalog /Pages {tree} 0 R /Names << /EmbeddedFiles << /Names [(figures.csv) << \
         /Type /Filespec /F (figures.csv) /EF << /F {file} 0 R >> >>] >> >> >>"
    ));
    pdf.finish(root, "")
}
