//! Text that anybody may have written, so that it is only ever seen: [`Visible`] and [`Escaped`].

use std::fmt;

use tapeline::line::is_refused_everywhere;

/// A text in which nothing acts unseen: control characters, those that turn the direction, and those
/// that XML cannot hold are spelled. Line breaks and tabs stay.
pub(super) struct Visible<'a>(pub(super) &'a str);

/// As [`Visible`], and no markup in HTML or XML, between tags as in quoted attributes.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_text(self.0, &|_| None, formatter)
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let markup = |character| match character {
            '&' => Some("&amp;"),
            '<' => Some("&lt;"),
            '>' => Some("&gt;"),
            '"' => Some("&quot;"),
            '\'' => Some("&#39;"),
            _ => None,
        };
        write_text(self.0, &markup, formatter)
    }
}

fn write_text(
    text: &str,
    instead: &dyn Fn(char) -> Option<&'static str>,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut rest = text;
    let stands_out = |character: char| is_unseen(character) || instead(character).is_some();
    while let Some((place, character)) =
        rest.char_indices().find(|(_, character)| stands_out(*character))
    {
        let (before, from) = rest.split_at(place);
        formatter.write_str(before)?;
        match instead(character) {
            Some(markup) => formatter.write_str(markup)?,
            None => write!(formatter, "\\u{{{:x}}}", u32::from(character))?,
        }
        rest = from.get(character.len_utf8()..).unwrap_or_default();
    }
    formatter.write_str(rest)
}

fn is_unseen(character: char) -> bool {
    match character {
        '\n' => false,
        '\u{feff}' | '\u{200b}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => is_refused_everywhere(character),
    }
}

/// The beginning of a text, so many bytes at most.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The language whose fonts a text wants, as far as its letters tell; `""` where they do not.
pub(super) fn language(text: &str) -> &'static str {
    let has = |known: &dyn Fn(char) -> bool| text.chars().any(known);
    match () {
        () if text.is_ascii() => "",
        () if has(&|character| matches!(character, '\u{3041}'..='\u{30ff}')) => "ja",
        () if has(&|character| matches!(character, '\u{ac00}'..='\u{d7a3}')) => "ko",
        () if has(&|character| matches!(character, '\u{3400}'..='\u{9fff}')) => "zh",
        () => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_markup_and_nothing_unseen_is_left() {
        let text = "<b a=\"1\" c='2'>&\0\u{1b}[31m\u{202e}\u{9b}\r\n\t汇率\u{ffff}\u{feff}é";
        assert_eq!(
            Escaped(text).to_string(),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\\u{0}\\u{1b}[31m\\u{202e}\\u{9b}\\u{d}\n\t\
             汇率\\u{ffff}\\u{feff}é"
        );
        assert_eq!(Visible("<a>\u{7f}").to_string(), "<a>\\u{7f}");
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        for (most, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a"), (4, "a汇"), (9, "a汇b")] {
            assert_eq!(beginning("a汇b", most), expected);
        }
    }

    #[test]
    fn letters_tell_the_language() {
        for (text, expected) in
            [("rate", ""), ("né", ""), ("汇率", "zh"), ("為替レート", "ja"), ("환율", "ko")]
        {
            assert_eq!(language(text), expected, "{text}");
        }
    }
}
