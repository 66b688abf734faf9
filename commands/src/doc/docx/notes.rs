//! Footnotes and endnotes: which label each has, and which are asked for.

use std::collections::BTreeMap;

use super::super::office::{Numeral, numeral};

/// What marks notes in print, in their order.
pub(super) const SIGNS: [&str; 6] = ["*", "\u{2020}", "\u{2021}", "\u{a7}", "\u{2016}", "\u{b6}"];

/// The two kinds of notes that Word knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which {
    Footnote,
    Endnote,
}

/// Notes in the order in which the text refers to them.
pub(super) struct Notes {
    is_signed: bool,
    footnotes: Vec<u32>,
    endnotes: Vec<u32>,
    known: BTreeMap<(Which, u32), String>,
}

impl Notes {
    /// `is_signed` marks notes by the signs of print, where they suffice: their numbers are no words
    /// of a plain text.
    pub(super) fn new(is_signed: bool) -> Self {
        Self { is_signed, footnotes: Vec::new(), endnotes: Vec::new(), known: BTreeMap::new() }
    }

    /// Footnotes count in numbers, endnotes in roman ones: as Word shows them, and so they are told
    /// apart.
    pub(super) fn label(&mut self, which: Which, id: u32) -> String {
        if let Some(label) = self.known.get(&(which, id)) {
            return label.clone();
        }
        let (list, way) = match which {
            Which::Footnote => (&mut self.footnotes, Numeral::Decimal),
            Which::Endnote => (&mut self.endnotes, Numeral::LowerRoman),
        };
        list.push(id);
        let count = u64::try_from(list.len()).unwrap_or(u64::MAX);
        let sign = SIGNS.get(self.known.len()).filter(|_| self.is_signed);
        let label = sign.map_or_else(|| numeral(count, way), |sign| (*sign).to_owned());
        self.known.insert((which, id), label.clone());
        label
    }

    /// The note at `index`; a note may refer to others while it is read.
    pub(super) fn get(&self, which: Which, index: usize) -> Option<u32> {
        let list = match which {
            Which::Footnote => &self.footnotes,
            Which::Endnote => &self.endnotes,
        };
        list.get(index).copied()
    }
}
