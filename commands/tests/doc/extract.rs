//! What holds for every format: flags, files, summaries, lengths.

use pulldown_cmark::{Event, Options, Parser};
use serde_json::{Value, json};
use tapeline::RunEvent;

use super::{
    documents::{
        Sheet, docx, heading, item, letter, lines, number, paragraph, pdf, report, row, sales,
        table, talk, text, xlsx,
    },
    extract, refused, text_of,
};
use crate::world::World;

#[test]
fn the_result_has_its_fields_in_order() {
    let (run, text) = extract(report(), "");
    let fields = [
        "ok",
        "command",
        "status",
        "format",
        "mode",
        "extracted_chars",
        "truncated",
        "paragraphs",
        "warnings",
        "out",
    ];
    assert_eq!(run.fields(), fields);
    assert_eq!(run.result["status"], "extracted");
    assert_eq!(run.result["format"], "docx");
    assert_eq!(run.result["mode"], "md");
    assert_eq!(run.result["out"], ".agents/out/text");
    assert_eq!(run.result["extracted_chars"], text.trim_end().chars().count());
    let artifact = &run.envelope.artifacts[0];
    assert_eq!((artifact.path.as_str(), artifact.bytes), (".agents/out/text", text.len() as u64));
}

#[test]
fn each_format_counts_in_its_own_units() {
    let count = |document, unit: &str| extract(document, "").0.result[unit].clone();
    assert_eq!(count(letter(), "pages"), 2);
    assert_eq!(count(docx(&[paragraph("a"), paragraph("b")].concat()), "paragraphs"), 2);
    assert_eq!(count(talk(), "slides"), 2);
    assert_eq!(count(sales(), "sheets"), 1);
}

#[test]
fn without_out_the_text_is_on_stdout_below_the_summary() {
    let world = World::new();
    world.put("a.docx", docx(&paragraph("Only this.")));
    let run = world.exec("doc extract --in a.docx").ok();
    assert_eq!(
        run.envelope.stdout,
        ".agents/a.docx: docx, 1 paragraph, 10 characters as md\n\nOnly this.\n"
    );
}

#[test]
fn with_out_stdout_says_where_the_text_is() {
    let world = World::new();
    world.put("a.docx", docx(&paragraph("Only this.")));
    let run = world.exec("doc extract --in a.docx --mode text --out b.txt").ok();
    assert_eq!(
        run.envelope.stdout,
        ".agents/a.docx: docx, 1 paragraph, 10 characters as text\nthe text is in .agents/b.txt\n"
    );
}

#[test]
fn the_artifact_has_the_media_type_of_its_mode() {
    let check = |mode: &str, mime: &str| {
        let (run, _) = extract(letter(), &format!("--mode {mode}"));
        assert_eq!(run.envelope.artifacts[0].mime, mime);
    };
    check("text", "text/plain; charset=utf-8");
    check("md", "text/markdown; charset=utf-8");
    check("json", "application/json");
}

#[test]
fn the_bytes_decide_and_not_the_name() {
    let world = World::new();
    world.put("a.pdf", report());
    assert_eq!(world.exec("doc extract --in a.pdf").ok().result["format"], "docx");
    world
        .exec("doc extract --in a.pdf --format pdf")
        .fails("InvalidArgs", &["no pdf", "of a docx", "leave `--format` away"]);
    world.exec("doc extract --in a.pdf --format docx").ok();
}

#[test]
fn a_text_that_is_too_long_is_cut_and_says_so() {
    let body: String = (0..50).map(|number| paragraph(&format!("Paragraph {number}."))).collect();
    let (run, text) = extract(docx(&body), "--max-chars 38");
    assert_eq!(run.result["status"], "truncated");
    assert_eq!(run.result["truncated"], true);
    assert_eq!(run.warnings(), ["Truncated"]);
    assert_eq!(run.result["paragraphs"], 50);
    assert_eq!(text, "Paragraph 0.\n\nParagraph 1.\n\nParagraph\n\n[cut here, at 38 characters]\n");
    assert_eq!(run.result["extracted_chars"], 37);
}

#[test]
fn a_text_is_cut_between_characters_where_there_are_no_blanks() {
    let chinese = "\u{5317}\u{4eac}".repeat(50);
    let (run, text) = extract(docx(&paragraph(&chinese)), "--max-chars 33");
    assert_eq!(run.result["extracted_chars"], 33);
    assert_eq!(text.chars().take_while(|character| *character != '\n').count(), 33);
}

