//! Workbooks: values as they are stored.

use super::{
    documents::{Sheet, date, number, row, sales, text, xlsx, xlsx_parts},
    extract, text_of,
};

#[test]
fn a_workbook_as_markdown() {
    assert_eq!(
        text_of(sales(), "md"),
        "## Sales\n\n| Day | Shop | Units | Open |\n| --- | --- | --- | --- |\n\
         | 2024-03-01 | North | 120 | true |\n| 2024-03-02 | S\u{fc}d \\| 2 | 0.5 | false |\n\
         | 2024-03-03 | #DIV/0! |  |  |\n"
    );
}

#[test]
fn hidden_sheets_are_given_and_named() {
    let rows = row(&[text("a")]);
    let hidden = Sheet { is_hidden: true, ..Sheet::new("Salaries", &rows) };
    let (run, text) = extract(xlsx(&[Sheet::new("Front", &rows), hidden]), "");
    assert_eq!(run.warnings(), ["HiddenSheet"]);
    let warning = &run.result["warnings"][0];
    assert!(warning["message"].as_str().unwrap().contains("`Salaries`"), "{warning}");
    assert!(text.contains("Salaries"), "{text}");
}

#[test]
fn formulas_give_what_was_computed() {
    let rows = row(&[
        "<c><f>1+1</f><v>2</v></c>".to_owned(),
        "<c t=\"str\"><f>A1&amp;\"x\"</f><v>2x</v></c>".to_owned(),
        "<c r=\"C1\"><f>NOW()</f></c>".to_owned(),
    ]);
    let (run, text) = extract(xlsx(&[Sheet::new("F", &rows)]), "--mode text");
    assert_eq!(run.warnings(), ["FormulaWithoutValue"]);
    assert!(text.contains("2\t2x"), "{text}");
    let warning = &run.result["warnings"][0];
    assert_eq!(warning["where"], "F");
    assert!(warning["message"].as_str().unwrap().contains("`C1`"), "{warning}");
}

#[test]
fn dates_are_those_of_the_calendar_in_both_systems() {
    let rows =
        row(&[date(1), date(60), date(61), "<c s=\"2\"><v>0.75</v></c>".to_owned(), number("1")]);
    let text = text_of(xlsx(&[Sheet::new("D", &rows)]), "text");
    assert!(text.contains("1900-01-01\t1900-02-29\t1900-03-01\t18:00:00\t1"), "{text}");
}

#[test]
fn merged_cells_have_their_value_in_the_first() {
    let rows =
        [row(&[text("wide"), text("hidden"), text("c")]), row(&[text("d"), text("e"), text("f")])];
    let rows = rows.concat();
    let after = "<mergeCells count=\"1\"><mergeCell ref=\"A1:B1\"/></mergeCells>";
    let sheet = Sheet { after, ..Sheet::new("M", &rows) };
    let text = text_of(xlsx(&[sheet]), "text");
    assert!(text.contains("d\te\tf"), "{text}");
}

#[test]
fn macros_are_told() {
    let rows = row(&[text("a")]);
    let parts = xlsx_parts(&[Sheet::new("S", &rows)]).bytes("xl/vbaProject.bin", b"macro");
    let (run, _) = extract(parts.pack(), "");
    assert_eq!(run.warnings(), ["MacrosIgnored"]);
}

#[test]
fn a_sheet_that_breaks_off_gives_the_rows_before() {
    let rows = [row(&[text("one")]), row(&[text("two")])].concat();
    let parts = xlsx_parts(&[Sheet::new("S", &rows), Sheet::new("T", &rows)]);
    let cut = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>\
        <row><c t=\"inlineStr\"><is><t>one</t></is></c></row><row><c t=\"inli";
    let (run, text) =
        extract(parts.replaced("xl/worksheets/sheet1.xml", cut.as_bytes()).pack(), "--mode text");
    assert_eq!(run.warnings(), ["DamagedPart"]);
    assert_eq!(text.matches("one").count(), 2, "{text}");
    assert_eq!(text.matches("two").count(), 1, "{text}");
}

#[test]
fn each_sheet_that_is_not_there_is_named() {
    let rows = row(&[text("a")]);
    let parts = xlsx_parts(&["One", "Two", "Three"].map(|name| Sheet::new(name, &rows)))
        .without("xl/worksheets/sheet2.xml")
        .without("xl/worksheets/sheet3.xml");
    let (run, _) = extract(parts.pack(), "");
    let named: Vec<_> = run.result["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| &warning["where"])
        .collect();
    assert_eq!(named, ["Two", "Three"]);
}
