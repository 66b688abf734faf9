//! [`Edit`]: one change to a JSON document.

use crate::Json;

/// One change to a JSON document.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// Names of fields, `*` for a place in an array.
    pub(super) path: Vec<String>,
    /// JSON Pointer.
    pub(super) pointer: String,
    pub(super) act: Act,
    /// Places of children, from the root.
    steps: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// A leaf has another value.
    Altered,
    /// A field or an element is gone.
    Removed,
    /// An element stands twice.
    Doubled,
    /// An object has a field more, an array an element.
    Added,
}

impl Act {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Altered => "altered",
            Self::Removed => "removed",
            Self::Doubled => "doubled",
            Self::Added => "added to",
        }
    }
}

impl Edit {
    /// All edits there are of a document, in its order.
    pub(super) fn all(document: &Json) -> Vec<Self> {
        let root =
            Self { path: Vec::new(), pointer: String::new(), act: Act::Altered, steps: Vec::new() };
        let mut edits = Vec::new();
        root.walk(document, &mut edits);
        edits
    }

    fn walk(self, node: &Json, edits: &mut Vec<Self>) {
        let with = |act| Self { act, ..self.clone() };
        let child = |part: &str, name: &str, step: usize| {
            let mut child = self.clone();
            child.path.push(part.to_owned());
            child.pointer.push_str(&format!("/{}", name.replace('~', "~0").replace('/', "~1")));
            child.steps.push(step);
            child
        };
        match node {
            Json::Plain(_) | Json::Text(_) => edits.push(self),
            Json::Array(items) => {
                edits.push(with(Act::Added));
                for (step, item) in items.iter().enumerate() {
                    let item_at = child("*", &step.to_string(), step);
                    edits.push(Self { act: Act::Removed, ..item_at.clone() });
                    edits.push(Self { act: Act::Doubled, ..item_at.clone() });
                    item_at.walk(item, edits);
                }
            }
            Json::Object(fields) => {
                edits.push(with(Act::Added));
                for (step, (name, value)) in fields.iter().enumerate() {
                    let field = child(name, name, step);
                    edits.push(Self { act: Act::Removed, ..field.clone() });
                    field.walk(value, edits);
                }
            }
        }
    }

    /// The part of a document that is meant.
    pub(super) fn node<'a>(&self, document: &'a Json) -> Option<&'a Json> {
        self.steps.iter().try_fold(document, |node, step| match node {
            Json::Plain(_) | Json::Text(_) => None,
            Json::Array(items) => items.get(*step),
            Json::Object(fields) => fields.get(*step).map(|(_, value)| value),
        })
    }

    /// The document with this change; `new` is the new value of a leaf, or the new element.
    pub(super) fn apply(&self, document: &Json, new: Json) -> Json {
        let mut document = document.clone();
        let node = self.steps.iter().rev().skip(1).rev();
        let parent = node.copied().try_fold(&mut document, descend);
        let last = self.steps.last().copied();
        match (self.act, parent, last) {
            (Act::Removed, Some(Json::Array(items)), Some(step)) => drop(items.remove(step)),
            (Act::Removed, Some(Json::Object(fields)), Some(step)) => drop(fields.remove(step)),
            (Act::Doubled, Some(Json::Array(items)), Some(step)) => {
                let twice = items.get(step).cloned();
                items.extend(twice);
            }
            (Act::Removed | Act::Doubled, _, _) => {}
            (Act::Altered | Act::Added, parent, last) => {
                let node = match last {
                    Some(step) => parent.and_then(|parent| descend(parent, step)),
                    None => parent,
                };
                match node {
                    Some(Json::Array(items)) => items.push(new),
                    Some(Json::Object(fields)) => fields.push(("added".to_owned(), new)),
                    Some(leaf) => *leaf = new,
                    None => {}
                }
            }
        }
        document
    }
}

fn descend(node: &mut Json, step: usize) -> Option<&mut Json> {
    match node {
        Json::Plain(_) | Json::Text(_) => None,
        Json::Array(items) => items.get_mut(step),
        Json::Object(fields) => fields.get_mut(step).map(|(_, value)| value),
    }
}

/// Another value in place of a leaf; where an element or a field is added, a text.
pub(super) fn another(node: &Json) -> Json {
    match node {
        Json::Text(text) => Json::Text(format!("{text}~")),
        Json::Plain(text) => match (text.as_str(), text.parse::<i128>()) {
            ("true", _) => Json::Plain("false".to_owned()),
            ("false", _) => Json::Plain("true".to_owned()),
            ("null", _) => Json::Text("null".to_owned()),
            (_, Ok(number)) => Json::Plain((number + 1).to_string()),
            (_, Err(_)) => Json::Plain("0".to_owned()),
        },
        Json::Array(_) | Json::Object(_) => Json::Text("added".to_owned()),
    }
}
