//! What the grammar takes and refuses, and that a printed line reads back as its words.

use proptest::prelude::*;

use super::*;

const REFUSED_EVERYWHERE: &[char] = &[
    '\0', '\u{1}', '\u{7}', '\u{8}', '\n', '\u{B}', '\u{C}', '\r', '\u{1B}', '\u{1F}', '\u{7F}',
    '\u{80}', '\u{85}', '\u{9B}', '\u{9F}', '\u{61C}', '\u{200E}', '\u{200F}', '\u{2028}',
    '\u{2029}', '\u{202A}', '\u{202B}', '\u{202C}', '\u{202D}', '\u{202E}', '\u{2066}', '\u{2067}',
    '\u{2068}', '\u{2069}',
];
const REFUSED_OUTSIDE: &[&str] = &[
    ";", "|", "<", ">", "&", "`", "$(", "${", "\\ ", "\\\t", "\\\"", "\\'", "\u{3000}", "\u{A0}",
    "‘", "’", "‚", "‛", "“", "”", "„", "‟", "«", "»", "‹", "›", "＂", "＇",
];

fn check(line: &str, expected: &[&str]) {
    assert_eq!(
        parse(line).as_deref(),
        Ok(&expected.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()[..]),
        "{line:?}"
    );
}

fn refusal(line: &str) -> LineError {
    parse(line).expect_err(&format!("{line:?} is refused"))
}

