//! [`ReqwestHttp`]: the default transport, reqwest over rustls.
//!
//! Each exchange has a client of its own, which costs microseconds: the addresses to connect to,
//! the time to do it in and the name a certificate must be for are settings of a client in reqwest,
//! and no connection is to be shared between runs anyway.
//!
//! reqwest takes an address only from its resolver hook, whose port it overrides with an explicit
//! one of the URL, and it calls no hook for an IP address. So it is handed the URL without its
//! port, with a stand-in for an IP address; `Host` and the certificate's name stay the URL's.

use std::{
    error::Error,
    fmt, io, iter,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::stream;
use reqwest::{
    Client, Method, Proxy,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{
        ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap, HeaderName,
        HeaderValue, TRANSFER_ENCODING,
    },
    redirect, retry,
};
use rustls::pki_types::ServerName;
use tokio::{
    io::AsyncReadExt,
    time::{Instant, timeout_at},
};
use tokio_util::io::StreamReader;
use url::{Host, Url};

use super::{
    Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, HttpSetupError, NetworkOptions,
    encoding::{ACCEPTED, Encoding},
    tls::Trust,
};

/// HTTP/1.1 with the platform's certificate authorities; decodes gzip, brotli, zstd and deflate.
///
/// A body in another encoding is a `decode` fault. No process-wide TLS provider is used or
/// installed, no proxy of the environment, no cookie; nothing is followed or retried.
pub struct ReqwestHttp {
    trust: Trust,
    proxy: Option<Url>,
}

impl ReqwestHttp {
    /// A transport with these options. The platform's roots are read at the first exchange that
    /// needs them; where there are none, that exchange is a `tls` fault.
    ///
    /// # Errors
    /// Certificates or a proxy that cannot be used.
    pub fn new(options: &NetworkOptions) -> Result<Self, HttpSetupError> {
        if options.proxy.is_some() && !options.connect_to.is_empty() {
            return Err(HttpSetupError::DetourByProxy);
        }
        let proxy = match &options.proxy {
            None => None,
            Some(proxy) => Some(
                Url::parse(proxy)
                    .ok()
                    .filter(|url| matches!(url.scheme(), "http" | "https"))
                    .ok_or(HttpSetupError::Proxy)?,
            ),
        };
        Ok(Self { trust: Trust::new(options.ca_pem.as_deref())?, proxy })
    }

    async fn client(&self, request: &HttpRequest, asked: &Asked) -> Result<Client, HttpFault> {
        let tls =
            |error: Box<dyn Error + Send + Sync>| HttpFault::new(HttpFaultKind::Tls, told(&*error));
        let secret = |url: &Url| url.scheme() == "https";
        let config = if secret(&asked.url) || self.proxy.as_ref().is_some_and(secret) {
            let literal = asked.literal.map(ServerName::from);
            self.trust.everyone_known(literal).await.map_err(tls)?
        } else {
            self.trust.nobody().map_err(|error| tls(error.into()))?
        };
        let timeout = Duration::from_millis(request.connect_timeout_ms.min(LONGEST_MS))
            // When both times end together it is the connection that was not had.
            .min(Duration::from_millis(request.timeout_ms.min(LONGEST_MS).saturating_sub(10)));
        let builder = Client::builder()
            .tls_backend_preconfigured(config)
            .connect_timeout(timeout)
            .user_agent(concat!("tapeline/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0);
        let builder = match &self.proxy {
            Some(proxy) => {
                let proxy = Proxy::all(proxy.clone()).map_err(|error| tls(error.into()))?;
                builder.proxy(proxy)
            }
            None => builder.no_proxy().dns_resolver(Given(request.connect_to.clone())),
        };
        builder.build().map_err(|error| tls(error.into()))
    }
}

#[async_trait]
impl Http for ReqwestHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let deadline = Instant::now() + Duration::from_millis(request.timeout_ms.min(LONGEST_MS));
        let head = async {
            let asked = Asked::new(&request, self.proxy.is_some())?;
            let client = self.client(&request, &asked).await?;
            let secret = asked.url.scheme() == "https";
            client
                .execute(asked.into_request(&request)?)
                .await
                .map_err(|error| before_head(&error.without_url(), secret))
        };
        let response = timeout_at(deadline, head).await.unwrap_or_else(|_| {
            Err(HttpFault::new(HttpFaultKind::ReadTimeout, "no head of an answer in time"))
        })?;

        let status = response.status().as_u16();
        let headers = kept(response.headers());
        // They have no body, whatever their headers say of one, and no decoder should look for it.
        if request.method == "HEAD" || matches!(status, 204 | 304) {
            return Ok(HttpResponse { status, headers, body: Vec::new() });
        }
        let body = body(response, request.max_body_bytes, deadline).await;
        match body {
            Ok(body) => Ok(HttpResponse { status, headers, body }),
            Err(fault) => Err(HttpFault { status: Some(status), ..fault }),
        }
    }

    /// Where there is a proxy it is the proxy that resolves.
    fn resolves_itself(&self) -> bool {
        self.proxy.is_some()
    }
}

impl fmt::Debug for ReqwestHttp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The proxy's URL may hold credentials.
        formatter.debug_struct("ReqwestHttp").field("trust", &self.trust).finish_non_exhaustive()
    }
}

