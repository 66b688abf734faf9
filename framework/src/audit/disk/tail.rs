//! [`Tail`]: where the log ends.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{commit::Appended, file_system::FileSystem, identity::Watched};
use crate::audit::{RunsFile, chain::Head};

/// Most records lie in the first window; it grows until one is found.
const WINDOW_BYTES: u64 = 8 * 1024;

/// The newest file of the log and what the next record is chained to.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) file: RunsFile,
    pub(super) appended: Arc<Appended>,
    watched: Watched,
    pub(super) length: u64,
    /// The last line has no newline.
    pub(super) torn: bool,
    pub(super) head: Head,
}

impl Tail {
    /// Looks at the files there are; `None` where there are none.
    pub(super) fn find(
        audit: &Path,
        look_apart: Duration,
        file_system: &dyn FileSystem,
    ) -> io::Result<Option<Self>> {
        let mut files = RunsFile::list(audit)?;
        let Some(newest) = files.pop() else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        let handle = file_system.open(&newest.path(audit), options.read(true).append(true))?;
        let mut tail = Self::of(audit, newest, handle, files.last(), look_apart)?;
        let mut ends = vec![End::read(&tail.appended.file)?];
        if let Some(end) = ends.first() {
            (tail.length, tail.torn) = (end.length, end.torn);
        }
        // A file that holds no whole record says only half of it, or nothing if it is empty.
        while ends.last().is_some_and(|end| end.record.is_none())
            && let Some(older) = files.pop()
        {
            ends.push(End::read(&File::open(older.path(audit))?)?);
        }
        tail.head = ends.iter().rev().fold(Head::default(), |before, end| end.head(before));
        Ok(Some(tail))
    }

    /// A new, empty file behind the one where the log ended so far.
    pub(super) fn create(
        audit: &Path,
        file: RunsFile,
        before: Option<&Self>,
        look_apart: Duration,
        file_system: &dyn FileSystem,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create_new(true);
        let handle = file_system.open(&file.path(audit), options)?;
        let tail = Self::of(audit, file, handle, before.map(|before| &before.file), look_apart)?;
        Ok(Self { head: before.map(|before| before.head).unwrap_or_default(), ..tail })
    }

    /// The file's length, or `None` if it is no longer where others look for it.
    pub(super) fn length_in_place(&self) -> io::Result<Option<u64>> {
        self.watched.length(&self.appended.file)
    }

    /// Looks at the end of the same file again; whether that told all there is to know.
    pub(super) fn read_again(&mut self) -> io::Result<bool> {
        let end = End::read(&self.appended.file)?;
        if end.record.is_none() {
            return Ok(false);
        }
        (self.length, self.torn, self.head) = (end.length, end.torn, end.head(Head::default()));
        Ok(true)
    }

    fn of(
        audit: &Path,
        file: RunsFile,
        handle: File,
        before: Option<&RunsFile>,
        look_apart: Duration,
    ) -> io::Result<Self> {
        let path = file.path(audit);
        let watched = Watched::new(path.clone(), &handle, look_apart)?;
        let appended = Appended::new(path, handle, before.map(|before| before.path(audit)));
        Ok(Self { file, appended, watched, length: 0, torn: false, head: Head::default() })
    }
}

/// What the end of one file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    length: u64,
    torn: bool,
    /// The last whole record and its line's hash.
    pub(super) record: Option<Head>,
    /// Of the lines behind it, the last one first.
    behind: Vec<[u8; 32]>,
}

/// A line counts as a whole record when it is whole JSON with a place in the log, even if its
/// newline is missing: once the next appender has added that, nobody could tell.
#[derive(Deserialize)]
struct Place {
    seq: u64,
}

impl End {
    /// What the next record is chained to, where that was so before this file.
    pub(super) fn head(&self, before: Head) -> Head {
        let head = self.record.unwrap_or(before);
        self.behind.iter().rev().fold(head, |head, line| head.behind(*line))
    }

    pub(super) fn read(mut file: &File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut end = Self { length, torn: false, record: None, behind: Vec::new() };
        let mut window = Vec::new();
        let mut wanted = WINDOW_BYTES;
        if length == 0 {
            return Ok(end);
        }
        loop {
            let start = length.saturating_sub(wanted);
            window.clear();
            file.seek(SeekFrom::Start(start))?;
            file.take(length - start).read_to_end(&mut window)?;

            let lines = window.strip_suffix(b"\n");
            end.torn = lines.is_none();
            let mut lines = lines.unwrap_or(&window).rsplit(|byte| *byte == b'\n').peekable();
            end.behind.clear();
            while let Some(line) = lines.next() {
                let is_cut = start > 0 && lines.peek().is_none();
                if is_cut {
                    break;
                }
                let sha256 = Sha256::digest(line).into();
                if let Ok(Place { seq }) = serde_json::from_slice(line) {
                    end.record = Some(Head { seq, sha256 });
                    return Ok(end);
                }
                end.behind.push(sha256);
            }
            if start == 0 {
                return Ok(end);
            }
            wanted = wanted.saturating_mul(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(text: &[u8], torn: bool, seq: Option<u64>, lines: &[&[u8]]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, text).unwrap();
        let mut hashes = lines.iter().map(|line| Sha256::digest(line).into());
        let record = seq.map(|seq| Head { seq, sha256: hashes.next().unwrap() });
        let mut behind: Vec<_> = hashes.collect();
        behind.reverse();
        let expected = End { length: text.len() as u64, torn, record, behind };
        assert_eq!(End::read(&File::open(&path).unwrap()).unwrap(), expected);
    }

    #[test]
    fn the_end_of_a_file_is_its_last_record_and_what_lies_behind() {
        check(b"", false, None, &[]);
        check(b"{\"seq\":7}\n", false, Some(7), &[b"{\"seq\":7}"]);
        check(b"{\"seq\":7}\n{\"seq\":8", true, Some(7), &[b"{\"seq\":7}", b"{\"seq\":8"]);
        check(b"{\"seq\":7}\n{\"seq\":8}", true, Some(8), &[b"{\"seq\":8}"]);
        let lines: [&[u8]; 3] = [b"{\"seq\":7}", b"{\"seq\"", b"\xff"];
        check(b"{\"seq\":7}\n{\"seq\"\n\xff\n", false, Some(7), &lines);
        check(b"\n", false, None, &[b""]);
    }

    #[test]
    fn a_line_longer_than_the_window_is_read_whole() {
        let long = format!("{{\"text\":\"{}\",\"seq\":9}}", "x".repeat(200_000));
        check(format!("{{\"seq\":8}}\n{long}\n").as_bytes(), false, Some(9), &[long.as_bytes()]);
        let torn = "y".repeat(200_000);
        check(
            format!("{{\"seq\":8}}\n{torn}").as_bytes(),
            true,
            Some(8),
            &[b"{\"seq\":8}", torn.as_bytes()],
        );

        // What the first window holds of this line would be a record if it were all of it.
        let end_of_line = format!("{{\"seq\":9,\"text\":\"{}\"}}", "z".repeat(8192 - 19));
        let torn = format!("{{\"a\":{end_of_line}");
        check(
            format!("{{\"seq\":8}}\n{torn}").as_bytes(),
            true,
            Some(8),
            &[b"{\"seq\":8}", torn.as_bytes()],
        );
    }
}
