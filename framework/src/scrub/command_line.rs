//! Command lines: a word that held a secret is written so that the line still parses.

use std::borrow::Cow;

use super::{Scrubber, placeholder};
use crate::line::{self, Word};

impl Scrubber {
    /// A line that parses, word by word.
    pub(super) fn words(&self, line: &str, words: &[Word]) -> String {
        let mut scrubbed = String::with_capacity(line.len());
        let mut written = 0;
        for word in words {
            scrubbed.push_str(line.get(written..word.start).unwrap_or_default());
            let as_written = line.get(word.start..word.end).unwrap_or_default();
            scrubbed.push_str(&self.word(&word.text, as_written));
            written = word.end;
        }
        scrubbed.push_str(line.get(written..).unwrap_or_default());

        // What is left reaches over blanks or over the quotes of a word.
        match self.text(&scrubbed) {
            Cow::Borrowed(_) => scrubbed,
            Cow::Owned(swept) if line::parse(&swept).is_ok() => swept,
            Cow::Owned(_) => self.whole_words(&scrubbed),
        }
    }

    /// One word of a command line, in the way it was written where that still reads the same.
    fn word(&self, word: &str, written: &str) -> String {
        let short = |value: &str| {
            let known = self.short_arguments.iter().find(|known| known.text == value)?;
            Some(placeholder(known.number))
        };
        let flag = word.split_once('=').filter(|(flag, _)| flag.starts_with('-'));
        let scrubbed = short(word)
            .or_else(|| {
                flag.and_then(|(flag, value)| {
                    Some(format!("{}={}", self.text(flag), short(value)?))
                })
            })
            .unwrap_or_else(|| self.text(word).into_owned());
        if scrubbed == word {
            return written.to_owned();
        }
        let rewritten = self.text(written);
        if line::parse(&rewritten).is_ok_and(|words| words == [&*scrubbed]) {
            return rewritten.into_owned();
        }
        line::quote(&scrubbed)
    }

    /// A line that parses, with each run of words that a secret touches replaced as a whole.
    fn whole_words(&self, line: &str) -> String {
        let words = line::words(line).unwrap_or_default();
        let mut scrubbed = String::with_capacity(line.len());
        let mut written = 0;
        for (secret, number) in self.find(line) {
            let touched =
                || words.iter().filter(|word| word.start < secret.end && secret.start < word.end);
            let start = touched().map(|word| word.start).fold(secret.start, usize::min);
            let end = touched().map(|word| word.end).fold(secret.end, usize::max);
            if start >= written {
                scrubbed.push_str(line.get(written..start).unwrap_or_default());
                scrubbed.push_str(&placeholder(number));
            }
            written = written.max(end);
        }
        scrubbed.push_str(line.get(written..).unwrap_or_default());
        scrubbed
    }
}
