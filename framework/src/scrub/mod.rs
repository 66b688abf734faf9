//! Scrubbing: secrets leave a run's texts before anything is written.
//!
//! A secret is known by where it stands: a credential header, the userinfo of a URL, the value of a
//! secret query key, a secret argument. There it is *learned* and becomes `{{secret:N}}`, N by first
//! appearance in the run; every other text is then searched for what was learned. After that comes
//! the sweep: what looks like a secret, wherever it stands, is learned as well. What stands in the
//! record is rewritten; a body or file that is kept beside it, as a blob, is dropped when it holds a
//! secret of either kind, and the tape is incomplete.
//!
//! Scrubbing is idempotent. Three rules make it so, and a change must keep them: a placeholder is
//! never learned, nothing is searched for inside one, and no match reaches across one.
//!
//! What is not found: a secret without a shape in a place that says nothing (a bare password in a
//! sentence); one that is encrypted, compressed, or encoded twice; one in base64 or hexadecimal digits
//! that stands nowhere in the run as it is; and a secret argument of up to three bytes where it is only
//! a part of a value.
//!
//! [`sweep`], [`secret_in`] and [`secret_in_line`] are the sweep alone, for texts that belong to no
//! run.

mod headers;
mod urls;

mod command_line;

mod shapes;

mod encodings;
mod secret_names;

#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use self::{encodings::encoded, headers::HeaderKind};
use crate::line;

/// A text without what looks like a secret: each becomes `{{secret:N}}`, N by first appearance and
/// higher than that of any placeholder that is there. Borrowed where nothing was found.
///
/// Sweeping again changes nothing, and [`secret_in`] finds nothing in what was swept.
///
/// ```
/// let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
/// let swept = tapeline::scrub::sweep(&token);
/// assert_eq!(swept, "{{secret:1}}");
/// assert_eq!(tapeline::scrub::sweep("rate of CNY to EUR: 0.1286"), "rate of CNY to EUR: 0.1286");
/// ```
pub fn sweep(text: &str) -> Cow<'_, str> {
    Scrubber::default().swept(text)
}

/// What the first secret looks like that bytes hold, for people: `GitHub OAuth token`; `None` where
/// nothing looks like one. The bytes need not be text.
///
/// It is found as it is, percent-encoded, escaped for JSON, and in UTF-16.
///
/// ```
/// let token = format!("hf_{}", "aB3dE5gH7j".repeat(4));
/// assert_eq!(tapeline::scrub::secret_in(token.as_bytes()), Some("Hugging Face token"));
/// assert_eq!(tapeline::scrub::secret_in(b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c"), None);
/// ```
pub fn secret_in(bytes: &[u8]) -> Option<&'static str> {
    shapes::first(bytes)
}

/// As [`secret_in`], of a command line: what its words have, too, which quotes may part, and what
/// stands behind a flag for secrets (`--password …`) or in a credential header.
///
/// ```
/// let token = "a1B2c3D4e5F6".repeat(3);
/// let line = format!("hello --name gh\"p_{token}\" | cat");
/// assert_eq!(
///     tapeline::scrub::secret_in_line(&line),
///     Some("GitHub personal access token")
/// );
/// assert_eq!(tapeline::scrub::secret_in_line("hello --password {{secret:1}}"), None);
/// ```
pub fn secret_in_line(line: &str) -> Option<&'static str> {
    let words: Vec<String> = line::some_words(line).into_iter().map(|word| word.text).collect();
    let in_words = || words.iter().find_map(|word| secret_in(word.as_bytes()));
    let by_place = || {
        let mut scrubber = Scrubber::default();
        scrubber.words_that_say_so(&words);
        // A cookie of a letter is learned, and stays in the line.
        let is_held = !scrubber.is_empty() && scrubber.command_line(line) != line;
        is_held.then_some("secret behind a flag or label")
    };
    secret_in(line.as_bytes()).or_else(in_words).or_else(by_place)
}

