//! Values of a record, wherever they lie.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tapeline::audit::{BlobRef, Kept, blob_path};

use super::{
    error::{LogError, LogErrorKind},
    records::{Log, read},
};
use crate::digest::sha256_hex;

impl Log {
    /// The bytes of a blob, of which the hash is right.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is not what its name says.
    pub fn blob(&self, sha256: &str) -> Result<Vec<u8>, LogError> {
        let Some(path) = blob_path(self.dir(), sha256) else {
            return Err(LogError::at(
                self.dir(),
                LogErrorKind::NoBlobName { name: sha256.to_owned() },
            ));
        };
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(LogError::at(path, LogErrorKind::Io(error))),
        };
        let found = sha256_hex(&bytes);
        if found != sha256 {
            return Err(LogError::at(path, LogErrorKind::BlobChanged { found }));
        }
        Ok(bytes)
    }

    /// A value of a record, from its blob where it is not in place.
    ///
    /// # Errors
    /// As [`blob`](Self::blob), or the value has another shape.
    pub fn value<T: DeserializeOwned>(&self, kept: &Kept) -> Result<T, LogError> {
        match kept.blob() {
            Some(BlobRef { sha256, .. }) => {
                let bytes = self.blob(&sha256)?;
                serde_json::from_slice(&bytes).map_err(|error| self.unfit(&sha256, error))
            }
            None => {
                kept.read().map_err(|error| LogError::at(self.dir(), LogErrorKind::Json(error)))
            }
        }
    }

    /// The JSON text of a value, from its blob where it is not in place.
    ///
    /// # Errors
    /// As [`blob`](Self::blob), or the blob is no JSON.
    pub fn kept_json(&self, kept: &Kept) -> Result<String, LogError> {
        self.value::<Box<RawValue>>(kept).map(|json| String::from(Box::<str>::from(json)))
    }

    fn unfit(&self, sha256: &str, error: serde_json::Error) -> LogError {
        let path = blob_path(self.dir(), sha256).unwrap_or_else(|| self.dir().to_owned());
        LogError::at(path, LogErrorKind::Json(error))
    }
}
