//! Dates as feeds spell them. A wrong date is worse than none.
//!
//! One reader for all forms: the text becomes tokens, the tokens become the parts of a date, and
//! whatever is left over, given twice or out of range makes it no date. So a form nobody thought
//! of is not half read.
//!
//! What is decided here:
//! - Years run from 1901 to 2100: before lie the defaults of databases (`0001-01-01`,
//!   `1900-01-01`) and the years of other calendars. Two digits count as RFC 2822 says, from 1970
//!   to 2049, and only in its order of day, month and year.
//! - A year or a month alone is no date.
//! - `03/04/2024` is none, whatever stands between the numbers; `13/04/2024` can only be April.
//! - `CST` and `CDT` are those of RFC 822 only where the rest has its form: China's computers
//!   write `Fri Jan 05 12:00:00 CST 2024`. Names that several zones share (`IST`, `BST`, `AST`)
//!   and the military letters, which RFC 822 had the wrong way round, make it no date.
//! - Digits alone are seconds or milliseconds since 1970, if there are 10 or 13 of them and ten
//!   cannot be a day with its hour.

mod token;
mod words;

use jiff::{
    Timestamp,
    civil::{self, ISOWeekDate, Time, Weekday},
    tz::Offset,
};

use self::{
    token::{Token, Tokens},
    words::{Meridiem, Zone},
};
use super::text;

/// What a date's text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) instant: Timestamp,
    /// The text names no zone, and UTC was assumed.
    pub(super) zone_assumed: bool,
}

/// The instant, where only one can be meant. A day without a time is its start.
pub(super) fn read(text: &str) -> Option<Date> {
    /// No date is longer; feeds that put an article there are not tokenized.
    const MAX_BYTES: usize = 512;

    /// Nor has any so many words and numbers; each word is looked for in tables.
    const MAX_TOKENS: usize = 48;

    if text.len() > MAX_BYTES {
        return None;
    }
    let line = text::line(text)?;
    if line.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits(&line);
    }
    let tokens = Tokens::of(&line);
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    let mut reader = Reader { tokens, parts: Parts::default() };
    reader.read()?;
    reader.parts.date()
}

/// Seconds, milliseconds, and the basic forms of ISO 8601.
fn digits(text: &str) -> Option<Date> {
    let since_1970 = |instant: Timestamp| {
        let year = Offset::UTC.to_datetime(instant).year();
        (2001..=2100).contains(&year).then_some(Date { instant, zone_assumed: false })
    };
    match text.len() {
        8 => Parts { day: Some(basic_day(text)?), ..Parts::default() }.date(),
        10 => {
            let (day, hour) = text.split_at_checked(8)?;
            if basic_day(day).is_some() && number(hour)? < 24 {
                return None;
            }
            since_1970(Timestamp::from_second(text.parse().ok()?).ok()?)
        }
        13 => since_1970(Timestamp::from_millisecond(text.parse().ok()?).ok()?),
        14 => {
            let (day, time) = text.split_at_checked(8)?;
            Parts {
                day: Some(basic_day(day)?),
                clock: Some(basic_clock(time)?),
                ..Parts::default()
            }
            .date()
        }
        _ => None,
    }
}

/// `20240105`
fn basic_day(text: &str) -> Option<civil::Date> {
    let (year, rest) = text.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2)?;
    calendar_day(year, number(month)?, day)
}

/// `120000` or `1200`
fn basic_clock(text: &str) -> Option<Clock> {
    let (hour, rest) = text.split_at_checked(2)?;
    let (minute, second) = rest.split_at_checked(2)?;
    let second = match second.len() {
        0 => 0,
        2 => number(second)?,
        _ => return None,
    };
    Clock::new(number(hour)?, number(minute)?, second)
}

fn number(digits: &str) -> Option<i8> {
    digits.parse().ok()
}

/// The day, if the year has four digits and is one that feeds are of.
fn calendar_day(year: &str, month: i8, day: &str) -> Option<civil::Date> {
    if day.len() > 2 {
        return None;
    }
    civil::Date::new(year_of(year)?, month, number(day)?).ok()
}

fn year_of(digits: &str) -> Option<i16> {
    let year = (digits.len() == 4).then(|| digits.parse().ok())??;
    (1901..=2100).contains(&year).then_some(year)
}

/// A time of day. `24:00` is the start of the next one.
#[derive(Clone, Copy, Debug)]
struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
    nanosecond: i32,
}

