//! Commands of every kind a terminal has to live with.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex},
    thread,
    time::Duration,
};

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, FileWriter, Group, NetworkScope, Out,
    OutFile, OutPart, Progress, Registry, Spec, WorkspacePath, async_trait,
    clap::{self, Args},
    group,
    http::Request,
    registration,
};

pub(crate) fn registry() -> Arc<Registry> {
    let file = Group {
        path: "file",
        summary: "files of the workspace",
        long_help: "Files are named below `.agents/`.",
    };
    let registry = Registry::builder()
        .register(group(file))
        .register(registration::<Read>())
        .register(registration::<Links>())
        .register(registration::<Write>())
        .register(registration::<List>())
        .register(registration::<Remove>())
        .register(registration::<Echo>())
        .register(registration::<Save>())
        .register(registration::<Keep>())
        .register(registration::<Fetch>())
        .register(registration::<Ask>())
        .register(registration::<Spin>())
        .register(registration::<Compute>())
        .register(registration::<Sleep>())
        .register(registration::<Panics>())
        .register(registration::<Grant>())
        .register(registration::<Nest>())
        .register(registration::<Print>())
        .register(registration::<Stdin>())
        .register(registration::<StdinByDash>())
        .register(registration::<Undeclared>())
        .register(registration::<Chance>())
        .register(registration::<Locked>())
        .register(registration::<Model>())
        .register(registration::<Tour>())
        .register(registration::<Reread>())
        .register(registration::<Count>())
        .register(registration::<Settle>())
        .register(registration::<Smuggle>())
        .register(registration::<Leave>())
        .register(registration::<Large>());
    Arc::new(registry.build().unwrap())
}

macro_rules! command {
    ($name:ident($args:ty) -> $output:ty { $spec:expr } |$given:ident, $door:ident| $body:block) => {
        #[derive(Default)]
        pub(crate) struct $name;

        #[async_trait]
        impl Command for $name {
            type Args = $args;
            type Output = $output;

            fn spec() -> Spec {
                $spec
            }

            async fn run(&self, $given: $args, $door: &Context) -> Result<$output, Failure> $body
        }
    };
}

#[derive(Serialize)]
pub(crate) struct Text {
    text: String,
}

fn text(text: impl Into<String>) -> Result<Text, Failure> {
    Ok(Text { text: text.into() })
}

#[derive(Args, Serialize)]
pub(crate) struct EchoArgs {
    /// What to say.
    #[arg(long)]
    text: String,
    /// How.
    #[arg(long, default_value = "plain", value_parser = ["plain", "loud"])]
    style: String,
    /// How often.
    #[arg(long)]
    times: Option<u8>,
    /// Not on stdout.
    #[arg(long)]
    quiet: bool,
    /// On stderr, too.
    #[arg(long, conflicts_with = "quiet")]
    both: bool,
    /// A file to name.
    #[arg(long)]
    path: Option<WorkspacePath>,
    /// More words.
    words: Vec<String>,
}

command! {
    Echo(EchoArgs) -> EchoArgs { Spec::new("echo", "say it again").example("echo --text hi", "hi") }
    |args, door| {
        if !args.quiet {
            door.stdout().line(&args.text);
        }
        if args.both {
            door.stderr().line(&args.text);
        }
        Ok(args)
    }
}

#[derive(Args, Serialize)]
pub(crate) struct PathArgs {
    /// Which.
    path: WorkspacePath,
}

command! {
    Read(PathArgs) -> Text {
        Spec::new("file read", "read a file").capabilities(Capabilities::none().read_files())
    }
    |args, door| { text(String::from_utf8_lossy(&door.workspace()?.read(&args.path)?)) }
}

command! {
    Links(PathArgs) -> Text {
        Spec::new("links", "show URLs from a file").capabilities(Capabilities::none().read_files())
    }
    |args, door| {
        let urls = String::from_utf8_lossy(&door.workspace()?.read(&args.path)?).into_owned();
        urls.lines().for_each(|url| door.scrub_url(url));
        door.stdout().text(&urls);
        text(urls)
    }
}

