//! What a text would cost `feed-rs`, which has no limits of its own: it calls itself for each level
//! of some elements, copies the base of links for each element, and compares each attribute of a tag
//! with all before it.

use super::scan::local;

const MOST_DEPTH: usize = 64;
const MOST_TAGS: usize = 50_000;
const MOST_ITEMS: usize = 5_000;
pub(super) const MOST_ATTRIBUTES: usize = 64;

/// So many times the text may be copied for one purpose.
const MOST_COPIES: usize = 2;

/// No feed is as deep, even where it closes no tag of its texts.
pub(super) const DEEPEST: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Burden {
    depth: usize,
    deepest: usize,
    tags: usize,
    items: usize,
    is_heavy: bool,
    /// The elements with an `xml:base` that are open: their depth, and how long a URL may be that is
    /// resolved against it and all around it.
    bases: Vec<(usize, usize)>,
    /// How many bytes the elements' bases have, one by one.
    copied_bases: usize,
    /// Of the item that is read, which begins here.
    item_start: usize,
    groups: usize,
    contents: usize,
    ratings: usize,
    /// How many bytes of items are handed down from Media RSS's groups to what is in them.
    copied_media: usize,
}

impl Burden {
    /// A tag at `at`; `base` is how long its `xml:base` is.
    pub(super) fn start(&mut self, at: usize, name: &str, is_empty: bool, base: Option<usize>) {
        let depth = self.depth.saturating_add(1);
        self.is_heavy |= depth > MOST_DEPTH;
        self.tags = self.tags.saturating_add(1);
        let around = self.bases.last().map_or(0, |it| it.1);
        let length = base.unwrap_or_default().saturating_add(around);
        self.copied_bases = self.copied_bases.saturating_add(length);
        self.deepest = self.deepest.max(depth);
        if !is_empty {
            self.depth = depth;
            if base.is_some() && !self.is_heavy {
                self.bases.push((depth, length));
            }
        }
        match local(name) {
            "item" | "entry" => {
                self.end_item(at);
                self.items = self.items.saturating_add(1);
            }
            "group" => self.groups = self.groups.saturating_add(1),
            "content" => self.contents = self.contents.saturating_add(1),
            "rating" => self.ratings = self.ratings.saturating_add(1),
            _ => {}
        }
    }

    pub(super) fn attributes(&mut self, count: usize) {
        self.is_heavy |= count > MOST_ATTRIBUTES;
    }

    pub(super) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        while self.bases.last().is_some_and(|it| it.0 > self.depth) {
            self.bases.pop();
        }
    }

    pub(super) fn is_bottomless(&self) -> bool {
        self.deepest > DEEPEST
    }

    /// Whether a text of so many bytes is to be kept from `feed-rs`; mended, it has so many.
    pub(super) fn is_too_heavy(&mut self, length: usize, mended: usize) -> bool {
        self.end_item(length);
        let most = length.saturating_mul(MOST_COPIES);
        self.is_heavy
            || mended > most
            || self.tags > MOST_TAGS
            || self.items > MOST_ITEMS
            || self.copied_bases > most
            || self.copied_media > most
    }

    fn end_item(&mut self, at: usize) {
        let rated = if self.ratings > 0 { self.contents } else { 0 };
        let times = self.groups.saturating_add(rated);
        let bytes = at.saturating_sub(self.item_start);
        self.copied_media = self.copied_media.saturating_add(times.saturating_mul(bytes));
        (self.item_start, self.groups, self.contents, self.ratings) = (at, 0, 0, 0);
    }
}
