//! A page in place of a feed: the feeds it names.

use std::borrow::Cow;

use url::Url;

use super::Discovered;

/// Past that it is no page that offers feeds, but a list of them.
const MOST_DISCOVERED: usize = 20;

/// How many links are looked at, of which some may lead nowhere or be the same.
const MOST_LINKS: usize = 100;

/// How many attributes of a tag are looked at.
const MOST_ATTRIBUTES: usize = 64;

/// Elements whose text is no markup.
const RAW: [&str; 7] = ["script", "style", "title", "textarea", "xmp", "iframe", "noframes"];

/// What feeds are served as.
const FEED_TYPES: [&str; 6] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
];

/// What a page begins with whose author left out `<html>`.
const PAGE_ROOTS: [&str; 16] = [
    "html", "head", "body", "meta", "title", "script", "style", "div", "p", "h1", "table",
    "center", "form", "header", "main", "noscript",
];

/// Whether the text is an HTML page: by its root or doctype, not by a word in it.
pub(super) fn is_page(text: &str) -> bool {
    let mut rest = text;
    let mut is_html = false;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_whitespace() || it == '\u{FEFF}');
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            ">"
        } else if let Some(doctype) = after(rest, "<!doctype") {
            is_html |= word(doctype.trim_start()).eq_ignore_ascii_case("html");
            // Whichever comes first: to look for one alone would go far each time.
            let first = doctype.find(['[', '>']).and_then(|at| doctype.as_bytes().get(at));
            if first == Some(&b'[') { "]>" } else { ">" }
        } else {
            break;
        };
        match rest.split_once(end) {
            Some((_, after)) => rest = after,
            None => return is_html,
        }
    }
    let root = rest.strip_prefix('<').map_or("", word);
    let root = root.rsplit(':').next().unwrap_or(root);
    let is_root = |name: &&str| root.eq_ignore_ascii_case(name);
    PAGE_ROOTS.iter().any(is_root) || (is_html && !["rss", "feed", "rdf"].iter().any(is_root))
}

/// What `<link rel="alternate">` in the page names as feeds, in its order, each once; relative URLs
/// against `<base href>`, else the page's own.
pub(super) fn discover(page: &str, url: &str) -> Vec<Discovered> {
    let mut base = None;
    let mut links = Vec::new();
    let mut rest = page;
    while let Some((_, tag)) = rest.split_once('<') {
        rest = tag;
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |it| it.1);
            continue;
        }
        let name = word(tag);
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("link") || is("base") {
            let (attributes, after) = attributes(tag.get(name.len()..).unwrap_or_default());
            rest = after;
            if is("base") {
                base = base.or_else(|| value(&attributes, "href"));
            } else if links.len() < MOST_LINKS && is_feed(&attributes) {
                links.push(attributes);
            }
        } else if let Some(raw) = RAW.iter().find(|raw| is(raw)) {
            rest = after_end(tag, raw);
        }
    }
    let Ok(page) = Url::parse(url) else {
        return Vec::new();
    };
    let base = base.and_then(|base| page.join(base.trim()).ok()).unwrap_or(page);
    let mut discovered: Vec<Discovered> = Vec::new();
    for attributes in links {
        if discovered.len() == MOST_DISCOVERED {
            break;
        }
        let Some(url) = value(&attributes, "href").and_then(|href| absolute(&base, href.trim()))
        else {
            continue;
        };
        if discovered.iter().all(|other| other.url != url) {
            let mime = value(&attributes, "type").map(|mime| one_line(&mime));
            let title = value(&attributes, "title").map(|title| one_line(&title));
            discovered.push(Discovered {
                url,
                mime: mime.filter(|mime| !mime.is_empty()),
                title: title.filter(|title| !title.is_empty()),
            });
        }
    }
    discovered
}

type Attributes<'a> = Vec<(&'a str, &'a str)>;

/// Of what follows a tag's name, and what follows the tag.
fn attributes(tag: &str) -> (Attributes<'_>, &str) {
    let mut attributes = Vec::new();
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == '/');
        if rest.is_empty() {
            return (attributes, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (attributes, after);
        }
        let is_end = |it: char| it.is_ascii_whitespace() || matches!(it, '=' | '>' | '/');
        // An `=` without a name before it is one.
        let from = usize::from(rest.starts_with('='));
        let length = rest.get(from..).and_then(|rest| rest.find(is_end));
        let (name, after) = rest.split_at(length.map_or(rest.len(), |it| it.saturating_add(from)));
        let Some(value) = after.trim_start().strip_prefix('=').map(str::trim_start) else {
            if attributes.len() < MOST_ATTRIBUTES {
                attributes.push((name, ""));
            }
            rest = after;
            continue;
        };
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => {
                value.get(1..).and_then(|value| value.split_once(quote)).unwrap_or((value, ""))
            }
            None => {
                let end = value.find(|it: char| it.is_ascii_whitespace() || it == '>');
                value.split_at(end.unwrap_or(value.len()))
            }
        };
        if attributes.len() < MOST_ATTRIBUTES {
            attributes.push((name, value));
        }
        rest = after;
    }
}

