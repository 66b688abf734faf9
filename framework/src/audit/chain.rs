//! [`Head`]: how a record is chained to the line before it, the same in every sink.

use sha2::{Digest, Sha256};

use super::{MAX_LINE_BYTES, Record, SinkError, layout::day_of};

/// The end of a log; the default is that of an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// That of the last whole record; 0 where there is none.
    pub(super) seq: u64,
    /// Of the bytes of the last record's line, without its newline; and where torn lines follow it,
    /// of all of them, one after the other.
    pub(super) sha256: [u8; 32],
}

impl Head {
    /// The head behind a line that is no record and whose bytes have this SHA-256. It takes in what
    /// was before, since no other record is chained to that.
    pub(super) fn behind(self, line: [u8; 32]) -> Self {
        let sha256 = Sha256::new().chain_update(self.sha256).chain_update(line).finalize().into();
        Self { sha256, ..self }
    }

    /// Gives `record` its place behind this head, puts its line with the newline into `line`, and
    /// says what the head is once that line is written.
    pub(super) fn chain(self, record: &mut Record, line: &mut Vec<u8>) -> Result<Self, SinkError> {
        if day_of(&record.timestamp).is_none() {
            return Err(SinkError::refused(format!(
                "append run `{}`: its timestamp `{}` is not RFC 3339",
                record.run_id, record.timestamp
            )));
        }
        record.seq = self.seq.saturating_add(1);
        record.prev.clear();
        push_hex(&mut record.prev, &self.sha256);

        line.clear();
        serde_json::to_writer(&mut *line, record).map_err(|error| {
            SinkError::new(format!("serialise run `{}`", record.run_id), error.into())
        })?;
        if line.len() > MAX_LINE_BYTES {
            return Err(SinkError::refused(format!(
                "append run `{}`: its line has {} bytes, more than {MAX_LINE_BYTES}",
                record.run_id,
                line.len()
            )));
        }
        let sha256 = Sha256::digest(&*line).into();
        line.push(b'\n');
        Ok(Self { seq: record.seq, sha256 })
    }
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::disk::sample;

    #[test]
    fn the_first_record_has_seq_one_and_no_prev() {
        let (mut record, mut line) = (sample::record(1), Vec::new());
        let head = Head::default().chain(&mut record, &mut line).unwrap();
        assert_eq!((record.seq, record.prev.as_str(), head.seq), (1, Record::NO_PREV, 1));
        let text = line.strip_suffix(b"\n").unwrap();
        assert_eq!(head.sha256, <[u8; 32]>::from(Sha256::digest(text)));
    }

    #[test]
    fn hex_is_lower_case() {
        let mut text = String::new();
        push_hex(&mut text, &[0, 9, 10, 0xaf, 0xff]);
        assert_eq!(text, "00090aafff");
    }

    #[test]
    fn a_timestamp_that_is_no_day_is_refused() {
        let mut record = sample::record(1);
        record.timestamp = "../../etc/x".into();
        let error = Head::default().chain(&mut record, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("timestamp"), "{error}");
    }
}
