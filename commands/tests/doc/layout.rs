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

/// What is left of three pages, each with its line above a text.
fn heads(size: u32, heads: [&str; 3]) -> String {
    let texts = ["apples and pears", "plums and cherries", "nuts and berries"];
    let page = |(head, text): (&&str, &str)| lines(size, 800, &[head]) + &lines(11, 700, &[text]);
    let pages: Vec<String> = heads.iter().zip(texts).map(page).collect();
    text_of(pdf(&pages.iter().map(String::as_str).collect::<Vec<_>>()), "text")
}

#[test]
fn heads_that_differ_by_the_number_of_the_page_are_given_once() {
    for labels in [
        ["1", "2", "3"],
        ["- 11 -", "- 12 -", "- 13 -"],
        ["iii", "iv", "v"],
        ["[7]", "[8]", "[9]"],
        ["1 / 12", "2 / 12", "3 / 12"],
        ["1/12", "2/12", "3/12"],
        ["9 of 12", "10 of 12", "11 of 12"],
        ["Page 9", "Page 10", "Page 11"],
        ["Seite 1 von 3", "Seite 2 von 3", "Seite 3 von 3"],
        ["Minutes, p. 1", "Minutes, p. 2", "Minutes, p. 3"],
        ["Annual report 2024 7", "Annual report 2024 8", "Annual report 2024 9"],
        ["1 | Of the board", "2 | Of the board", "3 | Of the board"],
    ] {
        let text = heads(11, labels);
        assert!(text.contains(labels[0]), "{text}");
        assert!(!text.contains(labels[1]) && !text.contains(labels[2]), "{text}");
    }
}

#[test]
fn heads_that_differ_by_a_number_of_the_text_stay() {
    for (size, labels) in [
        (20, ["Exercise 1", "Exercise 2", "Exercise 3"]),
        (11, ["Exercise 1", "Exercise 2", "Exercise 3"]),
        (11, ["Room 201", "Room 202", "Room 203"]),
        (11, ["Chapter 1: the start", "Chapter 2: the start", "Chapter 3: the start"]),
        (20, ["Patient record no 1", "Patient record no 2", "Patient record no 3"]),
        (11, ["1. Of the board", "2. Of the board", "3. Of the board"]),
        (11, ["Part I", "Part II", "Part III"]),
        (11, ["Total: 1", "Total: 2", "Total: 3"]),
    ] {
        let text = heads(size, labels);
        assert!(labels.iter().all(|label| text.contains(label)), "{text}");
    }
}

/// A page in a font of its own.
fn pdf_in(font: &str, content: &str) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let root = pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font \
         << /F1 5 0 R >> >> >>",
    );
    pdf.stream("", content.as_bytes());
    pdf.object(format!("<< /Type /Font /Encoding /WinAnsiEncoding {font} >>"));
    pdf.finish(root, "")
}

#[test]
fn lines_of_code_stay_lines() {
    let code = lines(10, 700, &["while ready:", "    step(7)", "    rest()"]);
    let pdf = pdf_in("/Subtype /Type1 /BaseFont /Courier", &code);
    assert_eq!(text_of(pdf, "text"), "while ready:\nstep(7)\nrest()\n");
}

/// Points of a word in size 10: an i is half as wide as other letters.
fn width(word: &str) -> f64 {
    word.chars().map(|letter| if letter == 'i' { 2.5 } else { 5.0 }).sum()
}

/// A page of text in that font.
fn pdf_of_widths(content: &str) -> Vec<u8> {
    let widths: String =
        (' '..='~').map(|letter| format!("{} ", width(&letter.to_string()) * 100.0)).collect();
    let font =
        format!("/Subtype /TrueType /BaseFont /Own /FirstChar 32 /LastChar 126 /Widths [{widths}]");
    pdf_in(&font, content)
}

/// How the words of a justified line are set apart.
#[derive(Clone, Copy)]
enum Set {
    /// By word spacing.
    Spaced,
    /// Each at its place, without blanks.
    Placed,
}

/// A column of justified text, 150 points wide, from a height down; and the height below it.
fn justified(x: f64, top: f64, text: &str, set: Set) -> (String, f64) {
    let mut lines: Vec<Vec<&str>> = vec![Vec::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if width(&line.join(" ")) + 5.0 + width(word) > 150.0 {
            lines.push(vec![word]);
        } else {
            line.push(word);
        }
    }
    let last = lines.len() - 1;
    let (mut content, mut y) = (String::new(), top);
    for (at, line) in lines.iter().enumerate() {
        let gaps = f64::from(u32::try_from(line.len() - 1).unwrap().max(1));
        let more = if at == last { 0.0 } else { (150.0 - width(&line.join(" "))) / gaps };
        match set {
            Set::Spaced => content.push_str(&format!(
                "BT /F1 10 Tf {more} Tw {x} {y} Td ({}) Tj ET\n",
                line.join(" ")
            )),
            Set::Placed => {
                let mut x = x;
                for word in line {
                    content.push_str(&format!("BT /F1 10 Tf {x} {y} Td ({word}) Tj ET\n"));
                    x += width(word) + 5.0 + more;
                }
            }
        }
        y -= 12.0;
    }
    (content, y - 6.0)
}

/// Words without an order, of which few long ones go into a line.
fn long_words(seed: u64) -> String {
    let words = "responsibility international development organization communication \
                 characteristics environmental representatives of the and in a to is that \
                 infrastructure implementation understanding nevertheless extraordinary \
                 straightforward the report was sent to all members in time";
    let words: Vec<&str> = words.split(' ').collect();
    let mut state = seed;
    let mut next = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        words[usize::try_from(state >> 16).unwrap() % words.len()]
    };
    (0..26).map(|_| next()).collect::<Vec<_>>().join(" ") + "."
}

#[test]
fn wide_gaps_of_justified_lines_are_no_gutters() {
    for set in [Set::Spaced, Set::Placed] {
        let (mut content, mut texts) = (String::new(), Vec::new());
        for column in 0..3 {
            let mut top = 760.0;
            for paragraph in 0..3 {
                texts.push(long_words(column * 4 + paragraph + 1));
                let x = 50.0 + 170.0 * f64::from(u32::try_from(column).unwrap());
                let (drawn, below) = justified(x, top, texts.last().unwrap(), set);
                content.push_str(&drawn);
                top = below;
            }
        }
        assert_eq!(text_of(pdf_of_widths(&content), "text"), texts.join("\n\n") + "\n");
    }
}

#[test]
fn rows_as_wide_as_the_justified_text_around_them_stay_rows() {
    let (mut content, mut top) = justified(50.0, 760.0, &long_words(1), Set::Placed);
    for (fruit, count) in [("Apples", "3"), ("Pears", "7"), ("Plums", "12"), ("Nuts", "0")] {
        let x = 200.0 - width(count);
        content.push_str(&format!("BT /F1 10 Tf 50 {top} Td ({fruit}) Tj ET\n"));
        content.push_str(&format!("BT /F1 10 Tf {x} {top} Td ({count}) Tj ET\n"));
        top -= 12.0;
    }
    let (below, _) = justified(50.0, top - 6.0, &long_words(2), Set::Placed);
    assert_eq!(
        text_of(pdf_of_widths(&(content + &below)), "text"),
        format!("{}\n\nApples 3\nPears 7\nPlums 12\nNuts 0\n\n{}\n", long_words(1), long_words(2))
    );
}
