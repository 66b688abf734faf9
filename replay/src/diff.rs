//! What differs between two documents, by JSON path (RFC 6901).

use std::{
    collections::{HashMap, VecDeque},
    fmt,
};

use similar::{ChangeTag, TextDiff};
use tapeline::scrub::sweep;

use crate::Json;

/// One place where two documents differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// JSON Pointer: `/result/converted_amount`.
    pub path: String,
    /// What was expected; `None` where there was nothing.
    pub expected: Option<Json>,
    /// What came; `None` where there is nothing.
    pub actual: Option<Json>,
}

/// All places where `actual` is not what was `expected`, in document order.
///
/// ```
/// use tapeline_replay::{Json, diff};
///
/// let expected = Json::parse(r#"{"result":{"rate":"0.14","ok":true}}"#)?;
/// let actual = Json::parse(r#"{"result":{"rate":"0.15","ok":true}}"#)?;
/// let differences = diff(&expected, &actual);
/// assert_eq!(differences.len(), 1);
/// assert_eq!(differences[0].path, "/result/rate");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn diff(expected: &Json, actual: &Json) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare("", expected, actual, &mut differences);
    differences
}

fn compare(path: &str, expected: &Json, actual: &Json, differences: &mut Vec<Difference>) {
    if expected == actual {
        return;
    }
    let before = differences.len();
    match (expected, actual) {
        (Json::Object(expected), Json::Object(actual)) => {
            // A name that stands twice is compared with the one that stands twice there.
            let mut came: HashMap<&str, VecDeque<usize>> = HashMap::new();
            for (index, (name, _)) in actual.iter().enumerate() {
                came.entry(name).or_default().push_back(index);
            }
            let mut is_new = vec![true; actual.len()];
            for (name, wanted) in expected {
                let path = format!("{path}/{}", escaped(name));
                let index = came.get_mut(name.as_str()).and_then(VecDeque::pop_front);
                match index.and_then(|index| Some((actual.get(index)?, is_new.get_mut(index)?))) {
                    Some(((_, came), is_new)) => {
                        *is_new = false;
                        compare(&path, wanted, came, differences);
                    }
                    None => differences.push(Difference {
                        path,
                        expected: Some(wanted.clone()),
                        actual: None,
                    }),
                }
            }
            for ((name, came), _) in actual.iter().zip(is_new).filter(|(_, is_new)| *is_new) {
                differences.push(Difference {
                    path: format!("{path}/{}", escaped(name)),
                    expected: None,
                    actual: Some(came.clone()),
                });
            }
        }
        (Json::Array(expected), Json::Array(actual)) => {
            for index in 0..expected.len().max(actual.len()) {
                let path = format!("{path}/{index}");
                match (expected.get(index), actual.get(index)) {
                    (Some(wanted), Some(came)) => compare(&path, wanted, came, differences),
                    (wanted, came) => differences.push(Difference {
                        path,
                        expected: wanted.cloned(),
                        actual: came.cloned(),
                    }),
                }
            }
        }
        _ => {}
    }
    // Plain values, and objects that differ in the order of their fields alone.
    if differences.len() == before {
        differences.push(Difference {
            path: path.to_owned(),
            expected: Some(expected.clone()),
            actual: Some(actual.clone()),
        });
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl fmt::Display for Difference {
    /// The path, then what was expected and what came; texts of several lines as a diff. What looks
    /// like a secret is a placeholder.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name may hold a line break, and must not look like a line of ours.
        writeln!(formatter, "{}", sweep(&self.path).replace('\n', "\\n"))?;
        let [expected, actual] =
            [&self.expected, &self.actual].map(|json| json.as_ref().map(Json::swept));
        match (&expected, &actual) {
            (Some(Json::Text(expected)), Some(Json::Text(actual)))
                if expected.contains('\n') || actual.contains('\n') =>
            {
                write_lines(&TextDiff::from_lines(expected.as_str(), actual.as_str()), formatter)
            }
            (expected, actual) => {
                if let Some(expected) = expected {
                    writeln!(formatter, "  - {expected}")?;
                }
                if let Some(actual) = actual {
                    writeln!(formatter, "  + {actual}")?;
                }
                Ok(())
            }
        }
    }
}

/// The lines that differ and a few around them; in a line that was changed, the words that were.
fn write_lines(diff: &TextDiff<'_, '_, str>, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    const AROUND: usize = 3;

    for (group, ops) in diff.grouped_ops(AROUND).iter().enumerate() {
        if group > 0 {
            writeln!(formatter, "  …")?;
        }
        for change in ops.iter().flat_map(|op| diff.iter_inline_changes_deadline(op, None)) {
            let (sign, opens, closes) = match change.tag() {
                ChangeTag::Delete => ('-', "[-", "-]"),
                ChangeTag::Insert => ('+', "{+", "+}"),
                ChangeTag::Equal => (' ', "", ""),
            };
            // Where the whole line is another, marks would only be in the way.
            let is_marked = change.values().iter().any(|(changed, text)| !changed && *text != "\n");
            write!(formatter, "  {sign} ")?;
            for (changed, text) in change.values() {
                let text = text.strip_suffix('\n').unwrap_or(text);
                match *changed && is_marked && !text.trim().is_empty() {
                    true => write!(formatter, "{opens}{text}{closes}")?,
                    false => write!(formatter, "{text}")?,
                }
            }
            writeln!(formatter)?;
            if change.missing_newline() && change.tag() != ChangeTag::Equal {
                writeln!(formatter, "  \\ no newline at the end")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::tests::documents;

    /// Each difference as `path: expected -> actual`.
    fn check(expected: &str, actual: &str, differences: &[&str]) {
        let found = diff(&Json::parse(expected).unwrap(), &Json::parse(actual).unwrap());
        let json = |json: &Option<Json>| json.as_ref().map_or("-".to_owned(), Json::to_string);
        let found: Vec<String> = found
            .iter()
            .map(|Difference { path, expected, actual }| {
                format!("{path}: {} -> {}", json(expected), json(actual))
            })
            .collect();
        assert_eq!(found, differences);
    }

    #[test]
    fn names_are_escaped_in_paths() {
        check(
            r#"{"a/b":{"~":1,"~1":1,"":1}}"#,
            r#"{"a/b":{"~":2,"~1":2,"":2}}"#,
            &["/a~1b/~0: 1 -> 2", "/a~1b/~01: 1 -> 2", "/a~1b/: 1 -> 2"],
        );
    }

    #[test]
    fn arrays_are_compared_place_by_place() {
        check("[1,2,3]", "[1,9]", &["/1: 2 -> 9", "/2: 3 -> -"]);
        check("[]", "[[],{}]", &["/0: - -> []", "/1: - -> {}"]);
        check(r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":"1"}]}"#, &[r#"/a/0/b: 1 -> "1""#]);
    }

    #[test]
    fn fields_that_are_missing_or_new_are_named() {
        check(r#"{"a":1,"b":null}"#, r#"{"b":null,"c":2}"#, &["/a: 1 -> -", "/c: - -> 2"]);
        check(r#"{"a":null}"#, "{}", &["/a: null -> -"]);
    }

    #[test]
    fn the_order_of_fields_counts_where_nothing_else_differs() {
        check(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, &[r#": {"a":1,"b":2} -> {"b":2,"a":1}"#]);
        check(
            r#"{"x":{"a":1,"b":2}}"#,
            r#"{"x":{"b":2,"a":1}}"#,
            &[r#"/x: {"a":1,"b":2} -> {"b":2,"a":1}"#],
        );
    }

    #[test]
    fn names_that_stand_twice_are_compared() {
        check(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":3}"#, &["/a: 2 -> 3"]);
        check(r#"{"a":1,"a":2}"#, r#"{"a":1}"#, &["/a: 2 -> -"]);
        check(r#"{"a":1}"#, r#"{"a":1,"a":2}"#, &["/a: - -> 2"]);
    }

    #[test]
    fn another_kind_is_one_difference() {
        check(r#"{"a":{"b":1}}"#, r#"{"a":[1]}"#, &[r#"/a: {"b":1} -> [1]"#]);
        check("1.0", "1.00", &[": 1.0 -> 1.00"]);
        check("1", "1", &[]);
    }

    #[test]
    fn texts_of_several_lines_are_shown_line_by_line() {
        let text = |text: &str| Some(Json::Text(text.to_owned()));
        let path = "/stdout".to_owned();
        let shown =
            |expected, actual| Difference { path: path.clone(), expected, actual }.to_string();
        assert_eq!(
            shown(text("a\nb\nc\n"), text("a\nB\nc\n")),
            "/stdout\n    a\n  - b\n  + B\n    c\n"
        );
        assert_eq!(shown(text("b\nc\n"), text("a\nc\n")), "/stdout\n  - b\n  + a\n    c\n");
        assert_eq!(shown(text("a"), text("b")), "/stdout\n  - \"a\"\n  + \"b\"\n");
        assert_eq!(shown(text("a\n"), None), "/stdout\n  - \"a\\n\"\n");
        assert_eq!(shown(None, Some(Json::Plain("7".to_owned()))), "/stdout\n  + 7\n");
    }

    #[test]
    fn only_what_is_around_a_change_is_shown_and_its_words_are_marked() {
        let lines = |changed: &str| {
            let line = |number: u32| match number {
                5 => format!("5 {changed} USD\n"),
                number => format!("{number}\n"),
            };
            Some(Json::Text((1..=20).map(line).collect()))
        };
        let difference =
            Difference { path: "/stdout".to_owned(), expected: lines("old"), actual: lines("new") };
        assert_eq!(
            difference.to_string(),
            "/stdout\n    2\n    3\n    4\n  - 5 [-old-] USD\n  + 5 {+new+} USD\n    6\n    7\n    8\n"
        );
    }

    #[test]
    fn a_difference_that_lies_in_the_last_newline_is_visible() {
        let text = |text: &str| Some(Json::Text(text.to_owned()));
        let shown =
            Difference { path: String::new(), expected: text("a\nb\n"), actual: text("a\nb") };
        let shown = shown.to_string();
        assert_eq!(shown, "\n    a\n  - b\n  + b\n  \\ no newline at the end\n");
    }

    proptest! {
        #[test]
        fn nothing_differs_from_itself(json in documents()) {
            prop_assert_eq!(diff(&json, &json), []);
        }

        #[test]
        fn documents_differ_exactly_where_a_difference_is_named(
            one in documents(),
            other in documents(),
        ) {
            let differences = diff(&one, &other);
            prop_assert_eq!(differences.is_empty(), one == other);
            for Difference { expected, actual, .. } in &differences {
                prop_assert_ne!(expected, actual);
            }
            prop_assert_eq!(diff(&other, &one).len(), differences.len());
        }
    }
}
