//! Whole documents, small and made here.

use std::fmt::Write as _;

use super::super::block::{Block, Kind, Rendering, Sink, Stop, Watch};
use super::super::warning::{Code, Warning};
use super::read;

/// What a caller sees of a document.
#[derive(Default)]
struct Seen {
    blocks: Vec<Block>,
    warnings: Vec<Warning>,
    room: usize,
    count: u32,
    is_markdown: bool,
}

impl Sink for Seen {
    fn rendering(&self) -> Rendering {
        if self.is_markdown { Rendering::Markdown } else { Rendering::Plain }
    }

    fn take(&mut self, block: Block) -> Result<(), Stop> {
        self.blocks.push(block);
        if self.blocks.len() >= self.room { Err(Stop::Full) } else { Ok(()) }
    }

    fn room(&self) -> usize {
        self.room
    }

    fn count(&mut self, count: u32) {
        self.count = count;
    }
}

impl Watch for Seen {
    fn go_on(&mut self, _: u64, _: Option<u64>) -> Result<(), Stop> {
        Ok(())
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

impl Seen {
    fn texts(&self) -> Vec<&str> {
        self.blocks.iter().map(|block| block.text.as_str()).collect()
    }

    fn codes(&self) -> Vec<Code> {
        self.warnings.iter().map(|warning| warning.code).collect()
    }
}

fn see(bytes: &[u8]) -> (Result<(), Stop>, Seen) {
    let mut seen = Seen { room: usize::MAX, ..Seen::default() };
    let ended = read(bytes, &mut seen);
    (ended, seen)
}

fn error_code(ended: &Result<(), Stop>) -> &'static str {
    match ended {
        Err(Stop::Failed(failure)) => failure.code().name(),
        other => panic!("{other:?}"),
    }
}

/// Objects numbered from 1, the first of which is the root.
fn file(objects: &[String]) -> Vec<u8> {
    let mut source = "%PDF-1.7\n".to_owned();
    let mut starts = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        starts.push(source.len());
        writeln!(source, "{} 0 obj\n{object}\nendobj", index + 1).unwrap();
    }
    let table = source.len();
    write!(source, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for start in starts {
        writeln!(source, "{start:010} 00000 n ").unwrap();
    }
    write!(source, "trailer <</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF", objects.len() + 1)
        .unwrap();
    source.into_bytes()
}

fn stream(data: &str) -> String {
    format!("<</Length {}>>\nstream\n{data}\nendstream", data.len())
}

/// One page with Helvetica as `F1`, drawn by `content`; `more` from object 6.
fn page(content: &str, entries: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>\
             /XObject<</X 6 0 R>>>>{entries}>>"
        ),
        stream(content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    objects.extend_from_slice(more);
    file(&objects)
}

fn lines(x: u32, y: u32, lines: &[&str]) -> String {
    lines.iter().enumerate().fold(String::new(), |mut content, (index, line)| {
        writeln!(
            content,
            "BT /F1 10 Tf 1 0 0 1 {x} {} Tm ({line}) Tj ET",
            y - 12 * u32::try_from(index).unwrap()
        )
        .unwrap();
        content
    })
}

#[test]
fn columns_are_read_one_after_the_other_below_their_title() {
    let mut content =
        "BT /F1 20 Tf 1 0 0 1 50 740 Tm (A title that goes over both of the columns) Tj ET\n"
            .to_owned();
    content += &lines(
        50,
        700,
        &[
            "left one is long enough here",
            "left two is long enough, inter-",
            "rupted and goes on to the end",
        ],
    );
    content += &lines(
        320,
        700,
        &["right one stands beside it", "right two as well, of course", "right three"],
    );
    let (ended, seen) = see(&page(&content, "", &[]));
    ended.unwrap();
    assert_eq!(seen.count, 1);
    assert_eq!(
        seen.texts(),
        [
            "A title that goes over both of the columns",
            "left one is long enough here left two is long enough, interrupted and goes on to the end",
            "right one stands beside it right two as well, of course right three",
        ]
    );
    assert_eq!(seen.blocks[0].kind, Kind::Heading(1));
}

#[test]
fn short_cells_on_the_same_heights_are_a_table() {
    let mut content = String::new();
    for (column, cells) in
        [["Name", "one", "two"], ["Count", "1", "22"], ["Price", "3.50", "4.75"]].iter().enumerate()
    {
        content += &lines(50 + 150 * u32::try_from(column).unwrap(), 700, cells);
    }
    let (_, seen) = see(&page(&content, "", &[]));
    assert_eq!(
        seen.blocks[0].rows,
        [["Name", "Count", "Price"], ["one", "1", "3.50"], ["two", "22", "4.75"]]
    );
}

#[test]
fn hebrew_is_given_in_the_order_of_reading() {
    let font = "<</Type/Font/Subtype/Type0/BaseFont/H/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 8 0 R>>";
    let descendant = "<</Type/Font/Subtype/CIDFontType2/BaseFont/H/DW 500>>";
    let map = "3 beginbfchar <0001> <05D0> <0002> <05D1> <0003> <0031> endbfchar";
    // As it is seen from the left: 11, a blank of a gap, bet, alef.
    let content = "BT /F2 10 Tf 50 700 Td <00030003> Tj 20 0 Td <00020001> Tj ET";
    let (_, seen) = see(&page(content, "", &[font.to_owned(), descendant.to_owned(), stream(map)]));
    assert_eq!(seen.texts(), ["אב 11"]);
}

#[test]
fn what_draws_itself_and_a_tree_in_a_circle_end() {
    let form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 70>>\nstream\n\
                BT /F1 10 Tf 50 700 Td (once) Tj ET /X Do /X Do\nendstream";
    let (_, seen) = see(&page("/X Do", "", &[form.to_owned()]));
    assert_eq!(seen.texts(), ["once"]);

    let (ended, _) = see(&file(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Count 9>>".to_owned(),
        "<</Type/Page/MediaBox[0 0 9 9]>>".to_owned(),
    ]));
    ended.unwrap();
    assert_eq!(seen.count, 1);
}

