//! JSON for people: indented, fields in their order, numbers as they are written.

use tapeline_replay::Json;

/// Two blanks a level, no final line feed.
pub(crate) fn pretty(json: &Json) -> String {
    let mut text = String::new();
    write(json, 0, &mut text);
    text
}

fn write(json: &Json, depth: usize, text: &mut String) {
    let indent = |depth: usize| "  ".repeat(depth);
    match json {
        Json::Array(items) if !items.is_empty() => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                text.push_str(&indent(depth + 1));
                write(item, depth + 1, text);
            }
            text.push_str(&format!("\n{}]", indent(depth)));
        }
        Json::Object(fields) if !fields.is_empty() => {
            text.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                text.push_str(&format!("{}{}: ", indent(depth + 1), Json::Text(name.clone())));
                write(value, depth + 1, text);
            }
            text.push_str(&format!("\n{}}}", indent(depth)));
        }
        other => text.push_str(&other.to_string()),
    }
}
