//! [`Spec`]: what a command says of itself, as data.
//!
//! Help, tool schemas, reference pages and the contract tests all come from here.

use serde::Serialize;

use crate::{Capabilities, ErrorCode, Limits, line};

/// A command's description. Built once, when the registry is.
///
/// ```
/// use tapeline::{Capabilities, ErrorCode, Spec};
///
/// let spec = Spec::new("hello", "draw a word as ASCII art")
///     .example("hello --name world", "draw another word")
///     .capabilities(Capabilities::none());
/// assert_eq!(spec.path, "hello");
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Spec {
    /// Words that route to it: `rss fetch`. Lower-case letters, digits, hyphens.
    pub path: &'static str,
    /// One line, lower-case, without a final dot.
    pub summary: &'static str,
    /// What `--help` shows below the summary; may be empty.
    pub long_help: &'static str,
    /// Lines that parse, route and pass the default policy, each with what it shows.
    pub examples: Vec<Example>,
    /// All it may touch.
    pub capabilities: Capabilities,
    /// Its own bounds; [`Limits::UNBOUNDED`] where it has none.
    pub limits: Limits,
    /// The codes of its own domain that it can answer, beyond those any run can
    /// ([`Spec::COMMON_CODES`]).
    pub error_codes: Vec<ErrorCode>,
    /// Whether it takes stdin.
    pub stdin: bool,
    /// Whether it takes stdin only where a word of the line is `-`, or a flag's value is.
    pub stdin_by_dash: bool,
    /// What the audit log does with its fields.
    pub audit: AuditRules,
}

/// A command line and what it shows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Example {
    /// The whole line.
    pub command: &'static str,
    /// One phrase.
    pub shows: &'static str,
}

/// A command's wishes to the audit log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AuditRules {
    /// Fields of `result` that stay inline whatever their size (64 KiB together).
    pub always: Vec<&'static str>,
    /// Arguments (names as in `parsed_command`) whose values are secrets.
    pub secret: Vec<&'static str>,
}

impl Spec {
    /// The codes any run can end with, whatever the command.
    pub const COMMON_CODES: &'static [ErrorCode] = &[
        ErrorCode::INVALID_COMMAND_LINE,
        ErrorCode::INVALID_ARGS,
        ErrorCode::PATH_ESCAPES_AGENTS_ROOT,
        ErrorCode::OUT_EXISTS,
        ErrorCode::NOT_SUPPORTED,
        ErrorCode::INTERNAL,
        ErrorCode::CAPABILITY_NOT_DECLARED,
        ErrorCode::AUDIT_UNAVAILABLE,
        ErrorCode::WORKSPACE_ERROR,
        ErrorCode::LIMIT_EXCEEDED,
        ErrorCode::TIMEOUT,
        ErrorCode::CAPABILITY_DENIED,
        ErrorCode::NETWORK_DENIED,
        ErrorCode::APPROVAL_REQUIRED,
        ErrorCode::APPROVAL_DENIED,
        ErrorCode::UNKNOWN_COMMAND,
        ErrorCode::CANCELLED,
    ];

    /// A command that declares nothing yet.
    pub fn new(path: &'static str, summary: &'static str) -> Self {
        Self {
            path,
            summary,
            long_help: "",
            examples: Vec::new(),
            capabilities: Capabilities::none(),
            limits: Limits::UNBOUNDED,
            error_codes: Vec::new(),
            stdin: false,
            stdin_by_dash: false,
            audit: AuditRules::default(),
        }
    }

    /// Sets [`Spec::long_help`].
    #[must_use]
    pub fn long_help(mut self, text: &'static str) -> Self {
        self.long_help = text;
        self
    }

    /// Adds an example.
    #[must_use]
    pub fn example(mut self, command: &'static str, shows: &'static str) -> Self {
        self.examples.push(Example { command, shows });
        self
    }

    /// Sets [`Spec::capabilities`].
    #[must_use]
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets [`Spec::limits`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds codes to [`Spec::error_codes`].
    #[must_use]
    pub fn error_codes(mut self, codes: &[ErrorCode]) -> Self {
        self.error_codes.extend_from_slice(codes);
        self
    }

    /// Takes stdin.
    #[must_use]
    pub fn takes_stdin(mut self) -> Self {
        self.stdin = true;
        self
    }

    /// Takes stdin where the line has `-` in place of a file, as in `--in -`. A host does not wait
    /// for stdin otherwise.
    #[must_use]
    pub fn takes_stdin_by_dash(mut self) -> Self {
        self.stdin_by_dash = true;
        self.takes_stdin()
    }

    /// Whether stdin is for this line, which led to this command.
    pub(crate) fn wants_stdin(&self, line: &str) -> bool {
        let has_dash = || {
            let words = line::parse(line).unwrap_or_default();
            words.iter().any(|word| word == "-" || (word.starts_with("--") && word.ends_with("=-")))
        };
        self.stdin && (!self.stdin_by_dash || has_dash())
    }

    /// Keeps these fields of `result` inline in the record.
    #[must_use]
    pub fn audit_always(mut self, fields: &[&'static str]) -> Self {
        self.audit.always.extend_from_slice(fields);
        self
    }

    /// Treats the values of these arguments as secrets.
    #[must_use]
    pub fn audit_secret(mut self, arguments: &[&'static str]) -> Self {
        self.audit.secret.extend_from_slice(arguments);
        self
    }
}

/// A group of commands: the folder `rss` of `rss fetch` and others.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Group {
    /// Words that route to its help.
    pub path: &'static str,
    /// One line, lower-case, without a final dot.
    pub summary: &'static str,
    /// What its help shows below the summary; may be empty.
    pub long_help: &'static str,
}