impl Clock {
    fn new(hour: i8, minute: i8, second: i8) -> Option<Self> {
        let is_valid = match (hour, minute, second) {
            (24, minute, second) => minute == 0 && second == 0,
            // A leap second.
            (0..24, 59, 60) => true,
            (hour, minute, second) => {
                (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second)
            }
        };
        // As jiff does it: the leap second is the second before.
        let second = second.min(59);
        is_valid.then_some(Self { hour, minute, second, nanosecond: 0 })
    }

    /// By the clock of twelve hours. `15:30 PM` can only be one time, `15:30 AM` is none.
    fn with(self, meridiem: Meridiem) -> Option<Self> {
        let hour = match (meridiem, self.hour) {
            // Where noon begins the afternoon, this is said of both noon and midnight.
            (Meridiem::Before { noon_is_12: false }, 12) => return None,
            (Meridiem::Before { .. }, 12) => 0,
            (Meridiem::Before { .. }, 0..12) => self.hour,
            (Meridiem::After, 1..12) => self.hour.checked_add(12)?,
            (Meridiem::After, 12..24) => self.hour,
            _ => return None,
        };
        Some(Self { hour, ..self })
    }
}

/// What stands around a month's name.
#[derive(Debug)]
enum Piece {
    Number(String),
    Month {
        month: i8,
        /// In other languages the word is a weekday.
        or_weekday: bool,
    },
}

#[derive(Debug, Default)]
struct Parts {
    day: Option<civil::Date>,
    /// Of a day with a named month, in the order of the text.
    pieces: Vec<Piece>,
    clock: Option<Clock>,
    zone: Option<Zone>,
    /// Words in parentheses that may name a zone, or anything else.
    has_comment: bool,
}

impl Parts {
    fn date(mut self) -> Option<Date> {
        let mut is_rfc_822 = false;
        let day = match self.day {
            Some(day) => self.pieces.is_empty().then_some(day)?,
            None => {
                // `mar 5 nov 2024`
                if let [Piece::Month { or_weekday: true, .. }, _, _, _] = self.pieces.as_slice() {
                    self.pieces.remove(0);
                }
                match self.pieces.as_slice() {
                    [Piece::Number(day), Piece::Month { month, .. }, Piece::Number(year)]
                        if day.len() <= 2 =>
                    {
                        is_rfc_822 = true;
                        match (year.len(), number(year)) {
                            (2, Some(short @ 0..50)) => {
                                civil::Date::new(2000 + i16::from(short), *month, number(day)?)
                                    .ok()?
                            }
                            (2, Some(short @ 70..)) => {
                                civil::Date::new(1900 + i16::from(short), *month, number(day)?)
                                    .ok()?
                            }
                            _ => calendar_day(year, *month, day)?,
                        }
                    }
                    [Piece::Month { month, .. }, Piece::Number(day), Piece::Number(year)]
                    | [Piece::Number(year), Piece::Month { month, .. }, Piece::Number(day)] => {
                        calendar_day(year, *month, day)?
                    }
                    _ => return None,
                }
            }
        };
        let offset = match self.zone {
            Some(Zone::Offset(seconds)) => Some(Offset::from_seconds(seconds).ok()?),
            Some(Zone::OfRfc822(seconds)) if is_rfc_822 => {
                Some(Offset::from_seconds(seconds).ok()?)
            }
            Some(Zone::OfRfc822(_)) => return None,
            // A comment is no zone, but it may be meant as one.
            None if self.has_comment => return None,
            None => None,
        };
        let (day, time) = match self.clock {
            None => (day, Time::midnight()),
            Some(Clock { hour: 24, .. }) => (day.tomorrow().ok()?, Time::midnight()),
            Some(Clock { hour, minute, second, nanosecond }) => {
                (day, Time::new(hour, minute, second, nanosecond).ok()?)
            }
        };
        let instant = offset.unwrap_or(Offset::UTC).to_timestamp(day.to_datetime(time)).ok()?;
        Some(Date { instant, zone_assumed: offset.is_none() })
    }

    fn is_empty(&self) -> bool {
        self.day.is_none() && self.pieces.is_empty() && self.clock.is_none()
    }

    fn has_no_day(&self) -> bool {
        self.day.is_none() && self.pieces.is_empty()
    }

    fn set_day(&mut self, day: civil::Date) -> Option<()> {
        self.day.replace(day).is_none().then_some(())
    }

