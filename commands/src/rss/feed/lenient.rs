//! The fallback reader: feeds that `feed-rs` does not know or gives up on, and what it leaves out.
//!
//! Atom 0.3 and RSS 0.90, feeds cut off in the middle, tags that are never closed. It looks for the
//! fields of items by name and believes nothing about how tags are nested: the start of an item ends
//! the one before, the start of a field ends one that cannot hold it, and an end that nothing began
//! is passed over.

use std::{borrow::Cow, rc::Rc};

use quick_xml::{
    Reader,
    escape::unescape,
    events::{BytesRef, BytesStart, Event},
};
use url::Url;

use super::{
    Enclosure, Format, Unreadable, date,
    join::Joins,
    raw::{RawFeed, RawItem, RawLink, check_counts},
    text,
};

/// What is in mended XML. A field that the text ends in is left out, its item is not.
///
/// # Errors
/// The root is that of no feed.
pub(super) fn read(xml: &str, url: &str) -> Result<RawFeed, Unreadable> {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;

    let mut sheet = Sheet::new(url, xml.len());
    loop {
        check_counts(sheet.items.len(), sheet.parts)?;
        match reader.read_event() {
            Ok(Event::Start(tag)) => sheet.start(&tag, true)?,
            Ok(Event::Empty(tag)) => sheet.start(&tag, false)?,
            Ok(Event::End(tag)) => sheet.end(tag.name().as_ref()),
            Ok(Event::Text(text)) => sheet.text(&text, &text),
            Ok(Event::CData(text)) => sheet.text(&text, &text),
            Ok(Event::GeneralRef(reference)) => {
                sheet.text(&resolved(&reference), &format!("&{};", &*reference));
            }
            Ok(Event::Eof) => break,
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            // After mending, only the end of the text is left to be wrong.
            Err(_) => break,
        }
    }
    sheet.finish()
}

fn no_feed(root: &str) -> Unreadable {
    let shown: String = root.chars().take(40).collect();
    let shown = text::line(&shown).unwrap_or_default();
    Unreadable::new(format!("its root `<{shown}>` is that of no feed"))
}

fn resolved(reference: &BytesRef<'_>) -> Cow<'static, str> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string().into();
    }
    match &**reference {
        "amp" => "&".into(),
        "lt" => "<".into(),
        "gt" => ">".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        other => format!("&{other};").into(),
    }
}

/// What was read so far, and where in it the text is.
struct Sheet {
    format: Option<Format>,
    title: Option<String>,
    items: Vec<RawItem>,
    /// How many links, authors, categories and enclosures all items have.
    parts: usize,
    item: Option<RawItem>,
    ranks: Ranks,
    /// What is in an element of the item that means nothing here, such as `<activity:object>`. It
    /// stands in where the item itself has none, since that element may be one that is not closed.
    nested: RawItem,
    nested_ranks: Ranks,
    /// The elements of the item that mean nothing here and are open.
    open: Vec<String>,
    capture: Option<Capture>,
    /// The name of an element whose content is none of ours, and how often it is open.
    skipped: Option<(String, usize)>,
    /// Prefixes as declared, wherever that was: nobody gives one two meanings.
    modules: Vec<(String, Module)>,
    joins: Joins,
    base: Option<Rc<Url>>,
    item_base: Option<Rc<Url>>,
}

/// How well the item's fields are named that several elements may fill: less is better, and the
/// first of its rank stays.
#[derive(Default)]
struct Ranks {
    title: u8,
    published: u8,
    updated: u8,
}

/// The rank of a date that may be long before the publication.
const CREATED: u8 = 3;

/// A field between its start and its end.
struct Capture {
    field: Field,
    rank: u8,
    name: String,
    /// What is open in it.
    open: Vec<String>,
    /// Its text, references resolved.
    text: String,
    /// The same as it stands, tags included.
    markup: String,
    has_tags: bool,
}

impl Capture {
    fn value(self) -> Option<String> {
        let value = if self.has_tags { self.markup } else { self.text };
        let trimmed = value.trim();
        (!trimmed.is_empty()).then(|| trimmed.to_owned())
    }
}

