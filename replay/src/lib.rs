//! The test kit of tapeline: runs that were recorded are run again, and what differs is shown.
//!
//! A replay hands the terminal seams that answer from a tape, so the very code that ran in
//! production runs again, without the outside. The kit knows no command by name: every host gets
//! it for its own commands.

mod cli;
mod diff;
mod json;
mod log;
#[cfg(feature = "loopback")]
pub mod loopback;
mod player;
mod record;
mod taped;
mod verdict;

pub use self::{
    cli::{Cli, cli},
    diff::{Difference, diff},
    json::Json,
    log::{Log, LogError, LogErrorKind},
    record::replay,
    verdict::Verdict,
};