/// The secrets of one run and the placeholders that stand for them.
///
/// Learn first, then rewrite: [`header`](Self::header), [`url`](Self::url) and
/// [`argument`](Self::argument) learn from their position, [`swept`](Self::swept) by shape;
/// [`text`](Self::text) and [`command_line`](Self::command_line) replace what is known by then.
#[derive(Default)]
pub(crate) struct Scrubber {
    /// Every known way to write a secret, longest first.
    spellings: Vec<Spelling>,
    /// What the set-up holds: nothing is searched for it, but whoever learns it gives it this number.
    of_setup: Arc<[Spelling]>,
    /// URLs that hold secrets too short to be searched for, and how they may be written.
    whole_urls: Vec<(String, String)>,
    /// Arguments too short to be searched for: whole values alone are held against them.
    short_arguments: Vec<Spelling>,
    /// The highest number given or seen.
    last: u32,
}

impl Scrubber {
    /// One for a run under a set-up whose secrets this one knows: they keep their numbers, so that a
    /// rule of the policy still matches the line.
    pub(crate) fn for_runs(self) -> impl Fn() -> Self {
        let last = self.spellings.iter().map(|known| known.number).max().unwrap_or_default();
        let of_setup: Arc<[Spelling]> = self.spellings.into();
        move || Self { of_setup: of_setup.clone(), last, ..Self::default() }
    }

    /// Learns a value of an argument, should the set-up hold it as a secret.
    pub(crate) fn argument_of_setup(&mut self, value: &str) {
        if self.of_setup.iter().any(|known| known.text == value) {
            self.argument(value);
        }
    }

    /// Learns the value of a secret argument.
    pub(crate) fn argument(&mut self, value: &str) {
        self.notice(value);
        self.learn(value);
        if !is_searchable(value)
            && let Some(number) = self.number_of(value)
            && !self.short_arguments.iter().any(|known| known.text == value)
        {
            self.short_arguments.push(Spelling { text: value.to_owned(), number });
        }
    }

    /// Learns from a word of the line that is a URL, and knows it again wherever it stands whole.
    pub(crate) fn word_with_url(&mut self, word: &str) {
        let scrubbed = self.url(word);
        if self.text(word) != scrubbed && !scrubbed.contains(word) {
            self.whole_urls.push((word.to_owned(), scrubbed));
        }
    }

