//! Text or HTML to plain text.
//!
//! ```text
//! markup ── tags out ──> decode ──> [tags out] ──> decode what is still escaped ──> white space
//! ```
//!
//! Feeds escape too often more than too seldom, so each step is done a second time, with more
//! care: tags that show only once references are decoded go if the text had none before and they
//! look like markup, not like a word about markup (`the <b> element`); references then go if they
//! are whole (`&amp;`, not `&copy=2`). Nothing is done a third time: `&amp;lt;b&amp;gt;` is
//! `<b>`, since somebody meant to show it.
//!
//! Not every `<` is a tag. `a < b`, `x<3`, `<https://…>` and `Vec<T>` are text: a tag is a known
//! element of HTML, or has an attribute, or closes something.

use std::borrow::Cow;

use htmlize::Context;

/// On one line: tags taken out, references decoded, twice where they were escaped twice, white
/// space of any kind one space. `None` where nothing is left.
pub(super) fn line(markup: &str) -> Option<String> {
    plain(markup, Breaks::None)
}

/// As [`line`], with paragraphs and other blocks on lines of their own; what `script` and `style`
/// hold is no text. Never cut.
///
/// In text without any tag an empty line is the end of a paragraph; other line breaks are mostly
/// those of an editor.
pub(super) fn paragraphs(markup: &str) -> Option<String> {
    plain(markup, Breaks::OfMarkup)
}

/// What becomes a line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    None,
    /// [`BREAK`].
    OfMarkup,
    /// As well as empty lines.
    OfText,
}

/// Stands for the end of a block until white space is looked at, and in text for itself.
const BREAK: &str = "\u{2029}";

fn plain(markup: &str, mut breaks: Breaks) -> Option<String> {
    let mut text = Cow::Borrowed(markup);
    let mut has_tags = false;
    if text.contains('<') {
        let without = Tags::take_out(&text, Elements::All);
        has_tags = without.has_tags;
        text = without.text.into();
    }
    if text.contains('&') {
        text = htmlize::unescape_in(text, Context::General);
        if !has_tags && text.contains('<') {
            let without = Tags::take_out(&text, Elements::Known);
            if without.is_markup {
                has_tags = true;
                text = without.text.into();
            }
        }
        if text.contains('&') {
            text = decode_whole(text);
        }
    }
    if breaks == Breaks::OfMarkup && !has_tags {
        breaks = Breaks::OfText;
    }
    let text = white_space(&text, breaks);
    (!text.is_empty()).then_some(text)
}

/// Decodes the references that end in `;` and are known.
fn decode_whole(text: Cow<'_, str>) -> Cow<'_, str> {
    /// The longest name of HTML is `CounterClockwiseContourIntegral`.
    const MAX_BYTES: usize = 40;

    let mut decoded = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('&')).map(|next| at + next) {
        at = start + 1;
        let name = text.as_bytes().iter().skip(at).take(MAX_BYTES);
        let length = name.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        let end = at + length + 1;
        let Some(reference) = text.get(start..end).filter(|reference| reference.ends_with(';'))
        else {
            continue;
        };
        let meant = htmlize::unescape_in(reference, Context::Attribute);
        if meant != reference {
            decoded.push_str(text.get(kept..start).unwrap_or_default());
            decoded.push_str(&meant);
            kept = end;
            at = end;
        }
    }
    if kept == 0 {
        return text;
    }
    decoded.push_str(text.get(kept..).unwrap_or_default());
    decoded.into()
}

/// Which tags are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    All,
    /// Those of HTML.
    Known,
}

/// Takes tags out of a text.
struct Tags<'a> {
    source: &'a str,
    elements: Elements,
    text: String,
    has_tags: bool,
    /// Sections of text that were escaped with their marks.
    has_cdata: bool,
    /// A tag closes something, has an attribute or needs no end: this is no talk about tags.
    is_markup: bool,

    // What was looked for in vain need not be looked for again, so that time is linear.
    /// No quotes are respected before this: a tag with an open one was tried.
    unquoted_before: usize,
    has_no_comment_end: bool,
    has_no_script_end: bool,
    has_no_style_end: bool,
}

/// A tag, read but not decided about.
struct Tag {
    /// After its `>`.
    end: usize,
    name_end: usize,
    has_attribute: bool,
}

