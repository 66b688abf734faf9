//! `feed-rs`, which reads the feeds that are as they should be.
//!
//! It keeps no date as written and takes many for none, so its hook for dates is handed a number in
//! place of an instant: where the text stands in a list. Identifiers it would make up are left out.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use feed_rs::{
    model::{Content, Entry, FeedType, Link, Person, Text},
    parser::Builder,
};

use super::{
    Enclosure, Format,
    raw::{RawFeed, RawItem, RawLink},
};

/// What `feed-rs` makes of clean XML, `None` where it gives up: it also panics, on names of authors
/// for one.
pub(super) fn read(xml: &str, url: &str) -> Option<RawFeed> {
    let dates = Dates::default();
    let kept = dates.clone();
    let parser = Builder::new()
        .base_uri(Some(url))
        .sanitize_content(false)
        .id_generator(|_, _, _| String::new())
        .timestamp_parser(move |text| kept.keep(text))
        .build();
    let feed = catch_unwind(AssertUnwindSafe(|| parser.parse(xml.as_bytes()))).ok()?.ok()?;
    let format = match feed.feed_type {
        FeedType::Atom => Format::Atom,
        FeedType::RSS1 => Format::Rdf,
        FeedType::RSS0 | FeedType::RSS2 => Format::Rss,
        FeedType::JSON => Format::Json,
    };
    let items = feed.entries.into_iter().map(|entry| item(entry, format, &dates)).collect();
    Some(RawFeed { format, title: feed.title.map(content_of), items })
}

/// The texts of dates, in the order in which they were met.
#[derive(Clone, Default)]
struct Dates(Arc<Mutex<Vec<String>>>);

impl Dates {
    fn keep(&self, text: &str) -> Option<DateTime<Utc>> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = i64::try_from(texts.len()).ok()?;
        texts.push(text.to_owned());
        DateTime::from_timestamp(place, 0)
    }

    fn text(&self, place: Option<DateTime<Utc>>) -> Option<String> {
        let place = usize::try_from(place?.timestamp()).ok()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(place).cloned()
    }
}

fn item(entry: Entry, format: Format, dates: &Dates) -> RawItem {
    let mut item = RawItem {
        title: entry.title.map(content_of),
        guid: (!entry.id.is_empty()).then_some(entry.id),
        guid_is_link: format == Format::Rss,
        authors: entry.authors.into_iter().filter_map(name_of).collect(),
        published: dates.text(entry.published),
        // Of RSS it is a copy of the other where the feed has none.
        updated: dates.text(entry.updated.filter(|updated| Some(*updated) != entry.published)),
        summary: entry.summary.map(content_of),
        content: entry.content.and_then(|content: Content| content.body),
        categories: entry
            .categories
            .into_iter()
            .map(|category| category.label.unwrap_or(category.term))
            .collect(),
        ..RawItem::default()
    };
    // Those with a target lead to comments.
    for link in entry.links.into_iter().filter(|link| link.target.is_none()) {
        let Link { href, rel, media_type: mime, length: bytes, .. } = link;
        if rel.as_deref() == Some("enclosure") {
            item.enclosures.push(Enclosure { url: href, mime, bytes });
        } else {
            item.links.push(RawLink { href, rel, mime });
        }
    }
    for content in entry.media.into_iter().flat_map(|media| media.content) {
        if let Some(url) = content.url {
            item.enclosures.push(Enclosure {
                url: url.into(),
                mime: content.content_type.map(|mime| mime.to_string()),
                bytes: content.size,
            });
        }
    }
    item
}

fn content_of(text: Text) -> String {
    text.content
}

/// Of RSS's `address (name)` it leaves the brackets.
fn name_of(person: Person) -> Option<String> {
    let name = person.name.or(person.email)?;
    let inner = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.filter(|inner| !inner.contains(['(', ')'])).map(str::to_owned);
    Some(inner.unwrap_or(name))
}