/// How much of a body is decoded before it is counted against the cap.
const PIECE: usize = 16 * 1024;
/// A bound on times that a caller gives, which the clock must be able to add.
const LONGEST_MS: u64 = 600_000;

/// What reqwest is asked in place of the request's URL.
struct Asked {
    url: Url,
    /// The `Host` that reqwest would not write itself.
    host: Option<String>,
    /// The address the URL stands in for.
    literal: Option<IpAddr>,
}

impl Asked {
    fn new(request: &HttpRequest, by_proxy: bool) -> Result<Self, HttpFault> {
        let mut url = Url::parse(&request.url).map_err(|error| inexpressible(&error))?;
        if by_proxy {
            return Ok(Self { url, host: None, literal: None });
        }
        let name = url.host_str().unwrap_or_default();
        let host = match url.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let literal = match url.host() {
            Some(Host::Ipv4(ip)) => Some(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => Some(IpAddr::V6(ip)),
            Some(Host::Domain(_)) | None => None,
        };
        // Neither fails for http and https.
        let _ = url.set_port(None);
        if literal.is_some() {
            url.set_host(Some("address.invalid")).map_err(|error| inexpressible(&error))?;
        }
        Ok(Self { url, host: Some(host), literal })
    }

    fn into_request(self, request: &HttpRequest) -> Result<reqwest::Request, HttpFault> {
        let method =
            Method::from_bytes(request.method.as_bytes()).map_err(|error| inexpressible(&error))?;
        let mut asked = reqwest::Request::new(method, self.url);
        let headers = asked.headers_mut();
        for (name, value) in &request.headers {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).map_err(|error| inexpressible(&error))?,
                HeaderValue::from_bytes(value.as_bytes()).map_err(|error| inexpressible(&error))?,
            );
        }
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
        if let Some(host) = self.host {
            let host = HeaderValue::from_str(&host).map_err(|error| inexpressible(&error))?;
            headers.insert(HOST, host);
        }
        if !request.body.is_empty() {
            *asked.body_mut() = Some(request.body.clone().into());
        }
        Ok(asked)
    }
}

