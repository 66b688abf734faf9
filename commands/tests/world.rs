//! A world for one test: a workspace in memory, a clock that stands still, a scripted service.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, value::RawValue};
use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, Clock, Envelope, Policy, Request, RunClock, Script,
    Spec, Terminal, TerminalBuilder, async_trait,
    http::{Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, Resolver},
    workspace::MemoryWorkspace,
};

/// Tue, 14 Nov 2023 22:13:20 +0000.
pub(crate) const START_MS: i64 = 1_700_000_000_000;

pub(crate) struct World {
    pub(crate) terminal: Terminal,
    pub(crate) service: Arc<Service>,
    pub(crate) approver: Arc<Approvals>,
    pub(crate) workspace: Arc<MemoryWorkspace>,
    now_ms: Arc<AtomicI64>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_policy(Policy::default().allow_declared_network())
    }

    pub(crate) fn with_policy(policy: Policy) -> Self {
        Self::built(|builder| builder.policy(policy))
    }

    /// As a host sets it up beyond what every test needs.
    pub(crate) fn built(set_up: impl FnOnce(TerminalBuilder) -> TerminalBuilder) -> Self {
        let service = Arc::new(Service::default());
        let approver = Arc::new(Approvals::default());
        let workspace = Arc::new(MemoryWorkspace::default());
        let now_ms = Arc::new(AtomicI64::new(START_MS));
        let builder = Terminal::builder()
            .in_memory()
            .workspace(workspace.clone())
            .http(service.clone())
            .resolver(Arc::new(Public))
            .approver(approver.clone())
            .clock(Arc::new(Still(now_ms.clone())));
        let terminal = set_up(builder).build().unwrap();
        Self { terminal, service, approver, workspace, now_ms }
    }

    pub(crate) fn set_now_ms(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }

    /// Runs a line and holds its envelope to what every envelope promises.
    #[track_caller]
    pub(crate) fn exec(&self, line: &str) -> Run {
        self.run(Request::new(line))
    }

    /// As [`exec`](Self::exec), with stdin and all else of a request.
    #[track_caller]
    pub(crate) fn run(&self, request: Request) -> Run {
        let line = &request.command.clone();
        let envelope = self.terminal.start(request).wait();
        let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
        assert_eq!(envelope.exit_code == 0, envelope.error_code.is_none(), "{envelope:?}");
        assert_eq!(result["ok"], envelope.error_code.is_none(), "{envelope:?}");
        assert!(envelope.result.get().starts_with(r#"{"ok":"#), "{envelope:?}");
        if let (Some(code), Some(spec)) = (&envelope.error_code, self.spec_of(line)) {
            let declared = spec.error_codes.iter().chain(Spec::COMMON_CODES);
            let names: Vec<_> = declared.map(|code| code.name()).collect();
            assert!(names.contains(&code.as_str()), "`{}` does not declare {code}", spec.path);
        }
        Run { envelope, result }
    }

    fn spec_of(&self, line: &str) -> Option<&Spec> {
        let is_named = |spec: &&Spec| {
            line.strip_prefix(spec.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        self.terminal.registry().specs().find(is_named)
    }

    pub(crate) fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        // A clone is the same tree.
        let _ = self.workspace.as_ref().clone().with_file(path, content);
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        self.workspace.read(path).map(|content| String::from_utf8(content).unwrap())
    }
}

/// An envelope with its result opened.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) envelope: Envelope,
    pub(crate) result: Value,
}

impl Run {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.envelope.error_code, None, "{:?}", self.envelope);
        self
    }

    /// Fails with this code; every part is in the message or the hint.
    #[track_caller]
    pub(crate) fn fails(self, code: &str, parts: &[&str]) -> Self {
        assert_eq!(self.envelope.error_code.as_deref(), Some(code), "{:?}", self.envelope);
        let message = self.envelope.error_message.as_deref().unwrap();
        let told = format!("{message}\n{}", self.envelope.hint.as_deref().unwrap_or_default());
        for part in parts {
            assert!(told.contains(part), "no `{part}` in: {told}");
        }
        assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
        self
    }

    /// The names of the result's fields, in order.
    pub(crate) fn fields(&self) -> Vec<String> {
        names(self.envelope.result.get())
    }

    /// The names of the fields of one field of the result, in order.
    pub(crate) fn fields_of(&self, field: &str) -> Vec<String> {
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(self.envelope.result.get()).unwrap();
        // Of a list of one, its element's.
        names(fields[field].get().trim_matches(['[', ']']))
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        let warnings = self.result["warnings"].as_array().unwrap();
        warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
    }
}

