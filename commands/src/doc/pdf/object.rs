//! [`Object`]: what a PDF file is made of.

use std::collections::BTreeMap;

/// A value of a PDF file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Null,
    Boolean(bool),
    Integer(i64),
    Real(f64),
    String(Vec<u8>),
    Name(String),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    Stream(Box<Stream>),
    Reference(Id),
}

/// Sorted by name, so that whatever goes through one goes through it in the same order.
pub(super) type Dictionary = BTreeMap<String, Object>;

/// A dictionary and where its bytes stand in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stream {
    pub(super) dictionary: Dictionary,
    pub(super) id: Id,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The file ends before the stream does.
    pub(super) is_cut: bool,
}

/// The number and the generation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) number: u32,
    pub(super) generation: u16,
}

impl Object {
    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
            Self::Real(value) => Some(*value as i64),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "places on a page are small")]
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn string(&self) -> Option<&[u8]> {
        match self {
            Self::String(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn array(&self) -> Option<&[Object]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Of a dictionary or of a stream.
    pub(super) fn dictionary(&self) -> Option<&Dictionary> {
        match self {
            Self::Dictionary(dictionary) => Some(dictionary),
            Self::Stream(stream) => Some(&stream.dictionary),
            _ => None,
        }
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    pub(super) fn reference(&self) -> Option<Id> {
        match self {
            Self::Reference(id) => Some(*id),
            _ => None,
        }
    }
}
