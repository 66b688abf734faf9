//! The encoding that is built into a compact font program (CFF): which code is which character.

use std::collections::BTreeMap;

use pdf_oxide::fonts::CharacterMapper;

/// Characters of the glyphs that all programs name by the same numbers, from 1.
const STANDARD: &str = " !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘\
abcdefghijklmnopqrstuvwxyz{|}~¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß¹¬µ™Ð½±Þ¼÷¦°þ¾²®\
−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž";
/// Names below this number are standard.
const FIRST_OWN: usize = 391;
/// Codes are bytes.
const MAX_GLYPHS: usize = 256;

/// By code; empty where the program has no encoding of its own or cannot be read.
pub(super) fn characters(program: &[u8]) -> BTreeMap<u8, String> {
    Program { bytes: program }.characters().unwrap_or_default()
}

struct Program<'p> {
    bytes: &'p [u8],
}

/// An array of byte strings: where the offsets stand, how long each is, how many strings there are.
#[derive(Clone, Copy)]
struct Index {
    offsets: usize,
    width: usize,
    count: usize,
}

impl<'p> Program<'p> {
    fn characters(&self) -> Option<BTreeMap<u8, String>> {
        if self.byte(0)? != 1 {
            return None;
        }
        let names = self.index(self.byte(2)?)?;
        let tops = self.index(self.end(names)?)?;
        let strings = self.index(self.end(tops)?)?;
        let (mut charset, mut encoding) = (0, 0);
        for (operator, operand) in entries(self.item(tops, 0)?) {
            match operator {
                15 => charset = usize::try_from(operand).ok()?,
                16 => encoding = usize::try_from(operand).ok()?,
                _ => {}
            }
        }
        // 0 and 1 are the encodings that everybody knows.
        if encoding < 2 {
            return None;
        }
        let numbers = self.names_of_glyphs(charset)?;
        let mapper = CharacterMapper::new();
        let character = |name: usize| match name.checked_sub(FIRST_OWN) {
            None => STANDARD.chars().nth(name.checked_sub(1)?).map(String::from),
            Some(own) => {
                let name = std::str::from_utf8(self.item(strings, own)?).ok()?;
                mapper.map_glyph_name(name).or_else(|| of_ligature(&mapper, name))
            }
        };
        let mut characters = BTreeMap::new();
        for (code, glyph) in self.codes(encoding)? {
            if let Some(text) = numbers.get(glyph).and_then(|name| character(*name)) {
                characters.insert(code, text);
            }
        }
        Some(characters)
    }

    /// Codes and their glyphs.
    fn codes(&self, at: usize) -> Option<Vec<(u8, usize)>> {
        let (format, count) = (self.byte(at)?, self.byte(at + 1)?);
        let mut codes = Vec::new();
        let mut glyph = 1;
        for index in 0..count {
            match format & 0x7F {
                0 => {
                    codes.push((u8::try_from(self.byte(at + 2 + index)?).ok()?, glyph));
                    glyph += 1;
                }
                1 => {
                    let first = self.byte(at + 2 + index * 2)?;
                    for code in first..=first + self.byte(at + 3 + index * 2)? {
                        codes.extend(u8::try_from(code).ok().map(|code| (code, glyph)));
                        glyph += 1;
                    }
                }
                _ => return None,
            }
        }
        Some(codes)
    }

    /// The number of the name of each glyph.
    fn names_of_glyphs(&self, charset: usize) -> Option<Vec<usize>> {
        if charset < 3 {
            return (charset == 0).then(|| (0..MAX_GLYPHS).collect());
        }
        let format = self.byte(charset)?;
        let mut names = vec![0];
        let mut at = charset + 1;
        // The list may end with the program: what was read counts.
        while names.len() < MAX_GLYPHS {
            let Some(first) = self.short(at) else { break };
            let left = match format {
                0 => Some(0),
                1 => self.byte(at + 2),
                2 => self.short(at + 2),
                _ => return None,
            };
            names.extend((first..=first + left?).take(MAX_GLYPHS));
            at += 2 + format;
        }
        Some(names)
    }

