//! The numbers of list items on slides.

use office_oxide::pptx::{TextParagraph, shape::BulletStyle};

use super::super::office::{Numeral, numeral};

const LEVELS: usize = 9;

/// The numbers of the items of one text.
#[derive(Default)]
pub(super) struct Numbers<'t> {
    levels: [Option<(&'t str, u64)>; LEVELS],
}

impl<'t> Numbers<'t> {
    /// What stands before the paragraph, if it is numbered.
    pub(super) fn next(&mut self, paragraph: &'t TextParagraph) -> Option<String> {
        let level = usize::try_from(paragraph.level).unwrap_or(LEVELS).min(LEVELS - 1);
        self.levels.iter_mut().skip(level + 1).for_each(|below| *below = None);
        let at = self.levels.get_mut(level)?;
        let Some(BulletStyle::AutoNum { scheme, start_at }) = &paragraph.bullet else {
            *at = None;
            return None;
        };
        let count = match *at {
            Some((known, count)) if known == scheme => count.saturating_add(1),
            _ => u64::from(start_at.unwrap_or(1)),
        };
        *at = Some((scheme, count));
        Some(shown(count, scheme))
    }
}

/// `arabicPeriod` is `1.`, `alphaLcParenBoth` is `(a)`.
fn shown(count: u64, scheme: &str) -> String {
    const WAYS: &[(&str, Numeral)] = &[
        ("alphaLc", Numeral::LowerLetter),
        ("alphaUc", Numeral::UpperLetter),
        ("romanLc", Numeral::LowerRoman),
        ("romanUc", Numeral::UpperRoman),
        ("circleNum", Numeral::Circled),
        ("arabicDb", Numeral::FullWidth),
        ("ea1Chs", Numeral::Chinese),
        ("ea1Cht", Numeral::Chinese),
        ("ea1Jpn", Numeral::Chinese),
    ];
    let way = WAYS.iter().find(|(start, _)| scheme.starts_with(start));
    let number = numeral(count, way.map_or(Numeral::Decimal, |(_, way)| *way));
    match scheme {
        _ if scheme.ends_with("ParenBoth") => format!("({number})"),
        _ if scheme.ends_with("ParenR") => format!("{number})"),
        _ if scheme.ends_with("Minus") => format!("{number}-"),
        _ if scheme.ends_with("Plain") => number,
        _ => format!("{number}."),
    }
}