/// What an element does to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Nothing,
    Space,
    Break,
    /// What it holds is no text.
    Hide,
}

impl<'a> Tags<'a> {
    fn take_out(source: &'a str, elements: Elements) -> Self {
        let mut tags = Self {
            source,
            elements,
            text: String::with_capacity(source.len()),
            has_tags: false,
            has_cdata: false,
            is_markup: false,
            unquoted_before: 0,
            has_no_comment_end: false,
            has_no_script_end: false,
            has_no_style_end: false,
        };
        let mut kept = 0;
        let mut at = 0;
        while let Some(start) = tags.find(at, "<") {
            match tags.tag(start) {
                Some((end, effect)) => {
                    tags.text.push_str(source.get(kept..start).unwrap_or_default());
                    match effect {
                        Effect::Nothing | Effect::Hide => {}
                        Effect::Space => tags.text.push(' '),
                        Effect::Break => tags.text.push_str(BREAK),
                    }
                    kept = end;
                    at = end;
                }
                None => at = start + 1,
            }
        }
        tags.text.push_str(source.get(kept..).unwrap_or_default());
        if tags.has_cdata {
            tags.text = tags.text.replace("]]>", "");
        }
        tags
    }

    fn find(&self, from: usize, what: &str) -> Option<usize> {
        let rest = self.source.get(from..)?;
        let found = match what.as_bytes() {
            [byte] => rest.find(char::from(*byte)),
            _ => rest.find(what),
        };
        found.map(|found| from + found)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    /// The end of what is taken out at this `<`, if anything is.
    fn tag(&mut self, start: usize) -> Option<(usize, Effect)> {
        match self.byte(start + 1)? {
            b'!' => self.declaration(start),
            b'?' => self.declaration(start),
            b'/' => self.element(start, start + 2, true),
            _ => self.element(start, start + 1, false),
        }
    }

    fn declaration(&mut self, start: usize) -> Option<(usize, Effect)> {
        let rest = self.source.get(start..)?;
        if rest.starts_with("<!--") {
            let end = if self.has_no_comment_end { None } else { self.find(start + 4, "-->") };
            self.has_no_comment_end = end.is_none();
            self.is_markup = true;
            self.has_tags = true;
            // Without an end, only the mark goes: to hide all the rest would lose text.
            return Some((end.map_or(start + 4, |end| end + 3), Effect::Nothing));
        }
        if rest.starts_with("<![CDATA[") {
            self.has_cdata = true;
            return Some((start + 9, Effect::Nothing));
        }
        let starts_with = |what: &[u8]| {
            rest.as_bytes().get(..what.len()).is_some_and(|start| start.eq_ignore_ascii_case(what))
        };
        if !starts_with(b"<!doctype") && !starts_with(b"<?xml") {
            return None;
        }
        let length = rest.get(1..)?.find(['>', '<'])? + 1;
        (self.byte(start + length) == Some(b'>')).then_some((start + length + 1, Effect::Nothing))
    }

    fn element(
        &mut self,
        start: usize,
        name_start: usize,
        is_closing: bool,
    ) -> Option<(usize, Effect)> {
        if !self.byte(name_start)?.is_ascii_alphabetic() {
            return None;
        }
        let tag = self.read_tag(name_start)?;
        let name = self.source.get(name_start..tag.name_end)?;
        let effect = effect_of(name);
        let is_tag = match effect {
            // `Vec<Object>`
            Some(_) => {
                is_closing || tag.has_attribute || !(is_camel(name) && self.follows_word(start))
            }
            None if self.elements == Elements::Known => false,
            None => is_closing || tag.has_attribute,
        };
        if !is_tag {
            return None;
        }
        let effect = effect.unwrap_or(Effect::Nothing);
        self.has_tags = true;
        self.is_markup |= is_closing || tag.has_attribute || needs_no_end(name);
        if effect == Effect::Hide && !is_closing {
            return Some((self.hidden_end(name, tag.end).unwrap_or(tag.end), effect));
        }
        Some((tag.end, effect))
    }

    /// Reads to the `>` that ends the tag. `None` if it has none, or another `<` comes before.
    fn read_tag(&mut self, name_start: usize) -> Option<Tag> {
        let bytes = self.source.as_bytes();
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':');
        let name_end = name_start + bytes.iter().skip(name_start).take_while(is_name).count();
        if !matches!(self.byte(name_end), Some(b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r') | None) {
            return None;
        }
        // `<https://…>`
        if self.byte(name_end) == Some(b'/') && self.byte(name_end + 1) == Some(b'/') {
            return None;
        }
        let mut has_attribute = false;
        let mut at = name_end;
        loop {
            match self.byte(at) {
                Some(b'>') => return Some(Tag { end: at + 1, name_end, has_attribute }),
                Some(b'=') => {
                    has_attribute = true;
                    at += 1;
                    at += bytes.iter().skip(at).take_while(|byte| **byte == b' ').count();
                    let quote = match self.byte(at) {
                        Some(b'"') if at >= self.unquoted_before => "\"",
                        Some(b'\'') if at >= self.unquoted_before => "'",
                        _ => continue,
                    };
                    match self.find(at + 1, quote) {
                        Some(end) => at = end + 1,
                        None => {
                            self.unquoted_before = bytes.len();
                            return self.read_unquoted(name_end);
                        }
                    }
                }
                Some(b'<') => {
                    self.unquoted_before = self.unquoted_before.max(at);
                    return self.read_unquoted(name_end);
                }
                Some(_) => at += 1,
                None => {
                    self.unquoted_before = bytes.len();
                    return self.cut_tag(name_end);
                }
            }
        }
    }

    /// Where quotes lead nowhere: the next `>`, unless a `<` is before it.
    fn read_unquoted(&self, name_end: usize) -> Option<Tag> {
        let rest = self.source.get(name_end..)?;
        let Some(length) = rest.find(['<', '>']) else {
            return self.cut_tag(name_end);
        };
        let inside = rest.get(..length)?;
        let has_attribute = inside.contains('=');
        (self.byte(name_end + length) == Some(b'>')).then(|| Tag {
            end: name_end + length + 1,
            name_end,
            has_attribute,
        })
    }

    /// A summary that was cut inside a tag: `Read <a href="https://exa`.
    fn cut_tag(&self, name_end: usize) -> Option<Tag> {
        let rest = self.source.get(name_end..)?;
        let is_tag = rest.contains("=\"") || rest.contains("='");
        is_tag.then_some(Tag { end: self.source.len(), name_end, has_attribute: true })
    }

    /// Where the content of `script` or `style` ends.
    fn hidden_end(&mut self, name: &str, from: usize) -> Option<usize> {
        let is_script = name.len() == 6;
        let in_vain =
            if is_script { &mut self.has_no_script_end } else { &mut self.has_no_style_end };
        if *in_vain {
            return None;
        }
        let mut at = from;
        while let Some(start) = self.source.get(at..).and_then(|rest| rest.find("</")) {
            at += start + 2;
            let found = self.source.as_bytes().get(at..at + name.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
                return Some(at - 2);
            }
        }
        *in_vain = true;
        None
    }

    fn follows_word(&self, start: usize) -> bool {
        let before = start.checked_sub(1).and_then(|before| self.byte(before));
        before.is_some_and(|byte| byte.is_ascii_alphanumeric())
    }
}

/// `Object`, as types are named and tags are not.
fn is_camel(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|later: char| later.is_ascii_lowercase())
}

