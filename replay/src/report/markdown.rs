//! [`markdown`]: a report as the summary of a pull request.

use std::fmt::Write;

use super::{
    changes::Change,
    model::{Report, Section},
    reported::Reported,
    rows::{Row, Rows, rows},
    text::{Escaped, Visible, beginning},
};
use crate::groups::{Place, SETTLED_WHOLE, Values};

/// GitHub shows no summary over 1 MiB.
const MOST_BYTES: usize = 1024 * 1024;
/// Kept free for the line that says how much more there is.
const LAST_LINE: usize = 200;
/// Of each group so many places, values and names are told.
const MOST_PLACES: usize = 10;
const MOST_VALUES: usize = 3;
const MOST_NAMES: usize = 50;
/// Of an example so many lines are shown, and of a line so many bytes.
const MOST_LINES: usize = 60;
const MOST_LINE: usize = 400;

/// Under 1 MiB, however much there is to tell: whole groups are left out at the end.
pub(crate) fn markdown(report: &Report) -> String {
    let mut text = format!("## {}\n\n", report.title());
    let counts = report.counts();
    let counts: Vec<String> =
        counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    text.push_str(&format!("{}\n", counts.join(" · ")));
    for (section, told) in report.sections.iter().zip(0..) {
        let next = section_text(report, section);
        if text.len() + next.len() > MOST_BYTES - LAST_LINE {
            let left = report.sections.len() - told;
            text.push_str(&format!(
                "\n**… and {left} more groups: `{}` shows more**\n",
                report.kit.call("report --html FILE")
            ));
            break;
        }
        text.push_str(&next);
    }
    text
}

fn section_text(report: &Report, section: &Section) -> String {
    let count = section.members.len();
    let mut text = format!("\n### {count} × {}: {}\n\n", code(&section.title()), section.verdict);
    for place in section.places.iter().take(MOST_PLACES) {
        text.push_str(&place_line(place));
    }
    more(section.places.len(), MOST_PLACES, "places", &mut text);
    if !section.elsewhere.is_empty() {
        text.push_str(&format!("\n{SETTLED_WHOLE}\n\n"));
        for (path, count) in section.elsewhere.iter().take(MOST_PLACES) {
            text.push_str(&format!("- {} ({count}×)\n", code(&crate::cli::place(path))));
        }
        more(section.elsewhere.len(), MOST_PLACES, "places", &mut text);
    }
    let example = report.members(section).min_by_key(|(_, case)| case.changes.len());
    if let Some((_, case)) = example {
        text.push_str(&example_text(case));
    }
    if count > 1 {
        text.push_str(&format!("\n<details><summary>{count} cases</summary>\n\n"));
        for (_, case) in report.members(section).take(MOST_NAMES) {
            let why = case.reasons.first().filter(|_| case.verdict == "broken");
            let why = why.map(|why| format!(": {}", code(&short(why)))).unwrap_or_default();
            text.push_str(&format!("- {}{why}\n", code(case.name.as_str())));
        }
        more(count, MOST_NAMES, "cases", &mut text);
        text.push_str("\n</details>\n");
    }
    if let Some(accept) = report.accept(section) {
        text.push_str(&format!("\n{}", fenced("console", &(accept + "\n"))));
    }
    text
}

fn more(count: usize, shown: usize, what: &str, text: &mut String) {
    if count > shown {
        text.push_str(&format!("- … and {} more {what}\n", count - shown));
    }
}

/// Where, and what became of what.
fn place_line(place: &Place) -> String {
    let mut line = format!("- {}", code(&crate::cli::place(&place.path)));
    let values = place.values.iter().filter(|(values, _)| !values.to_string().is_empty());
    for (number, (values, count)) in values.take(MOST_VALUES).enumerate() {
        let Values { expected, actual } = values;
        let told = match (expected, actual) {
            (Some(expected), Some(actual)) => format!("{} → {}", code(expected), code(actual)),
            (Some(expected), None) => format!("{} is gone", code(expected)),
            (None, actual) => format!("{} is new", code(actual.as_deref().unwrap_or_default())),
        };
        let sign = if number == 0 { ":" } else { ";" };
        line.push_str(&format!("{sign} {told} ({count}×)"));
    }
    let told = place.values.iter().take(MOST_VALUES).map(|(_, count)| count).sum::<usize>();
    let all = place.values.iter().map(|(_, count)| count).sum::<usize>() + place.others;
    if told < all {
        line.push_str(&format!("; others ({}×)", all - told));
    }
    line + "\n"
}

