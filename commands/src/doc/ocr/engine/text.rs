//! [`tidy`]: the parts of a line as one text.

use super::{recognise::Language, strip::Strip};

/// A part of a line that was read by itself.
pub(super) struct Part {
    pub(super) text: String,
    pub(super) strip: Strip,
}

/// Blanks once, none at the ends, none between Chinese characters; two between parts that stand wide
/// apart, such as cells.
pub(super) fn tidy(parts: impl IntoIterator<Item = Part>, language: Language) -> String {
    let mut line = String::new();
    let mut last: Option<Strip> = None;
    for Part { text, strip } in parts {
        if !line.is_empty() && last.is_some_and(|last| are_apart(&last, &strip)) {
            line.push(' ');
        }
        if !line.is_empty() {
            line.push(' ');
        }
        last = Some(strip);
        line += &words(&text, language);
    }
    line.trim().to_owned()
}

fn are_apart(one: &Strip, other: &Strip) -> bool {
    /// In heights.
    const APART: f32 = 1.5;
    let (right, _) = one.offset(one.x, one.y, other.x, other.y);
    right - (one.length + other.length) / 2.0 > APART * one.height.max(other.height)
}

fn words(text: &str, language: Language) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let is_within = language == Language::Any
            && words.chars().last().is_some_and(is_chinese)
            && word.chars().next().is_some_and(is_chinese);
        if !words.is_empty() && !is_within {
            words.push(' ');
        }
        words += word;
    }
    words
}

/// Written without blanks: ideographs, kana, and the signs among them.
fn is_chinese(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF01}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::{Language, Part, Strip, tidy};

    fn part(text: &str, x: f32) -> Part {
        Part {
            text: text.to_owned(),
            strip: Strip { x, y: 0.0, length: 100.0, height: 10.0, angle: 0.0 },
        }
    }

    #[test]
    fn blanks_are_kept_between_words_only() {
        assert_eq!(tidy([part(" two  words ", 0.0)], Language::Latin), "two words");
        assert_eq!(tidy([part("第三 季度 , 010 年", 0.0)], Language::Any), "第三季度 , 010 年");
    }

    #[test]
    fn cells_stay_apart() {
        assert_eq!(
            tidy([part("a", 0.0), part("b", 105.0), part("c", 300.0)], Language::Latin),
            "a b  c"
        );
        assert_eq!(tidy([], Language::Any), "");
    }
}
