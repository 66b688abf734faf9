//! What a stream's filters hid, up to a number of bytes.
//!
//! Kept apart from the library's decoders, which take as much memory as a stream asks for.

use flate2::{Decompress, FlushDecompress, Status};

use super::lexer;
use super::object::{Dictionary, Object};
use super::work::{self, Work};

/// Why there are no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undecoded {
    /// More than was allowed.
    TooLarge,
    /// Not what the filter makes, or a filter for pictures.
    Unreadable,
}

/// What was behind filters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) end: End,
}

/// How the data of a filter ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its own mark: all of it was there.
    Marked,
    /// Where the stream ends.
    Unmarked,
    /// Before its end, or with what the filter never makes.
    Damaged,
}

/// The bytes behind the filters of `dictionary`, at most `max` after each of them.
pub(super) fn decode(
    dictionary: &Dictionary,
    raw: &[u8],
    max: usize,
    work: &Work,
) -> Result<Decoded, Undecoded> {
    let filters = listed(dictionary.get("Filter").or_else(|| dictionary.get("F")));
    let parameters = listed(dictionary.get("DecodeParms").or_else(|| dictionary.get("DP")));
    if filters.len() > 8 {
        return Err(Undecoded::Unreadable);
    }
    if raw.len() > max {
        return Err(Undecoded::TooLarge);
    }
    let mut decoded = Decoded { bytes: raw.to_vec(), end: End::Unmarked };
    work.add(raw.len(), 1);
    for (index, filter) in filters.iter().enumerate() {
        let parameters = parameters.get(index).and_then(|object| object.dictionary());
        let bytes = decoded.bytes;
        work.add(bytes.len(), work::FILTER);
        let (bytes, end) = match filter.name().unwrap_or_default() {
            "FlateDecode" | "Fl" => inflate(&bytes, max, work)?,
            "LZWDecode" | "LZW" => {
                let early = parameters
                    .and_then(|dictionary| dictionary.get("EarlyChange")?.integer())
                    != Some(0);
                lzw(&bytes, early, max, work)?
            }
            "ASCIIHexDecode" | "AHx" => hexadecimal(&bytes),
            "ASCII85Decode" | "A85" => base85(&bytes),
            "RunLengthDecode" | "RL" => run_length(&bytes, max, work)?,
            "Crypt" => (bytes, decoded.end),
            _ => return Err(Undecoded::Unreadable),
        };
        work.add(bytes.len(), 1);
        let is_predicted =
            matches!(filter.name(), Some("FlateDecode" | "Fl" | "LZWDecode" | "LZW"));
        let bytes = if is_predicted { predicted(bytes, parameters, work) } else { bytes };
        // An end that is not marked says nothing against the one of the filter before it.
        let end = if end == End::Unmarked { decoded.end } else { end };
        decoded = Decoded { bytes, end };
    }
    Ok(decoded)
}

/// An entry that is one thing or an array of them.
fn listed(entry: Option<&Object>) -> &[Object] {
    match entry {
        None | Some(Object::Null) => &[],
        Some(Object::Array(items)) => items,
        Some(one) => std::slice::from_ref(one),
    }
}

/// What can be inflated: a stream that breaks off or is damaged gives what came before.
fn inflate(raw: &[u8], max: usize, work: &Work) -> Result<(Vec<u8>, End), Undecoded> {
    let trimmed = raw.trim_ascii_start();
    if trimmed.is_empty() {
        return Ok((Vec::new(), End::Unmarked));
    }
    let (inflated, end) = inflate_as(trimmed, true, max, work)?;
    if end == End::Marked || end == End::Damaged && !inflated.is_empty() {
        return Ok((inflated, end));
    }
    let body = trimmed.get(2..).unwrap_or_default();
    if !inflated.is_empty() {
        // It ends too early: all of the data may be there, and its checksum be missing.
        let (_, end) = inflate_as(body, false, max, work)?;
        return Ok((inflated, if end == End::Marked { end } else { End::Damaged }));
    }
    // Without its header, or with one that is wrong.
    for raw in [raw, body] {
        let (inflated, end) = inflate_as(raw, false, max, work)?;
        if !inflated.is_empty() || end == End::Marked {
            return Ok((inflated, if end == End::Marked { end } else { End::Damaged }));
        }
    }
    Ok((Vec::new(), End::Damaged))
}

