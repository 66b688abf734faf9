//! Texts: what people who use them count on.

use super::{
    documents::{Parts, docx, docx_parts, heading, item, paragraph, report, table},
    extract, text_of,
};

#[test]
fn a_report_as_markdown() {
    assert_eq!(
        text_of(report(), "md"),
        "# Quarterly report\n\nSales rose by **12 %**[^1] over the year; see \
         [the figures](https://tapeline.example/report).\n\n## By region\n\n\
         | Region | Units |\n| --- | --- |\n| North | 120 |\n| South | 95 |\n\n## What is next\n\n\
         1. Open the second shop\n    - a) find a place\n2. Hire\n- two drivers\n\nSigned in June.\n\n\
         [^1]: Counted twice.\n\n> **Comment** (Ana): Is this final?\n"
    );
}

#[test]
fn tracked_changes_are_given_as_accepted() {
    let body = "<w:p><w:r><w:t xml:space=\"preserve\">Price: </w:t></w:r><w:del w:id=\"1\" \
        w:author=\"A\"><w:r><w:delText>10</w:delText></w:r></w:del><w:ins w:id=\"2\" w:author=\"A\">\
        <w:r><w:t>12</w:t></w:r></w:ins></w:p>";
    assert_eq!(text_of(docx(body), "text"), "Price: 12\n");
}

#[test]
fn merged_cells_have_their_value_in_the_first() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", paragraph(text))
    };
    let wide = cell("<w:gridSpan w:val=\"2\"/>", "wide");
    let tall = cell("<w:vMerge w:val=\"restart\"/>", "tall");
    let below = cell("<w:vMerge/>", "");
    let rows = [
        format!("<w:tr>{wide}{}</w:tr>", cell("", "c")),
        format!("<w:tr>{tall}{}{}</w:tr>", cell("", "e"), cell("", "f")),
        format!("<w:tr>{below}{}{}</w:tr>", cell("", "h"), cell("", "i")),
    ];
    let body = format!("<w:tbl>{}</w:tbl>", rows.concat());
    assert_eq!(text_of(docx(&body), "text"), "wide\t\tc\ntall\te\tf\n\th\ti\n");
}

#[test]
fn a_span_that_claims_to_be_huge_makes_nothing_huge() {
    let body = format!(
        "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"1000000000\"/></w:tcPr>{}</w:tc></w:tr></w:tbl>",
        paragraph("a")
    );
    assert!(text_of(docx(&body), "text").len() < 10_000);
}

#[test]
fn headers_and_footers_are_given_once() {
    let part = |root: &str, text: &str| {
        format!(
            "<w:{root} xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">{}</w:{root}>",
            paragraph(text)
        )
    };
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let section = "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rIdH\"/>\
        <w:footerReference w:type=\"default\" r:id=\"rIdF\"/></w:sectPr>";
    let body = format!(
        "{}<w:p><w:pPr>{section}</w:pPr></w:p>{}{section}",
        paragraph("one"),
        paragraph("two")
    );
    let document = Parts::default()
        .part(
            "word/document.xml",
            &format!("{word}.document.main+xml"),
            &format!(
                "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
                 xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
                 <w:body>{body}</w:body></w:document>"
            ),
        )
        .part("word/header1.xml", &format!("{word}.header+xml"), &part("hdr", "Letterhead"))
        .part("word/footer1.xml", &format!("{word}.footer+xml"), &part("ftr", "Imprint"))
        .relations("", &[("rId1", "officeDocument", "word/document.xml")])
        .relations(
            "word/document.xml",
            &[("rIdH", "header", "header1.xml"), ("rIdF", "footer", "footer1.xml")],
        )
        .pack();
    let text = text_of(document, "text");
    assert_eq!(text.matches("Letterhead").count(), 1, "{text}");
    assert_eq!(text.matches("Imprint").count(), 1, "{text}");
    assert!(text.find("one") < text.find("two"), "{text}");
}

#[test]
fn equations_and_breaks_are_text() {
    let body = "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>\
        <w:p><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>";
    let text = text_of(docx(body), "text");
    assert!(text.contains("a\tb\nc"), "{text:?}");
    assert!(text.contains("E=mc"), "{text:?}");
}

