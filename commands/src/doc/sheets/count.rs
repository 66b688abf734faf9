//! [`cells`]: how many cells a sheet has, by no more than the beginnings of their tags.
//!
//! Reading a cell takes twenty times as long: a sheet with more cells than are read is refused
//! before the first of them is. Tags with a prefix are not seen; the reader counts again.

use std::io::Read;

use memchr::memmem;

use super::{super::block::Stop, Watch, limits};

/// Bytes between two questions whether to go on.
const CHUNK: usize = 1 << 20;

/// Stops past [`limits::MAX_CELLS`]; what cannot be unpacked is left to the reader.
pub(super) fn cells(mut sheet: impl Read, watch: &mut dyn Watch) -> Result<u64, Stop> {
    let finder = memmem::Finder::new(b"<c");
    let mut buffer = Vec::with_capacity(CHUNK + 2);
    let (mut count, mut read) = (0, 0);
    loop {
        // A tag may begin in one chunk and end in the next.
        let kept = buffer.len();
        let taken = sheet.by_ref().take(CHUNK as u64).read_to_end(&mut buffer);
        let grown = (buffer.len() - kept) as u64;
        let is_tag = |at: &usize| {
            matches!(buffer.get(at + 2), Some(b' ' | b'>' | b'/' | b'\t' | b'\r' | b'\n'))
        };
        count += finder.find_iter(&buffer).filter(is_tag).count() as u64;
        read += grown;
        let is_over = count > limits::MAX_CELLS || read > limits::MAX_SHEET_BYTES;
        if is_over || taken.is_err() || grown == 0 {
            return Ok(count);
        }
        let seen = buffer.len().saturating_sub(2);
        buffer.drain(..seen);
        watch.go_on(read, None)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::warning::Warning;

    struct Never;

    impl Watch for Never {
        fn go_on(&mut self, _: u64, _: Option<u64>) -> Result<(), Stop> {
            Ok(())
        }

        fn warn(&mut self, _: Warning) {}
    }

    #[test]
    fn counts_tags_of_cells_across_chunks() {
        for lead in CHUNK - 4..CHUNK + 2 {
            let sheet = format!("{}<c><c/><c r='A1'><col><cols><v>", " ".repeat(lead));
            assert_eq!(cells(sheet.as_bytes(), &mut Never).unwrap(), 3, "{lead}");
        }
    }
}
