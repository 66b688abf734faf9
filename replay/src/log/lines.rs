//! [`Lines`]: one file of a log, line by line.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek as _, SeekFrom},
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use jsonl::ReadError;
use serde_json::value::RawValue;
use tapeline::audit::{MAX_LINE_BYTES, Record, open_regular};

use super::{
    error::{LogError, LogErrorKind},
    reverse::newlines_before,
    torn::Torn,
};

/// A line that is JSON.
#[derive(Debug)]
pub(crate) struct Line {
    source: Arc<Source>,
    number: u64,
    /// With a newline.
    ends: bool,
    pub(super) json: Box<RawValue>,
}

impl Line {
    /// The record that it is.
    ///
    /// # Errors
    /// It is none, or one of another version.
    pub(crate) fn record(self) -> Result<Record, LogError> {
        let kind = match serde_json::from_str::<Record>(self.json.get()) {
            Ok(record) if record.v == Record::VERSION => return Ok(record),
            Ok(record) => LogErrorKind::Version { v: record.v },
            // What is left of a line can be JSON: a record may be whole but for its newline, and a
            // number may be the beginning of another.
            Err(_) if !self.ends => LogErrorKind::Torn,
            Err(error) => LogErrorKind::Json(error),
        };
        Err(self.source.error(self.number, kind))
    }
}

/// A file, and where reading began in it.
#[derive(Debug)]
struct Source {
    file: PathBuf,
    offset: u64,
    /// Lines before that, counted once a number is needed.
    before: OnceLock<u64>,
}

impl Source {
    /// What is wrong with the line of that number from where reading began.
    fn error(&self, number: u64, kind: LogErrorKind) -> LogError {
        let count = || newlines_before(&self.file, self.offset).unwrap_or(0);
        let before = *self.before.get_or_init(count);
        LogError { file: self.file.clone(), line: Some(before + number), kind }
    }
}

/// The lines of one file.
///
/// `jsonl` takes any text for a line, however long, and says nothing of how it ended. So it reads
/// through a bound, and beside it [`Newline`] notes what it cannot tell: whether the bound or a
/// newline ended the line, and what it was, which tells a torn one. Passing over the rest of a line
/// that is too long is not its business either.
pub(super) struct Lines {
    source: Arc<Source>,
    number: u64,
    reader: Option<Newline>,
    failed: Option<io::Error>,
}

impl Lines {
    pub(super) fn open(file: PathBuf) -> Self {
        Self::open_from(file, 0)
    }

    /// From a line's beginning in the middle of the file.
    pub(super) fn open_from(file: PathBuf, offset: u64) -> Self {
        let opened = open_regular(&file).and_then(|mut opened| {
            opened.seek(SeekFrom::Start(offset))?;
            Ok(opened)
        });
        let (reader, failed) = match opened {
            Ok(opened) => (Some(Newline::new(opened)), None),
            Err(error) => (None, Some(error)),
        };
        let source = Arc::new(Source { file, offset, before: OnceLock::new() });
        Self { source, number: 0, reader, failed }
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.reader.as_ref().map_or(0, |reader| reader.bytes)
    }

    fn next_json(reader: &mut Newline) -> Option<Result<Box<RawValue>, LogErrorKind>> {
        let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        reader.begin();
        let mut bounded = reader.take(limit);
        let read = jsonl::read(&mut bounded);
        let is_bound_reached = bounded.limit() == 0;
        let kind = match read {
            Err(ReadError::Eof) => return None,
            Err(ReadError::Io(error)) if error.kind() != io::ErrorKind::InvalidData => {
                LogErrorKind::Io(error)
            }
            _ if is_bound_reached && !reader.is_last => match reader.skip_until(b'\n') {
                Ok(_) if reader.is_torn() => LogErrorKind::Torn,
                Ok(_) => LogErrorKind::TooLong,
                Err(error) => LogErrorKind::Io(error),
            },
            Ok(json) => return Some(Ok(json)),
            Err(_) if !reader.is_last || reader.is_torn() => LogErrorKind::Torn,
            Err(ReadError::Io(_)) => LogErrorKind::NotUtf8,
            Err(ReadError::Deserialize(error)) => LogErrorKind::Json(error),
        };
        Some(Err(kind))
    }
}

impl Iterator for Lines {
    type Item = Result<Line, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(LogError::at(&self.source.file, LogErrorKind::Io(error))));
        }
        let reader = self.reader.as_mut()?;
        let json = Self::next_json(reader)?;
        let ends = reader.is_last;
        self.number += 1;
        if matches!(json, Err(LogErrorKind::Io(_))) {
            self.reader = None;
        }
        let number = self.number;
        Some(match json {
            Ok(json) => Ok(Line { source: self.source.clone(), number, ends, json }),
            Err(kind) => Err(self.source.error(number, kind)),
        })
    }
}

/// A reader that knows whether the last byte it gave was a newline, and what the line was.
struct Newline {
    reader: BufReader<File>,
    is_last: bool,
    /// As much of the line as a record may have.
    line: Vec<u8>,
    /// What is behind that are zero bytes.
    is_rest_zero: bool,
    /// Given so far.
    bytes: u64,
}

impl Newline {
    fn new(file: File) -> Self {
        let reader = BufReader::new(file);
        Self { reader, is_last: false, line: Vec::new(), is_rest_zero: true, bytes: 0 }
    }

    fn begin(&mut self) {
        self.line.clear();
        self.is_rest_zero = true;
    }

    fn is_torn(&self) -> bool {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let is_whole = line.len() <= MAX_LINE_BYTES || line.last() == Some(&0);
        is_whole && self.is_rest_zero && Torn::of(line).is_some()
    }
}

impl Read for Newline {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Newline {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(last) = amount.checked_sub(1) {
            let bytes = self.reader.buffer().get(..amount).unwrap_or_default();
            self.is_last = bytes.get(last) == Some(&b'\n');
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.len());
            let (kept, rest) = bytes.split_at(room.min(bytes.len()));
            self.line.extend_from_slice(kept);
            let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
            self.is_rest_zero = self.is_rest_zero && rest.iter().all(|byte| *byte == 0);
        }
        self.bytes += u64::try_from(amount).unwrap_or(u64::MAX);
        self.reader.consume(amount);
    }
}
