//! [`Json`]: a document as it is written, numbers and field order included.
//!
//! What is compared never passes through `serde_json::Value`: a host's dependency may switch
//! `preserve_order` or `arbitrary_precision` on for everyone.

use std::{borrow::Cow, fmt};

use serde_json::value::RawValue;
use tapeline::{json::fields, line::is_refused_everywhere, scrub::sweep};

/// A JSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`, `true`, `false`, or a number as its digits stand.
    Plain(String),
    /// A text, unescaped.
    Text(String),
    /// In order.
    Array(Vec<Json>),
    /// In order; a name that stands twice is kept twice.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Arrays and objects in each other; deeper ones could overflow the stack of whoever reads,
    /// compares or drops them. A [`RawValue`] itself knows no bound.
    const DEEPEST: usize = 128;

    /// Reads a document.
    ///
    /// # Errors
    /// The text is no JSON, or nested more than 128 deep.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Self::of(serde_json::from_str(text)?, Self::DEEPEST)
    }

    /// With each text but the names of fields replaced.
    pub(crate) fn map_texts(self, map: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::Plain(text) => Self::Plain(text),
            Self::Text(text) => Self::Text(map(&text)),
            Self::Array(items) => {
                Self::Array(items.into_iter().map(|item| item.map_texts(map)).collect())
            }
            Self::Object(fields) => Self::Object(
                fields.into_iter().map(|(name, value)| (name, value.map_texts(map))).collect(),
            ),
        }
    }

    /// Without what looks like a secret in its texts.
    pub(crate) fn swept(&self) -> Self {
        self.clone().map_texts(&|text| sweep(text).into_owned())
    }

    /// Over several lines, for people and their tools, with a newline at the end. An array of plain
    /// values and texts stands on one line where it is short.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        self.write_pretty(0, &mut text);
        text.push('\n');
        text
    }

    fn write_pretty(&self, depth: usize, text: &mut String) {
        const WIDTH: usize = 100;

        let indent = |depth: usize| "  ".repeat(depth);
        let mut lines = |open: char, close: char, items: Vec<(String, &Self)>| {
            text.push(open);
            for (index, (name, item)) in items.iter().enumerate() {
                let comma = if index == 0 { "\n" } else { ",\n" };
                text.push_str(&format!("{comma}{}{name}", indent(depth + 1)));
                item.write_pretty(depth + 1, text);
            }
            text.push_str(&format!("\n{}{close}", indent(depth)));
        };
        let is_plain = |item: &Self| matches!(item, Self::Plain(_) | Self::Text(_));
        match self {
            Self::Object(fields) if !fields.is_empty() => {
                let name = |name: &str| quoted(name).unwrap_or_default();
                let fields = fields.iter().map(|(field, value)| (name(field) + ": ", value));
                lines('{', '}', fields.collect());
            }
            Self::Array(items) if !items.is_empty() => {
                let line: Vec<String> = items.iter().map(ToString::to_string).collect();
                let line = format!("[{}]", line.join(", "));
                match items.iter().all(is_plain) && line.len() + 2 * depth <= WIDTH {
                    true => text.push_str(&line),
                    false => {
                        lines('[', ']', items.iter().map(|item| (String::new(), item)).collect());
                    }
                }
            }
            Self::Plain(_) | Self::Text(_) | Self::Array(_) | Self::Object(_) => {
                text.push_str(&self.to_string());
            }
        }
    }

    fn of(raw: &RawValue, deepest: usize) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        let below = |raw| match deepest.checked_sub(1) {
            Some(deepest) => Self::of(raw, deepest),
            None => Err(serde::de::Error::custom("nested too deep")),
        };
        Ok(match text.as_bytes().first() {
            Some(b'{') => Self::Object(
                fields(text)?
                    .into_iter()
                    .map(|(name, value)| Ok((name, below(value)?)))
                    .collect::<Result<_, serde_json::Error>>()?,
            ),
            Some(b'[') => Self::Array(
                serde_json::from_str::<Vec<&RawValue>>(text)?
                    .into_iter()
                    .map(below)
                    .collect::<Result<_, _>>()?,
            ),
            Some(b'"') => Self::Text(serde_json::from_str(text)?),
            _ => Self::Plain(text.to_owned()),
        })
    }
}

impl fmt::Display for Json {
    /// On one line, with nothing in it that a terminal would act on.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => formatter.write_str(text),
            Self::Text(text) => formatter.write_str(&quoted(text)?),
            Self::Array(items) => {
                formatter.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(formatter, "{comma}{item}")?;
                }
                formatter.write_str("]")
            }
            Self::Object(fields) => {
                formatter.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(formatter, "{comma}{}:{value}", quoted(name)?)?;
                }
                formatter.write_str("}")
            }
        }
    }
}