#[test]
fn a_stream_that_unpacks_to_more_than_a_part_may_have_is_refused() {
    let content = format!("<</Filter/RunLengthDecode/Length {0}>>\nstream\n{1}\nendstream", 2, "");
    let mut bytes = page("", "", &[content]);
    let bomb: Vec<u8> = [0x81, b' '].repeat(600_000);
    let contents = bytes.windows(15).position(|window| window == b"/Contents 4 0 R").unwrap();
    bytes[contents + 10] = b'6';
    let stream = bytes.windows(8).rposition(|window| window == b"stream\n\n").unwrap() + 7;
    bytes.splice(stream..stream, bomb);
    assert_eq!(error_code(&see(&bytes).0), "LimitExceeded");
}

#[test]
fn deep_nesting_is_no_trap() {
    let deep = "[".repeat(400_000);
    let (ended, seen) = see(&page(&format!("{deep} TJ"), "/Odd 6 0 R", &[deep]));
    ended.unwrap();
    assert_eq!(seen.count, 1);
    assert!(seen.blocks.is_empty());
}

#[test]
fn a_file_without_tables_is_searched_and_one_without_pages_is_refused() {
    let whole = page("BT /F1 10 Tf 50 700 Td (still here) Tj ET", "", &[]);
    let cut = whole.windows(4).rposition(|window| window == b"xref").unwrap() - 30;
    assert_eq!(see(&whole[..cut]).1.texts(), ["still here"]);
    assert_eq!(error_code(&see(&whole[..40]).0), "ParseError");
    assert_eq!(error_code(&see(b"just text").0), "ParseError");
}

