//! Error codes and [`Failure`]: why a run did not do what it was asked.
//!
//! A failed run is a result, not a Rust error: a command returns a [`Failure`] and the caller
//! receives an envelope. Codes are a public contract; they are never renamed or reused.

use std::fmt;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::workspace::PathEscape;

/// A stable code and the exit code that goes with it.
///
/// The shared codes are constants; a command declares its own with [`ErrorCode::own`] and lists
/// all it can answer in its [`Spec`](crate::Spec).
///
/// ```
/// use tapeline::ErrorCode;
///
/// const FEED_GONE: ErrorCode = ErrorCode::own("FeedGone");
/// assert_eq!(FEED_GONE.exit_code(), 65);
/// assert_eq!(ErrorCode::NOT_FOUND.name(), "NotFound");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode {
    name: &'static str,
    exit_code: u8,
}

macro_rules! shared_codes {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $exit:literal;)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $constant: Self = Self { name: $name, exit_code: $exit };)*

            /// Every shared code, in the order of the reference page.
            pub const SHARED: &'static [Self] = &[$(Self::$constant),*];
        }
    };
}

shared_codes! {
    /// The line breaks the grammar: `hello | cat`.
    INVALID_COMMAND_LINE = "InvalidCommandLine", 2;
    /// Arguments, or a stdin that is not taken: `hello --nmae x`.
    INVALID_ARGS = "InvalidArgs", 2;
    /// A path that leaves the workspace: `exchange-rate latest --base CNY --out ../x`.
    PATH_ESCAPES_AGENTS_ROOT = "PathEscapesAgentsRoot", 2;
    /// The target of `--out` exists: `exchange-rate latest --base CNY --out a.json`, a second time.
    OUT_EXISTS = "OutExists", 2;
    /// Reserved for commands that cannot answer without `--out`.
    OUT_REQUIRED = "OutRequired", 2;
    /// A named thing is not there: `rss remove --name unknown`.
    NOT_FOUND = "NotFound", 3;
    /// Input or an answer that is not what its format says: a page of HTML where JSON was asked for.
    PARSE_ERROR = "ParseError", 65;
    /// A state file that is not what the command wrote; it is left as it is.
    STATE_CORRUPT = "StateCorrupt", 65;
    /// A currency that is not in the table: `exchange-rate convert --from CNY --to XXX --amount 1`.
    UNKNOWN_CURRENCY = "UnknownCurrency", 65;
    /// A document that only its password opens: `doc extract --in locked.pdf`.
    ENCRYPTED = "Encrypted", 65;
    /// No answer from the other side, for names, connection, TLS, time or a broken body:
    /// `exchange-rate latest --base CNY` on a machine without network.
    NETWORK_ERROR = "NetworkError", 69;
    /// An HTTP status that is no success; `result.status`.
    HTTP_ERROR = "HttpError", 69;
    /// An HTTP status that is no success, from a service with errors of its own; `result.status`.
    REMOTE_HTTP_ERROR = "RemoteHttpError", 69;
    /// The service answered with its own error; `result.error_type`: `exchange-rate latest --base XXX`.
    REMOTE_ERROR = "RemoteError", 69;
    /// The other side asks for a pause; `result.retry_after_ms`.
    RATE_LIMITED = "RateLimited", 69;
    /// This build or platform lacks it; `result.platform`, `result.format`.
    NOT_SUPPORTED = "NotSupported", 69;
    /// A panic that was caught. The host is unharmed.
    INTERNAL = "Internal", 70;
    /// A command reached for what its spec does not declare: a bug in the command.
    CAPABILITY_NOT_DECLARED = "CapabilityNotDeclared", 70;
    /// Found in records only: the process died during the run.
    INTERRUPTED = "Interrupted", 70;
    /// The audit log cannot be written.
    AUDIT_UNAVAILABLE = "AuditUnavailable", 74;
    /// The workspace cannot be read or written; `result.path`, `result.kind`.
    WORKSPACE_ERROR = "WorkspaceError", 74;
    /// More than is allowed; `result.limit`, `result.max`: a body of 3 MiB.
    LIMIT_EXCEEDED = "LimitExceeded", 75;
    /// The run did not end in its `timeout_ms`, whatever it waited for or computed.
    TIMEOUT = "Timeout", 124;
    /// The host's policy refuses a capability, or a rule of it the line: `exchange-rate latest --base
    /// CNY` under `network = "none"`.
    CAPABILITY_DENIED = "CapabilityDenied", 126;
    /// The gateway refuses a host or an address.
    NETWORK_DENIED = "NetworkDenied", 126;
    /// The action asks for approval and there is nobody to ask: `… --out a.json --overwrite` without
    /// `--yes` and without a terminal.
    APPROVAL_REQUIRED = "ApprovalRequired", 126;
    /// The approver said no, failed, or was late.
    APPROVAL_DENIED = "ApprovalDenied", 126;
    /// Not on the whitelist; `result.suggestions`: `helo`.
    UNKNOWN_COMMAND = "UnknownCommand", 127;
    /// The run was cancelled.
    CANCELLED = "Cancelled", 130;
}

