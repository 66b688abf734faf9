//! [`Font`]: strings of a page into characters and how far each moves the pen.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use pdf_oxide::fonts::{FontInfo, MappingProvenance};

use super::cff;
use super::file::File;
use super::font_file;
use super::glyph_names;
use super::object::{Dictionary, Object, Stream};
use super::unicode_map::{CodeMap, CodeSpace, UnicodeMap};
use super::widths::Widths;
use super::work;

/// Guessed characters that are worth a warning: one sign of a font of signs is not.
const MIN_GUESSES: u32 = 3;

/// A font as a page uses it.
#[derive(Debug)]
pub(super) struct Font {
    /// As people know it, without the six letters of a subset.
    pub(super) name: String,
    pub(super) is_vertical: bool,
    pub(super) is_bold: bool,
    info: Option<FontInfo>,
    is_composite: bool,
    coding: Coding,
    unicode: UnicodeMap,
    codes: CodeMap,
    widths: Widths,
    /// What it takes in memory, about.
    pub(super) weight: usize,
    /// Codes whose glyphs have names that mean nothing to anybody else.
    nameless: BTreeSet<u8>,
    /// Codes are what the font program makes of them, and nothing else says what that is.
    is_coded_by_program: bool,
    /// Codes that its encoding has no use for are bullets.
    has_bullets: bool,
    /// What a compact font program says of the codes that nothing else speaks of.
    built_in: BTreeMap<u8, String>,
    /// Of Type 3: what one unit of a width is.
    unit: f64,
    /// What says which characters its codes are is missing in part.
    pub(super) is_damaged: bool,
    /// Pages that use it, in order.
    pages: RefCell<Vec<u32>>,
    glyphs: RefCell<HashMap<(u32, usize), Rc<Glyph>>>,
    shown: Cell<u32>,
    guessed: Cell<u32>,
}

/// One code.
#[derive(Debug)]
pub(super) struct Glyph {
    pub(super) text: Rc<str>,
    /// How far the pen goes, for a size of 1: to the right, or down where the font is vertical.
    pub(super) advance: f64,
    /// The one-byte code 32, which is where word spacing applies.
    pub(super) is_space: bool,
    is_guessed: bool,
}

/// How bytes make codes.
#[derive(Debug)]
enum Coding {
    One,
    Two,
    /// One byte up to 0x80, else two.
    Mixed,
    ShiftJis,
    Utf8,
    Utf16,
    Utf32,
    Spaces(Vec<CodeSpace>),
}

