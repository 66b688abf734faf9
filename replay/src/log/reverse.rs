//! Reading a file of a log from its end, so that its length does not matter.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

/// What is read at once.
const WINDOW_BYTES: u64 = 64 * 1024;

/// Where the last lines of a file begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastLines {
    pub(super) offset: u64,
    /// As many as were asked for, or as there are.
    pub(super) count: usize,
}

/// Finds the last `count` lines; the last of them may be torn.
pub(super) fn last_lines(path: &Path, count: usize) -> io::Result<LastLines> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut found = LastLines { offset: length, count: 0 };
    if length == 0 || count == 0 {
        return Ok(found);
    }
    let mut window = Vec::new();
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(WINDOW_BYTES);
        file.seek(SeekFrom::Start(start))?;
        window.clear();
        file.by_ref().take(end - start).read_to_end(&mut window)?;
        for (at, byte) in window.iter().enumerate().rev() {
            let behind = start + u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
            // The newline at the very end ends the last line and begins none.
            if *byte == b'\n' && behind < length {
                found = LastLines { offset: behind, count: found.count + 1 };
                if found.count == count {
                    return Ok(found);
                }
            }
        }
        end = start;
    }
    Ok(LastLines { offset: 0, count: found.count + 1 })
}

/// How many lines end before that place.
pub(super) fn newlines_before(path: &Path, offset: u64) -> io::Result<u64> {
    let mut file = File::open(path)?.take(offset);
    let mut chunk = vec![0; 64 * 1024];
    let mut newlines = 0;
    loop {
        let read = file.read(&mut chunk)?;
        match chunk.get(..read) {
            Some([]) | None => return Ok(newlines),
            Some(bytes) => {
                newlines += bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(text: &str, wanted: usize, lines: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, text).unwrap();
        let LastLines { offset, count } = last_lines(&path, wanted).unwrap();
        let (before, last) = text.split_at(usize::try_from(offset).unwrap());
        let last: Vec<_> = last.lines().collect();
        assert_eq!((last.as_slice(), count), (lines, lines.len()));
        let before = before.lines().count() as u64;
        assert_eq!(newlines_before(&path, offset).unwrap(), before);
    }

    #[test]
    fn the_last_lines_are_found_from_the_end() {
        check("", 3, &[]);
        check("a\nb\nc\n", 0, &[]);
        check("a\nb\nc\n", 1, &["c"]);
        check("a\nb\nc", 2, &["b", "c"]);
        check("a\n\nc\n", 2, &["", "c"]);
        check("a\nb\n", 5, &["a", "b"]);
        let long = "x".repeat(200_000);
        check(&format!("a\n{long}\nb\n"), 2, &[&long, "b"]);
    }
}
