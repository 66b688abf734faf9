//! [`Format`]: whether a number format shows a date, a time, or neither.

/// What matters of a number format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) form: Form,
    /// Whether it shows fractions of a second.
    pub(super) has_fractions: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Number,
    Date,
    Time,
    DateTime,
    Duration,
}

/// The form of a format that a workbook does not spell out. Those from 27 to 58 are dates and times
/// of East Asian locales; where two locales differ, it is a date here, and so a time below one day.
pub(super) fn built_in(id: u32) -> Format {
    let form = match id {
        14..=17 | 27..=31 | 34..=36 | 50..=58 => Form::Date,
        18..=21 | 32 | 33 | 45 | 47 => Form::Time,
        22 => Form::DateTime,
        46 => Form::Duration,
        _ => Form::Number,
    };
    Format { form, has_fractions: id == 47 }
}

/// The form of a format code, by its first section, which is the one of positive numbers.
pub(super) fn of_code(code: &str) -> Format {
    let mut seen = Seen::default();
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ';' => break,
            '"' => {
                characters.by_ref().take_while(|quoted| *quoted != '"').for_each(drop);
            }
            // The next one is shown, left out by its width, or repeated: none is a field.
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                let inner: String =
                    characters.by_ref().take_while(|inner| *inner != ']').take(64).collect();
                seen.bracket(&inner);
            }
            'G' | 'g' if starts_with_eneral(characters.clone()) => {
                characters.by_ref().take(6).for_each(drop);
            }
            // `AM/PM`, `A/P`.
            'A' | 'a' if matches!(characters.peek(), Some('M' | 'm' | '/')) => {
                seen.time = true;
                while matches!(characters.peek(), Some('M' | 'm' | '/' | 'P' | 'p')) {
                    characters.next();
                }
            }
            // The exponent of a number.
            'E' | 'e' if matches!(characters.peek(), Some('+' | '-')) => seen.number = true,
            '#' | '?' | '@' => seen.number = true,
            // Fractions of a second.
            '0' if seen.last == Some('s') => seen.fractions = true,
            '0' => seen.number = true,
            letter if letter.is_ascii_alphabetic() => seen.letter(letter.to_ascii_lowercase()),
            _ => {}
        }
    }
    Format { form: seen.form(), has_fractions: seen.fractions }
}

fn starts_with_eneral(rest: impl Iterator<Item = char>) -> bool {
    rest.take(6).map(|letter| letter.to_ascii_lowercase()).eq("eneral".chars())
}

#[derive(Default)]
struct Seen {
    number: bool,
    date: bool,
    time: bool,
    duration: bool,
    fractions: bool,
    /// An `m` that is a month if no hour before it and no second after it makes it a minute.
    month: bool,
    /// The last field.
    last: Option<char>,
}

impl Seen {
    fn letter(&mut self, letter: char) {
        match letter {
            'y' | 'd' | 'e' | 'g' | 'b' | 'a' | 'r' => self.date = true,
            'h' => self.time = true,
            's' => {
                self.time = true;
                if self.last == Some('m') {
                    self.month = false;
                }
            }
            'm' if matches!(self.last, Some('h' | 's')) => self.time = true,
            // More of the same field.
            'm' if self.last == Some('m') => return,
            'm' => {
                // One that was left undecided is a month.
                self.date |= self.month;
                self.month = true;
            }
            _ => return,
        }
        if letter == 'm' && matches!(self.last, Some('h' | 's')) {
            // A minute: what follows is not one more month.
            self.last = Some('h');
        } else {
            self.last = Some(letter);
        }
    }

    /// `[h]` and the like; others are colours, conditions, currencies and locales.
    fn bracket(&mut self, inner: &str) {
        let mut letters = inner.chars().map(|letter| letter.to_ascii_lowercase());
        if let Some(first @ ('h' | 'm' | 's')) = letters.next()
            && letters.all(|letter| letter == first)
        {
            self.duration = true;
            self.last = Some(if first == 'm' { 'h' } else { first });
        }
    }

    fn form(&self) -> Form {
        let date = self.date || self.month;
        match (date, self.time) {
            _ if self.number => Form::Number,
            _ if self.duration => Form::Duration,
            (true, true) => Form::DateTime,
            (true, false) => Form::Date,
            (false, true) => Form::Time,
            (false, false) => Form::Number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_by_their_fields() {
        for (code, form) in [
            ("General", Form::Number),
            ("GENERAL", Form::Number),
            ("0.00E+00", Form::Number),
            ("#,##0.00 \"days\"", Form::Number),
            ("0.00\\ \\d\\a\\y", Form::Number),
            ("[Red]0.00;[Blue]-0.00", Form::Number),
            ("[$USD] #,##0", Form::Number),
            ("_-* #,##0.00\\ _€_-;-* #,##0.00\\ _€_-", Form::Number),
            ("@", Form::Number),
            ("\"yes\";\"yes\";\"no\"", Form::Number),
            ("yyyy-mm-dd", Form::Date),
            ("mmm", Form::Date),
            ("[$-409]d-mmm-yy;@", Form::Date),
            ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", Form::Date),
            ("yyyy\"年\"m\"月\"d\"日\";@", Form::Date),
            ("[DBNum1][$-804]yyyy\"年\"m\"月\"", Form::Date),
            ("ggge\"年\"m\"月\"d\"日\"", Form::Date),
            ("aaaa", Form::Date),
            ("h:mm", Form::Time),
            ("mm:ss", Form::Time),
            ("mm:ss.0", Form::Time),
            ("h:mm:ss AM/PM", Form::Time),
            ("[$-409]h:mm\\ a/p;@", Form::Time),
            ("m/d/yy h:mm", Form::DateTime),
            ("dd/mm/yyyy\\ hh:mm:ss.000", Form::DateTime),
            ("h:mm d/m", Form::DateTime),
            ("[h]:mm", Form::Duration),
            ("[hh]:mm:ss;@", Form::Duration),
            ("[mm]:ss", Form::Duration),
            ("[Red][h]\"h\"", Form::Duration),
        ] {
            assert_eq!(of_code(code).form, form, "{code}");
        }
        assert!(of_code("mm:ss.0").has_fractions);
        assert!(!of_code("h:mm:ss").has_fractions);
    }
}
