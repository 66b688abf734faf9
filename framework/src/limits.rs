//! Limits: how much a run may take, and the harm each bound prevents.

use serde::{Deserialize, Serialize};

/// Upper bounds of one run. The effective ones are the least of spec, host and request.
///
/// ```
/// use tapeline::Limits;
///
/// let spec = Limits { http_body_bytes: 1 << 20, ..Limits::UNBOUNDED };
/// assert_eq!(Limits::default().least(&spec).http_body_bytes, 1 << 20);
/// assert_eq!(Limits::default().least(&spec).http_requests, 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of stdin (1 MiB): a caller cannot make the host hold a huge string.
    pub stdin_bytes: u64,
    /// Bytes of stdout and of stderr in the envelope (16 KiB each): more is kept as an artifact.
    pub stdout_bytes: u64,
    /// Bytes of `result` in the envelope (64 KiB): more is kept as an artifact.
    pub result_bytes: u64,
    /// Bytes of one file that is read (64 MiB).
    pub file_bytes: u64,
    /// Decoded bytes of one HTTP body (2 MiB): a bomb is cut while it streams.
    pub http_body_bytes: u64,
    /// HTTP exchanges, redirects included (20).
    pub http_requests: u64,
    /// Bytes written to the workspace (256 MiB): a run cannot fill the disk.
    pub written_bytes: u64,
    /// Milliseconds a run may take (600,000).
    pub duration_ms: u64,
}

impl Limits {
    /// No opinion: what a spec or request starts from.
    pub const UNBOUNDED: Self = Self {
        stdin_bytes: u64::MAX,
        stdout_bytes: u64::MAX,
        result_bytes: u64::MAX,
        file_bytes: u64::MAX,
        http_body_bytes: u64::MAX,
        http_requests: u64::MAX,
        written_bytes: u64::MAX,
        duration_ms: u64::MAX,
    };

    /// The lower of the two in each.
    #[must_use]
    pub fn least(&self, other: &Self) -> Self {
        Self {
            stdin_bytes: self.stdin_bytes.min(other.stdin_bytes),
            stdout_bytes: self.stdout_bytes.min(other.stdout_bytes),
            result_bytes: self.result_bytes.min(other.result_bytes),
            file_bytes: self.file_bytes.min(other.file_bytes),
            http_body_bytes: self.http_body_bytes.min(other.http_body_bytes),
            http_requests: self.http_requests.min(other.http_requests),
            written_bytes: self.written_bytes.min(other.written_bytes),
            duration_ms: self.duration_ms.min(other.duration_ms),
        }
    }
}

impl Default for Limits {
    /// The host's defaults, given with each field.
    fn default() -> Self {
        Self {
            stdin_bytes: 1 << 20,
            stdout_bytes: 16 << 10,
            result_bytes: 64 << 10,
            file_bytes: 64 << 20,
            http_body_bytes: 2 << 20,
            http_requests: 20,
            written_bytes: 256 << 20,
            duration_ms: 600_000,
        }
    }
}
