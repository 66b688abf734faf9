//! JSON objects field by field, in order, numbers as they are written.
//!
//! Never through `serde_json::Value`: a host's dependency may switch `preserve_order` or
//! `arbitrary_precision` on for us, and what is recorded must not change with it.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::scrub::secret_in;

/// The fields of an object's text, in order; a name that stands twice is there twice.
///
/// ```
/// let fields = tapeline::json::fields(r#"{"rate":0.1400,"base":"CNY"}"#)?;
/// assert_eq!(fields[0].0, "rate");
/// assert_eq!(fields[0].1.get(), "0.1400");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// The text is no JSON object.
pub fn fields(json: &str) -> Result<Vec<(String, &RawValue)>, serde_json::Error> {
    struct Fields<'a>(Vec<(String, &'a RawValue)>);

    impl<'de> Deserialize<'de> for Fields<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct InOrder;

            impl<'de> Visitor<'de> for InOrder {
                type Value = Vec<(String, &'de RawValue)>;

                fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                    formatter.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut fields = Vec::new();
                    while let Some(field) = map.next_entry()? {
                        fields.push(field);
                    }
                    Ok(fields)
                }
            }

            deserializer.deserialize_map(InOrder).map(Fields)
        }
    }

    serde_json::from_str::<Fields<'_>>(json).map(|fields| fields.0)
}

/// Arrays and objects in each other that what a command takes and gives may have: what embeds it must
/// still read, and `serde_json` reads 128.
pub(crate) const DEEPEST: usize = 100;