    fn set_clock(&mut self, clock: Clock) -> Option<()> {
        self.clock.replace(clock).is_none().then_some(())
    }

    /// A zone given twice (`+00:00Z`) is one, unless they differ.
    fn set_zone(&mut self, zone: Zone) -> Option<()> {
        let is_same = |other: Zone| other.seconds() == zone.seconds();
        self.zone.replace(zone).is_none_or(is_same).then_some(())
    }
}

struct Reader {
    tokens: Tokens,
    parts: Parts,
}

impl Reader {
    /// Reads all tokens; `None` if one of them has no place in a date.
    fn read(&mut self) -> Option<()> {
        // `Foo, 06 Nov 1994`: whatever the language, this is a weekday.
        if let (Some(Token::Word(word)), Some(Token::Sign(','))) =
            (self.tokens.peek(0), self.tokens.peek(1))
            && words::month(word).is_none()
        {
            self.tokens.skip(2);
        }
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Number(digits) => self.number(digits)?,
                Token::Word(word) => self.word(&word)?,
                Token::Sign(sign) => self.sign(sign)?,
            }
        }
        Some(())
    }

    fn number(&mut self, digits: String) -> Option<()> {
        let is_short = digits.len() <= 2;
        match self.tokens.peek(0) {
            Some(Token::Sign(':' | '时' | '時' | '点' | '點' | '시')) if is_short => {
                return self.clock(&digits, None);
            }
            Some(Token::Word(word)) if is_short && word == "h" => {
                return self.clock(&digits, None);
            }
            Some(Token::Sign(between @ ('-' | '/' | '.'))) if self.parts.has_no_day() => {
                let between = *between;
                if let Some(day) = self.numeric_day(&digits, between) {
                    self.parts.set_day(day?)?;
                    return self.between_day_and_time(between);
                }
            }
            Some(Token::Sign(unit @ ('年' | '년'))) => {
                let (month, day) = if *unit == '年' { ('月', '日') } else { ('월', '일') };
                return self.day_with_units(&digits, month, day);
            }
            _ => {}
        }
        // `05 1月 2024`, as WordPress translates `05 Jan 2024`.
        if is_short && (self.tokens.skip_sign('月') || self.tokens.skip_sign('월')) {
            let month = number(&digits)?;
            self.parts.pieces.push(Piece::Month { month, or_weekday: false });
            return Some(());
        }
        if is_short
            && self.parts.clock.is_none()
            && let Some(meridiem) = self.tokens.meridiem()
        {
            return self.parts.set_clock(Clock::new(number(&digits)?, 0, 0)?.with(meridiem)?);
        }
        if digits.len() == 8 && self.parts.is_empty() {
            self.parts.set_day(basic_day(&digits)?)?;
            if self.tokens.skip_word("t")
                && let Some(Token::Number(time)) = self.tokens.peek(0)
                && time.len() > 2
            {
                let mut clock = basic_clock(time)?;
                self.tokens.skip(1);
                clock.nanosecond = self.fraction()?;
                self.parts.set_clock(clock)?;
            }
            return Some(());
        }
        if is_short
            && matches!(self.tokens.peek(0), Some(Token::Word(word)) if words::is_ordinal(word))
        {
            self.tokens.skip(1);
        }
        self.parts.pieces.push(Piece::Number(digits));
        Some(())
    }

    /// The rest of `2024-01-05`, `2024-005`, `2024-W01-5` or `13.01.2024`. The outer `None`: this
    /// is not their form; the inner: it is, and no day.
    fn numeric_day(&mut self, first: &str, between: char) -> Option<Option<civil::Date>> {
        // `2024. 1. 5.` has spaces, the others do not.
        let is_glued = |at: usize| between == '.' || self.tokens.is_glued(at);
        if !is_glued(0) || !is_glued(1) {
            return None;
        }
        let second = match self.tokens.peek(1)? {
            Token::Number(second) => second,
            Token::Word(week) if week == "w" && between == '-' => {
                let (Token::Number(week), Token::Sign('-'), Token::Number(day)) =
                    (self.tokens.peek(2)?, self.tokens.peek(3)?, self.tokens.peek(4)?)
                else {
                    return Some(None);
                };
                let day = week_day(first, week, day);
                self.tokens.skip(5);
                return Some(day);
            }
            _ => return None,
        };
        if first.len() == 4 && second.len() == 3 && between == '-' {
            let day = ordinal_day(first, second);
            self.tokens.skip(2);
            return Some(day);
        }
        let (Some(Token::Sign(again)), Some(Token::Number(third))) =
            (self.tokens.peek(2), self.tokens.peek(3))
        else {
            // A month of a year is no day.
            return Some(None);
        };
        if *again != between || !is_glued(2) || !is_glued(3) || second.len() > 2 {
            return Some(None);
        }
        let day = if first.len() == 4 {
            number(second).and_then(|month| calendar_day(first, month, third))
        } else {
            only_reading(first, second, third)
        };
        self.tokens.skip(4);
        Some(day)
    }

    /// What may follow the numbers of a day: a last dot, `T`.
    fn between_day_and_time(&mut self, between: char) -> Option<()> {
        if between == '.' {
            self.tokens.skip_sign('.');
        }
        // `2024-01-05-08:00` has a zone to XML Schema, and a time to others.
        if matches!(self.tokens.peek(0), Some(Token::Sign('-' | '/'))) && self.tokens.is_glued(0) {
            return None;
        }
        if matches!(self.tokens.peek(1), Some(Token::Number(_))) {
            self.tokens.skip_word("t");
        }
        Some(())
    }

    /// The rest of `2024年1月5日`.
    fn day_with_units(&mut self, year: &str, month_unit: char, day_unit: char) -> Option<()> {
        self.tokens.skip(1);
        let month = self.tokens.next_number()?;
        self.tokens.skip_sign(month_unit).then_some(())?;
        let day = self.tokens.next_number()?;
        self.tokens.skip_sign(day_unit).then_some(())?;
        if month.len() > 2 {
            return None;
        }
        self.parts.set_day(calendar_day(year, number(&month)?, &day)?)
    }

    /// The rest of `12:34:56.789 pm`, `12h34` or `12时34分56秒`.
    fn clock(&mut self, hour: &str, before: Option<Meridiem>) -> Option<()> {
        let (mut minute, mut second, mut nanosecond) = (0, 0, 0);
        match self.tokens.next()? {
            Token::Sign(':') => {
                minute = self.sixtieth()?;
                if self.tokens.skip_sign(':') {
                    second = self.sixtieth()?;
                    nanosecond = self.fraction()?;
                }
            }
            Token::Word(_) => {
                if matches!(self.tokens.peek(0), Some(Token::Number(digits)) if digits.len() == 2) {
                    minute = self.sixtieth()?;
                }
            }
            Token::Sign(unit) => {
                let (minutes, seconds) =
                    if unit == '시' { ('분', '초') } else { ('分', '秒') };
                if matches!(self.tokens.peek(0), Some(Token::Number(_))) {
                    minute = self.sixtieth()?;
                    self.tokens.skip_sign(minutes).then_some(())?;
                }
                if matches!(self.tokens.peek(1), Some(Token::Sign(sign)) if *sign == seconds) {
                    second = self.sixtieth()?;
                    self.tokens.skip(1);
                }
            }
            Token::Number(_) => return None,
        }
        let mut clock = Clock::new(number(hour)?, minute, second)?;
        clock.nanosecond = nanosecond;
        if let Some(meridiem) = before.or_else(|| self.tokens.meridiem()) {
            clock = clock.with(meridiem)?;
        }
        self.parts.set_clock(clock)
    }

    /// Minutes or seconds.
    fn sixtieth(&mut self) -> Option<i8> {
        let digits = self.tokens.next_number()?;
        (digits.len() <= 2).then(|| number(&digits))?
    }

    /// `.789` as nanoseconds; digits past those are cut off. 0 where there is no fraction.
    fn fraction(&mut self) -> Option<i32> {
        let is_fraction = matches!(
            (self.tokens.peek(0), self.tokens.peek(1)),
            (Some(Token::Sign('.' | ',')), Some(Token::Number(_)))
        ) && self.tokens.is_glued(0)
            && self.tokens.is_glued(1);
        if !is_fraction {
            return Some(0);
        }
        self.tokens.skip(1);
        let digits = self.tokens.next_number()?;
        let nanoseconds: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
        nanoseconds.parse().ok()
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if let Some(month) = words::month(word) {
            let or_weekday = words::is_weekday(word);
            self.parts.pieces.push(Piece::Month { month, or_weekday });
            return Some(());
        }
        // `05 一月 2024`
        if let Some(month) = words::chinese_number(word)
            && self.tokens.skip_sign('月')
        {
            self.parts.pieces.push(Piece::Month { month, or_weekday: false });
            return Some(());
        }
        if words::is_weekday(word) {
            // `segunda-feira`
            if matches!(self.tokens.peek(1), Some(Token::Word(word)) if word == "feira") {
                self.tokens.skip(2);
            }
            return Some(());
        }
        // After a time, `A` is a military zone.
        if words::is_filler(word) && (word != "a" || self.parts.clock.is_none()) {
            return Some(());
        }
        if let Some(meridiem) = words::meridiem_before(word) {
            let hour = self.tokens.next_number()?;
            return self.clock(&hour, Some(meridiem));
        }
        let zone = words::zone(word)?;
        if matches!(self.tokens.peek(0), Some(Token::Sign('+' | '-')))
            && matches!(self.tokens.peek(1), Some(Token::Number(_)))
            && self.tokens.is_glued(1)
        {
            let offset = self.tokens.next_sign().and_then(|sign| self.offset(sign))?;
            // `GMT+2` is two hours from it, `EST-0500` says the same twice.
            let is_same = offset == zone.seconds() || matches!(word, "gmt" | "utc" | "ut");
            return is_same.then(|| self.parts.set_zone(Zone::Offset(offset)))?;
        }
        self.parts.set_zone(zone)
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        match sign {
            ',' | '.' => Some(()),
            '+' | '-'
                if matches!(self.tokens.peek(0), Some(Token::Number(_)))
                    && self.tokens.is_glued(0) =>
            {
                if self.parts.clock.is_some() || self.parts.day.is_some() {
                    let offset = self.offset(sign)?;
                    return self.parts.set_zone(Zone::Offset(offset));
                }
                // `06-Nov-1994`
                (sign == '-' && !self.parts.pieces.is_empty()).then_some(())
            }
            '-' | '/' if !self.parts.is_empty() => Some(()),
            '(' => self.comment(')'),
            // The zone's name, after its offset.
            '[' if self.parts.zone.is_some() => self.comment(']'),
            _ => None,
        }
    }

    /// `0800`, `08:00`, `8`, in seconds.
    fn offset(&mut self, sign: char) -> Option<i32> {
        let digits = self.tokens.next_number()?;
        let (hours, minutes) = match digits.len() {
            1 | 2 if self.tokens.skip_sign(':') => (number(&digits)?, self.sixtieth()?),
            1 | 2 => (number(&digits)?, 0),
            3 | 4 => {
                let (hours, minutes) = digits.split_at_checked(digits.len().checked_sub(2)?)?;
                (number(hours)?, number(minutes)?)
            }
            _ => return None,
        };
        let seconds = i32::from(hours) * 3600 + i32::from(minutes) * 60;
        let is_real = (0..60).contains(&minutes) && seconds <= 14 * 3600;
        is_real.then_some(if sign == '-' { -seconds } else { seconds })
    }

    /// What is in parentheses: a weekday, the name of a zone that was given or was not, anything.
    fn comment(&mut self, end: char) -> Option<()> {
        let mut inside = Vec::new();
        loop {
            match self.tokens.next()? {
                Token::Sign(sign) if sign == end => break,
                token => inside.push(token),
            }
        }
        match inside.as_slice() {
            [Token::Word(word)] if words::is_weekday(word) => {}
            [Token::Word(word)] if self.parts.zone.is_none() && words::zone(word).is_some() => {
                self.parts.zone = words::zone(word);
            }
            _ => self.parts.has_comment = true,
        }
        Some(())
    }
}

/// Day and month in either order, if only one is a date or both are the same.
fn only_reading(first: &str, second: &str, year: &str) -> Option<civil::Date> {
    let day_first = number(second).and_then(|month| calendar_day(year, month, first));
    let month_first = number(first).and_then(|month| calendar_day(year, month, second));
    match (day_first, month_first) {
        (Some(one), Some(other)) => (one == other).then_some(one),
        (one, other) => one.or(other),
    }
}

fn ordinal_day(year: &str, day: &str) -> Option<civil::Date> {
    let first = civil::Date::new(year_of(year)?, 1, 1).ok()?;
    first.with().day_of_year(day.parse().ok()?).build().ok()
}

fn week_day(year: &str, week: &str, day: &str) -> Option<civil::Date> {
    let weekday = Weekday::from_monday_one_offset(number(day)?).ok()?;
    (week.len() == 2).then_some(())?;
    Some(ISOWeekDate::new(year_of(year)?, number(week)?, weekday).ok()?.date())
}

#[cfg(test)]
mod tests;
