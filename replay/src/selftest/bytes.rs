//! Changes to a text or to bytes.

/// A text with a byte of its first, middle and last line altered, with a line less and a line more,
/// and with or without the newline at its end, each with what was done.
pub(super) fn of_text(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let middle = lines.len() / 2;
    let (before, from) = lines.split_at(middle);
    let mut edits = Vec::new();
    for (what, number) in
        named(["first line altered", "middle line altered", "last line altered"], lines.len())
    {
        let begins: usize = lines.iter().take(number).map(|line| line.len()).sum();
        let inside = lines.get(number).map_or(0, |line| line.len() / 2);
        edits.push((what, altered(text, begins + inside)));
    }
    let around = |with: &[u8], after: &[&[u8]]| [&before.concat(), with, &after.concat()].concat();
    if let Some((_, after)) = from.split_first() {
        edits.push(("line removed", around(b"", after)));
    }
    edits.push(("line added", around(b"added\n", from)));
    edits.push(match text.strip_suffix(b"\n") {
        Some(without) => ("newline at the end removed", without.to_vec()),
        None => ("newline at the end added", [text, b"\n"].concat()),
    });
    edits
}

/// Bytes with the first, the middle and the last of them altered, and without the last.
pub(super) fn of_bytes(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let names = ["first byte altered", "middle byte altered", "last byte altered"];
    let altered = |(what, place)| (what, altered(bytes, place));
    let mut edits: Vec<_> = named(names, bytes.len()).map(altered).collect();
    if let Some((_, truncated)) = bytes.split_last() {
        edits.push(("truncated", truncated.to_vec()));
    }
    edits
}

/// First, middle and last of so many, each place once.
fn named(names: [&'static str; 3], count: usize) -> impl Iterator<Item = (&'static str, usize)> {
    let last = count.checked_sub(1);
    let places = [
        last.map(|_| 0),
        last.filter(|last| *last > 1).map(|_| count / 2),
        last.filter(|last| *last > 0),
    ];
    names.into_iter().zip(places).filter_map(|(name, place)| Some((name, place?)))
}

fn altered(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1;
    }
    bytes
}