fn needs_no_end(name: &str) -> bool {
    ["br", "p", "hr", "li", "img"].iter().any(|void| name.eq_ignore_ascii_case(void))
}

/// What an element of HTML does; `None` if there is none of this name.
fn effect_of(name: &str) -> Option<Effect> {
    let mut small = [0; 10];
    let small = small.get_mut(..name.len())?;
    small.copy_from_slice(name.as_bytes());
    small.make_ascii_lowercase();
    Some(match &*small {
        b"a" | b"abbr" | b"acronym" | b"area" | b"b" | b"base" | b"basefont" | b"bdi" | b"bdo"
        | b"big" | b"cite" | b"code" | b"col" | b"colgroup" | b"data" | b"del" | b"dfn" | b"em"
        | b"embed" | b"font" | b"i" | b"img" | b"ins" | b"kbd" | b"label" | b"link" | b"map"
        | b"mark" | b"meta" | b"nobr" | b"o:p" | b"param" | b"path" | b"picture" | b"q" | b"rp"
        | b"rt" | b"ruby" | b"s" | b"samp" | b"small" | b"source" | b"span" | b"strike"
        | b"strong" | b"sub" | b"sup" | b"svg" | b"time" | b"track" | b"tt" | b"u" | b"var"
        | b"wbr" | b"audio" | b"blink" | b"canvas" | b"iframe" | b"math" | b"noscript"
        | b"object" | b"slot" | b"template" | b"video" => Effect::Nothing,
        b"td" | b"th" | b"button" | b"input" | b"meter" | b"output" | b"progress" | b"select"
        | b"textarea" => Effect::Space,
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"br" | b"caption"
        | b"center" | b"dd" | b"details" | b"dialog" | b"dir" | b"div" | b"dl" | b"dt"
        | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"frame"
        | b"frameset" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header"
        | b"hgroup" | b"hr" | b"html" | b"legend" | b"li" | b"main" | b"marquee" | b"menu"
        | b"nav" | b"noframes" | b"ol" | b"optgroup" | b"option" | b"p" | b"pre" | b"search"
        | b"section" | b"summary" | b"table" | b"tbody" | b"tfoot" | b"thead" | b"title"
        | b"tr" | b"ul" => Effect::Break,
        b"script" | b"style" => Effect::Hide,
        _ => return None,
    })
}