    fn byte(&self, at: usize) -> Option<usize> {
        self.bytes.get(at).copied().map(usize::from)
    }

    fn short(&self, at: usize) -> Option<usize> {
        Some(self.byte(at)? << 8 | self.byte(at + 1)?)
    }

    fn index(&self, at: usize) -> Option<Index> {
        let count = self.short(at)?;
        let width = if count == 0 { 0 } else { self.byte(at + 2)? };
        (width <= 4).then_some(Index { offsets: at + 3, width, count })
    }

    /// Where string `number` begins, which is where the one before ends.
    fn start(&self, index: Index, number: usize) -> Option<usize> {
        let at = index.offsets + number * index.width;
        let bytes = self.bytes.get(at..at + index.width)?;
        let offset = bytes.iter().fold(0_usize, |value, &byte| value << 8 | usize::from(byte));
        (index.offsets + (index.count + 1) * index.width).checked_add(offset)?.checked_sub(1)
    }

    fn item(&self, index: Index, number: usize) -> Option<&'p [u8]> {
        if number >= index.count {
            return None;
        }
        self.bytes.get(self.start(index, number)?..self.start(index, number + 1)?)
    }

    fn end(&self, index: Index) -> Option<usize> {
        match index.count {
            // Nothing but the count.
            0 => Some(index.offsets - 1),
            count => self.start(index, count),
        }
    }
}

/// Operators of a dictionary, each with the last of its operands, where that is a whole number.
fn entries(bytes: &[u8]) -> Vec<(u16, i64)> {
    let mut entries = Vec::new();
    let mut operand = 0;
    let mut rest = bytes.iter().copied().map(i64::from);
    while let Some(byte) = rest.next() {
        let mut next = || rest.next().unwrap_or_default();
        match byte {
            12 => entries.push((0x0C00 | u16::try_from(next()).unwrap_or_default(), operand)),
            0..=21 => entries.push((u16::try_from(byte).unwrap_or_default(), operand)),
            28 => operand = next() << 8 | next(),
            29 => operand = next() << 24 | next() << 16 | next() << 8 | next(),
            // A fraction, in halves of bytes up to one that is full.
            30 => while rest.next().is_some_and(|byte| byte & 0x0F != 0x0F) {},
            32..=246 => operand = byte - 139,
            247..=250 => operand = (byte - 247) * 256 + next() + 108,
            251..=254 => operand = -(byte - 251) * 256 - next() - 108,
            _ => {}
        }
    }
    entries
}

/// `f_f_i`: the parts, one after the other.
fn of_ligature(mapper: &CharacterMapper, name: &str) -> Option<String> {
    let (name, _) = name.split_once('.').unwrap_or((name, ""));
    name.split('_').map(|part| mapper.map_glyph_name(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_get_the_characters_of_their_glyphs() {
        // Header; one name; one dictionary; two strings; the charset and the encoding behind them.
        let mut program = vec![1, 0, 4, 1];
        program.extend([0, 1, 1, 1, 2, b'F']);
        let top = [28, 0, 42, 15, 28, 0, 49, 16];
        program.extend([0, 1, 1, 1, 9].iter().chain(&top));
        program.extend([0, 2, 1, 1, 8, 11].iter().chain(b"epsilonf_k"));
        program.extend([0; 3]);
        assert_eq!(program.len(), 42);
        program.extend([0, 0, 109, 1, 135, 1, 136]);
        program.extend([0, 3, 12, 34, 40]);
        let characters = characters(&program);
        let expected =
            [(12, "ﬁ"), (34, "ε"), (40, "fk")].map(|(code, text)| (code, text.to_owned()));
        assert_eq!(characters, BTreeMap::from(expected));
        for end in 0..program.len() {
            self::characters(program.get(..end).unwrap());
        }
    }
}
