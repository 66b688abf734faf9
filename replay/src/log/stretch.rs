//! [`Stretch`]: a part of a log, up to where it ended when it was looked at.

use std::{
    io, iter,
    path::{Path, PathBuf},
};

use tapeline::audit::{Record, open_regular};

use super::{
    error::LogError,
    lines::{Line, Lines},
    reverse::Backwards,
};

/// The lines of some files, from one of them on. What is appended while they are read is none of
/// them.
#[derive(Debug)]
pub(crate) struct Stretch {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    from: u64,
    /// `None` where the length cannot be had: nor can the lines then, which says why.
    to: Option<u64>,
}

impl Stretch {
    /// All lines of these files.
    pub(crate) fn all(files: &[PathBuf]) -> Self {
        Self { parts: files.iter().map(|path| Part::from(path, 0)).collect() }
    }

    /// From the last so many lines on that count; fewer where there are no more. Torn lines do not
    /// count. What cannot be read counts as one line.
    pub(crate) fn last(files: &[PathBuf], wanted: usize, counts: &dyn Fn(&[u8]) -> bool) -> Self {
        let mut parts = Vec::new();
        let mut missing = wanted;
        for path in files.iter().rev() {
            if missing == 0 {
                break;
            }
            let (from, found) = last_lines(path, missing, counts).unwrap_or((0, 1));
            missing -= found;
            parts.push(Part::from(path, from));
        }
        parts.reverse();
        Self { parts }
    }

    /// How long it is.
    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.to.unwrap_or(part.from).saturating_sub(part.from)).sum()
    }

    /// Line by line, each with its length. A line that is no JSON is an error in its place, and the
    /// next item is that of the next line; a file that cannot be read is one error.
    pub(crate) fn into_lines(
        self,
    ) -> impl Iterator<Item = (u64, Result<Line, LogError>)> + Send + use<> {
        self.parts.into_iter().flat_map(Part::into_lines)
    }
}

impl Part {
    fn from(path: &Path, from: u64) -> Self {
        let length = open_regular(path).and_then(|file| Ok(file.metadata()?.len()));
        Self { path: path.to_owned(), from, to: length.ok() }
    }

    fn into_lines(self) -> impl Iterator<Item = (u64, Result<Line, LogError>)> {
        let Self { path, from, to } = self;
        let mut lines = Lines::open_from(path, from);
        iter::from_fn(move || {
            let before = lines.bytes();
            if to.is_some_and(|to| from + before >= to) {
                return None;
            }
            let line = lines.next()?;
            Some((lines.bytes().saturating_sub(before), line))
        })
    }
}

/// Where the last `wanted` lines that count begin, and how many there are; where there are fewer,
/// the beginning of the file.
fn last_lines(
    path: &Path,
    wanted: usize,
    counts: &dyn Fn(&[u8]) -> bool,
) -> io::Result<(u64, usize)> {
    let mut lines = Backwards::open(path)?;
    let mut bytes = Vec::new();
    let mut count = 0;
    while let Some(span) = lines.next()? {
        // The end of a file may be being written, whatever it holds.
        let is_torn = lines.is_torn(span, &mut bytes)?
            || (!span.ends && span.is_short() && serde_json::from_slice::<Record>(&bytes).is_err());
        count += usize::from(!is_torn && counts(&bytes));
        if count == wanted {
            return Ok((span.offset, count));
        }
    }
    Ok((0, count))
}
