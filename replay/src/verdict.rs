//! [`Verdict`]: what a replay comes to.

use std::{error::Error, fmt};

use crate::{Difference, Miss, player::Played};

/// What running again came to, compared with what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The same.
    Ok,
    /// Something differs.
    Changed(Vec<Difference>),
    /// There is nothing yet to compare with: what came may be accepted.
    New,
    /// Two processes came to different ends.
    Unstable(Vec<Difference>),
    /// The run asked for what is not on its tape; whatever came of it does not count.
    Miss(Vec<Miss>),
    /// The command panicked, and had not when it was recorded.
    Panic,
    /// The run did not end in 60 s of real time.
    Stuck,
    /// What was recorded cannot be used.
    Broken(String),
    /// It cannot be run again, by what it says itself or since this build lacks the feature.
    Skipped(String),
}

impl Verdict {
    /// `Broken`, with an error and all that caused it.
    pub(crate) fn broken(error: &dyn Error) -> Self {
        Self::Broken(chain(error))
    }

    /// `Ok` where nothing differs; `Panic` where the command panicked and was not expected to.
    pub(crate) fn of(
        differences: Vec<Difference>,
        played: &Played,
        expected_code: Option<&str>,
    ) -> Self {
        const PANIC: Option<&str> = Some("Internal");
        let code = played.record.error_code.as_deref();
        match differences.is_empty() {
            true => Self::Ok,
            false if code == PANIC && expected_code != PANIC => Self::Panic,
            false => Self::Changed(differences),
        }
    }

    /// One word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Changed(_) => "changed",
            Self::New => "new",
            Self::Unstable(_) => "unstable",
            Self::Miss(_) => "miss",
            Self::Panic => "panic",
            Self::Stuck => "stuck",
            Self::Broken(_) => "broken",
            Self::Skipped(_) => "skipped",
        }
    }

    /// Whether what came may be put in place of what was expected, by the verdict's name.
    pub(crate) fn may_be_accepted(name: &str) -> bool {
        ["changed", "new"].contains(&name)
    }

    /// 0 for `ok`; 1 where the run answers otherwise; 2 where it could not be run again.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Changed(_)
            | Self::New
            | Self::Unstable(_)
            | Self::Miss(_)
            | Self::Panic
            | Self::Stuck => 1,
            Self::Broken(_) | Self::Skipped(_) => 2,
        }
    }
}

/// An error and its causes, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        said.push_str(&format!(": {error}"));
        source = error.source();
    }
    said
}

impl fmt::Display for Verdict {
    /// The word, then what there is to say, each on lines of its own.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.name())?;
        match self {
            Self::Ok | Self::New | Self::Panic | Self::Stuck => Ok(()),
            Self::Changed(differences) | Self::Unstable(differences) => {
                differences.iter().try_for_each(|difference| write!(formatter, "{difference}"))
            }
            Self::Miss(misses) => {
                misses.iter().try_for_each(|miss| writeln!(formatter, "  not on the tape: {miss}"))
            }
            Self::Broken(why) | Self::Skipped(why) => writeln!(formatter, "  {why}"),
        }
    }
}