impl Font {
    pub(super) fn new(file: &File<'_>, dictionary: &Dictionary) -> Self {
        let name = file.entry(dictionary, "BaseFont");
        let name = name.name().unwrap_or("unnamed");
        let is_composite = file.entry(dictionary, "Subtype").name() == Some("Type0");
        let map = file.entry(dictionary, "ToUnicode");
        let mut is_damaged = false;
        let mut map_of = |stream: &Stream| {
            let decoded = file.decode(stream);
            is_damaged |= !decoded.as_ref().is_ok_and(|decoded| decoded.is_whole);
            let source = decoded.map(|decoded| decoded.bytes).unwrap_or_default();
            file.work.add(source.len(), work::MAP);
            source
        };
        let unicode = map.stream().map(&mut map_of);
        let unicode = unicode.map_or_else(UnicodeMap::default, |source| UnicodeMap::new(&source));
        let encoding = file.entry(dictionary, "Encoding");
        let codes = encoding.stream().filter(|_| is_composite).map(&mut map_of);
        let codes = codes.map_or_else(CodeMap::default, |source| CodeMap::new(&source));
        let encoding_name = match encoding.as_ref() {
            Object::Name(name) => Some(name.clone()),
            Object::Stream(stream) => {
                let named =
                    stream.dictionary.get("UseCMap").and_then(Object::name).map(str::to_owned);
                codes.base.clone().or(named)
            }
            _ => None,
        };
        let coding = match is_composite {
            true => Coding::of(encoding_name.as_deref().unwrap_or("Identity-H"), &codes, &unicode),
            false => Coding::One,
        };
        // The library reads fonts from files only: it gets one with this font and nothing else.
        let stands_for = is_composite.then(|| encoding_name.as_deref().unwrap_or("Identity-H"));
        // What a map or an encoding leaves out is in the encoding that is built into the program.
        let is_encoded = match encoding.as_ref() {
            Object::Name(_) => true,
            Object::Dictionary(encoding) => encoding.contains_key("BaseEncoding"),
            _ => is_composite,
        };
        let source =
            font_file::with(file, dictionary, stands_for, is_encoded && !unicode.is_empty());
        let built_in = match is_composite || is_encoded {
            true => BTreeMap::new(),
            false => built_in(file, dictionary, &encoding),
        };
        let widths = if is_composite { Widths::new(file, dictionary) } else { Widths::default() };
        file.work.add(source.len(), work::PROGRAM);
        let weight = source.len() * 2 + widths.count() * 24 + unicode.count() * 48 + 4096;
        let info = catch_unwind(AssertUnwindSafe(|| font_file::read(source))).ok().flatten();
        let is_vertical = is_composite
            && (codes.is_vertical
                || encoding_name.is_some_and(|name| name == "V" || name.ends_with("-V")));
        let unit = match file.entry(dictionary, "Subtype").name() {
            Some("Type3") => {
                let matrix = file.entry(dictionary, "FontMatrix");
                let first = matrix.array().and_then(|matrix| matrix.first()?.number());
                first.map(f64::abs).filter(|unit| *unit > 1e-9).unwrap_or(0.001)
            }
            _ => 0.001,
        };
        let is_coded_by_program = matches!(*encoding, Object::Null)
            && info.as_ref().is_some_and(|info| {
                let program = info.embedded_font_data.as_deref().map(Vec::as_slice);
                info.is_truetype_font
                    && info.is_symbolic()
                    && !glyph_names::has_unicode_table(program.unwrap_or_default())
            });
        let base = encoding.dictionary().map(|encoding| file.entry(encoding, "BaseEncoding"));
        let base = base.as_deref().unwrap_or(&*encoding).name();
        let has_bullets = !is_composite && base == Some("WinAnsiEncoding");
        let plain_name = match name.split_once('+') {
            Some((tag, rest))
                if tag.len() == 6 && tag.bytes().all(|byte| byte.is_ascii_uppercase()) =>
            {
                rest
            }
            _ => name,
        };
        Self {
            name: plain_name.to_owned(),
            is_vertical,
            is_bold: info.as_ref().is_some_and(FontInfo::is_bold),
            info,
            is_composite,
            coding,
            unicode,
            codes,
            widths,
            weight,
            nameless: if is_composite {
                BTreeSet::new()
            } else {
                glyph_names::unknown(file, &encoding, name)
            },
            is_coded_by_program,
            has_bullets,
            built_in,
            unit,
            is_damaged,
            pages: RefCell::default(),
            glyphs: RefCell::default(),
            shown: Cell::new(0),
            guessed: Cell::new(0),
        }
    }

    /// The codes of a string, one after the other.
    pub(super) fn glyphs<'s>(&'s self, string: &'s [u8]) -> impl Iterator<Item = Rc<Glyph>> + 's {
        let mut rest = string;
        std::iter::from_fn(move || {
            let length = self.coding.length(rest).min(rest.len());
            let (code, after) =
                rest.split_at_checked(length).filter(|(code, _)| !code.is_empty())?;
            rest = after;
            let code = code.iter().fold(0_u32, |value, &byte| value << 8 | u32::from(byte));
            let glyph = self.glyph(code, length);
            if !glyph.text.trim().is_empty() || glyph.is_guessed {
                self.shown.set(self.shown.get().saturating_add(1));
                self.guessed.set(self.guessed.get().saturating_add(u32::from(glyph.is_guessed)));
            }
            Some(glyph)
        })
    }

    /// Whether what it wrote may be other characters than those it shows.
    pub(super) fn is_doubtful(&self) -> bool {
        self.guessed.get() >= MIN_GUESSES && self.guessed.get() * 4 > self.shown.get()
    }

    pub(super) fn used_on(&self, page: u32) {
        let mut pages = self.pages.borrow_mut();
        if pages.last() != Some(&page) {
            pages.push(page);
        }
    }

    pub(super) fn last_page(&self) -> Option<u32> {
        self.pages.borrow().last().copied()
    }

    pub(super) fn pages(&self) -> Vec<u32> {
        self.pages.borrow().clone()
    }

