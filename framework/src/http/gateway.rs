//! [`Gateway`]: the checks between a command's request and the network.
//!
//! For the first request and every redirect, in this order: URL, the command's declared hosts, the
//! policy's hosts, one resolution, every address, the exchange, the body's length. What is unknown
//! is refused.
//!
//! A run is replayed through this same code, with a resolver and a transport that read the tape.
//! So nothing here may depend on anything but the request, the policy, the options and what those
//! two answer; time used up is therefore an answer of theirs, a fault on the tape, and no timer
//! runs where there is no deadline.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use url::Host;

use super::{
    Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, NetworkOptions, Request, Resolver,
    Response,
    address::{is_global, is_private},
    fault,
    hop::Hop,
    resolver::distinct,
};
use crate::{ErrorCode, Failure, NetworkPolicy, NetworkScope, Policy};

/// What one run may ask of the network, and whom it asks.
pub(crate) struct Gateway {
    pub(crate) transport: Arc<dyn Http>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) declared: NetworkScope,
    pub(crate) policy: Arc<Policy>,
    pub(crate) options: Arc<NetworkOptions>,
    pub(crate) max_body_bytes: u64,
    /// What a caller is told to do about a host the policy does not allow.
    pub(crate) policy_hint: String,
}

impl Gateway {
    /// The answer to `request`, after at most five redirects.
    ///
    /// # Errors
    /// `NetworkDenied` for a URL, host or address that is not allowed, at first or by a redirect;
    /// `NetworkError` for a fault on the way or a sixth redirect; `LimitExceeded` for a body over
    /// the cap; `Internal` for a request no command may make; whatever [`Hops::begin`] answers.
    /// Where there was an answer before it, `result.status` is that of the last one.
    pub(crate) async fn send(
        &self,
        request: Request,
        hops: &dyn Hops,
    ) -> Result<Response, Failure> {
        let mut answered = None;
        let outcome = self.follow(request, hops, &mut answered).await;
        outcome.map_err(|failure| match answered {
            Some(status) => failure.detail("status", status),
            None => failure,
        })
    }

    /// Sends, as often as redirects ask for it; `answered` is the last answer's status, however it
    /// ends.
    async fn follow(
        &self,
        request: Request,
        hops: &dyn Hops,
        answered: &mut Option<u16>,
    ) -> Result<Response, Failure> {
        const MOST_REDIRECTS: usize = 5;

        let mut hop = Hop::first(request)?;
        let mut redirects = Vec::new();
        loop {
            self.check_host(&hop)?;
            self.check_literal(&hop)?;
            let outcome = self.exchange(&hop, hops).await?;
            *answered = match &outcome {
                Ok(response) => Some(response.status),
                Err(fault) => fault.status.or(*answered),
            };
            let response =
                outcome.map_err(|fault| fault::failure(&fault, &hop, self.max_body_bytes))?;
            let Some(target) = hop.redirect_target(&response) else {
                let HttpResponse { status, headers, body } = response;
                return Ok(Response { url: hop.url.into(), redirects, status, headers, body });
            };
            if redirects.len() == MOST_REDIRECTS {
                let message = format!(
                    "{} `{}`: more than {MOST_REDIRECTS} redirects",
                    hop.method,
                    hop.host()
                );
                return Err(Failure::new(ErrorCode::NETWORK_ERROR, message)
                    .hint("the service may send its callers in a circle: try the URL where it should lead"));
            }
            hop = hop.redirected(response.status, target)?;
            redirects.push((response.status, hop.url.to_string()));
        }
    }

    /// The host rules: what the command declares, then what the policy allows of it.
    fn check_host(&self, hop: &Hop) -> Result<(), Failure> {
        let host = hop.host();
        if !self.declared.covers(host) {
            return Err(Failure::new(
                ErrorCode::NETWORK_DENIED,
                format!("`{host}` is not among the hosts this command declares"),
            )
            .hint("use another command, or a URL that stays on the declared hosts"));
        }
        let allowed = match self.policy.network {
            NetworkPolicy::None => {
                self.policy.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
            }
            NetworkPolicy::Declared | NetworkPolicy::Public => true,
        };
        if !allowed {
            return Err(Failure::new(
                ErrorCode::NETWORK_DENIED,
                format!("the policy does not allow requests to `{host}`"),
            )
            .hint(self.policy_hint.clone()));
        }
        Ok(())
    }

    /// An address written out is refused like a host, before anything is asked of the outside: a
    /// replay has no resolver to ask for it either. It needs no resolution, so it is refused where
    /// a proxy or the transport resolves, too.
    fn check_literal(&self, hop: &Hop) -> Result<(), Failure> {
        let destination = match self.resolved_elsewhere() {
            // Whoever resolves there is told the URL's own host, and knows no detour.
            true => Destination::of(hop),
            false => self.destination(hop),
        };
        match destination.host.parse::<IpAddr>() {
            Ok(ip) if !destination.exempt && !self.allows(ip) => {
                let fault = HttpFault::new(HttpFaultKind::AddressDenied, "an address written out");
                Err(fault::failure(&fault, hop, self.max_body_bytes))
            }
            _ => Ok(()),
        }
    }

    fn resolved_elsewhere(&self) -> bool {
        self.options.proxy.is_some() || self.transport.resolves_itself()
    }

