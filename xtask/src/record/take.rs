//! [`Take`]: a scenario run once by the real program, in a root of its own, and found right.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use tapeline_replay::loopback::Loopback;
use tempfile::TempDir;

use super::scenario::{Provider, Scenario};
use crate::cargo::{output, shown};

/// One record of one run, in a folder that goes when it is dropped.
#[derive(Debug)]
pub(super) struct Take<'a> {
    scenario: &'a Scenario,
    binary: &'a Path,
    folder: TempDir,
    run_id: String,
}

impl<'a> Take<'a> {
    /// Runs the scenario, holds envelope and requests to what it says, and replays the record.
    pub(super) fn of(scenario: &'a Scenario, binary: &'a Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("make a folder to work in")?;
        let mut take = Self { scenario, binary, folder, run_id: String::new() };
        take.fill_workspace()?;

        let server = take.serve()?;
        let mut command = take.exec(server.as_ref())?;
        let output = match &server {
            Some(server) if scenario.interrupted => interrupt(&mut command, server)?,
            _ => command.output().context("start the host")?,
        };
        let envelope = envelope(&output)?;
        scenario.check(&envelope)?;
        if let Some(server) = &server {
            check_requests(scenario, server)?;
        }
        drop(server);

        take.run_id = envelope
            .get("run_id")
            .and_then(Value::as_str)
            .context("the envelope has no run_id")?
            .to_owned();
        take.check_replay()?;
        Ok(take)
    }

    /// Makes the record a golden case.
    pub(super) fn promote(&self, golden: &Path) -> anyhow::Result<()> {
        let mut command = self.tapeline();
        command.args(["replay", "promote", &self.run_id, "--as", &self.scenario.name]);
        command.args(["--title", self.scenario.title, "--golden"]).arg(golden);
        output(&mut command).map(drop)
    }

    fn fill_workspace(&self) -> anyhow::Result<()> {
        let workspace = self.root().join(".agents");
        for (path, content) in &self.scenario.files {
            let file = workspace.join(path);
            let above = file.parent().unwrap_or(&workspace);
            fs::create_dir_all(above).with_context(|| format!("make the folder of `{path}`"))?;
            fs::write(&file, content).with_context(|| format!("write `{path}`"))?;
        }
        Ok(())
    }

    /// The server that stands in for the provider, where there is one.
    fn serve(&self) -> anyhow::Result<Option<Loopback>> {
        let name = match self.scenario.provider {
            Provider::Answering => self.scenario.host,
            Provider::Impostor => "example.org",
            Provider::Unasked | Provider::Down | Provider::Unresolved => return Ok(None),
        };
        let server = Loopback::builder().tls(&[name]).start().context("start the server")?;
        for (target, answer) in &self.scenario.answers {
            server.answer("GET", target, answer.clone());
        }
        Ok(Some(server))
    }

    fn exec(&self, server: Option<&Loopback>) -> anyhow::Result<Command> {
        let mut command = self.tapeline();
        match (self.scenario.provider, server) {
            (_, Some(server)) => {
                let ca = self.folder.path().join("ca.pem");
                server.write_ca(&ca).context("write the server's certificate authority")?;
                command
                    .args(["--connect-to", &server.connect_to(self.scenario.host, 443), "--cacert"])
                    .arg(ca);
            }
            // The port of `tcpmux`, which nobody has run for decades.
            (Provider::Down, None) => {
                command.args(["--connect-to", &format!("{}:443:127.0.0.1:1", self.scenario.host)]);
            }
            // A domain that is reserved for not being there (RFC 6761).
            (Provider::Unresolved, None) => {
                command.args([
                    "--connect-to",
                    &format!("{}:443:provider.invalid:443", self.scenario.host),
                ]);
            }
            (_, None) => {}
        }
        if let Some(toml) = self.scenario.config {
            let config = self.folder.path().join("tapeline.toml");
            fs::write(&config, toml).context("write the configuration")?;
            command.arg("--config").arg(config);
        }
        if self.scenario.yes {
            command.arg("--yes");
        }
        if let Some(timeout_ms) = self.scenario.timeout_ms {
            command.args(["--timeout-ms", &timeout_ms.to_string()]);
        }
        if let Some(stdin) = self.scenario.stdin {
            let file = self.folder.path().join("stdin");
            fs::write(&file, stdin).context("write what stands on stdin")?;
            command.stdin(fs::File::open(&file).context("open what stands on stdin")?);
        }
        command.args(["exec", "--json", "--", &self.scenario.line]);
        Ok(command)
    }

    /// That running the record again comes to the same.
    fn check_replay(&self) -> anyhow::Result<()> {
        let mut command = self.tapeline();
        command.args(["replay", "run", &self.run_id]);
        let said = output(&mut command)?;
        ensure!(said == format!("{}: ok\n", self.run_id), "the replay does not say ok: {said}");
        Ok(())
    }

    fn tapeline(&self) -> Command {
        let mut command = Command::new(self.binary);
        command.stdin(Stdio::null()).current_dir(self.folder.path());
        command.arg("--root").arg(self.root());
        command
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }
}

fn envelope(output: &Output) -> anyhow::Result<Value> {
    serde_json::from_slice(&output.stdout).with_context(|| {
        let (stdout, stderr) = (&output.stdout, &output.stderr);
        let said = [stdout, stderr].map(|said| String::from_utf8_lossy(said).into_owned());
        format!("the host printed no envelope and ended with {}: {}", output.status, said.concat())
    })
}

/// Answers that nothing asks for, and requests that get no scripted one, are mistakes in a scenario.
fn check_requests(scenario: &Scenario, server: &Loopback) -> anyhow::Result<()> {
    for seen in server.requests() {
        let known = scenario.answers.iter().any(|(target, _)| *target == seen.target);
        ensure!(known, "the program asked for {}, and the scenario has no answer", seen.target);
    }
    for (target, _) in &scenario.answers {
        ensure!(
            server.hits(target) > 0,
            "nothing asked for {target}: take the answer out of the scenario"
        );
    }
    Ok(())
}

/// Runs a command and sends it what Ctrl-C sends once the server has its request.
fn interrupt(command: &mut Command, server: &Loopback) -> anyhow::Result<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.context("start the host")?;
    if let Err(error) = wait_for_request(server).and_then(|()| send_interrupt(&child)) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    child.wait_with_output().context("wait for the host")
}

fn wait_for_request(server: &Loopback) -> anyhow::Result<()> {
    const PATIENCE: Duration = Duration::from_secs(20);
    let started = Instant::now();
    while server.requests().is_empty() {
        if started.elapsed() > PATIENCE {
            bail!("no request came in {} s, so there was nothing to interrupt", PATIENCE.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn send_interrupt(child: &Child) -> anyhow::Result<()> {
    let mut kill = Command::new("kill");
    kill.args(["-INT", &child.id().to_string()]);
    let status = kill.status().context("start `kill`, which this scenario needs")?;
    ensure!(status.success(), "{} ended with {status}", shown(&kill));
    Ok(())
}
