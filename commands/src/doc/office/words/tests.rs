//! What is said in the parts of a text.

use super::said;

#[track_caller]
fn check(body: &str, expected: &str) {
    let written = said(format!("<w:body>{body}</w:body>").into_bytes(), false);
    let written = String::from_utf8(written).unwrap().replace(" xml:space=\"preserve\"", "");
    assert_eq!(written, format!("<w:body>{expected}</w:body>"));
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

#[test]
fn the_base_of_a_ruby_is_in_its_run() {
    let guide = format!("<w:rubyPr/><w:rt>{}</w:rt>", run("g"));
    let ruby = format!(
        "<w:ruby>{guide}<w:rubyBase><w:r><w:rPr><w:b/></w:rPr><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>"
    );
    check(&format!("<w:p><w:r>{ruby}</w:r></w:p>"), &format!("<w:p>{}</w:p>", run("東京")));
}

#[test]
fn a_placed_tab_is_a_tab() {
    check(
        "<w:p><w:r><w:ptab w:alignment=\"right\"/></w:r></w:p>",
        "<w:p><w:r><w:tab/></w:r></w:p>",
    );
}

#[test]
fn equations_are_typed_on_one_line() {
    let of = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
    let part = |name: &str, inside: &str| format!("<m:{name}>{inside}</m:{name}>");
    let e = |text: &str| part("e", &of(text));
    for (equation, text) in [
        (part("f", &(part("num", &of("a+b")) + &part("den", &of("2")))), "(a+b)/2"),
        (part("sSup", &(e("x") + &part("sup", &of("10")))), "x^10"),
        (part("d", &(e("x") + &e("y"))), "(x|y)"),
        (
            part(
                "d",
                &("<m:dPr><m:begChr m:val=\"[\"/><m:endChr m:val=\"\"/></m:dPr>".to_owned()
                    + &e("y")),
            ),
            "[y",
        ),
        (
            part(
                "nary",
                &("<m:naryPr><m:chr m:val=\"∑\"/></m:naryPr>".to_owned()
                    + &part("sub", &of("i=1"))
                    + &part("sup", &of("n"))
                    + &e("i")),
            ),
            "∑_(i=1)^n i",
        ),
        (part("rad", &e("x")), "√x"),
        (
            part("m", &(part("mr", &(e("1") + &e("2"))) + &part("mr", &(e("3") + &e("4"))))),
            "1, 2; 3, 4",
        ),
        (of("a &lt; b"), "a &lt; b"),
    ] {
        let equation = format!("<m:oMath>{equation}</m:oMath>");
        let expected = format!("<w:p>{}</w:p>", run(text));
        check(&format!("<w:p>{equation}</w:p>"), &expected);
        check(&format!("<m:oMathPara>{equation}</m:oMathPara>"), &expected);
        check(&format!("<w:p><m:oMathPara>{equation}</m:oMathPara></w:p>"), &expected);
    }
}

#[test]
fn plain_text_has_the_letters_of_an_equation() {
    let of = |name: &str, text: &str| format!("<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>");
    let fraction = format!("<m:f>{}{}</m:f>", of("num", "a"), of("den", "2"));
    let part = said(format!("<w:p><m:oMath>{fraction}</m:oMath></w:p>").into_bytes(), true);
    assert!(String::from_utf8(part).unwrap().contains(">a2</w:t>"));
}

#[test]
fn of_several_ways_the_first_that_says_something_is_read() {
    let ways = |choice: &str, fallback: &str| {
        format!(
            "<mc:AlternateContent><mc:Choice Requires=\"x\">{choice}</mc:Choice>\
             <mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
        )
    };
    let (new, old) = (run("new"), run("old"));
    let (new_text, old_text) = ("<w:t>new</w:t>", "<w:t>old</w:t>");
    let of = |inside: &str| format!("<w:p>{inside}</w:p>");
    let in_run = |inside: &str| of(&format!("<w:r>{inside}</w:r>"));
    check(&in_run(&ways(new_text, old_text)), &of(&new));
    check(&in_run(&ways("<x:symEx x:char=\"1F60A\"/>", old_text)), &of(&old));
    check(&of(&ways(&new, &old)), &of(&new));
    check(&of(&ways("", &old)), &of(&old));
    check(&ways(&of(&new), &of(&old)), &of(&new));
    check(&ways("<w:p/>", &of(&old)), &of(&old));
    check(&in_run(&ways(&ways("<w:t/>", new_text), old_text)), &of(&new));
    let picture = "<w:drawing><a:blip/></w:drawing>";
    check(
        &in_run(&ways(&format!("<w:t/>{picture}"), "<w:pict/>")),
        &in_run(&format!("<w:t/>{picture}")),
    );
    // Those of drawings alone are read as they are.
    let drawn = in_run(&ways(picture, "<w:pict/>"));
    check(&drawn, &drawn);
}

#[test]
fn fields_in_an_instruction_are_no_text() {
    let character = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let [begin, separate, end] = ["begin", "separate", "end"].map(character);
    let of = "<w:r><w:instrText>IF</w:instrText></w:r>";
    let field =
        |instruction: &str, result: &str| format!("{begin}{instruction}{separate}{result}{end}");
    let nested = |inner: &str, outer: &str| {
        format!("<w:p>{}</w:p>", field(&format!("{of}{}{of}", field(of, inner)), outer))
    };
    let (inner, outer) = (run("3"), run("4"));
    check(&nested(&inner, &outer), &nested("<w:r/>", &outer));
    // A paragraph may end in between.
    let apart = |inner: &str| nested(inner, &outer).replacen(&end, &format!("{end}</w:p><w:p>"), 1);
    check(&apart(&inner), &apart("<w:r/>"));
    let result = format!("<w:p>{}<w:del w:id=\"1\"/></w:p>", field(of, &field(of, &inner)));
    check(&result, &result);
}

#[test]
fn rows_may_stand_inside_of_what_marks_them() {
    let table = |mark: &str, text: &str| {
        let row = format!("<w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr>", run(text));
        format!("<w:tbl><{mark}>{row}</{mark}></w:tbl>")
    };
    let deleted = "<w:del w:id=\"1\"><w:r><w:delText>gone</w:delText></w:r></w:del>";
    for mark in ["w:sdtContent", "w:customXml"] {
        let kept = table(mark, "a");
        check(
            &format!("{kept}<w:p>{}{deleted}</w:p>", run("b")),
            &format!("{kept}<w:p>{}</w:p>", run("b")),
        );
    }
}

#[test]
fn deleted_rows_and_marks_are_gone() {
    let mark = "<w:pPr><w:rPr><w:del w:id=\"1\"/></w:rPr></w:pPr>";
    let deleted = "<w:del w:id=\"2\"><w:r><w:delText>gone</w:delText></w:r></w:del>";
    let kept = format!("<w:p><w:pPr><w:jc/></w:pPr>{}</w:p>", run("b"));
    check(&format!("<w:p>{mark}{deleted}</w:p>{kept}"), &kept);
    check(
        &format!("<w:p>{mark}{}{deleted}</w:p>\n{kept}", run("a")),
        &format!("<w:p><w:pPr><w:jc/></w:pPr>{}{}</w:p>", run("a"), run("b")),
    );
    let row = |properties: &str, text: &str| {
        format!("<w:tr>{properties}<w:tc><w:p>{}</w:p></w:tc></w:tr>", run(text))
    };
    let of = "<w:trPr><w:del w:id=\"1\"/></w:trPr>";
    check(
        &format!("<w:tbl>{}{}</w:tbl>", row(of, "gone"), row("", "b")),
        &format!("<w:tbl>{}</w:tbl>", row("", "b")),
    );
    check(&format!("<w:tbl>{}</w:tbl>", row(of, "gone")), "");
    // At the end, and before what is no paragraph.
    check(&format!("<w:p>{mark}{}</w:p>", run("a")), &format!("<w:p>{mark}{}</w:p>", run("a")));
}
