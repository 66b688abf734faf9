//! SHA-256 in lower-case hex, as blobs are named.

use sha2::{Digest as _, Sha256};

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
