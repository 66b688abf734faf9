//! [`Cipher`]: the key of an encrypted file that opens with an empty password.

use std::collections::HashMap;

use pdf_oxide::crypto::{self, AesKeySize, Padding};
use pdf_oxide::encryption::EncryptionHandler;
use pdf_oxide::object::{Object as LibraryObject, ObjectRef};

use super::object::{Dictionary, Id, Object};

const AES_BLOCK: usize = 16;
const KEY_BYTES: usize = 32;

/// Deciphers strings and streams.
#[derive(Debug)]
pub(super) struct Cipher {
    handler: EncryptionHandler,
    is_for_strings: bool,
    is_for_streams: bool,
    /// Of revision 5, which the library knows only half of.
    own_key: Option<Vec<u8>>,
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
            Ok(Some((handler, true))) => {
                let own_key = match encrypt.get("R").and_then(Object::integer) {
                    Some(5) => {
                        let wrapping = handler.encryption_key().unwrap_or_default();
                        Some(unwrapped_key(encrypt, wrapping).ok_or(Locked::Unknown)?)
                    }
                    _ => None,
                };
                Ok(Self {
                    handler,
                    is_for_strings: is_used(encrypt, "StrF"),
                    is_for_streams: is_used(encrypt, "StmF"),
                    own_key,
                })
            }
            Ok(Some((_, false))) => Err(Locked::Password),
            Ok(None) | Err(_) => Err(Locked::Unknown),
        }
    }

    pub(super) fn string(&self, bytes: &[u8], id: Id) -> Option<Vec<u8>> {
        if !self.is_for_strings {
            return None;
        }
        self.plain(bytes, id)
    }

    pub(super) fn stream(&self, bytes: &[u8], id: Id) -> Option<Vec<u8>> {
        if !self.is_for_streams {
            return None;
        }
        self.plain(bytes, id)
    }

    fn plain(&self, bytes: &[u8], id: Id) -> Option<Vec<u8>> {
        match &self.own_key {
            Some(key) => {
                let (start, rest) = bytes.split_at_checked(AES_BLOCK)?;
                let mut plain = decrypted(key, start, rest)?;
                let padding = plain.last().copied().map(usize::from);
                if let Some(padding @ 1..=AES_BLOCK) = padding {
                    plain.truncate(plain.len().saturating_sub(padding));
                }
                Some(plain)
            }
            None => self.handler.decrypt_stream(bytes, id.number, u32::from(id.generation)).ok(),
        }
    }
}

/// The key of revision 5. What a password makes there opens only the entry that holds the key, for
/// users or for the owner; `Perms` says whether it is the right one.
fn unwrapped_key(encrypt: &Dictionary, wrapping: &[u8]) -> Option<Vec<u8>> {
    let zero = [0; AES_BLOCK];
    let entry = |name: &str| encrypt.get(name).and_then(Object::string);
    let permissions = entry("Perms").and_then(|perms| perms.get(..AES_BLOCK));
    ["UE", "OE"].into_iter().find_map(|name| {
        let key = decrypted(wrapping, &zero, entry(name)?.get(..KEY_BYTES)?)?;
        let is_right = permissions.is_none_or(|permissions| {
            let plain = decrypted(&key, &zero, permissions).unwrap_or_default();
            plain.get(9..12) == Some(b"adb")
        });
        is_right.then_some(key)
    })
}

/// Whole blocks only; what is left over at the end of a broken file is left out.
fn decrypted(key: &[u8], start: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let whole = bytes.get(..bytes.len() - bytes.len() % AES_BLOCK)?;
    if key.len() != KEY_BYTES {
        return None;
    }
    if whole.is_empty() {
        return Some(Vec::new());
    }
    let cipher = crypto::active().symmetric();
    cipher.aes_cbc_decrypt(AesKeySize::Aes256, key, start, whole, Padding::None).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_revision_5_is_unwrapped_and_tried() {
        let wrap = |key: &[u8], bytes: &[u8]| {
            let cipher = crypto::active().symmetric();
            let none = Padding::None;
            cipher.aes_cbc_encrypt(AesKeySize::Aes256, key, &[0; 16], bytes, none).unwrap()
        };
        let (wrapping, key) = ([7; KEY_BYTES], [9; KEY_BYTES]);
        let mut encrypt = Dictionary::new();
        encrypt.insert("UE".to_owned(), Object::String(wrap(&wrapping, &[1; KEY_BYTES])));
        encrypt.insert("OE".to_owned(), Object::String(wrap(&wrapping, &key)));
        encrypt.insert(
            "Perms".to_owned(),
            Object::String(wrap(&key, b"????\xFF\xFF\xFF\xFFTadbrand")),
        );
        assert_eq!(unwrapped_key(&encrypt, &wrapping).as_deref(), Some(key.as_slice()));
        assert_eq!(unwrapped_key(&encrypt, &key), None);
    }
}
