//! The built-in commands of tapeline: one folder and one cargo feature per group.
//!
//! A host names this crate once. The line looks idle and is not: a dependency alone links
//! nothing, and the registry would come up empty.
//!
//! ```
//! use tapeline::{Policy, Terminal};
//! use tapeline_commands as _;
//!
//! # fn main() -> Result<(), tapeline::BuildError> {
//! let policy = Policy::default().allow_declared_network();
//! let terminal = Terminal::builder().in_memory().policy(policy).build()?;
//! let envelope = terminal.exec_blocking("help");
//! assert_eq!(envelope.exit_code, 0);
//! # Ok(())
//! # }
//! ```
//!
//! | feature | commands |
//! | --- | --- |
//! | `exchange-rate` | `exchange-rate latest`, `exchange-rate convert` |
//! | `hello` | `hello` |
//!
//! Everything is reached through a terminal; the one public item says what this build lacks.

#[cfg(feature = "exchange-rate")]
mod exchange_rate;
#[cfg(feature = "hello")]
mod hello;

/// Groups that this build was made without: the features that are off. A test kit skips the cases
/// of these, and of no others.
pub const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "exchange-rate"))]
    "exchange-rate",
    #[cfg(not(feature = "hello"))]
    "hello",
];

/// The example on the front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct ReadMe;