/// The names of an object's fields as they stand in its text.
fn names(json: &str) -> Vec<String> {
    let object: BTreeMap<String, Value> = serde_json::from_str(json).unwrap();
    let mut names: Vec<String> = object.into_keys().collect();
    names.sort_by_key(|name| json.find(&format!("\"{name}\":")));
    names
}

/// Answers requests from a list, in order, and keeps what was asked.
#[derive(Default)]
pub(crate) struct Service {
    answers: Mutex<VecDeque<Result<HttpResponse, HttpFault>>>,
    asked: Mutex<Vec<HttpRequest>>,
}

impl Service {
    pub(crate) fn answers(&self, status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let response = HttpResponse { status, headers: headers.collect(), body: body.into() };
        self.answers.lock().unwrap().push_back(Ok(response));
    }

    pub(crate) fn fails(&self, kind: HttpFaultKind) {
        self.answers.lock().unwrap().push_back(Err(HttpFault::new(kind, "scripted")));
    }

    /// With the head of an answer, and then a fault.
    pub(crate) fn breaks_off(&self, status: u16, kind: HttpFaultKind) {
        let fault = HttpFault { status: Some(status), ..HttpFault::new(kind, "scripted") };
        self.answers.lock().unwrap().push_back(Err(fault));
    }

    /// The URLs asked for since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        let requests = self.requests();
        requests.iter().map(|request| format!("{} {}", request.method, request.url)).collect()
    }

    /// The requests since the last call, whole.
    pub(crate) fn requests(&self) -> Vec<HttpRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

#[async_trait]
impl Http for Service {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let max_body_bytes = request.max_body_bytes;
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        let response = answer
            .unwrap_or_else(|| Err(HttpFault::new(HttpFaultKind::Reset, "no more answers")))?;
        if response.body.len() as u64 > max_body_bytes {
            let fault = HttpFault::new(HttpFaultKind::TooLarge, "scripted");
            return Err(HttpFault { status: Some(response.status), ..fault });
        }
        Ok(response)
    }
}

/// Every name has a public address.
pub(crate) struct Public;

#[async_trait]
impl Resolver for Public {
    async fn resolve(
        &self,
        _host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        Ok(vec![SocketAddr::from(([93, 184, 215, 14], port))])
    }
}

/// Says no until told otherwise, and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Approvals {
    pub(crate) approves: std::sync::atomic::AtomicBool,
    pub(crate) asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Approver for Approvals {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.asked.lock().unwrap().push(request.action);
        match self.approves.load(Ordering::SeqCst) {
            true => ApprovalAnswer::Approved,
            false => ApprovalAnswer::Denied,
        }
    }
}

/// Stands still at the time it is set to.
struct Still(Arc<AtomicI64>);

impl Clock for Still {
    fn start(&self) -> Box<dyn RunClock> {
        Box::new(StillRun(self.0.load(Ordering::SeqCst)))
    }
}

struct StillRun(i64);

#[async_trait]
impl RunClock for StillRun {
    fn started_ms(&self) -> i64 {
        self.0
    }

    fn event_ms(&self) -> u64 {
        0
    }

    fn duration_ms(&self) -> u64 {
        0
    }

    async fn sleep(&self, _duration: Duration) {}

    fn script(&self) -> Option<Script> {
        Some(Script::Returns)
    }
}
