//! Where the objects of a file stand: by its own tables, or by looking for them.

use std::collections::{HashMap, HashSet};

use memchr::memmem;

use super::filters::{self, Undecoded};
use super::lexer::{Lexer, Token, is_white};
use super::object::{Dictionary, Id, Object, Stream};
use super::parse;
use super::work::{self, Work};

/// Objects in one file. Honest files of 64 MiB have fewer than half of it.
pub(super) const MAX_OBJECTS: usize = 2_000_000;
/// What a table may unpack to: [`MAX_OBJECTS`] of the longest rows in use.
const MAX_TABLE_BYTES: usize = 32 << 20;
/// What all streams that hold objects may unpack to, where they have to be looked for.
const MAX_UNPACKED: usize = 512 << 20;
/// Tables that one file has, one for each time that it was saved.
const MAX_TABLES: usize = 4_096;

/// Where an object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    At(u32),
    /// The number of a stream that holds it.
    In(u32),
}

/// All places, and the dictionary that the tables end with.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) by_number: HashMap<u32, Place>,
    pub(super) trailer: Dictionary,
    /// Rows that were read, of all tables.
    rows: usize,
}

/// More objects, or bigger tables, than are read.
#[derive(Debug)]
pub(super) struct TooMany;

/// By the tables of the file; `None` where one of them is not what it should be.
pub(super) fn by_tables(
    bytes: &[u8],
    header: usize,
    work: &Work,
) -> Result<Option<Places>, TooMany> {
    let tail = bytes.len().saturating_sub(2048);
    let Some(found) = memmem::rfind(bytes.get(tail..).unwrap_or_default(), b"startxref") else {
        return Ok(None);
    };
    let Some(Token::Integer(start)) = Lexer::new(bytes, tail + found + 9).next() else {
        return Ok(None);
    };
    let mut places = Places::default();
    let (mut pending, mut seen) = (vec![start], HashSet::new());
    let mut is_first = true;
    while let Some(start) = pending.pop() {
        let Ok(start) = usize::try_from(start) else { return Ok(None) };
        if !seen.insert(start) {
            continue;
        }
        if seen.len() > MAX_TABLES {
            return Ok(None);
        }
        // Offsets are counted from `%PDF-`, or from the start of the file.
        let trailer = match table(bytes, start, &mut places, work)? {
            Some(trailer) => trailer,
            None => match (header > 0).then(|| table(bytes, start + header, &mut places, work)) {
                Some(trailer) => match trailer? {
                    Some(trailer) => trailer,
                    None => return Ok(None),
                },
                // An older table that is damaged takes nothing away.
                None if is_first => return Ok(None),
                None => continue,
            },
        };
        is_first = false;
        // The hybrid table is looked at first: it stands on top.
        pending.extend(trailer.get("Prev").and_then(Object::integer));
        pending.extend(trailer.get("XRefStm").and_then(Object::integer));
        for (name, entry) in trailer {
            places.trailer.entry(name).or_insert(entry);
        }
    }
    Ok(Some(places))
}

