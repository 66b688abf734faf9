//! HTTP: what commands ask for, what a transport does, and the gateway between them.
//!
//! Commands hand a [`Request`] to the door and never see a client. The gateway checks each hop
//! against the command's declaration and the host's policy, resolves the name once, refuses every
//! address that is not globally routable, and gives the transport the addresses to connect to.

mod address;
mod connect_to;
#[cfg(feature = "http")]
mod encoding;
mod fault;
mod gateway;
mod hop;
#[cfg(feature = "http")]
mod reqwest;
mod resolver;
#[cfg(test)]
mod tests;
#[cfg(feature = "http")]
mod tls;

use std::{fmt, net::SocketAddr};

use async_trait::async_trait;

pub(crate) use self::gateway::{Gateway, Hops};
pub use self::{
    connect_to::{ConnectTo, InvalidConnectTo},
    resolver::SystemResolver,
};
#[cfg(feature = "http")]
pub use self::{reqwest::ReqwestHttp, tls::HttpSetupError};

/// A request a command makes. Redirects are followed by the gateway, at most five.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, … upper-case.
    pub method: String,
    /// Absolute, `http` or `https`, without credentials.
    pub url: String,
    /// In the order set; names in any case. `Host`, `Content-Length`, `Connection` and
    /// `Accept-Encoding` are the client's.
    pub headers: Vec<(String, String)>,
    /// Empty for none.
    pub body: Vec<u8>,
}

impl Request {
    /// A `GET` without headers.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: "GET".to_owned(), url: url.into(), headers: Vec::new(), body: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// The answer to a [`Request`], after redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The URL that answered.
    pub url: String,
    /// Every redirect that was followed: status and the URL it led to.
    pub redirects: Vec<(u16, String)>,
    /// HTTP status.
    pub status: u16,
    /// In the order received, names lower-case, repeated headers kept; without
    /// `content-encoding` and `transfer-encoding`, which no longer apply.
    pub headers: Vec<(String, String)>,
    /// Decoded bytes.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name (lower-case).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
}

/// One exchange with one host: the seam a host's own transport implements.
#[async_trait]
pub trait Http: Send + Sync {
    /// Sends the request to one of `connect_to` and reads the whole answer, decoded.
    ///
    /// Follows no redirect, uses no proxy but the operator's, retries nothing, keeps no cookie and
    /// stops reading at `max_body_bytes` of decoded body.
    ///
    /// # Errors
    /// What went wrong on the way; an HTTP status is not an error.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault>;

    /// `true` for a transport that cannot connect to given addresses: only host rules and addresses
    /// written out in a URL are then enforced, and the record says so.
    fn resolves_itself(&self) -> bool {
        false
    }
}

/// What a transport is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// Upper-case.
    pub method: String,
    /// Absolute and normalised.
    pub url: String,
    /// What the command set.
    pub headers: Vec<(String, String)>,
    /// Empty for none.
    pub body: Vec<u8>,
    /// Where to connect, whatever the URL's host and port say; TLS and `Host` follow the URL.
    /// Empty when the transport (or the operator's proxy) resolves.
    pub connect_to: Vec<SocketAddr>,
    /// Decoded bytes of body at most.
    pub max_body_bytes: u64,
    /// For the connection.
    pub connect_timeout_ms: u64,
    /// For the whole exchange.
    pub timeout_ms: u64,
}

/// What a transport gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// As [`Response::headers`].
    pub headers: Vec<(String, String)>,
    /// Decoded bytes.
    pub body: Vec<u8>,
}

/// Why an exchange gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpFault {
    /// What a caller can tell apart.
    pub kind: HttpFaultKind,
    /// HTTP status, where the head of an answer had come.
    pub status: Option<u16>,
    /// Bytes of body received before it, where there were any.
    pub after_bytes: Option<u64>,
    /// For the host's log: addresses and causes may stand here.
    pub cause: String,
}

impl HttpFault {
    /// A fault before any byte of an answer.
    pub fn new(kind: HttpFaultKind, cause: impl Into<String>) -> Self {
        Self { kind, status: None, after_bytes: None, cause: cause.into() }
    }
}

impl fmt::Display for HttpFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.name(), self.cause)
    }
}

impl std::error::Error for HttpFault {}

/// The kinds of [`HttpFault`], with the names they have on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpFaultKind {
    /// The name does not resolve.
    Dns,
    /// It resolves to an address that is not allowed.
    AddressDenied,
    /// Nobody listens, or no route.
    ConnectRefused,
    /// No connection in time.
    ConnectTimeout,
    /// The handshake or the certificate.
    Tls,
    /// The connection was closed or reset before the head of the answer was whole.
    Reset,
    /// No head of an answer in time.
    ReadTimeout,
    /// The body ended early.
    Truncated,
    /// The body stopped coming.
    Stall,
    /// The body's encoding, or the answer's HTTP, is broken.
    Decode,
    /// More decoded bytes than allowed.
    TooLarge,
}

impl HttpFaultKind {
    const ALL: [Self; 11] = [
        Self::Dns,
        Self::AddressDenied,
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::Tls,
        Self::Reset,
        Self::ReadTimeout,
        Self::Truncated,
        Self::Stall,
        Self::Decode,
        Self::TooLarge,
    ];

    /// Its name on the tape and in `result.fault`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::AddressDenied => "address_denied",
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::Reset => "reset",
            Self::ReadTimeout => "read_timeout",
            Self::Truncated => "truncated",
            Self::Stall => "stall",
            Self::Decode => "decode",
            Self::TooLarge => "too_large",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Names to addresses: the seam for tests and replay.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Every address of `host` (a registered name, no literal), each with `port`. The request is
    /// the one the answer is for: a replay looks there which answer comes next.
    ///
    /// # Errors
    /// `Dns`; in a replay, whatever fault ended the recorded exchange before an address was known.
    async fn resolve(
        &self,
        host: &str,
        port: u16,
        request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault>;
}

/// What the operator allows beyond the policy. Recorded with each run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkOptions {
    /// curl's `--connect-to`: exempt from the address check for that pair alone.
    pub connect_to: Vec<ConnectTo>,
    /// curl's `--cacert`: PEM certificates that replace the platform's roots.
    pub ca_pem: Option<Vec<u8>>,
    /// Private addresses count as public.
    pub allow_private: bool,
    /// A proxy URL: names are then resolved by the proxy, so only host rules apply, and addresses
    /// written out in a URL are refused as ever. Not together with `connect_to`, which would lead
    /// past it.
    pub proxy: Option<String>,
}
