//! `tapeline exec "LINE"`: one run.

use std::io::{self, IsTerminal, Read, Write};

use anyhow::Context as _;
use tapeline::{Envelope, Request, Terminal, clap};

use crate::{options::Options, progress, signals::cancel_on_signal};

/// Arguments of `exec`.
#[derive(Debug, clap::Args)]
pub(crate) struct Exec {
    /// The command line, as one argument: "hello --name world". "help" lists the commands.
    line: String,
    /// Print the envelope alone, as one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the line and prints what came of it; gives the envelope's exit code.
pub(crate) fn exec(options: &Options, exec: Exec) -> anyhow::Result<u8> {
    let terminal = options.terminal()?;
    let Exec { line, json } = exec;
    let stdin = match terminal.takes_stdin(&line) {
        true => Some(read_stdin(terminal.limits().stdin_bytes)?),
        false => None,
    };
    let watched = !json && io::stderr().is_terminal();
    let progress = watched.then(|| progress::show(terminal.events()));
    let envelope = run(
        &terminal,
        Request { command: line, stdin, timeout_ms: options.timeout_ms, ..Request::default() },
    )?;
    drop(terminal);
    if let Some(progress) = progress {
        let _ = progress.join();
    }
    let mut stdout = io::stdout().lock();
    let printed = match json {
        true => writeln!(stdout, "{}", envelope.to_json()),
        false => print(&envelope, &mut stdout, &mut io::stderr().lock()),
    };
    match printed {
        // Whoever reads our output is free to stop; the exit code is the envelope's all the same.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let run = format!("run {} is over, and its output cannot be written", envelope.run_id);
            Err(anyhow::Error::new(error).context(run))
        }
        _ => Ok(envelope.exit_code),
    }
}

fn run(terminal: &Terminal, request: Request) -> anyhow::Result<Envelope> {
    let run = terminal.start(request);
    cancel_on_signal(run.canceller())?;
    Ok(run.wait())
}

/// Reads no more than shows that it is too much; the run then says so.
fn read_stdin(max_bytes: u64) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let mut stdin = io::stdin().lock().take(max_bytes.saturating_add(1));
    stdin.read_to_end(&mut bytes).context("cannot read stdin")?;
    match bytes.len() as u64 > max_bytes {
        true => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        false => String::from_utf8(bytes).context("stdin is no UTF-8 text"),
    }
}

/// For people: the run's own output, then what it left and what went wrong.
fn print(envelope: &Envelope, stdout: &mut dyn Write, stderr: &mut dyn Write) -> io::Result<()> {
    stdout.write_all(envelope.stdout.as_bytes())?;
    stdout.flush()?;
    stderr.write_all(envelope.stderr.as_bytes())?;
    for artifact in &envelope.artifacts {
        let (path, bytes, mime) = (&artifact.path, artifact.bytes, &artifact.mime);
        writeln!(stderr, "wrote {path} ({bytes} bytes, {mime}): {}", artifact.description)?;
    }
    if let Some(code) = &envelope.error_code {
        writeln!(stderr, "{code}: {}", envelope.error_message.as_deref().unwrap_or_default())?;
    }
    if let Some(hint) = &envelope.hint {
        writeln!(stderr, "hint: {hint}")?;
    }
    writeln!(stderr, "run {}", envelope.run_id)
}
