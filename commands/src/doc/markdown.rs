//! Text as Markdown: what has to be escaped, the marks inside a line, and those of blocks.

use super::block::Kind;

/// Text as it stands, so that no character of it is taken for a mark.
pub(super) fn escape(text: &str) -> String {
    // One alone strikes nothing out.
    let has_tildes = text.bytes().filter(|byte| *byte == b'~').nth(1).is_some();
    let mut escaped = String::with_capacity(text.len());
    for (index, character) in text.char_indices() {
        let is_mark = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' => true,
            '~' => has_tildes,
            // Inside a word an underscore is none.
            '_' => {
                let is_word =
                    |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
                let before = text.get(..index).and_then(|text| text.chars().next_back());
                let after = text.get(index + 1..).and_then(|text| text.chars().next());
                !(is_word(before) && is_word(after))
            }
            // Only before what would make it a reference.
            '&' => text.get(index + 1..).is_some_and(|rest| {
                rest.find(';').is_some_and(|end| {
                    end > 0 && rest.chars().take(end).all(|c| c.is_ascii_alphanumeric() || c == '#')
                })
            }),
            _ => false,
        };
        if is_mark {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A link, where the address is one that may be followed; the text alone else. Blanks at the edges
/// of the text stand outside.
pub(super) fn link(text: &str, address: &str) -> String {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_safe = matches!(scheme.as_deref(), Some("http" | "https" | "mailto" | "ftp" | "tel"));
    let is_plain = !address.chars().any(|character| character.is_control());
    if !is_safe || !is_plain || text.trim().is_empty() {
        return text.to_owned();
    }
    let mut target = String::with_capacity(address.len());
    for character in address.chars() {
        match character {
            ' ' => target.push_str("%20"),
            '<' => target.push_str("%3C"),
            '>' => target.push_str("%3E"),
            '(' => target.push_str("%28"),
            ')' => target.push_str("%29"),
            '\\' => target.push_str("%5C"),
            other => target.push(other),
        }
    }
    let (before, inner, after) = edges(text);
    format!("{before}[{inner}]({target}){after}")
}

/// Bold (`**`) or italic (`*`) text: the marks stand at its first and last letter, since blanks at
/// the edges would unmake them.
pub(super) fn emphasis(text: &str, mark: &str) -> String {
    let (before, inner, after) = edges(text);
    if inner.is_empty() || inner.contains('\n') {
        return text.to_owned();
    }
    format!("{before}{mark}{inner}{mark}{after}")
}

/// The blanks before a text, the text, and the blanks behind it.
fn edges(text: &str) -> (&str, &str, &str) {
    let start = text.len() - text.trim_start().len();
    let (before, rest) = text.split_at(start);
    let (inner, after) = rest.split_at(rest.trim_end().len());
    (before, inner, after)
}

/// A block with the marks of its kind. List items lie `depth` deep here, each level four blanks.
pub(super) fn block(kind: &Kind, text: &str, depth: u8) -> String {
    match kind {
        Kind::Heading(level) => {
            let marks = "#".repeat(usize::from((*level).clamp(1, 6)));
            format!("{marks} {}", on_one_line(text))
        }
        Kind::ListItem { marker, .. } => {
            let indent = usize::from(depth) * 4;
            let marker = match marker.as_deref() {
                None => "-".to_owned(),
                Some(marker) if is_ordinal(marker) => marker.to_owned(),
                // No number as Markdown knows them: told as it is shown.
                Some(marker) => format!("- {}", escape(marker)),
            };
            let hang = indent + marker.find(' ').unwrap_or(marker.len()) + 1;
            format!("{:indent$}{marker} {}", "", lines(text, &" ".repeat(hang)))
        }
        Kind::Footnote { label } => format!("[^{label}]: {}", lines(text, "    ")),
        Kind::Comment { author } => {
            let author = author.as_deref().map(escape).unwrap_or_default();
            let of = if author.is_empty() { String::new() } else { format!(" ({author})") };
            format!("> **Comment**{of}: {}", lines(text, "> "))
        }
        Kind::Notes => format!("> **Notes**: {}", lines(text, "> ")),
        Kind::Paragraph | Kind::Table | Kind::Header | Kind::Footer => lines(text, ""),
    }
}

/// What ends a line inside a cell.
pub(super) const BREAK: &str = "<br>";

/// Characters of a row, and of each of its cells, that are no text.
pub(super) const fn row_marks(is_first: bool) -> (usize, usize) {
    if is_first { (3, 9) } else { (1, 3) }
}

/// The text of a cell on one line.
pub(super) fn cell(text: &str) -> String {
    text.trim().replace('\n', BREAK)
}

/// A row of a table; below the first one the rule that makes it a table.
pub(super) fn row(cells: &[String], is_first: bool) -> String {
    let mut line = String::from("|");
    for text in cells {
        line.push(' ');
        line.push_str(&cell(text));
        line.push_str(" |");
    }
    if is_first {
        line.push_str("\n|");
        line.push_str(&" --- |".repeat(cells.len()));
    }
    line
}

/// `1.`, `2)`: what Markdown takes for the number of an item.
fn is_ordinal(marker: &str) -> bool {
    marker.strip_suffix(['.', ')']).is_some_and(|number| {
        (1..=9).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn on_one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Lines that stay apart: each ends in a hard break, and begins behind `indent`. An empty line
/// divides paragraphs of the same block.
fn lines(text: &str, indent: &str) -> String {
    let mut block = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        block.push_str(&line_start(line));
        if let Some(next) = lines.peek() {
            let is_apart = line.is_empty() || next.is_empty();
            block.push_str(if is_apart { "\n" } else { "\\\n" });
            block.push_str(if next.is_empty() { indent.trim_end() } else { indent });
        }
    }
    block
}

/// A line whose first characters are not taken for the mark of a block.
fn line_start(line: &str) -> String {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_end_of_number = |rest: &str| {
        rest.strip_prefix(['.', ')'])
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    if let Some((number, rest)) = line.split_at_checked(digits).filter(|_| digits > 0) {
        return match is_end_of_number(rest) {
            true => format!("{number}\\{rest}"),
            false => line.to_owned(),
        };
    }
    let is_mark = match line.chars().next() {
        Some('#' | '>' | '~') => true,
        Some('-' | '+' | '=') => {
            let rest = line.trim_start_matches(['-', '+', '=']);
            rest.is_empty() || rest.starts_with([' ', '\t'])
        }
        _ => false,
    };
    if is_mark { format!("\\{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser};

    use super::*;

    /// What a reader of Markdown sees of it.
    fn seen(markdown: &str) -> String {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        let mut seen = String::new();
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(text) => seen.push_str(&text),
                Event::HardBreak => seen.push('\n'),
                Event::SoftBreak => seen.push(' '),
                Event::Start(_) | Event::End(_) => {}
                other => seen.push_str(&format!("{other:?}")),
            }
        }
        seen
    }

    proptest::proptest! {
        #[test]
        fn escaped_text_is_seen_as_it_is(text in "[a-z0-9 *_`<>&;#|~\\[\\](){}!.+=\\\\-]{1,24}") {
            let text = text.trim();
            let paragraph = block(&Kind::Paragraph, &escape(text), 0);
            proptest::prop_assert_eq!(seen(&paragraph), text, "{}", paragraph);
        }

        #[test]
        fn cells_are_seen_as_they_are(cell in "[a-z |*_`~<>\\\\-]{1,12}") {
            let cell = cell.trim();
            let table = row(&[escape(cell), "x".to_owned()], true);
            proptest::prop_assert_eq!(seen(&table), format!("{cell}x"), "{}", table);
        }
    }

    #[test]
    fn kinds_have_their_marks() {
        let item =
            |marker: Option<&str>| Kind::ListItem { depth: 1, marker: marker.map(str::to_owned) };
        let check = |kind: &Kind, text: &str, depth, expected: &str| {
            assert_eq!(block(kind, text, depth), expected);
        };
        check(&Kind::Heading(2), "a\nb", 0, "## a b");
        check(&item(None), "a\nb", 1, "    - a\\\n      b");
        check(&item(Some("2.")), "a", 0, "2. a");
        check(&item(Some("a)")), "b", 0, "- a) b");
        check(&Kind::Footnote { label: "1".into() }, "a\n\nb", 0, "[^1]: a\n\n    b");
        check(&Kind::Comment { author: Some("An".into()) }, "a", 0, "> **Comment** (An): a");
        check(&Kind::Notes, "a\nb", 0, "> **Notes**: a\\\n> b");
    }

    #[test]
    fn the_marks_of_a_row_are_counted() {
        for is_first in [true, false] {
            let (of_row, of_cell) = row_marks(is_first);
            for cells in 1..4 {
                let written = row(&vec!["ab".to_owned(); cells], is_first);
                assert_eq!(written.chars().count(), of_row + cells * (of_cell + 2));
            }
        }
    }

    #[test]
    fn only_safe_addresses_are_links() {
        assert_eq!(link("a", "https://a.example/(b) c"), "[a](https://a.example/%28b%29%20c)");
        assert_eq!(link("a", "javascript:alert(1)"), "a");
        assert_eq!(link("", "https://a.example/"), "");
        assert_eq!(link(" a b\u{a0}", "tel:1"), " [a b](tel:1)\u{a0}");
    }

    #[test]
    fn emphasis_stands_at_letters() {
        assert_eq!(emphasis(" a b ", "**"), " **a b** ");
        assert_eq!(emphasis("  ", "**"), "  ");
    }
}
