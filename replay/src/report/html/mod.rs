//! [`html`]: a report as one page, which needs nothing but itself.
//!
//! It is opened from disk and asks for nothing. Its content security policy lets in the two styles
//! and the one script that are in it, by their hashes, and nothing else: a text that got out of its
//! place could still do nothing.

mod case;
mod element;

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use self::{
    case::{case_element, summary},
    element::Markup,
};
use super::{
    model::{Report, Section},
    text::language,
};
use crate::groups::{Place, SETTLED_WHOLE, Values};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Where nothing runs, all that unfolds is unfolded.
const STYLE_WITHOUT_SCRIPT: &str = "details::details-content{content-visibility:visible}";

/// Cases that are shown in full, if the page does not grow too long before; the others by name.
const MOST_CASES: usize = 500;
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Of each group so many places and values are told.
const MOST_PLACES: usize = 12;
const MOST_VALUES: usize = 3;

/// One page.
pub(crate) fn html(report: &Report) -> String {
    let mut page = Markup::default();
    page.open("!doctype html", &[]);
    page.element("html", &[("lang", "en")], |page| {
        page.element("head", &[], |page| head(report, page));
        page.line_break();
        page.element("body", &[], |page| {
            page.element("header", &[], |page| header(report, page));
            filter(page);
            page.element("main", &[], |page| sections(report, page));
            page.element("footer", &[], footer);
            page.verbatim("script", SCRIPT);
        });
    });
    page.line_break();
    page.into_text()
}

fn head(report: &Report, page: &mut Markup) {
    let policy = format!(
        "default-src 'none'; style-src {} {}; script-src {}; base-uri 'none'; form-action 'none'",
        source(STYLE),
        source(STYLE_WITHOUT_SCRIPT),
        source(SCRIPT)
    );
    page.open("meta", &[("charset", "utf-8")]);
    page.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    page.open("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    page.open("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    page.say("title", &[], &report.title());
    page.verbatim("style", STYLE);
    page.element("noscript", &[], |page| page.verbatim("style", STYLE_WITHOUT_SCRIPT));
}

/// A text's hash, as a policy names it.
fn source(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    let digest = Sha256::digest(text.as_bytes());
    let mut base64 = String::new();
    for three in digest.chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            let letter = LETTERS.get(bits >> (18 - 6 * place) & 63);
            base64.push(letter.map_or('=', |letter| char::from(*letter)));
        }
        base64.push_str("=".repeat(3 - three.len()).as_str());
    }
    format!("'sha256-{base64}'")
}

fn header(report: &Report, page: &mut Markup) {
    page.say("h1", &[], &report.title());
    page.element("ul", &[("class", "counts")], |page| {
        for (verdict, count) in report.counts() {
            page.element("li", &[("class", verdict)], |page| {
                page.say("b", &[], &count.to_string());
                page.text(&format!(" {verdict}"));
            });
        }
    });
}

/// Shown by the script that makes it work.
fn filter(page: &mut Markup) {
    page.element("search", &[("class", "filter"), ("hidden", "")], |page| {
        page.say("label", &[("for", "filter")], "Filter");
        let attributes = [
            ("id", "filter"),
            ("type", "search"),
            ("placeholder", "command, path or case"),
            ("autocomplete", "off"),
            ("spellcheck", "false"),
            ("aria-keyshortcuts", "/"),
        ];
        page.open("input", &attributes);
        page.say("output", &[("id", "shown"), ("for", "filter"), ("aria-live", "polite")], "");
    });
}

fn sections(report: &Report, page: &mut Markup) {
    let full = shown_in_full(report);
    let mut told = BTreeSet::new();
    for (section, number) in report.sections.iter().zip(1..) {
        let id = format!("group-{number}");
        let mut attributes = vec![("class", "group"), ("id", id.as_str())];
        if report.sections.len() == 1 {
            attributes.push(("open", ""));
        }
        page.element("details", &attributes, |page| {
            page.element("summary", &[], |page| section_head(section, page));
            elsewhere(section, page);
            if let Some(accept) = report.accept(section) {
                page.say("pre", &[("class", "command")], &accept);
            }
            let mut by_name = Vec::new();
            for (place, case) in report.members(section) {
                if !told.insert(place) {
                    by_name.push((case, true));
                } else if full.contains(&place) && page.len() < MOST_BYTES {
                    case_element(report, case, page);
                } else {
                    by_name.push((case, false));
                }
            }
            if by_name.is_empty() {
                return;
            }
            page.element("ul", &[("class", "names")], |page| {
                for (case, is_elsewhere) in by_name {
                    let name = case.name.as_str();
                    page.element("li", &[("class", "case"), ("data-name", name)], |page| {
                        match is_elsewhere {
                            true => {
                                let link = format!("#{name}");
                                page.element("a", &[("href", &link)], |page| summary(case, page));
                                page.say("span", &[("class", "look")], "shown above");
                            }
                            false => {
                                summary(case, page);
                                let diff = report.kit.call(&format!("diff {name}"));
                                page.say("code", &[("class", "look")], &diff);
                            }
                        }
                    });
                }
            });
        });
        page.line_break();
    }
}