/// One space, or one line break, for each run of white space; none at the ends. Without controls
/// and what else does not show but turns or hides text.
fn white_space(text: &str, breaks: Breaks) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    let mut gap = Gap::default();
    loop {
        let (run, after) = rest.split_at(ordinary(rest));
        if !run.is_empty() {
            if !clean.is_empty() {
                clean.push_str(gap.between(breaks));
            }
            clean.push_str(run);
            gap = Gap::default();
        }
        let mut chars = after.chars();
        let Some(char) = chars.next() else { return clean };
        rest = chars.as_str();
        match char {
            '\u{2029}' => gap.has_break = true,
            '\n' => gap.lines += 1,
            '\r' if !rest.starts_with('\n') => gap.lines += 1,
            '\u{200B}' => gap.has_joint = true,
            _ => {}
        }
        gap.is_there |= char.is_whitespace();
    }
}

/// White space between two words.
#[derive(Default)]
struct Gap {
    is_there: bool,
    /// The space of no width: between words of Thai, Khmer or Burmese it is the only one.
    has_joint: bool,
    has_break: bool,
    lines: usize,
}

impl Gap {
    fn between(&self, breaks: Breaks) -> &'static str {
        match breaks {
            Breaks::OfMarkup if self.has_break => "\n",
            Breaks::OfText if self.has_break || self.lines > 1 => "\n",
            _ if self.is_there => " ",
            _ if self.has_joint => "\u{200B}",
            _ => "",
        }
    }
}

