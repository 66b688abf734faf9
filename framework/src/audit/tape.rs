//! [`Tape`]: everything that came in through the door during a run.
//!
//! Wire types: a change that an old reader would misread grows [`Tape::VERSION`]. No `flatten`,
//! `tag` or `untagged`, which fail to read back once a dependency switches serde_json's
//! `arbitrary_precision` on. An event is an object with one of its optional fields set.

use serde::{Deserialize, Serialize};

use super::BlobRef;

/// The tape of one run, as it stands in its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tape {
    /// [`Tape::VERSION`].
    pub v: u32,
    /// Milliseconds since the Unix epoch: what the run's clock started at.
    pub clock_start: i64,
    /// What the run's identifiers and random numbers were made from.
    pub seed: u64,
    /// The [`Setup`](crate::Setup) the run had: policy, limits, features, network exceptions.
    pub setup: BlobRef,
    /// In the order they ended.
    pub events: Vec<Event>,
    /// How the run ended.
    pub end: End,
    /// Whether the run can be run again from this tape alone.
    pub complete: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Tape {
    /// The version this build writes; it grows when an old reader would misread a tape.
    pub const VERSION: u32 = 1;
}

/// One thing that came in. Exactly one field besides `at_ms` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Milliseconds from `clock_start` to its end; the run's clock moves there for `http` and
    /// `approval` alone.
    pub at_ms: u64,
    /// A file that was opened, or found missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileEvent>,
    /// A directory that was listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListEvent>,
    /// A file that was written or removed, or refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<WriteEvent>,
    /// A lock that was had, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockEvent>,
    /// One exchange, redirects each on their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpEvent>,
    /// A question to the approver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalEvent>,
    /// A model the host configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelEvent>,
}

/// Bytes on a tape: `{text}` up to 4 KiB of UTF-8, else `{$blob, bytes}`; `{bytes}` alone where
/// only the length was kept (a file over the limit, which the run never read).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Content {
    /// The bytes themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// SHA-256 of the blob, lower-case hex.
    #[serde(rename = "$blob", skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// Length of what is not inline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What a path held. Exactly one field besides `path` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileEvent {
    /// With the leading `.agents/`.
    pub path: String,
    /// A regular file's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<Content>,
    /// Nothing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<bool>,
    /// A directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<bool>,
    /// A link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<bool>,
    /// Another refusal: a name of [`WorkspaceFaultKind`](crate::workspace::WorkspaceFaultKind).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a directory held when the run first listed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListEvent {
    /// With the leading `.agents/`.
    pub path: String,
    /// Sorted by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<EntryEvent>>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One entry: `kind` is `file`, `dir`, `link` or `other`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntryEvent {
    /// One component.
    pub name: String,
    /// What it is.
    pub kind: String,
}

/// What came of a write or removal: `ok` or `error`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WriteEvent {
    /// With the leading `.agents/`.
    pub path: String,
    /// It was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// A name of [`WorkspaceFaultKind`](crate::workspace::WorkspaceFaultKind).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The error came with the content, not when the file was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_commit: Option<bool>,
}

/// What came of waiting for a lock: `ok`, `timeout` or `error`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LockEvent {
    /// As the command named it.
    pub name: String,
    /// It was had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// It was not had in the time the command gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<bool>,
    /// A name of [`WorkspaceFaultKind`](crate::workspace::WorkspaceFaultKind).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One exchange with one host: `response` or `fault`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpEvent {
    /// What was asked.
    pub request: RequestEvent,
    /// What the name resolved to; empty where the transport or a proxy resolves.
    pub resolved: Vec<String>,
    /// What came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<AnswerEvent>,
    /// Why nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultEvent>,
}

/// A request: what the command set, none of the client's own headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestEvent {
    /// Upper-case.
    pub method: String,
    /// Normalised, scrubbed.
    pub url: String,
    /// Name and value, in order.
    pub headers: Vec<(String, String)>,
    /// `None` where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Content>,
}

/// An answer, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerEvent {
    /// HTTP status.
    pub status: u16,
    /// Name (lower-case) and value, in order.
    pub headers: Vec<(String, String)>,
    /// Decoded bytes.
    pub body: Content,
}

/// Why there was no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultEvent {
    /// A name of [`HttpFaultKind`](crate::http::HttpFaultKind).
    pub kind: String,
    /// HTTP status, where the head of an answer had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of body that had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_bytes: Option<u64>,
}

/// A question to the approver and what it said: `approved`, `denied`, `failed`, `late` or
/// `unavailable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApprovalEvent {
    /// As it was asked, scrubbed.
    pub action: String,
    /// What it said.
    pub answer: String,
}

/// A model file the host configured. Its bytes are not on the tape, so the tape is incomplete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelEvent {
    /// As configured.
    pub name: String,
    /// Lower-case hex; `None` where none is configured.
    pub sha256: Option<String>,
}

/// How a run ended. Exactly one field is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// By itself: a result, a failure or a panic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<bool>,
    /// At its deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<StopPoint>,
    /// By cancel, or dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<StopPoint>,
}

/// Where a run was stopped: at the first wait after so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StopPoint {
    /// `http` and `approval` events and sleeps that had ended, nothing else.
    pub after_events: u64,
    /// Before the command was entered: nothing came in, nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_begin: Option<bool>,
}
