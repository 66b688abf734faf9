//! The whitelist of these tests: `do` takes its steps from the line, so that a test says in one
//! line what a run does. Another *build* of it is another type under the same path.

use std::{
    future::{Future, poll_fn},
    io::Read,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Group, Limits, NetworkScope, Out, Registry,
    Spec, WorkspacePath, async_trait, clap, group,
    http::{Request, Response},
    registration,
};

use crate::secret_samples::samples;

/// The build that records, and the ways another build differs from it.
pub(crate) const RECORDED: u8 = 0;
pub(crate) const OTHER_VALUE: u8 = 1;
pub(crate) const OTHER_HEADER: u8 = 2;
pub(crate) const FEWER_REQUESTS: u8 = 3;
pub(crate) const MORE_LINES: u8 = 4;
pub(crate) const SWALLOWS_A_REQUEST: u8 = 5;
pub(crate) const SWALLOWS_A_READ: u8 = 6;
pub(crate) const PANICS: u8 = 7;
pub(crate) const READS_THE_CLOCK: u8 = 8;
pub(crate) const SWALLOWS_AN_APPROVAL: u8 = 9;
pub(crate) const SWALLOWS_A_LIST: u8 = 10;
pub(crate) const REQUESTS_FIRST: u8 = 11;
pub(crate) const TELLS_SECRETS: u8 = 12;
pub(crate) const LEAVES_A_THREAD: u8 = 13;
pub(crate) const OTHER_FILES: u8 = 14;

pub(crate) fn registry<const BUILD: u8>() -> Arc<Registry> {
    let registry = Registry::builder()
        .register(registration::<Do<BUILD>>())
        .register(registration::<Plain>())
        .register(registration::<Near>())
        .register(group(Group { path: "far", summary: "commands far away", long_help: "" }))
        .register(registration::<Far>())
        .build();
    Arc::new(registry.unwrap())
}

#[derive(Default)]
pub(crate) struct Do<const BUILD: u8>;

#[derive(clap::Args, Serialize)]
pub(crate) struct DoArgs {
    /// What to do, one after the other; `?` before a step goes on after its failure.
    steps: Vec<String>,
    /// A secret.
    #[arg(long)]
    key: Option<String>,
    /// A number.
    #[arg(long)]
    number: Option<u32>,
    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
}

#[derive(Serialize)]
pub(crate) struct Done {
    steps: Vec<String>,
    big: String,
}

const BAD_DATA: ErrorCode = ErrorCode::own("BadData");

#[async_trait]
impl<const BUILD: u8> Command for Do<BUILD> {
    type Args = DoArgs;
    type Output = Done;

    fn spec() -> Spec {
        let may = Capabilities::none()
            .read_files()
            .write_files()
            .high_risk()
            .network(NetworkScope::AnyPublic);
        Spec::new("do", "do the steps on the line")
            .capabilities(may)
            .error_codes(&[BAD_DATA, ErrorCode::NOT_FOUND, ErrorCode::NETWORK_ERROR])
            .takes_stdin()
            .audit_secret(&["key"])
    }

