//! The pass over the bytes: where shapes may be, and whether they are.

use std::{ops::Range, sync::LazyLock};

use super::{
    super::placeholders,
    tokens::{SHAPES, Shape},
    views::View,
};

/// A secret that was found in a text by its shape.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::scrub) struct Found {
    /// As the text has it.
    pub(in crate::scrub) written: String,
    /// Without escapes, where it is written with some.
    pub(in crate::scrub) plain: Option<String>,
}

/// All secrets outside placeholders that a text holds, from left to right. What is hidden behind
/// another one, or told by what is left once one is gone, is found when the text is looked at again.
pub(in crate::scrub) fn found(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for gap in gaps(text) {
        let piece = text.get(gap).filter(|piece| piece.len() >= SHORTEST).unwrap_or_default();
        let slice = |range: Range<usize>| piece.get(range).map(str::to_owned);
        let plain = hits(piece.as_bytes()).filter_map(|(range, _)| slice(range));
        found.extend(plain.map(|written| Found { written, plain: None }));
        for view in View::of(piece.as_bytes()) {
            let seen = view.bytes(piece.as_bytes());
            found.extend(hits(&seen).filter_map(|(range, _)| {
                let written = slice(view.source(piece.as_bytes(), &range))?;
                let plain = String::from_utf8(seen.get(range)?.to_vec()).ok();
                Some(Found { plain: plain.filter(|plain| *plain != written), written })
            }));
        }
    }
    found
}

/// The name of the first shape in bytes that may be no text at all.
pub(in crate::scrub) fn first(bytes: &[u8]) -> Option<&'static str> {
    // A run of bytes that is no UTF-8 ends a secret as a blank does.
    let mut texts = bytes.utf8_chunks().map(|chunk| chunk.valid());
    texts.find_map(|text| {
        // Shorter than any secret; a picture falls into millions of such pieces.
        if text.len() < SHORTEST {
            return None;
        }
        gaps(text).find_map(|gap| {
            let piece = text.get(gap).unwrap_or_default().as_bytes();
            let mut views = View::of(piece);
            hits(piece)
                .next()
                .map(|(_, shape)| shape)
                .or_else(|| views.find_map(|view| Some(hits(&view.bytes(piece)).next()?.1)))
        })
    })
}

const SHORTEST: usize = 8;

/// What lies between the placeholders of a text.
fn gaps(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut taken = placeholders(text).map(|(range, _)| range);
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let next = taken.next();
        start = next.as_ref().map(|range| range.end);
        Some(from..next.map_or(text.len(), |range| range.start))
    })
}

/// Where secrets are, without overlap, and the names of their shapes.
fn hits(bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let mut from = 0;
    let mut floor = 0;
    std::iter::from_fn(move || {
        loop {
            let (at, mut groups) = candidate(bytes, from)?;
            from = at + 1;
            let next_group = || {
                let group = BEGINNINGS.groups.get(groups.trailing_zeros() as usize)?;
                groups &= groups - 1;
                Some(group)
            };
            let mut hits = std::iter::from_fn(next_group)
                .flatten()
                .filter_map(|shape| Some((shape.secret(bytes, at)?, shape.name)));
            let Some((range, name)) = hits.find(|(range, _)| range.start >= floor) else {
                continue;
            };
            floor = range.end;
            from = from.max(range.end);
            return Some((range, name));
        }
    })
}

/// The next place from which on the first bytes may be those of a shape, and which groups of shapes.
fn candidate(bytes: &[u8], from: usize) -> Option<(usize, u128)> {
    let [first, second, third] = &*BEGINNINGS.tables;
    let of = |table: &[u128; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or(0);
    let rest = bytes.get(from..)?;
    rest.windows(3).enumerate().find_map(|(offset, window)| {
        let &[a, b, c] = window else { return None };
        let groups = of(first, a) & of(second, b) & of(third, c);
        (groups != 0).then_some((from + offset, groups))
    })
}

/// Shapes in groups that begin with the same three bytes. For each of these places a table tells which
/// groups have a byte there, a bit for each: three look-ups and two `and`s leave nearly nothing to look
/// at closely.
struct Beginnings {
    tables: Box<[[u128; 256]; 3]>,
    groups: Vec<Vec<&'static Shape>>,
}

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| {
    let mut groups: Vec<Vec<&Shape>> = Vec::new();
    for shape in SHAPES {
        let alike = |group: &&mut Vec<&Shape>| {
            group.first().is_some_and(|first| first.beginning() == shape.beginning())
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(shape),
            None => groups.push(vec![shape]),
        }
    }
    let mut tables = Box::new([[0; 256]; 3]);
    for (index, group) in groups.iter().enumerate() {
        for (place, table) in tables.iter_mut().enumerate() {
            for (byte, entry) in (0..=u8::MAX).zip(table.iter_mut()) {
                if group.first().is_some_and(|shape| shape.may_have(place, byte)) {
                    *entry |= 1 << index;
                }
            }
        }
    }
    Beginnings { tables, groups }
});

impl Shape {
    fn beginning(&self) -> (bool, &[u8]) {
        let mark = self.mark.as_bytes();
        (self.any_case, mark.get(..3).unwrap_or(mark))
    }

    fn may_have(&self, place: usize, byte: u8) -> bool {
        let Some(mark) = self.mark.as_bytes().get(place) else { return true };
        if self.any_case { mark.eq_ignore_ascii_case(&byte) } else { *mark == byte }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_bit_for_each_group() {
        assert!(BEGINNINGS.groups.len() <= 128, "{}", BEGINNINGS.groups.len());
    }
}
