//! [`rows`]: two texts side by side, line by line.

use similar::{ChangeTag, DiffOp, TextDiff};

use super::text::beginning;

/// Lines that are alike, shown around those that are not.
const AROUND: usize = 4;
/// Of each text so much is compared and shown, from the first line that differs.
const MOST_BYTES: usize = 64 * 1024;
const MOST_LINES: usize = 2000;

/// What differs between two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Bytes of both that are not compared, since they are too long.
    pub(super) cut: usize,
}

/// What stands side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// A line that is in both.
    Same(Line, usize),
    /// What was expected, and what came in its place.
    Changed(Option<Line>, Option<Line>),
    /// So many lines that are alike.
    Alike(usize),
}

/// A line of one of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    /// Pieces in order; of a line that was changed, whether this one was.
    pub(super) parts: Vec<(bool, String)>,
    /// The text ends here without a line break.
    pub(super) is_unended: bool,
}

impl Line {
    pub(super) fn text(&self) -> String {
        self.parts.iter().map(|(_, part)| part.as_str()).collect()
    }
}

/// What differs between what was expected and what came; all of one where there is no other.
pub(super) fn rows(expected: Option<&str>, actual: Option<&str>) -> Rows {
    let [old, new] = [expected, actual]
        .map(|text| text.unwrap_or_default().split_inclusive('\n').collect::<Vec<_>>());
    let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_left, new_left) =
        (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let alike = old_left.iter().rev().zip(new_left.iter().rev());
    let after = alike.take_while(|(old, new)| old == new).count();

    let start = before.saturating_sub(AROUND);
    let (old, old_cut) = window(&old, start, after.saturating_sub(AROUND));
    let (new, new_cut) = window(&new, start, after.saturating_sub(AROUND));
    let mut rows = Vec::new();
    let mut next = 0;
    if start > 0 {
        rows.push(Row::Alike(start));
    }
    let diff = TextDiff::from_lines(old.as_str(), new.as_str());
    for ops in diff.grouped_ops(AROUND) {
        let begins = ops.first().map_or(0, |op| op.old_range().start);
        if begins > next {
            rows.push(Row::Alike(begins - next));
        }
        for op in &ops {
            add(&diff, op, start, &mut rows);
            next = op.old_range().end;
        }
    }
    let rest = after.saturating_sub(AROUND);
    if rest > 0 {
        rows.push(Row::Alike(rest));
    }
    Rows { rows, cut: old_cut + new_cut }
}

/// The lines from `start` but for the last `rest`, as far as they are shown, and how many bytes are
/// not.
fn window(lines: &[&str], start: usize, rest: usize) -> (String, usize) {
    let meant = lines.get(start..lines.len().saturating_sub(rest)).unwrap_or_default();
    let all: usize = meant.iter().map(|line| line.len()).sum();
    let first: String = meant.iter().take(MOST_LINES).copied().collect();
    let shown = beginning(&first, MOST_BYTES);
    (shown.to_owned(), all - shown.len())
}

fn add(diff: &TextDiff<'_, '_, str>, op: &DiffOp, start: usize, rows: &mut Vec<Row>) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for change in diff.iter_inline_changes_deadline(op, None) {
        // Where the whole line is another, marks would only be in the way.
        let is_marked = change.values().iter().any(|(changed, text)| !changed && *text != "\n");
        let parts = change.values().iter().map(|(changed, text)| {
            (*changed && is_marked, text.strip_suffix('\n').unwrap_or(text).to_owned())
        });
        let number = change.old_index().or(change.new_index()).unwrap_or(0) + start + 1;
        let line = Line {
            number,
            parts: parts.filter(|(_, part)| !part.is_empty()).collect(),
            is_unended: change.missing_newline(),
        };
        match (change.tag(), change.new_index()) {
            (ChangeTag::Equal, number) => {
                rows.push(Row::Same(line, number.unwrap_or(0) + start + 1));
            }
            (ChangeTag::Delete, _) => old.push(line),
            (ChangeTag::Insert, _) => new.push(line),
        }
    }
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return,
            (old, new) => rows.push(Row::Changed(old, new)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expected: Option<&str>, actual: Option<&str>) -> Vec<String> {
        let line = |line: &Option<Line>| match line {
            None => "-".to_owned(),
            Some(Line { number, parts, is_unended }) => {
                let marked = |(is, part): &(bool, String)| match is {
                    true => format!("[{part}]"),
                    false => part.clone(),
                };
                let end = if *is_unended { "$" } else { "" };
                format!("{number}:{}{end}", parts.iter().map(marked).collect::<String>())
            }
        };
        let row = |row: &Row| match row {
            Row::Same(same, number) => format!("{} = {number}", line(&Some(same.clone()))),
            Row::Changed(old, new) => format!("{} | {}", line(old), line(new)),
            Row::Alike(count) => format!("{count} alike"),
        };
        rows(expected, actual).rows.iter().map(row).collect()
    }

    #[test]
    fn lines_stand_beside_what_came_in_their_place() {
        assert_eq!(
            shown(Some("a\n  code  rate\nb\n"), Some("a\n  code  value\nmore\nb\n")),
            ["1:a = 1", "2:  code  [rate] | 2:  code  [value]", "- | 3:more", "3:b = 4"]
        );
        assert_eq!(shown(Some("a\nb\n"), None), ["1:a | -", "2:b | -"]);
        assert_eq!(shown(None, Some("a")), ["- | 1:a$"]);
        assert_eq!(shown(Some("a\n"), Some("a")), ["1:a | 1:a$"]);
        assert_eq!(shown(None, None), [""; 0]);
    }

    #[test]
    fn what_is_alike_is_counted_before_between_and_after() {
        let text = |one: &str, other: &str| -> String {
            (1..=40)
                .map(|number| match number {
                    10 => format!("{one}\n"),
                    30 => format!("{other}\n"),
                    number => format!("{number}\n"),
                })
                .collect()
        };
        let shown = shown(Some(&text("a", "b")), Some(&text("x", "y")));
        let told: Vec<&str> = shown
            .iter()
            .map(String::as_str)
            .filter(|row| row.contains("alike") || row.contains('|'))
            .collect();
        assert_eq!(told, ["5 alike", "10:a | 10:x", "11 alike", "30:b | 30:y", "6 alike"]);
        assert_eq!(shown.len(), 5 + 4 * 4);
    }

    #[test]
    fn a_change_is_found_however_far_it_stands() {
        let many = "all the same\n".repeat(100_000);
        let rows = rows(Some(&format!("{many}old\n")), Some(&format!("{many}new\n")));
        assert_eq!(rows.cut, 0);
        assert_eq!(rows.rows.first(), Some(&Row::Alike(99_996)));
        assert!(
            matches!(rows.rows.last(), Some(Row::Changed(Some(old), _)) if old.number == 100_001)
        );
    }

    #[test]
    fn of_what_is_too_long_a_part_is_shown() {
        let long = rows(Some("x"), Some(&"汇".repeat(MOST_BYTES)));
        assert_eq!(long.cut, 3 * MOST_BYTES - MOST_BYTES / 3 * 3);
        let many: String = (0..3 * MOST_LINES).map(|number| format!("{number}\n")).collect();
        let many = rows(None, Some(&many));
        assert_eq!(many.rows.len(), MOST_LINES);
        assert!(many.cut > 0);
    }
}
