//! PDF: what is read by rows and what by columns, lists, and lines that pages share.

use super::{
    documents::{Pdf, lines, pdf},
    text_of,
};

/// Texts, each at a place of its own.
fn placed(texts: &[(u32, u32, &str)]) -> String {
    let show =
        |(x, y, text): &(u32, u32, &str)| format!("BT /F1 11 Tf {x} {y} Td ({text}) Tj ET\n");
    texts.iter().map(show).collect()
}

#[test]
fn a_form_is_read_row_by_row() {
    let form = placed(&[
        (60, 700, "Name:"),
        (60, 680, "Born on:"),
        (60, 660, "Town:"),
        (200, 700, "Jane Doe"),
        (200, 680, "1980-01-02"),
        (200, 660, "Paris"),
    ]);
    assert_eq!(
        text_of(pdf(&[&form]), "text"),
        "Name: Jane Doe\nBorn on: 1980-01-02\nTown: Paris\n"
    );
}

#[test]
fn a_table_of_few_rows_has_its_sums_and_not_the_line_above() {
    let table = placed(&[
        (60, 720, "Prices:"),
        (60, 700, "Item"),
        (200, 700, "Pieces"),
        (300, 700, "Price"),
        (60, 684, "Apple"),
        (200, 684, "3"),
        (300, 684, "1.50"),
        (60, 668, "Pear"),
        (200, 668, "12"),
        (300, 668, "22.00"),
        (200, 652, "Total"),
        (300, 652, "23.50"),
    ]);
    assert_eq!(
        text_of(pdf(&[&table]), "md"),
        "Prices:\n\n| Item | Pieces | Price |\n| --- | --- | --- |\n| Apple | 3 | 1.50 |\n\
         | Pear | 12 | 22.00 |\n|  | Total | 23.50 |\n"
    );
}

#[test]
fn numbers_and_unused_codes_at_the_left_are_markers() {
    let numbered = placed(&[
        (60, 700, "1."),
        (60, 680, "2."),
        (90, 700, "wash the apples"),
        (90, 680, "cut them into slices"),
    ]);
    assert_eq!(text_of(pdf(&[&numbered]), "md"), "1. wash the apples\n2. cut them into slices\n");
    let bullets = placed(&[(60, 700, "\\177 apples"), (60, 686, "\\177 pears")]);
    assert_eq!(text_of(pdf(&[&bullets]), "md"), "- apples\n- pears\n");
}

#[test]
fn shapes_at_the_left_are_bullets() {
    let content = "50 702 4 4 re f\n50 686 4 4 re f\n".to_owned()
        + &placed(&[(60, 700, "apples"), (60, 684, "pears")]);
    assert_eq!(text_of(pdf(&[&content]), "md"), "- apples\n- pears\n");
}

#[test]
fn short_lines_stay_lines() {
    let address = lines(11, 700, &["12 Main Street", "Springfield"]);
    let text = lines(
        11,
        640,
        &[
            "Dear members of the board, we thank you for the report on the year and",
            "for the kind words.",
        ],
    );
    let page = address.replace(" 700 Td", " 667 Td") + &text;
    assert_eq!(
        text_of(pdf(&[&page]), "text"),
        "12 Main Street\nSpringfield\nDear members of the board, we thank you for the report on \
         the year and for the kind words.\n"
    );
}

#[test]
fn heads_and_feet_are_given_once() {
    let page = |number: u32, text: &str| {
        lines(14, 820, &["Yearly report"])
            + &lines(11, 700, &[text])
            + &lines(11, 20, &[&format!("Page {number}")])
    };
    let pages = [page(1, "apples"), page(2, "pears"), page(3, "cherries")];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(
        text_of(pdf(&pages), "md"),
        "Yearly report\n\napples\n\nPage 1\n\npears\n\ncherries\n"
    );
    // A number that does not count the pages is text.
    let bill = |number: u32| lines(11, 820, &[&format!("Bill {number}")]) + &lines(11, 700, &["x"]);
    let text = text_of(pdf(&[&bill(17), &bill(40)]), "text");
    assert!(text.contains("Bill 17") && text.contains("Bill 40"), "{text}");
}

#[test]
fn lines_of_code_stay_lines() {
    let mut pdf = Pdf::default();
    let root = pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font \
         << /F1 5 0 R >> >> >>",
    );
    let code = lines(10, 700, &["while ready:", "    step(7)", "    rest()"]);
    pdf.stream("", code.as_bytes());
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>");
    assert_eq!(text_of(pdf.finish(root, ""), "text"), "while ready:\nstep(7)\nrest()\n");
}
