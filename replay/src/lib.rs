//! The test kit of tapeline: runs that were recorded are run again, and what differs is shown.
//!
//! A replay hands the terminal seams that answer from a tape, so the very code that ran in
//! production runs again, without the outside. The kit knows no command by name: every host gets
//! it for its own commands.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tapeline::{Registry, Terminal, registration};
//! use tapeline_replay::{Log, Verdict, replay};
//! # #[derive(Default)] struct Hello;
//! # #[derive(tapeline::clap::Args, serde::Serialize)] struct NoArgs {}
//! # use tapeline::clap;
//! # #[tapeline::async_trait] impl tapeline::Command for Hello {
//! #     type Args = NoArgs; type Output = NoArgs;
//! #     fn spec() -> tapeline::Spec { tapeline::Spec::new("hello", "say hello") }
//! #     async fn run(&self, args: NoArgs, _: &tapeline::Context) -> Result<NoArgs, tapeline::Failure> { Ok(args) }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let root = tempfile::tempdir()?;
//! # let root = root.path();
//! let registry = Arc::new(Registry::builder().register(registration::<Hello>()).build()?);
//! let terminal = Terminal::builder().root(root).registry(registry.clone()).build()?;
//! let envelope = terminal.exec_blocking("hello");
//!
//! let log = Log::open(root.join("audit"))?;
//! let record = log.find(&envelope.run_id)?.ok_or("every run leaves a record")?;
//! assert_eq!(replay(&log, &record, registry), Verdict::Ok);
//! # Ok(())
//! # }
//! ```

mod again;
mod amend;
mod artifact;
mod case;
mod cases;
mod check;
mod cli;
mod diff;
mod digest;
mod faults;
mod given;
mod groups;
#[cfg(feature = "harness")]
mod harness;
mod held;
mod json;
mod kit;
mod log;
mod log_replay;
#[cfg(feature = "loopback")]
pub mod loopback;
mod miss;
mod mv;
mod needless;
mod outcome;
mod pending;
mod pending_file;
mod place;
mod player;
mod promote;
mod record;
mod report;
mod review;
mod scrubbed;
mod selftest;
mod taped;
mod verdict;

#[cfg(feature = "harness")]
pub use self::harness::harness;
pub use self::{
    case::{CASE_FORMAT, CaseError, CaseErrorKind, CaseName, CasePattern, InvalidCaseName},
    cli::{Cli, Promote, cli, cli_with},
    diff::{Difference, diff},
    json::Json,
    kit::Kit,
    log::{
        Damage, DamageKind, InvalidPin, Log, LogError, LogErrorKind, Note, NoteKind, Pin, Stands,
        Verified, Verify,
    },
    miss::Miss,
    record::replay,
    verdict::Verdict,
};
