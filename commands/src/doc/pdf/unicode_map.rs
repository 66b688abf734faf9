//! [`UnicodeMap`] and [`CodeMap`]: what fonts say about their codes, in the language of CMaps.

use std::collections::HashMap;

use super::lexer::{Lexer, Token};

/// Entries of one map. Fonts have at most 65,536 glyphs.
const MAX_ENTRIES: usize = 140_000;

/// Codes to text: `/ToUnicode`.
#[derive(Debug, Default)]
pub(super) struct UnicodeMap {
    texts: HashMap<u32, Box<str>>,
    /// Ranges can say the same codes over and over.
    inserted: usize,
    pub(super) spaces: Vec<CodeSpace>,
}

/// Codes to numbers of glyphs in a collection: an `/Encoding` that is a stream.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    /// First code, last code, number of the first.
    ranges: Vec<(u32, u32, u32)>,
    pub(super) spaces: Vec<CodeSpace>,
    pub(super) is_vertical: bool,
    /// A map of known name that this one builds on.
    pub(super) base: Option<String>,
}

/// Codes of one length, from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeSpace {
    pub(super) length: usize,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl UnicodeMap {
    pub(super) fn new(source: &[u8]) -> Self {
        let mut map = Self::default();
        let mut lexer = Lexer::new(source, 0);
        while let Some(token) = lexer.next() {
            match token {
                Token::Word(b"begincodespacerange") => {
                    map.spaces = code_spaces(&mut lexer, map.spaces)
                }
                Token::Word(b"beginbfchar") => {
                    while let (Some(Token::String(code)), Some(text)) = (lexer.next(), lexer.next())
                    {
                        if let Token::String(text) = text {
                            map.insert(number(&code), decoded(&text));
                        }
                    }
                }
                Token::Word(b"beginbfrange") => map.ranges(&mut lexer),
                _ => {}
            }
        }
        map
    }

    fn ranges(&mut self, lexer: &mut Lexer<'_>) {
        while let (Some(Token::String(first)), Some(Token::String(last))) =
            (lexer.next(), lexer.next())
        {
            let (first, last) = (number(&first), number(&last));
            match lexer.next() {
                Some(Token::String(text)) => {
                    let Some((&low, high)) = text.split_last() else { continue };
                    for (step, code) in (first..=last).take(MAX_ENTRIES).enumerate() {
                        // The last byte counts up; text past it would be a fault of the map, which
                        // some make and mean the next character.
                        let sum = usize::from(low) + step;
                        let mut text = high.to_vec();
                        let (carry, low) = (sum >> 8, u8::try_from(sum & 0xFF).unwrap_or_default());
                        if carry > 0
                            && let Some(byte) = text.last_mut()
                        {
                            *byte =
                                byte.wrapping_add(u8::try_from(carry & 0xFF).unwrap_or_default());
                        }
                        text.push(low);
                        if !self.insert(code, decoded(&text)) {
                            return;
                        }
                    }
                }
                Some(Token::ArrayStart) => {
                    let mut code = first;
                    while let Some(Token::String(text)) = lexer.next() {
                        self.insert(code, decoded(&text));
                        code = code.saturating_add(1);
                    }
                }
                _ => return,
            }
        }
    }

    fn insert(&mut self, code: u32, text: String) -> bool {
        self.inserted += 1;
        if self.texts.len() >= MAX_ENTRIES || self.inserted > MAX_ENTRIES * 4 {
            return false;
        }
        // Nobody means a page of text by one glyph.
        if text.len() <= 64 {
            self.texts.insert(code, text.into());
        }
        true
    }

    /// `None` also where the map names what is no character.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        let text = self.texts.get(&code)?;
        let is_text = text.chars().any(|character| {
            !character.is_control() && !matches!(character, '\u{FFFD}' | '\u{FFFE}' | '\u{FFFF}')
        });
        (is_text || text.chars().any(|character| matches!(character, '\t' | '\n' | '\r')))
            .then_some(text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.texts.len()
    }
}