#[test]
fn objects_within_streams_are_read() {
    let inner = "<</Type/Catalog/Pages 2 0 R>> <</Type/Pages/Kids[3 0 R]/Count 1>> <</Type/Page/MediaBox[0 0 9 9]>>";
    let heads = "1 0 2 30 3 66 ";
    let mut source = b"%PDF-1.5\n".to_vec();
    let packed = source.len();
    let data = format!("{heads}{inner}");
    source.extend(
        format!(
            "4 0 obj <</Type/ObjStm/N 3/First {}/Length {}>>\nstream\n{data}\nendstream endobj\n",
            heads.len(),
            data.len()
        )
        .bytes(),
    );
    let table = source.len();
    let mut rows: Vec<u8> = vec![0, 0, 0];
    rows.extend([2, 0, 4, 2, 0, 4, 2, 0, 4, 1, 0, u8::try_from(packed).unwrap()]);
    source.extend(
        format!(
            "5 0 obj <</Type/XRef/Size 5/W[1 1 1]/Root 1 0 R/Length {}>>\nstream\n",
            rows.len()
        )
        .bytes(),
    );
    source.extend(rows);
    source.extend(format!("\nendstream endobj\nstartxref\n{table}\n%%EOF").bytes());
    assert_eq!(see(&source).1.count, 1);
}

#[test]
fn encryption_that_is_not_known_is_said() {
    let source = page("", "", &["<</Filter/Adobe.PubSec/V 4>>".to_owned()]);
    let source =
        String::from_utf8(source).unwrap().replace("/Root 1 0 R", "/Root 1 0 R/Encrypt 6 0 R");
    assert_eq!(error_code(&see(source.as_bytes()).0), "Encrypted");
}

#[test]
fn the_value_of_a_field_is_text_of_the_page() {
    let field = "<</Type/Annot/Subtype/Widget/FT/Tx/V(filled in)/Rect[50 600 200 620]>>";
    let hidden = "<</Type/Annot/Subtype/Widget/FT/Tx/V(never seen)/F 2/Rect[50 500 200 520]>>";
    let (_, seen) = see(&page("", "/Annots[6 0 R 7 0 R]", &[field.to_owned(), hidden.to_owned()]));
    assert_eq!(seen.texts(), ["filled in"]);
}

#[test]
fn fonts_with_names_of_their_own_are_warned_of() {
    let font =
        "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Odd/Encoding<</Differences[65/g1/g2/g3]>>>>";
    let (_, seen) = see(&page("BT /F2 10 Tf 50 700 Td (ABCABC) Tj ET", "", &[font.to_owned()]));
    assert_eq!(seen.codes(), [Code::UnmappedGlyphs]);
    assert!(seen.warnings[0].message.ends_with("(Odd)"));
}

#[test]
fn a_picture_instead_of_text_is_warned_of_by_its_page() {
    let picture = "<</Type/XObject/Subtype/Image/Width 9/Height 9/Length 0>>\nstream\n\nendstream";
    let (_, seen) = see(&page("600 0 0 700 0 0 cm /X Do", "", &[picture.to_owned()]));
    assert_eq!(seen.codes(), [Code::ScannedPages]);
    assert_eq!(seen.warnings[0].place.as_deref(), Some("page 1"));
}

#[test]
fn pages_beyond_the_limit_are_counted_and_not_read() {
    let kids = "3 0 R ".repeat(5_003);
    let (ended, seen) = see(&file(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{kids}]/Count 5003>>"),
        "<</Type/Page/MediaBox[0 0 9 9]>>".to_owned(),
    ]));
    ended.unwrap();
    assert_eq!(seen.count, 5_003);
    assert_eq!(seen.codes(), [Code::PageLimit]);
}

#[test]
fn a_full_sink_is_given_no_more() {
    let content = lines(50, 700, &["1. one", "2. two", "3. three"]);
    let mut seen = Seen { room: 2, ..Seen::default() };
    assert!(matches!(read(&page(&content, "", &[]), &mut seen), Err(Stop::Full)));
    assert_eq!(seen.texts(), ["one", "two"]);
}