/// The first of its name, its references decoded.
fn value<'a>(attributes: &Attributes<'a>, name: &str) -> Option<Cow<'a, str>> {
    let (_, value) = attributes.iter().find(|it| it.0.eq_ignore_ascii_case(name))?;
    Some(htmlize::unescape_attribute(*value))
}

fn is_feed(attributes: &Attributes<'_>) -> bool {
    let rel = value(attributes, "rel").unwrap_or_default();
    let is_rel = |rel_word: &str| {
        rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(rel_word))
    };
    let mime = value(attributes, "type").unwrap_or_default();
    let essence = mime.split(';').next().unwrap_or_default().trim();
    // JSON Feed was once served so, as are the interfaces of many sites.
    let is_json_feed = || {
        essence.eq_ignore_ascii_case("application/json")
            && ["href", "title"].iter().any(|name| {
                let text = value(attributes, name).unwrap_or_default().to_ascii_lowercase();
                text.contains("feed")
            })
    };
    let is_known = |mime: &&str| essence.eq_ignore_ascii_case(mime);
    is_rel("feed") || (is_rel("alternate") && (FEED_TYPES.iter().any(is_known) || is_json_feed()))
}

fn absolute(base: &Url, href: &str) -> Option<String> {
    // Browsers once took `feed:` for a scheme.
    let web = match after(href, "feed:") {
        Some(rest) if rest.starts_with("//") => Cow::Owned(format!("http:{rest}")),
        Some(rest) => Cow::Borrowed(rest),
        None => Cow::Borrowed(href),
    };
    let url = base.join(&web).ok().filter(|_| !href.is_empty())?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|it| !it.is_control()).collect()
}

/// What follows the end tag of `name`, as HTML finds it.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once("</") {
        if word(tag).eq_ignore_ascii_case(name) {
            return tag;
        }
        rest = tag;
    }
    ""
}

/// What follows `prefix`, in any case.
fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// A name at the start.
fn word(text: &str) -> &str {
    let end = text.find(|it: char| it.is_ascii_whitespace() || matches!(it, '>' | '/' | '<' | '['));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(page: &str, urls: &[&str]) {
        let found = discover(page, "https://a.example/b/c");
        assert_eq!(found.iter().map(|it| it.url.as_str()).collect::<Vec<_>>(), urls, "{page}");
    }

    #[test]
    fn a_page_is_known_by_its_root() {
        for text in [
            "<!DOCTYPE html><p>",
            "\u{FEFF}\n<!-- <rss> --><HTML lang=en>",
            "<?xml version='1.0'?><!DOCTYPE html PUBLIC \"x\" \"y\">\n<html xmlns='z'/>",
            "<!doctype HTML>",
        ] {
            assert!(is_page(text), "{text}");
        }
        for text in [
            "<rss><title>html</title><![CDATA[<html>]]></rss>",
            "<!DOCTYPE html><rss/>",
            "<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY a '<html>'> ]><rdf:RDF/>",
            "<feed/>",
            "<htmlx>",
            "{\"a\":\"<html>\"}",
            "",
        ] {
            assert!(!is_page(text), "{text}");
        }
    }

    #[test]
    fn finds_links_however_they_are_written() {
        check(
            "<link rel='alternate' type='application/rss+xml' href='/f'>",
            &["https://a.example/f"],
        );
        check(
            "<LINK HREF=f?a=1&amp;b=2 TYPE=Application/Atom+XML REL='x Alternate'/>",
            &["https://a.example/b/f?a=1&b=2"],
        );
        check("<link rel=feed href=//d.example/f>", &["https://d.example/f"]);
        check("<link rel=feed href='feed://d.example/f'>", &["http://d.example/f"]);
        check(
            "<link rel=feed href=f><base href=/x/><link rel=feed href=f><link rel=feed href=g>",
            &["https://a.example/x/f", "https://a.example/x/g"],
        );
    }

    #[test]
    fn what_is_no_feed_is_none() {
        for page in [
            "<!-- <link rel=feed href=f> -->",
            "<script>'<link rel=feed href=f>'</script>",
            "<style><link rel=feed href=f></style >",
            "<link rel='alternate' hreflang='de' href='/de'>",
            "<link rel=stylesheet type=text/xml href=f>",
            "<link rel=feed href='javascript:x'>",
            "<link rel=feed href=''>",
        ] {
            check(page, &[]);
        }
    }

    #[test]
    fn tells_type_and_title() {
        let page = "<link rel=alternate title=' A &amp;\n B ' type=text/xml href=f>";
        assert_eq!(
            discover(page, "https://a.example/"),
            [Discovered {
                url: "https://a.example/f".to_owned(),
                mime: Some("text/xml".to_owned()),
                title: Some("A & B".to_owned()),
            }]
        );
    }

    #[test]
    fn at_most_twenty_are_named() {
        let page: String = (0..30).map(|it| format!("<link rel=feed href={it}>")).collect();
        assert_eq!(discover(&page, "https://a.example/").len(), MOST_DISCOVERED);
    }

    proptest! {
        #[test]
        fn any_page_is_read(page in "(<link|<base|<script|</|<!--|[a-z ='\"/>é&;])*") {
            is_page(&page);
            discover(&page, "https://a.example/");
        }
    }
}