    fn glyph(&self, code: u32, length: usize) -> Rc<Glyph> {
        if let Some(glyph) = self.glyphs.borrow().get(&(code, length)) {
            return Rc::clone(glyph);
        }
        // A faulty font program must not take the page with it.
        let made = catch_unwind(AssertUnwindSafe(|| self.make_glyph(code, length)));
        let glyph = Rc::new(made.unwrap_or_else(|_| Glyph {
            text: "".into(),
            advance: 0.5,
            is_space: false,
            is_guessed: true,
        }));
        self.glyphs.borrow_mut().insert((code, length), Rc::clone(&glyph));
        glyph
    }

    fn make_glyph(&self, code: u32, length: usize) -> Glyph {
        let number = self.codes.glyph(code).unwrap_or(code);
        let number = u16::try_from(number).unwrap_or(0);
        let (text, is_guessed) = self.text(code, length, number);
        let mut advance = self.width(code, length, number);
        if self.is_vertical {
            advance = self.widths.down(number);
        }
        if !advance.is_finite() || advance.abs() > 20.0 {
            advance = 0.5;
        }
        Glyph { text: text.into(), advance, is_space: code == 32 && length == 1, is_guessed }
    }

    fn text(&self, code: u32, length: usize, number: u16) -> (String, bool) {
        let (text, is_guessed) = self.text_of(code, length, number);
        let is_unused = matches!(code, 0x7F | 0x81 | 0x8D | 0x8F | 0x90 | 0x9D);
        match self.has_bullets && is_unused && text.is_empty() {
            true => ("•".to_owned(), false),
            false => (text, is_guessed),
        }
    }

    fn text_of(&self, code: u32, length: usize, number: u16) -> (String, bool) {
        if let Some(text) = self.unicode.text(code) {
            return (text.to_owned(), false);
        }
        if let Some(character) = self.coding.character(code, length) {
            return (character.to_string(), false);
        }
        if let Some(text) = u8::try_from(code).ok().and_then(|code| self.built_in.get(&code)) {
            return (text.clone(), false);
        }
        let Some(info) = &self.info else {
            let latin =
                u8::try_from(code).map(char::from).ok().filter(|character| !character.is_control());
            return (latin.map(String::from).unwrap_or_default(), !matches!(code, 32..=126));
        };
        let asked = if self.codes.is_empty() { code } else { u32::from(number) };
        let text = info.char_to_unicode(asked).unwrap_or_default();
        let text: String =
            text.chars().filter(|character| !is_nothing(*character)).take(8).collect();
        let is_guessed = match self.is_composite {
            // What is left then is the number of the glyph, taken for a character.
            true => {
                !self.unicode.is_empty()
                    || info.best_mapping_provenance() == MappingProvenance::Fallback
            }
            false => self.is_guess(info, code, number) || text.is_empty() && code > 32,
        };
        // Where a map is there and leaves a code out, a guess is worse than nothing.
        match is_guessed && self.is_composite && !self.unicode.is_empty() && code != 32 && code != 3
        {
            true => (String::new(), false),
            false => (text, is_guessed),
        }
    }

    /// Whether nothing in a simple font says what the code means.
    fn is_guess(&self, info: &FontInfo, code: u32, number: u16) -> bool {
        if u8::try_from(code).is_ok_and(|code| self.nameless.contains(&code)) {
            return true;
        }
        // Codes that were handed out in turn make few letters; those of a real encoding make many.
        let is_likely = info.char_to_unicode(u32::from(number)).is_some_and(|text| {
            text.chars()
                .all(|character| character.is_alphanumeric() || " .,-()".contains(character))
        });
        self.is_coded_by_program && !is_likely
    }

    fn width(&self, code: u32, length: usize, number: u16) -> f64 {
        if !self.is_composite {
            return self
                .info
                .as_ref()
                .map_or(0.5, |info| f64::from(info.get_glyph_width(number)) * self.unit);
        }
        if self.coding.is_of_glyphs() {
            return self.widths.across(number);
        }
        // The numbers of these glyphs are not known, but how wide they are is.
        match length == 1
            || self.coding.character(code, length).is_some_and(|character| character < '\u{2000}')
        {
            true => 0.5,
            false => 1.0,
        }
    }
}

