//! The pre-pass: text as it is found, to XML that a strict parser takes.
//!
//! ```text
//! text ── controls ──> scan ──┬─ tag ─────────┬──> patch ──> Mended
//!                             ├─ reference ───┤
//!                             └─ doctype ─────┘
//! ```
//!
//! One scan over the text, which is borrowed where nothing has to change. What comes out has no
//! declarations, comments or processing instructions, begins with the root element, and mending it
//! again changes nothing. Elements may still be unclosed: that is for the readers to judge.

mod burden;
mod controls;
mod doctype;
mod faults;
mod patch;
mod reference;
mod scan;
mod tag;

use std::borrow::Cow;

use super::Warning;

/// XML without declarations, with nothing in it that is no XML.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mended<'a> {
    pub(super) text: Cow<'a, str>,
    /// How many `item` and `entry` elements begin in it, whatever their prefix.
    pub(super) items: usize,
    /// It ends inside a tag, or before the root's end.
    pub(super) cut: bool,
    /// `feed-rs` would take too long or too much memory for it.
    pub(super) is_too_heavy: bool,
    /// Why it is not to be read at all: it is made to wear out whoever does.
    pub(super) refused: Option<String>,
}

/// Never more than some times as long as `text`, whatever its entities are declared to be.
pub(super) fn mend<'a>(text: &'a str, warnings: &mut Vec<Warning>) -> Mended<'a> {
    let mut faults = faults::Faults::default();
    let mended = match controls::without_controls(text, &mut faults) {
        Cow::Borrowed(text) => scan::scan(text, &mut faults),
        Cow::Owned(text) => {
            let Mended { text, items, cut, is_too_heavy, refused } = scan::scan(&text, &mut faults);
            let text = Cow::Owned(text.into_owned());
            Mended { text, items, cut, is_too_heavy, refused }
        }
    };
    faults.warn(warnings);
    mended
}

#[cfg(test)]
mod tests;
