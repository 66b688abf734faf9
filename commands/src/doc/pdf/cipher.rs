//! [`Cipher`]: the key of an encrypted file that opens with an empty password.

use std::collections::HashMap;

use pdf_oxide::encryption::EncryptionHandler;
use pdf_oxide::object::{Object as LibraryObject, ObjectRef};

use super::object::{Dictionary, Id, Object};

/// Deciphers strings and streams.
#[derive(Debug)]
pub(super) struct Cipher {
    handler: EncryptionHandler,
    is_for_strings: bool,
    is_for_streams: bool,
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locked {
    /// The empty password is not the one.
    Password,
    /// A kind of encryption that is not known here.
    Unknown,
}

impl Cipher {
    /// `encrypt` without references.
    pub(super) fn new(encrypt: &Dictionary, file_id: &[u8]) -> Result<Self, Locked> {
        if encrypt.get("Filter").and_then(Object::name) != Some("Standard") {
            return Err(Locked::Unknown);
        }
        let as_object = to_library(&Object::Dictionary(encrypt.clone()));
        // The library has not been read for what it does with lengths that are none.
        let opened = std::panic::catch_unwind(|| {
            let mut handler = EncryptionHandler::new(&as_object, file_id.to_vec()).ok()?;
            let is_open = handler.authenticate(b"").unwrap_or(false);
            Some((handler, is_open))
        });
        match opened {
            Ok(Some((handler, true))) => Ok(Self {
                handler,
                is_for_strings: is_used(encrypt, "StrF"),
                is_for_streams: is_used(encrypt, "StmF"),
            }),
            Ok(Some((_, false))) => Err(Locked::Password),
            Ok(None) | Err(_) => Err(Locked::Unknown),
        }
    }

    pub(super) fn string(&self, bytes: &[u8], id: Id) -> Option<Vec<u8>> {
        if !self.is_for_strings {
            return None;
        }
        self.handler.decrypt_string(bytes, id.number, u32::from(id.generation)).ok()
    }

    pub(super) fn stream(&self, bytes: &[u8], id: Id) -> Option<Vec<u8>> {
        if !self.is_for_streams {
            return None;
        }
        self.handler.decrypt_stream(bytes, id.number, u32::from(id.generation)).ok()
    }
}

/// Whether the filter that is named for strings or streams does anything.
fn is_used(encrypt: &Dictionary, which: &str) -> bool {
    if encrypt.get("V").and_then(Object::integer).unwrap_or(0) < 4 {
        return true;
    }
    let name = encrypt.get(which).and_then(Object::name).unwrap_or("Identity");
    let filters = encrypt.get("CF").and_then(Object::dictionary);
    let filter = filters.and_then(|filters| filters.get(name)?.dictionary());
    let method = filter.and_then(|filter| filter.get("CFM")?.name());
    name != "Identity" && method != Some("None")
}

/// The library's own form of an object; streams as dictionaries.
pub(super) fn to_library(object: &Object) -> LibraryObject {
    match object {
        Object::Null => LibraryObject::Null,
        Object::Boolean(value) => LibraryObject::Boolean(*value),
        Object::Integer(value) => LibraryObject::Integer(*value),
        Object::Real(value) => LibraryObject::Real(*value),
        Object::String(bytes) => LibraryObject::String(bytes.clone()),
        Object::Name(name) => LibraryObject::Name(name.clone()),
        Object::Array(items) => LibraryObject::Array(items.iter().map(to_library).collect()),
        Object::Dictionary(dictionary) => {
            LibraryObject::Dictionary(dictionary_to_library(dictionary))
        }
        Object::Stream(stream) => {
            LibraryObject::Dictionary(dictionary_to_library(&stream.dictionary))
        }
        Object::Reference(id) => LibraryObject::Reference(ObjectRef::new(id.number, id.generation)),
    }
}

fn dictionary_to_library(dictionary: &Dictionary) -> HashMap<String, LibraryObject> {
    dictionary.iter().map(|(name, entry)| (name.clone(), to_library(entry))).collect()
}
