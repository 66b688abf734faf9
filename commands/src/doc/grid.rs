//! [`tables`]: the tables in a text from stdin, a JSON array of flat objects or Markdown.

use std::{collections::BTreeMap, fmt};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use tapeline::{ErrorCode, Failure};

use super::{tables::Grid, value::Value};

/// All tables of a text, in its order.
///
/// # Errors
/// `ParseError` where it is neither of the two.
pub(super) fn tables(text: &str) -> Result<Vec<Grid>, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_json = text.trim_start().starts_with(['[', '{']);
    let markdown = of_markdown(text);
    match markdown.is_empty() {
        true if is_json => of_json(text).map(|grid| vec![grid]),
        true => Err(Failure::new(ErrorCode::PARSE_ERROR, "there is no table on stdin").hint(
            "give a JSON array of flat objects, or a Markdown table with its rule `| --- |`",
        )),
        false => Ok(markdown),
    }
}

/// An array of objects: a column for each name, in the order in which they appear first.
fn of_json(text: &str) -> Result<Grid, Failure> {
    let failure = |why: &str| {
        Failure::new(ErrorCode::PARSE_ERROR, format!("the JSON on stdin cannot be read: {why}"))
            .hint("give an array of flat objects, such as `[{\"name\": \"a\", \"count\": 1}]`")
    };
    let objects: Vec<Object<'_>> =
        serde_json::from_str(text).map_err(|error| failure(&error.to_string()))?;
    let mut columns: Vec<&str> = Vec::new();
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for Object(fields) in &objects {
        for (name, _) in fields {
            index.entry(name).or_insert_with(|| {
                columns.push(name);
                columns.len() - 1
            });
        }
    }
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut grid = vec![columns.iter().map(|name| Value::text(*name)).collect::<Vec<_>>()];
    for (number, Object(fields)) in objects.iter().enumerate() {
        let mut row = vec![Value::Empty; columns.len()];
        let mut seen = vec![false; columns.len()];
        for (name, value) in fields {
            let Some(at) = index.get(name.as_str()).copied() else { continue };
            if let Some(seen) = seen.get_mut(at)
                && std::mem::replace(seen, true)
            {
                return Err(failure(&format!("object {} has `{name}` twice", number + 1)));
            }
            let cell = of_value(value.get()).ok_or_else(|| {
                failure(&format!("`{name}` of object {} is not flat", number + 1))
            })?;
            if let Some(place) = row.get_mut(at) {
                *place = cell;
            }
        }
        grid.push(row);
    }
    Ok(grid)
}

/// A flat value; numbers as they are written.
fn of_value(json: &str) -> Option<Value> {
    match json.bytes().next()? {
        b'{' | b'[' => None,
        b'"' => serde_json::from_str::<String>(json).ok().map(Value::text),
        b'n' => Some(Value::Empty),
        b't' => Some(Value::Bool(true)),
        b'f' => Some(Value::Bool(false)),
        _ => Some(Value::written(json)),
    }
}

/// The fields of an object in their order, which a map would not keep, with numbers as written.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a flat object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

fn of_markdown(text: &str) -> Vec<Grid> {
    let mut tables = Vec::new();
    let mut table: Option<Grid> = None;
    let mut cell: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Table(_)) => table = Some(Vec::new()),
            Event::End(TagEnd::Table) => tables.extend(table.take()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                table.iter_mut().for_each(|table| table.push(Vec::new()));
            }
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                let row = table.as_mut().and_then(|table| table.last_mut());
                if let (Some(row), Some(text)) = (row, cell.take()) {
                    row.push(Value::text(text));
                }
            }
            Event::Text(text) | Event::Code(text) => {
                cell.iter_mut().for_each(|cell| cell.push_str(&text));
            }
            Event::InlineHtml(html) if is_break(&html) => {
                cell.iter_mut().for_each(|cell| cell.push('\n'));
            }
            Event::InlineHtml(html) => cell.iter_mut().for_each(|cell| cell.push_str(&html)),
            _ => {}
        }
    }
    tables
}

fn is_break(html: &str) -> bool {
    let inner = html.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
    inner.eq_ignore_ascii_case("br")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&[&str]]]) {
        let found = tables(text).unwrap();
        let found: Vec<Vec<Vec<String>>> = found
            .iter()
            .map(|grid| {
                grid.iter()
                    .map(|row| row.iter().map(|cell| cell.as_str().to_owned()).collect())
                    .collect()
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[track_caller]
    fn check_refused(text: &str, part: &str) {
        let failure = tables(text).unwrap_err();
        assert_eq!(failure.code(), ErrorCode::PARSE_ERROR);
        assert!(failure.message().contains(part), "{failure:?}");
    }

    #[test]
    fn objects_are_rows() {
        check(
            r#"[{"b": 1.50, "a": "x"}, {"a": null, "c": true, "b": 12345678901234567890}]"#,
            &[&[&["b", "a", "c"], &["1.50", "x", ""], &["12345678901234567890", "", "true"]]],
        );
        check("[]", &[&[]]);
    }

    #[test]
    fn markdown_tables_are_rows() {
        check(
            "# T\n\n| a | b |\n| --- | --- |\n| **1** | x<br>y \\| z |\n| `c` |\n\n|d|\n|-|\n",
            &[&[&["a", "b"], &["1", "x\ny | z"], &["c", ""]], &[&["d"]]],
        );
    }

    #[test]
    fn others_are_refused() {
        check_refused("", "no table");
        check_refused("a, b\n1, 2\n", "no table");
        check_refused("[1, 2]", "flat object");
        check_refused(r#"[{"a": [1]}]"#, "`a` of object 1 is not flat");
        check_refused(r#"[{"a": 1, "a": 2}]"#, "`a` twice");
        check_refused(r#"[{"a": 1}"#, "cannot be read");
    }
}