#[test]
fn splits_words_at_blanks_and_keeps_what_quotes_hold() {
    for (line, expected) in [
        ("hello", &["hello"][..]),
        (" \thello \t --name\tx ", &["hello", "--name", "x"]),
        ("a=\"b c\"d", &["a=b cd"]),
        ("a\"b c\"'d e'f", &["ab cd ef"]),
        ("\"\" '' x\"\"", &["", "", "x"]),
        (r#""\"" "\\" "\n\x\ " "a\\\"b""#, &["\"", "\\", r"\n\x\ ", "a\\\"b"]),
        (r#"'\' '\"' '"'"#, &["\\", "\\\"", "\""]),
        ("\"it's\" \"a\tb\"", &["it's", "a\tb"]),
        (r"C:\dir\file \x a\", &["C:\\dir\\file", "\\x", "a\\"]),
        (
            "$x * ~ {} {a,b} $ $$ !1 #x [a] (b) ) } % ^ = ? @",
            &[
                "$x", "*", "~", "{}", "{a,b}", "$", "$$", "!1", "#x", "[a]", "(b)", ")", "}", "%",
                "^", "=", "?", "@",
            ],
        ),
        ("--标题 你好，世界 「引号」 🎉👩‍👩‍👧 é", &["--标题", "你好，世界", "「引号」", "🎉👩‍👩‍👧", "é"]),
        ("\"你 好\"'🎉 🎉'", &["你 好🎉 🎉"]),
    ] {
        check(line, expected);
    }
}

#[test]
fn refuses_some_characters_even_inside_quotes() {
    for &character in REFUSED_EVERYWHERE {
        for (before, after) in [("你🎉 ", ""), ("\"你🎉", "\""), ("'你🎉", "'"), ("abc", "d")]
        {
            let error = refusal(&format!("{before}{character}{after}"));
            assert_eq!(error.column, 4, "{character:?}");
            assert!(error.message.contains(&format!("U+{:04X}", u32::from(character))), "{error}");
            assert!(!error.message.contains(character));
        }
    }
    assert_eq!(refusal("a\nb").message, "line break U+000A is not allowed");
    assert_eq!(refusal("a\0b").message, "control character U+0000 is not allowed");
    assert_eq!(refusal("a\u{202E}b").message, "bidirectional control U+202E is not allowed");
}

#[test]
fn refuses_shell_syntax_and_look_alikes_outside_quotes_alone() {
    for text in REFUSED_OUTSIDE {
        for (before, column) in [("", 1), ("你🎉 a", 5), ("'|' \"|\"x", 9), (r#""\""x"#, 6)] {
            let error = refusal(&format!("{before}{text}x\"'"));
            assert_eq!(error.column, column, "{before}{text}");
            assert!(error.message.ends_with("is not allowed outside quotes"), "{error}");
            assert!(error.hint.is_some(), "{text}");
        }
        if !text.contains('\'') {
            check(&format!("x'{text}'"), &[&format!("x{text}")]);
        }
        if !text.contains(['"', '\\']) {
            check(&format!("\"{text}\"x"), &[&format!("{text}x")]);
        }
    }
}

#[test]
fn says_what_was_refused_and_what_to_do() {
    for (line, message, hint) in [
        ("a ; b", "`;` is not allowed outside quotes", "one command"),
        ("a | b", "`|` is not allowed outside quotes", "no pipes"),
        ("a > b", "`>` is not allowed outside quotes", "redirection"),
        ("a x?b=1&c", "`&` is not allowed outside quotes", "quote URLs"),
        ("a `b`", "a backtick is not allowed outside quotes", "quotes"),
        ("a $(b)", "`$(` is not allowed outside quotes", "inner command"),
        ("a ${b}", "`${` is not allowed outside quotes", "no variables"),
        ("a\\ b", "a backslash before a blank is not allowed outside quotes", "quote the word"),
        ("a\\\"b\"", "a backslash before a quote is not allowed outside quotes", "quote the word"),
        ("a\u{3000}b", "ideographic space U+3000 is not allowed outside quotes", "plain space"),
        ("a\u{A0}b", "no-break space U+00A0 is not allowed outside quotes", "plain space"),
        ("a “b”", "typographic quote `“` is not allowed outside quotes", "plain"),
        ("", "the line is empty", "help"),
        (" \t ", "the line is empty", "help"),
        ("a \"b", "the quote `\"` is never closed", "close it"),
        ("a 'b", "the quote `'` is never closed", "apostrophe"),
    ] {
        let error = refusal(line);
        assert_eq!(error.message, message, "{line:?}");
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error:?}");
    }
    assert_eq!(refusal("a ; b").to_string(), "`;` is not allowed outside quotes (column 3)");
}

#[test]
fn points_at_the_quote_that_is_never_closed() {
    for (line, column) in [("\"", 1), ("你🎉 '", 4), ("'a' \"b 'c'", 5), (r#"x "C:\dir\""#, 3)] {
        assert_eq!(refusal(line).column, column, "{line}");
    }
}

#[test]
fn accepts_eight_kib_and_not_a_byte_more() {
    let full = "a".repeat(MAX_LINE_BYTES);
    check(&full, &[&full]);
    let error = refusal(&format!("{full}a"));
    assert_eq!(error.message, "the line is longer than 8192 bytes");
    assert_eq!(error.column, MAX_LINE_BYTES + 1);

    // 2730 characters of three bytes and two of one fill the line; the next one does not fit.
    let wide = "文".repeat(2730) + "ab";
    check(&wide, &[&wide]);
    assert_eq!(refusal(&format!("{wide}文")).column, 2733);
    assert_eq!(refusal(&"文".repeat(2731)).column, 2731);
}

#[test]
fn prints_a_word_plain_where_it_can() {
    for (word, printed) in [
        ("plain", "plain"),
        ("C:\\x", "C:\\x"),
        ("$x", "$x"),
        ("{{secret:1}}", "{{secret:1}}"),
        ("你好🎉", "你好🎉"),
        ("", "''"),
        ("two words", "'two words'"),
        ("dir\\", "'dir\\'"),
        ("${x}", "'${x}'"),
        ("say \"hi\"", "'say \"hi\"'"),
        ("it's", "\"it's\""),
        ("it's \"\\\"", r#""it's \"\\\"""#),
    ] {
        assert_eq!(print(&[word]).as_deref(), Ok(printed));
        check(printed, &[word]);
    }
    for text in REFUSED_OUTSIDE {
        let line = print(&[text]).expect("every character is allowed in quotes");
        check(&line, &[text]);
    }
}

#[test]
fn does_not_print_words_that_no_line_can_hold() {
    for &character in REFUSED_EVERYWHERE {
        let error = print(&["a".to_owned(), format!("b{character}")]).expect_err("refused");
        assert_eq!(error, refusal(&format!("a b{character}")));
    }
    assert_eq!(print(&[""; 0]), Err(refusal("")));
    assert_eq!(
        print(&["a".repeat(MAX_LINE_BYTES + 1)]),
        Err(refusal(&"a".repeat(MAX_LINE_BYTES + 1)))
    );
}

#[test]
fn knows_where_each_word_was_written() {
    let line = " 你\"a b\"  '' c ";
    let words = words(line).expect("the line parses");
    let written: Vec<_> = words.iter().filter_map(|word| line.get(word.start..word.end)).collect();
    assert_eq!(written, ["你\"a b\"", "''", "c"]);
}

/// Characters that mean something to the grammar, and any others.
fn character() -> impl Strategy<Value = char> {
    let special = r#" "'\$({;|&`x"#.chars().chain(['\t', '\u{A0}', '“', '你', '🎉']);
    prop_oneof![4 => prop::sample::select(special.collect::<Vec<_>>()), 1 => any::<char>()]
}

fn text(longest: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(character(), 0..longest).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn printed_words_parse_back(words in prop::collection::vec(text(12), 1..6)) {
        let words: Vec<String> = words
            .iter()
            .map(|word| word.chars().filter(|&c| refused_everywhere(c).is_none()).collect())
            .collect();
        let line = print(&words).expect("nothing is refused in quotes");
        prop_assert_eq!(parse(&line), Ok(words));
    }

    #[test]
    fn parsing_never_panics_and_points_into_the_line(line in any::<String>()) {
        if let Err(error) = parse(&line) {
            prop_assert!((1..=line.chars().count().max(1)).contains(&error.column));
        }
    }

    #[test]
    fn parsing_what_was_parsed_and_printed_changes_nothing(line in text(24)) {
        if let Ok(words) = parse(&line) {
            let printed = print(&words).expect("parsed words are printable");
            let parsed = parse(&printed).expect("a printed line parses");
            prop_assert_eq!(&parsed, &words);
            prop_assert_eq!(print(&parsed), Ok(printed));
        }
    }
}