#[derive(Args, Serialize)]
pub(crate) struct WriteArgs {
    path: WorkspacePath,
    #[arg(long, default_value = "")]
    text: String,
    /// Adds so many bytes.
    #[arg(long, default_value_t = 0)]
    bytes: usize,
}

command! {
    Write(WriteArgs) -> Text {
        Spec::new("file write", "write a file").capabilities(Capabilities::none().write_files())
    }
    |args, door| {
        let content = format!("{}{}", args.text, "x".repeat(args.bytes));
        let written = door.workspace()?.write(&args.path, content.as_bytes())?;
        door.artifact(written, "text/plain", "what was given");
        text(args.text)
    }
}

#[derive(Serialize)]
pub(crate) struct Names {
    names: Vec<String>,
}

command! {
    List(PathArgs) -> Names {
        Spec::new("file list", "list a folder").capabilities(Capabilities::none().read_files())
    }
    |args, door| {
        let entries = door.workspace()?.list(&args.path)?;
        Ok(Names { names: entries.into_iter().map(|entry| entry.name).collect() })
    }
}

command! {
    Remove(PathArgs) -> Text {
        Spec::new("file remove", "remove a file").capabilities(Capabilities::none().write_files())
    }
    |args, door| {
        door.workspace()?.remove(&args.path)?;
        text("removed")
    }
}

#[derive(Args, Serialize)]
pub(crate) struct SaveArgs {
    #[arg(long)]
    text: String,
    /// Gives up once the file is open.
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
}

#[derive(Serialize)]
pub(crate) struct Saved {
    out: Option<String>,
}

