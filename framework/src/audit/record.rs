//! [`Record`]: one line of the audit log.
//!
//! Wire types: a change that an old reader would misread grows [`Record::VERSION`].

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

/// A run as it stands in `audit/runs/`. All fields always, `null` where there is nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`Record::VERSION`].
    pub v: u32,
    /// Position in the log, from 1, without holes; given when it is appended.
    pub seq: u64,
    /// UUIDv7.
    pub run_id: String,
    /// When the run started, RFC 3339, UTC, milliseconds.
    pub timestamp: String,
    /// The line as it was given, scrubbed.
    pub command: Kept,
    /// `{path, args}`, or `null` where the line did not get that far.
    pub parsed_command: Kept,
    /// What the host said of the run: actor, session, traceparent.
    pub labels: Kept,
    /// Text, or `null`.
    pub stdin: Kept,
    /// Effective.
    pub timeout_ms: u64,
    /// As declared, by name.
    pub capabilities: Vec<String>,
    /// As in the envelope.
    pub exit_code: u8,
    /// As in the envelope.
    pub error_code: Option<String>,
    /// As in the envelope.
    pub error_message: Kept,
    /// As in the envelope.
    pub hint: Kept,
    /// As in the envelope.
    pub truncated: Kept,
    /// As in the envelope.
    pub duration_ms: u64,
    /// As in the envelope.
    pub artifacts: Kept,
    /// As in the envelope.
    pub stdout: Kept,
    /// As in the envelope.
    pub stderr: Kept,
    /// As in the envelope.
    pub result: Kept,
    /// A [`Tape`](super::Tape), or `null` where there is none.
    pub tape: Kept,
    /// Which application ran it.
    pub host: HostVersion,
    /// The version of this crate.
    pub framework: String,
    /// SHA-256 of all commands' specs as JSON: which whitelist it was.
    pub specs: String,
    /// SHA-256 of the bytes of the line before it, across files; 64 zeros for the first. Where that
    /// line is torn, what the process that died would have put here is taken in: the SHA-256 of
    /// those 32 bytes and of the 32 of the torn line's own, and so on for each torn line.
    pub prev: String,
}

impl Record {
    /// The version this build writes; it grows when an old reader would misread a record.
    pub const VERSION: u32 = 1;
    /// What stands in `prev` of the first record.
    pub const NO_PREV: &'static str =
        "0000000000000000000000000000000000000000000000000000000000000000";
}

/// Name and version of the embedding application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostVersion {
    /// `tapeline` for the reference host.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A value of a record: JSON in place, or [`BlobRef`] where it is over 4 KiB.
///
/// ```
/// use tapeline::audit::Kept;
///
/// let kept = Kept::inline(&["a", "b"]);
/// assert_eq!(kept.json(), r#"["a","b"]"#);
/// assert!(kept.blob().is_none());
/// assert_eq!(kept.read::<Vec<String>>()?, ["a", "b"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kept(Box<RawValue>);

impl Kept {
    /// `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// A value in place; `null` if JSON cannot hold it.
    pub fn inline(value: &(impl Serialize + ?Sized)) -> Self {
        Self(to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// JSON that is already text.
    pub fn raw(json: Box<RawValue>) -> Self {
        Self(json)
    }

    /// The JSON text, which may be a [`BlobRef`].
    pub fn json(&self) -> &str {
        self.0.get()
    }

    /// Where the value lies, if it is not in place.
    pub fn blob(&self) -> Option<BlobRef> {
        let json = self.json();
        json.starts_with(r#"{"$blob""#).then(|| serde_json::from_str(json).ok()).flatten()
    }

    /// The value in place.
    ///
    /// # Errors
    /// It is not of that shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.json())
    }
}

/// A reference to `audit/blobs/<aa>/<sha256>`. In a record's `result`, `always` beside it holds the
/// fields that the command's spec keeps inline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// Lower-case hex.
    #[serde(rename = "$blob")]
    pub sha256: String,
    /// Length.
    pub bytes: u64,
}

/// What is written before a run starts, to `audit/open/<uuid>.jsonl`. Scrubbed as the record is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Intent {
    /// [`Record::VERSION`].
    pub v: u32,
    /// As in the record to come.
    pub run_id: String,
    /// As in the record to come.
    pub timestamp: String,
    /// As in the record to come; a text over 4 KiB is a blob.
    pub command: Kept,
    /// As in the record to come.
    pub parsed_command: Kept,
    /// As in the record to come.
    pub labels: Kept,
    /// As in the record to come.
    pub timeout_ms: u64,
    /// As in the record to come.
    pub capabilities: Vec<String>,
    /// As in the record to come.
    pub host: HostVersion,
    /// As in the record to come.
    pub framework: String,
    /// As in the record to come.
    pub specs: String,
}