impl CodeMap {
    pub(super) fn new(source: &[u8]) -> Self {
        let mut map = Self::default();
        let mut lexer = Lexer::new(source, 0);
        let mut last_name = None;
        while let Some(token) = lexer.next() {
            match token {
                Token::Word(b"begincodespacerange") => {
                    map.spaces = code_spaces(&mut lexer, map.spaces)
                }
                Token::Word(b"begincidchar") => {
                    while let (Some(Token::String(code)), Some(Token::Integer(glyph))) =
                        (lexer.next(), lexer.next())
                    {
                        let code = number(&code);
                        map.insert(code, code, glyph);
                    }
                }
                Token::Word(b"begincidrange") => {
                    while let (
                        Some(Token::String(first)),
                        Some(Token::String(last)),
                        Some(Token::Integer(glyph)),
                    ) = (lexer.next(), lexer.next(), lexer.next())
                    {
                        map.insert(number(&first), number(&last), glyph);
                    }
                }
                Token::Word(b"usecmap") => map.base = last_name.take(),
                Token::Name(name) if name == "WMode" => {
                    map.is_vertical = lexer.next() == Some(Token::Integer(1));
                }
                Token::Name(name) => last_name = Some(name),
                _ => {}
            }
        }
        map.ranges.sort_unstable();
        map
    }

    fn insert(&mut self, first: u32, last: u32, glyph: i64) {
        if let Ok(glyph) = u32::try_from(glyph)
            && self.ranges.len() < MAX_ENTRIES
        {
            self.ranges.push((first, last, glyph));
        }
    }

    pub(super) fn glyph(&self, code: u32) -> Option<u32> {
        let after = self.ranges.partition_point(|(first, ..)| *first <= code);
        let (first, last, glyph) = *self.ranges.get(after.checked_sub(1)?)?;
        (code <= last).then(|| glyph.saturating_add(code - first))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

fn code_spaces(lexer: &mut Lexer<'_>, mut spaces: Vec<CodeSpace>) -> Vec<CodeSpace> {
    while let (Some(Token::String(first)), Some(Token::String(last))) = (lexer.next(), lexer.next())
    {
        if (1..=4).contains(&first.len()) && spaces.len() < 256 {
            spaces.push(CodeSpace {
                length: first.len(),
                first: number(&first),
                last: number(&last),
            });
        }
    }
    spaces
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().take(4).rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// UTF-16; a single byte is a character of Latin-1.
fn decoded(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [high, low] => u16::from_be_bytes([*high, *low]),
        _ => 0,
    });
    char::decode_utf16(units).map(|decoded| decoded.unwrap_or('\u{FFFD}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_characters_ranges_and_lists() {
        let map = UnicodeMap::new(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n2 beginbfchar <0001> <00660066> <02> <D83DDE00> endbfchar\n\
              2 beginbfrange <0010><0012><0041> <0020> <0021> [<0058> <0059>] endbfrange",
        );
        assert_eq!(map.text(1), Some("ff"));
        assert_eq!(map.text(2), Some("😀"));
        assert_eq!(map.text(0x12), Some("C"));
        assert_eq!(map.text(0x21), Some("Y"));
        assert_eq!(map.text(3), None);
        assert_eq!(map.spaces, [CodeSpace { length: 2, first: 0, last: 0xFFFF }]);
    }

    #[test]
    fn a_range_of_everything_stays_small() {
        let map = UnicodeMap::new(b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
        assert!(map.texts.len() <= MAX_ENTRIES);
    }

    #[test]
    fn code_map_finds_the_range_of_a_code() {
        let map =
            CodeMap::new(b"/WMode 1 def 2 begincidrange <20> <7e> 1 <8140> <817e> 633 endcidrange");
        assert_eq!(
            (map.glyph(0x21), map.glyph(0x8141), map.glyph(0x7F)),
            (Some(2), Some(634), None)
        );
        assert!(map.is_vertical);
    }
}