    async fn run(&self, args: DoArgs, door: &Context) -> Result<Done, Failure> {
        match BUILD {
            SWALLOWS_A_REQUEST => drop(get::<BUILD>(door, "https://new.example/", &[]).await),
            SWALLOWS_A_READ => drop(door.workspace()?.read(&path("new.txt")?)),
            SWALLOWS_A_LIST => drop(door.workspace()?.list(&path("new")?)),
            SWALLOWS_AN_APPROVAL => drop(door.approve("do something new").await),
            REQUESTS_FIRST => drop(get::<BUILD>(door, "https://new.example/", &[]).await?),
            PANICS => panic!("as the test wants it"),
            LEAVES_A_THREAD => write_late(door.clone()),
            _ => {}
        }
        let mut done = Done { steps: Vec::new(), big: String::new() };
        let mut locks = Vec::new();
        for step in &args.steps {
            let (step, goes_on) = match step.strip_prefix('?') {
                Some(step) => (step, true),
                None => (step.as_str(), false),
            };
            if BUILD == READS_THE_CLOCK {
                door.clock().now_ms();
            }
            let came = match step.split_once(' ').unwrap_or((step, "")) {
                ("lock", rest) => match rest.split_once(' ') {
                    Some((name, wait_ms)) => {
                        let wait = Duration::from_millis(wait_ms.parse().unwrap());
                        door.lock(name, wait).await.map(|lock| {
                            locks.push(lock);
                            "locked".to_owned()
                        })
                    }
                    None => panic!("lock NAME MS"),
                },
                ("unlock", _) => Ok(locks.pop().map_or("nothing", |_| "unlocked").to_owned()),
                ("big", length) => {
                    done.big = "x".repeat(length.parse().unwrap());
                    Ok("big".to_owned())
                }
                (verb, rest) => self.step(verb, rest, &args, door).await,
            };
            let came = match came {
                Err(failure) if goes_on => failure.to_string(),
                came => came?,
            };
            door.stdout().line(&came);
            done.steps.push(came);
        }
        if BUILD == OTHER_VALUE {
            done.steps.truncate(1);
            done.steps.insert(0, "another value".to_owned());
        }
        if BUILD == TELLS_SECRETS {
            let secrets: Vec<String> = samples().into_iter().map(|(_, text, _)| text).collect();
            door.stdout().line(&secrets.join("\n"));
            door.workspace()?.write(&path("out.txt")?, secrets.join("\n").as_bytes())?;
            done.steps.extend(secrets);
        }
        if BUILD == MORE_LINES {
            door.stdout().line("one line more");
        }
        Ok(done)
    }
}

