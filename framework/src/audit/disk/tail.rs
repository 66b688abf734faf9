//! [`Tail`]: where the log ends.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{commit::Appended, file_system::FileSystem, identity::Watched, place};
use crate::audit::{MAX_LINE_BYTES, Obstacle, RunsFile, chain::Head};

/// Most records lie in the first window.
const FIRST_WINDOW_BYTES: u64 = 8 * 1024;
const WINDOW_BYTES: u64 = 64 * 1024;

/// How long the end of the log may be looked for, while others wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience(Option<Instant>);

impl Patience {
    /// What is read whatever the time: more than a killed process leaves.
    const FREE_BYTES: u64 = 1024 * 1024;

    pub(super) fn until(deadline: Instant) -> Self {
        Self(Some(deadline))
    }

    fn lasts(self, bytes_read: u64) -> bool {
        bytes_read <= Self::FREE_BYTES || self.0.is_none_or(|until| Instant::now() < until)
    }
}

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
        patience: Patience,
        file_system: &dyn FileSystem,
    ) -> io::Result<Option<Self>> {
        let mut files = RunsFile::list(audit)?;
        let Some(newest) = files.pop() else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true);
        let handle = place::open(audit, &newest.path(audit), options, file_system)?;
        let mut tail = Self::of(audit, newest, handle, files.last(), look_apart)?;
        let last = LastRecord::find(&tail.appended.file, patience, &in_audit(&tail.file))?;
        (tail.length, tail.torn) = (last.length, last.torn);
        // A file that holds no whole record says only half of it, or nothing if it is empty.
        let mut has_record = last.record.is_some();
        let mut behind = Vec::new();
        while !has_record && let Some(older) = files.pop() {
            let file = place::read(audit, &older.path(audit))?;
            let last = LastRecord::find(&file, patience, &in_audit(&older))?;
            has_record = last.record.is_some();
            behind.push((last, older));
        }
        tail.head = Head::default();
        for (last, older) in behind.iter().rev() {
            let file = place::read(audit, &older.path(audit))?;
            tail.head = last.head(&file, tail.head, patience, &in_audit(older))?;
        }
        tail.head = last.head(&tail.appended.file, tail.head, patience, &in_audit(&tail.file))?;
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
        let handle = place::open(audit, &file.path(audit), options, file_system)?;
        let tail = Self::of(audit, file, handle, before.map(|before| &before.file), look_apart)?;
        Ok(Self { head: before.map(|before| before.head).unwrap_or_default(), ..tail })
    }

    /// The file's length, or `None` if it is no longer where others look for it.
    pub(super) fn length_in_place(&self) -> io::Result<Option<u64>> {
        self.watched.length(&self.appended.file)
    }

    /// Looks at the end of the same file again; whether that told all there is to know.
    pub(super) fn read_again(&mut self, patience: Patience) -> io::Result<bool> {
        let (file, name) = (&self.appended.file, in_audit(&self.file));
        let last = LastRecord::find(file, patience, &name)?;
        if last.record.is_none() {
            return Ok(false);
        }
        self.head = last.head(file, Head::default(), patience, &name)?;
        (self.length, self.torn) = (last.length, last.torn);
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

fn in_audit(file: &RunsFile) -> String {
    format!("runs/{file}")
}

/// What the end of one file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    length: u64,
    torn: bool,
    /// The last whole record and its line's hash.
    pub(super) record: Option<Head>,
    /// Of the lines behind it, in their order.
    behind: Vec<[u8; 32]>,
}

impl End {
    /// What the next record is chained to, where that was so before this file.
    pub(super) fn head(&self, before: Head) -> Head {
        let head = self.record.unwrap_or(before);
        self.behind.iter().fold(head, |head, line| head.behind(*line))
    }

    pub(super) fn read(file: &File) -> io::Result<Self> {
        let last = LastRecord::find(file, Patience::default(), "")?;
        let mut behind = Vec::new();
        last.each_line_behind(file, Patience::default(), "", |line| behind.push(line))?;
        let LastRecord { length, torn, record, .. } = last;
        Ok(Self { length, torn, record, behind })
    }
}

/// Where the last whole record of a file lies. What is behind it may be long, and is read in pieces.
#[derive(Debug)]
struct LastRecord {
    length: u64,
    torn: bool,
    record: Option<Head>,
    /// Where the line behind it begins.
    behind: u64,
}

/// A line counts as a whole record when it is whole JSON with a place in the log, even if its
/// newline is missing: once the next appender has added that, nobody could tell.
#[derive(Deserialize)]
struct Place {
    seq: u64,
}

impl LastRecord {
    /// Reads backwards, each byte once, but for lines that lie across two windows.
    fn find(file: &File, patience: Patience, name: &str) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut last = Self { length, torn: false, record: None, behind: 0 };
        let mut window = Vec::new();
        if length == 0 {
            return Ok(last);
        }
        read_range(file, length - 1, length, &mut window)?;
        last.torn = window != b"\n";