/// One of the cases, which unfolds.
fn example_text(case: &Reported) -> String {
    let title = match case.title.as_str() {
        "" => String::new(),
        title => format!(": {}", inline(title)),
    };
    let mut text = format!("\n<details><summary>{}{title}</summary>\n\n", code(case.name.as_str()));
    if !case.line.is_empty() {
        text.push_str(&fenced("console", &format!("{}\n", case.line)));
    }
    for reason in &case.reasons {
        text.push_str(&format!("\n{}\n", code(reason)));
    }
    let mut left = MOST_LINES;
    for (number, change) in case.changes.iter().enumerate() {
        if left == 0 {
            more(case.changes.len(), number, "places", &mut text);
            break;
        }
        text.push_str(&format!("\n{}\n\n", code(&change.place)));
        text.push_str(&fenced("diff", &diff_text(change, &mut left)));
    }
    text + "\n</details>\n"
}

fn diff_text(change: &Change, left: &mut usize) -> String {
    let Rows { rows, cut } = rows(change.expected.as_deref(), change.actual.as_deref());
    let (mut lines, mut came) = (Vec::new(), Vec::new());
    for row in &rows {
        if !matches!(row, Row::Changed(..)) {
            lines.append(&mut came);
        }
        match row {
            Row::Same(line, _) => lines.push(format!("  {}", short(&line.text()))),
            Row::Alike(1) => lines.push("@@ 1 line alike @@".to_owned()),
            Row::Alike(count) => lines.push(format!("@@ {count} lines alike @@")),
            Row::Changed(old, new) => {
                lines.extend(old.iter().map(|line| format!("- {}", short(&line.text()))));
                came.extend(new.iter().map(|line| format!("+ {}", short(&line.text()))));
            }
        }
    }
    lines.append(&mut came);
    let shown = lines.len().min(*left);
    *left -= shown;
    let mut text: String =
        lines.iter().take(shown).fold(String::new(), |text, line| text + line + "\n");
    if lines.len() > shown || cut > 0 {
        let _ = writeln!(text, "@@ and more @@");
    }
    text
}

fn short(line: &str) -> String {
    match beginning(line, MOST_LINE) {
        whole if whole.len() == line.len() => whole.to_owned(),
        first => format!("{first}…"),
    }
}

/// A text as code within a line, whatever it holds.
fn code(text: &str) -> String {
    format!("<code>{}</code>", inline(text))
}

/// A text within a line, whatever it holds.
fn inline(text: &str) -> String {
    let mut inline = String::new();
    for character in Escaped(text).to_string().chars() {
        match character {
            // What Markdown would take for its own.
            '\\' | '`' | '*' | '_' | '[' | ']' | '{' | '}' | '|' | '~' | '!' | '@' | '$' => {
                inline.push_str(&format!("&#{};", u32::from(character)));
            }
            '\n' => inline.push(' '),
            character => inline.push(character),
        }
    }
    inline
}

/// A text in a block of its own, whatever it holds.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}{fence}\n", Visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_block_or_line() {
        assert_eq!(fenced("diff", "a\n"), "```diff\na\n```\n");
        assert_eq!(fenced("diff", "````\n"), "`````diff\n````\n`````\n");
        assert_eq!(
            code("</code>`*[x](y)\n@all \u{202e}"),
            "<code>&lt;/code&gt;&#96;&#42;&#91;x&#93;(y) &#64;all &#92;u&#123;202e&#125;</code>"
        );
    }

    #[test]
    fn what_is_gone_stands_before_what_came() {
        let change = |expected: &str, actual: &str| Change {
            place: String::new(),
            expected: Some(expected.to_owned()),
            actual: Some(actual.to_owned()),
        };
        let text = diff_text(&change("a\nb\nc\nd\n", "a\nx\ny\nd\n"), &mut 60);
        assert_eq!(text, "  a\n- b\n- c\n+ x\n+ y\n  d\n");
        let mut left = 2;
        assert_eq!(diff_text(&change("a\n", "b\nc\n"), &mut left), "- a\n+ b\n@@ and more @@\n");
        assert_eq!(left, 0);
    }
}
