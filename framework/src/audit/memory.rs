//! [`MemorySink`]: a log for tests, and for hosts that keep none.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Intent, Record, Sink, SinkError, blob_path, chain::Head};

/// Keeps everything in memory; clones share it. Records are chained as on disk.
///
/// ```
/// use tapeline::audit::{MemorySink, Sink};
///
/// let sink = MemorySink::default();
/// let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/// sink.blob(sha256, b"test")?;
/// assert_eq!(sink.blob_bytes(sha256).as_deref(), Some(&b"test"[..]));
///
/// sink.fail_blob(true);
/// assert!(sink.blob(sha256, b"test").is_err());
/// # Ok::<(), tapeline::audit::SinkError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    head: Head,
    intents: Vec<Intent>,
    blobs: BTreeMap<String, Arc<[u8]>>,
    records: Vec<Record>,
    fail_begin: bool,
    fail_blob: bool,
    fail_append: bool,
}

impl MemorySink {
    /// The records, in order.
    pub fn records(&self) -> Vec<Record> {
        self.kept().records.clone()
    }

    /// The intents, in order, those of ended runs too.
    pub fn intents(&self) -> Vec<Intent> {
        self.kept().intents.clone()
    }

    /// The blob of that SHA-256 (lower-case hex).
    pub fn blob_bytes(&self, sha256: &str) -> Option<Arc<[u8]>> {
        self.kept().blobs.get(sha256).cloned()
    }

    /// All blobs, by SHA-256.
    pub fn blobs(&self) -> BTreeMap<String, Arc<[u8]>> {
        self.kept().blobs.clone()
    }

    /// Whether [`begin`](Sink::begin) fails from now on.
    pub fn fail_begin(&self, fails: bool) {
        self.kept().fail_begin = fails;
    }

    /// Whether [`blob`](Sink::blob) fails from now on.
    pub fn fail_blob(&self, fails: bool) {
        self.kept().fail_blob = fails;
    }

    /// Whether [`append`](Sink::append) fails from now on.
    pub fn fail_append(&self, fails: bool) {
        self.kept().fail_append = fails;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for MemorySink {
    fn begin(&self, intent: &Intent) -> Result<(), SinkError> {
        let mut kept = self.kept();
        if kept.fail_begin {
            return Err(told_to_fail(&format!("write the intent of run `{}`", intent.run_id)));
        }
        kept.intents.push(intent.clone());
        Ok(())
    }

    fn blob(&self, sha256: &str, bytes: &[u8]) -> Result<(), SinkError> {
        let mut kept = self.kept();
        if kept.fail_blob {
            return Err(told_to_fail(&format!("keep the blob `{sha256}`")));
        }
        if blob_path("".as_ref(), sha256).is_none() {
            return Err(SinkError::refused(format!(
                "keep a blob as `{sha256}`: that is no SHA-256"
            )));
        }
        if !kept.blobs.contains_key(sha256) {
            kept.blobs.insert(sha256.to_owned(), bytes.into());
        }
        Ok(())
    }

    fn append(&self, record: &mut Record) -> Result<(), SinkError> {
        let mut kept = self.kept();
        if kept.fail_append {
            return Err(told_to_fail(&format!("append run `{}`", record.run_id)));
        }
        kept.head = kept.head.chain(record, &mut Vec::new())?;
        kept.records.push(record.clone());
        Ok(())
    }
}

fn told_to_fail(attempted: &str) -> SinkError {
    SinkError::refused(format!("{attempted}: the sink was told to fail"))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::audit::disk::sample;

    #[test]
    fn records_are_chained_as_on_disk() {
        let sink = MemorySink::default();
        for number in 1..=3 {
            sink.append(&mut sample::record(number)).unwrap();
        }
        let mut prev = Record::NO_PREV.to_owned();
        for (record, seq) in sink.records().iter().zip(1..) {
            assert_eq!((record.seq, &record.prev), (seq, &prev));
            prev = sample::hex(&Sha256::digest(serde_json::to_vec(record).unwrap()));
        }
        assert_eq!(sink.records().len(), 3);
    }

    #[test]
    fn a_sink_that_was_told_to_fail_keeps_nothing_until_told_otherwise() {
        let sink = MemorySink::default();
        let switched = sink.clone();
        let sha256 = "ab".repeat(32);
        switched.fail_begin(true);
        switched.fail_blob(true);
        switched.fail_append(true);
        let errors = [
            sink.begin(&sample::intent(1)).unwrap_err(),
            sink.blob(&sha256, b"x").unwrap_err(),
            sink.append(&mut sample::record(1)).unwrap_err(),
        ];
        assert!(
            errors.iter().all(|error| error.to_string().contains("told to fail")),
            "{errors:?}"
        );
        assert!(
            sink.intents().is_empty()
                && sink.records().is_empty()
                && sink.blob_bytes(&sha256).is_none()
        );

        switched.fail_begin(false);
        switched.fail_blob(false);
        switched.fail_append(false);
        sink.begin(&sample::intent(1)).unwrap();
        sink.blob(&sha256, b"x").unwrap();
        sink.append(&mut sample::record(1)).unwrap();
        assert_eq!((sink.intents().len(), sink.records().len()), (1, 1));
        assert_eq!(sink.blob_bytes(&sha256).as_deref(), Some(&b"x"[..]));
    }
}
