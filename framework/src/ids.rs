//! [`Ids`]: run ids and the seed of everything random in a run.

use sha2::{Digest, Sha256};

/// The source of what must differ between runs.
pub trait Ids: Send + Sync {
    /// A UUIDv7 for a run that started then (milliseconds since the Unix epoch).
    fn run_id(&self, started_ms: i64) -> String;

    /// The seed of the run's own identifiers and random numbers; on the tape.
    fn seed(&self) -> u64;
}

/// The operating system's random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn run_id(&self, started_ms: i64) -> String {
        let mut random = [0; 10];
        // Without a random source an id is still unique by its time within one process; the host
        // notices long before, at TLS.
        let _ = getrandom::fill(&mut random);
        uuid_v7(started_ms, random)
    }

    fn seed(&self) -> u64 {
        getrandom::u64().unwrap_or_default()
    }
}

fn uuid_v7(at_ms: i64, random: [u8; 10]) -> String {
    let millis = u64::try_from(at_ms).unwrap_or_default();
    let mut text = uuid::Uuid::encode_buffer();
    uuid::Builder::from_unix_timestamp_millis(millis, &random)
        .into_uuid()
        .hyphenated()
        .encode_lower(&mut text)
        .to_owned()
}

/// A run's random numbers: the same seed gives the same numbers, in every version.
///
/// SHA-256 of seed and counter, eight bytes at a time. Not a `rand` generator, whose algorithms may
/// change between versions, and golden files with them. Not for secrets: the seed is on the tape.
#[derive(Debug)]
pub(crate) struct Random {
    seed: u64,
    counter: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, counter: 0 }
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        hash.update(self.counter.to_be_bytes());
        self.counter += 1;
        hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    pub(crate) fn uuid_v7(&mut self, at_ms: i64) -> String {
        let mut random = [0; 10];
        let numbers = [self.next_u64().to_be_bytes(), self.next_u64().to_be_bytes()];
        for (byte, from) in random.iter_mut().zip(numbers.as_flattened()) {
            *byte = *from;
        }
        uuid_v7(at_ms, random)
    }
}
