//! Command lines: what their words give away by where it stands, and how a word that held a secret is
//! written so that the line still parses.

use std::borrow::Cow;

use super::{Scrubber, headers::HeaderKind, is_searchable, placeholder, shapes};
use crate::line::{self, Word};

/// Flags whose values are secrets, whichever command they were meant for, without case, hyphens and
/// underscores. None of those that take a file, a name or nothing.
const SECRET_FLAGS: &[&str] = &[
    "accesstoken",
    "accountkey",
    "apikey",
    "apisecret",
    "apitoken",
    "appsecret",
    "authtoken",
    "bearertoken",
    "clientsecret",
    "dbpassword",
    "githubtoken",
    "gitlabtoken",
    "idtoken",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "privatetoken",
    "proxypassword",
    "pwd",
    "refreshtoken",
    "secret",
    "secretaccesskey",
    "secretkey",
    "secrettoken",
    "sessiontoken",
    "token",
    "userpassword",
];

impl Scrubber {
    /// Learns from words of a line that say themselves what they hold: `--password x`, `--api-key=x`,
    /// `token=x`, `Authorization: x`. No command need know the flag: it may be a mistake.
    pub(crate) fn words_that_say_so(&mut self, words: &[impl AsRef<str>]) {
        for (index, word) in words.iter().enumerate() {
            let word = word.as_ref();
            if let Some(flag) = word.strip_prefix('-') {
                let next = words.get(index + 1).map(AsRef::as_ref);
                self.flag(flag, next.filter(|next| !next.starts_with('-')));
            }
            for value in shapes::tokens_in_word(word) {
                self.notice(value);
                self.learn(value);
            }
            if let Some((name, value)) = word.split_once(':')
                && matches!(
                    HeaderKind::of(name),
                    HeaderKind::Authorization
                        | HeaderKind::Cookie
                        | HeaderKind::SetCookie
                        | HeaderKind::Credential
                )
                && shapes::may_be_drawn(value)
            {
                self.header(name, value);
            }
        }
    }

    /// A flag without its first hyphen, and the word behind it.
    fn flag(&mut self, flag: &str, next: Option<&str>) {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, next),
        };
        let name: String = name
            .chars()
            .filter(|character| !matches!(character, '-' | '_'))
            .flat_map(char::to_lowercase)
            .collect();
        // Shorter ones are searched for where a command says that they are secrets.
        let value = value.filter(|value| is_searchable(value) && !shapes::is_stand_in(value));
        if let Some(value) = value.filter(|_| SECRET_FLAGS.contains(&&*name)) {
            self.argument(value);
        }
    }

    /// A line that is refused. A word in which quotes part a secret is written without quotes.
    pub(super) fn refused_line(&self, line: &str) -> String {
        let mut scrubbed = String::with_capacity(line.len());
        let mut written = 0;
        for word in line::loose_words(line) {
            scrubbed.push_str(line.get(written..word.start).unwrap_or_default());
            let as_written = line.get(word.start..word.end).unwrap_or_default();
            let without = self.word_without_secrets(&word.text);
            let rewritten = self.text(as_written);
            let reads = |text: &str| {
                let words = line::loose_words(text);
                words.iter().map(|word| &*word.text).eq([&*without])
            };
            match without == word.text {
                true => scrubbed.push_str(as_written),
                false if reads(&rewritten) => scrubbed.push_str(&rewritten),
                false => scrubbed.push_str(&without),
            }
            written = word.end;
        }
        scrubbed.push_str(line.get(written..).unwrap_or_default());
        let mut scrubbed = self.text(&scrubbed).into_owned();
        // What it was refused for went with the secret, and a line that nobody ran must not look as if
        // it could have been.
        if line::parse(&scrubbed).is_ok() {
            scrubbed.push('\'');
        }
        scrubbed
    }

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
        let scrubbed = self.word_without_secrets(word);
        if scrubbed == word {
            return written.to_owned();
        }
        let rewritten = self.text(written);
        if line::parse(&rewritten).is_ok_and(|words| words == [&*scrubbed]) {
            return rewritten.into_owned();
        }
        line::quote(&scrubbed)
    }

    fn word_without_secrets(&self, word: &str) -> String {
        let short = |value: &str| Some(placeholder(self.short_argument(value)?));
        let flag = word.split_once('=').filter(|(flag, _)| flag.starts_with('-'));
        short(word)
            .or_else(|| {
                flag.and_then(|(flag, value)| {
                    Some(format!("{}={}", self.text(flag), short(value)?))
                })
            })
            .unwrap_or_else(|| self.text(word).into_owned())
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
