//! A world for one test: log and workspace in memory, a scripted service, commands of every kind.

use std::{
    collections::VecDeque,
    future::Future,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use jsonschema::Validator;
use serde_json::{Value, json};
use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, Clock, Envelope, Ids, Policy, Request, RunClock,
    Script, Terminal, TerminalBuilder, async_trait,
    audit::{Event, Kept, MemorySink, Record, Tape},
    http::{Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, Resolver},
    workspace::MemoryWorkspace,
};

use crate::commands;

/// Tue, 14 Nov 2023 22:13:20 +0000.
pub(crate) const START_MS: i64 = 1_700_000_000_000;

pub(crate) struct World {
    pub(crate) terminal: Terminal,
    pub(crate) sink: MemorySink,
    pub(crate) workspace: MemoryWorkspace,
    pub(crate) service: Arc<Service>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(set_up: impl FnOnce(TerminalBuilder) -> TerminalBuilder) -> Self {
        let sink = MemorySink::default();
        let workspace = MemoryWorkspace::new();
        let service = Arc::new(Service::default());
        let builder = Terminal::builder()
            .registry(commands::registry())
            .audit(Arc::new(sink.clone()))
            .workspace(Arc::new(workspace.clone()))
            .policy(Policy::default().allow_declared_network())
            .http(service.clone())
            .resolver(Arc::new(Public))
            .host("test-host", "1.2.3");
        let terminal = set_up(builder).build().unwrap();
        Self { terminal, sink, workspace, service }
    }

    #[track_caller]
    pub(crate) fn exec(&self, line: &str) -> Ran {
        self.start(Request::new(line))
    }

    #[track_caller]
    pub(crate) fn start(&self, request: Request) -> Ran {
        self.ended(self.terminal.start(request).wait())
    }

    /// Holds an envelope to what all promise, and to the one record of its run.
    #[track_caller]
    pub(crate) fn ended(&self, envelope: Envelope) -> Ran {
        check_schema(&envelope);
        let record = self.record(&envelope.run_id);
        let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
        let same = |kept: &Kept, wanted: &Value| {
            let scrubbed = self.json_of(kept).contains("{{secret:");
            assert!(scrubbed || self.value_of(kept) == *wanted, "{} is not {wanted}", kept.json());
        };
        assert_eq!(record.exit_code, envelope.exit_code);
        assert_eq!(record.error_code, envelope.error_code);
        assert_eq!(record.duration_ms, envelope.duration_ms);
        same(&record.error_message, &json!(envelope.error_message));
        same(&record.hint, &json!(envelope.hint));
        same(&record.stdout, &json!(envelope.stdout));
        same(&record.stderr, &json!(envelope.stderr));
        same(&record.result, &result);
        same(&record.artifacts, &json!(envelope.artifacts));
        same(&record.truncated, &json!(envelope.truncated));
        Ran { envelope, result, tape: self.tape_of(&record), record }
    }

    /// The one record of a run.
    #[track_caller]
    pub(crate) fn record(&self, run_id: &str) -> Record {
        let records = self.sink.records();
        let mut of_run = records.into_iter().filter(|record| record.run_id == run_id);
        let record = of_run.next().expect("the run left a record");
        assert!(of_run.next().is_none(), "two records of {run_id}");
        record
    }

    #[track_caller]
    pub(crate) fn tape_of(&self, record: &Record) -> Option<Tape> {
        serde_json::from_str(&self.json_of(&record.tape)).unwrap()
    }

    /// The JSON of a value, wherever it lies.
    #[track_caller]
    pub(crate) fn json_of(&self, kept: &Kept) -> String {
        match kept.blob() {
            None => kept.json().to_owned(),
            Some(blob) => {
                let bytes = self.sink.blob_bytes(&blob.sha256).expect("the blob is kept");
                assert_eq!(bytes.len() as u64, blob.bytes);
                String::from_utf8(bytes.to_vec()).unwrap()
            }
        }
    }

    #[track_caller]
    pub(crate) fn value_of(&self, kept: &Kept) -> Value {
        serde_json::from_str(&self.json_of(kept)).unwrap()
    }

    pub(crate) fn put(&self, path: &str, content: &str) {
        // A clone is the same tree.
        let _ = self.workspace.clone().with_file(path, content);
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        self.workspace.read(path).map(|content| String::from_utf8(content).unwrap())
    }

    /// All that was written of any run: intents, records, blobs.
    pub(crate) fn log(&self) -> String {
        let mut log = serde_json::to_string(&self.sink.intents()).unwrap();
        log.push_str(&serde_json::to_string(&self.sink.records()).unwrap());
        for blob in self.sink.blobs().values() {
            log.push_str(&String::from_utf8_lossy(blob));
        }
        log
    }
}

#[track_caller]
pub(crate) fn check_schema(envelope: &Envelope) {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
        let schema = serde_json::from_str(Envelope::SCHEMA).unwrap();
        jsonschema::draft202012::options().build(&schema).unwrap()
    });
    let value: Value = serde_json::from_str(&envelope.to_json()).unwrap();
    let errors: Vec<_> = VALIDATOR.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {value}");
    assert!(envelope.result.get().starts_with(r#"{"ok":"#), "{value}");
}

/// A run that has ended, with what it left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) envelope: Envelope,
    pub(crate) result: Value,
    pub(crate) record: Record,
    pub(crate) tape: Option<Tape>,
}

