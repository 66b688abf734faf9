//! The scan: from one `<` or `&` to the next.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::{
    Mended,
    burden::{Burden, DEEPEST},
    doctype::{Entities, doctype},
    faults::Faults,
    patch::Patched,
    reference::{reference, value},
    tag::{Start, Tag, Tags, is_name, is_space},
};

/// How far into a text a declaration makes an end of what some server wrote before the feed.
const NOTICES_WITHIN: usize = 64 * 1024;

const CDATA: &str = "<![CDATA[";
const DOCTYPE: &str = "<!DOCTYPE";

/// `text` has no characters that XML forbids.
pub(super) fn scan<'a>(text: &'a str, faults: &mut Faults) -> Mended<'a> {
    let mut scan = Scan {
        text,
        at: 0,
        patched: Patched::new(text),
        entities: Entities::new(text.len()),
        tags: Tags::new(text),
        root: None,
        items: 0,
        burden: Burden::default(),
        ends_inside: false,
        open: Vec::new(),
        last: "",
        has_no_instruction_end: false,
        has_no_doctype_end: false,
        faults,
    };
    while scan.step() {}
    let refused = scan.refused();
    let mended = scan.patched.finish(scan.last);
    Mended {
        items: scan.items,
        cut: scan.root.map_or(scan.ends_inside, |root| root.open > 0),
        is_too_heavy: scan.burden.is_too_heavy(text.len(), mended.len()),
        text: mended,
        refused,
    }
}

struct Scan<'a, 'f> {
    text: &'a str,
    at: usize,
    patched: Patched<'a>,
    entities: Entities<'a>,
    tags: Tags<'a>,
    root: Option<Root<'a>>,
    items: usize,
    burden: Burden,
    /// The text's end is inside a tag, comment or the like.
    ends_inside: bool,
    /// The elements that are open.
    open: Vec<&'a str>,
    /// What is missing at the end.
    last: &'static str,
    /// There is none further on. To look again each time would take forever.
    has_no_instruction_end: bool,
    has_no_doctype_end: bool,
    faults: &'f mut Faults,
}

struct Root<'a> {
    name: &'a str,
    /// How many elements of its name are open. Others may be unclosed, and are not counted.
    open: usize,
}

impl Root<'_> {
    fn is_feed(&self) -> bool {
        let name = local(self.name);
        ["rss", "feed", "rdf"].iter().any(|feed| name.eq_ignore_ascii_case(feed))
    }
}