#[test]
fn every_length_is_kept_in_every_mode() {
    let rows: String =
        (0..60).map(|at| row(&[number(&at.to_string()), text("of"), "<c/>".to_owned()])).collect();
    let long_sheet = xlsx(&[Sheet::new("Long", &rows)]);
    for document in [report(), letter(), talk(), sales(), long_sheet] {
        for mode in ["text", "md", "json"] {
            let (whole, _) = extract(document.clone(), &format!("--mode {mode}"));
            let whole = whole.result["extracted_chars"].as_u64().unwrap();
            for max_chars in [1, 2, 7, 30, 80, 150, 1000] {
                let flags = format!("--mode {mode} --max-chars {max_chars}");
                let (run, text) = extract(document.clone(), &flags);
                let chars = run.result["extracted_chars"].as_u64().unwrap();
                assert!(chars <= max_chars, "{flags}: {chars}");
                let is_cut = run.result["truncated"].as_bool().unwrap();
                assert_eq!(is_cut, whole > max_chars, "{flags}: {whole}");
                assert_eq!(run.warnings().contains(&"Truncated"), is_cut, "{flags}");
                if mode == "json" {
                    let json: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(json["truncated"], is_cut, "{flags}");
                } else {
                    assert_eq!(text.contains("[cut here"), is_cut, "{flags}");
                }
            }
        }
    }
}

#[test]
fn markdown_that_is_cut_is_markdown() {
    let linked = "<w:p><w:hyperlink r:id=\"rIdLink\"><w:r><w:t>see it</w:t></w:r></w:hyperlink><w:r>\
        <w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\"> in* here</w:t><w:br/><w:t>1.5 m</w:t></w:r></w:p>";
    let body = [heading(1, "A_b"), linked.to_owned(), item(2, 0, "one"), item(1, 1, "*two*")];
    for document in [report(), talk(), docx(&body.concat())] {
        let whole = seen(&text_of(document.clone(), "md"));
        for max_chars in 1.. {
            let (run, text) = extract(document.clone(), &format!("--max-chars {max_chars}"));
            let Some((text, _)) = text.split_once("\n[cut here") else { break };
            assert_eq!(run.result["extracted_chars"], text.trim_end().chars().count());
            assert!(whole.starts_with(&seen(text)), "{max_chars}: {text}");
        }
    }
}

#[test]
fn a_row_that_is_too_long_is_cut_inside_a_cell() {
    let words = "word* ".repeat(2_000);
    let layout = heading(1, "Layout") + &table(&[&["a", &words, "b"], &["c", "d", "e"]]);
    let heads: Vec<String> = (0..400).map(|at| text(&format!("Column {at}"))).collect();
    let wide = xlsx(&[Sheet::new("Wide", &row(&heads))]);
    for document in [docx(&layout), wide] {
        for mode in ["text", "md", "json"] {
            for max_chars in [100, 1_000, 2_222] {
                let flags = format!("--mode {mode} --max-chars {max_chars}");
                let (run, cut) = extract(document.clone(), &flags);
                let chars = run.result["extracted_chars"].as_u64().unwrap();
                assert!((max_chars - 22..=max_chars).contains(&chars), "{flags}: {chars}");
                assert_eq!(run.warnings(), ["Truncated"], "{flags}");
                if mode == "json" {
                    let json: Value = serde_json::from_str(&cut).unwrap();
                    let rows = json["blocks"][1]["rows"].as_array().unwrap();
                    assert_eq!(rows.len(), 1, "{flags}");
                }
            }
        }
    }
    let whole = seen(&text_of(docx(&layout), "md"));
    let (_, cut) = extract(docx(&layout), "--max-chars 1000");
    let (cut, _) = cut.split_once("\n[cut here").unwrap();
    assert!(cut.ends_with(" |\n| --- | --- |\n"), "{cut}");
    assert!(whole.starts_with(&seen(cut)), "{cut}");
}

/// What a reader of Markdown sees of it, without blanks.
fn seen(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut seen = String::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) => seen.push_str(&text),
            Event::HardBreak | Event::SoftBreak | Event::Start(_) | Event::End(_) => {}
            // A note may be cut away.
            Event::FootnoteReference(_) => {}
            other => seen.push_str(&format!("{other:?}")),
        }
    }
    seen.replace("[^1]", "").split_whitespace().collect()
}

#[test]
fn json_says_where_blocks_stand() {
    let json = |document| -> Value { serde_json::from_str(&text_of(document, "json")).unwrap() };
    let json_of_talk = json(talk());
    assert_eq!(json_of_talk["format"], "pptx");
    assert_eq!(json_of_talk["truncated"], false);
    let blocks = json_of_talk["blocks"].as_array().unwrap();
    let first = json!({"kind": "heading", "slide": 1, "level": 2, "text": "Every line on tape"});
    assert_eq!(blocks[0], first);
    assert!(blocks.iter().any(|block| block["slide"] == 2 && block["text"] == "Questions?"));
    assert!(blocks.iter().any(|block| block["kind"] == "notes" && block["slide"] == 1));
    let pages = json(letter());
    assert!(pages["blocks"].as_array().unwrap().iter().any(|block| block["page"] == 2));
    let sheet = json(sales());
    let table = sheet["blocks"].as_array().unwrap().iter().find(|block| block["kind"] == "table");
    assert_eq!(table.unwrap()["rows"][1], json!(["2024-03-01", "North", "120", "true"]));
    assert_eq!(table.unwrap()["sheet"], 1);
}

