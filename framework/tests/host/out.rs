//! Two files of the caller's choice: both are written, or none.

use std::sync::Arc;

use serde_json::json;
use tapeline::{
    ApprovalAnswer,
    workspace::{WorkspaceFaultKind, WriteStage},
};

use crate::world::{Asked, World};

const LINE: &str = "keep --text new --out a.txt --raw-out b.txt";

fn approved() -> (World, Arc<Asked>) {
    let approver = Asked::says(ApprovalAnswer::Approved);
    (World::with(|builder| builder.approver(approver.clone())), approver)
}

/// What is in both files.
fn content(world: &World) -> [Option<String>; 2] {
    [world.read("a.txt"), world.read("b.txt")]
}

fn is(content: [Option<&str>; 2]) -> [Option<String>; 2] {
    content.map(|text| text.map(str::to_owned))
}

#[test]
fn two_files_are_written_and_named_in_order() {
    let world = World::new();
    let ran = world.exec(LINE).ok();
    assert_eq!(content(&world), is([Some("new"), Some("raw new")]));
    assert_eq!(ran.result["paths"], json!([".agents/a.txt", ".agents/b.txt"]));
    let named: Vec<_> = ran
        .envelope
        .artifacts
        .iter()
        .map(|artifact| (artifact.path.as_str(), artifact.description.as_str()))
        .collect();
    assert_eq!(named, [(".agents/a.txt", "what was given"), (".agents/b.txt", "as it was")]);
    assert_eq!(ran.record.capabilities, ["WriteFiles", "HighRisk"]);
}

#[test]
fn either_file_may_be_left_out() {
    let world = World::new();
    let ran = world.exec("keep --text new --raw-out b.txt").ok();
    assert_eq!(ran.result["paths"], json!([".agents/b.txt"]));
    let ran = world.exec("keep --number 7 --out a.txt").ok();
    assert_eq!(ran.result["paths"], json!([".agents/a.txt"]));
    assert_eq!(content(&world), is([Some("7"), Some("raw new")]));
    let ran = world.exec("keep --number 7").ok();
    assert_eq!(ran.result["paths"], json!([]));
    assert_eq!(ran.envelope.artifacts.len(), 0);
}

#[test]
fn when_either_cannot_be_written_neither_is_left() {
    for (broken, is_first) in [("a.txt", true), ("b.txt", false)] {
        for stage in [WriteStage::Create, WriteStage::AfterBytes(1), WriteStage::Commit] {
            let world = World::new();
            world.workspace.fail_write(broken, stage, WorkspaceFaultKind::Full);
            let ran = world.exec(LINE).fails("WorkspaceError", 74, &[broken]);
            assert_eq!(ran.result["kind"], json!("full"), "{broken} {stage:?}");
            assert_eq!(content(&world), [None, None], "{broken} {stage:?}");
            assert_eq!(ran.envelope.artifacts.len(), 0, "{broken} {stage:?}");

            // What was there is replaced only by all of what comes.
            let (world, _) = approved();
            world.put(broken, "old");
            world.workspace.fail_write(broken, stage, WorkspaceFaultKind::Full);
            world.exec(&format!("{LINE} --overwrite")).fails("WorkspaceError", 74, &[broken]);
            let left = if is_first { is([Some("old"), None]) } else { is([None, Some("old")]) };
            assert_eq!(content(&world), left, "{broken} {stage:?}");
        }
    }
}

/// Two renames are no transaction; the failure is told, and nothing is lost but the older text.
#[test]
fn an_older_file_that_was_replaced_first_is_not_brought_back() {
    let (world, _) = approved();
    world.put("a.txt", "old");
    world.workspace.fail_write("b.txt", WriteStage::Commit, WorkspaceFaultKind::Full);
    let ran = world.exec(&format!("{LINE} --overwrite")).fails("WorkspaceError", 74, &["b.txt"]);
    assert_eq!(content(&world), is([Some("new"), None]));
    assert_eq!(ran.envelope.artifacts.len(), 0);

    // Before that, all that can fail has been tried.
    for stage in [WriteStage::Create, WriteStage::AfterBytes(1)] {
        let (world, _) = approved();
        world.put("a.txt", "old");
        world.workspace.fail_write("b.txt", stage, WorkspaceFaultKind::Full);
        world.exec(&format!("{LINE} --overwrite")).fails("WorkspaceError", 74, &["b.txt"]);
        assert_eq!(content(&world), is([Some("old"), None]), "{stage:?}");
    }
}

#[test]
fn a_file_that_is_there_keeps_both_from_being_written() {
    for there in ["a.txt", "b.txt"] {
        let world = World::new();
        world.put(there, "old");
        let ran = world.exec(LINE).fails("OutExists", 2, &[there, "--overwrite"]);
        assert_eq!(ran.result["path"], json!(format!(".agents/{there}")));
        assert_eq!(world.workspace.files().len(), 1);
        assert_eq!(world.read(there).as_deref(), Some("old"));
    }
}

#[test]
fn overwrite_counts_for_both_and_asks_for_each_that_is_there() {
    let (world, approver) = approved();
    world.exec(&format!("{LINE} --overwrite")).ok();
    assert_eq!(approver.asked.lock().unwrap().len(), 0, "nothing was there");
    world.exec(&format!("{LINE} --overwrite")).ok();
    let asked = std::mem::take(&mut *approver.asked.lock().unwrap());
    let asked: Vec<_> = asked.iter().map(|request| request.action.as_str()).collect();
    assert_eq!(asked, ["overwrite `.agents/a.txt`", "overwrite `.agents/b.txt`"]);

    // The second file may be the only one.
    world.exec("keep --text newer --raw-out b.txt --overwrite").ok();
    assert_eq!(content(&world), is([Some("new"), Some("raw newer")]));

    let world = World::with(|builder| builder.approver(Asked::says(ApprovalAnswer::Denied)));
    world.put("b.txt", "old");
    world.exec(&format!("{LINE} --overwrite")).fails("ApprovalDenied", 126, &[]);
    assert_eq!(content(&world), is([None, Some("old")]));
}
