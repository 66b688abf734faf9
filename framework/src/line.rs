//! The command-line grammar: one line to words, and words back to a line.
//!
//! ```text
//! line   = [blanks] word *( blanks word ) [blanks]      at most 8 KiB
//! blanks = 1*( space / tab )
//! word   = 1*( plain / "…" / '…' )                      quotes may stand inside a word
//! ```
//!
//! In `"…"` only `\"` and `\\` are escapes, in `'…'` nothing is. Nothing is ever expanded: `$x`, `*`,
//! `~` and `{}` are plain text. What a shell would act on, and what merely looks like a blank or a
//! quote, is refused with its column instead of being taken literally: a caller who wrote it meant
//! something that does not happen here.

/// The longest line that is parsed, in bytes. Longer text belongs on stdin or in a file; the bound
/// keeps a line within one audit record.
pub const MAX_LINE_BYTES: usize = 8 * 1024;

/// Splits a command line into its words.
///
/// ```
/// let words = tapeline::line::parse(r#"hello --name "two words" --style='a"b'"#)?;
/// assert_eq!(words, ["hello", "--name", "two words", r#"--style=a"b"#]);
/// # Ok::<(), tapeline::line::LineError>(())
/// ```
///
/// # Errors
/// The first thing, from the left, that the grammar refuses. A line over [`MAX_LINE_BYTES`] is
/// refused before it is read.
pub fn parse(line: &str) -> Result<Vec<String>, LineError> {
    Ok(words(line)?.into_iter().map(|word| word.text).collect())
}

/// Writes words as a line that [`parse`] reads back as the same words.
///
/// A word is written plain where the grammar allows it, else in single quotes, else (where it holds
/// a single quote) in double quotes.
///
/// ```
/// use tapeline::line::print;
///
/// assert_eq!(print(&["hello", "--name", "it's", ""])?, r#"hello --name "it's" ''"#);
/// assert!(print(&["two\nlines"]).is_err());
/// # Ok::<(), tapeline::line::LineError>(())
/// ```
///
/// # Errors
/// Words that no line can hold: one with a character that is refused even in quotes, no words at
/// all, or more than [`MAX_LINE_BYTES`] when printed. The column is that of the line which would
/// have been printed.
pub fn print(words: &[impl AsRef<str>]) -> Result<String, LineError> {
    let line = words.iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ");
    self::words(&line)?;
    Ok(line)
}

/// Where and why a line was refused. The caller's line is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (column {column})")]
#[non_exhaustive]
pub struct LineError {
    /// Position of what was refused, from 1, in Unicode scalar values.
    pub column: usize,
    /// A lower-case fragment; invisible characters are named by code point.
    pub message: String,
    /// What to write instead, where there is something to say.
    pub hint: Option<String>,
}

/// A word and the bytes of the line it was written in, quotes included.
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// [`parse`], with the place of each word.
pub(crate) fn words(line: &str) -> Result<Vec<Word>, LineError> {
    if line.len() > MAX_LINE_BYTES {
        let fitting = line
            .char_indices()
            .take_while(|(at, character)| at + character.len_utf8() <= MAX_LINE_BYTES)
            .count();
        let refused = Refused::new(format!("the line is longer than {MAX_LINE_BYTES} bytes"))
            .hint("give long text on stdin or as a file");
        return Err(refused.at(fitting + 1));
    }

    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut open: Option<(char, usize)> = None;
    let mut column = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        column += 1;
        if let Some(refused) = refused_everywhere(character) {
            return Err(refused.at(column));
        }
        if open.is_none() && matches!(character, ' ' | '\t') {
            words.extend(word.take());
            continue;
        }

        let next = characters.peek().map(|(_, next)| *next);
        let word = word.get_or_insert_with(|| Word { text: String::new(), start: at, end: at });
        word.end = at + character.len_utf8();
        match (open, character) {
            (None, '"' | '\'') => open = Some((character, column)),
            (None, _) => match refused_outside_quotes(character, next) {
                Some(refused) => return Err(refused.at(column)),
                None => word.text.push(character),
            },
            (Some((quote, _)), _) if character == quote => open = None,
            (Some(('"', _)), '\\') if matches!(next, Some('"' | '\\')) => {
                word.text.extend(next);
                characters.next();
                column += 1;
            }
            (Some(_), _) => word.text.push(character),
        }
    }

    if let Some((quote, column)) = open {
        return Err(unbalanced(quote).at(column));
    }
    words.extend(word);
    if words.is_empty() {
        return Err(Refused::new("the line is empty").hint("`help` lists the commands").at(1));
    }
    Ok(words)
}