/// The gateway lets no such request through; a host that calls the transport itself may.
fn inexpressible(error: &(dyn Error + 'static)) -> HttpFault {
    HttpFault::new(HttpFaultKind::Decode, format!("the request is not HTTP: {}", told(error)))
}

/// Answers with the addresses of this exchange, whatever the name.
struct Given(Vec<SocketAddr>);

impl Resolve for Given {
    fn resolve(&self, _name: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Without those that tell of the way and not of what was sent: a length, where it is that of an
/// encoded body.
fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    let encoded = Encoding::of(headers) != Some(Encoding::Identity);
    headers
        .iter()
        .filter(|(name, _)| **name != CONTENT_ENCODING && **name != TRANSFER_ENCODING)
        .filter(|(name, _)| !encoded || **name != CONTENT_LENGTH)
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

fn before_head(error: &reqwest::Error, secret: bool) -> HttpFault {
    let kind = if error.is_connect() {
        if is_tls(error) {
            HttpFaultKind::Tls
        } else if error.is_timeout() || has_io(error, |kind| kind == io::ErrorKind::TimedOut) {
            HttpFaultKind::ConnectTimeout
        } else if error.is_dns() {
            HttpFaultKind::Dns
        } else if has_io(error, is_cut) {
            // The connection was there, so what was cut is the handshake, or a proxy's word.
            if secret { HttpFaultKind::Tls } else { HttpFaultKind::Reset }
        } else {
            HttpFaultKind::ConnectRefused
        }
    } else if is_tls(error) {
        HttpFaultKind::Tls
    } else if hyper_cause(error).is_some_and(hyper::Error::is_parse) {
        HttpFaultKind::Decode
    } else {
        HttpFaultKind::Reset
    };
    HttpFault::new(kind, told(error))
}

/// The decoded body of an answer whose head has come.
async fn body(
    response: reqwest::Response,
    max_bytes: u64,
    deadline: Instant,
) -> Result<Vec<u8>, HttpFault> {
    // Chunks are undone by the client, and nothing else is.
    let coded = response
        .headers()
        .get_all(TRANSFER_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    let encoding = Encoding::of(response.headers()).filter(|_| !coded).ok_or_else(|| {
        HttpFault::new(HttpFaultKind::Decode, "a content encoding nobody asked for")
    })?;
    let pieces = stream::try_unfold(response, async |mut response| {
        let piece = response.chunk().await.map_err(io::Error::other)?;
        Ok::<_, io::Error>(piece.map(|piece| (piece, response)))
    });
    let pieces = StreamReader::new(Box::pin(pieces));
    let mut decoded = in_time(deadline, 0, encoding.decoded(pieces)).await?;

    let mut body = Vec::new();
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        if in_time(deadline, length(&body), decoded.read_buf(&mut piece)).await? == 0 {
            break;
        }
        body.append(&mut piece);
        if length(&body) > max_bytes {
            return Err(HttpFault {
                after_bytes: Some(length(&body)),
                ..HttpFault::new(HttpFaultKind::TooLarge, "stopped reading at the cap")
            });
        }
    }
    Ok(body)
}

/// What was read of a body of which so much was seen before.
async fn in_time<T>(
    deadline: Instant,
    seen: u64,
    reading: impl Future<Output = io::Result<T>>,
) -> Result<T, HttpFault> {
    let fault = |kind, cause| HttpFault { kind, status: None, after_bytes: Some(seen), cause };
    timeout_at(deadline, reading)
        .await
        .map_err(|_| fault(HttpFaultKind::Stall, "no end in time".to_owned()))?
        .map_err(|error| fault(in_body(&error), told(&error)))
}

fn in_body(error: &io::Error) -> HttpFaultKind {
    let malformed = |kind| matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput);
    if is_tls(error) {
        HttpFaultKind::Tls
    } else if hyper_cause(error).is_some() && !has_io(error, malformed) {
        HttpFaultKind::Truncated
    } else {
        // Not from the connection, so from a decoder; or chunks that are none.
        HttpFaultKind::Decode
    }
}

fn is_cut(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
    )
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}

fn hyper_cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a hyper::Error> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

fn has_io(error: &(dyn Error + 'static), is: impl Fn(io::ErrorKind) -> bool) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| is(error.kind()))
}

/// The error and all below it. An `io::Error` names as its source the one below what it wraps.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| {
        let error = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

fn told(error: &(dyn Error + 'static)) -> String {
    let mut texts: Vec<_> = causes(error).map(ToString::to_string).collect();
    // A wrapper often says what it wraps and nothing else.
    texts.dedup();
    texts.join(": ")
}

fn length(body: &[u8]) -> u64 {
    u64::try_from(body.len()).unwrap_or(u64::MAX)
}
