//! What differs between two documents, by JSON path (RFC 6901).

use std::fmt;

use similar::{ChangeTag, TextDiff};

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
            let value = |fields: &[(String, Json)], name: &str| {
                fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            };
            for (name, wanted) in expected {
                let path = format!("{path}/{}", escaped(name));
                match value(actual, name) {
                    Some(came) => compare(&path, wanted, &came, differences),
                    None => differences.push(Difference {
                        path,
                        expected: Some(wanted.clone()),
                        actual: None,
                    }),
                }
            }
            for (name, came) in actual {
                if value(expected, name).is_none() {
                    let path = format!("{path}/{}", escaped(name));
                    differences.push(Difference {
                        path,
                        expected: None,
                        actual: Some(came.clone()),
                    });
                }
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
    /// The path, then what was expected and what came; texts of several lines as a diff.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.path)?;
        match (&self.expected, &self.actual) {
            (Some(Json::Text(expected)), Some(Json::Text(actual)))
                if expected.contains('\n') || actual.contains('\n') =>
            {
                for change in
                    TextDiff::from_lines(expected.as_str(), actual.as_str()).iter_all_changes()
                {
                    let sign = match change.tag() {
                        ChangeTag::Delete => '-',
                        ChangeTag::Insert => '+',
                        ChangeTag::Equal => ' ',
                    };
                    let line = change.value();
                    writeln!(formatter, "  {sign} {}", line.strip_suffix('\n').unwrap_or(line))?;
                }
                Ok(())
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
