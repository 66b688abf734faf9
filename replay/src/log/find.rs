//! [`Log::find`]: one run, without reading the whole log.
//!
//! A run's id begins with the millisecond it started in, and lines are in the order in which runs
//! ended. So a run is looked for among the lines of its time, first; what stands elsewhere (a run
//! that was closed as interrupted days later, a clock that was set back) is found by reading
//! everything.

use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom};

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tapeline::audit::{Record, RunsFile, open_regular};

use super::{
    error::{LogError, LogErrorKind},
    lines::{Line, Lines},
    records::Log,
};

/// As many characters of a run id as still tell runs apart that began minutes from each other.
pub(super) const MIN_PREFIX: usize = 8;

/// From a run's start to its record: the longest run is 600 s and waits 120 s for an approval; the
/// rest is for queues and sleeping machines.
const LONGEST_RUN: SignedDuration = SignedDuration::from_mins(30);

/// A part of a file this long is read rather than halved.
const HALVE_BYTES: u64 = 64 * 1024;

impl Log {
    /// The record of a run, by its id or a beginning of it that no other run has, at least 8
    /// characters. Lines that are no records are passed over.
    ///
    /// A beginning is held against the other runs of that time.
    ///
    /// # Errors
    /// The beginning is shorter or fits several runs, a file cannot be read, or the record is of a
    /// version that this build does not read.
    pub fn find(&self, run_id: &str) -> Result<Option<Record>, LogError> {
        if run_id.chars().count() < MIN_PREFIX {
            return Err(LogError::at(
                self.dir(),
                LogErrorKind::ShortPrefix { prefix: run_id.to_owned() },
            ));
        }
        let files = self.files()?;
        if let Some(around) = Around::of(run_id)
            && let Some(line) = self.find_around(run_id, &around, &files)?
        {
            return line.record().map(Some);
        }
        let mut search = Search { log: self, run_id, found: None };
        for line in files.iter().rev().flat_map(|file| Lines::open(file.path(self.dir()))) {
            if search.take(line)? {
                break;
            }
        }
        search.found.map(|(_, line)| line.record()).transpose()
    }

    fn find_around(
        &self,
        run_id: &str,
        around: &Around,
        files: &[RunsFile],
    ) -> Result<Option<Line>, LogError> {
        // A record goes to a file of the day it started on, or of a later one.
        let days = around.first_day.as_str()..=around.last_day();
        let is_near = |file: &&RunsFile| days.contains(&file.day());
        let near: Vec<&RunsFile> = files.iter().filter(is_near).collect();
        // Of several files of a day, those behind the last that begins too early.
        let mut begin = near.len().saturating_sub(1);
        while begin > 0 && !self.begins_before(near.get(begin).copied(), around)? {
            begin -= 1;
        }
        let mut search = Search { log: self, run_id, found: None };
        for file in near.iter().skip(begin) {
            let path = file.path(self.dir());
            let offset = open_regular(&path)
                .and_then(|file| {
                    let length = file.metadata()?.len();
                    first_since(file, length, &around.since)
                })
                .map_err(|error| LogError::at(&path, LogErrorKind::Io(error)))?;
            for line in Lines::open_from(path, offset) {
                let is_later = line.as_ref().is_ok_and(|line| {
                    started(line.json.get().as_bytes()).is_some_and(|at| at > around.until)
                });
                if is_later || search.take(line)? {
                    return Ok(search.found.map(|(_, line)| line));
                }
            }
        }
        Ok(search.found.map(|(_, line)| line))
    }

    fn begins_before(&self, file: Option<&RunsFile>, around: &Around) -> Result<bool, LogError> {
        let Some(file) = file else { return Ok(true) };
        let path = file.path(self.dir());
        let first = open_regular(&path).and_then(|file| next_started(&mut BufReader::new(file)));
        let first = first.map_err(|error| LogError::at(&path, LogErrorKind::Io(error)))?;
        Ok(first.is_some_and(|(_, started)| started < around.since))
    }
}

struct Search<'a> {
    log: &'a Log,
    run_id: &'a str,
    found: Option<(String, Line)>,
}

impl Search<'_> {
    /// Looks at a line; whether its id is the very one.
    fn take(&mut self, line: Result<Line, LogError>) -> Result<bool, LogError> {
        #[derive(Deserialize)]
        struct Named {
            run_id: String,
        }

        let line = match line {
            Ok(line) => line,
            Err(error) if matches!(error.kind, LogErrorKind::Io(_)) => return Err(error),
            Err(_) => return Ok(false),
        };
        // Most lines are other runs: to look for the text costs less than to parse.
        if !line.json.get().contains(self.run_id) {
            return Ok(false);
        }
        let Ok(Named { run_id: name }) = serde_json::from_str(line.json.get()) else {
            return Ok(false);
        };
        if name == self.run_id {
            self.found = Some((name, line));
            return Ok(true);
        }
        if !name.starts_with(self.run_id) {
            return Ok(false);
        }
        if let Some((other, _)) = self.found.replace((name.clone(), line))
            && other != name
        {
            let kind =
                LogErrorKind::Ambiguous { prefix: self.run_id.to_owned(), runs: [other, name] };
            return Err(LogError::at(self.log.dir(), kind));
        }
        Ok(false)
    }
}

