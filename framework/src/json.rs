//! JSON objects field by field, in order, numbers as they are written.
//!
//! Never through `serde_json::Value`: a host's dependency may switch `preserve_order` or
//! `arbitrary_precision` on for us, and what is recorded must not change with it.

use std::fmt;

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

/// Every text of a document, names included.
pub(crate) fn each_text(json: &str, each: &mut dyn FnMut(&str)) {
    match json.as_bytes().first() {
        Some(b'{') => {
            for (name, value) in fields(json).unwrap_or_default() {
                each(&name);
                each_text(value.get(), each);
            }
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            items.iter().for_each(|item| each_text(item.get(), each));
        }
        Some(b'"') => {
            if let Ok(text) = serde_json::from_str::<String>(json) {
                each(&text);
            }
        }
        _ => {}
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
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_else(|_| "null".to_owned());
    match json.as_bytes().first() {
        Some(b'{') => fields(json)
            .unwrap_or_default()
            .into_iter()
            .fold(Object::new(), |object, (name, value)| {
                match own && matches!(&*name, "$blob" | "sha256") {
                    true => object.raw(&name, value.get()),
                    false => {
                        let name = match secret_in(name.as_bytes()) {
                            Some(_) => map(&name),
                            None => name,
                        };
                        object.raw(&name, &mapped(value.get(), map, own))
                    }
                }
            })
            .finish()
            .get()
            .to_owned(),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            let items: Vec<String> =
                items.iter().map(|item| mapped(item.get(), map, own)).collect();
            format!("[{}]", items.join(","))
        }
        Some(b'"') => quoted(&map(&serde_json::from_str::<String>(json).unwrap_or_default())),
        _ if own => json.to_owned(),
        _ => match map(json) {
            same if same == json => same,
            other => quoted(&other),
        },
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
