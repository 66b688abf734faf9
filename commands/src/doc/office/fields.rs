//! [`Instructions`]: what a field is told to compute, so far as it looks like text.
//!
//! A field stands between characters of its own: where it begins, where its result begins, where it
//! ends. Fields inside its instruction have results, too, which nobody is shown.

use std::ops::Range;

use memchr::memmem;

/// Fields this deep inside each other are looked into.
const MOST_INSIDE: usize = 32;

/// Instructions with text in them, by the numbers of the characters between which they stand.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Instructions {
    /// In their order, and apart.
    spans: Vec<Range<usize>>,
    /// The first of those that do not end before.
    next: usize,
    /// Characters that were passed.
    passed: usize,
}

/// A field that has not ended yet.
struct Open {
    /// The number of its first character, and where that is in the part.
    first: usize,
    at: usize,
    has_result: bool,
    /// The fields in its instruction, which count once it is known that it ends.
    inside: Vec<Range<usize>>,
}

impl Instructions {
    /// Those of a part. A field that never ends has none.
    pub(super) fn of(part: &str) -> Self {
        let mut spans = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        for (number, at) in memmem::find_iter(part.as_bytes(), b"<w:fldChar").enumerate() {
            let is_near = open.len() <= MOST_INSIDE;
            let has_text = |from: usize| {
                let span = part.get(from..at).filter(|_| is_near);
                span.is_some_and(|span| {
                    span.contains("<w:t>") || span.contains("<w:t ") || span.contains("<w:sym")
                })
            };
            match kind(part.get(at..).unwrap_or_default()) {
                "begin" => {
                    open.push(Open { first: number, at, has_result: false, inside: Vec::new() });
                }
                "separate" => {
                    if let Some(field) = open.last_mut().filter(|field| !field.has_result) {
                        field.has_result = true;
                        field.inside.clear();
                        if has_text(field.at) {
                            field.inside.push(field.first..number);
                        }
                    }
                }
                "end" => {
                    let Some(field) = open.pop() else { continue };
                    spans.extend(field.inside);
                    if let Some(outer) = open.last_mut()
                        && !outer.has_result
                        && has_text(field.at)
                    {
                        outer.inside.push(field.first..number);
                    }
                }
                _ => {}
            }
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup_by(|inner, outer| {
            let is_inside = inner.start < outer.end;
            if is_inside {
                outer.end = outer.end.max(inner.end);
            }
            is_inside
        });
        Self { spans, next: 0, passed: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Goes past a character of a field: the part is walked in its order.
    pub(super) fn pass(&mut self) {
        self.passed += 1;
        let is_over = |span: &Range<usize>| span.end < self.passed;
        while self.spans.get(self.next).is_some_and(is_over) {
            self.next += 1;
        }
    }

    /// Whether what stands here is one.
    pub(super) fn is_inside(&self) -> bool {
        self.spans.get(self.next).is_some_and(|span| span.start < self.passed)
    }
}

/// `begin`, `separate` or `end`, of the tag that stands first.
fn kind(text: &str) -> &str {
    let tag = text.split('>').next().unwrap_or_default();
    let value = tag.split_once("w:fldCharType=").map_or("", |(_, value)| value);
    value.split(['"', '\'']).nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fields: &str, expected: &[(usize, usize)]) {
        let part: String = fields
            .chars()
            .map(|character| match character {
                '{' => "<w:fldChar w:fldCharType=\"begin\"/>".to_owned(),
                '|' => "<w:fldChar w:fldCharType='separate'/>".to_owned(),
                '}' => "<w:fldChar w:dirty=\"1\" w:fldCharType=\"end\"></w:fldChar>".to_owned(),
                'i' => "<w:instrText>i</w:instrText>".to_owned(),
                other => format!("<w:t>{other}</w:t>"),
            })
            .collect();
        let spans = Instructions::of(&part).spans;
        let spans: Vec<(usize, usize)> = spans.iter().map(|span| (span.start, span.end)).collect();
        assert_eq!(spans, expected, "{fields}");
    }

    #[test]
    fn results_inside_instructions_are_found() {
        check("{i|r}", &[]);
        check("{i{i|r}i|s}", &[(0, 4)]);
        // A result may have fields.
        check("{i|a{i|r}b}", &[]);
        check("{i|a{i{i|r}i|s}b}", &[(2, 6)]);
        // Without a result of its own.
        check("{i{i|r}i}", &[(1, 3)]);
        check("{r}", &[]);
    }

    #[test]
    fn what_never_ends_has_none() {
        check("{i{i|r}i", &[]);
        check("}{i{i|r}i|s", &[]);
    }
}
