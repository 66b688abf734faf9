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
//! | `doc` | `doc extract`, `doc ocr`, `table to-csv` |
//! | `ocr` | `doc ocr` reads, where it else says how to get there |
//! | `exchange-rate` | `exchange-rate latest`, `exchange-rate convert` |
//! | `hello` | `hello` |
//! | `rss` | `rss add`, `rss list`, `rss remove`, `rss fetch` |
//!
//! Commands are reached through a terminal. Besides them four items are public: [`registrations`],
//! for static libraries that another compiler links, where the idle line links nothing;
//! [`LEFT_OUT`], which tells a test kit what this build lacks; and `doc::extract` and `rss::feed`, for
//! hosts that have the bytes of a document or a feed already.

use tapeline::Registration;

#[cfg(feature = "doc")]
pub mod doc;
#[cfg(feature = "exchange-rate")]
mod exchange_rate;
#[cfg(feature = "hello")]
mod hello;
#[cfg(feature = "rss")]
pub mod rss;

// Of two groups.
#[cfg(any(feature = "exchange-rate", feature = "rss"))]
mod retry_after;

/// Every command and group of this crate: the way to register them that no linker has a say in.
///
/// Wherever Rust links the program or the shared library, `use tapeline_commands as _;` does the
/// same. In a static library that C or Swift links, as on iOS, it registers nothing, or what the
/// linker happened to take along: hand the registry to the terminal there.
///
/// ```
/// use std::sync::Arc;
/// use tapeline::{Registry, Terminal};
///
/// # fn main() -> Result<(), tapeline::BuildError> {
/// let commands = tapeline_commands::registrations();
/// let registry = Registry::builder().register_all(commands).build()?;
/// let terminal = Terminal::builder().in_memory().registry(Arc::new(registry)).build()?;
/// assert_eq!(terminal.exec_blocking("help").exit_code, 0);
/// # Ok(())
/// # }
/// ```
pub fn registrations() -> impl Iterator<Item = Registration> {
    let folders: &[&[Registration]] = &[
        #[cfg(feature = "doc")]
        doc::REGISTRATIONS,
        #[cfg(feature = "exchange-rate")]
        exchange_rate::REGISTRATIONS,
        #[cfg(feature = "hello")]
        hello::REGISTRATIONS,
        #[cfg(feature = "rss")]
        rss::REGISTRATIONS,
    ];
    folders.iter().copied().flatten().copied()
}

/// Groups that this build was made without: the features that are off. A test kit skips the cases
/// of these, and of no others.
pub const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "doc"))]
    "doc",
    #[cfg(not(feature = "doc"))]
    "table",
    #[cfg(not(feature = "exchange-rate"))]
    "exchange-rate",
    #[cfg(not(feature = "hello"))]
    "hello",
    #[cfg(not(feature = "rss"))]
    "rss",
];

/// The example on the front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct ReadMe;
