//! `table to-csv`.

use super::documents::{self, Sheet, number, row, text};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let rows = row(&[text("id"), text("note")])
        + &row(&[number("12345678901234567890"), text("=1+1")])
        + &row(&[number("2"), text("-")]);
    let two = || {
        let rows = row(&[text("a"), text("b")]);
        documents::xlsx(&[Sheet::new("First", &rows), Sheet::new("2", &rows)])
    };
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
    ]
}