/// What is built into a compact program, without the codes that the encoding sets otherwise.
fn built_in(file: &File<'_>, font: &Dictionary, encoding: &Object) -> BTreeMap<u8, String> {
    let descriptor = file.entry(font, "FontDescriptor");
    let Some(descriptor) = descriptor.dictionary() else { return BTreeMap::new() };
    let program = file.entry(descriptor, "FontFile3");
    let Some(Ok(program)) = program.stream().map(|stream| file.decode(stream)) else {
        return BTreeMap::new();
    };
    let mut characters = cff::characters(&program.bytes);
    let differences = encoding.dictionary().map(|encoding| file.entry(encoding, "Differences"));
    let mut code: i64 = 0;
    for item in differences.as_deref().and_then(Object::array).unwrap_or_default() {
        match item {
            Object::Integer(first) => code = *first,
            _ => {
                if let Ok(code) = u8::try_from(code) {
                    characters.remove(&code);
                }
                code = code.saturating_add(1);
            }
        }
    }
    characters
}

impl Coding {
    fn of(name: &str, codes: &CodeMap, unicode: &UnicodeMap) -> Self {
        if !codes.spaces.is_empty() {
            return Self::Spaces(codes.spaces.clone());
        }
        if name.starts_with("Identity") || name == "H" || name == "V" {
            return Self::Two;
        }
        if name.contains("UCS2") || name.contains("UTF16") {
            return Self::Utf16;
        }
        if name.contains("UTF8") {
            return Self::Utf8;
        }
        if name.contains("UTF32") {
            return Self::Utf32;
        }
        if name.contains("RKSJ") {
            return Self::ShiftJis;
        }
        if ["EUC", "GBK", "GBpc", "B5", "KSC", "CNS", "HKscs"]
            .iter()
            .any(|part| name.contains(part))
        {
            return Self::Mixed;
        }
        match unicode.spaces.is_empty() {
            true => Self::Two,
            false => Self::Spaces(unicode.spaces.clone()),
        }
    }

    /// How many bytes the first code has.
    fn length(&self, bytes: &[u8]) -> usize {
        let first = bytes.first().copied().unwrap_or_default();
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Mixed => 1 + usize::from(first > 0x80),
            Self::ShiftJis => 1 + usize::from(matches!(first, 0x81..=0x9F | 0xE0..=0xFC)),
            Self::Utf8 => match first {
                0xC0..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0.. => 4,
                _ => 1,
            },
            Self::Utf16 => 2 + 2 * usize::from(matches!(first, 0xD8..=0xDB)),
            Self::Utf32 => 4,
            Self::Spaces(spaces) => {
                let mut code = 0;
                for (index, &byte) in bytes.iter().take(4).enumerate() {
                    code = code << 8 | u32::from(byte);
                    let is_in = |space: &CodeSpace| {
                        space.length == index + 1 && (space.first..=space.last).contains(&code)
                    };
                    if spaces.iter().any(is_in) {
                        return index + 1;
                    }
                }
                spaces.iter().map(|space| space.length).min().unwrap_or(1)
            }
        }
    }

    /// The character that the code itself is.
    fn character(&self, code: u32, length: usize) -> Option<char> {
        let character = match self {
            Self::Utf32 => char::from_u32(code),
            Self::Utf16 if length == 2 => char::from_u32(code),
            Self::Utf16 => {
                let units =
                    [code >> 16, code & 0xFFFF].map(|unit| u16::try_from(unit).unwrap_or_default());
                char::decode_utf16(units).next()?.ok()
            }
            Self::Utf8 => {
                let bytes = code.to_be_bytes();
                std::str::from_utf8(bytes.get(4 - length.min(4)..)?).ok()?.chars().next()
            }
            Self::Mixed | Self::ShiftJis if length == 1 && (32..127).contains(&code) => {
                char::from_u32(code)
            }
            _ => None,
        };
        character.filter(|character| !is_nothing(*character))
    }

    /// Whether codes are numbers of glyphs, which widths are listed by.
    fn is_of_glyphs(&self) -> bool {
        matches!(self, Self::One | Self::Two | Self::Spaces(_))
    }
}

fn is_nothing(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r')
        || matches!(character, '\u{FFFD}'..='\u{FFFF}')
}