impl<const BUILD: u8> Do<BUILD> {
    async fn step(
        &self,
        verb: &str,
        rest: &str,
        args: &DoArgs,
        door: &Context,
    ) -> Result<String, Failure> {
        let key = args.key.as_deref().unwrap_or("no key");
        let files = door.workspace()?;
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok(match verb {
            "get" if BUILD == FEWER_REQUESTS && rest.contains("second") => "not asked".to_owned(),
            "get" => shown(&get::<BUILD>(door, rest, &[]).await?),
            "get-with-key" => {
                let value = format!("Bearer {key}");
                shown(&get::<BUILD>(door, rest, &[("Authorization", &value)]).await?)
            }
            "get-with-scrambled-key" => {
                let value = format!("Basic {}", key.chars().rev().collect::<String>());
                shown(&get::<BUILD>(door, rest, &[("Authorization", &value)]).await?)
            }
            "get-with-file" => {
                let value = String::from_utf8(files.read(&path(second)?)?).unwrap();
                shown(&get::<BUILD>(door, first, &[("x-note", &value)]).await?)
            }
            "post-file" => {
                let request = Request {
                    method: "POST".to_owned(),
                    body: files.read(&path(second)?)?,
                    ..Request::get(first)
                };
                shown(&door.http()?.send(request).await?)
            }
            "get-key" => shown(&get::<BUILD>(door, &format!("{rest}?api_key={key}"), &[]).await?),
            "get-key-path" => shown(&get::<BUILD>(door, &format!("{rest}{key}"), &[]).await?),
            "or" => match get::<BUILD>(door, first, &[]).await {
                Ok(response) => shown(&response),
                Err(_) => shown(&get::<BUILD>(door, second, &[]).await?),
            },
            "odd-on-failure" => {
                let response = get::<BUILD>(door, rest, &[]).await;
                shown(&response.map_err(|_| Failure::new(ErrorCode::own("Odd"), "odd"))?)
            }
            "less-on-failure" => {
                let response = get::<BUILD>(door, rest, &[]).await;
                let less = |_| Failure::new(ErrorCode::LIMIT_EXCEEDED, "more than is allowed");
                shown(&response.map_err(less)?)
            }
            "panic-on-failure" => shown(&get::<BUILD>(door, rest, &[]).await.unwrap()),
            "hang-on-failure" => match get::<BUILD>(door, rest, &[]).await {
                Ok(response) => shown(&response),
                Err(_) => loop {
                    std::thread::park();
                },
            },
            "half" => {
                files.write(&path(first)?, b"{\"a\"")?;
                get::<BUILD>(door, second, &[]).await?;
                let written = files.write(&path(first)?, b"{\"a\":1}")?;
                door.artifact(written, "application/json", "what was made of it");
                "whole".to_owned()
            }
            "part" => {
                files.write(&path(first)?, b"for a while")?;
                get::<BUILD>(door, second, &[]).await?;
                files.remove(&path(first)?).map(|()| "done".to_owned())?
            }
            "gone" => {
                let written = files.write(&path(first)?, b"there")?;
                door.artifact(written, "text/plain", "what is there");
                if let Err(failure) = get::<BUILD>(door, second, &[]).await {
                    files.remove(&path(first)?)?;
                    return Err(failure);
                }
                "there".to_owned()
            }
            "post" => {
                let request = Request {
                    method: "POST".to_owned(),
                    body: second.as_bytes().to_vec(),
                    ..Request::get(first)
                };
                shown(&door.http()?.send(request).await?)
            }
            "both" => {
                let ask = async |url: &str| {
                    let response = get::<BUILD>(door, url, &[]).await;
                    let now_ms = door.clock().now_ms();
                    door.stdout().line(&format!("{url} at {now_ms}"));
                    response.map(|response| shown(&response))
                };
                let (one, other) = both(ask(first), ask(second)).await;
                format!("{} and {}", one?, other?)
            }
            "now" => door.clock().now_ms().to_string(),
            "sleep" => {
                door.clock().sleep(Duration::from_millis(rest.parse().unwrap())).await;
                "slept".to_owned()
            }
            "uuid" => door.new_uuid(),
            "random" => door.random_u64().to_string(),
            "where" => here(),
            "hang" => loop {
                std::thread::park();
            },
            "run-id" => door.run_id().to_owned(),
            "read" => {
                let bytes = files.read(&path(rest)?)?;
                let text: String = String::from_utf8_lossy(&bytes).chars().take(20).collect();
                format!("{} bytes: {text}", bytes.len())
            }
            "read-half" => {
                let mut half = [0; 4];
                let mut file = files.open(&path(rest)?)?;
                file.read_exact(&mut half).unwrap();
                format!("{half:?} of {}", file.len())
            }
            "write" => {
                let written = files.write(&path(first)?, second.as_bytes())?;
                format!("{} {}", written.path, written.bytes)
            }
            "artifact" => {
                let content = match BUILD {
                    OTHER_FILES => format!("another {second}"),
                    _ => second.to_owned(),
                };
                let written = files.write(&path(first)?, content.as_bytes())?;
                door.artifact(written, "text/plain", "a text");
                "kept".to_owned()
            }
            "abandon" => {
                files.create(&path(first)?)?.append(second.as_bytes())?;
                "abandoned".to_owned()
            }
            "remove" => files.remove(&path(rest)?).map(|()| "removed".to_owned())?,
            "list" => {
                let names = files.list(&path(rest)?)?.into_iter();
                let names = names.map(|entry| format!("{}:{:?}", entry.name, entry.kind));
                names.collect::<Vec<_>>().join(" ")
            }
            "save" => match args.out.open(door).await? {
                Some(file) => file.finish(rest.as_bytes(), "text/plain", "what was saved")?,
                None => "nowhere".to_owned(),
            },
            "open-out" => {
                args.out.open(door).await?;
                "dropped".to_owned()
            }
            "approve" => door.approve(rest).await.map(|()| "approved".to_owned())?,
            "print" => rest.to_owned(),
            "many" => format!("{}|", "ä".repeat(rest.parse().unwrap())),
            "warn" => {
                door.stderr().line(rest);
                "warned".to_owned()
            }
            "stdin" => format!("{:?}", door.stdin().map(str::len)),
            "length" => key.len().to_string(),
            "key" => key.to_owned(),
            "fail" => {
                return Err(Failure::new(BAD_DATA, rest).hint("give better data").detail("at", 7));
            }
            "panic" => panic!("{rest}"),
            "model" => door.model(rest)?.len().to_string(),
            "worker" => door.worker(1 << 20, |_| 6 * 7).await?.to_string(),
            other => panic!("no step `{other}`"),
        })
    }
}

