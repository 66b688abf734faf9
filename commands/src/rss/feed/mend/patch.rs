//! A text with some ranges replaced, which is borrowed until the first one is.

use std::{borrow::Cow, ops::Range};

pub(super) struct Patched<'a> {
    source: &'a str,
    /// Where what is not yet in `out` begins.
    from: usize,
    out: String,
}

impl<'a> Patched<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, from: 0, out: String::new() }
    }

    /// Ranges come in the order of the text.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &str) {
        // What is dropped from the start needs no copy of the rest.
        if self.out.is_empty() && with.is_empty() && range.start == self.from {
            self.from = range.end;
            return;
        }
        if self.out.is_empty() {
            self.out.reserve(self.source.len().saturating_sub(self.from));
        }
        self.out.push_str(self.source.get(self.from..range.start).unwrap_or_default());
        self.out.push_str(with);
        self.from = range.end;
    }

    /// Drops all before `at`, replaced or not.
    pub(super) fn restart(&mut self, at: usize) {
        self.out.clear();
        self.from = at;
    }

    /// The text, and `last` at its end.
    pub(super) fn finish(mut self, last: &str) -> Cow<'a, str> {
        let rest = self.source.get(self.from..).unwrap_or_default();
        if self.out.is_empty() && last.is_empty() {
            return Cow::Borrowed(rest);
        }
        self.out.push_str(rest);
        self.out.push_str(last);
        Cow::Owned(self.out)
    }
}
