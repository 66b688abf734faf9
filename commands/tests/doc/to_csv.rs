//! `table to-csv`: values as stored, the table that is meant, files that are whole or not there.

use serde_json::json;
use tapeline::{
    Request,
    workspace::{WorkspaceFaultKind, WriteStage},
};

use super::documents::{
    Sheet, docx, letter, number, paragraph, report, row, sales, table, text, xlsx,
};
use crate::world::{Run, World};

/// Converts a document with flags; the run, and the CSV that it wrote.
#[track_caller]
fn convert(document: Vec<u8>, flags: &str) -> (Run, String) {
    let world = World::new();
    world.put("in/document", document);
    let run =
        world.exec(&format!("table to-csv --in in/document --out out/table.csv {flags}")).ok();
    let csv = world.read("out/table.csv").unwrap();
    (run, csv)
}

#[track_caller]
fn refused(document: Vec<u8>, flags: &str, code: &str, parts: &[&str]) -> Run {
    let world = World::new();
    world.put("in/document", document);
    let line = format!("table to-csv --in in/document --out out/table.csv {flags}");
    let run = world.exec(&line).fails(code, parts);
    assert_eq!(world.read("out/table.csv"), None, "half a file was left");
    run
}

/// Converts what stands on stdin.
fn of_stdin(stdin: &str, flags: &str) -> (Run, Option<String>) {
    let world = World::new();
    let line = format!("table to-csv --in - --out out/table.csv {flags}");
    let request = Request::new(line).stdin(stdin);
    let run = world.run(request);
    (run, world.read("out/table.csv"))
}

#[test]
fn values_are_as_they_are_stored() {
    let (run, csv) = convert(sales(), "");
    assert_eq!(
        csv,
        "Day,Shop,Units,Open\r\n2024-03-01,North,120,true\r\n2024-03-02,S\u{fc}d | 2,0.5,false\r\n\
         2024-03-03,#DIV/0!,,\r\n"
    );
    let fields = ["ok", "command", "sheet", "rows", "columns", "truncated", "warnings", "out"];
    assert_eq!(run.fields(), fields);
    assert_eq!((&run.result["rows"], &run.result["columns"]), (&json!(4), &json!(4)));
    assert_eq!(run.result["sheet"], "Sales");
    assert_eq!(run.envelope.artifacts[0].mime, "text/csv; charset=utf-8");
}

#[test]
fn fields_are_quoted_where_the_standard_says_so() {
    let rows = row(&[text("a,b"), text("say \"x\""), text("two\nlines"), text("")]);
    let (_, csv) = convert(xlsx(&[Sheet::new("S", &rows)]), "");
    assert_eq!(csv, "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n");
    let (_, csv) = convert(xlsx(&[Sheet::new("S", &rows)]), "--delimiter semicolon");
    assert_eq!(csv, "a,b;\"say \"\"x\"\"\";\"two\nlines\"\r\n");
}

#[test]
fn a_sheet_is_meant_by_name_before_number() {
    let (one, two) = (row(&[text("one")]), row(&[text("two")]));
    let book = xlsx(&[Sheet::new("2", &one), Sheet::new("Other", &two)]);
    assert_eq!(convert(book.clone(), "--sheet 2").1, "one\r\n");
    assert_eq!(convert(book.clone(), "--sheet 1").1, "one\r\n");
    assert_eq!(convert(book.clone(), "--sheet Other").1, "two\r\n");
    assert_eq!(convert(book.clone(), "--table 2").1, "two\r\n");
    refused(book.clone(), "--sheet other", "NotFound", &["`other`", "`2`, `Other`"]);
    refused(book.clone(), "--sheet 3", "NotFound", &["`3`"]);
    refused(book.clone(), "--sheet 0", "NotFound", &["`0`"]);
    refused(book.clone(), "--sheet 1 --table 1", "InvalidArgs", &["--sheet"]);
    refused(book, "--table 0", "InvalidArgs", &["from 1"]);
}

