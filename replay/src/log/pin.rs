//! [`Pin`]: the end of a log, as it is kept elsewhere.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A record by its place and the SHA-256 of its line. Kept where whoever can write to the log
/// cannot, it shows a log that was cut or written anew.
///
/// ```
/// use tapeline_replay::Pin;
///
/// let text = format!("7:{}", "ab".repeat(32));
/// let pin: Pin = text.parse()?;
/// assert_eq!((pin.seq, pin.to_string()), (7, text));
/// assert!("7:ab".parse::<Pin>().is_err());
/// # Ok::<(), tapeline_replay::InvalidPin>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Of the record.
    pub seq: u64,
    /// Of the bytes of its line without the newline, lower-case hex.
    pub sha256: String,
}

/// The text is no pin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is no head of a log: write `SEQ:SHA256`, as `audit head` prints it")]
pub struct InvalidPin {
    /// What was given.
    pub text: String,
}

impl fmt::Display for Pin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.seq, self.sha256)
    }
}

impl FromStr for Pin {
    type Err = InvalidPin;

    fn from_str(text: &str) -> Result<Self, InvalidPin> {
        let invalid = || InvalidPin { text: text.to_owned() };
        let (seq, sha256) = text.split_once(':').ok_or_else(invalid)?;
        let is_hex = sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_number = seq.bytes().all(|byte| byte.is_ascii_digit());
        match seq.parse() {
            Ok(seq) if seq > 0 && is_number && is_hex && sha256.len() == 64 => {
                Ok(Self { seq, sha256: sha256.to_owned() })
            }
            _ => Err(invalid()),
        }
    }
}
