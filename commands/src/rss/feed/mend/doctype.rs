//! DOCTYPEs, which go, and the entities that their internal subsets declare.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    controls::is_forbidden,
    reference::{escaped, number},
};

/// How many declarations are read, which is more than XHTML has.
const MOST_DECLARATIONS: usize = 512;

/// How many characters of a declaration are read.
const LONGEST_DECLARATION: usize = 1024;

/// Entities that are declared as plain text, and the names of those that refer to others.
#[derive(Debug)]
pub(super) struct Entities<'a> {
    declared: BTreeMap<&'a str, String>,
    nested: BTreeSet<&'a str>,
    declarations: usize,
    /// How many bytes may still be made of them, so that a small text stays small.
    budget: usize,
}

impl<'a> Entities<'a> {
    pub(super) fn new(budget: usize) -> Self {
        Self { declared: BTreeMap::new(), nested: BTreeSet::new(), declarations: 0, budget }
    }

    /// Escaped. `None` also where too much was expanded already.
    pub(super) fn expand(&mut self, name: &str) -> Option<String> {
        let value = self.declared.get(name)?;
        self.budget = self.budget.checked_sub(value.len())?;
        Some(value.clone())
    }

    pub(super) fn is_nested(&self, name: &str) -> bool {
        self.nested.contains(name)
    }

    /// `text` begins after `<!ENTITY`.
    fn declare(&mut self, text: &'a str) {
        if self.declarations == MOST_DECLARATIONS {
            return;
        }
        self.declarations = self.declarations.saturating_add(1);
        let longest = text.char_indices().nth(LONGEST_DECLARATION).map_or(text.len(), |it| it.0);
        let text = text.get(..longest).unwrap_or_default().trim_start();
        let Some((name, value)) = text.split_once(|it: char| it.is_ascii_whitespace()) else {
            return;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
        let value = quote.and_then(|quote| Some(value.get(1..)?.split_once(quote)?.0));
        // The first declaration holds, says XML.
        if self.declared.contains_key(name) || self.nested.contains(name) {
            return;
        }
        match value.map(|value| (plain(value), refers(value))) {
            Some((Some(value), _)) => drop(self.declared.insert(name, value)),
            Some((None, true)) => drop(self.nested.insert(name)),
            _ => {}
        }
    }
}

/// The value, if there is neither markup in it nor a reference but to a character.
fn plain(value: &str) -> Option<String> {
    let mut parts = value.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, length) = number(part.strip_prefix('#')?)?;
        text.push(char::from_u32(code).filter(|it| !is_forbidden(*it) && *it != '&')?);
        text.push_str(part.get(length.saturating_add(1)..)?);
    }
    (!text.contains('<')).then(|| escaped(&text))
}

/// Whether there is a reference to an entity in it that XML does not know by itself.
fn refers(value: &str) -> bool {
    let names = value.split('&').skip(1).filter_map(|part| Some(part.split_once(';')?.0));
    let mut names = names.filter(|name| !name.is_empty() && !name.starts_with('#'));
    names.any(|name| !matches!(name, "amp" | "lt" | "gt" | "quot" | "apos"))
}

/// The length of the DOCTYPE at the start of `text`, if it has an end.
pub(super) fn doctype<'a>(text: &'a str, entities: &mut Entities<'a>) -> Option<usize> {
    let mut at = "<!DOCTYPE".len();
    let mut in_subset = false;
    loop {
        let rest = text.get(at..)?;
        let found = rest.bytes().position(|byte| b"\"'[]<>".contains(&byte))?;
        let rest = rest.get(found..)?;
        let length = match rest.bytes().next()? {
            quote @ (b'"' | b'\'') => {
                rest.bytes().skip(1).position(|byte| byte == quote)?.saturating_add(2)
            }
            b'<' if rest.starts_with("<!--") => rest.find("-->")?.saturating_add(3),
            b'<' => {
                if let Some(entity) = rest.strip_prefix("<!ENTITY") {
                    entities.declare(entity);
                }
                1
            }
            b'>' if !in_subset => return Some(at.saturating_add(found).saturating_add(1)),
            bracket => {
                in_subset = (in_subset || bracket == b'[') && bracket != b']';
                1
            }
        };
        at = at.saturating_add(found).saturating_add(length);
    }
}
