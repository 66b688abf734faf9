//! Presentations made for the purpose.

use super::{
    super::{
        block::{Place, Rendering},
        office::sample::{Given, NAMESPACES, package},
        warning::Code,
    },
    read,
};

fn given(slides: &[&str], parts: &[(&str, &str)], rendering: Rendering) -> Given {
    let ids: String =
        (0..slides.len()).map(|index| format!(r#"<p:sldId r:id="r{index}"/>"#)).collect();
    let main =
        format!("<p:presentation {NAMESPACES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let mut all = Vec::new();
    for index in 1..=slides.len() {
        all.push((
            format!("ppt/presentation.xml -> slide ppt/slides/slide{index}.xml"),
            String::new(),
        ));
    }
    for (index, slide) in slides.iter().enumerate() {
        let name = format!("ppt/slides/slide{}.xml", index + 1);
        all.push((name, part("sld", slide)));
    }
    let mut parts_of_all: Vec<(&str, &str)> =
        all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    parts_of_all.extend(parts);
    let bytes =
        package("presentationml.presentation", ("ppt/presentation.xml", &main), &parts_of_all);
    let mut given = Given::new(rendering);
    read(&bytes, &mut given).unwrap();
    assert_eq!(given.count as usize, slides.len());
    given
}

fn part(root: &str, shapes: &str) -> String {
    format!("<p:{root} {NAMESPACES}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>")
}

fn shape(role: &str, paragraphs: &str) -> String {
    let role = if role.is_empty() { String::new() } else { format!(r#"<p:ph type="{role}"/>"#) };
    format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="9" name="n"/><p:nvPr>{role}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"#
    )
}

fn p(properties: &str, text: &str) -> String {
    format!("<a:p><a:pPr>{properties}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>")
}

fn frame(content: &str) -> String {
    format!(
        r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="n"/></p:nvGraphicFramePr><a:graphic>{content}</a:graphic></p:graphicFrame>"#
    )
}

#[test]
fn the_title_comes_first_and_the_rest_as_it_stands() {
    let number = r#"<a:buAutoNum type="alphaLcParenR" startAt="2"/>"#;
    let slide = [
        format!("<p:grpSp>{}</p:grpSp>", shape("", &p("", "grouped"))),
        shape("title", &p("", "Its title")),
        shape(
            "body",
            &[p(number, "one"), p(number, "two"), p(r#"<a:buChar char="•"/>"#, "three")].concat(),
        ),
        shape("sldNum", &p("", "1")),
    ]
    .concat();
    let plain = given(&[&slide], &[], Rendering::Plain);
    let lines = ["h2 Its title", "grouped", "0- one", "0- two", "0- three", "footer 1"];
    assert_eq!(plain.lines(), lines);
    assert!(plain.blocks.iter().all(|block| block.place == Place::Slide(1)));
    let lines = ["h2 Its title", "grouped", "0b) one", "0c) two", "0- three"];
    assert_eq!(given(&[&slide], &[], Rendering::Markdown).lines(), lines);
    assert_eq!(given(&[&slide], &[], Rendering::Blocks).lines(), lines);
}

#[test]
fn plain_text_has_notes_after_the_slides_and_edges_once() {
    let slides = [
        shape("", &p("", "first")) + &shape("ftr", &p("", "foot")),
        shape("", &p("", "second")) + &shape("ftr", &p("", "foot")),
    ];
    let notes = part(
        "notes",
        &(shape("body", &p("", "say this")) + &shape("hdr", &p("", "head &amp; all"))),
    );
    let parts = [
        ("ppt/slides/slide1.xml -> notesSlide ppt/notesSlides/n.xml", ""),
        ("ppt/notesSlides/n.xml", notes.as_str()),
    ];
    let slides = [slides[0].as_str(), slides[1].as_str()];
    let plain = given(&slides, &parts, Rendering::Plain).lines();
    assert_eq!(plain, ["first", "footer foot", "second", "notes say this", "header head & all"]);
    let markdown = given(&slides, &parts, Rendering::Markdown).lines();
    assert_eq!(markdown, ["first", "footer foot", "notes say this", "header head & all", "second"]);
}

#[test]
fn a_chart_is_words_in_plain_text_and_a_table_in_markdown() {
    let chart = r#"<c:chart xmlns:c="c"><c:ser><c:tx><c:v>Ducks</c:v></c:tx><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>7</c:v></c:pt></c:val></c:ser></c:chart>"#;
    let uri = "http://schemas.openxmlformats.org/drawingml/2006/chart";
    let slide =
        frame(&format!(r#"<a:graphicData uri="{uri}"><c:chart r:id="r2"/></a:graphicData>"#));
    let slide = slide + &shape("", &p("", "after"));
    let parts = [
        ("ppt/slides/slide1.xml -> chart ppt/charts/chart1.xml", ""),
        ("ppt/charts/chart1.xml", chart),
    ];
    assert_eq!(given(&[&slide], &parts, Rendering::Plain).lines(), ["after", "Ducks"]);
    assert_eq!(given(&[&slide], &parts, Rendering::Markdown).lines(), ["|Ducks // Q1|7", "after"]);
}

#[test]
fn merged_cells_of_a_table_are_empty() {
    let cell = |attributes: &str, text: &str| {
        format!("<a:tc {attributes}><a:txBody>{}</a:txBody></a:tc>", p("", text))
    };
    let uri = "http://schemas.openxmlformats.org/drawingml/2006/table";
    let slide = frame(&format!(
        r#"<a:graphicData uri="{uri}"><a:tbl><a:tr>{}{}</a:tr><a:tr>{}</a:tr></a:tbl></a:graphicData>"#,
        cell(r#"gridSpan="1000000000""#, "wide"),
        cell(r#"hMerge="1""#, ""),
        cell("", "short"),
    ));
    assert_eq!(given(&[&slide], &[], Rendering::Plain).lines(), ["wide| // short|"]);
}

#[test]
fn a_damaged_slide_is_said_and_the_others_are_given() {
    let bad = "</p:spTree></p:cSld></p:sld><p:sld";
    let given = given(&[bad, &shape("", &p("", "good"))], &[], Rendering::Plain);
    assert_eq!(given.lines(), ["good"]);
    assert_eq!(given.codes(), [Code::DamagedPart]);
}

#[test]
fn what_a_layout_shows_is_given_once() {
    let layout =
        part("sldLayout", &(shape("", &p("", "our firm")) + &shape("title", &p("", "click here"))));
    let slide = shape("", &p("", "text"));
    let parts = [
        ("ppt/slides/slide1.xml -> slideLayout ppt/slideLayouts/l.xml", ""),
        ("ppt/slides/slide2.xml -> slideLayout ppt/slideLayouts/l.xml", ""),
        ("ppt/slideLayouts/l.xml", layout.as_str()),
    ];
    let lines = given(&[&slide, &slide], &parts, Rendering::Plain).lines();
    assert_eq!(lines, ["text", "text", "footer our firm"]);
}
