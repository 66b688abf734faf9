//! What `feed-rs` leaves out of the items that it reads, from the reader that believes less.
//!
//! It knows each element in one namespace, letter by letter, and takes a text only up to the first
//! tag in it. So `<PubDate>`, `dc:date` of a namespace that nobody declared, Atom's link in an item
//! of RSS and the rest of `<title>a <b>b</b> c</title>` are lost to it, and nothing says so.

use memchr::{memchr_iter, memchr2};

use super::{
    Format, date,
    raw::{RawFeed, RawItem},
};

/// Whether there may be more in the text than `raw` has of it.
pub(super) fn is_incomplete(raw: &RawFeed, xml: &str) -> bool {
    let any = |lacks: fn(&RawItem) -> bool| raw.items.iter().any(lacks);
    raw.items.iter().any(|item| lacks_field(item, raw.format))
        || (any(|item| item.authors.is_empty()) && xml.contains(":author>"))
        || (any(|item| item.categories.is_empty()) && xml.contains(":subject>"))
        || (any(|item| item.summary.is_none())
            && ["itunes:summary>", "dc:description>"].iter().any(|end| xml.contains(end)))
        || (raw.format != Format::Atom && (has_two_dates(xml) || has_tags_in_texts(xml)))
}

/// Fills in what `raw` lacks. Both are of the same text.
pub(super) fn complete(raw: &mut RawFeed, other: RawFeed, xml: &str) {
    if raw.items.len() != other.items.len() {
        return;
    }
    let is_atom = raw.format == Format::Atom;
    let prefers_other_date = !is_atom && has_two_dates(xml);
    for (item, mut other) in raw.items.iter_mut().zip(other.items) {
        if let (Some(guid), Some(others)) = (&item.guid, &other.guid)
            && guid.trim() != others.trim()
        {
            continue;
        }
        // Of RSS, only the other knows what the guid is.
        if other.guid.is_some() {
            item.guid_is_link = other.guid_is_link;
        }
        if !is_date(item.published.as_deref())
            || (prefers_other_date && is_date(other.published.as_deref()))
        {
            item.published = other.published.take().or(item.published.take());
        }
        if !is_date(item.updated.as_deref()) {
            item.updated = other.updated.take().or(item.updated.take());
        }
        for (text, others) in [
            (&mut item.title, &mut other.title),
            (&mut item.summary, &mut other.summary),
            (&mut item.content, &mut other.content),
        ] {
            let is_longer = !is_atom && others.as_deref().is_some_and(|text| text.contains('<'));
            let is_cut = |text: &str| is_longer && !text.contains('<');
            if text.as_deref().is_some_and(|text| text.trim().is_empty() || is_cut(text)) {
                *text = others.take().or(text.take());
            }
        }
        item.stand_in(other);
    }
}

fn lacks_field(item: &RawItem, format: Format) -> bool {
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let has_date = has(&item.published) || (format == Format::Atom && has(&item.updated));
    !has(&item.title) || !has_date || !item.has_page()
}

fn is_date(text: Option<&str>) -> bool {
    text.is_some_and(|text| date::read(text).is_some())
}

/// `feed-rs` takes the last of `pubDate` and `dc:date`, and the latter is often a day only.
fn has_two_dates(xml: &str) -> bool {
    xml.contains("<pubDate") && xml.contains(":date")
}

