//! What a reader found, to the items that are shown.

use std::collections::BTreeSet;

use url::Url;

use super::{
    Enclosure, Feed, Item, Warning, date,
    join::Joins,
    raw::{RawFeed, RawItem, RawLink},
    text,
};

/// The feed; it was read from a text of `length` bytes, and relative links are relative to `url`.
pub(super) fn finish(
    raw: RawFeed,
    length: usize,
    url: &str,
    partial: bool,
    mut warnings: Vec<Warning>,
) -> Feed {
    let base = Url::parse(url).ok();
    let mut joins = Joins::new(length);
    let mut zones_assumed = 0;
    let items = raw.items.into_iter();
    let items = items.map(|item| finished(item, base.as_ref(), &mut joins, &mut zones_assumed));
    let items: Vec<_> = items.collect();
    if zones_assumed > 0 {
        let dates = if zones_assumed == 1 { "date names" } else { "dates name" };
        let message = format!("{zones_assumed} {dates} no time zone; UTC was assumed");
        warnings.push(Warning { code: "AssumedZone", message });
    }
    if partial {
        let message = format!("the feed ends in the middle; items before that: {}", items.len());
        warnings.push(Warning { code: "Partial", message });
    }
    Feed {
        format: raw.format,
        title: raw.title.as_deref().and_then(text::line),
        items,
        partial,
        warnings,
    }
}

fn finished(
    raw: RawItem,
    base: Option<&Url>,
    joins: &mut Joins,
    zones_assumed: &mut usize,
) -> Item {
    let mut date = |text: Option<String>| shown_date(text?.trim(), zones_assumed);
    let (published_at, updated_at) = (date(raw.published), date(raw.updated));
    let guid = raw.guid.as_deref().map(str::trim).filter(|guid| !guid.is_empty());
    let link = page(&raw.links)
        .or(guid.filter(|guid| raw.guid_is_link && is_url(guid)))
        .or_else(|| instead_of_page(&raw.links));
    let link = link.map(|link| resolved(link, base, joins));
    let mut seen = BTreeSet::new();
    let enclosures = raw.enclosures.into_iter().map(|enclosure| {
        let url = resolved(&enclosure.url, base, joins);
        Enclosure { url, ..enclosure }
    });
    let enclosures = enclosures.filter(|enclosure| seen.insert(enclosure.url.clone())).collect();
    let summary = raw.summary.as_deref().and_then(text::paragraphs);
    Item {
        title: raw.title.as_deref().and_then(text::line),
        link,
        guid: guid.map(str::to_owned),
        author: author(&raw.authors),
        published_at,
        // An item that has its whole text only is summed up by that.
        summary: summary.or_else(|| raw.content.as_deref().and_then(text::paragraphs)),
        updated_at,
        categories: each_once(raw.categories.iter().filter_map(|category| text::line(category))),
        enclosures,
        content_html: raw.content,
    }
}

/// RFC 3339 in UTC, or as it stands.
fn shown_date(text: &str, zones_assumed: &mut usize) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let Some(date) = date::read(text) else { return text::line(text) };
    *zones_assumed += usize::from(date.zone_assumed);
    Some(date.instant.to_string())
}

/// The page of the item: what Atom calls its alternate, in HTML if there are several.
fn page(links: &[RawLink]) -> Option<&str> {
    let is_html = |link: &&RawLink| link.mime.as_deref().is_none_or(|mime| mime.contains("html"));
    let pages = || links.iter().filter(|link| link.is("alternate"));
    pages().find(is_html).or_else(|| pages().next()).map(|link| link.href.trim())
}

/// Where no page is named: another address of the item, or what it is about.
fn instead_of_page(links: &[RawLink]) -> Option<&str> {
    let kinds = ["canonical", "bookmark", "shortlink", "related", "via", "self"];
    let link = kinds.iter().find_map(|kind| links.iter().find(|link| link.is(kind)))?;
    Some(link.href.trim())
}

fn is_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Absolute, or as given, of which controls would reach a terminal.
fn resolved(href: &str, base: Option<&Url>, joins: &mut Joins) -> String {
    // No address has this; the feed escaped it once too often.
    let href = href.trim().replace("&amp;", "&");
    let url = joins.join(base, &href);
    url.map_or_else(|| href.chars().filter(|it| !it.is_control()).collect(), String::from)
}

/// The names. RSS asks for `address (name)`.
fn author(authors: &[String]) -> Option<String> {
    let names = authors.iter().filter_map(|author| {
        let line = text::line(author)?;
        let inner = line.split_once(" (").and_then(|(address, rest)| {
            let name = rest.strip_suffix(')')?;
            (address.contains('@') && !name.trim().is_empty()).then(|| name.trim().to_owned())
        });
        // What `feed-rs` leaves of it.
        let bare = || Some(line.strip_prefix('(')?.strip_suffix(')')?.trim().to_owned());
        Some(inner.or_else(bare).filter(|name| !name.is_empty()).unwrap_or(line))
    });
    let names = each_once(names);
    (!names.is_empty()).then(|| names.join(", "))
}

fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::Format, RawFeed, RawItem, RawLink, finish};

    /// The link of an item that has these, by `rel` and address, and a guid.
    #[track_caller]
    fn check(links: &[(Option<&str>, &str)], guid: Option<&str>, shown: Option<&str>) {
        let links = links.iter().map(|(rel, href)| RawLink {
            href: (*href).to_owned(),
            rel: rel.map(str::to_owned),
            mime: None,
        });
        let item = RawItem {
            links: links.collect(),
            guid: guid.map(str::to_owned),
            guid_is_link: true,
            ..RawItem::default()
        };
        let raw = RawFeed { format: Format::Rss, title: None, items: vec![item] };
        let feed = finish(raw, 1000, "https://a.example/", false, Vec::new());
        assert_eq!(feed.items[0].link.as_deref(), shown);
    }

    #[test]
    fn the_page_is_chosen_however_its_kind_is_written() {
        let iana = "http://www.iana.org/assignments/relation/alternate";
        for rel in [None, Some(""), Some("Alternate"), Some("nofollow alternate"), Some(iana)] {
            check(&[(Some("self"), "/s"), (rel, "/p")], None, Some("https://a.example/p"));
        }
        check(&[(None, " "), (None, "/p")], None, Some("https://a.example/p"));
    }

    #[test]
    fn another_address_is_better_than_none() {
        let own = Some("https://g.example/");
        check(&[(Some("edit"), "/e")], None, None);
        check(&[(Some("edit"), "/e"), (Some("self"), "/s")], None, Some("https://a.example/s"));
        check(&[(Some("self"), "/s"), (Some("via"), "/v")], None, Some("https://a.example/v"));
        check(&[(Some("self"), "/s")], own, own);
        check(&[(None, "/p")], own, Some("https://a.example/p"));
    }

    #[test]
    fn a_name_needs_no_parentheses() {
        for author in ["a@a.example (Ann)", "(Ann)", " ( Ann ) ", "Ann"] {
            assert_eq!(super::author(&[author.to_owned()]).as_deref(), Some("Ann"), "{author}");
        }
        assert_eq!(super::author(&["()".to_owned()]).as_deref(), Some("()"));
    }

    #[test]
    fn an_address_that_was_escaped_twice_is_mended() {
        check(&[(None, "/p?a=1&amp;b=2")], None, Some("https://a.example/p?a=1&b=2"));
    }
}
