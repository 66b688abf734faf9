//! [`Writer`]: a process that does nothing but run lines, and says which.

use std::{
    fs,
    future::Future as _,
    io::Write as _,
    path::Path,
    pin::pin,
    sync::Arc,
    task::{Context as TaskContext, Poll, Waker},
    thread,
    time::Duration,
};

use anyhow::Context;
use async_trait::async_trait;
use clap::Args;
use fastrand::Rng;
use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, NetworkOptions, Policy, Request, Terminal,
};
use tapeline_commands as _;

use super::Place;

/// A line of stdout: a run is about to be asked for.
pub(super) const BEGUN: &str = "begun ";
/// A line of stdout: its envelope came, and does not say that the log cannot be written.
pub(super) const ANSWERED: &str = "answered ";

/// Runs lines in several threads until it has made enough of them, or is killed.
#[derive(Debug, Args)]
pub(crate) struct Writer {
    #[command(flatten)]
    place: Place,
    #[arg(long, default_value_t = 4)]
    threads: u64,
    /// Altogether; 0 is without end.
    #[arg(long, default_value_t = 0)]
    runs: u64,
    /// What happens is drawn from this.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Cancels, drops and short times, and a workspace in which things go wrong.
    #[arg(long)]
    rough: bool,
}

pub(super) fn run(writer: &Writer) -> anyhow::Result<()> {
    let Place { root, connect_to, cacert } = &writer.place;
    let ca_pem = cacert.as_ref().map(fs::read).transpose().context("read the certificates")?;
    let network = NetworkOptions {
        connect_to: connect_to.iter().cloned().collect(),
        ca_pem,
        ..NetworkOptions::default()
    };
    let terminal = Terminal::builder()
        .root(root)
        .policy(Policy::default().allow_declared_network())
        .network(network)
        .approver(Arc::new(Moody))
        .host("stress", env!("CARGO_PKG_VERSION"))
        .build()?;
    let lines = lines(&terminal);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..writer.threads {
            let (terminal, lines) = (&terminal, &lines);
            let share =
                writer.runs / writer.threads + u64::from(number < writer.runs % writer.threads);
            let mut dice = Rng::with_seed(writer.seed.wrapping_mul(1000).wrapping_add(number));
            threads.push(scope.spawn(move || {
                let mut made = 0;
                while writer.runs == 0 || made < share {
                    if writer.rough && dice.u8(..) < 8 {
                        spoil(&root.join(".agents"), &mut dice)?;
                    }
                    one(terminal, lines, writer.rough, &mut dice)?;
                    made += 1;
                }
                anyhow::Ok(())
            }));
        }
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(done) => done,
            Err(_) => anyhow::bail!("a thread panicked"),
        })
    })
}

/// Every example of every command, help, and lines that are refused.
fn lines(terminal: &Terminal) -> Vec<String> {
    let mut lines = Vec::new();
    for spec in terminal.registry().specs() {
        lines.push(format!("help {}", spec.path));
        lines.extend(spec.examples.iter().map(|example| example.command.to_owned()));
    }
    let others = [
        "help",
        "no-such command",
        "hello --name 'open",
        "hello --name a | cat",
        "hello --name {N}",
        "exchange-rate latest --base CNY --no-cache",
        "exchange-rate latest --base EUR --no-cache --out stress/{N}.json",
        "exchange-rate latest --base CNY --out stress/one.json --overwrite",
        "exchange-rate latest --base CNY --out ../outside.json",
        "rss add --name a --url https://www.washingtonpost.com/arcio/rss/category/politics/?n={N}",
        "rss fetch --name wapo-politics --force --out stress/{N}.json --raw-out stress/{N}.xml",
    ];
    lines.extend(others.map(str::to_owned));
    lines
}

fn one(terminal: &Terminal, lines: &[String], rough: bool, dice: &mut Rng) -> anyhow::Result<()> {
    let line = dice.choice(lines).context("no line to run")?;
    let mut request =
        Request::new(line.replace("{N}", &dice.u16(..).to_string())).label("actor", "stress");
    let mood = if rough { dice.u8(0..10) } else { u8::MAX };
    if mood == 0 {
        request = request.timeout_ms(dice.u64(1..300));
    }
    let run = terminal.start(request);
    let run_id = run.id().to_owned();
    say(BEGUN, &run_id)?;
    let code = match mood {
        1 => {
            // Dropped where it happens to be, it is a cancelled run.
            let mut run = pin!(run);
            match run.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())) {
                Poll::Ready(envelope) => envelope.error_code,
                Poll::Pending => None,
            }
        }
        2 | 3 => {
            let canceller = run.canceller();
            let after = Duration::from_micros(dice.u64(..20_000));
            thread::scope(|scope| {
                scope.spawn(move || {
                    thread::sleep(after);
                    canceller.cancel();
                });
                run.wait().error_code
            })
        }
        _ => run.wait().error_code,
    };
    if code.as_deref() != Some("AuditUnavailable") {
        say(ANSWERED, &run_id)?;
    }
    Ok(())
}

/// One write for each line, so that none is torn but by the end of the process.
fn say(what: &str, run_id: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(format!("{what}{run_id}\n").as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Something happens to the workspace that no command did.
fn spoil(workspace: &Path, dice: &mut Rng) -> anyhow::Result<()> {
    let cache = workspace.join("cache/exchange-rate");
    let feeds = workspace.join("workspace/rss");
    let target = match dice.u8(0..6) {
        0 => workspace.join("stress/one.json"),
        1 => workspace.join("stress"),
        2 => cache.join("CNY.json"),
        3 => feeds.join("subscriptions.json"),
        4 => feeds.join("fetch_state.json"),
        _ => cache,
    };
    // Others do the same at the same time: what fails has happened already.
    match dice.u8(0..4) {
        0 => drop(fs::remove_file(&target)),
        1 => drop(fs::remove_dir_all(&target)),
        2 => drop(fs::write(&target, "{\"half\":")),
        _ => drop(fs::create_dir_all(&target)),
    }
    Ok(())
}

/// Says yes and no by the run that asks.
struct Moody;

#[async_trait]
impl Approver for Moody {
    async fn approve(&self, request: ApprovalRequest) -> ApprovalAnswer {
        match request.run_id.bytes().last() {
            Some(b'0'..=b'9') => ApprovalAnswer::Approved,
            Some(b'a') => ApprovalAnswer::Failed,
            _ => ApprovalAnswer::Denied,
        }
    }
}