/// One table, of either kind; what newer tables said is kept.
fn table(
    bytes: &[u8],
    start: usize,
    places: &mut Places,
    work: &Work,
) -> Result<Option<Dictionary>, TooMany> {
    let mut lexer = Lexer::new(bytes, start);
    match lexer.next() {
        Some(Token::Word(b"xref")) => classic_table(&mut lexer, places),
        Some(Token::Integer(_)) => match stream_at(bytes, &mut Lexer::new(bytes, start)) {
            Some(stream) if stream.dictionary.contains_key("W") => {
                stream_table(bytes, &stream, places, work)
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn classic_table(
    lexer: &mut Lexer<'_>,
    places: &mut Places,
) -> Result<Option<Dictionary>, TooMany> {
    loop {
        let first = match lexer.next() {
            Some(Token::Integer(first)) => first,
            Some(Token::Word(b"trailer")) => break,
            _ => return Ok(None),
        };
        let Some(Token::Integer(count)) = lexer.next() else { return Ok(None) };
        let mut number = first;
        for index in 0..count {
            let before = lexer.position();
            let (Some(Token::Integer(offset)), Some(Token::Integer(generation))) =
                (lexer.next(), lexer.next())
            else {
                lexer.seek(before);
                break;
            };
            let in_use = match lexer.next() {
                Some(Token::Word(b"n")) => true,
                Some(Token::Word(b"f")) => false,
                _ => return Ok(None),
            };
            // Some number from 1 what they begin with the head of the free list.
            if index == 0 && first == 1 && !in_use && generation == 65_535 {
                number = 0;
            }
            let place = match (in_use, u32::try_from(offset)) {
                (true, Ok(offset)) if offset > 0 => Place::At(offset),
                _ => Place::Free,
            };
            keep(places, number, place)?;
            number += 1;
        }
    }
    Ok(parse::object(lexer).and_then(|object| object.dictionary().cloned()))
}

fn stream_table(
    bytes: &[u8],
    stream: &Stream,
    places: &mut Places,
    work: &Work,
) -> Result<Option<Dictionary>, TooMany> {
    let dictionary = &stream.dictionary;
    let raw = bytes.get(stream.start..stream.end).unwrap_or_default();
    let rows = match filters::decode(dictionary, raw, MAX_TABLE_BYTES, work) {
        Ok(rows) => rows.bytes,
        Err(Undecoded::TooLarge) => return Err(TooMany),
        Err(Undecoded::Unreadable) => return Ok(None),
    };
    let widths = dictionary.get("W").and_then(Object::array).unwrap_or_default();
    let width = |index: usize| {
        let width = widths.get(index).and_then(Object::integer).unwrap_or(0);
        usize::try_from(width).unwrap_or(0).min(8)
    };
    let (kind_width, second_width, row_width) =
        (width(0), width(1), width(0) + width(1) + width(2));
    if row_width == 0 {
        return Ok(None);
    }
    let size = dictionary.get("Size").and_then(Object::integer).unwrap_or(0);
    let all = [Object::Integer(0), Object::Integer(size)];
    let sections = dictionary.get("Index").and_then(Object::array).unwrap_or(&all);
    let mut rows = rows.chunks_exact(row_width);
    for section in sections.chunks_exact(2) {
        let [first, count] = section else { break };
        let (Some(first), Some(count)) = (first.integer(), count.integer()) else { break };
        for (index, row) in (0..count).zip(&mut rows) {
            let (kind, row) = row.split_at(kind_width);
            let (second, _) = row.split_at(second_width);
            let second = u32::try_from(big_endian(second));
            let place = match (if kind.is_empty() { 1 } else { big_endian(kind) }, second) {
                (1, Ok(offset)) => Place::At(offset),
                (2, Ok(stream)) => Place::In(stream),
                _ => Place::Free,
            };
            keep(places, first.saturating_add(index), place)?;
        }
    }
    Ok(Some(dictionary.clone()))
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn keep(places: &mut Places, number: i64, place: Place) -> Result<(), TooMany> {
    if let Ok(number) = u32::try_from(number) {
        places.by_number.entry(number).or_insert(place);
    }
    // Tables can stand inside one another, so that a small file has many rows.
    places.rows += 1;
    match places.by_number.len() > MAX_OBJECTS || places.rows > MAX_OBJECTS * 2 {
        true => Err(TooMany),
        false => Ok(()),
    }
}

/// By looking for `1 0 obj` in the whole file: the last one of a number counts, as it would after
/// the file was saved again.
pub(super) fn by_looking(bytes: &[u8], work: &Work) -> Result<Places, TooMany> {
    let mut places = Places::default();
    for found in memmem::find_iter(bytes, b"obj") {
        if let Some((id, start)) = head_before(bytes, found) {
            let Ok(start) = u32::try_from(start) else { break };
            places.by_number.insert(id.number, Place::At(start));
            if places.by_number.len() > MAX_OBJECTS {
                return Err(TooMany);
            }
        }
    }
    let mut trailers: Vec<usize> = memmem::rfind_iter(bytes, b"trailer").take(64).collect();
    trailers.reverse();
    for found in trailers {
        let mut lexer = Lexer::new(bytes, found + 7);
        let parsed = parse::object(&mut lexer);
        work.add(lexer.position() - found, work::PARSE);
        if let Some(Object::Dictionary(trailer)) = parsed {
            places.trailer.extend(trailer);
        }
        if !work.is_left() {
            break;
        }
    }
    // Streams that are tables say where the root is; streams that hold objects add to them.
    let holders = memmem::find_iter(bytes, b"/ObjStm").chain(memmem::find_iter(bytes, b"/XRef"));
    let mut starts: Vec<usize> = holders
        .filter_map(|found| {
            let before = bytes.get(found.saturating_sub(2048)..found)?;
            let object = found.saturating_sub(2048) + memmem::rfind(before, b"obj")?;
            Some(head_before(bytes, object)?.1)
        })
        .collect();
    starts.sort_unstable();
    starts.dedup();
    let mut streams = Vec::new();
    for start in starts {
        let mut lexer = Lexer::new(bytes, start);
        streams.extend(stream_at(bytes, &mut lexer));
        // Made-up objects can reach into one another.
        work.add(lexer.position() - start, work::PARSE);
        if !work.is_left() {
            break;
        }
    }
    let mut unpacked = MAX_UNPACKED;
    for stream in &streams {
        match stream.dictionary.get("Type").and_then(Object::name) {
            Some("XRef") => {
                for name in ["Root", "Encrypt", "ID", "Info"] {
                    if let Some(entry) = stream.dictionary.get(name) {
                        places.trailer.insert(name.to_owned(), entry.clone());
                    }
                }
            }
            Some("ObjStm") if !places.trailer.contains_key("Encrypt") => {
                let raw = bytes.get(stream.start..stream.end).unwrap_or_default();
                let decoded = filters::decode(&stream.dictionary, raw, MAX_TABLE_BYTES, work);
                let Ok(filters::Decoded { bytes: packed, .. }) = decoded else {
                    continue;
                };
                let Some(left) = unpacked.checked_sub(packed.len()) else { return Err(TooMany) };
                unpacked = left;
                let mut lexer = Lexer::new(&packed, 0);
                let count = stream.dictionary.get("N").and_then(Object::integer).unwrap_or(0);
                for _ in 0..count {
                    let (Some(Token::Integer(number)), Some(Token::Integer(_))) =
                        (lexer.next(), lexer.next())
                    else {
                        break;
                    };
                    keep(&mut places, number, Place::In(stream.id.number))?;
                }
            }
            _ => {}
        }
    }
    Ok(places)
}

/// The `1 0` before `obj`, and where it begins.
fn head_before(bytes: &[u8], object: usize) -> Option<(Id, usize)> {
    let (generation, at) = integer_before(bytes, object)?;
    let (number, start) = integer_before(bytes, at)?;
    Some((Id { number, generation: u16::try_from(generation).ok()? }, start))
}

fn integer_before(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
    let before = bytes.get(end.saturating_sub(24)..end)?;
    let trimmed = before.len() - before.iter().rev().take_while(|&&byte| is_white(byte)).count();
    let digits =
        before.get(..trimmed)?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 10 {
        return None;
    }
    let start = trimmed - digits;
    let text = std::str::from_utf8(before.get(start..trimmed)?).ok()?;
    Some((text.parse().ok()?, end - before.len() + start))
}

/// The stream whose object begins here, with a length that the dictionary itself says or that the
/// next `endstream` does.
fn stream_at(bytes: &[u8], lexer: &mut Lexer<'_>) -> Option<Stream> {
    let (Token::Integer(number), Token::Integer(generation)) = (lexer.next()?, lexer.next()?)
    else {
        return None;
    };
    let Token::Word(b"obj") = lexer.next()? else { return None };
    let id =
        Id { number: u32::try_from(number).ok()?, generation: u16::try_from(generation).ok()? };
    let Object::Dictionary(dictionary) = parse::object(lexer)? else { return None };
    let length = dictionary.get("Length").and_then(Object::integer);
    let Extent { start, end, is_cut } = stream_extent(bytes, lexer, length)?;
    Some(Stream { dictionary, id, start, end, is_cut })
}

/// Where the bytes of a stream begin and end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The file ends before the stream does.
    pub(super) is_cut: bool,
}

/// Where the bytes after `stream` are.
pub(super) fn stream_extent(
    bytes: &[u8],
    lexer: &mut Lexer<'_>,
    length: Option<i64>,
) -> Option<Extent> {
    let Token::Word(word) = lexer.next()? else { return None };
    if !word.starts_with(b"stream") {
        return None;
    }
    let mut start = lexer.position() - word.len() + 6;
    if bytes.get(start) == Some(&b'\r') {
        start += 1;
    }
    if bytes.get(start) == Some(&b'\n') {
        start += 1;
    }
    if let Some(end) = length.and_then(|length| start.checked_add(usize::try_from(length).ok()?))
        && let Some(after) = bytes.get(end..)
    {
        let white = after.iter().take(4).take_while(|&&byte| is_white(byte)).count();
        if after
            .get(white..)
            .is_some_and(|after| after.starts_with(b"endstream") || after.starts_with(b"endobj"))
        {
            return Some(Extent { start, end, is_cut: false });
        }
    }
    let rest = bytes.get(start..)?;
    let found = memmem::find(rest, b"endstream");
    let is_cut = found.is_none() && memmem::find(rest, b"endobj").is_none();
    let mut end = start + found.unwrap_or(rest.len());
    if end > start && bytes.get(end - 1) == Some(&b'\n') {
        end -= 1;
    }
    if end > start && bytes.get(end - 1) == Some(&b'\r') {
        end -= 1;
    }
    Some(Extent { start, end, is_cut })
}
