//! One start tag: its name and attributes, whatever is wrong between them.

use std::ops::Range;

/// How many attributes of a tag are kept. No reader looks at the others.
const MOST_ATTRIBUTES: usize = 256;

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: Range<usize>,
    pub(super) end: usize,
    /// `<name/>`.
    pub(super) is_empty: bool,
    /// It is XML as it stands, but for `&` and `<` in values.
    pub(super) is_tidy: bool,
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: Range<usize>,
    /// Without the quotes.
    pub(super) value: Range<usize>,
    /// The quotes around the value, or those to put there.
    pub(super) quote: char,
}

/// What a `<` before a letter begins.
#[derive(Debug)]
pub(super) enum Start {
    Tag(Tag),
    /// Text, such as `a <b and c`.
    Text,
    /// A tag that the text's end cuts.
    Cut,
}

/// Reads tags of one text, in its order.
pub(super) struct Tags<'a> {
    text: &'a str,
    /// Of the tag read last.
    pub(super) attributes: Vec<Attribute>,
    /// No quote of the kind is left in the text. To look again from each tag would take forever.
    no_double: bool,
    no_single: bool,
}

impl<'a> Tags<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, attributes: Vec::new(), no_double: false, no_single: false }
    }

    /// The tag that begins at `at`, where a `<` and the name's first letter are.
    pub(super) fn read(&mut self, at: usize) -> Start {
        self.attributes.clear();
        let start = at.saturating_add(1);
        let name = start..self.skip(start, is_name);
        let mut at = name.end;
        match self.byte(at) {
            None => return Start::Cut,
            Some(b'>' | b' ' | b'\t' | b'\r' | b'\n') => {}
            Some(b'/') => match self.byte(at.saturating_add(1)) {
                None => return Start::Cut,
                Some(b'>' | b' ' | b'\t' | b'\r' | b'\n') => {}
                Some(_) => return Start::Text,
            },
            Some(_) => return Start::Text,
        }
        let mut tag = Tag { name, end: at, is_empty: false, is_tidy: true };
        // Words without values make a tag doubtful that another `<` ends.
        let mut has_words = false;
        let mut has_markup = false;
        loop {
            let before = at;
            at = self.skip(at, is_space);
            match self.byte(at) {
                None => return Start::Cut,
                Some(b'>') => {
                    tag.end = at.saturating_add(1);
                    return Start::Tag(tag);
                }
                // Values with `<` in them were read far ahead; to go back would take forever.
                Some(b'<') if has_words && !has_markup => return Start::Text,
                Some(b'<') => {
                    tag.is_tidy = false;
                    tag.end = at;
                    return Start::Tag(tag);
                }
                Some(b'/') => {
                    let after = self.skip(at.saturating_add(1), is_space);
                    let is_end = self.byte(after) == Some(b'>');
                    tag.is_empty = is_end;
                    tag.is_tidy &= is_end && after == at.saturating_add(1);
                    at = after;
                }
                Some(b'"' | b'\'' | b'=') => {
                    tag.is_tidy = false;
                    at = at.saturating_add(1);
                }
                Some(_) => {
                    tag.is_tidy &= before < at;
                    let name = at..self.skip(at, is_attribute_name);
                    let equals = self.skip(name.end, is_space);
                    if self.byte(equals) != Some(b'=') {
                        has_words = true;
                        tag.is_tidy = false;
                        at = name.end;
                        self.keep(Attribute { name, value: at..at, quote: '"' });
                        continue;
                    }
                    let start = self.skip(equals.saturating_add(1), is_space);
                    let Some(value) = self.value(start) else {
                        return Start::Cut;
                    };
                    tag.is_tidy &= value.is_tidy;
                    tag.is_tidy &= self.attributes.len() < MOST_ATTRIBUTES;
                    has_markup |= value.has_markup;
                    at = value.end;
                    let Value { range, quote, .. } = value;
                    self.keep(Attribute { name, value: range, quote });
                }
            }
        }
    }

    fn keep(&mut self, attribute: Attribute) {
        if self.attributes.len() < MOST_ATTRIBUTES {
            self.attributes.push(attribute);
        }
    }

    /// The value at `start`, unless the text ends in it.
    fn value(&mut self, start: usize) -> Option<Value> {
        let (quote, is_missing) = match self.byte(start)? {
            b'"' => ('"', &mut self.no_double),
            b'\'' => ('\'', &mut self.no_single),
            _ => return Some(self.bare_value(start)),
        };
        let inner = start.saturating_add(1);
        let rest = self.text.get(inner..).unwrap_or_default();
        let length = if *is_missing { None } else { rest.find(quote) };
        *is_missing = length.is_none();
        if let Some(length) = length {
            let end = inner.saturating_add(length);
            let has_markup = rest.get(..length).is_some_and(|value| value.contains('<'));
            let next = self.byte(end.saturating_add(1));
            let is_closed = next.is_none_or(|byte| is_space(byte) || b"/>?".contains(&byte));
            if !has_markup || is_closed {
                let range = inner..end;
                let end = end.saturating_add(1);
                return Some(Value { range, end, quote, is_tidy: true, has_markup });
            }
        }
        // The quote that was found begins the value of another tag.
        let end = inner.saturating_add(rest.find('>')?);
        let is_empty = self.text.get(inner..end).is_some_and(|value| value.ends_with('/'));
        let end = end.saturating_sub(usize::from(is_empty));
        Some(Value { range: inner..end, end, quote, is_tidy: false, has_markup: false })
    }

    fn bare_value(&self, start: usize) -> Value {
        let mut end = self.skip(start, |byte| !is_space(byte) && byte != b'>' && byte != b'<');
        let is_last = self.byte(end) == Some(b'>');
        if is_last && self.text.get(start..end).is_some_and(|value| value.ends_with('/')) {
            end = end.saturating_sub(1);
        }
        Value { range: start..end, end, quote: '"', is_tidy: false, has_markup: false }
    }

    /// Where bytes end that are such, from `at` on.
    fn skip(&self, at: usize, such: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at.saturating_add(rest.iter().take_while(|byte| such(**byte)).count())
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }
}

struct Value {
    range: Range<usize>,
    end: usize,
    quote: char,
    is_tidy: bool,
    /// There is a `<` in it.
    has_markup: bool,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | 0x80..)
}

fn is_attribute_name(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'=' | b'>' | b'<' | b'/' | b'"' | b'\'')
}
