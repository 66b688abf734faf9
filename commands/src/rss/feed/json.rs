//! JSON Feed, by what its fields hold and not by what they should: an integer for an id, a `null`
//! for a list and a feed without a title are all met.
//!
//! `feed-rs` reads it too, and refuses the whole for one such field.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer as _,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Deserializer, error::Category, value::RawValue};

use super::{
    Enclosure, Format, Unreadable,
    raw::{MOST_ITEMS, RawFeed, RawItem, RawLink, check_counts},
};

/// All that is looked at; a name that nobody knows is not kept.
const FIELDS: [&str; 18] = [
    "attachments",
    "author",
    "authors",
    "content_html",
    "content_text",
    "date_modified",
    "date_published",
    "external_url",
    "id",
    "items",
    "mime_type",
    "name",
    "size_in_bytes",
    "summary",
    "tags",
    "title",
    "url",
    "version",
];

/// The feed, and whether it ends in the middle.
///
/// # Errors
/// The text is no JSON, or no feed, or ends before its first item.
pub(super) fn read(text: &str) -> Result<(RawFeed, bool), Unreadable> {
    let mut found = Found::default();
    let mut deserializer = Deserializer::from_str(text);
    // What follows the feed is none of it, as after the root of one in XML.
    let read = deserializer.deserialize_map(&mut found);
    check_counts(found.items.len(), 0)?;
    let cut = match read {
        Ok(()) => false,
        Err(error) if error.is_eof() && !found.items.is_empty() => true,
        Err(error) => {
            return Err(Unreadable {
                line: u64::try_from(error.line().max(1)).ok(),
                // Of a line break in a text serde_json says that it is before the next line.
                column: u64::try_from(error.column().max(1)).ok(),
                ..Unreadable::new(match error.classify() {
                    Category::Data => "the answer is JSON, but no JSON Feed".to_owned(),
                    _ => format!("the JSON is malformed: {}", without_place(&error.to_string())),
                })
            });
        }
    };
    let is_feed = found.fields.text("version").is_some_and(|url| url.contains("jsonfeed.org"));
    if !is_feed && !found.items.iter().filter_map(|item| Object::of(item)).any(|it| it.is_item()) {
        let what = "the answer is JSON, but no JSON Feed: it has no `items` with a link or text";
        return Err(Unreadable::new(what));
    }
    let authors = feeds_authors(&found, text);
    let mut parts = 0;
    let mut items = Vec::new();
    for fields in found.items.iter().filter_map(|item| Object::of(item)) {
        check_counts(0, parts + fields.count_parts())?;
        let item = item(&fields, &authors);
        parts += item.links.len() + item.authors.len();
        parts += item.categories.len() + item.enclosures.len();
        items.push(item);
    }
    check_counts(0, parts)?;
    Ok((RawFeed { format: Format::Json, title: found.fields.text("title"), items }, cut))
}

/// The feed's authors are each item's that has none of its own: not those that would be many times
/// the text.
fn feeds_authors(found: &Found<'_>, text: &str) -> Vec<String> {
    let authors = authors(&found.fields);
    let bytes: usize = authors.iter().map(|name| name.len().saturating_add(1)).sum();
    let is_small = bytes.saturating_mul(found.items.len()) <= text.len().saturating_mul(4);
    if is_small { authors } else { Vec::new() }
}

