//! The files of `given/` as they are written.
//!
//! Wire types: a change that an old reader would misread grows [`CASE_FORMAT`](super::CASE_FORMAT).
//! No `flatten`, `tag` or `untagged`, which fail to read back once a dependency switches
//! serde_json's `arbitrary_precision` on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tapeline::{
    Limits, NetworkSetup, Policy,
    audit::{EntryEvent, HostVersion, LockEvent, StopPoint, WriteEvent},
};

/// `given/case.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseFile {
    pub(crate) format: u32,
    pub(crate) title: String,
    pub(crate) run: RunFile,
    pub(crate) host: HostFile,
    pub(crate) clock: ClockFile,
    pub(crate) ids: IdsFile,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) approvals: Vec<ApprovalFile>,
    pub(crate) workspace: Knowledge,
    #[serde(default, skip_serializing_if = "EndFile::is_returned")]
    pub(crate) end: EndFile,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<Provenance>,
}

/// `given/case.json` of a case that is another one but for one change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DerivedFile {
    pub(crate) format: u32,
    pub(crate) title: String,
    /// The name of the other one, which is not derived itself.
    pub(crate) base: String,
    pub(crate) change: ChangeFile,
}

/// What a derived case is given otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChangeFile {
    /// Another line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// Another time to start at, milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clock_start: Option<i64>,
    /// Another end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<EndFile>,
    /// Other answers, by place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<AnswerChange>,
    /// What the approver says instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approvals: Option<Vec<ApprovalFile>>,
    /// Refusals of writes, before those that the other one has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<WriteEvent>,
}

/// Another answer: `response` or `fault`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerChange {
    /// In `http.json` of the other case, from 0.
    pub(crate) place: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<ResponseFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<FaultFile>,
}

/// To tell which of the two a `case.json` is, and whether it can be read.
#[derive(Debug, Deserialize)]
pub(crate) struct AnyCaseFile {
    pub(crate) format: u32,
    #[serde(default)]
    pub(crate) base: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFile {
    pub(crate) command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stdin: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostFile {
    pub(crate) policy: Policy,
    pub(crate) limits: Limits,
    #[serde(default)]
    pub(crate) network: NetworkSetup,
    #[serde(default)]
    pub(crate) network_hint: String,
    #[serde(default)]
    pub(crate) approval_hint: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockFile {
    /// Milliseconds since the Unix epoch.
    pub(crate) start: i64,
    pub(crate) duration_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IdsFile {
    pub(crate) seed: u64,
    pub(crate) run_id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalFile {
    pub(crate) action: String,
    pub(crate) answer: String,
    pub(crate) at_ms: u64,
}

/// How the run ends: `returned`, `timeout` or `cancel`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EndFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<StopPoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancel: Option<StopPoint>,
}

impl EndFile {
    fn is_returned(&self) -> bool {
        self.timeout.is_none() && self.cancel.is_none()
    }
}

/// What is known of paths that are not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Knowledge {
    /// They are absent.
    Closed,
    /// Nothing: to ask for one is a miss.
    AsRead,
}

/// Where a promoted case comes from; never compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provenance {
    pub(crate) run_id: String,
    /// RFC 3339.
    pub(crate) recorded: String,
    pub(crate) host: HostVersion,
    pub(crate) framework: String,
    /// SHA-256 of all commands' specs.
    pub(crate) specs: String,
    /// The framework's features.
    pub(crate) features: Vec<String>,
}

/// One of `given/http.json`, an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerFile {
    pub(crate) method: String,
    pub(crate) url: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) resolved: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<ResponseFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<FaultFile>,
    pub(crate) at_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResponseFile {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: BodyFile,
}

/// Decoded bytes, in a file of `given/http/`, or in `_blobs/` where none is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodyFile {
    /// Relative to `given/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultFile {
    pub(crate) kind: String,
    /// Of the answer whose head had come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Bytes of body that had come before a `reset`, a `stall` and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after_bytes: Option<u64>,
    /// As `after_bytes`, of `too_large`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen_bytes: Option<u64>,
}

/// `given/workspace.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WorkspaceFile {
    /// Whose content lies in `given/workspace/`, or in `_blobs/`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<FileFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reads: Vec<ReadFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) lists: Vec<ListFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<WriteEvent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locks: Vec<LockEvent>,
}

impl WorkspaceFile {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.reads.is_empty()
            && self.lists.is_empty()
            && self.writes.is_empty()
            && self.locks.is_empty()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileFile {
    /// With the leading `.agents/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// A path that holds no file that was read. One field besides `path` is set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReadFile {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) absent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dir: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<bool>,
    /// A name of [`WorkspaceFaultKind`](tapeline::workspace::WorkspaceFaultKind).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// A file of that length, too long to be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unread_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ListFile {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entries: Option<Vec<EntryEvent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// One of `expect/workspace.json`, an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedFile {
    /// With the leading `.agents/`.
    pub(crate) path: String,
    /// `created`, `changed`, `removed` or `written`.
    pub(crate) change: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<String>,
}
