//! The acceptance of `doc` (PRD-0011): an agent that has one tool, `terminal_exec`, and file tools
//! follows its skill line by line and has the text on disk; what is subscribed to the terminal's
//! events takes each artifact into a queue, as an application's automation would.

use std::{fs, path::Path, sync::mpsc, thread};

use tapeline::{Artifact, RunEvent, Terminal};
use tapeline_commands as _;

use crate::{scratch::workspace_root, skills};

#[test]
fn an_agent_follows_the_skill_and_an_automation_takes_what_comes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put_sample(root);
    let terminal = Terminal::builder().root(root).build().unwrap();
    let (queue, taken) = mpsc::channel();
    let mut events = terminal.events();
    let automation = thread::spawn(move || {
        while let Some(event) = events.next_blocking() {
            if let RunEvent::Finished { envelope } = event {
                envelope.artifacts.into_iter().for_each(|artifact| queue.send(artifact).unwrap());
            }
        }
    });

    let skill = fs::read_to_string(workspace_root().join("skills/doc/SKILL.md")).unwrap();
    for example in skills::examples(&skill).unwrap() {
        let envelope = terminal.exec_blocking(&example.command);
        assert_eq!(envelope.exit_code, 0, "{envelope:?}");
        assert_eq!(envelope.stdout, example.stdout);
    }
    drop(terminal);
    automation.join().unwrap();

    let taken: Vec<Artifact> = taken.iter().collect();
    let paths: Vec<_> = taken.iter().map(|artifact| artifact.path.as_str()).collect();
    assert_eq!(paths, [".agents/artifacts/doc/report.md", ".agents/artifacts/doc/regions.csv"]);
    for artifact in &taken {
        let content = fs::read(root.join(&artifact.path)).unwrap();
        assert_eq!(content.len() as u64, artifact.bytes);
    }
    let text = fs::read_to_string(root.join(".agents/artifacts/doc/report.md")).unwrap();
    assert!(text.starts_with("# Quarterly report\n"), "{text}");
    assert!(text.contains("| North | 120 |"), "{text}");
}

/// Puts the sample where the person of the skill has put it.
pub(crate) fn put_sample(root: &Path) {
    let inbox = root.join(".agents/inbox");
    fs::create_dir_all(&inbox).unwrap();
    fs::copy(workspace_root().join("docs/samples/report.docx"), inbox.join("report.docx")).unwrap();
}