/// How many arrays and objects of a document lie in each other.
pub(crate) fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens(json) {
        match token {
            Token::Mark('{' | '[') => depth += 1,
            Token::Mark('}' | ']') => depth = depth.saturating_sub(1),
            Token::Mark(_) | Token::Name(_) | Token::Text(_) | Token::Plain(_) => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Every text of a document, names included.
pub(crate) fn each_text(json: &str, each: &mut dyn FnMut(&str)) {
    for token in tokens(json) {
        match token {
            Token::Name(quoted) | Token::Text(quoted) => each(&unquoted(quoted)),
            Token::Plain(_) | Token::Mark(_) => {}
        }
    }
}

/// The document with every text in it replaced. Names stay, but for one that looks like a secret. A
/// number whose digits are replaced becomes a text.
pub(crate) fn map_texts(json: &RawValue, map: &dyn Fn(&str) -> String) -> Box<RawValue> {
    document(mapped(json.get(), map, false))
}

/// As [`map_texts`], for a document of our own shapes, which must read back: numbers stay, and so do
/// digests.
pub(crate) fn map_own_texts(json: &RawValue, map: &dyn Fn(&str) -> String) -> Box<RawValue> {
    document(mapped(json.get(), map, true))
}

fn document(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn mapped(json: &str, map: &dyn Fn(&str) -> String, own: bool) -> String {
    let mut mapped = String::with_capacity(json.len());
    let mut is_digest = false;
    for token in tokens(json) {
        match token {
            Token::Name(written) => {
                let name = unquoted(written);
                is_digest = own && matches!(&*name, "$blob" | "sha256");
                match secret_in(name.as_bytes()) {
                    Some(_) => mapped.push_str(&quoted(&map(&name))),
                    None => mapped.push_str(written),
                }
            }
            Token::Text(written) if is_digest => mapped.push_str(written),
            Token::Text(written) => mapped.push_str(&quoted(&map(&unquoted(written)))),
            Token::Plain(written) if own => mapped.push_str(written),
            Token::Plain(written) => match map(written) {
                same if same == written => mapped.push_str(written),
                other => mapped.push_str(&quoted(&other)),
            },
            Token::Mark(mark) => mapped.push(mark),
        }
        is_digest &= matches!(token, Token::Name(_) | Token::Mark(':'));
    }
    mapped
}

/// A piece of a document, as it is written.
#[derive(Clone, Copy)]
enum Token<'a> {
    /// In quotes.
    Name(&'a str),
    /// In quotes.
    Text(&'a str),
    /// A number, `true`, `false` or `null`.
    Plain(&'a str),
    /// A bracket, brace, comma or colon.
    Mark(char),
}

/// The pieces of a document that is known to be one, blanks left out. Neither the call stack nor the
/// time spent on a piece grows with how deep it lies.
fn tokens(json: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = json;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(BLANKS);
        let first = rest.chars().next()?;
        let length = match first {
            '"' => length_of_text(rest),
            _ if MARKS.contains(&first) => 1,
            _ => rest
                .find(|next| MARKS.contains(&next) || BLANKS.contains(&next))
                .unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(match first {
            '"' if behind.trim_start_matches(BLANKS).starts_with(':') => Token::Name(token),
            '"' => Token::Text(token),
            _ if MARKS.contains(&first) => Token::Mark(first),
            _ => Token::Plain(token),
        })
    })
}

/// RFC 8259, section 2.
const MARKS: [char; 6] = ['{', '}', '[', ']', ',', ':'];
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Up to the closing quote, and with it.
fn length_of_text(json: &str) -> usize {
    let mut is_escaped = true;
    let end = json.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |end| end + 1)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "null".to_owned())
}

fn unquoted(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.contains('\\') => Cow::Borrowed(inner),
        _ => Cow::Owned(serde_json::from_str(quoted).unwrap_or_default()),
    }
}

/// The text of an object, built field by field.
#[derive(Debug)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    /// Adds a field; `null` where JSON cannot hold the value.
    pub(crate) fn field(mut self, name: &str, value: &(impl serde::Serialize + ?Sized)) -> Self {
        let value = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.push(name, &value);
        self
    }

    /// Adds a field whose value is JSON text.
    pub(crate) fn raw(mut self, name: &str, json: &str) -> Self {
        self.push(name, json);
        self
    }

    /// Adds all fields of another object's text.
    pub(crate) fn all(mut self, object: &str) -> Self {
        let inner = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("");
        if !inner.is_empty() {
            self.separate();
            self.0.push_str(inner);
        }
        self
    }

    pub(crate) fn finish(mut self) -> Box<RawValue> {
        self.0.push('}');
        RawValue::from_string(self.0).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }

    fn push(&mut self, name: &str, json: &str) {
        self.separate();
        self.0.push_str(&serde_json::to_string(name).unwrap_or_default());
        self.0.push(':');
        self.0.push_str(json);
    }

    fn separate(&mut self) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(json: &str) -> String {
        let json = RawValue::from_string(json.to_owned()).unwrap();
        map_texts(&json, &|text| text.to_uppercase()).get().to_owned()
    }

    #[test]
    fn texts_are_found_behind_every_way_to_write_them() {
        let json = r#" { "a\"\\" : [ "b\u0063", true , -1.5e+3 ] ,"":{"c":"\\"},"d":[],"e":{}}"#;
        let mut texts = Vec::new();
        each_text(json, &mut |text| texts.push(text.to_owned()));
        assert_eq!(texts, ["a\"\\", "bc", "", "c", "\\", "d", "e"]);
        assert_eq!(upper(json), r#"{"a\"\\":["BC","TRUE","-1.5E+3"],"":{"c":"\\"},"d":[],"e":{}}"#);
    }

    #[test]
    fn a_value_alone_is_a_document() {
        for (json, mapped) in [("\"a\"", "\"A\""), ("null", "\"NULL\""), ("12", "12"), ("{}", "{}")]
        {
            assert_eq!(upper(json), mapped);
        }
    }

    #[test]
    fn of_our_own_shapes_numbers_and_digests_stay() {
        let json = r#"[{"sha256":"ab","bytes":12,"$blob":"cd","x":{"y":"ab"}},"ab"]"#;
        let json = RawValue::from_string(json.to_owned()).unwrap();
        assert_eq!(
            map_own_texts(&json, &|text| text.to_uppercase()).get(),
            r#"[{"sha256":"ab","bytes":12,"$blob":"cd","x":{"y":"AB"}},"AB"]"#
        );
    }

    #[test]
    fn no_depth_is_too_deep_to_look_at() {
        let json = "[".repeat(1 << 20) + r#""a""# + &"]".repeat(1 << 20);
        let mut texts = 0;
        each_text(&json, &mut |_| texts += 1);
        assert_eq!((depth(&json), texts), (1 << 20, 1));
        assert_eq!(upper(&json).len(), json.len());
    }
}
