//! A fresh root, a server that stands in for the provider, and the program.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tapeline_replay::loopback::{Answer, Loopback};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tapeline");
pub(crate) const PROVIDER: &str = "open.er-api.com";
pub(crate) const CONVERT: &str = "exchange-rate convert --from CNY --to USD --amount 100";

pub(crate) struct World {
    folder: TempDir,
    server: Option<Loopback>,
    connect_to: String,
    pub(crate) program: PathBuf,
}

impl World {
    /// A provider that answers `GET /v6/latest/CNY` so.
    pub(crate) fn with(answer: Answer) -> Self {
        let world = Self::new();
        world.answer("CNY", answer);
        world
    }

    /// A provider that answers 404.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Loopback::builder().tls(&[PROVIDER]).start().unwrap();
        server.write_ca(folder.path().join("ca.pem")).unwrap();
        let connect_to = server.connect_to(PROVIDER, 443);
        Self { folder, server: Some(server), connect_to, program: PROGRAM.into() }
    }

    pub(crate) fn answer(&self, base: &str, answer: Answer) {
        self.server().answer("GET", &format!("/v6/latest/{base}"), answer);
    }

    pub(crate) fn server(&self) -> &Loopback {
        self.server.as_ref().unwrap()
    }

    /// From here on nobody listens.
    pub(crate) fn stop_server(&mut self) {
        self.server = None;
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn kept_rates(&self, base: &str) -> PathBuf {
        self.root().join(".agents/cache/exchange-rate").join(format!("{base}.json"))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("--root")
            .arg(self.root())
            .args(["--connect-to", &self.connect_to, "--cacert"])
            .arg(self.path("ca.pem"))
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The envelope of a line; the process's exit code is the envelope's.
    pub(crate) fn exec(&self, line: &str) -> Value {
        self.exec_with(&[], line)
    }

    pub(crate) fn exec_with(&self, options: &[&str], line: &str) -> Value {
        let output = self.run(&[options, &["exec", "--json", line]].concat());
        envelope(&output)
    }

    pub(crate) fn replay(&self, run_id: &str) -> Value {
        let output = self.run(&["replay", "run", run_id, "--json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The run is in the log, and running it again comes to the same.
    pub(crate) fn check_replays(&self, envelope: &Value) {
        let report = self.replay(envelope["run_id"].as_str().unwrap());
        assert_eq!(report["verdict"], "ok", "{report:#}\n{envelope:#}");
    }

    pub(crate) fn record(&self, envelope: &Value) -> Value {
        let output = self.run(&["audit", "show", envelope["run_id"].as_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

pub(crate) fn envelope(output: &Output) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(stdout.lines().count(), 1, "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    let envelope: Value = serde_json::from_str(&stdout).unwrap();
    let schema: Value = serde_json::from_str(tapeline::Envelope::SCHEMA).unwrap();
    jsonschema::validate(&schema, &envelope).unwrap();
    assert_eq!(Some(envelope["exit_code"].as_i64().unwrap()), output.status.code().map(i64::from));
    envelope
}

/// Everything below a folder, as paths relative to it.
pub(crate) fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            found.push(path.strip_prefix(folder).unwrap().to_owned());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}