    /// One hop, between its `begin` and its `end`.
    ///
    /// # Errors
    /// It may not begin.
    async fn exchange(
        &self,
        hop: &Hop,
        hops: &dyn Hops,
    ) -> Result<Result<HttpResponse, HttpFault>, Failure> {
        hops.begin().await?;
        let mut request = HttpRequest {
            method: hop.method.clone(),
            url: hop.url.to_string(),
            headers: hop.headers.clone(),
            body: hop.body.clone(),
            connect_to: Vec::new(),
            max_body_bytes: self.max_body_bytes,
            connect_timeout_ms: milliseconds(CONNECT),
            timeout_ms: milliseconds(EXCHANGE),
        };
        let outcome = self.reach(&mut request, hop, hops).await;
        hops.end(&request, &request.connect_to, &outcome);
        Ok(outcome)
    }

    /// Resolves, checks the addresses and sends, all within the time there is.
    async fn reach(
        &self,
        request: &mut HttpRequest,
        hop: &Hop,
        hops: &dyn Hops,
    ) -> Result<HttpResponse, HttpFault> {
        let at_first = hops.remaining();
        if !self.resolved_elsewhere() {
            let destination = self.destination(hop);
            request.connect_to = self.addresses(&destination, request, at_first).await?;
            let allowed = |address: &SocketAddr| destination.exempt || self.allows(address.ip());
            if !request.connect_to.iter().all(allowed) {
                return Err(HttpFault::new(
                    HttpFaultKind::AddressDenied,
                    format!("`{}` resolves to {:?}", destination.host, request.connect_to),
                ));
            }
        }

        let response = match hops.remaining() {
            None => self.transport.send(request.clone()).await?,
            Some(remaining) => {
                let resolving = at_first.unwrap_or(remaining).saturating_sub(remaining);
                let exchange = usable(remaining)?.min(EXCHANGE.saturating_sub(resolving));
                request.timeout_ms = milliseconds(exchange);
                request.connect_timeout_ms = milliseconds(exchange.min(CONNECT));
                // A transport that keeps no time is stopped by us; one that does tells more.
                tokio::time::timeout(exchange + GRACE, self.transport.send(request.clone()))
                    .await
                    .unwrap_or_else(|_| {
                    Err(HttpFault::new(
                        HttpFaultKind::ReadTimeout,
                        "the transport did not keep to its time",
                    ))
                })?
            }
        };
        let seen = u64::try_from(response.body.len()).unwrap_or(u64::MAX);
        if seen > self.max_body_bytes {
            return Err(HttpFault {
                status: Some(response.status),
                after_bytes: Some(seen),
                ..HttpFault::new(HttpFaultKind::TooLarge, "the transport did not stop at the cap")
            });
        }
        Ok(response)
    }

    /// Whom to connect to: the URL's host and port, or the operator's detour for them.
    fn destination(&self, hop: &Hop) -> Destination {
        let asked = Destination::of(hop);
        self.options
            .connect_to
            .iter()
            .find_map(|detour| {
                let (host, port) = detour.applies(&asked.host, asked.port)?;
                // Without a host of its own the detour says nothing about where that host lies.
                Some(Destination { host, port, exempt: detour.to_host.is_some() })
            })
            .unwrap_or(asked)
    }

    async fn addresses(
        &self,
        destination: &Destination,
        request: &HttpRequest,
        remaining: Option<Duration>,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        let Destination { host, port, exempt: _ } = destination;
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(distinct(vec![SocketAddr::new(ip, *port)]));
        }
        let resolving = self.resolver.resolve(host, *port, request);
        let addresses = match remaining {
            None => resolving.await?,
            Some(remaining) => tokio::time::timeout(usable(remaining)?.min(CONNECT), resolving)
                .await
                .unwrap_or_else(|_| {
                    Err(HttpFault::new(HttpFaultKind::Dns, "the resolver did not answer in time"))
                })?,
        };
        if addresses.is_empty() {
            return Err(HttpFault::new(HttpFaultKind::Dns, "the name has no address"));
        }
        Ok(distinct(addresses))
    }

    fn allows(&self, ip: IpAddr) -> bool {
        is_global(ip) || (self.options.allow_private && is_private(ip))
    }
}

/// What the run is told of each hop: it counts, gives the time that is left, and writes the tape.
#[async_trait]
pub(crate) trait Hops: Send + Sync {
    /// Before a hop.
    ///
    /// # Errors
    /// Past the limit of requests or after the run's end.
    async fn begin(&self) -> Result<(), Failure>;

    /// What is left of the run; `None` where there is no bound (a replay).
    fn remaining(&self) -> Option<Duration>;

    /// After a hop that began: what was asked, where its host led (nowhere when that is not ours to
    /// know or was not found out), and what came of it.
    fn end(
        &self,
        request: &HttpRequest,
        resolved: &[SocketAddr],
        outcome: &Result<HttpResponse, HttpFault>,
    );
}

const CONNECT: Duration = Duration::from_secs(5);
const EXCHANGE: Duration = Duration::from_secs(15);
/// Of the run's time, so that a command can still fall back.
const RESERVE: Duration = Duration::from_millis(250);
const GRACE: Duration = Duration::from_millis(50);

struct Destination {
    host: String,
    port: u16,
    /// Named by the operator: no address check.
    exempt: bool,
}

impl Destination {
    /// The URL's own host and port.
    fn of(hop: &Hop) -> Self {
        let host = match hop.url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            None => String::new(),
        };
        let port = hop.url.port_or_known_default().unwrap_or_default();
        Self { host, port, exempt: false }
    }
}

fn usable(remaining: Duration) -> Result<Duration, HttpFault> {
    let usable = remaining.saturating_sub(RESERVE);
    if milliseconds(usable) == 0 {
        return Err(HttpFault::new(HttpFaultKind::ConnectTimeout, "the run's time is used up"));
    }
    Ok(usable)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
