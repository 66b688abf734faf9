//! What a server sends in place of a feed: there are items or an error, the same each time, and
//! items hold what they promise.
//!
//! The input is the answer's `Content-Type`, a line break, and the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline_commands::rss::feed::{Feed, Item, Origin, Unreadable, read};

const URL: &str = "https://a.example/feeds/all.xml";

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (content_type, body) = input.split_at(end);
    let content_type = std::str::from_utf8(content_type).ok().filter(|name| !name.is_empty());
    let body = body.get(1..).unwrap_or_default();
    let origin = Origin { url: URL, content_type };

    let answer = read(body, origin);
    assert_eq!(answer, read(body, origin), "not the same twice");
    match answer {
        Ok(feed) => check(&feed, body.len()),
        Err(error) => check_error(&error),
    }
});

fn check_error(error: &Unreadable) {
    is_message(&error.message);
    assert!(error.line != Some(0) && error.column != Some(0), "{error:?}");
    assert!(error.column.is_none_or(|_| error.line.is_some()), "{error:?}");
    for feed in &error.discovered {
        assert!(!feed.url.is_empty(), "{error:?}");
        is_plain(Some(&feed.url));
        is_plain(feed.title.as_deref());
        is_plain(feed.mime.as_deref());
    }
}

fn check(feed: &Feed, length: usize) {
    let mut codes: Vec<_> = feed.warnings.iter().map(|warning| warning.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), feed.warnings.len(), "{:?}", feed.warnings);
    feed.warnings.iter().for_each(|warning| is_message(&warning.message));
    assert_eq!(feed.partial, codes.contains(&"Partial"));

    is_line(feed.title.as_deref());
    feed.items.iter().for_each(check_item);
    let bytes: usize = feed.items.iter().map(bytes_of).sum();
    assert!(bytes <= 16 * length + (512 << 10), "{bytes} bytes of {length}");
}

fn check_item(item: &Item) {
    is_line(item.title.as_deref());
    is_line(item.author.as_deref());
    item.categories.iter().for_each(|category| is_line(Some(category)));
    for line in item.summary.iter().flat_map(|summary| summary.split('\n')) {
        is_line(Some(line));
    }
    let guid = item.guid.as_deref();
    assert!(guid.is_none_or(|guid| !guid.is_empty() && guid.trim() == guid), "{guid:?}");
    is_plain(item.link.as_deref());
    item.enclosures.iter().for_each(|enclosure| is_plain(Some(&enclosure.url)));
    is_line(item.published_at.as_deref());
    is_line(item.updated_at.as_deref());
}

fn is_message(text: &str) {
    assert!(!text.is_empty() && text.len() < 400, "{text:?}");
    is_plain(Some(text));
}

fn is_plain(text: Option<&str>) {
    assert!(!text.unwrap_or_default().chars().any(char::is_control), "{text:?}");
}

fn is_line(text: Option<&str>) {
    let Some(text) = text else { return };
    assert!(!text.is_empty() && text.trim() == text && !text.contains("  "), "{text:?}");
    let hides = |it: char| {
        it.is_control() || matches!(it, '\u{202A}'..='\u{202E}' | '\u{2028}' | '\u{2029}')
    };
    assert!(!text.chars().any(hides), "{text:?}");
}

fn bytes_of(item: &Item) -> usize {
    let Item { title, link, guid, author, published_at, summary, updated_at, .. } = item;
    let texts = [title, link, guid, author, published_at, summary, updated_at, &item.content_html];
    let one: usize = texts.into_iter().flatten().map(String::len).sum();
    let categories: usize = item.categories.iter().map(String::len).sum();
    one + categories + item.enclosures.iter().map(|it| it.url.len()).sum::<usize>()
}