command! {
    Save(SaveArgs) -> Saved {
        Spec::new("save", "save text").error_codes(&[ErrorCode::PARSE_ERROR])
    }
    |args, door| {
        let file = args.out.open(door).await?;
        if args.fail {
            return Err(Failure::new(ErrorCode::PARSE_ERROR, "the text is no good"));
        }
        let out = match file {
            Some(file) => Some(file.finish(args.text.as_bytes(), "text/plain", "the text")?),
            None => None,
        };
        Ok(Saved { out })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct KeepArgs {
    #[command(flatten)]
    #[serde(flatten)]
    what: What,
    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
    /// A second file.
    #[arg(long, value_name = "PATH", group = Out::FILES)]
    raw_out: Option<WorkspacePath>,
}

#[derive(Args, Serialize)]
#[group(id = "keep-what", required = true, multiple = false)]
pub(crate) struct What {
    #[arg(long)]
    text: Option<String>,
    #[arg(long, value_name = "N")]
    number: Option<u8>,
}

#[derive(Serialize)]
pub(crate) struct KeptIn {
    paths: Vec<String>,
}

command! {
    Keep(KeepArgs) -> KeptIn { Spec::new("keep", "keep something in two files") }
    |args, door| {
        let out = args.out.open(door).await?;
        let raw_out = match &args.raw_out {
            Some(path) => Some(args.out.open_also(path, door).await?),
            None => None,
        };
        let text = args.what.text.or(args.what.number.map(|number| number.to_string()));
        let text = text.unwrap_or_default();
        let raw = format!("raw {text}");
        let part = |file, content, description| OutPart {
            file,
            content,
            mime: "text/plain",
            description,
        };
        let out = out.map(|file| part(file, text.as_bytes(), "what was given"));
        let raw_out = raw_out.map(|file| part(file, raw.as_bytes(), "as it was"));
        let paths = OutFile::finish_all(out.into_iter().chain(raw_out).collect())?;
        Ok(KeptIn { paths })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct FetchArgs {
    #[arg(long)]
    url: String,
    /// Sent as a bearer.
    #[arg(long, short = 't')]
    token: Option<String>,
    /// Sent as a bearer, from this file.
    #[arg(long)]
    token_file: Option<WorkspacePath>,
    #[arg(long, default_value_t = 1)]
    times: u64,
    /// Prints what was sent and received.
    #[arg(long)]
    echo: bool,
}

#[derive(Serialize)]
pub(crate) struct Fetched {
    status: u16,
    body: String,
    now_ms: i64,
}

command! {
    Fetch(FetchArgs) -> Fetched {
        Spec::new("fetch", "fetch a page")
            .capabilities(Capabilities::none().read_files().network(NetworkScope::AnyPublic))
            .audit_secret(&["token"])
    }
    |args, door| {
        let mut token = args.token.clone();
        if let Some(path) = &args.token_file {
            token = Some(String::from_utf8_lossy(&door.workspace()?.read(path)?).into_owned());
        }
        door.stdout().line("asking");
        let mut answer = None;
        for _ in 0..args.times {
            let mut request = Request::get(&args.url);
            if let Some(token) = &token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            answer = Some(door.http()?.send(request).await?);
        }
        let answer = answer.ok_or_else(|| Failure::new(ErrorCode::NOT_FOUND, "nothing asked"))?;
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        if args.echo {
            door.stdout().line(&format!("{} {token:?} {body}", args.url));
            door.stderr().line(&format!("{} {token:?} {body}", args.url));
        }
        Ok(Fetched { status: answer.status, body, now_ms: door.clock().now_ms() })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct AskArgs {
    #[arg(long, default_value = "drop it all")]
    action: String,
}

command! {
    Ask(AskArgs) -> Text {
        Spec::new("ask", "ask first").capabilities(Capabilities::none().high_risk())
    }
    |args, door| {
        door.approve(&args.action).await?;
        text("went ahead")
    }
}

/// What keeps workers computing until a test lets them go, by a name of the test's own.
pub(crate) static GATES: LazyLock<Mutex<BTreeMap<String, &'static str>>> =
    LazyLock::new(Mutex::default);

/// What a worker found after the end of its run.
pub(crate) static FOUND: LazyLock<Mutex<BTreeMap<String, Vec<String>>>> =
    LazyLock::new(Mutex::default);

pub(crate) fn open_gate(name: &str) {
    GATES.lock().unwrap().insert(name.to_owned(), "open");
}

pub(crate) fn found(name: &str) -> Option<Vec<String>> {
    FOUND.lock().unwrap().get(name).cloned()
}

fn is_open(name: &str) -> bool {
    GATES.lock().unwrap().get(name) == Some(&"open")
}

#[derive(Args, Serialize)]
pub(crate) struct SpinArgs {
    #[arg(long)]
    gate: String,
    /// Looks whether the run is over.
    #[arg(long)]
    looks: bool,
    /// Has a file half written by then.
    #[arg(long)]
    draft: bool,
}

command! {
    Spin(SpinArgs) -> Text {
        Spec::new("spin", "compute on a thread")
            .capabilities(Capabilities::none().read_files().write_files())
    }
    |args, door| {
        door.stdout().line("spinning");
        let SpinArgs { gate, looks, draft } = args;
        let done = door.worker(1 << 20, move |door| {
            let half = format!("late/half-{gate}.txt").parse()?;
            let mut draft = draft.then(|| door.workspace()?.create(&half));
            if let Some(Ok(draft)) = &mut draft {
                drop(draft.append(b"half"));
            }
            while !(is_open(&gate) || looks && door.cancelled()) {
                thread::sleep(Duration::from_millis(1));
            }
            let late: WorkspacePath = format!("late/{gate}.txt").parse()?;
            let written = door.workspace().and_then(|files| files.write(&late, b"late"));
            let read = door.workspace().and_then(|files| files.read(&late)).map(drop);
            let told = |done: Result<(), Failure>| match done {
                Ok(()) => "ok".to_owned(),
                Err(failure) => failure.code().name().to_owned(),
            };
            let mut all = vec![told(written.map(drop)), told(read)];
            if let Some(draft) = draft {
                let finish = |mut draft: FileWriter| {
                    let appended = draft.append(b"whole");
                    appended.and(draft.commit())
                };
                all.push(told(draft.and_then(finish).map(drop)));
            }
            FOUND.lock().unwrap().insert(gate, all);
            Ok::<_, tapeline::PathEscape>(())
        });
        done.await?.map_err(Failure::from)?;
        text("done")
    }
}

#[derive(Args, Serialize)]
pub(crate) struct MsArgs {
    #[arg(long)]
    ms: u64,
}

command! {
    Compute(MsArgs) -> Text { Spec::new("compute", "compute in place") }
    |args, door| {
        door.stdout().line("computing");
        thread::sleep(Duration::from_millis(args.ms));
        text("done")
    }
}

#[derive(Serialize)]
pub(crate) struct Slept {
    before_ms: i64,
    after_ms: i64,
}

command! {
    Sleep(MsArgs) -> Slept { Spec::new("sleep", "wait") }
    |args, door| {
        door.stdout().line("before 睡");
        let before_ms = door.clock().now_ms();
        door.clock().sleep(Duration::from_millis(args.ms)).await;
        door.stdout().line("after");
        Ok(Slept { before_ms, after_ms: door.clock().now_ms() })
    }
}

fn panics_on_this(value: &str) -> Result<String, String> {
    match value {
        "parser" => panic!("in a value parser"),
        "lines" => Err("two\nlines".to_owned()),
        other => Ok(other.to_owned()),
    }
}

#[derive(Args, Serialize)]
pub(crate) struct PanicsArgs {
    #[arg(value_parser = panics_on_this, value_name = "WHERE")]
    place: String,
}

/// Does not serialise everywhere.
pub(crate) struct Brittle(String);

impl Serialize for Brittle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.0 {
            "output" => panic!("in the output"),
            "refuses" => Err(S::Error::custom("no")),
            text => serializer.serialize_str(text),
        }
    }
}

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic!("in a drop");
        }
    }
}

command! {
    Panics(PanicsArgs) -> Brittle {
        Spec::new("panic", "break").capabilities(Capabilities::none().write_files())
    }
    |args, door| {
        door.stdout().line("so far");
        match &*args.place {
            "command" => panic!("in the command"),
            "worker" => door.worker(1 << 20, |_| panic!("in the worker")).await?,
            "drop" => {
                let _held = PanicsOnDrop;
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        Ok(Brittle(args.place))
    }
}

#[derive(Args, Serialize)]
pub(crate) struct NestArgs {
    /// How deep the output is.
    #[arg(long, default_value_t = 1)]
    depth: usize,
    /// Any JSON.
    #[arg(long, value_parser = |json: &str| RawValue::from_string(json.to_owned()))]
    json: Option<Box<RawValue>>,
}

command! {
    Nest(NestArgs) -> Box<RawValue> {
        Spec::new("nest", "give a deep output").capabilities(Capabilities::none())
    }
    |args, _door| {
        let (open, close) = (r#"{"a":"#.repeat(args.depth), "}".repeat(args.depth));
        Ok(RawValue::from_string(format!("{open}0{close}")).expect("JSON"))
    }
}

#[derive(Args, Serialize)]
pub(crate) struct GrantArgs {
    #[arg(long)]
    to: String,
}

command! {
    Grant(GrantArgs) -> Text {
        Spec::new("grant", "make a token")
            .error_codes(&[ErrorCode::PARSE_ERROR])
            .capabilities(Capabilities::none().write_files())
    }
    |args, door| {
        let token = format!("hf_{}", "aB3dE5gH7j".repeat(4));
        match &*args.to {
            "stdout" => door.stdout().text(&token),
            "stderr" => door.stderr().text(&token),
            "message" => return Err(Failure::new(ErrorCode::PARSE_ERROR, token)),
            "hint" => return Err(Failure::new(ErrorCode::PARSE_ERROR, "no").hint(token)),
            "artifact" => {
                let written = door.workspace()?.write(&"a.txt".parse()?, b"a")?;
                door.artifact(written, "text/plain", &token);
            }
            _ => return text(token),
        }
        text("granted")
    }
}

#[derive(Args, Serialize)]
pub(crate) struct PrintArgs {
    /// Printed so often.
    #[arg(long, default_value_t = 1)]
    times: usize,
    #[arg(long, default_value = "x")]
    text: String,
    #[arg(long, value_parser = ["stdout", "stderr", "result", "control"])]
    to: String,
}

command! {
    Print(PrintArgs) -> Text { Spec::new("print", "print much") }
    |args, door| {
        let much = args.text.repeat(args.times);
        match &*args.to {
            "stdout" => door.stdout().text(&much),
            "stderr" => door.stderr().text(&much),
            "control" => {
                let text = "\u{1b}[31mred\u{1b}[0m \u{202e}left\u{2066} \u{9b}1mC1\u{7}\n";
                door.stdout().text(text);
                door.stderr().text(text);
            }
            _ => return text(much),
        }
        text("printed")
    }
}

#[derive(Args, Serialize)]
pub(crate) struct NoArgs {}

#[derive(Serialize)]
pub(crate) struct Stdins {
    stdin: Option<String>,
}

command! {
    Stdin(NoArgs) -> Stdins {
        Spec::new("stdin", "say what came in").takes_stdin().limits(tapeline::Limits {
            stdin_bytes: 100,
            ..tapeline::Limits::UNBOUNDED
        })
    }
    |_args, door| { Ok(Stdins { stdin: door.stdin().map(str::to_owned) }) }
}

#[derive(Args, Serialize)]
pub(crate) struct InArgs {
    #[arg(long = "in", allow_hyphen_values = true)]
    input: String,
}

command! {
    StdinByDash(InArgs) -> Stdins {
        Spec::new("stdin-by-dash", "say what came in").takes_stdin_by_dash()
    }
    |_args, door| { Ok(Stdins { stdin: door.stdin().map(str::to_owned) }) }
}

#[derive(Args, Serialize)]
pub(crate) struct WhatArgs {
    what: String,
}

command! {
    Undeclared(WhatArgs) -> Text { Spec::new("undeclared", "reach too far") }
    |args, door| {
        match &*args.what {
            "files" => drop(door.workspace()?),
            "http" => drop(door.http()?),
            "approve" => door.approve("do it").await?,
            "lock" => drop(door.lock("name", Duration::ZERO).await?),
            _ => {}
        }
        text("got through")
    }
}

#[derive(Serialize)]
pub(crate) struct Chances {
    uuids: [String; 2],
    number: u64,
    run_id: String,
}

command! {
    Chance(NoArgs) -> Chances { Spec::new("chance", "roll the dice") }
    |_args, door| {
        Ok(Chances {
            uuids: [door.new_uuid(), door.new_uuid()],
            number: door.random_u64(),
            run_id: door.run_id().to_owned(),
        })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct LockedArgs {
    name: String,
    #[arg(long, default_value_t = 0)]
    wait_ms: u64,
    /// Waits with it for the end.
    #[arg(long)]
    hold: bool,
}

command! {
    Locked(LockedArgs) -> Text {
        Spec::new("lock", "take a lock").capabilities(Capabilities::none().write_files())
    }
    |args, door| {
        let _held = door.lock(&args.name, Duration::from_millis(args.wait_ms)).await?;
        if args.hold {
            door.clock().sleep(Duration::from_secs(60)).await;
        }
        text("had it")
    }
}

command! {
    Model(WhatArgs) -> Text { Spec::new("model", "use a model") }
    |args, door| { text(format!("{} bytes", door.model(&args.what)?.len())) }
}

command! {
    Tour(NoArgs) -> Text {
        Spec::new("tour", "through every door").capabilities(
            Capabilities::none()
                .read_files()
                .write_files()
                .network(NetworkScope::hosts(["a.example"]))
                .high_risk(),
        )
    }
    |_args, door| {
        let files = door.workspace()?;
        let path = |text: &str| text.parse::<WorkspacePath>().map_err(Failure::from);
        let _held = door.lock("tour", Duration::ZERO).await?;
        files.read(&path("in/a.txt")?)?;
        if files.read(&path("in/missing.txt")?).is_ok() {
            return text("found what is missing");
        }
        files.list(&path("in")?)?;
        files.read(&path("in/a.txt")?)?;
        door.http()?.send(Request::get("https://a.example/one")).await?;
        door.approve("go on").await?;
        let written = files.write(&path("out/b.txt")?, b"b")?;
        files.read(&path("out/b.txt")?)?;
        door.artifact(written, "text/plain", "b");
        files.remove(&path("in/a.txt")?)?;
        text("back")
    }
}

command! {
    Reread(PathArgs) -> Text {
        Spec::new("reread", "read, ask, read again").capabilities(
            Capabilities::none().read_files().network(NetworkScope::hosts(["a.example"])),
        )
    }
    |args, door| {
        let files = door.workspace()?;
        let read = |path| files.read(path).or_else(|_| {
            files.list(path).map(|entries| format!("{entries:?}").into_bytes())
        });
        let before = read(&args.path)?;
        door.http()?.send(Request::get("https://a.example/")).await?;
        let after = read(&args.path)?;
        text(if before == after { "same" } else { "changed" })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct CountArgs {
    to: u64,
}

command! {
    Count(CountArgs) -> Text { Spec::new("count", "say how far it is") }
    |args, door| {
        for done in 1..=args.to {
            door.progress(Progress { done, total: Some(args.to), what: "steps".to_owned() });
        }
        text("done")
    }
}

#[derive(Serialize)]
pub(crate) struct Larges {
    small: String,
    large: String,
    kept: String,
}

command! {
    Large(NoArgs) -> Larges {
        Spec::new("large", "answer at length").audit_always(&["kept"])
    }
    |_args, door| {
        door.stdout().text(&"汇".repeat(2000));
        Ok(Larges { small: "s".to_owned(), large: "l".repeat(6000), kept: "k".repeat(5000) })
    }
}

#[derive(Args, Serialize)]
pub(crate) struct SettleArgs {
    path: WorkspacePath,
    #[arg(long)]
    below: WorkspacePath,
}

command! {
    Settle(SettleArgs) -> Names {
        Spec::new("settle", "list, write, list again")
            .capabilities(Capabilities::none().read_files().write_files())
    }
    |args, door| {
        let files = door.workspace()?;
        if let Err(failure) = files.list(&args.path)
            && failure.code() != ErrorCode::NOT_FOUND
        {
            return Err(failure);
        }
        files.write(&args.below, b"b")?;
        let entries = files.list(&args.path)?;
        Ok(Names { names: entries.into_iter().map(|entry| entry.name).collect() })
    }
}

/// Doors that commands kept beyond their runs, by a name of the test's own.
pub(crate) static SMUGGLED: LazyLock<Mutex<BTreeMap<String, Context>>> =
    LazyLock::new(Mutex::default);

command! {
    Smuggle(WhatArgs) -> Text {
        Spec::new("smuggle", "keep the door").capabilities(
            Capabilities::none()
                .read_files()
                .write_files()
                .network(NetworkScope::AnyPublic)
                .high_risk(),
        )
    }
    |args, door| {
        SMUGGLED.lock().unwrap().insert(args.what, door.clone());
        text("kept")
    }
}

#[derive(Args, Serialize)]
pub(crate) struct LeaveArgs {
    #[arg(long)]
    url: String,
    /// A name of the test's own.
    #[arg(long)]
    key: String,
}

command! {
    Leave(LeaveArgs) -> Text {
        Spec::new("leave", "leave a request behind")
            .capabilities(Capabilities::none().network(NetworkScope::AnyPublic))
    }
    |args, door| {
        let LeaveArgs { url, key } = args;
        let (own, name) = (door.clone(), key.clone());
        #[expect(clippy::disallowed_methods, reason = "what a command must not do, and might")]
        tokio::spawn(async move {
            let answer = match own.http() {
                Ok(http) => http.send(Request::get(url)).await,
                Err(failure) => Err(failure),
            };
            let told = match answer {
                Ok(_) => "ok".to_owned(),
                Err(failure) => failure.code().name().to_owned(),
            };
            FOUND.lock().unwrap().insert(name, vec![told]);
        });
        while !is_open(&key) {
            door.clock().sleep(Duration::from_millis(1)).await;
        }
        text("left")
    }
}