#[test]
fn a_document_without_text_is_empty_and_no_error() {
    let (run, text) = extract(docx(""), "");
    assert_eq!(run.result["status"], "empty");
    assert_eq!((run.result["extracted_chars"].as_u64(), text.as_str()), (Some(0), ""));
    let (run, text) = extract(docx(""), "--mode json");
    assert_eq!(run.result["status"], "empty");
    assert_eq!(text, "{\"format\":\"docx\",\"truncated\":false,\"blocks\":[]}\n");
}

#[test]
fn control_characters_do_not_come_through() {
    let text = text_of(docx(&paragraph("a\u{85}b&#x9;c\u{9b}31md")), "text");
    assert_eq!(text, "a\nb\tc31md\n");
}

#[test]
fn the_same_bytes_give_the_same_text() {
    for document in [report(), letter(), talk(), sales()] {
        for mode in ["text", "md", "json"] {
            assert_eq!(text_of(document.clone(), mode), text_of(document.clone(), mode));
        }
    }
}

#[test]
fn arguments_are_looked_at_first() {
    let world = World::new();
    world.put("a.docx", report());
    let fails = |flags: &str, code: &str, parts: &[&str]| {
        world.exec(&format!("doc extract {flags}")).fails(code, parts);
    };
    fails("", "InvalidArgs", &["--in"]);
    fails("--in a.docx --max-chars 0", "InvalidArgs", &["from 1 to 5000000"]);
    fails("--in a.docx --max-chars 5000001", "InvalidArgs", &["from 1 to 5000000"]);
    fails("--in a.docx --max-chars -1", "InvalidArgs", &["from 1 to 5000000"]);
    fails("--in a.docx --mode html", "InvalidArgs", &["html"]);
    fails("--in a.docx --format odt", "InvalidArgs", &["odt"]);
    fails("--in ../a.docx", "PathEscapesAgentsRoot", &[]);
    fails("--in a.docx --out ../a.md", "PathEscapesAgentsRoot", &[]);
    fails("--in missing.docx", "NotFound", &["missing.docx"]);
    fails("--in a.docx --out a.docx --overwrite", "InvalidArgs", &["is the file that is read"]);
    fails("--in a.docx --out A.docx", "InvalidArgs", &["is the file that is read"]);
    fails("--in a.docx --out a.exe", "InvalidArgs", &["`.agents/a.exe`", ".md, .txt or .json"]);
    fails("--in a.docx --out .md.exe", "InvalidArgs", &[".md, .txt or .json"]);
}

#[test]
fn what_is_there_is_not_overwritten_unasked() {
    let world = World::new();
    world.put("a.docx", report());
    world.put("a.md", "old");
    world.exec("doc extract --in a.docx --out a.md").fails("OutExists", &["--overwrite"]);
    assert_eq!(world.read("a.md").as_deref(), Some("old"));
}

#[test]
fn what_is_no_document_is_told_apart() {
    refused(Vec::new(), "ParseError", &["the file is empty"]);
    refused(b"Dear all".to_vec(), "ParseError", &["neither a PDF nor an Office document"]);
    refused(b"PK\x03\x04rest".to_vec(), "ParseError", &["zip package"]);
    let png = refused(b"\x89PNG\r\n\x1a\n".to_vec(), "NotSupported", &["png", "doc ocr"]);
    assert_eq!(png.result["format"], "png");
    refused(b"{\\rtf1 a}".to_vec(), "NotSupported", &["rtf", "export it to PDF or text"]);
}

#[test]
fn progress_is_told_while_it_reads() {
    let world = World::new();
    let pages: Vec<String> =
        (0..40).map(|page| lines(11, 700, &[&format!("Page {page}")])).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    world.put("a.pdf", pdf(&pages));
    let mut events = world.terminal.events();
    world.exec("doc extract --in a.pdf").ok();
    let mut seen = Vec::new();
    while let Some(event) = events.try_next() {
        if let RunEvent::Progress { progress, .. } = event {
            seen.push(progress);
        }
    }
    let last = seen.last().expect("progress was told");
    assert_eq!((last.done, last.total), (40, Some(40)));
}

#[test]
fn lists_and_headings_have_their_marks() {
    let body = [
        heading(1, "Title"),
        item(2, 0, "one"),
        item(2, 1, "inner"),
        item(2, 0, "two"),
        item(1, 0, "bullet"),
        table(&[&["a", "b"], &["1", "2 | 3"]]),
    ]
    .concat();
    assert_eq!(
        text_of(docx(&body), "md"),
        "# Title\n\n1. one\n    - a) inner\n2. two\n- bullet\n\n\
         | a | b |\n| --- | --- |\n| 1 | 2 \\| 3 |\n"
    );
    assert_eq!(
        text_of(docx(&body), "text"),
        "Title\n\n- one\n  - inner\n- two\n- bullet\n\na\tb\n1\t2 | 3\n"
    );
}
