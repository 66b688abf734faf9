//! The log on disk, shared by any number of processes.
//!
//! Whoever appends holds `audit/lock`. What it then needs to know of the log (which file is the
//! newest, its last line) it remembers from its own last append as long as two looks at the file
//! system say that nobody else was there: the length of `lock`, which grows by one byte with each
//! new file, and identity and length of the newest file.
//!
//! An intent needs no common lock: each [`DiskLog`] has a file of its own in `open/`. Where a record
//! could not be written, that file is given up as soon as no other run needs it, and the log is
//! opened anew: the run gets its `Interrupted` record as that of a dead process would, unless its
//! line is there after all.
//!
//! With [`Durability::Sync`] an append ends its turn under the lock before its file is synced, in a
//! group with those of other runs. A process syncs what it wrote, and, the first time it writes to
//! a file, the name of the file and the file before it, whoever began them. Blobs are synced before
//! they get their names, and the names before the record is written. After a sync that failed the
//! lines stay, and nobody was told that they are safe: should the device have lost them, `verify`
//! finds the gap.
//!
//! All calls that change the disk go through [`FileSystem`](file_system::FileSystem), so that a
//! test can make each of them fail.

mod anchors;
mod blobs;
mod commit;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod faulty;
mod file_system;
mod identity;
mod intents;
#[cfg(test)]
mod interleavings;
mod lines;
mod lock;
mod log;
mod place;
mod prune;
mod recover;
mod runs;
#[cfg(test)]
pub(super) mod sample;
mod tail;
#[cfg(test)]
mod tests;

pub use commit::Durability;
pub use log::DiskLog;
pub use prune::{Pruned, PrunedFile};
