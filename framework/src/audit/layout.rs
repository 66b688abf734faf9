//! Names under `audit/`: one place for the writer here and the readers in `tapeline-replay`.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// What `audit/format` holds. It grows when an old reader or writer would harm a log.
pub const FORMAT: &str = "tapeline-audit 1\n";

/// The longest line of a log, without its newline. More would make every reader pay for one run;
/// large values are blobs.
pub const MAX_LINE_BYTES: usize = 256 * 1024;

/// A file of `audit/runs/`, `<UTC day>.<nnnn>.jsonl`; ordered as the log is.
///
/// ```
/// use tapeline::audit::RunsFile;
///
/// let file = RunsFile::parse("2026-11-27.0002.jsonl").ok_or("a name of the log")?;
/// assert_eq!(file.to_string(), "2026-11-27.0002.jsonl");
/// assert!(file < RunsFile::parse("2026-11-27.10000.jsonl").ok_or("a name of the log")?);
/// assert_eq!(RunsFile::parse("2026-11-27.0002.jsonl.gz"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunsFile {
    day: String,
    number: u32,
}

impl RunsFile {
    /// The file with that name, or `None` where the name is not one of the log's.
    pub fn parse(name: &str) -> Option<Self> {
        let (day, number) = name.strip_suffix(".jsonl")?.split_once('.')?;
        let file = Self { day: day_of(day)?.to_owned(), number: number.parse().ok()? };
        (file.number > 0 && file.to_string() == name).then_some(file)
    }

    /// The files of a log, oldest first; none where there is no log.
    ///
    /// # Errors
    /// `runs/` cannot be listed.
    pub fn list(audit: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(Self::dir(audit)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for entry in entries {
            files.extend(entry?.file_name().to_str().and_then(Self::parse));
        }
        files.sort();
        Ok(files)
    }

    /// Where the file lies.
    pub fn path(&self, audit: &Path) -> PathBuf {
        Self::dir(audit).join(self.to_string())
    }

    pub(super) fn dir(audit: &Path) -> PathBuf {
        audit.join("runs")
    }

    pub(super) fn first_of(day: &str) -> Self {
        Self { day: day.to_owned(), number: 1 }
    }

    /// The file that is begun when this one is full and its day is not over.
    pub fn following(&self) -> Self {
        Self { day: self.day.clone(), number: self.number.saturating_add(1) }
    }

    /// Whether no other file of its day comes before it.
    pub fn is_first_of_its_day(&self) -> bool {
        self.number == 1
    }

    /// The UTC day it was begun on, `YYYY-MM-DD`.
    pub fn day(&self) -> &str {
        &self.day
    }
}

impl fmt::Display for RunsFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:04}.jsonl", self.day, self.number)
    }
}

/// Where a blob lies, or `None` where that is not a SHA-256 in lower-case hex.
pub fn blob_path(audit: &Path, sha256: &str) -> Option<PathBuf> {
    let is_hex = sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let shard = sha256.get(..2).filter(|_| is_hex && sha256.len() == 64)?;
    Some(audit.join("blobs").join(shard).join(sha256))
}

/// The UTC day an RFC 3339 timestamp begins with. It becomes part of a file name, so nothing but
/// digits in the shape of a day will do.
pub(super) fn day_of(timestamp: &str) -> Option<&str> {
    let day = timestamp.get(..10)?;
    let rest = timestamp.get(10..)?;
    let digits_and_dashes = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    (digits_and_dashes && (rest.is_empty() || rest.starts_with('T'))).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_the_log_would_give_are_its_files() {
        for name in [
            "2026-11-27.1.jsonl",
            "2026-11-27.00001.jsonl",
            "2026-11-27.0000.jsonl",
            "2026-11-27.+001.jsonl",
            "2026-11-2.0001.jsonl",
            "2026-11-27T00.0001.jsonl",
            "../26-11-27.0001.jsonl",
            "2026-11-27.jsonl",
        ] {
            assert_eq!(RunsFile::parse(name), None, "{name}");
        }
        let last = RunsFile::parse("2026-11-27.9999.jsonl").unwrap();
        assert_eq!(last.following().to_string(), "2026-11-27.10000.jsonl");
        assert!(last < last.following());
    }

    #[test]
    fn a_blob_is_named_by_lower_case_hex_alone() {
        let sha256 = "ab".repeat(32);
        assert!(
            blob_path(Path::new("audit"), &sha256).unwrap().ends_with(format!("blobs/ab/{sha256}"))
        );
        for name in ["", "ab", &"AB".repeat(32), &"é".repeat(32), &format!("../{}", "a".repeat(61))]
        {
            assert_eq!(blob_path(Path::new("audit"), name), None, "{name}");
        }
    }
}