    /// The value of a header as it may be written. Learns from credential headers, in which the
    /// scheme of an authorization and the names (and attributes) of cookies stay.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> String {
        self.notice(value);
        let kind = HeaderKind::of(name);
        settle(value, |value| self.header_positions(kind, value))
    }

    /// A URL, or anything that was meant as one, as it may be written. Learns user, password and the
    /// values of secret keys in query and fragment; what else is known is replaced too, the rest
    /// stays byte for byte.
    pub(crate) fn url(&mut self, url: &str) -> String {
        self.notice(url);
        settle(url, |url| {
            let scrubbed = self.url_positions(url);
            self.short_values(&self.text(&scrubbed))
        })
    }

    /// Learns what looks like a secret in a text, and gives the text without it and without what was
    /// known before.
    pub(crate) fn swept<'text>(&mut self, text: &'text str) -> Cow<'text, str> {
        self.notice(text);
        let mut swept = self.text(text);
        loop {
            let found = shapes::found(&swept);
            if found.is_empty() {
                return swept;
            }
            for found in found {
                match found.plain {
                    Some(plain) => self.learn_written(&plain, found.written),
                    None => self.learn(&found.written),
                };
            }
            // Each time less is left outside placeholders.
            swept = match self.text(&swept) {
                Cow::Borrowed(_) => return swept,
                Cow::Owned(next) => Cow::Owned(next),
            };
        }
    }

    /// A text with every learned secret replaced, however it is spelled: as it is, percent-encoded,
    /// escaped for JSON, in base64, or with a zero after each letter. A short argument is replaced
    /// where it is the whole text, or a whole line of it, or all that comes behind the scheme of an
    /// authorization. Borrowed where nothing was found.
    ///
    /// Give it texts and string values. In raw JSON a secret that is a number would leave a bare
    /// placeholder behind.
    pub(crate) fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let whole = self.whole_urls.iter().find(|(url, _)| text.contains(url.as_str()));
        if let Some((url, scrubbed)) = whole {
            return Cow::Owned(self.text(&text.replace(url.as_str(), scrubbed)).into_owned());
        }
        match self.find(text) {
            found if !found.is_empty() => Cow::Owned(self.whole_values(&replaced(text, found))),
            _ if self.short_arguments.is_empty() => Cow::Borrowed(text),
            _ => match self.whole_values(text) {
                same if same == text => Cow::Borrowed(text),
                scrubbed => Cow::Owned(scrubbed),
            },
        }
    }

    /// A text with short arguments replaced where they are all of a line.
    fn whole_values(&self, text: &str) -> String {
        let line = |line: &str| {
            let value = line.trim();
            let before = line.len() - line.trim_start().len();
            let behind_scheme =
                || value.split_once(' ').filter(|(word, _)| headers::is_scheme(word));
            let secret = match self.short_argument(value) {
                Some(number) => Some((before, value, number)),
                None => behind_scheme().and_then(|(_, secret)| {
                    let secret = secret.trim_start();
                    let start = before + value.len() - secret.len();
                    Some((start, secret, self.short_argument(secret)?))
                }),
            };
            match secret {
                Some((start, secret, number)) => {
                    replaced(line, [(start..start + secret.len(), number)])
                }
                None => line.to_owned(),
            }
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    }

    fn short_argument(&self, value: &str) -> Option<u32> {
        let known = self.short_arguments.iter().find(|known| known.text == value);
        known.map(|known| known.number)
    }

    /// A command line as it may be written: [`text`](Self::text), and also secret arguments too short
    /// for it where one is a whole word or the value of `--flag=value`. A line that parses still
    /// does, as long as placeholders do not make it longer than [`line::MAX_LINE_BYTES`]; one that is
    /// refused still is, though maybe for another reason.
    pub(crate) fn command_line(&self, line: &str) -> String {
        settle(line, |line| match line::words(line) {
            Ok(words) => self.words(line, &words),
            Err(_) => self.refused_line(line),
        })
    }

    /// How much was learned by now: it grows with each secret.
    pub(crate) fn learned(&self) -> usize {
        self.spellings.len()
    }

    /// Whether no secret is known, so that nothing needs rewriting.
    pub(crate) fn is_empty(&self) -> bool {
        self.spellings.is_empty() && self.short_arguments.is_empty() && self.whole_urls.is_empty()
    }

    /// Whether a learned secret occurs in bytes that may be no text at all.
    pub(crate) fn contains_secret(&self, bytes: &[u8]) -> bool {
        // A spelling is valid UTF-8, so it never crosses from one valid stretch into the next.
        self.searched().next().is_some()
            && bytes.utf8_chunks().any(|chunk| !self.find(chunk.valid()).is_empty())
    }

    /// Replaces a value that stands where secrets stand. Placeholders in it stay as they are.
    fn learn(&mut self, value: &str) -> String {
        let mut scrubbed = String::new();
        let mut written = 0;
        for (range, _) in placeholders(value) {
            scrubbed
                .push_str(&self.learn_piece(value.get(written..range.start).unwrap_or_default()));
            scrubbed.push_str(value.get(range.clone()).unwrap_or_default());
            written = range.end;
        }
        scrubbed.push_str(&self.learn_piece(value.get(written..).unwrap_or_default()));
        scrubbed
    }

    /// As [`learn`](Self::learn), of what the text has in another spelling: one secret with it.
    fn learn_written(&mut self, plain: &str, written: String) -> String {
        let scrubbed = self.learn(plain);
        if is_searchable(plain)
            && let Some(number) = self.number_of(plain)
        {
            self.spell(written, number);
        }
        scrubbed
    }

    fn learn_piece<'value>(&mut self, value: &'value str) -> Cow<'value, str> {
        // Blanks hide nothing, and searching for them would tear every text apart.
        if value.trim().is_empty() {
            return Cow::Borrowed(value);
        }
        let number = match self.number_of(value) {
            Some(number) => number,
            None => {
                let of_setup = self.of_setup.iter().find(|known| known.text == value);
                let number = match of_setup {
                    Some(known) => known.number,
                    None => self.last.saturating_add(1),
                };
                self.last = self.last.max(number);
                self.remember(value, number);
                number
            }
        };
        Cow::Owned(placeholder(number))
    }

    /// Keeps numbers apart from those of placeholders that were there before.
    pub(crate) fn notice(&mut self, text: &str) {
        self.last = placeholders(text).map(|(_, number)| number).fold(self.last, u32::max);
    }

    fn number_of(&self, value: &str) -> Option<u32> {
        self.spellings.iter().find(|known| known.text == value).map(|known| known.number)
    }

    fn remember(&mut self, value: &str, number: u32) {
        self.spell(value.to_owned(), number);
        if is_searchable(value) {
            for spelling in encoded(value) {
                self.spell(spelling, number);
            }
        }
    }

    fn spell(&mut self, text: String, number: u32) {
        // An earlier secret keeps a spelling that both could have.
        if self.number_of(&text).is_none() {
            let place = self.spellings.partition_point(|known| known.text.len() >= text.len());
            self.spellings.insert(place, Spelling { text, number });
        }
    }

    fn searched(&self) -> impl Iterator<Item = &Spelling> {
        self.spellings.iter().filter(|known| is_searchable(&known.text))
    }

    /// Where learned secrets occur outside placeholders, from left to right, without overlap. Longest
    /// first, so that a secret within another does not leave the rest of it behind.
    fn find(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        if !self.searched().any(|known| text.contains(&known.text)) {
            return found;
        }
        let mut gaps = Vec::new();
        let mut start = 0;
        for (range, _) in placeholders(text) {
            gaps.push(start..range.start);
            start = range.end;
        }
        gaps.push(start..text.len());

        for known in self.searched() {
            let mut rest = Vec::with_capacity(gaps.len());
            for gap in gaps {
                let mut start = gap.start;
                let piece = text.get(gap.clone()).unwrap_or_default();
                for (at, hit) in piece.match_indices(&known.text) {
                    let at = gap.start + at;
                    rest.push(start..at);
                    start = at + hit.len();
                    found.push((at..start, known.number));
                }
                rest.push(start..gap.end);
            }
            gaps = rest;
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scrubber").field("last", &self.last).finish_non_exhaustive()
    }
}

