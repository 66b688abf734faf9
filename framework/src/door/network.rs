//! The network through the door: the gateway, with limits and the tape around each hop.

use std::{
    fmt,
    future::{Future as _, poll_fn},
    net::SocketAddr,
    pin::pin,
    sync::atomic::Ordering,
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;

use super::{Context, RunState, denied, lock, not_declared};
use crate::{
    ErrorCode, Failure, NetworkScope,
    audit::{AnswerEvent, Event, FaultEvent, HttpEvent, RequestEvent},
    http::{Gateway, Hops, HttpFault, HttpRequest, HttpResponse, Request, Response},
};

/// HTTP for a command: every hop passes the gateway.
pub struct Network {
    door: Context,
    gateway: Gateway,
}

impl fmt::Debug for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Network").finish_non_exhaustive()
    }
}

impl Network {
    pub(super) fn new(door: Context) -> Result<Self, Failure> {
        let run = &*door.run;
        let declared = run.capabilities.network.clone();
        if declared == NetworkScope::None {
            return Err(not_declared("Network"));
        }
        if !run.seams.policy.allows_network() {
            return Err(denied("Network", &run.seams.network_hint));
        }
        let Some(transport) = run.seams.http.clone() else {
            return Err(Failure::new(ErrorCode::NOT_SUPPORTED, "this build has no HTTP transport")
                .hint("build with the feature `http`, or give the terminal a transport")
                .detail("platform", std::env::consts::OS)
                .detail("format", "http"));
        };
        let gateway = Gateway {
            transport,
            resolver: run.seams.resolver.clone(),
            declared,
            policy: run.seams.policy.clone(),
            options: run.seams.network.clone(),
            max_body_bytes: run.limits.http_body_bytes,
            policy_hint: run.seams.network_hint.clone(),
        };
        Ok(Self { door, gateway })
    }

    /// Sends a request, follows redirects, reads the whole answer. Any HTTP status is an answer.
    ///
    /// # Errors
    /// `NetworkError` (`result.fault`), `NetworkDenied`, `LimitExceeded` (`http_body`,
    /// `http_requests`), and the end of the run.
    pub async fn send(&self, request: Request) -> Result<Response, Failure> {
        let run = &*self.door.run;
        // A command may have handed its door to a task of its own and returned: the exchange under
        // way there ends with the run, and with it the connection.
        let mut ended = pin!(run.ended.notified());
        let mut sending = pin!(self.gateway.send(request, run));
        poll_fn(|context| {
            let over = ended.as_mut().poll(context).is_ready() || run.is_revoked();
            if over {
                return Poll::Ready(Err(run.over()));
            }
            let polled = sending.as_mut().poll(context);
            // Another wait beside this one may have been the last before a replayed run is struck.
            if polled.is_pending() {
                run.strike();
            }
            polled
        })
        .await
    }
}

#[async_trait]
impl Hops for RunState {
    async fn begin(&self) -> Result<(), Failure> {
        self.effect(|| {
            let max = self.limits.http_requests;
            match self.requests.fetch_add(1, Ordering::Relaxed) {
                before if before < max => Ok(()),
                _ => Err(Failure::limit_exceeded(
                    "http_requests",
                    max,
                    format!("the run has made the {max} requests it may make"),
                )),
            }
        })?;
        self.before_wait().await;
        Ok(())
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.remaining()
    }

    fn end(
        &self,
        request: &HttpRequest,
        resolved: &[SocketAddr],
        outcome: &Result<HttpResponse, HttpFault>,
    ) {
        // Nothing is written of an exchange that ends after its run.
        let _ = self.effect(|| {
            let at_ms = self.clock.event_ms();
            if let Err(fault) = outcome {
                tracing::debug!(target: "tapeline::http", %fault);
            }
            // Learned from with or without a tape: the record may hold what stands here.
            let (asked, answered, url) = {
                let mut scrubber = lock(&self.scrubber);
                let mut scrubbed = |headers: &[(String, String)]| {
                    headers
                        .iter()
                        .map(|(name, value)| (name.clone(), scrubber.header(name, value)))
                        .collect::<Vec<_>>()
                };
                let asked = scrubbed(&request.headers);
                let answered = outcome.as_ref().map(|response| scrubbed(&response.headers));
                (asked, answered, scrubber.url(&request.url))
            };
            self.record(|_, recorder| {
                let http = HttpEvent {
                    request: RequestEvent {
                        method: request.method.clone(),
                        url,
                        headers: asked,
                        body: (!request.body.is_empty()).then(|| recorder.content(&request.body)),
                    },
                    resolved: resolved.iter().map(|address| address.ip().to_string()).collect(),
                    response: outcome.as_ref().ok().map(|response| AnswerEvent {
                        status: response.status,
                        headers: answered.unwrap_or_default(),
                        body: recorder.content(&response.body),
                    }),
                    fault: outcome.as_ref().err().map(|fault| FaultEvent {
                        kind: fault.kind.name().to_owned(),
                        status: fault.status,
                        after_bytes: fault.after_bytes,
                    }),
                };
                recorder.event(Event { at_ms, http: Some(http), ..Event::default() });
            });
            self.after_wait(at_ms);
            Ok(())
        });
    }
}
