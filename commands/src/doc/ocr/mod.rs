//! `doc ocr`: scanned pages into text.
//!
//! The command is in every build with documents; what reads the pages, `engine`, is behind the
//! feature `ocr`. Models are no part of either.

mod command;
mod scan;

#[cfg(feature = "ocr")]
mod engine;

pub(super) use self::command::REGISTRATION;