#[test]
fn macros_and_embedded_objects_are_told() {
    let parts = docx_parts(&paragraph("a")).bytes("word/vbaProject.bin", b"macro");
    let (run, _) = extract(parts.pack(), "");
    assert_eq!(run.warnings(), ["MacrosIgnored"]);
    let parts = docx_parts(&paragraph("a")).bytes("word/embeddings/oleObject1.bin", b"object");
    let (run, _) = extract(parts.pack(), "");
    assert_eq!(run.warnings(), ["EmbeddedObject"]);
}

#[test]
fn text_that_looks_like_markdown_is_no_markdown() {
    let body = [
        paragraph("# no heading"),
        paragraph("*no* list"),
        paragraph("1. no item"),
        heading(1, "a_b"),
    ];
    assert_eq!(
        text_of(docx(&body.concat()), "md"),
        "\\# no heading\n\n\\*no\\* list\n\n1\\. no item\n\n# a_b\n"
    );
}

#[test]
fn tables_inside_tables_stay_in_their_cell() {
    let inner = table(&[&["x", "y"]]);
    let body = format!(
        "<w:tbl><w:tr><w:tc>{inner}{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
        paragraph(""),
        paragraph("z")
    );
    let text = text_of(docx(&body), "text");
    assert_eq!(text.lines().count(), 1, "{text:?}");
    assert!(text.contains('x') && text.contains('y') && text.contains('z'), "{text:?}");
}

#[test]
fn items_are_numbered_as_they_are_shown() {
    let body = [
        item(2, 0, "one"),
        item(2, 1, "a"),
        item(2, 1, "b"),
        item(2, 0, "two"),
        item(2, 1, "again"),
    ];
    assert_eq!(
        text_of(docx(&body.concat()), "md"),
        "1. one\n    - a) a\n    - b) b\n2. two\n    - a) again\n"
    );
}

#[test]
fn prefixes_mean_what_they_are_declared_as() {
    let body = heading(2, "Title") + &item(1, 0, "one") + &item(2, 0, "two") + &paragraph("end");
    let usual = docx_parts(&body);
    let other = usual.clone().written_as("w:", "ns0:").written_as("xmlns:w=", "xmlns:ns0=");
    let (_, expected) = extract(usual.pack(), "");
    assert!(expected.contains("## Title") && expected.contains("1. two"), "{expected}");
    assert_eq!(extract(other.pack(), "").1, expected);
}

#[test]
fn a_side_part_that_is_damaged_costs_no_words() {
    for part in ["word/styles.xml", "word/numbering.xml"] {
        let document = docx_parts(&(paragraph("before") + &item(2, 0, "one")));
        let (run, text) = extract(document.replaced(part, b"<w:styles><w:st").pack(), "");
        assert_eq!(run.warnings(), ["DamagedPart"]);
        assert_eq!(run.result["warnings"][0]["where"], part);
        assert!(text.contains("before") && text.contains("one"), "{text}");
    }
}

#[test]
fn a_part_that_is_referred_to_and_not_there_is_told() {
    let relations = [("rId1", "styles", "styles.xml"), ("rId7", "footnotes", "footnotes.xml")];
    let list = Parts::default().relations("word/document.xml", &relations);
    let document = docx_parts(&paragraph("a"))
        .replaced("word/_rels/document.xml.rels", &list.content("word/_rels/document.xml.rels"));
    let (run, text) = extract(document.pack(), "");
    assert_eq!((run.warnings(), text.as_str()), (vec!["DamagedPart"], "a\n"));
    assert_eq!(run.result["warnings"][0]["where"], "word/footnotes.xml");
}

#[test]
fn what_a_ruby_an_equation_and_a_placed_tab_say_is_there() {
    let run = |inside: &str| format!("<w:r>{inside}</w:r>");
    let word = |text: &str| run(&format!("<w:t>{text}</w:t>"));
    let ruby = format!(
        "<w:ruby><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby>",
        word("g"),
        word("\u{6771}\u{4eac}")
    );
    let of = |name: &str, text: &str| format!("<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>");
    let fraction = format!("<m:oMath><m:f>{}{}</m:f></m:oMath>", of("num", "a+b"), of("den", "2"));
    let body = format!(
        "<w:p>{}{}{}</w:p><m:oMathPara>{fraction}</m:oMathPara><w:p>{}{}{}</w:p>",
        word("\u{524d}"),
        run(&ruby),
        word("\u{5f8c}"),
        word("left"),
        run("<w:ptab/>"),
        word("right"),
    );
    for (mode, equation) in [("text", "a+b2"), ("md", "(a+b)/2")] {
        let expected = format!("\u{524d}\u{6771}\u{4eac}\u{5f8c}\n\n{equation}\n\nleft\tright\n");
        assert_eq!(text_of(docx(&body), mode), expected);
    }
}

