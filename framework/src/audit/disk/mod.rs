//! The log on disk, shared by any number of processes.
//!
//! Whoever appends holds `audit/lock`. What it then needs to know of the log (which file is the
//! newest, its last line) it remembers from its own last append as long as two looks at the file
//! system say that nobody else was there: the length of `lock`, which grows by one byte with each
//! new file, and identity and length of the newest file.
//!
//! An intent needs no common lock: each [`DiskLog`] has a file of its own in `open/`.

mod blobs;
mod identity;
mod intents;
mod lines;
mod lock;
mod log;
mod recover;
mod runs;
#[cfg(test)]
pub(super) mod sample;
mod tail;
#[cfg(test)]
mod tests;

pub use log::DiskLog;