#[test]
fn several_tables_are_listed_and_one_is_taken() {
    let (one, two) = (row(&[text("one"), text("b")]), row(&[text("two")]));
    let book = |sheets: &[Sheet<'_>]| xlsx(sheets);
    let run = refused(
        book(&[Sheet::new("A", &one), Sheet::new("B", &two), Sheet::new("Empty", "")]),
        "",
        "InvalidArgs",
        &["2 tables", "--sheet", "`A`, `B`"],
    );
    let listed = json!([
        {"index": 1, "name": "A", "rows": 1, "columns": 2},
        {"index": 2, "name": "B", "rows": 1, "columns": 1},
    ]);
    assert_eq!(run.result["tables"], listed);
    let (_, csv) = convert(book(&[Sheet::new("Empty", ""), Sheet::new("A", &one)]), "");
    assert_eq!(csv, "one,b\r\n");
}

#[test]
fn names_of_a_document_make_no_endless_hint() {
    let names: Vec<String> = (0..40).map(|at| format!("{at}{}", "x".repeat(5000))).collect();
    let rows = row(&[number("1")]);
    let sheets: Vec<_> = names.iter().map(|name| Sheet::new(name, &rows)).collect();
    for (flags, code) in [("", "InvalidArgs"), ("--sheet nowhere", "NotFound")] {
        let run = refused(xlsx(&sheets), flags, code, &[]);
        let hint = run.envelope.hint.as_deref().unwrap();
        assert!(hint.len() < 1000 && hint.ends_with("and 30 more"), "{hint}");
    }
}

#[test]
fn tables_of_a_text_are_numbered() {
    let two =
        docx(&[table(&[&["a", "b"], &["1", "2"]]), paragraph("-"), table(&[&["c"]])].concat());
    let (run, csv) = convert(report(), "");
    assert_eq!(csv, "Region,Units\r\nNorth,120\r\nSouth,95\r\n");
    assert_eq!(run.result["table"], 1);
    assert_eq!(convert(two.clone(), "--table 2").1, "c\r\n");
    let run = refused(two.clone(), "", "InvalidArgs", &["2 tables", "--table"]);
    assert_eq!(run.result["tables"][1], json!({"index": 2, "name": null, "rows": 1, "columns": 1}));
    refused(two.clone(), "--table 3", "NotFound", &["no table 3", "there are 2", "from 1 to 2"]);
    refused(two, "--sheet A", "InvalidArgs", &["only workbooks have sheets"]);
    refused(docx(&paragraph("none")), "", "NotFound", &["no table"]);
}

#[test]
fn text_may_come_from_stdin() {
    let (run, csv) = of_stdin("[{\"a\": 1.50, \"b\": \"x\"}, {\"c\": null, \"a\": true}]", "");
    assert_eq!(csv.unwrap(), "a,b,c\r\n1.50,x,\r\ntrue,,\r\n");
    assert_eq!(run.ok().result["rows"], 3);
    let (_, csv) = of_stdin("| a | b |\n| - | - |\n| 1 | **2** |\n", "");
    assert_eq!(csv.unwrap(), "a,b\r\n1,2\r\n");
    let two = "| a |\n| - |\n\ntext\n\n| b |\n| - |\n";
    let (run, csv) = of_stdin(two, "");
    run.fails("InvalidArgs", &["2 tables"]);
    assert_eq!(csv, None);
    assert_eq!(of_stdin(two, "--table 2").1.unwrap(), "b\r\n");
    of_stdin("no table", "").0.fails("ParseError", &["JSON array", "Markdown table"]);
    let (_, csv) = of_stdin("\u{feff}[{\"a\": 1}]", "");
    assert_eq!(csv.as_deref(), Some("a\r\n1\r\n"));
    of_stdin("[[1]]", "").0.fails("ParseError", &["flat objects"]);
    World::new().exec("table to-csv --in -").fails("InvalidArgs", &["stdin"]);
}

#[test]
fn values_that_others_would_change_are_told() {
    let rows = row(&[text("id"), text("note")])
        + &row(&[number("12345678901234567890"), text("=1+1")])
        + &row(&[number("9007199254740993"), text("@x")]);
    let (run, csv) = convert(xlsx(&[Sheet::new("S", &rows)]), "");
    assert_eq!(csv, "id,note\r\n12345678901234567890,=1+1\r\n9007199254740993,@x\r\n");
    assert_eq!(run.warnings(), ["LargeInteger", "FormulaLikeText"]);
    assert_eq!(run.result["warnings"][0]["where"], "row 2, column 1");
    assert!(run.result["warnings"][1]["message"].as_str().unwrap().starts_with("2 cells"));
}

#[test]
fn no_more_rows_than_were_asked_for() {
    let (run, csv) = convert(sales(), "--max-rows 2");
    assert_eq!(csv.lines().count(), 2);
    assert_eq!((&run.result["rows"], &run.result["truncated"]), (&json!(2), &json!(true)));
    let (run, _) = convert(sales(), "--max-rows 4");
    assert_eq!(run.result["truncated"], false);
    refused(sales(), "--max-rows 0", "InvalidArgs", &["from 1"]);
}

#[test]
fn people_see_the_first_rows() {
    let world = World::new();
    world.put("sales.xlsx", sales());
    let run = world.exec("table to-csv --in sales.xlsx").ok();
    assert_eq!(
        run.envelope.stdout,
        "Day         Shop     Units  Open\n2024-03-01  North    120    true\n\
         2024-03-02  S\u{fc}d | 2  0.5    false\n2024-03-03  #DIV/0!\n\
         Sales: 4 rows, 4 columns; `--out` writes them to a file\n"
    );
    assert!(run.envelope.artifacts.is_empty());
}

#[test]
fn gaps_between_rows_and_cells_stay_gaps() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"C1\"><v>3</v></c></row>\
        <row r=\"3\"><c r=\"B3\"><v>2</v></c></row>";
    let (run, csv) = convert(xlsx(&[Sheet::new("S", rows)]), "");
    assert_eq!(csv, "1,,3\r\n,,\r\n,2,\r\n");
    assert_eq!(run.result["rows"], 3);
}

