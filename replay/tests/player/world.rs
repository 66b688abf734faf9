//! A real root, an outside that does as it is told, and what the kit says of the runs there.

use std::{
    collections::{HashMap, VecDeque},
    fs,
    future::{Future, pending, poll_fn},
    net::SocketAddr,
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, Canceller, Clock, Envelope, Policy, Registry,
    Request, RunClock, Script, Terminal, TerminalBuilder, async_trait,
    audit::{Record, Tape},
    clap::{self, Parser},
    http::{Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, Resolver},
};
use tapeline_replay::{Cli, Difference, Kit, Log, Verdict, cli_with, replay};
use tempfile::TempDir;

use crate::commands::{RECORDED, registry};

pub(crate) struct World {
    root: TempDir,
    terminal: Terminal,
    pub(crate) outside: Arc<Outside>,
}

/// A run that is over.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) envelope: Envelope,
    pub(crate) record: Record,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(change: impl FnOnce(TerminalBuilder) -> TerminalBuilder) -> Self {
        be_the_second_process(registry::<RECORDED>());
        let root = TempDir::new().unwrap();
        let outside = Arc::new(Outside::default());
        let builder = Terminal::builder()
            .root(root.path())
            .registry(registry::<RECORDED>())
            .policy(Policy::default().allow_declared_network())
            .http(outside.clone())
            .resolver(outside.clone())
            .approver(outside.clone())
            .clock(Arc::new(Stepping))
            .host("tests", "1");
        let terminal = change(builder).build().unwrap();
        Self { root, terminal, outside }
    }

    /// An answer for the next request to that URL.
    pub(crate) fn answers(self, url: &str, answer: Answer) -> Self {
        self.outside.answers_next(url, answer);
        self
    }

    /// What a name leads to, from now on.
    pub(crate) fn resolves(self, host: &str, to: &[&str]) -> Self {
        let to = to.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 443)).collect();
        self.outside.names.lock().unwrap().insert(host.to_owned(), to);
        self
    }

    /// What the approver says next.
    pub(crate) fn says(self, answer: ApprovalAnswer) -> Self {
        self.outside.approvals.lock().unwrap().push_back(answer);
        self
    }

    /// A file of the workspace, there before any run.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(&format!(".agents/{path}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    pub(crate) fn log(&self) -> Log {
        Log::open(self.path("audit")).unwrap()
    }

    /// Runs `do` with these steps.
    pub(crate) fn run(&self, steps: &[&str]) -> Ran {
        self.request(Request::new(line(steps)))
    }

    pub(crate) fn request(&self, request: Request) -> Ran {
        let run = self.terminal.start(request);
        *self.outside.canceller.lock().unwrap() = Some(run.canceller());
        self.ran(run.wait())
    }

    /// Polls a run so often and drops it.
    pub(crate) fn dropped(&self, steps: &[&str], polls: u32) -> Record {
        let run = self.terminal.start(Request::new(line(steps)));
        let run_id = run.id().to_owned();
        {
            let mut run = pin!(run);
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..polls {
                assert!(run.as_mut().poll(&mut context).is_pending());
            }
        }
        self.log().find(&run_id).unwrap().unwrap()
    }

    fn ran(&self, envelope: Envelope) -> Ran {
        let record = self.log().find(&envelope.run_id).unwrap().unwrap();
        Ran { envelope, record }
    }

    pub(crate) fn replayed(&self, record: &Record) -> Verdict {
        self.replayed_by(record, registry::<RECORDED>())
    }

    pub(crate) fn replayed_by(&self, record: &Record, registry: Arc<Registry>) -> Verdict {
        replay(&self.log(), record, registry)
    }

    /// The kit's command line: exit code and output, in which no line says `--golden`. Cases lie
    /// below the root.
    pub(crate) fn cli(&self, arguments: &[&str], registry: Arc<Registry>) -> (u8, String) {
        let (exit, out) = self.cli_in_full(arguments, registry);
        (exit, self.without_golden(&out))
    }

    /// As [`cli`](Self::cli), with whatever it says.
    pub(crate) fn cli_in_full(&self, arguments: &[&str], registry: Arc<Registry>) -> (u8, String) {
        let golden = self.path("golden");
        let arguments = [arguments, &["--golden", golden.to_str().unwrap()]].concat();
        called(&arguments, &Kit::new(registry).root(self.root.path()))
    }

    pub(crate) fn without_golden(&self, said: &str) -> String {
        said.replace(&format!(" --golden {}", self.path("golden").display()), "")
    }

    /// As [`cli`](Self::cli), with a person who answers so, a line each.
    pub(crate) fn asked(&self, arguments: &[&str], answers: &[&str]) -> (u8, String) {
        let golden = self.path("golden");
        let arguments = [arguments, &["--golden", golden.to_str().unwrap()]].concat();
        let answers: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
        let mut out = Vec::new();
        let kit = Kit::new(registry::<RECORDED>());
        let arguments = parsed(&arguments).unwrap();
        let code = cli_with(&arguments, &kit, Some(&mut answers.as_bytes()), &mut out).unwrap();
        (code, self.without_golden(&String::from_utf8(out).unwrap()))
    }

    /// Makes a case of a run.
    #[track_caller]
    pub(crate) fn promoted(&self, record: &Record, name: &str) {
        let (exit, out) =
            self.cli(&["promote", &record.run_id, "--as", name], registry::<RECORDED>());
        assert_eq!(exit, 0, "{out}");
    }

    /// What is said of cases that are run, but for the summary.
    pub(crate) fn cases(&self, filter: &[&str], registry: Arc<Registry>) -> (u8, String) {
        let (exit, out) = self.cli(filter, registry);
        let summary = out.find(" cases: ").or(out.find(" case: ")).unwrap_or(out.len());
        let said = out.get(..summary).unwrap();
        let said = said.trim_end_matches(|character: char| character.is_ascii_digit());
        (exit, said.to_owned())
    }

    /// The run ended with this code (`""`: well), and replays `ok`, by `replay` and by the command
    /// line, without the outside.
    #[track_caller]
    pub(crate) fn check(&self, ran: &Ran, code: &str) {
        assert_eq!(ran.envelope.error_code.as_deref().unwrap_or(""), code, "{:?}", ran.envelope);
        self.check_record(&ran.record);
    }

    #[track_caller]
    pub(crate) fn check_record(&self, record: &Record) {
        let asked = self.outside.asked();
        let verdict = self.replayed(record);
        assert_eq!(verdict, Verdict::Ok, "{verdict}{}", record.tape.json());
        let (exit, out) = self.cli(&["run", &record.run_id], registry::<RECORDED>());
        assert_eq!((exit, out), (0, format!("{}: ok\n", record.run_id)));
        let case = format!("runs/{}", record.run_id);
        if !self.path("golden").join(&case).exists() {
            self.promoted(record, &case);
        }
        let leaks = files_with(&self.path("golden"), SECRET);
        assert!(leaks.is_empty(), "{leaks:?}");
        assert_eq!(self.cases(&[&case], registry::<RECORDED>()), (0, String::new()));
        assert_eq!(self.cli(&["check"], registry::<RECORDED>()).0, 0);
        assert_eq!(self.outside.asked(), asked, "the outside was asked");
    }
}

