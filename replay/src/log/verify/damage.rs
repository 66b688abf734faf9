//! [`Damage`]: the first line of a log that is not as it was written, and what became of it.

use std::{fmt, path::PathBuf};

/// The first bad line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What happened to it.
    pub kind: DamageKind,
    /// The file it stands in, or should.
    pub file: PathBuf,
    /// From 1; `None` where it is about a whole file.
    pub line: Option<u64>,
}

/// What can happen to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// Its bytes are not those that the next record, or the pinned head, speaks of.
    Edited,
    /// Records are missing before it.
    Deleted {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// Records are missing before it, and a whole file or several are, or lines on both its sides.
    FileMissing {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// It stands where another record belongs, which stands elsewhere.
    Reordered {
        /// Of the record that stands here.
        seq: u64,
        /// Of the one that belongs here.
        belongs: u64,
    },
    /// The same line stands elsewhere, too, where it belongs.
    Duplicated {
        /// Of the record.
        seq: u64,
    },
    /// The records around it do not know of it.
    Inserted,
    /// It is no record, and no torn line either: a record that was overwritten, or a line that was
    /// put in.
    Unparsable {
        /// Of the record that belongs here.
        seq: u64,
    },
    /// A later build wrote it, or somebody who wanted that to be believed.
    Version {
        /// What it says.
        v: u32,
    },
    /// The log ends before the pinned record.
    Cut {
        /// The last record there is; 0 where there is none.
        last: u64,
        /// The pinned one.
        pinned: u64,
    },
    /// The record with the pinned number is not the pinned one: the log was cut and written on, or
    /// written anew, from here or from any line before. It is at this line at the latest.
    Rewritten {
        /// The pinned record.
        pinned: u64,
    },
    /// The pinned record was pruned and no anchor that the log begins behind has its hash, so that
    /// the pin shows nothing any more.
    PinPruned {
        /// The pinned record.
        pinned: u64,
        /// The last one that was pruned.
        through: u64,
    },
    /// A line of `anchors.jsonl` was changed, removed or added.
    Anchor {
        /// What it contradicts.
        why: &'static str,
    },
    /// A record refers to a blob that is not there.
    BlobMissing {
        /// Its name.
        sha256: String,
    },
    /// The bytes of a blob are not those of its name.
    BlobChanged {
        /// Its name.
        sha256: String,
    },
}

impl DamageKind {
    /// A word for programs, `snake_case`, stable.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Deleted { .. } => "deleted",
            Self::FileMissing { .. } => "file_missing",
            Self::Reordered { .. } => "reordered",
            Self::Duplicated { .. } => "duplicated",
            Self::Inserted => "inserted",
            Self::Unparsable { .. } => "unparsable",
            Self::Version { .. } => "version",
            Self::Cut { .. } => "cut",
            Self::Rewritten { .. } => "rewritten",
            Self::PinPruned { .. } => "pin_pruned",
            Self::Anchor { .. } => "anchor",
            Self::BlobMissing { .. } => "blob_missing",
            Self::BlobChanged { .. } => "blob_changed",
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Deleted { .. } | Self::FileMissing { .. } => {
                "put back what is missing from a copy; do not believe that nothing ran meanwhile"
            }
            Self::Cut { .. } | Self::Rewritten { .. } => {
                "compare the whole log with a copy: any line of it may be new; do not believe that \
                 nothing else ran"
            }
            Self::PinPruned { .. } => {
                "use a head that was pinned later; where there is none, pin that of now, and \
                 compare what is left with a copy"
            }
            Self::Version { .. } => {
                "read it with the build that wrote it; if none of yours did, the line was edited"
            }
            Self::Anchor { .. } => {
                "compare `anchors.jsonl` with a copy; what is left of the log may still be whole"
            }
            Self::BlobMissing { .. } | Self::BlobChanged { .. } => {
                "put the blob back from a copy; the record itself is as it was written"
            }
            Self::Edited
            | Self::Reordered { .. }
            | Self::Duplicated { .. }
            | Self::Inserted
            | Self::Unparsable { .. } => {
                "compare the file with a copy; that the lines before this one fit together does not \
                 show that they are as they were written"
            }
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line} of `{}`: ", self.file.display())?,
            None => write!(formatter, "`{}`: ", self.file.display())?,
        }
        self.kind.fmt(formatter)
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edited => formatter.write_str(
                "edited: what follows, or the pinned head, speaks of other bytes (or of a torn \
                 line behind it that is gone)",
            ),
            Self::Deleted { first, last } => {
                write!(formatter, "deleted: {} missing before it", Range(*first, *last))?;
                match first {
                    1 => formatter.write_str(", first lines of this file or files before it"),
                    _ => Ok(()),
                }
            }
            Self::FileMissing { first, last } => write!(
                formatter,
                "file missing: {} missing before it, and with that a whole file or the lines at \
                 the edges of two",
                Range(*first, *last)
            ),
            Self::Reordered { seq, belongs } => write!(
                formatter,
                "reordered: record {seq} stands where record {belongs} belongs, which stands elsewhere"
            ),
            Self::Duplicated { seq } => {
                write!(formatter, "duplicated: record {seq} stands here and where it belongs")
            }
            Self::Inserted => {
                formatter.write_str("inserted: the records around the line do not know of it")
            }
            Self::Unparsable { seq } => {
                write!(
                    formatter,
                    "unparsable: it is no record, nor what is left of one whose write was cut short: \
                     record {seq} was overwritten, or the line was put in"
                )
            }
            Self::Version { v } => write!(
                formatter,
                "version: the record has version {v}, this build reads {}",
                tapeline::audit::Record::VERSION
            ),
            Self::Cut { last, pinned } => write!(
                formatter,
                "cut: the log ends with record {last}, and record {pinned} was pinned"
            ),
            Self::Rewritten { pinned } => write!(
                formatter,
                "rewritten: record {pinned} is not the one that was pinned: the log was cut and \
                 written on, or written anew, from this line or any before it"
            ),
            Self::PinPruned { pinned, through } => write!(
                formatter,
                "pin pruned: record {pinned} was pinned, and the records up to {through} were \
                 pruned since: this pin cannot show any more whether the log was written anew"
            ),
            Self::Anchor { why } => write!(formatter, "anchor: {why}"),
            Self::BlobMissing { sha256 } => {
                write!(formatter, "blob missing: it refers to `{sha256}`, which is not there")
            }
            Self::BlobChanged { sha256 } => {
                write!(formatter, "blob changed: `{sha256}` has other bytes than its name says")
            }
        }
    }
}

/// Records by number, and that they are.
struct Range(u64, u64);

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(first, last) = self;
        match first == last {
            true => write!(formatter, "record {first} is"),
            false => write!(formatter, "records {first} to {last} are"),
        }
    }
}