impl ErrorCode {
    /// A command's own code, about data: exit code 65.
    pub const fn own(name: &'static str) -> Self {
        Self { name, exit_code: 65 }
    }

    /// The stable name, as it stands in `error_code`.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The process exit code that goes with it, never 0.
    pub const fn exit_code(self) -> u8 {
        self.exit_code
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// Why a command, or the door on its behalf, gave up.
///
/// The message is for the caller: what was attempted, on which input; a lower-case fragment
/// without a final dot, values in backticks, no host paths. Details become fields of `result`.
///
/// ```
/// use tapeline::{ErrorCode, Failure};
///
/// let failure = Failure::new(ErrorCode::NOT_FOUND, "no subscription is named `daily`")
///     .hint("`rss list` shows the names")
///     .detail("name", "daily");
/// assert_eq!(failure.code(), ErrorCode::NOT_FOUND);
/// ```
#[derive(Clone, Debug)]
pub struct Failure {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    details: Vec<(&'static str, Box<RawValue>)>,
}

impl Failure {
    /// A failure with its code and a message for the caller. It is one line, and what is beyond 4 KiB
    /// of it is left out: it may quote what others wrote.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = short(one_line(message.into()));
        Self { code, message, hint: None, details: Vec::new() }
    }

    /// What the caller can do about it, in up to 4 KiB.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(short(hint.into()));
        self
    }

    /// A field of `result`, in the order given; a later value for a name replaces the earlier.
    /// A value that JSON cannot hold is left out.
    #[must_use]
    pub fn detail(mut self, name: &'static str, value: impl Serialize) -> Self {
        if let Ok(raw) = to_raw_value(&value) {
            self.details.retain(|(known, _)| *known != name);
            self.details.push((name, raw));
        }
        self
    }

    /// The same failure in other words.
    #[must_use]
    pub(crate) fn message_is(mut self, message: String) -> Self {
        self.message = one_line(message);
        self
    }

    /// `LimitExceeded` with `result.limit` and `result.max`.
    pub fn limit_exceeded(limit: &'static str, max: u64, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::LIMIT_EXCEEDED, message).detail("limit", limit).detail("max", max)
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The message for the caller.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the caller can do about it, if that was said.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The fields that `result` gets besides `ok`, `command`, `error_code` and `error_message`.
    pub fn details(&self) -> impl Iterator<Item = (&'static str, &RawValue)> {
        self.details.iter().map(|(name, value)| (*name, &**value))
    }

    /// The text of one detail's JSON, if it was given.
    pub fn detail_json(&self, name: &str) -> Option<&str> {
        self.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.get())
    }
}

/// A message that quotes somebody else may have lines; an envelope's has one.
fn one_line(message: String) -> String {
    match message.contains(['\n', '\r']) {
        true => message.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned(),
        false => message,
    }
}

/// A text that ends in `…` where it was longer.
fn short(mut text: String) -> String {
    const MOST_BYTES: usize = 4096;

    if text.len() > MOST_BYTES {
        let room = MOST_BYTES - '…'.len_utf8();
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= room).last();
        text.truncate(end.unwrap_or_default());
        text.push('…');
    }
    text
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

/// A type of an argument may answer with a `Failure` of its own: code, message and hint are kept.
impl std::error::Error for Failure {}

impl From<PathEscape> for Failure {
    fn from(escape: PathEscape) -> Self {
        Self::new(ErrorCode::PATH_ESCAPES_AGENTS_ROOT, escape.to_string())
            .hint("name a path inside the workspace, such as `artifacts/report.json`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_makes_no_endless_message() {
        let quoted = "é".repeat(10_000);
        let failure = Failure::new(ErrorCode::NOT_FOUND, format!("no `{quoted}`")).hint(&quoted);
        for text in [failure.message(), failure.hint_text().unwrap()] {
            assert!(text.len() <= 4096 && text.len() > 4090 && text.ends_with('…'), "{text}");
        }
        let exact = "x".repeat(4096);
        assert_eq!(Failure::new(ErrorCode::NOT_FOUND, exact.as_str()).message(), exact);
    }
}
