//! [`RawFeed`]: what a reader found, before anything is decided about it.
//!
//! The three readers agree on this shape and on nothing else; [`finish`](super::finish) makes items
//! of it, so that which reader it was shows in no item.

use super::{Enclosure, Format, Unreadable};

/// More items than these no feed has in the 2 MiB that are read of it.
pub(super) const MOST_ITEMS: usize = 20_000;

/// The same of links, authors, categories and enclosures together.
pub(super) const MOST_PARTS: usize = 50_000;

/// # Errors
/// There are more items, or parts of items, than a feed may have: each is small in the text and
/// larger once it is read.
pub(super) fn check_counts(items: usize, parts: usize) -> Result<(), Unreadable> {
    let (most, what) = if items > MOST_ITEMS {
        (MOST_ITEMS, "items")
    } else if parts > MOST_PARTS {
        (MOST_PARTS, "links, authors, categories and enclosures")
    } else {
        return Ok(());
    };
    Err(Unreadable::new(format!("the feed has more than {most} {what}; so many are not read")))
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawFeed {
    pub(super) format: Format,
    /// Text or HTML, and so are all titles, names, summaries and categories below.
    pub(super) title: Option<String>,
    pub(super) items: Vec<RawItem>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawItem {
    pub(super) title: Option<String>,
    /// In the order of the feed.
    pub(super) links: Vec<RawLink>,
    pub(super) guid: Option<String>,
    /// RSS: the guid is an address, unless the feed says it is not.
    pub(super) guid_is_link: bool,
    pub(super) authors: Vec<String>,
    /// As in the feed.
    pub(super) published: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) content: Option<String>,
    pub(super) categories: Vec<String>,
    /// Their URLs are resolved, or as in the feed.
    pub(super) enclosures: Vec<Enclosure>,
}

impl RawItem {
    /// Where this has none of a field, that of `other` is taken.
    pub(super) fn stand_in(&mut self, other: Self) {
        fn fill<T>(list: &mut Vec<T>, others: Vec<T>) {
            if list.is_empty() {
                *list = others;
            }
        }
        if !self.has_page() {
            self.links.extend(other.links);
        }
        self.title = self.title.take().or(other.title);
        if self.guid.is_none() {
            self.guid = other.guid;
            self.guid_is_link = other.guid_is_link;
        }
        self.published = self.published.take().or(other.published);
        self.updated = self.updated.take().or(other.updated);
        self.summary = self.summary.take().or(other.summary);
        self.content = self.content.take().or(other.content);
        fill(&mut self.authors, other.authors);
        fill(&mut self.categories, other.categories);
        fill(&mut self.enclosures, other.enclosures);
    }

    /// Whether a link leads to the page of the item.
    pub(super) fn has_page(&self) -> bool {
        self.links.iter().any(|link| link.is("alternate"))
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawLink {
    /// Resolved against `xml:base`, or as in the feed.
    pub(super) href: String,
    /// Atom's `rel`; none counts as `alternate`.
    pub(super) rel: Option<String>,
    /// Media type, as in the feed.
    pub(super) mime: Option<String>,
}

impl RawLink {
    /// Whether it is of this kind and leads somewhere. Kinds are written as HTML's lists of words,
    /// as addresses of the registry, or not at all, which is `alternate`.
    pub(super) fn is(&self, kind: &str) -> bool {
        const REGISTRY: &str = "http://www.iana.org/assignments/relation/";

        if self.href.trim().is_empty() {
            return false;
        }
        let rel = self.rel.as_deref().unwrap_or_default();
        let mut words = rel.split_ascii_whitespace().peekable();
        if words.peek().is_none() {
            return kind == "alternate";
        }
        words.any(|word| word.strip_prefix(REGISTRY).unwrap_or(word).eq_ignore_ascii_case(kind))
    }
}