#[test]
fn a_sheet_with_two_far_cells_is_refused_by_its_cells() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>\
        <row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    let run = refused(xlsx(&[Sheet::new("S", rows)]), "", "LimitExceeded", &["20000000 cells"]);
    assert_eq!(run.result["limit"], "cells");
}

#[test]
fn what_has_no_tables_is_not_supported() {
    let run = refused(letter(), "", "NotSupported", &["PDF", "doc extract"]);
    assert_eq!(run.result["format"], "pdf");
    refused(b"a,b\n".to_vec(), "", "ParseError", &[]);
}

#[test]
fn a_disk_that_fills_up_leaves_no_file() {
    let rows: String = (0..4000).map(|_| row(&[text("0123456789"), text("0123456789")])).collect();
    for stage in [WriteStage::Create, WriteStage::AfterBytes(70_000), WriteStage::Commit] {
        let world = World::new();
        world.put("in.xlsx", xlsx(&[Sheet::new("S", &rows)]));
        world.workspace.fail_write("out.csv", stage, WorkspaceFaultKind::Full);
        let run = world.exec("table to-csv --in in.xlsx --out out.csv");
        let run = run.fails("WorkspaceError", &["out.csv"]);
        assert_eq!(run.result["kind"], "full");
        assert_eq!(world.read("out.csv"), None);
    }
}

#[test]
fn a_table_goes_to_a_file_that_is_called_one() {
    for (name, is_one) in
        [("a.tsv", true), ("A.CSV", true), ("b.d/a", true), ("a.md", false), ("a.csv.exe", false)]
    {
        let world = World::new();
        let line = format!("table to-csv --in - --out {name}");
        let run = world.run(Request::new(line).stdin("[{\"a\": 1}]"));
        match is_one {
            true => drop(run.ok()),
            false => drop(run.fails("InvalidArgs", &[name, ".csv, .tsv or .txt"])),
        }
    }
}

#[test]
fn a_hidden_sheet_is_told_where_it_is_taken() {
    let rows = row(&[text("a")]);
    let hidden = |name| Sheet { is_hidden: true, ..Sheet::new(name, &rows) };
    let book = xlsx(&[Sheet::new("Front", &rows), hidden("Back"), hidden("Cellar")]);
    assert_eq!(convert(book.clone(), "--sheet Front").0.warnings(), Vec::<&str>::new());
    let (run, _) = convert(book, "--sheet Back");
    assert_eq!(run.warnings(), ["HiddenSheet"]);
    assert_eq!(run.result["warnings"][0]["where"], "Back");
    let (run, _) = convert(xlsx(&[hidden("Alone")]), "");
    assert_eq!(run.warnings(), ["HiddenSheet"]);
}
