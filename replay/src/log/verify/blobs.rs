//! [`Blobs`]: what records refer to, and whether it is there.

use std::{
    collections::HashSet,
    io::{self, Read as _},
};

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tapeline::audit::{Kept, blob_path, open_regular};

use super::{
    damage::DamageKind,
    lines::{Hash, unhex},
};
use crate::log::{
    error::{LogError, LogErrorKind},
    records::Log,
};

/// Each blob is read once.
pub(super) struct Blobs<'a> {
    log: &'a Log,
    read: HashSet<Hash>,
}

impl<'a> Blobs<'a> {
    pub(super) fn new(log: &'a Log) -> Self {
        Self { log, read: HashSet::new() }
    }

    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.read.len()).unwrap_or(u64::MAX)
    }

    /// What is wrong with the blobs that a line refers to, or that the tape does which is one of
    /// them.
    pub(super) fn damage_of(&mut self, line: &[u8]) -> Result<Option<DamageKind>, LogError> {
        #[derive(Deserialize)]
        struct Taped {
            tape: Option<Box<RawValue>>,
        }

        if !references(line).any(|_| true) {
            return Ok(None);
        }
        let taped = serde_json::from_slice::<Taped>(line).ok().and_then(|taped| taped.tape);
        let tape = taped.and_then(|tape| Kept::raw(tape).blob());
        // Looked through before it counts as read.
        if let Some(tape) = tape
            && unhex(&tape.sha256).is_some_and(|hash| !self.read.contains(&hash))
        {
            match self.log.blob(&tape.sha256) {
                Ok(text) => {
                    if let Some(damage) = self.damage_in(&text)? {
                        return Ok(Some(damage));
                    }
                }
                Err(LogError { kind: LogErrorKind::BlobChanged { .. }, .. }) => {
                    return Ok(Some(DamageKind::BlobChanged { sha256: tape.sha256 }));
                }
                Err(LogError { kind: LogErrorKind::Io(error), .. })
                    if error.kind() == io::ErrorKind::NotFound =>
                {
                    return Ok(Some(DamageKind::BlobMissing { sha256: tape.sha256 }));
                }
                Err(error) => return Err(error),
            }
        }
        self.damage_in(line)
    }

    fn damage_in(&mut self, text: &[u8]) -> Result<Option<DamageKind>, LogError> {
        for name in references(text) {
            let (Some(hash), Some(path)) = (unhex(name), blob_path(self.log.dir(), name)) else {
                continue;
            };
            if !self.read.insert(hash) {
                continue;
            }
            let sha256 = || name.to_owned();
            match hash_of(&path) {
                Ok(found) if found == hash => {}
                Ok(_) => return Ok(Some(DamageKind::BlobChanged { sha256: sha256() })),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Some(DamageKind::BlobMissing { sha256: sha256() }));
                }
                Err(error) => return Err(LogError::at(path, LogErrorKind::Io(error))),
            }
        }
        Ok(None)
    }
}

/// As the writer spells them. In a text that stands in JSON the quotes are escaped.
fn references(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|byte| *byte == b'$').skip(1).filter_map(|behind| {
        let name = behind.strip_prefix(br#"blob":""#)?.get(..64)?;
        std::str::from_utf8(name).ok()
    })
}

fn hash_of(path: &std::path::Path) -> io::Result<Hash> {
    let mut file = open_regular(path)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut chunk)?;
        match chunk.get(..read) {
            Some([]) | None => return Ok(hasher.finalize().into()),
            Some(bytes) => hasher.update(bytes),
        }
    }
}
