//! [`Resolved`]: an object where it stands, or the one that a reference leads to.

use std::ops::Deref;
use std::rc::Rc;

use super::object::Object;

/// Nothing is copied: what stands in a dictionary may be large, and is asked for often.
#[derive(Debug)]
pub(super) enum Resolved<'o> {
    Here(&'o Object),
    There(Rc<Object>),
}

impl Resolved<'_> {
    pub(super) fn into_owned(self) -> Object {
        self.deref().clone()
    }

    pub(super) fn into_shared(self) -> Rc<Object> {
        match self {
            Self::Here(object) => Rc::new(object.clone()),
            Self::There(object) => object,
        }
    }
}

impl Deref for Resolved<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Here(object) => object,
            Self::There(object) => object,
        }
    }
}

impl AsRef<Object> for Resolved<'_> {
    fn as_ref(&self) -> &Object {
        self
    }
}