/// What tests give as a secret.
pub(crate) const SECRET: &str = "hunter2";

/// The files below a folder that hold a text.
pub(crate) fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text);
    files(folder).into_iter().filter(holds).collect()
}

/// Makes what is pending of a case look as if it had been kept so.
pub(crate) fn sealed(folder: &Path) {
    let path = folder.join("pending.json");
    let mut pending: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let kept = files(folder).into_iter().filter(|file| *file != path);
    let hashes = kept.map(|file| {
        let hash = Sha256::digest(fs::read(&file).unwrap());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = file.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
        (file, Value::String(hash))
    });
    pending["files"] = Value::Object(hashes.collect());
    fs::write(path, pending.to_string()).unwrap();
}

/// All files below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// What a host makes of its arguments.
pub(crate) fn parsed(arguments: &[&str]) -> Result<Cli, clap::Error> {
    #[derive(clap::Parser)]
    struct Host {
        #[command(flatten)]
        cli: Cli,
    }

    Ok(Host::try_parse_from(["replay"].iter().chain(arguments))?.cli)
}

pub(crate) fn called(arguments: &[&str], kit: &Kit) -> (u8, String) {
    let arguments = parsed(arguments).unwrap();
    let mut out = Vec::new();
    let code = cli_with(&arguments, kit, None, &mut out).unwrap();
    (code, String::from_utf8(out).unwrap())
}

/// A promotion starts this program again, with the same arguments, and that process comes here.
#[expect(clippy::exit, reason = "it is no test, and has nothing else to do")]
pub(crate) fn be_the_second_process(registry: Arc<Registry>) {
    if std::env::var_os("TAPELINE_REPLAY_JOB").is_some() {
        called(&["check"], &Kit::new(registry));
        std::process::exit(0);
    }
}

/// `do` with these steps, as a line.
pub(crate) fn line(steps: &[&str]) -> String {
    steps.iter().fold("do".to_owned(), |line, step| format!("{line} '{step}'"))
}

pub(crate) fn tape(record: &Record, world: &World) -> Tape {
    world.log().value(&record.tape).unwrap()
}