/// [`End::Unmarked`] where more was to come.
fn inflate_as(
    raw: &[u8],
    has_header: bool,
    max: usize,
    work: &Work,
) -> Result<(Vec<u8>, End), Undecoded> {
    let mut inflater = Decompress::new(has_header);
    let mut bytes = Vec::with_capacity(raw.len().saturating_mul(3).min(1 << 20));
    let mut taken = 0;
    let end = loop {
        if bytes.len() == bytes.capacity() {
            if bytes.len() > max {
                return Err(too_large(max, work));
            }
            // No more than the bound, so that memory does not double past it.
            bytes.reserve_exact(bytes.len().clamp(4096, max.saturating_sub(bytes.len()).max(4096)));
        }
        let (before_in, before_out) = (inflater.total_in(), inflater.total_out());
        let ended = inflater.decompress_vec(
            raw.get(taken..).unwrap_or_default(),
            &mut bytes,
            FlushDecompress::None,
        );
        let moved_in = inflater.total_in() - before_in;
        taken += usize::try_from(moved_in).unwrap_or_default();
        match ended {
            Ok(Status::StreamEnd) => break End::Marked,
            Err(_) => break End::Damaged,
            Ok(Status::Ok | Status::BufError) => {
                if moved_in == 0
                    && inflater.total_out() == before_out
                    && bytes.len() < bytes.capacity()
                {
                    break End::Unmarked;
                }
            }
        }
    };
    match bytes.len() > max {
        true => Err(too_large(max, work)),
        false => Ok((bytes, end)),
    }
}

/// What was unpacked in vain counts, too.
fn too_large(max: usize, work: &Work) -> Undecoded {
    work.add(max, 1);
    Undecoded::TooLarge
}

