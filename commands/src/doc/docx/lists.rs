//! The markers of list items, counted as Word counts.

use std::collections::{BTreeMap, BTreeSet};

use office_oxide::docx::numbering::{NumberFormat, NumberingDefinitions, NumberingLevel};

use super::super::office::{Numeral, numeral};

/// Word has nine.
const LEVELS: usize = 9;

/// A level's text may be as long as the part that it is in.
const MOST_CHARS: usize = 40;

pub(super) struct Lists<'d> {
    definitions: Option<&'d NumberingDefinitions>,
    /// By the abstract list: lists that share one go on counting.
    counters: BTreeMap<u32, [Option<u64>; LEVELS]>,
    /// Lists and levels whose own start was used.
    restarted: BTreeSet<(u32, usize)>,
}

/// What stands before an item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// The list shows nothing: no item to a reader.
    Nothing,
    Bullet,
    Number(String),
}

impl<'d> Lists<'d> {
    pub(super) fn new(definitions: Option<&'d NumberingDefinitions>) -> Self {
        Self { definitions, counters: BTreeMap::new(), restarted: BTreeSet::new() }
    }

    /// The marker of the next item of `list` at `level`.
    pub(super) fn next(&mut self, list: u32, level: u8) -> Marker {
        let Some(definitions) = self.definitions else { return Marker::Bullet };
        let level = usize::from(level).min(LEVELS - 1);
        let Some(shown) = level_of(definitions, list, level) else { return Marker::Bullet };
        let Some(instance) = definitions.instances.get(&list) else { return Marker::Bullet };

        let counters = self.counters.entry(instance.abstract_num_id).or_default();
        let own_start = key(level).and_then(|level| instance.start_overrides.get(&level));
        if let Some(start) = own_start
            && self.restarted.insert((list, level))
            && let Some(counter) = counters.get_mut(level)
        {
            *counter = u64::from(*start).checked_sub(1);
        }
        for (at, counter) in counters.iter_mut().enumerate() {
            let start =
                || level_of(definitions, list, at).map_or(1, |level| u64::from(level.start));
            match at.cmp(&level) {
                // An item below one that was never there.
                std::cmp::Ordering::Less => *counter = counter.or_else(|| Some(start())),
                std::cmp::Ordering::Equal => {
                    *counter = match (*counter, own_start) {
                        (Some(count), _) => Some(count.saturating_add(1)),
                        (None, Some(start)) => Some(u64::from(*start)),
                        (None, None) => Some(start()),
                    };
                }
                std::cmp::Ordering::Greater => *counter = None,
            }
        }
        let counters = *counters;
        match &shown.format {
            NumberFormat::Bullet => Marker::Bullet,
            NumberFormat::None if shown.level_text.trim().is_empty() => Marker::Nothing,
            _ if shown.level_text.trim().is_empty() => Marker::Nothing,
            _ => Marker::Number(text(definitions, list, shown, &counters)),
        }
    }
}

/// The text of a level, its `%1` to `%9` filled in.
fn text(
    definitions: &NumberingDefinitions,
    list: u32,
    shown: &NumberingLevel,
    counters: &[Option<u64>; LEVELS],
) -> String {
    // A part is read so that the way of counting has such a name that makes all numbers decimal.
    let is_legal = matches!(&shown.format, NumberFormat::Other(name) if name.starts_with("legal"));
    let mut text = String::new();
    let mut characters = shown.level_text.chars().take(MOST_CHARS).peekable();
    while let Some(character) = characters.next() {
        let digit = characters.peek().and_then(|next| next.to_digit(10)).filter(|digit| *digit > 0);
        let Some(digit) = digit.filter(|_| character == '%') else {
            text.push(character);
            continue;
        };
        characters.next();
        let at = usize::try_from(digit).unwrap_or(1) - 1;
        let count = counters.get(at).copied().flatten().unwrap_or(1);
        let way = level_of(definitions, list, at)
            .map_or(Some(Numeral::Decimal), |level| way(&level.format));
        let way = match way {
            Some(Numeral::DecimalZero) => way,
            _ if is_legal => Some(Numeral::Decimal),
            _ => way,
        };
        if let Some(way) = way {
            text.push_str(&numeral(count, way));
        }
    }
    text.trim().to_owned()
}

fn level_of(
    definitions: &NumberingDefinitions,
    list: u32,
    level: usize,
) -> Option<&NumberingLevel> {
    definitions.resolve_level(list, key(level)?)
}

fn key(level: usize) -> Option<u8> {
    u8::try_from(level).ok()
}

fn way(format: &NumberFormat) -> Option<Numeral> {
    Some(match format {
        NumberFormat::None | NumberFormat::Bullet => return None,
        NumberFormat::Decimal => Numeral::Decimal,
        NumberFormat::LowerLetter => Numeral::LowerLetter,
        NumberFormat::UpperLetter => Numeral::UpperLetter,
        NumberFormat::LowerRoman => Numeral::LowerRoman,
        NumberFormat::UpperRoman => Numeral::UpperRoman,
        NumberFormat::Other(name) => match name.as_str() {
            "decimalZero" | "legalZero" => Numeral::DecimalZero,
            "ordinal" => Numeral::Ordinal,
            "cardinalText" => Numeral::CardinalText,
            "ordinalText" => Numeral::OrdinalText,
            "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => Numeral::Circled,
            "decimalFullWidth" | "decimalFullWidth2" => Numeral::FullWidth,
            "chineseCounting"
            | "chineseCountingThousand"
            | "taiwaneseCounting"
            | "taiwaneseCountingThousand"
            | "japaneseCounting"
            | "koreanCounting" => Numeral::Chinese,
            "ideographDigital" | "japaneseDigitalTenThousand" | "taiwaneseDigital" => {
                Numeral::ChineseDigits
            }
            "ideographTraditional" => Numeral::HeavenlyStem,
            "ideographZodiac" => Numeral::EarthlyBranch,
            "russianLower" => Numeral::LowerRussian,
            "russianUpper" => Numeral::UpperRussian,
            "aiueo" | "aiueoFullWidth" => Numeral::Katakana,
            _ => Numeral::Decimal,
        },
    })
}