/// Whether a tag is in a title or description.
fn has_tags_in_texts(xml: &str) -> bool {
    memchr_iter(b'<', xml.as_bytes()).any(|at| {
        let tag = xml.get(at..).unwrap_or_default();
        let starts = ["<title", "<description", "<content:encoded"];
        let Some(rest) = starts.iter().find_map(|start| tag.strip_prefix(start)) else {
            return false;
        };
        // In a section of text it may have no end, and each is looked at once.
        let Some(end) = memchr2(b'<', b'>', rest.as_bytes()) else { return false };
        let (attributes, tag_end) = rest.split_at_checked(end).unwrap_or_default();
        let Some(content) = tag_end.strip_prefix('>') else { return false };
        let is_other = !attributes.is_empty() && !attributes.starts_with([' ', '\t', '\n', '\r']);
        let next = content.split_once('<').and_then(|(_, tag)| tag.chars().next());
        !is_other && !attributes.ends_with('/') && next.is_some_and(|it| it != '/' && it != '!')
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, read};

    /// One item in RSS: title, link and date, each `-` where it has none.
    #[track_caller]
    fn check(item: &str, shown: [&str; 3]) {
        let feed = format!(
            "<rss xmlns:atom='http://www.w3.org/2005/Atom' \
             xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>\
             <channel><item>{item}</item></channel></rss>"
        );
        check_feed(&feed, shown);
    }

    #[track_caller]
    fn check_feed(feed: &str, shown: [&str; 3]) {
        let origin = Origin { url: "https://a.example/", content_type: None };
        let read = read(feed.as_bytes(), origin).unwrap();
        let item = &read.items[0];
        let date = item.published_at.as_ref().or(item.updated_at.as_ref());
        let found = [&item.title, &item.link, &date.cloned()]
            .map(|field| field.as_deref().unwrap_or("-").to_owned());
        assert_eq!(found, shown, "{feed}");
    }

    const DAY: &str = "2024-01-05T00:00:00Z";

    #[test]
    fn names_in_any_case_are_known() {
        check(
            "<Title>a</Title><LINK>https://b.example/</LINK><pubdate>2024-01-05</pubdate>",
            ["a", "https://b.example/", DAY],
        );
    }

    #[test]
    fn modules_stand_in_for_what_rss_lacks() {
        check("<atom:link href='b'/>", ["-", "https://a.example/b", "-"]);
        check("<link rel='alternate' href='b'/>", ["-", "https://a.example/b", "-"]);
        check("<itunes:title>a</itunes:title>", ["a", "-", "-"]);
        check("<itunes:title>a</itunes:title><title>b</title>", ["b", "-", "-"]);
        check("<atom:published>2024-01-05</atom:published>", ["-", "-", DAY]);
        check("<lastBuildDate>2024-01-05</lastBuildDate>", ["-", "-", DAY]);
        // Of a namespace that is declared otherwise than usual, or not at all.
        check("<dc:date>2024-01-05</dc:date>", ["-", "-", DAY]);
        check(
            "<dc:date xmlns:dc='https://purl.org/dc/elements/1.1'>2024-01-05</dc:date>",
            ["-", "-", DAY],
        );
    }

    #[test]
    fn the_date_of_rss_is_that_of_publication() {
        const DC: &str =
            "<dc:date xmlns:dc='http://purl.org/dc/elements/1.1/'>2024-02-02</dc:date>";
        let pub_date = "<pubDate>Fri, 5 Jan 2024 12:00 GMT</pubDate>";
        for item in [format!("{pub_date}{DC}"), format!("{DC}{pub_date}")] {
            check(&item, ["-", "-", "2024-01-05T12:00:00Z"]);
        }
        let unreadable = "<pubDate>soon</pubDate>";
        for item in [format!("{unreadable}{DC}"), format!("{DC}{unreadable}")] {
            check(&item, ["-", "-", "2024-02-02T00:00:00Z"]);
        }
    }

    #[test]
    fn a_title_goes_on_after_a_tag() {
        check("<title>a <b>b</b> c</title>", ["a b c", "-", "-"]);
        check("<title>a &lt; b</title><description>c <i>d</i></description>", ["a < b", "-", "-"]);
    }

    #[test]
    fn authors_and_subjects_of_modules_are_those_of_the_item() {
        let feed = "<rss><channel><item><title>a</title><link>b</link><pubDate>2024-01-05</pubDate>\
            <itunes:author>Ann</itunes:author><dc:subject>c</dc:subject></item></channel></rss>";
        let origin = Origin { url: "https://a.example/", content_type: None };
        let item = &read(feed.as_bytes(), origin).unwrap().items[0];
        assert_eq!(item.author.as_deref(), Some("Ann"));
        assert_eq!(item.categories, ["c"]);
    }

    #[test]
    fn many_titles_that_do_not_end_take_linear_time() {
        // What is quadratic takes a minute.
        for start in ["<title", "<title ", "<title>", "<description a='"] {
            let text = start.repeat(1_000_000 / start.len());
            check(&format!("<title>a</title><x><![CDATA[{text}]]></x>"), ["a", "-", "-"]);
        }
    }

    #[test]
    fn a_guid_is_a_link_unless_the_feed_denies_it() {
        const URL: &str = "https://b.example/";
        for (attribute, link) in [
            ("", URL),
            ("isPermaLink='true'", URL),
            ("ispermalink='False'", "-"),
            ("isPermaLink='0'", "-"),
        ] {
            check(&format!("<guid {attribute}>{URL}</guid>"), ["-", link, "-"]);
        }
    }

    #[test]
    fn dates_of_atom_before_its_first_version_are_known() {
        check_feed(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title><link href='b'/>\
             <created>2020-01-01</created><issued>2024-01-05</issued></entry></feed>",
            ["a", "https://a.example/b", DAY],
        );
    }
}
