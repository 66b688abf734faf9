//! Ctrl-C and SIGTERM end a run with its envelope and its record.
#![cfg(unix)]

use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use tapeline_replay::loopback::Answer;

use crate::world::{CONVERT, World, envelope};

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
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let envelope = envelope(&child.wait_with_output().unwrap());
        assert_eq!(envelope["error_code"], "Cancelled", "{envelope:#}");
        assert_eq!(envelope["exit_code"], 130);
        assert_eq!(world.record(&envelope)["exit_code"], 130);
        world.stop_server();
        world.check_replays(&envelope);
    }
}
