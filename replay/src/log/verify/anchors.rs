//! [`Anchors`]: where a log begins whose first files were pruned.

use std::{io, path::Path};

use sha2::{Digest as _, Sha256};
use tapeline::audit::{Anchor, RunsFile};

use super::{
    damage::{Damage, DamageKind},
    lines::{Hash, unhex},
};
use crate::log::{
    error::{LogError, LogErrorKind},
    records::read,
    torn::is_beginning,
};

/// What `anchors.jsonl` says, as far as it is chained.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    pub(super) ends: Vec<FileEnd>,
    /// The last one of a file that is gone.
    pub(super) begin: Option<FileEnd>,
    /// Lines whose write did not come to its end.
    pub(super) torn: Vec<u64>,
    /// Lines that speak of files which were bad when they were pruned.
    pub(super) damaged: Vec<u64>,
    pub(super) damage: Option<Damage>,
}

/// Where a file that was pruned, or is about to be, ends.
#[derive(Clone, Debug)]
pub(super) struct FileEnd {
    pub(super) file: RunsFile,
    pub(super) seq: u64,
    pub(super) hash: Hash,
    /// Of `anchors.jsonl`.
    pub(super) line: u64,
}

impl Anchors {
    pub(super) fn read(audit: &Path, files: &[RunsFile]) -> Result<Self, LogError> {
        let path = Anchor::path(audit);
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(LogError::at(path, LogErrorKind::Io(error))),
        };
        let mut anchors = Self::default();
        if let Err((line, why)) = anchors.chain(&text, files) {
            let kind = DamageKind::Anchor { why };
            anchors.damage = Some(Damage { kind, file: path, line: Some(line) });
        }
        Ok(anchors)
    }

    fn chain(&mut self, text: &[u8], files: &[RunsFile]) -> Result<(), (u64, &'static str)> {
        let mut before: Hash = [0; 32];
        // A line that is none is known to be torn once the next one is chained to it.
        let mut pending: Option<u64> = None;
        if text.is_empty() {
            return Ok(());
        }
        let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n');
        for (line, number) in lines.zip(1..) {
            let Ok(anchor) = serde_json::from_slice::<Anchor>(line) else {
                if pending.is_some() || !is_beginning(line) {
                    return Err((number, "the line is no anchor"));
                }
                pending = Some(number);
                before = Sha256::digest(line).into();
                continue;
            };
            if unhex(&anchor.prev) != Some(before) {
                let told = pending.unwrap_or(number.saturating_sub(1).max(1));
                return Err((told, "it is not the line that the next one was written behind"));
            }
            self.torn.extend(pending.take());
            let (Some(file), Some(hash)) = (RunsFile::parse(&anchor.file), unhex(&anchor.sha256))
            else {
                return Err((number, "it names no file of a log, or no SHA-256"));
            };
            if anchor.v != Anchor::VERSION {
                return Err((number, "it has a version that this build does not read"));
            }
            if self.ends.last().is_some_and(|last| last.file >= file || last.seq > anchor.last_seq)
            {
                return Err((number, "it lies before the one that was written earlier"));
            }
            if files.first().is_some_and(|first| file > *first) && !files.contains(&file) {
                return Err((number, "files older than the one it names are still there"));
            }
            if anchor.damaged {
                self.damaged.push(number);
            }
            self.ends.push(FileEnd { file, seq: anchor.last_seq, hash, line: number });
            before = Sha256::digest(line).into();
        }
        let gone = |end: &&FileEnd| files.first().is_none_or(|first| end.file < *first);
        self.begin = self.ends.iter().rev().find(gone).cloned();
        self.torn.extend(pending);
        Ok(())
    }
}
