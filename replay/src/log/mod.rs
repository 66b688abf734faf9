//! Reading an audit log, whatever a crash left in it.

mod error;
mod find;
mod lines;
mod pin;
mod records;
mod reverse;
mod stretch;
#[cfg(test)]
mod tests;
mod torn;
mod values;
mod verify;

pub use error::{LogError, LogErrorKind};
pub(crate) use lines::Line;
pub use pin::{InvalidPin, Pin};
pub use records::Log;
pub(crate) use stretch::Stretch;
pub use verify::{Damage, DamageKind, Note, NoteKind, Stands, Verified, Verify};