#[test]
fn raised_and_lowered_letters_stay_in_their_word() {
    let content = "BT /F1 10 Tf 50 700 Td (see L) Tj /F1 7 Tf 20 2.1 Td (A) Tj /F1 10 Tf 3.5 -2.1 Td (T) Tj\n\
                   4.5 -2.2 Td (E) Tj 5.4 2.2 Td (X for more) Tj 0 -12 Td (the next line) Tj ET";
    let (ended, seen) = see(&page(content, "", &[]));
    ended.unwrap();
    let text = seen.texts().join(" ");
    assert!(text.contains("see LATEX for more"), "{text}");
}

#[test]
fn the_mark_of_a_note_stands_apart() {
    let content = "BT /F1 6 Tf 50 703 Td (1) Tj /F1 8 Tf 3.4 -3 Td (The text of the note) Tj ET";
    let (ended, seen) = see(&page(content, "", &[]));
    ended.unwrap();
    assert_eq!(seen.texts(), ["1 The text of the note"]);
}

#[test]
fn dots_that_lead_to_a_page_keep_words_apart() {
    let mut content = String::new();
    for (row, words) in [["About", "this"], ["Two", "words"], ["More", "still"]].iter().enumerate()
    {
        let y = 700 - 12 * row;
        write!(content, "BT /F1 10 Tf 1 0 0 1 50 {y} Tm ({}) Tj ET ", words[0]).unwrap();
        write!(content, "BT /F1 10 Tf 1 0 0 1 80 {y} Tm ({}) Tj ET ", words[1]).unwrap();
        for x in 0..40 {
            write!(content, "BT /F1 10 Tf 1 0 0 1 {} {y} Tm (.) Tj ET ", 110 + 6 * x).unwrap();
        }
        writeln!(content, "BT /F1 10 Tf 1 0 0 1 352 {y} Tm ({}) Tj ET", row + 4).unwrap();
    }
    let (ended, seen) = see(&page(&content, "", &[]));
    ended.unwrap();
    let text = seen.texts().join("\n");
    let firsts: Vec<&str> = text.lines().filter_map(|line| line.split("..").next()).collect();
    assert_eq!(
        firsts.iter().map(|first| first.trim()).collect::<Vec<_>>(),
        ["About this", "Two words", "More still"]
    );
}

#[test]
fn fields_show_what_they_hold_where_their_look_is_empty() {
    let empty = "<</Length 12/BBox[0 0 9 9]>>\nstream\n/Tx BMC EMC \nendstream".to_owned();
    let rest = "/Type/Annot/Subtype/Widget/AP<</N 6 0 R>>";
    let entries = format!(
        "/Annots[<<{rest}/FT/Tx/V(Alice)/Rect[50 700 150 712]>> \
         <<{rest}/FT/Ch/V(b)/Opt[[(a)(Amber)][(b)(Blue)]]/Rect[50 650 150 662]>> \
         <<{rest}/FT/Tx/Ff 8192/V(secret)/Rect[50 600 150 612]>>]"
    );
    let (ended, seen) = see(&page("", &entries, &[empty]));
    ended.unwrap();
    assert_eq!(seen.texts().join(" "), "Alice Blue");
}

#[test]
fn links_lead_where_they_lead_in_markdown() {
    let entries = "/Annots[<</Type/Annot/Subtype/Link/Rect[70 698 92 710]/A<</S/URI/URI(https://a.example/x)>>>>]";
    let content = "BT /F1 10 Tf 50 700 Td (see ) Tj 21 0 Td (here) Tj 22 0 Td (and there) Tj ET";
    let mut seen = Seen { room: 9, is_markdown: true, ..Seen::default() };
    read(&page(content, entries, &[]), &mut seen).unwrap();
    assert_eq!(seen.texts(), ["see [here](https://a.example/x) and there"]);
}
