//! Dates as a workbook stores them, days since a beginning, into ISO 8601.

use super::number_format::{Form, Format};

const DAY_MS: i64 = 86_400_000;

/// The last day that spreadsheets know: 9999-12-31, in days since 1970-01-01.
const LAST_DAY: i64 = 2_932_896;

/// What a number means under a date format; none where it means no date, and stays a number:
/// negative ones, 0 as a date of the 1900 system, days past the year 9999.
///
/// Times are to the second where the format shows no fractions of it: the noise of a computation
/// would make 12:29:59.997 of half past twelve.
pub(super) fn iso(serial: f64, format: Format, is_1904: bool) -> Option<String> {
    let Format { form, has_fractions } = format;
    if form == Form::Number || !serial.is_finite() || serial.abs() > 3e6 {
        return None;
    }
    // Fits: at most 2.6e14.
    #[expect(clippy::cast_possible_truncation, reason = "rounded, and its size was looked at")]
    let ms = (serial * DAY_MS as f64).round() as i64;
    let ms = if has_fractions { ms } else { (ms + 500).div_euclid(1000) * 1000 };
    if form == Form::Duration {
        return Some(duration(ms));
    }
    if ms < 0 {
        return None;
    }
    let (day, ms) = (ms / DAY_MS, ms % DAY_MS);
    // The 1900 system has no day before its first; the 1904 system begins with one.
    let is_time = match form {
        Form::Time => day == 0,
        _ => day == 0 && !is_1904,
    };
    if is_time {
        return (form != Form::Date || ms > 0).then(|| time(ms));
    }
    let date = date(day, is_1904)?;
    if form == Form::Date && ms == 0 { Some(date) } else { Some(format!("{date}T{}", time(ms))) }
}

fn date(day: i64, is_1904: bool) -> Option<String> {
    let days = match (is_1904, day) {
        (true, _) => day - 24_107,
        (false, ..60) => day - 25_568,
        // A day that never was: the 1900 system has it, as the program did that it is made after.
        (false, 60) => return Some("1900-02-29".to_owned()),
        (false, _) => day - 25_569,
    };
    if days > LAST_DAY {
        return None;
    }
    // From days to a date of the Gregorian calendar, by eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

fn time(ms: i64) -> String {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if ms == 0 {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{seconds:02}.{ms:03}")
    }
}

fn duration(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}", time(ms.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_date_systems() {
        for (serial, form, is_1904, expected) in [
            (44_197.0, Form::Date, false, "2021-01-01"),
            (42_735.0, Form::Date, true, "2021-01-01"),
            (1.0, Form::Date, false, "1900-01-01"),
            (59.0, Form::Date, false, "1900-02-28"),
            (60.0, Form::Date, false, "1900-02-29"),
            (61.0, Form::Date, false, "1900-03-01"),
            (0.0, Form::Date, true, "1904-01-01"),
            (2_958_465.0, Form::Date, false, "9999-12-31"),
            (45_352.520_833_333_3, Form::DateTime, false, "2024-03-01T12:30:00"),
            (45_352.520_833_333_3, Form::Date, false, "2024-03-01T12:30:00"),
            (45_352.0, Form::DateTime, false, "2024-03-01T00:00:00"),
            (45_351.999_999_999_99, Form::Date, false, "2024-03-01"),
            (0.520_833_333_333_333, Form::Time, false, "12:30:00"),
            (0.5, Form::Date, false, "12:00:00"),
            (0.0, Form::Time, true, "00:00:00"),
            (0.000_011_574_1, Form::Time, false, "00:00:01"),
            (0.520_833_3, Form::Time, false, "12:30:00"),
            (1.5, Form::Duration, false, "36:00:00"),
            (-0.25, Form::Duration, false, "-06:00:00"),
        ] {
            let got = iso(serial, Format { form, has_fractions: false }, is_1904);
            assert_eq!(got.as_deref(), Some(expected), "{serial} {form:?} {is_1904}");
        }
        let fine = Format { form: Form::Time, has_fractions: true };
        assert_eq!(iso(0.000_017_361_1, fine, false).as_deref(), Some("00:00:01.500"));
    }

    #[test]
    fn what_is_no_date_stays_a_number() {
        for (serial, form) in [
            (0.0, Form::Date),
            (-1.0, Form::DateTime),
            (2_958_466.0, Form::Date),
            (1e300, Form::Duration),
            (f64::NAN, Form::Date),
            (44_197.0, Form::Number),
        ] {
            let format = Format { form, has_fractions: false };
            assert_eq!(iso(serial, format, false), None, "{serial} {form:?}");
        }
    }
}