impl Ran {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.envelope.error_code, None, "{:?}", self.envelope);
        self
    }

    /// Failed with this code; every part is in the message or the hint.
    #[track_caller]
    pub(crate) fn fails(self, code: &str, exit: u8, parts: &[&str]) -> Self {
        assert_eq!(self.envelope.error_code.as_deref(), Some(code), "{:?}", self.envelope);
        assert_eq!(self.envelope.exit_code, exit);
        let message = self.envelope.error_message.as_deref().unwrap();
        assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
        let told = format!("{message}\n{}", self.envelope.hint.as_deref().unwrap_or_default());
        for part in parts {
            assert!(told.contains(part), "no `{part}` in: {told}");
        }
        self
    }

    pub(crate) fn tape(&self) -> &Tape {
        self.tape.as_ref().expect("the run left a tape")
    }

    pub(crate) fn events(&self) -> Vec<&'static str> {
        self.tape().events.iter().map(kind).collect()
    }
}

/// Which field of an event is set; exactly one is.
#[track_caller]
pub(crate) fn kind(event: &Event) -> &'static str {
    let kinds = [
        ("file", event.file.is_some()),
        ("list", event.list.is_some()),
        ("write", event.write.is_some()),
        ("lock", event.lock.is_some()),
        ("http", event.http.is_some()),
        ("approval", event.approval.is_some()),
        ("model", event.model.is_some()),
    ];
    let set: Vec<_> = kinds.iter().filter(|(_, is_set)| *is_set).map(|(kind, _)| *kind).collect();
    assert_eq!(set.len(), 1, "{event:?}");
    set.first().unwrap()
}

type Answer = Box<dyn FnOnce() -> Result<HttpResponse, HttpFault> + Send>;

/// Answers requests from a list, in order, and keeps what was asked; without an answer it never ends.
#[derive(Default)]
pub(crate) struct Service {
    answers: Mutex<VecDeque<Answer>>,
    pub(crate) asked: Mutex<Vec<HttpRequest>>,
}

impl Service {
    pub(crate) fn answers(&self, status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let response = HttpResponse { status, headers: headers.collect(), body: body.into() };
        self.does(move || Ok(response));
    }

    /// Answers with whatever this gives, when it is asked.
    pub(crate) fn does(
        &self,
        answer: impl FnOnce() -> Result<HttpResponse, HttpFault> + Send + 'static,
    ) {
        self.answers.lock().unwrap().push_back(Box::new(answer));
    }

    pub(crate) fn fails(&self, kind: HttpFaultKind) {
        self.does(move || Err(HttpFault::new(kind, "scripted")));
    }

    pub(crate) fn requests(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

pub(crate) fn ok(body: &str) -> Result<HttpResponse, HttpFault> {
    Ok(HttpResponse { status: 200, headers: Vec::new(), body: body.into() })
}

#[async_trait]
impl Http for Service {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer(),
            None => std::future::pending().await,
        }
    }
}

/// Every name has a public address, but `private.example`.
struct Public;

#[async_trait]
impl Resolver for Public {
    async fn resolve(
        &self,
        host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        let address = if host == "private.example" { [10, 0, 0, 1] } else { [93, 184, 215, 14] };
        Ok(vec![SocketAddr::from((address, port))])
    }
}

/// Gives one answer, or panics, and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) answer: Option<ApprovalAnswer>,
    pub(crate) asked: Mutex<Vec<ApprovalRequest>>,
}

impl Asked {
    pub(crate) fn says(answer: ApprovalAnswer) -> Arc<Self> {
        Arc::new(Self { answer: Some(answer), ..Self::default() })
    }
}

#[async_trait]
impl Approver for Asked {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.asked.lock().unwrap().push(request);
        self.answer.expect("an approver that panics")
    }
}

/// Starts at [`START_MS`]; each event is a second after the one before, no sleep takes real time.
pub(crate) struct Steps;

impl Clock for Steps {
    fn start(&self) -> Box<dyn RunClock> {
        Box::new(StepsRun(AtomicU64::new(0)))
    }
}

struct StepsRun(AtomicU64);

#[async_trait]
impl RunClock for StepsRun {
    fn started_ms(&self) -> i64 {
        START_MS
    }

    fn event_ms(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::SeqCst) + 1000
    }

    fn duration_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    async fn sleep(&self, _duration: Duration) {}

    fn script(&self) -> Option<Script> {
        Some(Script::Returns)
    }
}

/// Run ids by number, one seed for all.
#[derive(Default)]
pub(crate) struct Numbered(AtomicU64);

impl Ids for Numbered {
    fn run_id(&self, _started_ms: i64) -> String {
        format!("018bcfe5-6800-7000-8000-{:012x}", self.0.fetch_add(1, Ordering::SeqCst))
    }

    fn seed(&self) -> u64 {
        7
    }
}

/// Another executor than tokio's: parks the thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

/// Polls once.
pub(crate) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Waits for another thread to get somewhere.
#[track_caller]
pub(crate) fn wait_until(mut is_there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(20), "it never got there");
        thread::sleep(Duration::from_millis(2));
    }
}
