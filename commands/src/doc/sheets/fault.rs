//! [`Fault`]: what stops a part.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tapeline::{ErrorCode, Failure};

use super::super::{
    block::{Stop, Watch},
    warning::{Code, Warning},
};

/// Why a part is not read to its end.
#[derive(Debug)]
pub(super) enum Fault {
    /// Nothing more is read at all.
    Stop(Stop),
    /// The part is damaged from here on: what it has, in words that follow its name.
    Damaged(String),
}

impl Fault {
    /// A warning, where the rest of the workbook can be read all the same.
    pub(super) fn tell(self, part: &str, watch: &mut dyn Watch) -> Result<(), Stop> {
        match self {
            Self::Stop(stop) => Err(stop),
            Self::Damaged(why) => {
                watch.warn(Warning::new(Code::DamagedPart, format!("`{part}` {why}")).at(part));
                Ok(())
            }
        }
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Stop(Stop::Failed(failure))
    }
}

/// Runs a reader; a panic in a library below it becomes a failure.
pub(super) fn guard<T>(reader: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    // Nothing that a reader leaves half done is looked at again.
    catch_unwind(AssertUnwindSafe(reader)).unwrap_or_else(|_| {
        Err(unreadable("the workbook cannot be read: its reader gave up on it").into())
    })
}

pub(super) fn unreadable(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::PARSE_ERROR, message)
        .hint("open it in a spreadsheet program and save it as xlsx again")
}
