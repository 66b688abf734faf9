//! `table to-csv`.

use super::documents::{self, Sheet, Slide, number, row, text};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let rows = row(&[text("id"), text("note")])
        + &row(&[number("12345678901234567890"), text("=1+1")])
        + &row(&[number("2"), text("-")]);
    let two = || {
        let rows = row(&[text("a"), text("b")]);
        documents::xlsx(&[Sheet::new("First", &rows), Sheet::new("2", &rows)])
    };
    let of_two = row(&[text("a"), text("b")]);
    let hidden = documents::xlsx(&[
        Sheet::new("Front", &of_two),
        Sheet { is_hidden: true, ..Sheet::new("Back", &of_two) },
    ]);
    let table = |case: &str, title: &'static str| Scenario::new("table", case, title);
    vec![
        table("group-help", "the group alone is its help").line("table"),
        table("sheet-by-name", "a sheet becomes CSV in a file")
            .line(
                "table to-csv --in inbox/sales.xlsx --sheet Sales --out artifacts/table/sales.csv",
            )
            .file("inbox/sales.xlsx", documents::sales())
            .shows("/result/rows", 4)
            .shows("/result/columns", 4)
            .shows("/result/sheet", "Sales"),
        table("table-of-a-text", "a table of a text, with semicolons")
            .line(
                "table to-csv --in inbox/report.docx --table 1 --delimiter semicolon --out \
                 artifacts/table/regions.csv",
            )
            .file("inbox/report.docx", documents::report())
            .shows("/result/rows", 3)
            .shows("/result/table", 1),
        table("table-of-slides", "a table of a presentation")
            .line("table to-csv --in talk.pptx --out shops.csv")
            .file("talk.pptx", slides())
            .shows("/result/rows", 2)
            .shows("/result/table", 1),
        table("json-on-stdin", "an array of flat objects from stdin")
            .line("table to-csv --in - --out artifacts/table/rows.csv")
            .stdin("[{\"name\": \"ink\", \"count\": 3}, {\"name\": \"paper\", \"price\": 1.50}]\n")
            .shows("/result/rows", 3)
            .shows("/result/columns", 3),
        table("markdown-on-stdin", "a Markdown table from stdin")
            .line("table to-csv --in - --out rows.csv --delimiter tab")
            .stdin("Prices:\n\n| thing | price |\n| --- | ---: |\n| ink \\| blue | 3 |\n")
            .shows("/result/rows", 2),
        table("one-table", "the only table needs no name, and is shown")
            .line("table to-csv --in sales.xlsx")
            .file("sales.xlsx", documents::sales())
            .shows("/result/sheet", "Sales"),
        table("several-tables", "several tables are listed")
            .line("table to-csv --in two.xlsx")
            .file("two.xlsx", two())
            .fails("InvalidArgs")
            .shows("/result/tables/1/name", "2"),
        table("sheet-name-first", "a sheet is meant by its name before its number")
            .line("table to-csv --in two.xlsx --sheet 2")
            .file("two.xlsx", two())
            .shows("/result/sheet", "2"),
        table("sheet-by-number", "a sheet by its number")
            .line("table to-csv --in two.xlsx --sheet 1 --out first.csv")
            .file("two.xlsx", two())
            .shows("/result/sheet", "First"),
        table("no-such-sheet", "a sheet that is not there")
            .line("table to-csv --in two.xlsx --sheet Third")
            .file("two.xlsx", two())
            .fails("NotFound"),
        table("first-rows", "no more rows than were asked for")
            .line("table to-csv --in sales.xlsx --max-rows 2 --out sales.csv")
            .file("sales.xlsx", documents::sales())
            .shows("/result/rows", 2)
            .shows("/result/truncated", true),
        table("warns-of-values", "large integers and text that looks like a formula")
            .line("table to-csv --in ids.xlsx --out ids.csv")
            .file("ids.xlsx", documents::xlsx(&[Sheet::new("Ids", &rows)]))
            .shows("/result/warnings/0/code", "LargeInteger")
            .shows("/result/warnings/1/code", "FormulaLikeText"),
        table("no-table", "a text without a table")
            .line("table to-csv --in note.docx")
            .file("note.docx", super::note())
            .fails("NotFound"),
        table("not-supported-pdf", "a PDF has no tables")
            .line("table to-csv --in letter.pdf")
            .file("letter.pdf", documents::letter())
            .fails("NotSupported"),
        table("no-stdin", "`--in -` without stdin")
            .line("table to-csv --in -")
            .fails("InvalidArgs"),
        table("nested-json", "objects that are not flat")
            .line("table to-csv --in -")
            .stdin("[{\"name\": {\"first\": \"A\"}}]")
            .fails("ParseError"),
        table("out-exists", "an older file stays as it is")
            .line("table to-csv --in sales.xlsx --out sales.csv")
            .file("sales.xlsx", documents::sales())
            .file("sales.csv", "older\n")
            .fails("OutExists"),
        table("overwrite", "an older file is replaced when that is approved")
            .line("table to-csv --in sales.xlsx --out sales.csv --overwrite")
            .file("sales.xlsx", documents::sales())
            .file("sales.csv", "older\n")
            .yes()
            .shows("/result/rows", 4),
        table("overwrite-approval-required", "nobody is there to approve")
            .line("table to-csv --in sales.xlsx --out sales.csv --overwrite")
            .file("sales.xlsx", documents::sales())
            .file("sales.csv", "older\n")
            .fails("ApprovalRequired"),
        table("out-suffix", "a table goes to no file that means something else")
            .line("table to-csv --in sales.xlsx --out sales.xls")
            .file("sales.xlsx", documents::sales())
            .fails("InvalidArgs"),
        table("no-such-table", "a table that is not there")
            .line("table to-csv --in report.docx --table 3")
            .file("report.docx", documents::report())
            .fails("NotFound"),
        table("sheet-and-table", "a table is named in one way")
            .line("table to-csv --in two.xlsx --sheet First --table 1")
            .file("two.xlsx", two())
            .fails("InvalidArgs"),
        table("sheet-of-a-text", "only workbooks have sheets")
            .line("table to-csv --in report.docx --sheet Regions")
            .file("report.docx", documents::report())
            .fails("InvalidArgs"),
        table("max-rows-out-of-range", "`--max-rows` is a number from 1 on")
            .line("table to-csv --in sales.xlsx --max-rows 0")
            .file("sales.xlsx", documents::sales())
            .fails("InvalidArgs"),
        table("not-found", "a document that is not there")
            .line("table to-csv --in missing.xlsx")
            .fails("NotFound"),
        table("encrypted", "a workbook that only its password opens")
            .line("table to-csv --in locked.xlsx")
            .file("locked.xlsx", documents::compound("EncryptedPackage"))
            .fails("Encrypted"),
        table("parse-error", "what is CSV already is no document")
            .line("table to-csv --in sales.csv --out other.csv")
            .file("sales.csv", "shop,units\nNorth,120\n")
            .fails("ParseError"),
        table("limit-cells", "two cells so far apart that 17 billion lie between them")
            .line("table to-csv --in far.xlsx --out far.csv")
            .file("far.xlsx", documents::xlsx(&[Sheet::new("Far", FAR)]))
            .fails("LimitExceeded")
            .shows("/result/limit", "cells"),
        table("warns-hidden-sheet", "a hidden sheet is given and named")
            .line("table to-csv --in hidden.xlsx --sheet Back --out back.csv")
            .file("hidden.xlsx", hidden)
            .shows("/result/warnings/0/code", "HiddenSheet"),
    ]
}

const FAR: &str = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>
<row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>
";

/// A presentation with a table on its slide.
fn slides() -> Vec<u8> {
    let slide = "ppt/slides/slide1.xml";
    let parts = documents::pptx_parts(&[Slide { title: "Shops", lines: &[], notes: None }]);
    let cell = |text: &str| {
        format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>")
    };
    let row = |cells: [&str; 2]| format!("<a:tr>{}</a:tr>", cells.map(cell).concat());
    let frame = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"3\" name=\"Table\"/>\
         <p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><a:graphic><a:graphicData \
         uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl><a:tblGrid><a:gridCol \
         w=\"1\"/><a:gridCol w=\"1\"/></a:tblGrid>{}{}</a:tbl></a:graphicData></a:graphic>\
         </p:graphicFrame></p:spTree>",
        row(["Shop", "Units"]),
        row(["North", "120"])
    );
    let xml = String::from_utf8_lossy(&parts.content(slide)).replace("</p:spTree>", &frame);
    parts.replaced(slide, xml.as_bytes()).pack()
}
