//! Accents and vowel signs that were drawn as marks of their own, put behind the letters that carry
//! them.

use std::rc::Rc;

use unicode_normalization::char::is_combining_mark;

use super::piece::Placed;

/// Marks from left to right, without those that only add to another.
pub(super) fn joined(mut marks: Vec<Placed<'_>>) -> Vec<Placed<'_>> {
    if !marks.iter().any(is_accent) {
        return marks;
    }
    let mut index = 0;
    while index < marks.len() {
        let carrier = marks.get(index).filter(|mark| is_accent(mark)).and_then(|accent| {
            let middle = accent.u + accent.mark.width / 2.0;
            let distance = |mark: &Placed<'_>| ((mark.u + mark.mark.width / 2.0) - middle).abs();
            let is_lone = combining(&accent.text).is_some();
            let carriers = [index.checked_sub(1), Some(index + 1)];
            let near = carriers.into_iter().flatten().filter_map(|at| {
                let mark = marks.get(at).filter(|mark| !is_accent(mark) && !mark.is_blank())?;
                let distance = distance(mark);
                // An accent that can stand alone does, unless it lies on a letter.
                let is_over = !is_lone
                    || mark.text.chars().all(char::is_alphabetic)
                        && distance < mark.mark.width * 0.4;
                (is_over && distance < mark.mark.size).then_some((at, distance))
            });
            near.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(at, _)| at)
        });
        match carrier {
            Some(carrier) => {
                let accent = marks.remove(index);
                let carrier = if carrier > index { carrier - 1 } else { carrier };
                if let Some(mark) = marks.get_mut(carrier) {
                    mark.text = match combining(&accent.text) {
                        Some(accent) => Rc::from(format!("{}{accent}", dotted(&mark.text))),
                        None => Rc::from(format!("{}{}", mark.text, accent.text)),
                    };
                }
            }
            None => index += 1,
        }
    }
    marks
}

fn is_accent(mark: &Placed<'_>) -> bool {
    !mark.text.is_empty() && mark.text.chars().all(is_combining_mark)
        || combining(&mark.text).is_some()
}

/// The accent that joins a letter, for one that was made to stand alone.
fn combining(text: &str) -> Option<char> {
    Some(match text {
        "`" => '\u{300}',
        "´" => '\u{301}',
        "ˆ" => '\u{302}',
        "˜" => '\u{303}',
        "¯" => '\u{304}',
        "˘" => '\u{306}',
        "˙" => '\u{307}',
        "¨" => '\u{308}',
        "˚" => '\u{30A}',
        "˝" => '\u{30B}',
        "ˇ" => '\u{30C}',
        "¸" => '\u{327}',
        _ => return None,
    })
}

/// Letters are drawn without their dot to make room for an accent.
fn dotted(text: &str) -> String {
    text.replace('ı', "i").replace('ȷ', "j")
}