#[test]
fn what_was_deleted_is_gone_and_not_counted() {
    let mark = "<w:rPr><w:del w:id=\"1\"/></w:rPr></w:pPr>";
    let gone = "<w:del w:id=\"2\"><w:r><w:delText>gone</w:delText></w:r></w:del>";
    let list = item(2, 0, "first")
        + &item(2, 0, "gone")
            .replace("</w:pPr>", mark)
            .replace("<w:r>", "<w:del w:id=\"2\"><w:r>")
            .replace("</w:r>", "</w:r></w:del>")
            .replace("w:t>", "w:delText>")
        + &item(2, 0, "third");
    let joined = format!("<w:p><w:pPr>{mark}<w:r><w:t>a</w:t></w:r>{gone}</w:p>{}", paragraph("b"));
    let (run, text) = extract(docx(&(list + &joined)), "");
    assert_eq!(text, "1. first\n2. third\n\nab\n");
    assert_eq!(run.result["paragraphs"], 3);
}

#[test]
fn styles_of_deeper_lists_lie_deeper() {
    let style = |id: &str, name: &str, list: u8| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:pPr><w:numPr>\
             <w:numId w:val=\"{list}\"/></w:numPr></w:pPr></w:style>"
        )
    };
    let styles = format!(
        "<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">{}{}{}</w:styles>",
        style("ListBullet", "List Bullet", 1),
        style("a", "List Bullet 2", 1),
        style("ListNumber3", "List Number 3", 2)
    );
    let styled = |id: &str, text: &str| {
        paragraph(text).replace("<w:p>", &format!("<w:p><w:pPr><w:pStyle w:val=\"{id}\"/></w:pPr>"))
    };
    let body = [
        styled("ListBullet", "one"),
        styled("a", "two"),
        styled("ListNumber3", "three"),
        styled("ListBullet", "four"),
    ];
    let document = docx_parts(&body.concat()).replaced("word/styles.xml", styles.as_bytes()).pack();
    assert_eq!(text_of(document, "md"), "- one\n    - two\n        1. three\n- four\n");
}

