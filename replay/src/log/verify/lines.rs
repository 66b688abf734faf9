//! [`RawLines`]: the lines of a file as bytes, each with its hash and its place in the chain.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::Path,
};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tapeline::audit::{MAX_LINE_BYTES, open_regular};

use crate::log::torn::Torn;

pub(super) type Hash = [u8; 32];

/// Where a line stands: the how-manieth file, the how-manieth line from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) file: usize,
    pub(super) line: u64,
}

/// What a line says of its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    Record(Place),
    /// What a write leaves that did not come to its end.
    Torn(Torn),
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) v: u32,
    pub(super) seq: u64,
    pub(super) prev: Hash,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) at: At,
    /// Of its bytes.
    pub(super) own: Hash,
    /// The same; [`behind`](Self::behind) a line that is no record has what was before in it.
    pub(super) hash: Hash,
    /// With the newline.
    pub(super) length: u64,
    pub(super) said: Said,
}

impl Line {
    /// The line where a record behind it would be chained to it: one that is a record stands for
    /// itself, any other for all since the last one.
    pub(super) fn behind(self, before: Hash) -> Self {
        let hash = match self.said {
            Said::Record(_) => self.own,
            Said::Torn(_) | Said::Other => {
                Sha256::new().chain_update(before).chain_update(self.own).finalize().into()
            }
        };
        Self { hash, ..self }
    }

    /// Whether no write of the record with that number can have left it, whole or not.
    pub(super) fn is_foreign(&self, seq: u64) -> bool {
        match self.said {
            Said::Record(_) => false,
            Said::Torn(torn) => torn.seq.is_some_and(|torn| torn != seq),
            Said::Other => true,
        }
    }
}

/// However long a line is, no more than the longest record is held.
pub(super) struct RawLines {
    reader: BufReader<File>,
    at: At,
    bytes: Vec<u8>,
}

impl RawLines {
    pub(super) fn open(path: &Path, file: usize) -> io::Result<Self> {
        let reader = BufReader::with_capacity(1 << 20, open_regular(path)?);
        Ok(Self { reader, at: At { file, line: 0 }, bytes: Vec::new() })
    }

    /// The bytes of the last line, without the newline; the beginning of one that is too long.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        self.bytes.clear();
        let mut length = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.bytes)?;
        if length == 0 {
            return Ok(None);
        }
        self.at.line += 1;
        let mut ends = self.bytes.last() == Some(&b'\n');
        let (hash, said) = if ends || length <= MAX_LINE_BYTES {
            if ends {
                self.bytes.pop();
            }
            (Sha256::digest(&self.bytes).into(), said(&self.bytes))
        } else {
            let mut hasher = Sha256::new_with_prefix(&self.bytes);
            let mut is_zero = self.bytes.last() == Some(&0);
            while !ends {
                let chunk = self.reader.fill_buf()?;
                if chunk.is_empty() {
                    break;
                }
                let newline = chunk.iter().position(|byte| *byte == b'\n');
                ends = newline.is_some();
                let (of_line, _) = chunk.split_at(newline.unwrap_or(chunk.len()));
                hasher.update(of_line);
                is_zero = is_zero && of_line.iter().all(|byte| *byte == 0);
                let taken = of_line.len() + usize::from(ends);
                self.reader.consume(taken);
                length += taken;
            }
            let torn = Torn::of(&self.bytes).filter(|_| is_zero);
            (hasher.finalize().into(), torn.map_or(Said::Other, Said::Torn))
        };
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        Ok(Some(Line { at: self.at, own: hash, hash, length, said }))
    }
}

pub(super) fn said(line: &[u8]) -> Said {
    #[derive(Deserialize)]
    struct Written<'a> {
        v: u32,
        seq: u64,
        prev: &'a str,
    }

    match serde_json::from_slice::<Written<'_>>(line) {
        Ok(Written { v, seq, prev }) => match unhex(prev) {
            Some(prev) => Said::Record(Place { v, seq, prev }),
            None => Said::Other,
        },
        Err(_) => Torn::of(line).map_or(Said::Other, Said::Torn),
    }
}

pub(super) fn unhex(text: &str) -> Option<Hash> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut hash = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        let [high, low] = digits else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(hash)
}
