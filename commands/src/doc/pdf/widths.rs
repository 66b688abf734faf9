//! [`Widths`]: how wide the glyphs of a composite font are, and how high where it runs downwards.

use std::collections::HashMap;

use super::file::File;
use super::object::{Dictionary, Object};

/// Entries that are read; there are 65,536 glyphs, and ranges can say the same ones over and over.
const MAX_SET: usize = 200_000;

/// In thousandths of the size, by the number of the glyph.
#[derive(Debug, Default)]
pub(super) struct Widths {
    across: HashMap<u16, f64>,
    across_default: f64,
    down: HashMap<u16, f64>,
    down_default: f64,
}

impl Widths {
    /// Of the only descendant of a composite font.
    pub(super) fn new(file: &File<'_>, font: &Dictionary) -> Self {
        let descendants = file.entry(font, "DescendantFonts");
        let first =
            descendants.array().and_then(|fonts| fonts.first()).map(|font| file.resolve(font));
        let Some(font) = first.as_deref().and_then(Object::dictionary) else {
            return Self { across_default: 1000.0, down_default: -1000.0, ..Self::default() };
        };
        let defaults = file.entry(font, "DW2");
        let down = defaults.array().and_then(|defaults| defaults.get(1)?.number());
        Self {
            across: listed(file, &file.entry(font, "W"), 1),
            across_default: file.entry(font, "DW").number().unwrap_or(1000.0),
            down: listed(file, &file.entry(font, "W2"), 3),
            down_default: down.unwrap_or(-1000.0),
        }
    }

    pub(super) fn across(&self, glyph: u16) -> f64 {
        self.across.get(&glyph).copied().unwrap_or(self.across_default) / 1000.0
    }

    pub(super) fn down(&self, glyph: u16) -> f64 {
        self.down.get(&glyph).copied().unwrap_or(self.down_default) / 1000.0
    }

    pub(super) fn count(&self) -> usize {
        self.across.len() + self.down.len()
    }
}

/// `first [a b …]` and `first last a`, where each glyph has `each` numbers, the first of which counts.
fn listed(file: &File<'_>, list: &Object, each: usize) -> HashMap<u16, f64> {
    let mut widths = HashMap::new();
    let mut set = 0;
    let mut items = list.array().unwrap_or_default().iter();
    while let (Some(first), Some(second)) = (items.next().and_then(Object::integer), items.next()) {
        match file.resolve(second).as_ref() {
            Object::Array(numbers) => {
                for (number, width) in (first..).zip(numbers.chunks(each)) {
                    let width = width.first().and_then(|width| file.resolve(width).number());
                    if let (Ok(number), Some(width)) = (u16::try_from(number), width) {
                        widths.insert(number, width);
                    }
                    set += 1;
                    if set > MAX_SET {
                        return widths;
                    }
                }
            }
            other => {
                let last = other.integer().unwrap_or(-1).min(i64::from(u16::MAX));
                let width = items.next().and_then(|width| file.resolve(width).number());
                items.by_ref().take(each - 1).for_each(drop);
                for number in first.max(0)..=last {
                    if let (Ok(number), Some(width)) = (u16::try_from(number), width) {
                        widths.insert(number, width);
                    }
                    set += 1;
                    if set > MAX_SET {
                        return widths;
                    }
                }
            }
        }
    }
    widths
}
