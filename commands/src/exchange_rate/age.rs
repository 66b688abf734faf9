//! [`Age`]: how old a table of rates is, in words.

use std::fmt;

/// Time since the service made the table; negative for a clock that is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age {
    ms: i64,
}

impl Age {
    pub(super) fn from_ms(ms: i64) -> Self {
        Self { ms }
    }

    pub(super) fn ms(self) -> i64 {
        self.ms
    }
}

impl fmt::Display for Age {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MINUTE: i64 = 60_000;
        const HOUR: i64 = 60 * MINUTE;
        const DAY: i64 = 24 * HOUR;
        let (count, unit) = match self.ms {
            ..0 => return formatter.write_str("from the future by this clock"),
            0..MINUTE => return formatter.write_str("less than a minute old"),
            MINUTE..HOUR => (self.ms / MINUTE, "minute"),
            HOUR..DAY => (self.ms / HOUR, "hour"),
            DAY.. => (self.ms / DAY, "day"),
        };
        let plural = if count == 1 { "" } else { "s" };
        write!(formatter, "{count} {unit}{plural} old")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_told_in_the_largest_unit_that_fits() {
        for (ms, words) in [
            (-1, "from the future by this clock"),
            (0, "less than a minute old"),
            (60_000, "1 minute old"),
            (3_599_999, "59 minutes old"),
            (3_600_000, "1 hour old"),
            (86_399_999, "23 hours old"),
            (86_400_000, "1 day old"),
            (31_536_000_000, "365 days old"),
        ] {
            assert_eq!(Age::from_ms(ms).to_string(), words, "{ms}");
        }
    }
}
