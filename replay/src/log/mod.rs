//! Reading an audit log, whatever a crash left in it.

mod error;
mod lines;
mod records;
#[cfg(test)]
mod tests;
mod values;

pub use error::{LogError, LogErrorKind};
pub use records::Log;