/// The words of a line that is refused, as far as there are any: split at blanks outside quotes, an
/// open quote to the end. For finding what must not be written, never for running.
pub(crate) fn loose_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut open = None;
    for character in line.chars() {
        match (open, character) {
            (None, '"' | '\'') => open = Some(character),
            (Some(quote), _) if quote == character => open = None,
            (None, _) if character.is_whitespace() => words.push(String::new()),
            (_, _) => words.last_mut().map(|word| word.push(character)).unwrap_or_default(),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One word as [`print`] writes it.
pub(crate) fn quote(word: &str) -> String {
    if !needs_quotes(word) {
        return word.to_owned();
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('"');
    for character in word.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

fn needs_quotes(word: &str) -> bool {
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        // A blank follows the last character, which matters to a backslash.
        let next = characters.peek().copied().unwrap_or(' ');
        if matches!(character, ' ' | '\t' | '"' | '\'')
            || refused_outside_quotes(character, Some(next)).is_some()
        {
            return true;
        }
    }
    word.is_empty()
}

/// Why something is refused, before it is known where.
struct Refused {
    message: String,
    hint: Option<&'static str>,
}

impl Refused {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    fn at(self, column: usize) -> LineError {
        LineError { column, message: self.message, hint: self.hint.map(str::to_owned) }
    }
}

fn refused_everywhere(character: char) -> Option<Refused> {
    let code_point = u32::from(character);
    let refused = match character {
        '\t' => return None,
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
            Refused::new(format!("line break U+{code_point:04X} is not allowed"))
                .hint("a command is one line; give longer text on stdin or as a file")
        }
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Refused::new(format!("bidirectional control U+{code_point:04X} is not allowed"))
                .hint("remove it: it makes the line look different from what it says")
        }
        _ if character.is_control() => {
            Refused::new(format!("control character U+{code_point:04X} is not allowed"))
        }
        _ => return None,
    };
    Some(refused)
}

fn refused_outside_quotes(character: char, next: Option<char>) -> Option<Refused> {
    let code_point = u32::from(character);
    let (what, hint) = match (character, next) {
        (';', _) => ("`;`".to_owned(), "give one command per line; quote `;` where it is text"),
        ('|', _) => (
            "`|`".to_owned(),
            "there are no pipes, run one command after the other; quote `|` where it is text",
        ),
        ('<' | '>', _) => (
            format!("`{character}`"),
            "there is no redirection, use stdin and `--out`; quote `<` and `>` where they are text",
        ),
        ('&', _) => {
            ("`&`".to_owned(), "quote URLs and other text that holds `&`: \"https://…?a=1&b=2\"")
        }
        ('`', _) => (
            "a backtick".to_owned(),
            "nothing is substituted, run the inner command first; use single quotes where it is text",
        ),
        ('$', Some('(')) => (
            "`$(`".to_owned(),
            "nothing is substituted, run the inner command first; use quotes where it is text",
        ),
        ('$', Some('{')) => (
            "`${`".to_owned(),
            "there are no variables, write the value; use quotes where it is text",
        ),
        ('\\', Some(' ' | '\t' | '"' | '\'')) => (
            format!(
                "a backslash before {}",
                if matches!(next, Some(' ' | '\t')) { "a blank" } else { "a quote" }
            ),
            "nothing is escaped outside quotes, quote the word instead",
        ),
        ('\u{3000}', _) => (
            format!("ideographic space U+{code_point:04X}"),
            "separate words by a plain space; quote it where it is text",
        ),
        ('\u{A0}', _) => (
            format!("no-break space U+{code_point:04X}"),
            "separate words by a plain space; quote it where it is text",
        ),
        // Corner brackets are not among them: they are ordinary punctuation of Chinese and Japanese.
        ('\u{2018}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '＂' | '＇', _) => (
            format!("typographic quote `{character}`"),
            "quote with plain `\"` or `'`, also where it is text",
        ),
        _ => return None,
    };
    Some(Refused::new(format!("{what} is not allowed outside quotes")).hint(hint))
}

fn unbalanced(quote: char) -> Refused {
    let hint = match quote {
        '"' => {
            "close it with `\"`; inside, `\"` is written `\\\"` and a backslash at the end `\\\\`"
        }
        _ => "close it with `'`; text that holds an apostrophe goes in `\"…\"`",
    };
    Refused::new(format!("the quote `{quote}` is never closed")).hint(hint)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REFUSED_EVERYWHERE: &[char] = &[
        '\0', '\u{1}', '\u{7}', '\u{8}', '\n', '\u{B}', '\u{C}', '\r', '\u{1B}', '\u{1F}',
        '\u{7F}', '\u{80}', '\u{85}', '\u{9B}', '\u{9F}', '\u{61C}', '\u{200E}', '\u{200F}',
        '\u{2028}', '\u{2029}', '\u{202A}', '\u{202B}', '\u{202C}', '\u{202D}', '\u{202E}',
        '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
    ];
    const REFUSED_OUTSIDE: &[&str] = &[
        ";", "|", "<", ">", "&", "`", "$(", "${", "\\ ", "\\\t", "\\\"", "\\'", "\u{3000}",
        "\u{A0}", "‘", "’", "‚", "‛", "“", "”", "„", "‟", "«", "»", "‹", "›", "＂", "＇",
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
                    "$x", "*", "~", "{}", "{a,b}", "$", "$$", "!1", "#x", "[a]", "(b)", ")", "}",
                    "%", "^", "=", "?", "@",
                ],
            ),
            (
                "--标题 你好，世界 「引号」 🎉👩‍👩‍👧 é",
                &["--标题", "你好，世界", "「引号」", "🎉👩‍👩‍👧", "é"],
            ),
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
                assert!(
                    error.message.contains(&format!("U+{:04X}", u32::from(character))),
                    "{error}"
                );
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
            for (before, column) in [("", 1), ("你🎉 a", 5), ("'|' \"|\"x", 9), (r#""\""x"#, 6)]
            {
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
            (
                "a\\\"b\"",
                "a backslash before a quote is not allowed outside quotes",
                "quote the word",
            ),
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
        for (line, column) in [("\"", 1), ("你🎉 '", 4), ("'a' \"b 'c'", 5), (r#"x "C:\dir\""#, 3)]
        {
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
        let written: Vec<_> =
            words.iter().filter_map(|word| line.get(word.start..word.end)).collect();
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
}