impl<'a> Scan<'a, '_> {
    /// Goes on by at least one byte, or says that the end is reached.
    fn step(&mut self) -> bool {
        let in_root = self.root.is_some();
        let rest = self.rest();
        // Before the root a `&` is text that goes, like any other.
        let found = match in_root {
            true => memchr2(b'<', b'&', rest.as_bytes()),
            false => memchr(b'<', rest.as_bytes()),
        };
        let length = found.unwrap_or(rest.len());
        if in_root {
            self.at = self.at.saturating_add(length);
        } else {
            self.drop_text(length);
        }
        match self.rest().as_bytes() {
            [] => return false,
            [b'&', ..] => self.reference(),
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', b'?', ..] => self.instruction(),
            [b'<', b'!', ..] => self.declaration(),
            [b'<', ..] => match self.rest().chars().nth(1) {
                None => self.cut(),
                Some(first) if is_first_of_name(first) => self.start_tag(),
                Some(_) => self.stray(),
            },
            _ => self.at = self.at.saturating_add(1),
        }
        true
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn reference(&mut self) {
        match reference(self.rest(), &mut self.entities, self.faults) {
            Some((length, with)) => self.replace(length, &with),
            None => self.at = self.at.saturating_add(1),
        }
    }

    fn start_tag(&mut self) {
        match self.tags.read(self.at) {
            Start::Tag(tag) => self.tag(&tag),
            Start::Text => self.stray(),
            Start::Cut => self.cut(),
        }
    }

    fn tag(&mut self, tag: &Tag) {
        let name = self.text.get(tag.name.clone()).unwrap_or_default();
        if self.is_before_feed() && self.begins_feed(name) {
            self.restart();
        }
        let is_versioned = self.root.is_none() && name.eq_ignore_ascii_case("rss");
        let opens = usize::from(!tag.is_empty);
        match &mut self.root {
            None => self.root = Some(Root { name, open: opens }),
            Some(root) if root.open > 0 && root.name.eq_ignore_ascii_case(name) => {
                root.open = root.open.saturating_add(opens);
            }
            Some(_) => {}
        }
        let kind = local(name);
        if kind.eq_ignore_ascii_case("item") || kind.eq_ignore_ascii_case("entry") {
            self.items = self.items.saturating_add(1);
        }
        if !tag.is_empty {
            self.open.push(name);
        }
        if !tag.is_tidy {
            self.faults.broken_tags = self.faults.broken_tags.saturating_add(1);
        }
        let length = tag.end.saturating_sub(self.at);
        if let Some(mended) = self.mended_tag(tag, name, is_versioned) {
            self.replace(length, &mended);
        } else {
            self.at = tag.end;
        }
    }

    /// The tag as XML, unless it is that already.
    fn mended_tag(&mut self, tag: &Tag, name: &str, is_versioned: bool) -> Option<String> {
        let text = self.text;
        let mut is_kept = tag.is_tidy;
        let mut has_version = false;
        let mut attributes = Vec::new();
        let mut base = None;
        for attribute in &self.tags.attributes {
            let key = text.get(attribute.name.clone()).unwrap_or_default();
            let raw = text.get(attribute.value.clone()).unwrap_or_default();
            let value = value(raw, &mut self.entities, self.faults);
            is_kept &= matches!(value, Cow::Borrowed(_));
            if base.is_none() && key.eq_ignore_ascii_case("xml:base") {
                base = Some(value.len());
            }
            if is_versioned && key == "version" {
                has_version = value == "2.0";
                if !has_version {
                    is_kept = false;
                    continue;
                }
            }
            attributes.push((key, value, attribute.quote));
        }
        self.burden.start(self.at, name, tag.is_empty, base);
        self.burden.attributes(self.tags.attributes.len());
        if is_kept && (has_version || !is_versioned) {
            return None;
        }
        let mut mended = format!("<{name}");
        if is_versioned && !has_version {
            mended.push_str(" version=\"2.0\"");
        }
        for (key, value, quote) in attributes {
            mended.push(' ');
            mended.push_str(key);
            mended.push('=');
            mended.push(quote);
            // Only values that had no quotes can have these in them.
            mended.push_str(&value.replace(quote, if quote == '"' { "&quot;" } else { "&apos;" }));
            mended.push(quote);
        }
        mended.push_str(if tag.is_empty { "/>" } else { ">" });
        Some(mended)
    }

    fn end_tag(&mut self) {
        let rest = self.rest().as_bytes();
        let skip = |at: usize, such: fn(u8) -> bool| {
            let after = rest.get(at..).unwrap_or_default();
            at.saturating_add(after.iter().take_while(|byte| such(**byte)).count())
        };
        let start = skip(2, is_space);
        let name_end = skip(start, is_name);
        let first = self.rest().get(start..).and_then(|rest| rest.chars().next());
        let after = skip(name_end, |byte| byte != b'>' && byte != b'<');
        let (end, is_closed) = match (first, rest.get(after)) {
            (None, _) | (_, None) => return self.cut(),
            (Some(first), _) if !is_first_of_name(first) => return self.stray(),
            (_, Some(b'>')) => (after.saturating_add(1), true),
            // What follows may be text; only the `>` is missing.
            _ => (name_end, false),
        };
        let Some(root) = &mut self.root else {
            return self.drop_text(end);
        };
        let name = self.text.get(self.at.saturating_add(start)..self.at.saturating_add(name_end));
        let name = name.unwrap_or_default();
        if root.name.eq_ignore_ascii_case(name) {
            root.open = root.open.saturating_sub(1);
        }
        self.burden.end();
        self.faults.unclosed = self.faults.unclosed.saturating_add(closed(&mut self.open, name));
        if is_closed && start == 2 && skip(name_end, is_space) == after {
            self.at = self.at.saturating_add(end);
        } else {
            self.faults.broken_tags = self.faults.broken_tags.saturating_add(1);
            self.replace(end, &format!("</{name}>"));
        }
    }

    /// XML declarations, and other processing instructions.
    fn instruction(&mut self) {
        let rest = self.rest();
        let is_name = rest.chars().nth(2).map(is_first_of_name);
        match is_name {
            None => return self.cut(),
            Some(false) => return self.stray(),
            Some(true) => {}
        }
        let is_declaration = rest
            .strip_prefix("<?xml")
            .is_some_and(|after| after.bytes().next().is_none_or(|it| is_space(it) || it == b'?'));
        let end =
            if is_declaration || self.has_no_instruction_end { None } else { rest.find("?>") };
        self.has_no_instruction_end |= !is_declaration && end.is_none();
        let end = end.map(|it| it.saturating_add(2));
        let Some(length) = end.or_else(|| Some(rest.find('>')?.saturating_add(1))) else {
            return self.cut();
        };
        if is_declaration && self.is_before_feed() {
            self.restart();
        }
        self.replace(length, "");
    }

    /// The root is that of no feed, and none was found in it yet.
    fn is_before_feed(&self) -> bool {
        self.root.as_ref().is_some_and(|root| !root.is_feed())
            && self.items == 0
            && self.at < NOTICES_WITHIN
    }

    /// Whether the tag read last is a feed's root. Anything may have a `<feed>`, but few name its
    /// vocabulary.
    fn begins_feed(&self, name: &str) -> bool {
        let is = |other: &str| local(name).eq_ignore_ascii_case(other);
        is("rss")
            || is("rdf")
            || (is("feed")
                && self.tags.attributes.iter().any(|attribute| {
                    let key = self.text.get(attribute.name.clone()).unwrap_or_default();
                    key == "xmlns" || key.starts_with("xmlns:")
                }))
    }

    fn refused(&mut self) -> Option<String> {
        if let Some(name) = self.faults.nested_entity.take() {
            return Some(format!(
                "its entity `&{name};` is made of other entities, which are not followed"
            ));
        }
        self.burden
            .is_bottomless()
            .then(|| format!("its elements are nested more than {DEEPEST} deep"))
    }

    /// A feed begins here; what came before is what some server had to say, or a wrapping.
    fn restart(&mut self) {
        let dropped = self.text.get(..self.at).unwrap_or_default().chars().count();
        self.faults.before_root = self.faults.before_root.saturating_add(dropped);
        self.patched.restart(self.at);
        self.root = None;
        self.burden = Burden::default();
        self.open.clear();
        self.faults.unclosed = 0;
    }

    /// What begins with `<!`.
    fn declaration(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            match rest.get(4..).and_then(|comment| comment.find("-->")) {
                Some(length) => self.replace(length.saturating_add(7), ""),
                None => self.cut(),
            }
        } else if begins(rest, CDATA) {
            self.character_data();
        } else if begins(rest, DOCTYPE) {
            let length =
                if self.has_no_doctype_end { None } else { doctype(rest, &mut self.entities) };
            self.has_no_doctype_end |= length.is_none();
            match length.or_else(|| Some(rest.find('>')?.saturating_add(1))) {
                Some(length) => self.replace(length, ""),
                None => self.cut(),
            }
        } else if begins(CDATA, rest) || begins(DOCTYPE, rest) || begins("<!--", rest) {
            self.cut();
        } else {
            self.stray();
        }
    }

    fn character_data(&mut self) {
        let rest = self.rest();
        let inner = rest.get(CDATA.len()..).unwrap_or_default();
        let length = inner.find("]]>").map(|it| it.saturating_add(CDATA.len()).saturating_add(3));
        if self.root.is_none() {
            return self.drop_text(length.unwrap_or(rest.len()));
        }
        let end = self.at.saturating_add(length.unwrap_or(rest.len()));
        if !rest.starts_with(CDATA) {
            self.faults.broken_tags = self.faults.broken_tags.saturating_add(1);
            self.replace(CDATA.len(), CDATA);
        }
        if length.is_none() {
            self.ends_inside = true;
            self.last = "]]>";
        }
        self.at = end;
    }

    /// A `<` that begins nothing.
    fn stray(&mut self) {
        if self.root.is_none() {
            return self.drop_text(1);
        }
        self.faults.broken_tags = self.faults.broken_tags.saturating_add(1);
        self.replace(1, "&lt;");
    }

    /// The text ends in what begins here.
    fn cut(&mut self) {
        self.ends_inside = true;
        self.replace(self.rest().len(), "");
    }

    /// Before the root.
    fn drop_text(&mut self, length: usize) {
        let text = self.rest().get(..length).unwrap_or_default();
        let text = text.trim_matches(|it: char| it.is_whitespace() || it == '\u{FEFF}');
        self.faults.before_root = self.faults.before_root.saturating_add(text.chars().count());
        self.replace(length, "");
    }

    fn replace(&mut self, length: usize, with: &str) {
        let end = self.at.saturating_add(length).min(self.text.len());
        self.patched.replace(self.at..end, with);
        self.at = end;
    }
}

/// In any case, as some write it.
fn begins(text: &str, with: &str) -> bool {
    text.as_bytes().get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()))
}

fn is_first_of_name(first: char) -> bool {
    first.is_ascii_alphabetic() || first == '_' || (!first.is_ascii() && first.is_alphabetic())
}

/// The name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Closes an element, and those in it that nothing closed: how many these are. An end that nothing
/// began is one, too.
fn closed(open: &mut Vec<&str>, name: &str) -> usize {
    /// Nobody leaves more open by mistake, and each mistake would go through all of them.
    const MOST: usize = 64;

    let within = open.len().saturating_sub(MOST);
    let place = open.iter().skip(within).rposition(|it| *it == name);
    let Some(place) = place.map(|place| place.saturating_add(within)) else { return 1 };
    let left = open.len().saturating_sub(place).saturating_sub(1);
    open.truncate(place);
    left
}