/// Repeats a step until it changes nothing: a placeholder can swallow a delimiter, after which the
/// text reads differently. Each change leaves less text outside placeholders, so it ends.
fn settle(text: &str, mut step: impl FnMut(&str) -> String) -> String {
    let mut settled = text.to_owned();
    loop {
        let next = step(&settled);
        if next == settled {
            return settled;
        }
        settled = next;
    }
}

#[derive(Clone)]
struct Spelling {
    text: String,
    number: u32,
}

/// Whether a secret may be looked for in any text. One of up to three bytes, or one that is a word of
/// JSON, occurs by chance: replacing `1` or `true` everywhere would ruin the record and hide nothing.
/// Such a secret is replaced where it was learned and nowhere else.
fn is_searchable(secret: &str) -> bool {
    secret.len() >= 4 && !secret.trim().is_empty() && !matches!(secret, "true" | "false" | "null")
}

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";

/// A text with placeholders in place of some parts.
fn replaced(text: &str, parts: impl IntoIterator<Item = (Range<usize>, u32)>) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut written = 0;
    for (range, number) in parts {
        scrubbed.push_str(text.get(written..range.start).unwrap_or_default());
        scrubbed.push_str(&placeholder(number));
        written = range.end;
    }
    scrubbed.push_str(text.get(written..).unwrap_or_default());
    scrubbed
}

fn placeholder(number: u32) -> String {
    format!("{OPEN}{number}{CLOSE}")
}

/// The placeholders in a text, with their numbers.
fn placeholders(text: &str) -> impl Iterator<Item = (Range<usize>, u32)> {
    // A search for one letter needs no set-up: most texts are short, and hold none.
    text.match_indices('{').filter_map(|(start, _)| {
        let rest = text.get(start..)?.strip_prefix(OPEN)?;
        // Ten digits hold every number there is; a longer row is no placeholder of ours.
        let length = rest.bytes().take(11).take_while(u8::is_ascii_digit).count();
        let number = rest.get(..length).filter(|digits| !digits.starts_with('0'))?.parse().ok()?;
        rest.get(length..)?.starts_with(CLOSE).then_some(())?;
        Some((start..start + OPEN.len() + length + CLOSE.len(), number))
    })
}
