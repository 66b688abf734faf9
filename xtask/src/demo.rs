//! `cargo xtask demo`: the main job on this machine alone, shown step by step and checked.
//!
//! A server on loopback stands in for the rates' provider, with made-up numbers; the rest is the
//! product as built: its binary, its HTTP stack, its log, its replay.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use tapeline_replay::loopback::{Answer, Loopback};

use crate::cargo::{build_host, shown};
use crate::rates::{HOST, cny, target};

const LINE: &str = "exchange-rate convert --from CNY --to USD --amount 100";
/// 100 × the made-up rate of [`cny`], at the default precision.
const CONVERTED: &str = "12.345600";

pub(crate) fn run() -> anyhow::Result<()> {
    println!("Building the host.");
    walk(&build_host()?)
}

fn walk(binary: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder to work in")?;
    let server = Loopback::builder().tls(&[HOST]).start().context("start the server")?;
    let target = target("CNY");
    server.answer("GET", &target, Answer::ok_json(cny().body()));
    let ca = folder.path().join("ca.pem");
    server.write_ca(&ca).context("write the server's certificate authority")?;
    let root = folder.path().join("root");
    let connect_to = server.connect_to(HOST, 443);
    let tapeline = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        command.current_dir(folder.path()).args(["--root", "root"]).args(arguments);
        command
    };
    let exec =
        || tapeline(&["--connect-to", &connect_to, "--cacert", "ca.pem", "exec", "--json", LINE]);

    heading("A server on loopback stands in for the provider, with made-up rates.");
    println!("https://{HOST}{target} is answered at {}", server.addr());

    heading("One run. It asks the server, over TLS, and leaves a record.");
    let first = envelope(&mut exec(), false)?;
    requests(&server, &target)?;

    heading("The same again. It is answered from the cache; the server hears nothing.");
    let second = envelope(&mut exec(), true)?;
    requests(&server, &target)?;

    heading("The server is gone. The record of the first run says what happened:");
    drop(server);
    let record = said(&mut tapeline(&["audit", "show", &first]))?;
    for part in [first.as_str(), "exchange-rate convert", HOST, CONVERTED] {
        ensure!(record.contains(part), "the record says nothing of `{part}`");
    }

    heading("Both runs are run again from their tapes, without network.");
    for run_id in [&first, &second] {
        let verdict = said(&mut tapeline(&["replay", "run", run_id]))?;
        let ok = verdict.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "ok");
        ensure!(ok, "the replay of {run_id} does not say `ok`");
    }

    ensure!(root.join("audit").is_dir(), "there is no audit log in the root");
    heading("All as it should be: one request, two records, two replays equal to the runs.");
    Ok(())
}

/// Runs `exec --json`, shows the envelope, holds it to what it must be, and returns its run id.
fn envelope(command: &mut Command, cached: bool) -> anyhow::Result<String> {
    let text = said(command)?;
    let envelope: Value = serde_json::from_str(&text).context("read the envelope")?;
    check_envelope(&envelope, cached)
}

fn check_envelope(envelope: &Value, cached: bool) -> anyhow::Result<String> {
    let expected = [
        ("/exit_code", json!(0)),
        ("/error_code", Value::Null),
        ("/result/ok", json!(true)),
        ("/result/converted_amount", json!(CONVERTED)),
        ("/result/cached", json!(cached)),
        ("/result/stale", json!(false)),
    ];
    for (path, expected) in expected {
        let found =
            envelope.pointer(path).with_context(|| format!("the envelope has no {path}"))?;
        ensure!(*found == expected, "{path} is {found}, and should be {expected}");
    }
    let run_id = envelope["run_id"].as_str().context("the envelope has no run_id")?;
    Ok(run_id.to_owned())
}

fn requests(server: &Loopback, target: &str) -> anyhow::Result<()> {
    let (hits, all) = (server.hits(target), server.requests().len());
    println!("requests the server has seen: {all}");
    ensure!(hits == 1 && all == 1, "the server should have seen one request for {target}");
    Ok(())
}

/// Shows a command, runs it, shows what it says, and fails when it fails.
fn said(command: &mut Command) -> anyhow::Result<String> {
    println!("$ {}", shown(command));
    let Output { status, stdout, stderr } = command.output().context("start the host")?;
    let stdout = String::from_utf8(stdout).context("the host's output is not UTF-8")?;
    for line in stdout.lines().chain(String::from_utf8_lossy(&stderr).lines()) {
        println!("    {line}");
    }
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(stdout)
}

fn heading(text: &str) {
    println!("\n{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_that_is_off_is_named_by_its_field() {
        let right = json!({
            "run_id": "r", "exit_code": 0, "error_code": null,
            "result": {"ok": true, "converted_amount": CONVERTED, "cached": false, "stale": false},
        });
        assert_eq!(check_envelope(&right, false).unwrap(), "r");
        let off = check_envelope(&right, true).unwrap_err().to_string();
        assert_eq!(off, "/result/cached is false, and should be true");
        let mut wrong = right;
        wrong["result"]["converted_amount"] = json!("12.3456");
        let off = check_envelope(&wrong, false).unwrap_err().to_string();
        assert!(off.starts_with("/result/converted_amount is \"12.3456\""), "{off}");
    }
}
