//! Markers of items of lists.

use super::line::Line;

/// The marker of an item, `None` for a bullet, and what follows it.
pub(super) fn marker(text: &str) -> Option<(Option<String>, &str)> {
    let (first, rest) = text.split_once(' ')?;
    let rest = rest.trim_start();
    if rest.is_empty() {
        return None;
    }
    if is_bullet(first) {
        return Some((None, rest));
    }
    let inner = first.strip_suffix(['.', ')'])?;
    let inner = inner.strip_prefix('(').unwrap_or(inner);
    let is_letter = inner.len() == 1
        && first.ends_with(')')
        && inner.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_number(inner) || is_letter).then(|| (Some(first.to_owned()), rest))
}

/// The first word as a marker, where it is known to be one, and what follows it.
pub(super) fn label(text: &str) -> Option<(Option<String>, &str)> {
    let (first, rest) = text.split_once(' ')?;
    Some((Some(first.to_owned()).filter(|first| !is_bullet(first)), rest.trim_start()))
}

impl Line {
    /// No more than a marker, or the number of an item.
    pub(super) fn is_label(&self) -> bool {
        let inner = self.text.strip_suffix(['.', ')', ']']);
        let inner = inner.map(|inner| inner.strip_prefix(['(', '[']).unwrap_or(inner));
        let is_letter =
            |inner: &str| inner.len() == 1 && inner.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_bullet(&self.text)
            || is_number(&self.text)
            || inner.is_some_and(|inner| is_number(inner) || is_letter(inner))
    }
}

fn is_number(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_bullet(text: &str) -> bool {
    matches!(
        text,
        "•" | "◦"
            | "▪"
            | "‣"
            | "●"
            | "○"
            | "■"
            | "□"
            | "–"
            | "-"
            | "*"
            | "·"
            | "➢"
            | "✓"
            | "➤"
            | "❖"
            | "\u{F0B7}"
            | "\u{F0A7}"
    )
}