/// Whose element it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Module {
    /// RSS, Atom or RDF.
    Core,
    Content,
    DublinCore,
    Itunes,
    Media,
    Other,
}

impl Module {
    /// By the beginning of its namespace: versions and slashes at its end are all met.
    fn of_namespace(uri: &str) -> Self {
        const KNOWN: &[(&str, Module)] = &[
            ("purl.org/rss/1.0/modules/content", Module::Content),
            ("purl.org/dc/", Module::DublinCore),
            ("www.itunes.com/dtds/podcast", Module::Itunes),
            ("search.yahoo.com/mrss", Module::Media),
            ("www.w3.org/2005/atom", Module::Core),
            ("purl.org/atom/", Module::Core),
            ("purl.org/rss/1.0", Module::Core),
            ("my.netscape.com/", Module::Core),
            ("channel.netscape.com/", Module::Core),
            ("backend.userland.com/", Module::Core),
            ("www.w3.org/1999/02/22-rdf-syntax-ns", Module::Core),
        ];
        let uri = uri.trim().to_ascii_lowercase();
        let bare = uri.strip_prefix("http://").or(uri.strip_prefix("https://")).unwrap_or(&uri);
        let known = KNOWN.iter().find(|(start, _)| bare.starts_with(start));
        known.map_or(Self::Other, |(_, module)| *module)
    }

