//! [`Backwards`]: reading a file of a log from its end, so that its length does not matter.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use tapeline::audit::{MAX_LINE_BYTES, open_regular};

use super::torn::Torn;

/// What is read at once.
const WINDOW_BYTES: u64 = 64 * 1024;

/// The lines of a file, the last one first. Each byte is read once to find where lines begin, and
/// no more than a part of the file is in memory, however long a line is.
pub(super) struct Backwards {
    file: File,
    window: Vec<u8>,
    /// Where the window begins in the file.
    start: u64,
    /// Where the next line ends, without its newline; `None` behind the first one.
    end: Option<u64>,
    ends: bool,
}

/// Where a line lies, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: u64,
    /// With a newline.
    pub(super) ends: bool,
}

impl Span {
    /// As a record is.
    pub(super) fn is_short(self) -> bool {
        usize::try_from(self.length).is_ok_and(|length| length <= MAX_LINE_BYTES)
    }
}

impl Backwards {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        let length = file.metadata()?.len();
        let mut lines = Self { file, window: Vec::new(), start: length, end: None, ends: false };
        if length > 0 {
            lines.slide()?;
            // The newline at the very end ends the last line and begins none.
            lines.ends = lines.window.pop_if(|last| *last == b'\n').is_some();
            lines.end = Some(length - u64::from(lines.ends));
        }
        Ok(lines)
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Span>> {
        let Some(end) = self.end else { return Ok(None) };
        let ends = std::mem::replace(&mut self.ends, true);
        loop {
            if let Some(at) = self.window.iter().rposition(|byte| *byte == b'\n') {
                self.window.truncate(at);
                let newline = self.start + u64::try_from(at).unwrap_or(u64::MAX);
                self.end = Some(newline);
                let offset = newline + 1;
                return Ok(Some(Span { offset, length: end.saturating_sub(offset), ends }));
            }
            if self.start == 0 {
                self.end = None;
                return Ok(Some(Span { offset: 0, length: end, ends }));
            }
            self.slide()?;
        }
    }

    /// The bytes of a line, or `None` where it is longer than any record.
    pub(super) fn read(&mut self, span: Span, into: &mut Vec<u8>) -> io::Result<Option<()>> {
        into.clear();
        if !span.is_short() {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(span.offset))?;
        self.file.by_ref().take(span.length).read_to_end(into)?;
        Ok(Some(()))
    }

    /// Whether the line is what a write left that did not come to its end, however long.
    pub(super) fn is_torn(&mut self, span: Span, bytes: &mut Vec<u8>) -> io::Result<bool> {
        bytes.clear();
        self.file.seek(SeekFrom::Start(span.offset))?;
        let longest = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
        let mut rest = self.file.by_ref().take(span.length);
        rest.by_ref().take(longest).read_to_end(bytes)?;
        if Torn::of(bytes).is_none() {
            return Ok(false);
        }
        // Behind the longest record there can be zero bytes alone, and all of them.
        let mut is_zero = rest.limit() == 0 || bytes.last() == Some(&0);
        let mut chunk = vec![0; 64 * 1024];
        while is_zero {
            let read = rest.read(&mut chunk)?;
            match chunk.get(..read) {
                Some([]) | None => break,
                Some(bytes) => is_zero = bytes.iter().all(|byte| *byte == 0),
            }
        }
        Ok(is_zero)
    }

    /// The window before this one.
    fn slide(&mut self) -> io::Result<()> {
        let end = self.start;
        self.start = end.saturating_sub(WINDOW_BYTES);
        self.window.clear();
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.by_ref().take(end - self.start).read_to_end(&mut self.window)?;
        Ok(())
    }
}

/// How many lines end before that place.
pub(super) fn newlines_before(path: &Path, offset: u64) -> io::Result<u64> {
    let mut file = open_regular(path)?.take(offset);
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

    /// All lines, the last first; those that are too long as their length.
    fn check(text: &str, expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, text).unwrap();
        let mut lines = Backwards::open(&path).unwrap();
        let mut found = Vec::new();
        let mut bytes = Vec::new();
        while let Some(span) = lines.next().unwrap() {
            let is_read = lines.read(span, &mut bytes).unwrap().is_some();
            found.push(match is_read {
                true => String::from_utf8(bytes.clone()).unwrap(),
                false => span.length.to_string(),
            });
            let before = text.split_at(usize::try_from(span.offset).unwrap()).0;
            let before = before.lines().count() as u64;
            assert_eq!(newlines_before(&path, span.offset).unwrap(), before);
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_come_from_the_end_and_one_that_is_too_long_is_not_read() {
        check("", &[]);
        check("\n", &[""]);
        check("a", &["a"]);
        check("a\nb\nc\n", &["c", "b", "a"]);
        check("a\nb\nc", &["c", "b", "a"]);
        check("a\n\nc\n", &["c", "", "a"]);
        let long = "x".repeat(200_000);
        check(&format!("a\n{long}\nb\n"), &["b", &long, "a"]);
        let too_long = "x".repeat(300_000);
        check(&format!("a\n{too_long}\nb\n"), &["b", "300000", "a"]);
        for length in [65_534, 65_535, 65_536, 65_537] {
            let line = "y".repeat(length);
            check(&format!("{line}\n{line}\n"), &[&line, &line]);
        }
    }
}