fn item(fields: &Object<'_>, feeds_authors: &[String]) -> RawItem {
    let link = |name: &str, rel: &str| {
        let href = fields.text(name)?;
        Some(RawLink { href, rel: Some(rel.to_owned()), mime: None })
    };
    let mut authors = authors(fields);
    if authors.is_empty() {
        authors = feeds_authors.to_vec();
    }
    // Text is escaped, since all that is read is taken for HTML; its lines are lines.
    let lines = |text: String| escaped(&text).replace('\n', "<br>\n");
    let text = fields.text("content_text").map(lines);
    let summary = fields.text("summary").map(lines);
    let html = fields.text("content_html");
    RawItem {
        title: fields.text("title").map(|title| escaped(&title)),
        links: [link("url", "alternate"), link("external_url", "related")]
            .into_iter()
            .flatten()
            .collect(),
        guid: fields.text("id"),
        guid_is_link: false,
        authors,
        published: fields.text("date_published"),
        updated: fields.text("date_modified"),
        summary: summary.or_else(|| text.clone()),
        content: html.or(text),
        categories: fields.list("tags").iter().filter_map(|tag| plain(tag)).collect(),
        enclosures: fields.objects("attachments").filter_map(|file| enclosure(&file)).collect(),
    }
}

fn enclosure(fields: &Object<'_>) -> Option<Enclosure> {
    let bytes = fields.text("size_in_bytes").and_then(|bytes| bytes.parse().ok());
    Some(Enclosure { url: fields.text("url")?, mime: fields.text("mime_type"), bytes })
}

/// Version 1.1 has a list, version 1.0 one of them.
fn authors(fields: &Object<'_>) -> Vec<String> {
    let one = fields.0.get("author").and_then(|author| Object::of(author));
    let all = fields.objects("authors").chain(one);
    all.filter_map(|author| author.text("name")).collect()
}

/// The place is told apart from the message.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The fields of an object as they stand; of two with one name the last.
#[derive(Default)]
struct Object<'a>(BTreeMap<&'static str, &'a RawValue>);

impl<'a> Object<'a> {
    fn of(value: &'a RawValue) -> Option<Self> {
        serde_json::from_str(value.get()).ok()
    }

    fn text(&self, name: &str) -> Option<String> {
        plain(self.0.get(name)?)
    }

    fn list(&self, name: &str) -> Vec<&'a RawValue> {
        let list = self.0.get(name).and_then(|value| serde_json::from_str(value.get()).ok());
        list.unwrap_or_default()
    }

    fn objects(&self, name: &str) -> impl Iterator<Item = Self> {
        self.list(name).into_iter().filter_map(Self::of)
    }

    /// Other documents have a list `items`, too.
    fn is_item(&self) -> bool {
        ["url", "external_url", "title", "content_html", "content_text", "summary"]
            .iter()
            .any(|name| self.text(name).is_some())
    }

    /// At least how many there will be, before anything is made of them.
    fn count_parts(&self) -> usize {
        ["authors", "tags", "attachments"].iter().map(|name| self.list(name).len()).sum()
    }

    fn keep<A: MapAccess<'a>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match FIELDS.iter().find(|known| **known == name) {
            Some(known) => drop(self.0.insert(known, map.next_value()?)),
            None => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = Self::default();
        deserializer.deserialize_map(&mut object)?;
        Ok(object)
    }
}

impl<'de> Visitor<'de> for &mut Object<'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            self.keep(&name, &mut map)?;
        }
        Ok(())
    }
}

/// A string, or the digits of a number.
fn plain(value: &RawValue) -> Option<String> {
    let value = value.get();
    let is_number = value.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    match is_number {
        true => Some(value.to_owned()),
        false => serde_json::from_str(value).ok(),
    }
}

/// What was read of the feed, also of one that ends in the middle.
#[derive(Default)]
struct Found<'a> {
    fields: Object<'a>,
    items: Vec<&'a RawValue>,
}

impl<'de> Visitor<'de> for &mut Found<'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            if name == "items" {
                map.next_value_seed(Items(&mut self.items))?;
            } else {
                self.fields.keep(&name, &mut map)?;
            }
        }
        Ok(())
    }
}

/// Each item as soon as it is whole.
struct Items<'a, 'de>(&'a mut Vec<&'de RawValue>);

impl<'de> DeserializeSeed<'de> for Items<'_, 'de> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element()? {
            self.0.push(item);
            if self.0.len() > MOST_ITEMS {
                return Err(A::Error::custom("there are too many items"));
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