#[test]
fn marks_stand_at_letters_and_blanks_outside() {
    let run = |look: &str, text: &str| {
        format!("<w:r><w:rPr>{look}</w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
    };
    let body = format!(
        "<w:p>{}<w:hyperlink r:id=\"rIdLink\">{}{}</w:hyperlink>{}{}</w:p>",
        run("", "see"),
        run("", " the "),
        run("<w:b/>", " figures "),
        run("", "of"),
        run("<w:i/>", " June "),
    );
    assert_eq!(
        text_of(docx(&body), "md"),
        "see [the  **figures**](https://tapeline.example/report) of *June*\n"
    );
}

#[test]
fn a_list_of_relations_that_is_not_there_is_told_once() {
    let link = "<w:p><w:hyperlink r:id=\"rIdLink\"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>";
    let list = "word/_rels/document.xml.rels";
    let (run, text) = extract(docx_parts(&link.repeat(2)).without(list).pack(), "");
    assert_eq!((run.warnings(), text.as_str()), (vec!["DamagedPart"], "a\n\na\n"));
    assert_eq!(run.result["warnings"][0]["where"], list);
    // Nothing is missed of what refers to nothing.
    let (run, _) = extract(docx_parts(&paragraph("a")).without(list).pack(), "");
    assert!(run.warnings().is_empty(), "{run:?}");
    let empty = link.replace("rIdLink", "");
    let (run, _) = extract(docx_parts(&empty).without(list).pack(), "");
    assert!(run.warnings().is_empty(), "{run:?}");
}

#[test]
fn of_what_is_there_for_new_and_old_programs_one_is_read() {
    let ways = |choice: &str, fallback: &str| {
        format!(
            "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">\
             <mc:Choice Requires=\"w16se\">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback>\
             </mc:AlternateContent>"
        )
    };
    let in_run = |inside: &str| format!("<w:p><w:r><w:t>a</w:t>{inside}</w:r></w:p>");
    let boxed =
        |text: &str| format!("<w:pict><w:txbxContent>{}</w:txbxContent></w:pict>", paragraph(text));
    let body = [
        in_run(&ways(
            "<w16se:symEx xmlns:w16se=\"urn:s\" w16se:char=\"1F60A\"/>",
            "<w:t>\u{1f60a}</w:t>",
        )),
        in_run(&ways("<w:t>new</w:t>", "<w:t>old</w:t>")),
        ways(&paragraph("block"), &paragraph("older")),
        ways(&table(&[&["cell"]]), &table(&[&["older"]])),
        in_run(&ways(&boxed("box"), &boxed("older"))),
    ];
    let text = "a\u{1f60a}\n\nanew\n\nblock\n\ncell\n\na\n\nbox\n";
    let document = docx_parts(&body.concat());
    assert_eq!(text_of(document.pack(), "text"), text);
    let other = document.written_as("mc:", "n1:").written_as("xmlns:mc=", "xmlns:n1=");
    assert_eq!(text_of(other.pack(), "text"), text);
}

#[test]
fn of_fields_inside_fields_the_outer_result_is_text() {
    let character = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let instruction = "<w:r><w:instrText> PAGE </w:instrText></w:r>";
    let field = |inside: &str, result: &str| {
        let [begin, separate, end] = ["begin", "separate", "end"].map(character);
        format!(
            "{begin}{instruction}{inside}{instruction}{separate}<w:r><w:t>{result}</w:t></w:r>{end}"
        )
    };
    let body = format!("<w:p>{}</w:p><w:p>{}</w:p>", field(&field("", "3"), "4"), field("", "5"));
    assert_eq!(text_of(docx(&body), "text"), "4\n\n5\n");
}

#[test]
fn rows_in_content_controls_stay_where_something_was_deleted() {
    let cell = format!("<w:tc>{}</w:tc>", paragraph("a"));
    let rows = format!(
        "<w:sdt><w:sdtContent><w:tr>{cell}</w:tr></w:sdtContent></w:sdt>\
        <w:customXml><w:tr>{cell}</w:tr></w:customXml>"
    );
    let deleted = "<w:p><w:del w:id=\"1\"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>";
    let body = format!("<w:tbl>{rows}</w:tbl>{deleted}");
    assert_eq!(text_of(docx(&body), "md"), "| a |\n| --- |\n| a |\n");
}

#[test]
fn laws_are_numbered_in_decimals_and_words() {
    let level = |at: u8, way: &str, text: &str| {
        format!(
            "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/>{way}<w:lvlText w:val=\"{text}\"/></w:lvl>"
        )
    };
    let way = |name: &str| format!("<w:numFmt w:val=\"{name}\"/>");
    let levels = [
        level(0, &way("upperRoman"), "Article %1."),
        level(1, &(way("decimalZero") + "<w:isLgl/>"), "Section %1.%2"),
        level(2, &(way("lowerRoman") + "<w:isLgl w:val=\"0\"/>"), "%1.%3"),
        level(3, &way("cardinalText"), "%4"),
        level(4, &way("ordinalText"), "%5"),
    ];
    let numbering = format!(
        "<w:numbering xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
         <w:abstractNum w:abstractNumId=\"0\">{}</w:abstractNum>\
         <w:num w:numId=\"2\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>",
        levels.concat()
    );
    let body: String = (0..5).map(|depth| item(2, depth, "x")).collect();
    let document = docx_parts(&body).replaced("word/numbering.xml", numbering.as_bytes()).pack();
    let text = text_of(document, "md");
    let markers: Vec<&str> = text.lines().map(|line| line.trim().trim_end_matches(" x")).collect();
    assert_eq!(markers, ["- Article I.", "- Section 1.01", "- I.i", "- One", "- First"]);
}

#[test]
fn cells_have_the_markers_of_their_items() {
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    let row = |number: &str, text: &str| {
        format!("<w:tr>{}{}</w:tr>", cell(number), cell(&item(1, 0, text)))
    };
    let number = item(2, 0, "");
    let body = format!("<w:tbl>{}{}</w:tbl>", row(&number, "a"), row(&number, "b"));
    assert_eq!(
        text_of(docx(&body), "md"),
        "| 1. | \u{2022} a |\n| --- | --- |\n| 2. | \u{2022} b |\n"
    );
}