/// The cases that are shown in full: of each group the first, then the second, and so on.
fn shown_in_full(report: &Report) -> BTreeSet<usize> {
    let mut full = BTreeSet::new();
    let longest = report.sections.iter().map(|section| section.members.len()).max().unwrap_or(0);
    for turn in 0..longest {
        for section in &report.sections {
            if full.len() >= MOST_CASES {
                return full;
            }
            full.extend(section.members.get(turn));
        }
    }
    full
}

fn section_head(section: &Section, page: &mut Markup) {
    page.element("h2", &[], |page| {
        let count = section.members.len();
        page.say("span", &[("class", "count")], &count.to_string());
        let title = section.title();
        page.say("span", &[("class", "heading"), ("lang", language(&title))], &title);
        page.say("span", &[("class", &format!("verdict {}", section.verdict))], section.verdict);
    });
    for place in section.places.iter().take(MOST_PLACES) {
        place_line(place, page);
    }
    let left = section.places.len().saturating_sub(MOST_PLACES);
    if left > 0 {
        page.say("span", &[("class", "place")], &format!("and {left} more places"));
    }
}

/// Where, and what became of what.
fn place_line(place: &Place, page: &mut Markup) {
    page.element("span", &[("class", "place")], |page| {
        page.say("code", &[], &crate::cli::place(&place.path));
        let mut left = place.others;
        for ((Values { expected, actual }, count), number) in place.values.iter().zip(0..) {
            if number >= MOST_VALUES {
                left += count;
                continue;
            }
            page.element("span", &[("class", "values")], |page| {
                let mut value = |tag, value: &Option<String>| {
                    if let Some(value) = value {
                        page.say(tag, &[("lang", language(value))], value);
                    }
                };
                value("del", expected);
                value("ins", actual);
                page.say("span", &[("class", "times")], &format!("{count}×"));
            });
        }
        if left > 0 {
            page.say("span", &[("class", "values")], &format!("others {left}×"));
        }
    });
}

/// Where some of the cases differ besides.
fn elsewhere(section: &Section, page: &mut Markup) {
    if section.elsewhere.is_empty() {
        return;
    }
    page.say("p", &[("class", "note")], SETTLED_WHOLE);
    page.element("ul", &[("class", "elsewhere")], |page| {
        for (path, count) in section.elsewhere.iter().take(MOST_PLACES) {
            page.element("li", &[], |page| {
                page.say("code", &[], &crate::cli::place(path));
                page.say("span", &[("class", "times")], &format!("{count}×"));
            });
        }
        let left = section.elsewhere.len().saturating_sub(MOST_PLACES);
        if left > 0 {
            page.say("li", &[], &format!("and {left} more places"));
        }
    });
}

fn footer(page: &mut Markup) {
    page.element("details", &[("id", "keys"), ("hidden", "")], |page| {
        page.say("summary", &[], "Keys");
        page.element("dl", &[], |page| {
            for (key, does) in [
                ("/", "go to the filter; Escape empties it"),
                ("j k", "next and previous group"),
                ("Enter", "unfold or fold what has the focus"),
                ("e", "unfold or fold the group and all its cases"),
                ("?", "these keys"),
            ] {
                page.element("dt", &[], |page| page.say("kbd", &[], key));
                page.say("dd", &[], does);
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_named_by_its_hash_in_base64() {
        // As `printf '' | openssl dgst -sha256 -binary | base64` says.
        assert_eq!(source(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    #[test]
    fn no_end_tag_stands_in_what_is_taken_as_it_is() {
        for ours in [STYLE, SCRIPT, STYLE_WITHOUT_SCRIPT] {
            assert!(!ours.contains("</"));
        }
    }
}