/// The time around the start of a run, in the spelling of a record's `timestamp`.
struct Around {
    /// The day it started on, at the earliest.
    first_day: String,
    /// What started before this had ended when the run started.
    since: String,
    /// What started after this did so when the run had ended.
    until: String,
}

impl Around {
    /// `None` where that is no beginning of an id with a time in it.
    fn of(run_id: &str) -> Option<Self> {
        let digits: String = run_id.chars().filter(|digit| *digit != '-').take(12).collect();
        if run_id.starts_with('-')
            || digits.len() < MIN_PREFIX
            || !digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        {
            return None;
        }
        let unknown = u32::try_from(12 - digits.len()).ok()? * 4;
        let first = i64::from_str_radix(&digits, 16).ok()? << unknown;
        let last = first + (1i64 << unknown) - 1;
        let first = Timestamp::from_millisecond(first).ok()?;
        let since = first.checked_sub(LONGEST_RUN).ok()?;
        let until = Timestamp::from_millisecond(last).ok()?.checked_add(LONGEST_RUN).ok()?;
        let spelled = |at: Timestamp| format!("{at:.3}");
        let first_day = spelled(first).get(..10)?.to_owned();
        Some(Self { first_day, since: spelled(since), until: spelled(until) })
    }

    fn last_day(&self) -> &str {
        self.until.get(..10).unwrap_or_default()
    }
}

/// Where to begin so as to miss no run that ended after `since`: behind a line that started before
/// it. Reads some lines, as many as it takes to halve the file down.
fn first_since(file: impl Read + Seek, length: u64, since: &str) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(8 * 1024, file);
    let (mut begin, mut end) = (0, length);
    while end.saturating_sub(begin) > HALVE_BYTES {
        let middle = begin + (end - begin) / 2;
        reader.seek(SeekFrom::Start(middle))?;
        let skipped = u64::try_from(reader.skip_until(b'\n')?).unwrap_or(u64::MAX);
        let next = next_started(&mut reader)?;
        let next = next.map(|(behind, at)| (middle + skipped + behind, at));
        match next {
            Some((behind, at)) if behind < end && at.as_str() < since => begin = behind,
            _ => end = middle,
        }
    }
    Ok(begin)
}

/// When the run of the next line that says so started, and how far behind here that line ends.
fn next_started(reader: &mut BufReader<impl Read>) -> io::Result<Option<(u64, String)>> {
    let mut line = Vec::new();
    let mut behind = 0;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        behind += u64::try_from(read).unwrap_or(u64::MAX);
        if read == 0 {
            return Ok(None);
        }
        if let Some(at) = started(&line) {
            return Ok(Some((behind, at)));
        }
    }
}

fn started(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Started {
        timestamp: String,
    }

    serde_json::from_slice::<Started>(line).ok().map(|started| started.timestamp)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    struct Counting<'a> {
        text: Cursor<&'a [u8]>,
        read: &'a mut u64,
    }

    impl Read for Counting<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let read = self.text.read(into)?;
            *self.read += read as u64;
            Ok(read)
        }
    }

    impl Seek for Counting<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.text.seek(to)
        }
    }

    fn line(second: u64) -> String {
        let at = Timestamp::from_second(1_790_000_000 + i64::try_from(second).unwrap()).unwrap();
        format!("{{\"timestamp\":\"{at:.3}\",\"text\":\"{}\"}}\n", "x".repeat(900))
    }

    #[test]
    fn a_long_file_is_halved_and_not_read() {
        let text: String = (0..20_000).map(line).collect();
        for second in [0, 1, 77, 10_000, 19_999, 30_000] {
            let mut read = 0;
            let since = format!("{:.3}", Timestamp::from_second(1_790_000_000 + second).unwrap());
            let counting = Counting { text: Cursor::new(text.as_bytes()), read: &mut read };
            let offset = first_since(counting, text.len() as u64, &since).unwrap();
            let (before, behind) = text.split_at(usize::try_from(offset).unwrap());
            assert!(before.is_empty() || before.ends_with('\n'));
            assert!(before.lines().all(|line| started(line.as_bytes()).unwrap() < since));
            let skipped =
                behind.lines().take_while(|line| started(line.as_bytes()).unwrap() < since).count();
            assert!(skipped < 80, "{skipped} lines too many");
            assert!(read < 400_000, "{read} of {} bytes were read", text.len());
        }
    }

    #[test]
    fn lines_that_say_no_time_are_passed_over() {
        let torn = "{\"timestamp\":\"2026\n".repeat(40_000);
        let text = [line(1), torn, line(5)].concat();
        let since = format!("{:.3}", Timestamp::from_second(1_790_000_009).unwrap());
        let offset = first_since(Cursor::new(text.as_bytes()), text.len() as u64, &since).unwrap();
        assert!(offset <= text.len() as u64);
        let since = format!("{:.3}", Timestamp::from_second(1_790_000_003).unwrap());
        let offset = first_since(Cursor::new(text.as_bytes()), text.len() as u64, &since).unwrap();
        assert!(offset <= (text.len() - line(5).len()) as u64);
    }

    #[test]
    fn only_an_id_with_a_time_in_it_says_where_to_look() {
        assert!(Around::of("-0000-7000").is_none());
        assert!(Around::of("0193b30x").is_none());
        let around = Around::of("0193b3d0-0000-7000-8000-000000000001").unwrap();
        assert_eq!(around.first_day, "2024-12-11");
        assert!(around.since < around.until);
    }
}
