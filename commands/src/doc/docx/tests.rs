//! Word documents made for the purpose.

use super::{
    super::{
        block::{Rendering, Stop},
        office::sample::{Given, NAMESPACES, package},
        warning::Code,
    },
    read,
};

fn document(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let body = format!("<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>");
    package("wordprocessingml.document", ("word/document.xml", &body), parts)
}

fn given(body: &str, parts: &[(&str, &str)], rendering: Rendering) -> Given {
    let mut given = Given::new(rendering);
    read(&document(body, parts), &mut given).unwrap();
    given
}

fn check(body: &str, parts: &[(&str, &str)], plain: &[&str], markdown: &[&str]) {
    assert_eq!(given(body, parts, Rendering::Plain).lines(), plain);
    assert_eq!(given(body, parts, Rendering::Markdown).lines(), markdown);
}

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

const NUMBERING: &str = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
    <w:abstractNum w:abstractNumId="0">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
    <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
    </w:abstractNum>
    <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="4294967295"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>"#;

fn item(list: u32, level: u32, text: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
    )
}

#[test]
fn list_items_have_the_markers_that_are_shown() {
    let body = [
        item(1, 0, "one"),
        item(1, 1, "below"),
        item(1, 1, "below"),
        p("between"),
        item(1, 0, "two"),
        item(1, 1, "anew"),
        item(2, 0, "restarted"),
        item(2, 0, "and on"),
        item(3, 0, "far"),
        item(3, 0, "farther"),
    ]
    .concat();
    let parts = [
        ("word/numbering.xml", NUMBERING),
        ("word/document.xml -> numbering word/numbering.xml", ""),
    ];
    let lines = given(&body, &parts, Rendering::Blocks).lines();
    let expected = [
        "01. one",
        "11.a) below",
        "11.b) below",
        "between",
        "02. two",
        "12.a) anew",
        "07. restarted",
        "08. and on",
        "04294967295 far",
        "04294967296 farther",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn headings_come_by_style_and_by_level() {
    let styles = r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
        <w:style w:type="paragraph" w:styleId="a"><w:name w:val="Überschrift 2"/><w:rPr><w:b/></w:rPr></w:style>
        <w:style w:type="paragraph" w:styleId="b"><w:name w:val="mine"/><w:basedOn w:val="c"/></w:style>
        <w:style w:type="paragraph" w:styleId="c"><w:name w:val="its"/><w:basedOn w:val="b"/><w:pPr><w:outlineLvl w:val="8"/></w:pPr></w:style></w:styles>"#;
    let styled = |id: &str| {
        format!(
            r#"<w:p><w:pPr><w:pStyle w:val="{id}"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>{id}</w:t></w:r></w:p>"#
        )
    };
    let body = [styled("a"), styled("b"), styled("none")].concat();
    let parts = [("word/styles.xml", styles), ("word/document.xml -> styles word/styles.xml", "")];
    check(&body, &parts, &["h2 a", "h6 b", "none"], &["h2 a", "h6 b", "**none**"]);
}

#[test]
fn tracked_changes_are_accepted_and_runs_are_joined() {
    let body = r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>wo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>rd</w:t></w:r>
        <w:ins><w:r><w:t xml:space="preserve"> new*</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>
        <w:r><w:br/><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
        <w:hyperlink r:id="r0"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>"#;
    let parts = [("word/document.xml -> hyperlink http://a.example/", "")];
    check(
        body,
        &parts,
        &["word new* / a\tbE=mclink"],
        &["**word** new\\* / a\tbE=mc[link](http://a.example/)"],
    );
}

#[test]
fn notes_edges_and_comments_stand_around_the_body() {
    let reference = |id: u32| format!(r#"<w:r><w:footnoteReference w:id="{id}"/></w:r>"#);
    let body = format!(
        r#"<w:p><w:r><w:t>text</w:t></w:r>{}</w:p><w:sectPr><w:headerReference w:type="default" r:id="r2"/></w:sectPr>"#,
        reference(5)
    );
    let notes = |ids: &[u32]| {
        let notes = ids
            .iter()
            .map(|id| format!(r#"<w:footnote w:id="{id}">{}</w:footnote>"#, p("its note")));
        format!("<w:footnotes {NAMESPACES}>{}</w:footnotes>", notes.collect::<String>())
    };
    let header = format!("<w:hdr {NAMESPACES}>{}</w:hdr>", p("top"));
    let comments = format!(
        r#"<w:comments {NAMESPACES}><w:comment w:id="1" w:author="Ann">{}</w:comment></w:comments>"#,
        p("why?")
    );
    let parts = |notes| {
        [
            ("word/footnotes.xml", notes),
            ("word/document.xml -> footnotes word/footnotes.xml", ""),
            ("word/document.xml -> header word/header1.xml", ""),
            ("word/header1.xml", header.as_str()),
            ("word/comments.xml", comments.as_str()),
            ("word/document.xml -> comments word/comments.xml", ""),
        ]
    };
    let (one, two) = (notes(&[5]), notes(&[4, 5]));
    check(
        &body,
        &parts(&one),
        &["header top", "text[*]", "note *: its note", "Ann: why?"],
        &["header top", "text[^1]", "note 1: its note", "Ann: why?"],
    );
    let given = given(&body, &parts(&two), Rendering::Plain);
    assert_eq!(given.lines(), ["header top", "text[*]", "note *: its note", "Ann: why?"]);
}

#[test]
fn merged_cells_have_their_value_first() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p(text))
    };
    let nested = format!(
        "<w:tc>{}<w:tbl><w:tr>{}{}</w:tr></w:tbl></w:tc>",
        p("in"),
        cell("", "x"),
        cell("", "y")
    );
    let body = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}{nested}</w:tr></w:tbl>",
        cell(r#"<w:vMerge w:val="restart"/>"#, "a"),
        cell(r#"<w:gridSpan w:val="2"/>"#, "b"),
        cell("<w:vMerge/>", ""),
        cell("", "c"),
    );
    check(&body, &[], &["a|b| // |c|in / x\ty"], &["a|b| // |c|in / x\ty"]);
}

#[test]
fn spans_and_wide_rows_build_little() {
    let cell = |span: u32| {
        format!(r#"<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>{}</w:tc>"#, p("x"))
    };
    let wide = format!("<w:tr>{}</w:tr>", cell(1_000_000_000).repeat(1_000));
    let narrow = format!("<w:tr>{}</w:tr>", cell(1)).repeat(3_000);
    let given = given(&format!("<w:tbl>{wide}{narrow}</w:tbl>"), &[], Rendering::Plain);
    let cells: usize = given.blocks.iter().flat_map(|block| &block.rows).map(Vec::len).sum();
    assert!(cells < 300_000, "{cells}");
    assert!(
        given
            .blocks
            .iter()
            .all(|block| block.rows.iter().all(|row| row.len() == block.rows[0].len()))
    );
}

#[test]
fn a_text_box_is_given_beside_its_paragraph() {
    let text_box =
        format!("<w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r>", p("boxed"));
    let body = format!(
        "<w:p>{text_box}<w:r><w:t>one</w:t></w:r>{text_box}<w:r><w:t>two</w:t></w:r></w:p>"
    );
    check(&body, &[], &["boxed", "onetwo", "boxed"], &["boxed", "onetwo", "boxed"]);
}

#[test]
fn says_what_was_not_read() {
    let parts = [
        ("word/vbaProject.bin", ""),
        ("word/embeddings/sheet.xlsx", ""),
        ("word/charts/chart1.xml", ""),
        ("word/charts/chart1.xml -> package word/embeddings/behind.xlsx", ""),
        ("word/embeddings/behind.xlsx", ""),
        ("word/footnotes.xml", "<broken"),
        ("word/document.xml -> footnotes word/footnotes.xml", ""),
    ];
    let given = given(&p("text"), &parts, Rendering::Plain);
    assert_eq!(given.codes(), [Code::MacrosIgnored, Code::EmbeddedObject, Code::DamagedPart]);
    let places: Vec<_> =
        given.warnings.iter().filter_map(|warning| warning.place.as_deref()).collect();
    assert_eq!(places, ["word/embeddings/sheet.xlsx", "word/footnotes.xml"]);
}

#[test]
fn what_takes_too_much_memory_is_refused_before_it_is_built() {
    let bytes = document(&"<w:p></w:p>".repeat(2_000_000), &[]);
    let stopped = read(&bytes, &mut Given::new(Rendering::Plain)).unwrap_err();
    assert!(matches!(stopped, Stop::Failed(failure) if failure.code().name() == "LimitExceeded"));
}

#[test]
fn no_archive_is_a_parse_error() {
    for bytes in [&b""[..], b"PK\x03\x04 and no more", &document("", &[])[..200]] {
        let stopped = read(bytes, &mut Given::new(Rendering::Plain)).unwrap_err();
        assert!(matches!(stopped, Stop::Failed(failure) if failure.code().name() == "ParseError"));
    }
}