/// Paths with what was expected and what came.
pub(crate) fn paths(verdict: &Verdict) -> Vec<(String, String, String)> {
    let Verdict::Changed(differences) = verdict else { panic!("{verdict}") };
    let json = |json: &Option<tapeline_replay::Json>| match json {
        Some(json) => json.to_string(),
        None => String::new(),
    };
    differences
        .iter()
        .map(|Difference { path, expected, actual }| (path.clone(), json(expected), json(actual)))
        .collect()
}

/// What a server does.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Is(HttpResponse),
    Fault(HttpFault),
    /// Never comes.
    Hangs,
    /// Never comes, and the stop button is pressed meanwhile.
    Cancelled,
    /// After the other URL was answered.
    After(&'static str, Box<Answer>),
    /// Keeps the thread so long.
    Blocks(u64, Box<Answer>),
}

pub(crate) fn body(body: impl AsRef<[u8]>) -> Answer {
    answer(200, &[], body)
}

pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
    let headers =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Answer::Is(HttpResponse { status, headers, body: body.as_ref().to_vec() })
}

pub(crate) fn fault(kind: HttpFaultKind) -> Answer {
    Answer::Fault(HttpFault::new(kind, "as the test wants it"))
}

/// Transport, resolver and approver of a live run. An approver that was told no answer presses the
/// stop button instead.
#[derive(Default)]
pub(crate) struct Outside {
    answers: Mutex<HashMap<String, VecDeque<Answer>>>,
    names: Mutex<HashMap<String, Vec<SocketAddr>>>,
    approvals: Mutex<VecDeque<ApprovalAnswer>>,
    answered: Mutex<Vec<String>>,
    canceller: Mutex<Option<Canceller>>,
    asked: AtomicU64,
}

impl Outside {
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    pub(crate) fn answers_next(&self, url: &str, answer: Answer) {
        let mut answers = self.answers.lock().unwrap();
        answers.entry(url.to_owned()).or_default().push_back(answer);
    }

    async fn give(&self, mut answer: Answer) -> Result<HttpResponse, HttpFault> {
        loop {
            answer = match answer {
                Answer::Is(response) => return Ok(response),
                Answer::Fault(fault) => return Err(fault),
                Answer::Hangs => pending().await,
                Answer::Cancelled => {
                    self.canceller.lock().unwrap().as_ref().unwrap().cancel();
                    pending().await
                }
                Answer::After(url, answer) => {
                    poll_fn(|context| {
                        let answered = self.answered.lock().unwrap();
                        if answered.iter().any(|known| known == url) {
                            return Poll::Ready(());
                        }
                        context.waker().wake_by_ref();
                        Poll::Pending
                    })
                    .await;
                    *answer
                }
                Answer::Blocks(ms, answer) => {
                    std::thread::sleep(Duration::from_millis(ms));
                    *answer
                }
            };
        }
    }
}

#[async_trait]
impl Http for Outside {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let url = request.url;
        let answer = self.answers.lock().unwrap().get_mut(&url).and_then(VecDeque::pop_front);
        let answer = answer.unwrap_or_else(|| panic!("no answer for {url}"));
        let given = self.give(answer).await;
        self.answered.lock().unwrap().push(url);
        given
    }
}

#[async_trait]
impl Resolver for Outside {
    async fn resolve(
        &self,
        host: &str,
        port: u16,
        _: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if host.starts_with("unknown") {
            return Err(HttpFault::new(HttpFaultKind::Dns, "no such name"));
        }
        let known = self.names.lock().unwrap().get(host).cloned();
        Ok(known.unwrap_or_else(|| vec![SocketAddr::new("93.184.215.14".parse().unwrap(), port)]))
    }
}

#[async_trait]
impl Approver for Outside {
    async fn approve(&self, _: ApprovalRequest) -> ApprovalAnswer {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.approvals.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer,
            None => {
                self.canceller.lock().unwrap().as_ref().unwrap().cancel();
                pending().await
            }
        }
    }
}

/// A clock that steps 7 ms with each thing that comes in. A sleep of a second or more does not end,
/// a shorter one at the next poll.
struct Stepping;

impl Clock for Stepping {
    fn start(&self) -> Box<dyn RunClock> {
        Box::new(Steps(AtomicU64::new(0)))
    }
}

struct Steps(AtomicU64);

#[async_trait]
impl RunClock for Steps {
    fn started_ms(&self) -> i64 {
        1_764_288_000_000
    }

    fn event_ms(&self) -> u64 {
        self.0.fetch_add(7, Ordering::SeqCst) + 7
    }

    fn duration_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst) + 1
    }

    async fn sleep(&self, duration: Duration) {
        if duration >= Duration::from_secs(1) {
            pending().await
        }
        let mut is_over = false;
        poll_fn(|context| {
            if std::mem::replace(&mut is_over, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    fn script(&self) -> Option<Script> {
        None
    }
}