fn lzw(raw: &[u8], early: bool, max: usize, work: &Work) -> Result<(Vec<u8>, End), Undecoded> {
    // Of each code: where its string stands in what was written, and how long it is.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(4096);
    let mut bytes: Vec<u8> = Vec::new();
    let mut previous: Option<(usize, usize)> = None;
    let (mut bits, mut held, mut width) = (0_u32, 0_u32, 9_u32);
    let mut end = End::Unmarked;
    for &byte in raw {
        bits = bits << 8 | u32::from(byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = usize::try_from(bits >> held & ((1 << width) - 1)).unwrap_or_default();
        bits &= (1 << held) - 1;
        match code {
            256 => {
                table.clear();
                width = 9;
                previous = None;
                continue;
            }
            257 => {
                end = End::Marked;
                break;
            }
            _ => {}
        }
        let start = bytes.len();
        if let Ok(literal) = u8::try_from(code) {
            bytes.push(literal);
        } else if let Some(&(from, length)) = table.get(code - 258) {
            bytes.extend_from_within(from..from + length);
        } else if let Some((from, length)) = previous.filter(|_| code - 258 == table.len()) {
            bytes.extend_from_within(from..from + length);
            bytes.extend_from_within(from..=from);
        } else {
            end = End::Damaged;
            break;
        }
        if bytes.len() > max {
            return Err(too_large(max, work));
        }
        if let Some((from, length)) = previous
            && table.len() < 4096 - 258
        {
            // The string before and the first byte of this one: they stand side by side.
            table.push((from, length + 1));
        }
        previous = Some((start, bytes.len() - start));
        let next = table.len() + 258 + usize::from(early) + 1;
        width = match next {
            0..=512 => 9,
            513..=1024 => 10,
            1025..=2048 => 11,
            _ => 12,
        };
    }
    Ok((bytes, end))
}

fn hexadecimal(raw: &[u8]) -> (Vec<u8>, End) {
    let mut end = End::Unmarked;
    let mut bytes = Vec::with_capacity(raw.len() / 2);
    let mut high = None;
    for &byte in raw {
        if byte == b'>' {
            end = End::Marked;
            break;
        }
        let Some(low) = lexer::digit(byte) else { continue };
        match high.take() {
            None => high = Some(low),
            Some(high) => bytes.push(high << 4 | low),
        }
    }
    if let Some(high) = high {
        bytes.push(high << 4);
    }
    (bytes, end)
}

fn base85(raw: &[u8]) -> (Vec<u8>, End) {
    let mut end = End::Unmarked;
    let raw = raw.strip_prefix(b"<~").unwrap_or(raw);
    let mut bytes = Vec::with_capacity(raw.len() / 5 * 4 + 4);
    let (mut group, mut count) = (0_u32, 0_usize);
    for &byte in raw {
        match byte {
            b'z' if count == 0 => bytes.extend([0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    bytes.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            b'~' => {
                end = End::Marked;
                break;
            }
            _ => {}
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group.wrapping_mul(85).wrapping_add(84);
        }
        bytes.extend(group.to_be_bytes().iter().take(count - 1));
    }
    (bytes, end)
}

fn run_length(raw: &[u8], max: usize, work: &Work) -> Result<(Vec<u8>, End), Undecoded> {
    let mut end = End::Unmarked;
    let mut bytes = Vec::new();
    let mut rest = raw;
    while let Some((&length, after)) = rest.split_first() {
        let length = usize::from(length);
        match length {
            0..=127 => {
                let run = after.get(..=length).unwrap_or(after);
                bytes.extend_from_slice(run);
                rest = after.get(run.len()..).unwrap_or_default();
            }
            128 => {
                end = End::Marked;
                break;
            }
            _ => {
                let Some((&byte, after)) = after.split_first() else { break };
                bytes.resize(bytes.len() + 257 - length, byte);
                rest = after;
            }
        }
        if bytes.len() > max {
            return Err(too_large(max, work));
        }
    }
    Ok((bytes, end))
}

/// Undoes what was done to make rows of numbers compress better.
fn predicted(bytes: Vec<u8>, parameters: Option<&Dictionary>, work: &Work) -> Vec<u8> {
    let entry = |name: &str, default: usize| {
        let value = parameters.and_then(|dictionary| dictionary.get(name)?.integer());
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(default)
    };
    let predictor = entry("Predictor", 1);
    if predictor < 2 {
        return bytes;
    }
    work.add(bytes.len(), work::PREDICTED);
    let (colors, bits) =
        (entry("Colors", 1).clamp(1, 64), entry("BitsPerComponent", 8).clamp(1, 16));
    let columns = entry("Columns", 1).clamp(1, 1 << 24);
    // A row that is longer than all there is takes no more memory.
    let row_bytes = (colors * bits * columns).div_ceil(8).min(bytes.len().max(1));
    let pixel = (colors * bits).div_ceil(8);
    if predictor == 2 {
        let mut bytes = bytes;
        if bits == 8 {
            for row in bytes.chunks_mut(row_bytes) {
                for index in pixel..row.len() {
                    let left = row.get(index - pixel).copied().unwrap_or_default();
                    if let Some(byte) = row.get_mut(index) {
                        *byte = byte.wrapping_add(left);
                    }
                }
            }
        }
        return bytes;
    }
    let mut rows: Vec<u8> = Vec::with_capacity(bytes.len());
    for coded in bytes.chunks(row_bytes + 1) {
        let Some((&kind, coded)) = coded.split_first() else { break };
        for (index, &byte) in coded.iter().enumerate() {
            let at = rows.len();
            let before = |distance: usize| {
                at.checked_sub(distance).and_then(|at| rows.get(at)).copied().unwrap_or_default()
            };
            let has_left = index >= pixel;
            let left = if has_left { before(pixel) } else { 0 };
            let up = before(row_bytes);
            let corner = if has_left { before(row_bytes + pixel) } else { 0 };
            let guess = match kind {
                1 => left,
                2 => up,
                3 => {
                    u8::try_from(u16::midpoint(u16::from(left), u16::from(up))).unwrap_or_default()
                }
                4 => paeth(left, up, corner),
                _ => 0,
            };
            rows.push(byte.wrapping_add(guess));
        }
    }
    rows
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let (to_left, to_up, to_corner) = ((b - c).abs(), (a - c).abs(), (a + b - c - c).abs());
    if to_left <= to_up && to_left <= to_corner {
        left
    } else if to_up <= to_corner {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn with(filter: &str) -> Dictionary {
        Dictionary::from([("Filter".to_owned(), Object::Name(filter.to_owned()))])
    }

    fn unpacked(filter: &str, raw: &[u8], max: usize) -> Vec<u8> {
        decode(&with(filter), raw, max, &Work::default()).unwrap().bytes
    }

    fn end(filter: &str, raw: &[u8]) -> End {
        decode(&with(filter), raw, 1 << 20, &Work::default()).unwrap().end
    }

    #[test]
    fn filters_give_what_was_put_in() {
        assert_eq!(unpacked("ASCIIHexDecode", b"48 65 6C6c 6F>", 99), b"Hello");
        assert_eq!(unpacked("ASCII85Decode", b"87cURD]i,\"Ebo80~>", 99), b"Hello World!");
        assert_eq!(unpacked("RunLengthDecode", b"\x01ab\xFEc\x80zz", 99), b"abccc");
        let lzw = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(unpacked("LZWDecode", &lzw, 99), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
    }

    #[test]
    fn refuses_more_than_the_bound_and_gives_what_a_broken_stream_has() {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![b'a'; 100_000]).unwrap();
        let raw = encoder.finish().unwrap();
        let too_large = decode(&with("FlateDecode"), &raw, 99_999, &Work::default());
        assert_eq!(too_large, Err(Undecoded::TooLarge));
        assert_eq!(unpacked("Fl", &raw, 100_000).len(), 100_000);
        assert!(!unpacked("Fl", &raw[..raw.len() - 20], 100_000).is_empty());
    }

    #[test]
    fn tells_what_is_whole_from_what_breaks_off() {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(b"a text that is long enough to be damaged in the middle of it").unwrap();
        let raw = encoder.finish().unwrap();
        assert_eq!(end("Fl", &raw), End::Marked);
        // Without its checksum, or its header, it is all there.
        assert_eq!(end("Fl", &raw[..raw.len() - 3]), End::Marked);
        assert_eq!(end("Fl", &raw[2..]), End::Marked);
        assert_eq!(end("Fl", &raw[..raw.len() - 9]), End::Damaged);
        let mut changed = raw;
        changed[20] ^= 1;
        assert_eq!(end("Fl", &changed), End::Damaged);
        assert_eq!(end("RL", b"\x01ab\x80"), End::Marked);
        assert_eq!(end("A85", b"87cURD]i"), End::Unmarked);
    }
}
