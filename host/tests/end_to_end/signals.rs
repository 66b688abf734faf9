//! Ctrl-C and SIGTERM end a run with its envelope and its record.
#![cfg(unix)]

use std::{
    fs::File,
    io::Write,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tapeline_replay::loopback::Answer;

use crate::{
    pty::{shown_until, terminal},
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
    let shown = shown_until(&mut ours, "[y/N]");
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
