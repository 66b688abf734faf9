//! [`Meant`]: which records of a log.

use std::{fmt, str::FromStr};

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::Deserialize;
use tapeline::{audit::Record, line};

use crate::{Log, LogError, log::Stretch, log_replay::Place};

/// Which records, of all that there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meant {
    /// Those that began then or later.
    pub(crate) since: Option<Since>,
    /// Words that the path of their command begins with.
    pub(crate) command: Vec<String>,
    /// Of all these the newest.
    pub(crate) limit: Option<usize>,
}

/// An instant, given as one or as a day in UTC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since(Timestamp);

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A time of day without a zone would be read as the day alone.
        let at = match text.len() {
            10 => {
                text.parse::<Date>().and_then(|day| TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)))
            }
            _ => text.parse(),
        };
        at.map(Self).map_err(|_| {
            "write a day as `2026-11-27` or an instant as `2026-11-27T09:30:00Z`".to_owned()
        })
    }
}

impl fmt::Display for Since {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Meant {
    /// From the first line that may be meant to where the log ends now.
    ///
    /// # Errors
    /// The files cannot be listed.
    pub(crate) fn stretch(&self, place: &Place) -> Result<Stretch, LogError> {
        let day = self.since.map(|since| since.to_string());
        let files = place.files(day.as_deref().and_then(|at| at.get(..10)))?;
        let is_meant = |line: &[u8]| {
            let record = serde_json::from_slice::<Record>(line);
            record.is_ok_and(|record| self.is_meant(&place.log, &record))
        };
        Ok(match self.limit {
            Some(limit) => Stretch::last(&files, limit, &is_meant),
            None => Stretch::all(&files),
        })
    }

    /// Whether that is one of them, but for the limit.
    pub(crate) fn is_meant(&self, log: &Log, record: &Record) -> bool {
        // One that does not say when it began may have begun at any time.
        let began = || record.timestamp.parse::<Timestamp>();
        let is_earlier = self.since.is_some_and(|Since(at)| began().is_ok_and(|began| began < at));
        !is_earlier && (self.command.is_empty() || self.is_command(log, record))
    }

    fn is_command(&self, log: &Log, record: &Record) -> bool {
        let words = match path(log, record) {
            Some(path) => path.split(' ').map(str::to_owned).collect(),
            // What the line named is no command of the build that was recorded.
            None => {
                let line = log.value::<String>(&record.command).unwrap_or_default();
                line::parse(&line).unwrap_or_default()
            }
        };
        words.starts_with(&self.command)
    }
}

/// The path of the command that was run; `None` where the line named none.
pub(crate) fn path(log: &Log, record: &Record) -> Option<String> {
    #[derive(Deserialize)]
    struct Parsed {
        path: String,
    }

    log.value::<Option<Parsed>>(&record.parsed_command).ok()?.map(|parsed| parsed.path)
}
