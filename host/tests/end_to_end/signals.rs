//! Ctrl-C and SIGTERM end a run with its envelope and its record.
#![cfg(unix)]

use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::unix::ffi::OsStrExt,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use tapeline_replay::loopback::Answer;

use crate::{
    rates::fresh,
    world::{CONVERT, World, envelope},
};

#[test]
fn a_signal_cancels_the_run() {
    for signal in ["-INT", "-TERM"] {
        let mut world = World::with(Answer::stall_before_head());
        let child = world
            .command(&["exec", "--json", CONVERT])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The run is under way once its request is there.
        while world.server().hits("/v6/latest/CNY") == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        kill(signal, &child);
        let envelope = envelope(&child.wait_with_output().unwrap());
        assert_eq!(envelope["error_code"], "Cancelled", "{envelope:#}");
        assert_eq!(envelope["exit_code"], 130);
        assert_eq!(world.record(&envelope)["exit_code"], 130);
        world.stop_server();
        world.check_replays(&envelope);
    }
}

fn kill(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The two ends of a new terminal: ours, and the program's.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs =
        OpenOptions::new().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
    (ours.into(), theirs)
}

/// A run that asks at a terminal whether it may overwrite a file, up to the question.
fn asking(world: &World) -> (Child, File) {
    let line = "exchange-rate latest --base CNY --out kept.json";
    assert_eq!(world.exec(line)["exit_code"], 0);
    let (mut ours, theirs) = terminal();
    let child = world
        .command(&["exec", "--json", &format!("{line} --overwrite")])
        .stdin(theirs.try_clone().unwrap())
        .stderr(theirs)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = String::new();
    let mut buffer = [0; 1024];
    while !shown.contains("[y/N]") {
        let read = ours.read(&mut buffer).unwrap();
        shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert!(shown.contains("wants to overwrite `.agents/kept.json`"), "{shown}");
    (child, ours)
}

#[test]
fn a_person_at_the_terminal_is_asked() {
    for (answer, code) in [("y\n", serde_json::Value::Null), ("\n", "ApprovalDenied".into())] {
        let world = World::with(fresh());
        let (child, mut ours) = asking(&world);
        ours.write_all(answer.as_bytes()).unwrap();
        let envelope = envelope(&child.wait_with_output().unwrap());
        assert_eq!(envelope["error_code"], code, "{envelope:#}");
        world.check_replays(&envelope);
    }
}

#[test]
fn a_signal_reaches_a_run_that_waits_for_an_answer() {
    let world = World::with(fresh());
    let (child, _ours) = asking(&world);
    kill("-INT", &child);
    let envelope = envelope(&child.wait_with_output().unwrap());
    assert_eq!(envelope["error_code"], "Cancelled", "{envelope:#}");
    world.check_replays(&envelope);
}
