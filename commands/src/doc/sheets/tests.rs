//! Workbooks made for the purpose, read both ways.

use std::io::{Cursor, Write};

use tapeline::ErrorCode;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    super::{
        block::{Block, Kind, Rendering, Sink, Stop},
        value::Value,
        warning::{Code, Warning},
    },
    *,
};

const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A package of one sheet, `One`; `parts` are added to it or stand in place of its own.
fn workbook(sheet_data: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{sheet_data}</sheetData></worksheet>");
    let relations = format!(
        "<Relationships><Relationship Id='a' Type='{RELATION}/worksheet' Target='one.xml'/>\
         <Relationship Id='b' Type='{RELATION}/worksheet' Target='/xl/two.xml'/>\
         <Relationship Id='c' Type='{RELATION}/chartsheet' Target='chart.xml'/></Relationships>"
    );
    let mut all = vec![
        ("xl/workbook.xml", "<workbook><sheets><sheet name='One' r:id='a'/></sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", &relations),
        ("xl/one.xml", &sheet),
    ];
    all.retain(|(name, _)| !parts.iter().any(|(other, _)| name == other));
    all.extend_from_slice(parts);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in all {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

struct Gathered {
    room: usize,
    is_cancelled: bool,
    blocks: Vec<Block>,
    rows: Vec<Row>,
    warnings: Vec<Code>,
}

impl Gathered {
    fn new() -> Self {
        Self { room: 1000, is_cancelled: false, blocks: vec![], rows: vec![], warnings: vec![] }
    }

    fn go_on(&self) -> Result<(), Stop> {
        if self.is_cancelled { Err(Stop::Cancelled) } else { Ok(()) }
    }

    fn text(&self) -> String {
        let lines = self.blocks.iter().map(|block| {
            let rows: Vec<_> = block.rows.iter().map(|row| row.join("|")).collect();
            format!("{}{}", block.text, rows.join("\n"))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl Sink for Gathered {
    fn rendering(&self) -> Rendering {
        Rendering::Plain
    }

    fn count(&mut self, _: u32) {}

    fn take(&mut self, block: Block) -> Result<(), Stop> {
        self.blocks.push(block);
        Ok(())
    }

    fn room(&self) -> usize {
        self.room
    }
}

impl Watch for Gathered {
    fn go_on(&mut self, _: u64, _: Option<u64>) -> Result<(), Stop> {
        Self::go_on(self)
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning.code);
    }
}

impl RowSink for Gathered {
    fn take(&mut self, row: Row) -> Result<(), Stop> {
        self.rows.push(row);
        Ok(())
    }
}

#[track_caller]
fn check(bytes: &[u8], text: &str, warnings: &[Code]) -> Gathered {
    let mut gathered = Gathered::new();
    read(bytes, &mut gathered).unwrap();
    assert_eq!(gathered.text(), text);
    assert_eq!(gathered.warnings, warnings);
    gathered
}

fn rows(bytes: &[u8]) -> (Gathered, Result<(), Stop>) {
    let mut gathered = Gathered::new();
    let mut book = open(bytes, &mut gathered).unwrap();
    let size = book.size(0, &mut gathered).unwrap();
    let end = book.rows(0, size, &mut gathered);
    (gathered, end)
}

fn limit(end: Result<impl Sized, Stop>) -> String {
    match end {
        Err(Stop::Failed(failure)) => {
            assert_eq!(failure.code(), ErrorCode::LIMIT_EXCEEDED);
            failure.detail_json("limit").unwrap().to_owned()
        }
        _ => "none".to_owned(),
    }
}

#[test]
fn each_kind_of_cell_is_read() {
    let strings = "<sst uniqueCount='1e14'><si><t>plain</t></si><x:si xmlns:x='y'><x:r><x:t>rich </x:t></x:r>\
                   <x:r><x:t>text</x:t></x:r><x:rPh><x:t>reading</x:t></x:rPh></x:si></sst>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId='170' formatCode='[h]:mm'/></numFmts><cellStyleXfs>\
                  <xf numFmtId='14'/></cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/>\
                  <xf numFmtId='170'/></cellXfs></styleSheet>";
    let sheet = "<row r='2'><c r='B2' t='s'><v>0</v></c><c r='C2' t='s'><v>1</v></c>\
                 <c r='E2' t='inlineStr'><is><t>a_x000D_\n&lt;b&gt;</t></is></c></row>\
                 <row r='9'><c r='B9' t='b'><v>1</v></c><c r='C9' t='e'><v>#DIV/0!</v></c>\
                 <c r='E9' s='1'><v>44197</v></c><c r='F9' s='2'><v>1.5</v></c>\
                 <c r='G9'><v>0.10000000000000001</v></c><c r='H9' t='str'><f>x</f><v>sum</v></c>\
                 <c r='I9'><f>A1</f><v/></c><c r='J9' t='d'><v>2024-03-01T12:30:00</v></c></row>";
    let bytes = workbook(sheet, &[("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles)]);
    let text = "One\nplain|rich text|a\n<b>||||\n\
                true|#DIV/0!|2021-01-01|36:00:00|0.1|sum|2024-03-01 12:30:00";
    check(&bytes, text, &[Code::FormulaWithoutValue]);
}

#[test]
fn sheets_without_cells_and_hidden_ones_are_named() {
    let sheets = "<workbook><workbookPr date1904='1'/><sheets><sheet name='One' state='veryHidden' r:id='a'/>\
                  <sheet name='Two' r:id='b'/><sheet name='Chart' r:id='c'/></sheets></workbook>";
    let bytes = workbook("<row><c><v>1</v></c></row>", &[("xl/workbook.xml", sheets)]);
    check(&bytes, "One\n1\nTwo\nChart", &[Code::HiddenSheet, Code::DamagedPart]);
}

#[test]
fn remarks_stand_behind_the_cells() {
    let relations = format!(
        "<Relationships><Relationship Type='{RELATION}/comments' Target='notes.xml'/>\
         <Relationship Type='x/threadedComment' Target='threads.xml'/>\
         <Relationship Type='{RELATION}/drawing' Target='drawing.xml'/>\
         <Relationship Type='{RELATION}/oleObject' Target='x.bin'/></Relationships>"
    );
    let notes = "<comments><authors><author>Ann</author></authors><commentList>\
                 <comment ref='B1' authorId='0'><text><r><t>Ann:</t></r><r><t>\nlook</t></r></text></comment>\
                 <comment ref='A1' authorId='0'><text><t>[Threaded comment]\nold</t></text></comment>\
                 </commentList></comments>";
    let threads = "<ThreadedComments><threadedComment ref='A1' personId='p'><text>why?</text>\
                   </threadedComment></ThreadedComments>";
    let drawing = "<d><a:p><a:r><a:t>in a </a:t></a:r><a:r><a:t>shape</a:t></a:r></a:p></d>";
    let bytes = workbook(
        "<row><c><v>1</v></c></row>",
        &[
            ("xl/_rels/one.xml.rels", &relations),
            ("xl/notes.xml", notes),
            ("xl/threads.xml", threads),
            ("xl/drawing.xml", drawing),
        ],
    );
    let text = "One\n1\nA1: why?\nB1: look\nin a shape";
    let gathered = check(&bytes, text, &[Code::EmbeddedObject]);
    let authors = gathered.blocks.iter().filter_map(|block| match &block.kind {
        Kind::Comment { author } => Some(author.as_deref()),
        _ => None,
    });
    assert_eq!(authors.collect::<Vec<_>>(), [None, Some("Ann")]);
}

#[test]
fn rows_keep_their_places() {
    let sheet = "<row><c t='str'><v>a</v></c><c/><c><v>9007199254740993</v></c></row>\
                 <row/><row r='4'><c r='B4'><v>1</v></c><c r='B4'><v>2</v></c><c r='A4'><v>3</v></c></row>\
                 <row r='2'><c r='XFE1'><v>4</v></c></row>";
    let (gathered, end) = rows(&workbook(sheet, &[]));
    end.unwrap();
    let number = |text: &str| Value::Number { text: text.to_owned(), is_large_integer: false };
    let large = Value::Number { text: "9007199254740993".to_owned(), is_large_integer: true };
    let expected = [
        vec![Value::Text("a".to_owned()), Value::Empty, large],
        vec![Value::Empty; 3],
        vec![Value::Empty; 3],
        vec![number("3"), number("2"), Value::Empty],
        vec![number("4"), Value::Empty, Value::Empty],
    ];
    assert_eq!(gathered.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(gathered.rows.into_iter().map(|row| row.cells).collect::<Vec<_>>(), expected);
    assert_eq!(gathered.warnings, [Code::DamagedPart]);
}

#[test]
fn far_corners_cost_text_nothing_and_a_table_its_limit() {
    let sheet = "<row r='1'><c r='A1'><v>1</v></c></row>\
                 <row r='1048576'><c r='XFD1048576'><v>2</v></c></row>";
    let bytes = workbook(sheet, &[]);
    check(&bytes, "One\n1|\n|2", &[]);
    assert_eq!(limit(rows(&bytes).1), "\"cells\"");
}

#[test]
fn a_sheet_that_breaks_off_gives_what_it_has() {
    let part = "<worksheet><sheetData><row><c><v>1</v></c></row><row><c><v>2</v></c><c><v>3";
    let bytes = workbook("", &[("xl/one.xml", part)]);
    check(&bytes, "One\n1|\n2|3", &[Code::DamagedPart]);
}

#[test]
fn entities_are_not_expanded() {
    let part = "<!DOCTYPE x [<!ENTITY a 'aaa'>]><worksheet><sheetData><row><c t='str'><v>b&a;&b;&amp;&#65; & c</v></c>\
                </row></sheetData></worksheet>";
    let bytes = workbook("", &[("xl/one.xml", part)]);
    check(&bytes, "One\nb&A & c", &[Code::ExternalEntityIgnored]);
}

#[test]
fn rows_beyond_the_room_are_not_gathered_and_end_the_reading() {
    let bytes = workbook(&"<row><c><v>12</v></c></row>".repeat(100), &[]);
    let mut gathered = Gathered::new();
    gathered.room = 10;
    assert!(matches!(read(&bytes, &mut gathered), Err(Stop::Full)));
    assert_eq!(gathered.text(), "One\n12\n12\n12\n12");
}

#[test]
fn a_stretch_without_values_can_be_cancelled() {
    let bytes = workbook(&"<x/>".repeat(10_000), &[]);
    let mut gathered = Gathered::new();
    let mut book = open(&bytes, &mut gathered).unwrap();
    gathered.is_cancelled = true;
    assert!(matches!(book.size(0, &mut gathered), Err(Stop::Cancelled)));
}

#[test]
fn nesting_and_texts_have_limits() {
    let deep = format!("<row><c>{}", "<is>".repeat(300));
    assert_eq!(limit(read(&workbook(&deep, &[]), &mut Gathered::new())), "\"nesting\"");
    let long = format!("<row><c t='str'><v>{}</v></c></row>", "x".repeat(17 << 20));
    assert_eq!(limit(read(&workbook(&long, &[]), &mut Gathered::new())), "\"token\"");
    let shared = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(1 << 20));
    let many = format!("<row>{}</row>", "<c t='s'><v>0</v></c>".repeat(40));
    let bytes = workbook(&many, &[("xl/sharedStrings.xml", &shared)]);
    assert_eq!(limit(read(&bytes, &mut Gathered::new())), "\"row\"");
}

#[test]
fn what_is_no_workbook_is_a_parse_error() {
    for bytes in [Vec::new(), b"PK\x03\x04".to_vec(), workbook("", &[("xl/workbook.xml", "<a/>")])]
    {
        match read(&bytes, &mut Gathered::new()) {
            Err(Stop::Failed(failure)) => assert_eq!(failure.code(), ErrorCode::PARSE_ERROR),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_extension_does_not_change_the_date_system() {
    let book = "<workbook><workbookPr date1904='1'/><sheets><sheet name='One' r:id='a'/></sheets>\
        <extLst><ext><x14:workbookPr defaultImageDpi='32767'/></ext></extLst></workbook>";
    let styles = "<styleSheet><cellXfs><xf numFmtId='14'/></cellXfs></styleSheet>";
    let bytes = workbook(
        "<row><c s='0'><v>1</v></c></row>",
        &[("xl/workbook.xml", book), ("xl/styles.xml", styles)],
    );
    check(&bytes, "One\n1904-01-02", &[]);
}