/// How many bytes of the text can stay as they are: to the first that is white space, other than
/// one space between two words, or does not show.
fn ordinary(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'!'..=b'~' => 1,
            b' ' => match bytes.get(at + 1) {
                Some(b'!'..=b'~') if at > 0 => 2,
                _ => return at,
            },
            ..=0x7F => return at,
            _ => match bytes.get(at..) {
                // Controls and the space that does not break.
                Some([0xC2, 0x80..=0xA0, ..]) => return at,
                Some([0xE1, 0x9A, 0x80, ..]) => return at,
                // Spaces, the one of no width; breaks, what turns the direction of text.
                Some([0xE2, 0x80, 0x80..=0x8B | 0xA8..=0xAF, ..]) => return at,
                Some([0xE2, 0x81, 0x9F | 0xA6..=0xA9, ..]) => return at,
                Some([0xE3, 0x80, 0x80, ..]) => return at,
                // The byte order mark.
                Some([0xEF, 0xBB, 0xBF, ..]) => return at,
                _ => 1,
            },
        };
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{line, paragraphs};

    fn check(read: fn(&str) -> Option<String>, table: &[(&str, &str)]) {
        let wrong: Vec<String> = table
            .iter()
            .filter_map(|&(markup, meant)| {
                let text = read(markup).unwrap_or_default();
                (text != meant).then(|| format!("{markup:?}: {text:?}, not {meant:?}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn tags_go_and_what_only_looks_like_one_stays() {
        check(
            line,
            &[
                ("<b>foo</b>bar", "foobar"),
                ("foo<br>bar", "foo bar"),
                ("<p>foo</p><p>bar</p>", "foo bar"),
                ("<td>1</td><td>2</td>", "1 2"),
                ("a <img src=x alt=\"cat\"> b", "a b"),
                ("foo<!-- <b> -- > -->bar", "foobar"),
                ("foo<!-- bar", "foo bar"),
                ("foo<script>if (a < b) { '<p>' }</script>bar", "foobar"),
                ("foo<STYLE type=text/css>p > a {}</Style >bar", "foobar"),
                ("How to use <script> well", "How to use well"),
                ("<a href=\"x\" title=\"a > b\">foo</a>", "foo"),
                ("<a href=\"x>foo</a> bar", "foo bar"),
                ("<a href='x'\n>foo</a\n>", "foo"),
                ("<my-tag>foo</my-tag>", "<my-tag>foo"),
                ("<my-tag class=\"x\">foo</my-tag>", "foo"),
                ("<![CDATA[foo & bar]]>", "foo & bar"),
                ("<!DOCTYPE html><html><body>foo</body></html>", "foo"),
                ("<?xml version=\"1.0\"?>foo", "foo"),
                ("Read <a href=\"https://exa", "Read"),
                ("if a <b and c = d", "if a <b and c = d"),
                ("a < b > c", "a < b > c"),
                ("x<3 <3", "x<3 <3"),
                ("a <- b", "a <- b"),
                ("Vec<T> and HashMap<String, Vec<u8>>", "Vec<T> and HashMap<String, Vec<u8>>"),
                ("List<Object> is raw", "List<Object> is raw"),
                (
                    "mail <john@example.org> <https://example.org/>",
                    "mail <john@example.org> <https://example.org/>",
                ),
                ("a <b <i>c</i>", "a <b c"),
                ("<", "<"),
                ("</", "</"),
                ("<b", "<b"),
                ("<b>", ""),
                ("", ""),
            ],
        );
    }

    #[test]
    fn references_are_decoded_twice_where_they_were_escaped_twice() {
        check(
            line,
            &[
                ("Q&amp;A &copy; &#8217; &#x2019;", "Q&A © ’ ’"),
                ("Q&amp;amp;A &amp;quot; &amp;#8217; &amp;nbsp; x", "Q&A \" ’ x"),
                ("AT&T, R&D, a & b &", "AT&T, R&D, a & b &"),
                ("&amp;foo; &amp;copy=2 &amp;#; &amp;#x;", "&foo; &copy=2 &#; &#x;"),
                ("&amp;amp;amp;", "&amp;"),
                ("a &lt; b &amp;lt; c", "a < b < c"),
            ],
        );
    }

    #[test]
    fn escaped_markup_goes_and_words_about_it_stay() {
        check(
            line,
            &[
                ("&lt;b&gt;foo&lt;/b&gt;bar", "foobar"),
                ("&lt;p&gt;foo &amp;amp; bar&lt;/p&gt;", "foo & bar"),
                ("foo&lt;br /&gt;bar", "foo bar"),
                ("&lt;img src=\"x\"&gt; foo", "foo"),
                ("&lt;![CDATA[foo]]&gt;", "<![CDATA[foo]]>"),
                ("the &lt;b&gt; element", "the <b> element"),
                ("&amp;lt;b&amp;gt;foo&amp;lt;/b&amp;gt;", "<b>foo</b>"),
                ("<p>the &lt;b&gt;..&lt;/b&gt; element</p>", "the <b>..</b> element"),
                ("Vec&lt;T&gt;", "Vec<T>"),
                ("&lt;foo&gt;bar&lt;/foo&gt;", "<foo>bar</foo>"),
            ],
        );
    }

    #[test]
    fn white_space_of_any_kind_is_one_space_and_what_does_not_show_goes() {
        check(
            line,
            &[
                ("  foo \t\n\r\u{a0}\u{3000}\u{2028}\u{2029}\u{2003}\u{85} bar  ", "foo bar"),
                ("\u{feff}f\u{2060}oo \u{200b} bar\u{0}\u{7f}\u{9f}", "f\u{2060}oo bar"),
                ("\u{200b}ភាសា\u{200b}ខ្មែរ\u{200b}", "ភាសា\u{200b}ខ្មែរ"),
                ("\u{202e}foo\u{202c} \u{2066}bar\u{2069}", "foo bar"),
                ("\u{200b}", ""),
                ("“foo” – b\u{e4}r …", "“foo” – bär …"),
                // Needed by emoji and by Persian.
                (
                    "\u{1f469}\u{200d}\u{1f4bb} می\u{200c}خواهم",
                    "\u{1f469}\u{200d}\u{1f4bb} می\u{200c}خواهم",
                ),
                ("日本語　テキスト、カナ。", "日本語 テキスト、カナ。"),
                ("foo&#8238;bar&#x200B;", "foobar"),
            ],
        );
    }

    #[test]
    fn blocks_are_lines_of_paragraphs() {
        check(
            paragraphs,
            &[
                ("<p>foo\n  bar</p>\n\n<p>baz</p>", "foo bar\nbaz"),
                ("foo<br><br/>\nbar", "foo\nbar"),
                ("<ul><li>a</li><li><b>b</b>c</li></ul>d", "a\nbc\nd"),
                ("<h1>a</h1>b<div><div>c</div></div>", "a\nb\nc"),
                ("<tr><td>1</td><td>2</td></tr><tr><td>3</td></tr>", "1 2\n3"),
                ("&lt;p&gt;foo&lt;/p&gt;&lt;p&gt;bar&lt;/p&gt;", "foo\nbar"),
                ("foo\nbar", "foo bar"),
                ("foo\r\n\r\nbar\n \nbaz", "foo\nbar\nbaz"),
                ("<b>foo</b>\n\nbar", "foo bar"),
                ("<p> </p><br>", ""),
            ],
        );
    }

    #[test]
    fn hostile_markup_takes_linear_time() {
        let endless = [
            "<",
            "<a",
            "<a ",
            "<a b=\"",
            "<a b='>\" ",
            "<a x='<a ' ",
            "<a b=\"\" c='>",
            "</a",
            "<!--",
            "<!--<!",
            "<script>",
            "<style></",
            "<script></style>",
            "<b>",
            "<b><i>",
            "<!doctype",
            "<?xml ",
            "<![CDATA[",
            "&",
            "&a",
            "&amp;",
            "&amp;amp;",
            "&#",
            "&#0",
            "&lt;",
            "&lt;b ",
            "&lt;/b&gt;",
            "&amp;#38;",
            " ",
            "\u{200b}",
            "a ",
            "]]>",
            "=",
            "<a =",
            "<a = ",
            "<a b= ",
        ];
        for pattern in endless {
            // Each takes milliseconds; what is quadratic takes a minute.
            let markup = pattern.repeat(100_000 / pattern.len());
            let _ = paragraphs(&format!("{markup}<"));
            let _ = line(&format!("{markup}>"));
        }
    }

    proptest! {
        #[test]
        fn a_line_is_one_line(text in any::<String>()) {
            prop_assert!(is_line(&line(&text).unwrap_or_else(|| "-".into())));
        }

        #[test]
        fn a_line_of_markup_is_one_line(
            pieces in prop::collection::vec(
                "</?[abp]|>|=|\"|'|<!--|-->|<script|<br>|&lt;|&gt;|&amp;|amp;|&#8232;|[ \n\u{a0}\u{200b}é]|[a-z]", 0..30
            )
        ) {
            let markup = pieces.concat();
            prop_assert!(is_line(&line(&markup).unwrap_or_else(|| "-".into())));
            for line in paragraphs(&markup).iter().flat_map(|text| text.split('\n')) {
                prop_assert!(is_line(line));
            }
        }

        #[test]
        fn plain_text_is_read_as_it_reads(text in "[^<&]*") {
            let once = line(&text);
            prop_assert_eq!(once.as_deref().and_then(line), once.clone());
            for part in paragraphs(&text).iter().flat_map(|text| text.split('\n')) {
                prop_assert_eq!(line(part), Some(part.to_owned()));
            }
            let joined = paragraphs(&text).map(|text| text.replace('\n', " "));
            prop_assert_eq!(joined, once);
        }
    }

    fn is_line(text: &str) -> bool {
        !text.is_empty()
            && text.trim() == text
            && !text.contains("  ")
            && text.chars().all(|char| char == ' ' || !(char.is_whitespace() || char.is_control()))
    }
}
