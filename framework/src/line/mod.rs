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

#[cfg(test)]
mod tests;

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
#[derive(Debug, PartialEq, Eq)]
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

/// The words of a line, also of one that is refused.
pub(crate) fn some_words(line: &str) -> Vec<Word> {
    words(line).unwrap_or_else(|_| loose_words(line))
}

/// The words of a line that is refused, as far as there are any: split at blanks outside quotes, an
/// open quote to the end, without the signs at their ends by which a shell ends commands. For finding
/// what must not be written, never for running.
pub(crate) fn loose_words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut open = None;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if open.is_none() && character.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let next = characters.peek().map(|(_, next)| *next);
        let word = word.get_or_insert_with(|| Word { text: String::new(), start: at, end: at });
        word.end = at + character.len_utf8();
        match (open, character) {
            (None, '"' | '\'') => open = Some(character),
            (Some(quote), _) if quote == character => open = None,
            (Some('"'), '\\') if matches!(next, Some('"' | '\\')) => {
                word.text.extend(next);
                word.end += 1;
                characters.next();
            }
            (_, _) => word.text.push(character),
        }
    }
    words.extend(word);
    for word in &mut words {
        let is_sign = |text: &str| text.ends_with([';', '|', '&', '<', '>']);
        while is_sign(&word.text) && line.get(..word.end).is_some_and(is_sign) {
            word.text.pop();
            word.end -= 1;
        }
    }
    words.retain(|word| !word.text.is_empty());
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

/// Whether no line may hold this character: line breaks, control characters but tab, and
/// bidirectional controls. Whoever prints a text of unknown origin replaces these.
///
/// ```
/// use tapeline::line::is_refused_everywhere;
///
/// assert!(is_refused_everywhere('\u{202e}') && is_refused_everywhere('\u{1b}'));
/// assert!(!is_refused_everywhere('汇') && !is_refused_everywhere('\t'));
/// ```
pub fn is_refused_everywhere(character: char) -> bool {
    refused_everywhere(character).is_some()
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