        let mut line_end = if last.torn { length } else { length - 1 };
        let (mut at, mut wanted) = (line_end, FIRST_WINDOW_BYTES);
        while at > 0 {
            if !patience.lasts(length - at) {
                return Err(Obstacle::Torn { name: name.to_owned() }.into());
            }
            let start = at.saturating_sub(wanted);
            read_range(file, start, at, &mut window)?;
            let mut rest = window.as_slice();
            // A search for one byte in all of it is quick, and a torn tail has none.
            while rest.contains(&b'\n')
                && let Some(newline) = rest.iter().rposition(|byte| *byte == b'\n')
            {
                let newline_at = start + count(newline);
                let whole = window.get(newline + 1..).filter(|_| line_end <= at);
                let line = whole.and_then(|line| split_at(line, line_end - newline_at - 1));
                if last.is_record(file, newline_at + 1, line_end, line)? {
                    return Ok(last);
                }
                line_end = newline_at;
                rest = rest.get(..newline).unwrap_or_default();
            }
            (at, wanted) = (start, WINDOW_BYTES);
        }
        last.is_record(file, 0, line_end, None)?;
        Ok(last)
    }

    /// Whether a line is a record, which this then speaks of. `line` is what it holds, where that
    /// was read already.
    fn is_record(
        &mut self,
        file: &File,
        start: u64,
        end: u64,
        line: Option<&[u8]>,
    ) -> io::Result<bool> {
        if end - start > count(MAX_LINE_BYTES) {
            return Ok(false);
        }
        let mut read = Vec::new();
        let line = match line {
            Some(line) => line,
            None => {
                read_range(file, start, end, &mut read)?;
                &read
            }
        };
        let Ok(Place { seq }) = serde_json::from_slice(line) else { return Ok(false) };
        self.record = Some(Head { seq, sha256: Sha256::digest(line).into() });
        self.behind = end + 1;
        Ok(true)
    }

    /// What the next record is chained to, where that was so before this file.
    fn head(&self, file: &File, before: Head, patience: Patience, name: &str) -> io::Result<Head> {
        let mut head = self.record.unwrap_or(before);
        self.each_line_behind(file, patience, name, |line| head = head.behind(line))?;
        Ok(head)
    }

    /// Calls `each` with the hashes of the lines behind the record.
    fn each_line_behind(
        &self,
        file: &File,
        patience: Patience,
        name: &str,
        mut each: impl FnMut([u8; 32]),
    ) -> io::Result<()> {
        if self.behind >= self.length {
            return Ok(());
        }
        let end = if self.torn { self.length } else { self.length - 1 };
        let (mut at, mut window, mut sha256) = (self.behind, Vec::new(), Sha256::new());
        while at < end {
            if !patience.lasts(at - self.behind) {
                return Err(Obstacle::Torn { name: name.to_owned() }.into());
            }
            let until = end.min(at.saturating_add(WINDOW_BYTES));
            read_range(file, at, until, &mut window)?;
            let mut rest = window.as_slice();
            while rest.contains(&b'\n')
                && let Some(newline) = rest.iter().position(|byte| *byte == b'\n')
            {
                sha256.update(rest.get(..newline).unwrap_or_default());
                each(sha256.finalize_reset().into());
                rest = rest.get(newline + 1..).unwrap_or_default();
            }
            sha256.update(rest);
            at = until;
        }
        each(sha256.finalize().into());
        Ok(())
    }
}

fn read_range(mut file: &File, start: u64, end: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    file.seek(SeekFrom::Start(start))?;
    let read = file.take(end - start).read_to_end(bytes)?;
    if count(read) < end - start {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn split_at(line: &[u8], length: u64) -> Option<&[u8]> {
    line.get(..usize::try_from(length).ok()?)
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
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
        let behind = hashes.collect();
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

    #[test]
    fn a_tail_of_many_windows_is_told_line_by_line() {
        let long = "y".repeat(MAX_LINE_BYTES + 1);
        let short = "z".repeat(100);
        let record = format!("{{\"seq\":8,\"text\":\"{}\"}}", "x".repeat(100_000));
        let lines: Vec<&[u8]> = [&*record, &long, "", &short, &long, "", ""]
            .iter()
            .map(|line| line.as_bytes())
            .collect();
        let mut text = b"{\"seq\":7}\n".to_vec();
        text.extend(lines.join(&b'\n'));
        check(&[&*text, b"\n"].concat(), false, Some(8), &lines);
        // No more than a line may have counts as one.
        let too_long = format!("{{\"seq\":9,\"text\":\"{}\"}}", "x".repeat(MAX_LINE_BYTES));
        let text = format!("{{\"seq\":7}}\n{too_long}\n");
        check(text.as_bytes(), false, Some(7), &[b"{\"seq\":7}", too_long.as_bytes()]);
    }

    #[test]
    fn a_tail_is_read_for_no_longer_than_others_wait() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        let over = Patience::until(Instant::now());
        file.set_len(Patience::FREE_BYTES).unwrap();
        let last = LastRecord::find(&file, over, "name").unwrap();
        last.head(&file, Head::default(), over, "name").unwrap();
        file.set_len(1 << 40).unwrap();
        let error = LastRecord::find(&file, over, "name").unwrap_err();
        assert!(error.to_string().contains("`name`"), "{error}");
    }
}