    /// By the prefix everyone uses, where a feed forgot to declare it.
    fn of_prefix(prefix: &str) -> Self {
        match prefix {
            "" | "rss" | "atom" | "atom10" | "rdf" => Self::Core,
            "content" => Self::Content,
            "dc" | "dcterms" => Self::DublinCore,
            "itunes" => Self::Itunes,
            "media" => Self::Media,
            _ => Self::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title,
    Link,
    Guid { is_link: bool },
    Author,
    Published,
    Updated,
    Summary,
    Content,
    Category,
}

impl Field {
    fn of(module: Module, name: &str) -> Option<Self> {
        Some(match (module, name) {
            (Module::Core | Module::DublinCore | Module::Itunes, "title") => Self::Title,
            (Module::Core, "link") => Self::Link,
            (Module::Core, "guid") => Self::Guid { is_link: true },
            (Module::Core, "id") => Self::Guid { is_link: false },
            (Module::Core | Module::Itunes, "author") | (Module::DublinCore, "creator") => {
                Self::Author
            }
            (Module::Core, "pubdate" | "published" | "issued" | "created")
            | (Module::DublinCore, "date" | "issued" | "created") => Self::Published,
            (Module::Core, "updated" | "modified" | "lastbuilddate")
            | (Module::DublinCore, "modified") => Self::Updated,
            (Module::Core | Module::DublinCore, "description")
            | (Module::Core | Module::Itunes, "summary") => Self::Summary,
            (Module::Core, "content") | (Module::Content, "encoded") => Self::Content,
            (Module::Core, "category") | (Module::DublinCore, "subject") => Self::Category,
            _ => return None,
        })
    }

    /// See [`Ranks`]. RSS and Atom before modules.
    fn rank(module: Module, name: &str) -> u8 {
        match (module, name) {
            (_, "created") => CREATED,
            (Module::Core, _) => 0,
            (Module::Itunes, _) => 2,
            _ => 1,
        }
    }

    /// Another field in it is markup that happens to have such a name. A title is short and holds
    /// none, so there it says that the title is not closed.
    fn may_hold(self, other: Option<Self>) -> bool {
        match self {
            Self::Title => other == Some(Self::Title),
            Self::Summary | Self::Content => true,
            _ => false,
        }
    }
}

impl Sheet {
    fn new(url: &str, length: usize) -> Self {
        Self {
            format: None,
            title: None,
            items: Vec::new(),
            parts: 0,
            item: None,
            ranks: Ranks::default(),
            nested: RawItem::default(),
            nested_ranks: Ranks::default(),
            open: Vec::new(),
            capture: None,
            skipped: None,
            modules: Vec::new(),
            joins: Joins::new(length),
            base: Url::parse(url).ok().map(Rc::new),
            item_base: None,
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, has_end: bool) -> Result<(), Unreadable> {
        let name = tag.name();
        let name: &str = name.as_ref();
        self.declare(tag);
        let (module, local) = self.module(name);
        if self.format.is_none() {
            self.format = Some(match &*local {
                "rss" | "channel" => Format::Rss,
                "rdf" => Format::Rdf,
                "feed" | "entry" => Format::Atom,
                _ => return Err(no_feed(name)),
            });
            self.base = self.based(tag, self.base.clone());
        }
        if module == Module::Core && matches!(&*local, "item" | "entry") {
            self.end_item();
            self.item_base = self.based(tag, self.base.clone());
            let guid = attribute(tag, "rdf:about");
            self.item = Some(RawItem { guid, ..RawItem::default() });
            self.ranks = Ranks::default();
            self.nested = RawItem::default();
            self.nested_ranks = Ranks::default();
            self.open.clear();
            return Ok(());
        }
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped.eq_ignore_ascii_case(name) && has_end {
                *depth += 1;
            }
            return Ok(());
        }
        let field = Field::of(module, &local);
        if let Some(capture) = &mut self.capture {
            let part_of_author = capture.field == Field::Author && field != Some(Field::Author);
            if field.is_none() || capture.field.may_hold(field) || part_of_author {
                capture.tag(tag, has_end);
                return Ok(());
            }
            self.end_field();
        }
        match (module, &*local, field) {
            (Module::Core, "image" | "textinput" | "source", _) if has_end => {
                self.skipped = Some((name.to_owned(), 1));
            }
            (Module::Core, "enclosure", _) | (Module::Media, "content", _) => self.enclosure(tag),
            (_, _, Some(Field::Link)) if attribute(tag, "href").is_some() => self.link(tag),
            (_, _, Some(Field::Category))
                if let Some(term) = attribute(tag, "label").or(attribute(tag, "term")) =>
            {
                self.put(Field::Category, 0, term);
            }
            (_, _, Some(field)) if has_end => {
                let field = match field {
                    Field::Guid { is_link: true } => Field::Guid {
                        is_link: attribute(tag, "isPermaLink").is_none_or(|says| {
                            let says = says.trim().to_ascii_lowercase();
                            !matches!(says.as_str(), "false" | "0" | "no")
                        }),
                    },
                    other => other,
                };
                self.capture = Some(Capture {
                    field,
                    rank: Field::rank(module, &local),
                    name: name.to_owned(),
                    open: Vec::new(),
                    text: String::new(),
                    markup: String::new(),
                    has_tags: false,
                });
            }
            (_, _, None) if has_end && self.item.is_some() && self.open.len() < MAX_OPEN => {
                self.open.push(name.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        let (module, local) = self.module(name);
        let is_item = module == Module::Core && matches!(&*local, "item" | "entry");
        let is_feed =
            module == Module::Core && matches!(&*local, "channel" | "rss" | "feed" | "rdf");
        if is_item || is_feed {
            self.end_item();
            return;
        }
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped.eq_ignore_ascii_case(name) {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        let Some(capture) = &mut self.capture else {
            if let Some(place) = place_of(&self.open, name) {
                self.open.truncate(place);
            }
            return;
        };
        if let Some(place) = place_of(&capture.open, name) {
            capture.open.truncate(place);
            capture.markup.push_str(&format!("</{}>", without_prefix(name)));
        } else if capture.name.eq_ignore_ascii_case(name) {
            self.end_field();
        }
    }

    /// `text` with references resolved, and as it stands.
    fn text(&mut self, text: &str, markup: &str) {
        if self.skipped.is_none()
            && let Some(capture) = &mut self.capture
        {
            capture.text.push_str(text);
            capture.markup.push_str(markup);
        }
    }

    fn end_field(&mut self) {
        let Some(capture) = self.capture.take() else { return };
        let (field, rank) = (capture.field, capture.rank);
        let value = match field {
            Field::Author if capture.has_tags => name_in(&capture.markup),
            _ => capture.value(),
        };
        if let Some(value) = value {
            self.put(field, rank, value);
        }
    }

    fn end_item(&mut self) {
        self.skipped = None;
        self.end_field();
        let Some(mut item) = self.item.take() else { return };
        if self.ranks.published == CREATED && item.updated.is_some() {
            // Nothing says that it was published then, as Jira's issues were not.
            item.published = None;
        }
        let mut nested = std::mem::take(&mut self.nested);
        if item.published.is_some() || item.updated.is_some() {
            // The other element has its own history.
            (nested.published, nested.updated) = (None, None);
        }
        item.stand_in(nested);
        if self.format != Some(Format::Atom) {
            // RSS has an element for its one link; others are of Atom, or what some take for RSS.
            item.links.sort_by_key(|link| link.rel.is_some());
        }
        self.items.push(item);
    }

    fn put(&mut self, field: Field, rank: u8, value: String) {
        let Some(item) = &mut self.item else {
            if field == Field::Title && rank < 2 && self.items.is_empty() {
                self.title.get_or_insert(value);
            }
            return;
        };
        self.parts += usize::from(matches!(field, Field::Link | Field::Author | Field::Category));
        let (item, ranks) = if self.open.is_empty() {
            (item, &mut self.ranks)
        } else {
            (&mut self.nested, &mut self.nested_ranks)
        };
        match field {
            Field::Title => put_by_rank(&mut item.title, &mut ranks.title, rank, value),
            // Markup, where an address should be.
            Field::Link if value.contains('<') => {}
            Field::Link => {
                let url = self.joins.join(self.item_base.as_deref(), &value);
                let href = url.map_or(value, String::from);
                item.links.push(RawLink { href, rel: None, mime: None });
            }
            Field::Guid { is_link } => {
                if item.guid.is_none() {
                    item.guid = Some(value);
                    item.guid_is_link = is_link;
                }
            }
            Field::Author => item.authors.push(value),
            Field::Published => {
                let rank = rank_of_date(rank, &value);
                put_by_rank(&mut item.published, &mut ranks.published, rank, value);
            }
            Field::Updated => {
                let rank = rank_of_date(rank, &value);
                put_by_rank(&mut item.updated, &mut ranks.updated, rank, value);
            }
            Field::Summary => drop(item.summary.get_or_insert(value)),
            Field::Content => drop(item.content.get_or_insert(value)),
            Field::Category => item.categories.push(value),
        }
    }

    fn link(&mut self, tag: &BytesStart<'_>) {
        let Some(href) = attribute(tag, "href") else { return };
        let base = self.based(tag, self.item_base.clone());
        let Some(item) = &mut self.item else { return };
        self.parts += 1;
        let url = self.joins.join(base.as_deref(), href.trim());
        let href = url.map_or_else(|| href.trim().to_owned(), String::from);
        let (rel, mime) = (attribute(tag, "rel"), attribute(tag, "type"));
        if rel.as_deref() == Some("enclosure") {
            let bytes = attribute(tag, "length").and_then(|bytes| bytes.trim().parse().ok());
            item.enclosures.push(Enclosure { url: href, mime, bytes });
        } else {
            let item = if self.open.is_empty() { item } else { &mut self.nested };
            item.links.push(RawLink { href, rel, mime });
        }
    }

    fn enclosure(&mut self, tag: &BytesStart<'_>) {
        let Some(url) = attribute(tag, "url") else { return };
        let Some(item) = &mut self.item else { return };
        self.parts += 1;
        let absolute = self.joins.join(self.item_base.as_deref(), url.trim());
        let url = absolute.map_or_else(|| url.trim().to_owned(), String::from);
        let bytes = attribute(tag, "length").or_else(|| attribute(tag, "fileSize"));
        let bytes = bytes.and_then(|bytes| bytes.trim().parse().ok());
        item.enclosures.push(Enclosure { url, mime: attribute(tag, "type"), bytes });
    }

    fn based(&mut self, tag: &BytesStart<'_>, base: Option<Rc<Url>>) -> Option<Rc<Url>> {
        let Some(own) = attribute(tag, "xml:base") else { return base };
        self.joins.join(base.as_deref(), own.trim()).map(Rc::new).or(base)
    }

    fn declare(&mut self, tag: &BytesStart<'_>) {
        if !tag.attributes_raw().contains("xmlns:") {
            return;
        }
        for attribute in tag.html_attributes().with_checks(false).flatten() {
            let key: &str = attribute.key.as_ref();
            if let Some(prefix) = key.strip_prefix("xmlns:")
                && !self.modules.iter().any(|(known, _)| known == prefix)
                && self.modules.len() < MAX_PREFIXES
            {
                self.modules.push((prefix.to_owned(), Module::of_namespace(&attribute.value)));
            }
        }
    }

    /// Whose it is, and its name in lower case without the prefix.
    fn module(&self, name: &str) -> (Module, String) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let declared = self.modules.iter().find(|(known, _)| known == prefix);
        let module = declared.map_or_else(|| Module::of_prefix(prefix), |(_, module)| *module);
        (module, local.to_ascii_lowercase())
    }

    fn finish(mut self) -> Result<RawFeed, Unreadable> {
        let format = self.format.ok_or_else(|| Unreadable::new("it has no element"))?;
        self.capture = None;
        self.end_item();
        Ok(RawFeed { format, title: self.title, items: self.items })
    }
}

/// Of the last of this name; cases are mixed up by hand.
fn place_of(open: &[String], name: &str) -> Option<usize> {
    open.iter().rposition(|open| open.eq_ignore_ascii_case(name))
}

fn put_by_rank(slot: &mut Option<String>, taken: &mut u8, rank: u8, value: String) {
    if slot.is_none() || rank < *taken {
        *slot = Some(value);
        *taken = rank;
    }
}

/// One that cannot be read gives way to any that can.
fn rank_of_date(rank: u8, text: &str) -> u8 {
    if date::read(text).is_some() { rank } else { u8::MAX }
}

/// Deeper than this, an end is not looked for.
const MAX_OPEN: usize = 100;

/// More than these nobody needs, and each name is looked for among them.
const MAX_PREFIXES: usize = 64;

impl Capture {
    fn tag(&mut self, tag: &BytesStart<'_>, has_end: bool) {
        self.has_tags = true;
        let end = if has_end { "" } else { "/" };
        let name = tag.name();
        let name: &str = name.as_ref();
        let attributes = tag.attributes_raw();
        self.markup.push_str(&format!("<{}{attributes}{end}>", without_prefix(name)));
        if has_end && self.open.len() < MAX_OPEN {
            self.open.push(name.to_owned());
        }
    }
}

/// The name without its prefix: `xhtml:em` is HTML's.
fn without_prefix(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The name in Atom's `<name>` and its siblings, else the address.
fn name_in(markup: &str) -> Option<String> {
    let mut found = [None, None];
    let mut reader = Reader::from_str(markup);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut place = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                place = match tag.local_name().as_ref() {
                    "name" => Some(0),
                    "email" => Some(1),
                    _ => None,
                };
            }
            Ok(Event::End(_)) => place = None,
            Ok(Event::Text(text)) => append(&mut found, place, &text),
            Ok(Event::CData(text)) => append(&mut found, place, &text),
            Ok(Event::GeneralRef(reference)) => append(&mut found, place, &resolved(&reference)),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    found.into_iter().flatten().map(|name| name.trim().to_owned()).find(|name| !name.is_empty())
}

fn append(found: &mut [Option<String>; 2], place: Option<usize>, text: &str) {
    if let Some(part) = place.and_then(|place| found.get_mut(place)) {
        part.get_or_insert_default().push_str(text);
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.html_attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let attribute = attributes.find(|attribute| {
        let key: &str = attribute.key.as_ref();
        key.eq_ignore_ascii_case(name)
    })?;
    let unescaped = unescape(&attribute.value).map(Cow::into_owned);
    Some(unescaped.unwrap_or_else(|_| attribute.value.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_better_name_decides_and_then_the_first() {
        for (item, published) in [
            ("<pubDate>1 Jan 2024</pubDate><pubDate>2 Jan 2024</pubDate>", "1 Jan 2024"),
            ("<dc:date>2024-01-02</dc:date><pubDate>1 Jan 2024</pubDate>", "1 Jan 2024"),
            ("<created>2024-01-03</created><dc:date>2024-01-02</dc:date>", "2024-01-02"),
            ("<pubDate>never</pubDate><created>2024-01-03</created>", "2024-01-03"),
            ("<pubDate>never</pubDate><dc:date>soon</dc:date>", "never"),
        ] {
            let feed = read(&format!("<rss><item>{item}</item></rss>"), "https://a.example/");
            assert_eq!(feed.unwrap().items[0].published.as_deref(), Some(published), "{item}");
        }
    }

    #[test]
    fn what_is_in_another_element_only_stands_in() {
        for (item, title, link) in [
            ("<x><title>b</title><link>/b</link></x><title>a</title><link>/a</link>", "a", "/a"),
            ("<title>a</title><link>/a</link><x><title>b</title><link>/b</link></x>", "a", "/a"),
            ("<title>a</title><x><title>b</title><link>/b</link></x>", "a", "/b"),
            // `<x>` is not closed.
            ("<x><title>a</title><link>/a</link>", "a", "/a"),
            ("<x></y><title>a</title></x><link>/a</link>", "a", "/a"),
            ("<atom:link href='/b' rel='alternate'/><link>/a</link><title>a</title>", "a", "/a"),
            ("<TITLE>a</title><link>/a</LINK>", "a", "/a"),
            ("<title>a<link>/a</link><description>b</description>", "a", "/a"),
            ("<link><a href='/b'>b</a></link><title>a</title><link>/a</link>", "a", "/a"),
        ] {
            let feed = read(&format!("<rss><item>{item}</item></rss>"), "https://a.example/");
            let item = &feed.unwrap().items[0];
            assert_eq!(item.title.as_deref(), Some(title));
            assert_eq!(item.links[0].href, format!("https://a.example{link}"));
        }
    }

    #[test]
    fn what_was_created_is_published_then_only_where_nothing_else_is_known() {
        for (item, dates) in [
            ("<created>2024-01-05</created>", [Some("2024-01-05"), None]),
            (
                "<created>2024-01-05</created><updated>2024-01-06</updated>",
                [None, Some("2024-01-06")],
            ),
        ] {
            let feed = read(&format!("<rss><item>{item}</item></rss>"), "https://a.example/");
            let item = &feed.unwrap().items[0];
            assert_eq!([item.published.as_deref(), item.updated.as_deref()], dates);
        }
    }

    #[test]
    fn the_history_of_another_element_is_not_that_of_the_item() {
        let other = "<a:object><published>2001-01-01</published></a:object>";
        for (item, published) in [
            (format!("{other}<updated>2024-01-05</updated>"), None),
            (other.to_owned(), Some("2001-01-01")),
        ] {
            let feed = read(&format!("<feed><entry>{item}</entry></feed>"), "https://a.example/");
            assert_eq!(feed.unwrap().items[0].published.as_deref(), published);
        }
    }

    #[test]
    fn markup_is_that_of_html_whatever_its_prefix() {
        let title = "<title><h:b class='x'>a</h:b> <h:br/>c</title>";
        let feed = read(&format!("<rss><item>{title}</item></rss>"), "https://a.example/");
        assert_eq!(feed.unwrap().items[0].title.as_deref(), Some("<b class='x'>a</b> <br/>c"));
    }

    #[test]
    fn what_was_taken_for_one_item_says_nothing_about_the_next() {
        let items = "<item><title>a</title></item><item><dc:title>b</dc:title></item>";
        let feed = read(&format!("<rss>{items}</rss>"), "https://a.example/").unwrap();
        let titles: Vec<_> = feed.items.iter().map(|item| item.title.as_deref()).collect();
        assert_eq!(titles, [Some("a"), Some("b")]);
    }
}