/// A text as JSON: DEL, C1 and bidi controls are escaped, too, which JSON itself lets stand.
fn quoted(text: &str) -> Result<String, fmt::Error> {
    let json = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    Ok(without_controls(&json).into_owned())
}

/// A text with what a terminal would act on, but for line feed and tab, as escapes of JSON.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    let acts = |character: char| character != '\n' && is_refused_everywhere(character);
    if !text.contains(acts) {
        return text.into();
    }
    let escaped = text.chars().map(|character| match acts(character) {
        true => format!("\\u{:04x}", u32::from(character)),
        false => character.to_string(),
    });
    escaped.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(text: &str) -> String {
        Json::parse(text).unwrap().to_string()
    }

    #[test]
    fn nothing_printed_acts_on_a_terminal() {
        let text = "\"\u{9b}31m\u{202e}\u{7f}é汇\"";
        assert_eq!(printed(text), "\"\\u009b31m\\u202e\\u007fé汇\"");
        assert_eq!(Json::parse(&printed(text)).unwrap(), Json::parse(text).unwrap());
    }

    #[test]
    fn numbers_keep_their_digits() {
        for number in [
            "0",
            "-0",
            "1.10",
            "1e5",
            "1E+05",
            "0.1000000000000000055511151231257827021181583404541015625",
            "123456789012345678901234567890",
            "-1.7976931348623157e999",
        ] {
            assert_eq!(Json::parse(number).unwrap(), Json::Plain(number.to_owned()));
            assert_eq!(printed(&format!("[{number}]")), format!("[{number}]"));
        }
        assert_ne!(Json::parse("1.0").unwrap(), Json::parse("1.00").unwrap());
    }

    #[test]
    fn fields_keep_their_order_and_names_that_stand_twice() {
        let text = r#"{"b":1,"a":{"z":null,"y":true},"b":2,"":[]}"#;
        assert_eq!(printed(text), text);
        let Json::Object(fields) = Json::parse(text).unwrap() else { panic!("an object") };
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a", "b", ""]);
    }

    #[test]
    fn blanks_and_escapes_are_no_difference() {
        let blanks = " {\t\"a\" : [ 1 ,\n2 ] , \"b\\u0063\" : \"\\u00e4\\/\" } ";
        assert_eq!(printed(blanks), r#"{"a":[1,2],"bc":"ä/"}"#);
    }

    #[test]
    fn pretty_is_one_field_a_line_and_short_arrays_on_one() {
        let text = r#"{"a":[],"b":{},"c":[1,"x"],"d":[["h","v"],["h2","v2"]],"e":{"f":null}}"#;
        let pretty = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [1, \"x\"],\n  \"d\": [\n    \
            [\"h\", \"v\"],\n    [\"h2\", \"v2\"]\n  ],\n  \"e\": {\n    \"f\": null\n  }\n}\n";
        assert_eq!(Json::parse(text).unwrap().pretty(), pretty);
        let long = Json::Array(vec![Json::Text("x".repeat(99))]);
        assert_eq!(long.pretty(), format!("[\n  \"{}\"\n]\n", "x".repeat(99)));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", "01", "nul", "\"\n\"", "1 2", "{\"a\"}", "{1:2}", "'a'"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_nested_deep_is_refused_and_overflows_no_stack() {
        let nested = |deep: usize| format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(printed(&nested(128)), nested(128));
        assert!(Json::parse(&nested(129)).is_err());
        assert!(Json::parse(&nested(200_000)).is_err());
    }

    #[test]
    fn texts_are_replaced_wherever_they_stand_but_names() {
        let json = Json::parse(r#"{"a":["a",{"a":"a","b":1}]}"#).unwrap();
        let mapped = json.map_texts(&|text| text.to_uppercase());
        assert_eq!(mapped.to_string(), r#"{"a":["A",{"a":"A","b":1}]}"#);
    }

    /// Any document, small.
    pub(crate) fn documents() -> impl Strategy<Value = Json> {
        let plain = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            any::<i64>().prop_map(|number| number.to_string()),
            "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
        ];
        let leaf = prop_oneof![plain.prop_map(Json::Plain), any::<String>().prop_map(Json::Text)];
        leaf.prop_recursive(4, 40, 5, |inner| {
            // Few names, so that some stand twice.
            let name = prop_oneof!["[ab~/]{0,2}", any::<String>()];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
                prop::collection::vec((name, inner), 0..5).prop_map(Json::Object),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(json in documents()) {
            let text = json.to_string();
            prop_assert_eq!(&Json::parse(&text).unwrap(), &json);
            prop_assert_eq!(Json::parse(&json.pretty()).unwrap(), json);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Ok(json) = Json::parse(&text) {
                prop_assert_eq!(Json::parse(&json.to_string()).unwrap(), json);
            }
        }
    }
}
