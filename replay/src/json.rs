//! [`Json`]: a document as it is written, numbers and field order included.
//!
//! What is compared never passes through `serde_json::Value`: a host's dependency may switch
//! `preserve_order` or `arbitrary_precision` on for everyone.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

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
    /// Reads a document.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Self::of(serde_json::from_str(text)?)
    }

    fn of(raw: &RawValue) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        Ok(match text.as_bytes().first() {
            Some(b'{') => Self::Object(
                serde_json::from_str::<Fields<'_>>(text)?
                    .0
                    .into_iter()
                    .map(|(name, value)| Ok((name, Self::of(value)?)))
                    .collect::<Result<_, serde_json::Error>>()?,
            ),
            Some(b'[') => Self::Array(
                serde_json::from_str::<Vec<&RawValue>>(text)?
                    .into_iter()
                    .map(Self::of)
                    .collect::<Result<_, _>>()?,
            ),
            Some(b'"') => Self::Text(serde_json::from_str(text)?),
            _ => Self::Plain(text.to_owned()),
        })
    }
}

impl fmt::Display for Json {
    /// On one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::to_string(text).map_err(|_| fmt::Error);
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

        deserializer.deserialize_map(InOrder).map(Self)
    }
}