/// A thread that outlives its run, and writes then.
fn write_late(door: Context) {
    std::thread::spawn(move || {
        while !door.cancelled() {
            std::thread::yield_now();
        }
        // The door is closed by then.
        drop(door.workspace().and_then(|files| files.write(&path("late.txt")?, b"late")));
        loop {
            std::thread::park();
        }
    });
}

/// What a command must not look at.
fn here() -> String {
    std::env::current_dir().unwrap().display().to_string()
}

fn path(text: &str) -> Result<WorkspacePath, Failure> {
    Ok(text.parse::<WorkspacePath>()?)
}

async fn get<const BUILD: u8>(
    door: &Context,
    url: &str,
    headers: &[(&str, &str)],
) -> Result<Response, Failure> {
    let mut request = Request::get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if BUILD == OTHER_HEADER {
        request = request.header("x-build", "2");
    }
    door.http()?.send(request).await
}

fn shown(response: &Response) -> String {
    let body: String = String::from_utf8_lossy(&response.body).chars().take(40).collect();
    format!("{} {} {:?} {body}", response.status, response.url, response.redirects)
}

/// Both, each as it can.
async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut of_one, mut of_other) = (None, None);
    poll_fn(|context| {
        if of_one.is_none()
            && let Poll::Ready(output) = one.as_mut().poll(context)
        {
            of_one = Some(output);
        }
        if of_other.is_none()
            && let Poll::Ready(output) = other.as_mut().poll(context)
        {
            of_other = Some(output);
        }
        match (of_one.is_some(), of_other.is_some()) {
            (true, true) => Poll::Ready(()),
            _ => Poll::Pending,
        }
    })
    .await;
    (of_one.unwrap(), of_other.unwrap())
}

/// Declares nothing.
#[derive(Default)]
pub(crate) struct Plain;

#[derive(clap::Args, Serialize)]
pub(crate) struct PlainArgs {
    /// Which door to try.
    #[arg(long)]
    door: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Nothing {}

#[async_trait]
impl Command for Plain {
    type Args = PlainArgs;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::new("plain", "declare nothing").example("plain", "nothing")
    }

    async fn run(&self, args: PlainArgs, door: &Context) -> Result<Nothing, Failure> {
        match args.door.as_deref() {
            Some("http") => drop(door.http()?),
            Some("workspace") => drop(door.workspace()?),
            Some("approve") => door.approve("do it").await?,
            _ => {}
        }
        Ok(Nothing {})
    }
}

/// Declares one host.
#[derive(Default)]
pub(crate) struct Near;

#[derive(clap::Args, Serialize)]
pub(crate) struct NearArgs {
    /// What to ask.
    url: String,
}

#[async_trait]
impl Command for Near {
    type Args = NearArgs;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::new("near", "ask one host")
            .capabilities(Capabilities::none().network(NetworkScope::hosts(["a.example"])))
            .limits(Limits { http_body_bytes: 8, http_requests: 2, ..Limits::UNBOUNDED })
    }

    async fn run(&self, args: NearArgs, door: &Context) -> Result<Nothing, Failure> {
        for _ in 0..3 {
            let response = door.http()?.send(Request::get(&args.url)).await?;
            door.stdout().line(&shown(&response));
        }
        Ok(Nothing {})
    }
}

/// Lies in a group.
#[derive(Default)]
pub(crate) struct Far;

#[async_trait]
impl Command for Far {
    type Args = PlainArgs;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::new("far away", "be far away").long_help("Farther than that.")
    }

    async fn run(&self, _: PlainArgs, _: &Context) -> Result<Nothing, Failure> {
        Ok(Nothing {})
    }
}
