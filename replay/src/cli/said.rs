//! [`Said`]: what is said to people goes out in whole pieces, each swept.

use std::io::{self, Write};

use tapeline::scrub::sweep;

use crate::json::without_controls;

/// Holds back what is written until it is flushed. What looks like a secret is a placeholder then,
/// and what a terminal would act on is an escape: a case or a build of today may hold what no
/// recording ever held, and the output goes to the logs of others.
pub(super) struct Said<'a> {
    piece: Vec<u8>,
    out: &'a mut dyn Write,
}

impl<'a> Said<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { piece: Vec::new(), out }
    }
}

impl Write for Said<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        self.out.write_all(printable(&String::from_utf8_lossy(&piece)).as_bytes())?;
        self.out.flush()
    }
}

/// Says it where no document is written: to stderr.
pub(super) fn aside(said: &str) {
    // Whoever closed it wants to hear nothing.
    let _ = io::stderr().write_all(printable(said).as_bytes());
}

/// A text as people may see it.
pub(super) fn printable(text: &str) -> String {
    without_controls(&sweep(text)).into_owned()
}

/// A word of a line, as a shell takes it for one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-:+".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// `1 case`, `2 cases`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
