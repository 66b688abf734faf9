//! [`Anchors`]: what is kept of the files that pruning removes.

use std::{
    fs::OpenOptions,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{
    commit::sync_file,
    file_system::{FileSystem, write_once},
    place,
};
use crate::{
    audit::{Anchor, RunsFile, chain::Head},
    hex::hex,
};

/// `anchors.jsonl`, and where the log begins behind it.
pub(super) struct Anchors {
    audit: PathBuf,
    torn: bool,
    /// Of the last line, whole or torn.
    prev: [u8; 32],
    /// The newest file that has one.
    pub(super) last: Option<RunsFile>,
    pub(super) head: Head,
}

impl Anchors {
    pub(super) fn read(audit: &Path) -> io::Result<Self> {
        let mut text = Vec::new();
        match place::read(audit, &Anchor::path(audit)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => drop(file?.read_to_end(&mut text)?),
        }
        let mut anchors = Self {
            audit: audit.to_owned(),
            torn: false,
            prev: [0; 32],
            last: None,
            head: Head::default(),
        };
        anchors.torn = text.last().is_some_and(|last| *last != b'\n');
        if text.is_empty() {
            return Ok(anchors);
        }
        for line in text.strip_suffix(b"\n").unwrap_or(&text).split(|byte| *byte == b'\n') {
            anchors.prev = Sha256::digest(line).into();
            let Ok(anchor) = serde_json::from_slice::<Anchor>(line) else { continue };
            let (Some(file), Some(sha256)) = (RunsFile::parse(&anchor.file), unhex(&anchor.sha256))
            else {
                continue;
            };
            anchors.last = Some(file);
            anchors.head = Head { seq: anchor.last_seq, sha256 };
        }
        Ok(anchors)
    }

    pub(super) fn append(
        &mut self,
        file_system: &dyn FileSystem,
        file: &RunsFile,
        head: Head,
        damaged: bool,
    ) -> io::Result<()> {
        let anchor = Anchor {
            v: Anchor::VERSION,
            file: file.to_string(),
            last_seq: head.seq,
            sha256: hex(&head.sha256),
            prev: hex(&self.prev),
            damaged,
        };
        let anchor = serde_json::to_vec(&anchor)?;
        let mut line = if self.torn { b"\n".to_vec() } else { Vec::new() };
        line.extend(&anchor);
        line.push(b'\n');
        let (path, mut options) = (Anchor::path(&self.audit), OpenOptions::new());
        let options = options.append(true).create(true);
        let file_of_anchors = place::open(&self.audit, &path, options, file_system)?;
        write_once(file_system, &path, &file_of_anchors, &line)?;
        (self.torn, self.prev) = (false, Sha256::digest(&anchor).into());
        (self.last, self.head) = (Some(file.clone()), head);
        Ok(())
    }

    /// The anchors are on the device, and so is the name of their file, which may be new: the files
    /// that they speak of go next.
    pub(super) fn sync(&self, file_system: &dyn FileSystem) -> io::Result<()> {
        sync_file(file_system, &self.audit, &Anchor::path(&self.audit))?;
        file_system.sync_directory(&self.audit)
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}
