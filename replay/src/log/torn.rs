//! [`Torn`]: what a write that did not come to its end leaves of a record's line.
//!
//! A process was killed, or the disk was full, and there is the beginning of a line; the machine
//! stopped, and there are zero bytes, behind the beginning of a line or alone. Anything else that
//! is no record was put there by somebody.

use serde::de::IgnoredAny;

/// The beginning of a record's line, or zero bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Torn {
    /// Of the record that was to be written, where that much is left.
    pub(super) seq: Option<u64>,
}

impl Torn {
    /// `None` where a line that is no record is nothing else of ours either.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let rest = beginning(line)?;
        let unknown = Some(Self { seq: None });
        let rest = match behind(rest, b"{\"v\":") {
            Behind::All(rest) => rest,
            Behind::Torn => return unknown,
            Behind::Other => return None,
        };
        let (_, rest) = number(rest)?;
        let rest = match behind(rest, b",\"seq\":") {
            Behind::All(rest) => rest,
            Behind::Torn => return unknown,
            Behind::Other => return None,
        };
        let (seq, rest) = number(rest)?;
        match behind(rest, b",\"run_id\":\"") {
            // As long as no comma follows, more digits might have.
            Behind::Torn if rest.is_empty() => unknown,
            Behind::All(_) | Behind::Torn => Some(Self { seq: Some(seq) }),
            Behind::Other => None,
        }
    }
}

/// Whether that is the beginning of any line that a writer of JSON objects with a version writes.
pub(super) fn is_beginning(line: &[u8]) -> bool {
    beginning(line).is_some_and(|line| !matches!(behind(line, b"{\"v\":"), Behind::Other))
}

/// Without the zero bytes at the end. Not an empty line: no write leaves one.
fn beginning(line: &[u8]) -> Option<&[u8]> {
    let length = line.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let (beginning, zeros) = line.split_at_checked(length)?;
    let is_json = match serde_json::from_slice::<IgnoredAny>(beginning) {
        // A record may be whole but for what zero bytes stand for: its newline.
        Ok(_) => !zeros.is_empty(),
        Err(error) => error.is_eof(),
    };
    (is_json && !line.is_empty()).then_some(beginning)
}

enum Behind<'a> {
    All(&'a [u8]),
    /// The text is the beginning of what was looked for.
    Torn,
    Other,
}

fn behind<'a>(text: &'a [u8], wanted: &[u8]) -> Behind<'a> {
    match text.strip_prefix(wanted) {
        Some(rest) => Behind::All(rest),
        None if wanted.starts_with(text) => Behind::Torn,
        None => Behind::Other,
    }
}

/// A number at the beginning and what follows; 0 where the text ends before its first digit.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(length)?;
    if digits.is_empty() {
        return rest.is_empty().then_some((0, rest));
    }
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::tests::record;

    #[test]
    fn every_beginning_of_a_record_is_what_a_write_leaves_and_zero_bytes_are() {
        let mut record = record(7, "2026-11-27");
        record.seq = 1234;
        record.run_id = "é".to_owned();
        let line = serde_json::to_vec(&record).unwrap();
        let seq_ends = line.windows(6).position(|part| part == b"1234,\"").unwrap() + 5;
        for length in 1..line.len() {
            let seq = (length >= seq_ends).then_some(1234);
            let mut torn = line[..length].to_vec();
            assert_eq!(Torn::of(&torn), Some(Torn { seq }), "{length}");
            assert!(is_beginning(&torn));
            torn.extend([0; 9]);
            assert_eq!(Torn::of(&torn), Some(Torn { seq }), "{length} and zeros");
        }
        assert_eq!(Torn::of(&line), None);
        assert_eq!(Torn::of(&[&line[..], &[0]].concat()), Some(Torn { seq: Some(1234) }));
        assert_eq!(Torn::of(&[0; 5000]), Some(Torn { seq: None }));
    }

    #[test]
    fn what_else_stands_there_somebody_put_there() {
        for line in [
            "",
            " ",
            "garbage",
            "{}",
            "[1",
            "\"",
            "9",
            "{\"seq\":7,\"v\":1",
            "{\"v\":1,\"seq\":7,\"prev\":\"",
            "{\"v\":-",
            "{\"v\":1,\"seq\":99999999999999999999999,",
            "{\"v\":1,\"seq\":7,\"run_id\":\"a\tb",
            "{\"v\":1,\"seq\":7,\"run_id\":\"a\"}",
            "\0{\"v\":1",
            "{\"v\"\0:1",
            "{ \"v\":1",
        ] {
            assert_eq!(Torn::of(line.as_bytes()), None, "{line:?}");
        }
    }
}
