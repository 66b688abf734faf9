//! REQ-0024-013: files of state that are damaged, or that cannot be written.

use serde_json::json;
use tapeline::{
    Policy,
    workspace::{Workspace as _, WorkspaceFaultKind, WriteStage},
};

use super::{ADD, BY_NAME, OUT, RSS, STATES, SUBSCRIPTIONS};
use crate::world::{START_MS, World};

const REMOVE: &str = "rss remove --name news";
const LIST: &str = "rss list";
/// Another feed than [`super::URL`]: only then `add` looks at the other file.
const ADD_OTHER: &str = "rss add --name news --url https://feeds.example/other.xml";

#[track_caller]
fn check_corrupt(world: &World, line: &str, path: &str, why: &str) {
    let before = world.workspace.files();
    let told = format!("`.agents/{path}` cannot be read: ");
    let run = world.exec(line).fails("StateCorrupt", &[&told, why, "move it away"]);
    assert_eq!(run.result["path"], format!(".agents/{path}"), "{line}");
    assert_eq!(world.workspace.files(), before, "`{line}` leaves all as it was");
    assert!(world.service.asked().is_empty(), "{line}");
}

#[test]
fn subscriptions_that_cannot_be_read_are_never_overwritten() {
    for (content, why) in [
        ("", "not valid JSON"),
        ("[{\"name\": \"news\"", "line 1, column 16"),
        ("{}", "it is no JSON array"),
        ("[{\"name\": \"news\"}]", "entry 1: `url` is missing"),
        ("[{\"name\": \"News\", \"url\": \"https://a.example/\"}]", "entry 1: `name`"),
        ("[{\"name\": \"news\", \"url\": \"ftp://a.example/\"}]", "entry 1: `url`"),
    ] {
        for line in [ADD, REMOVE, LIST, BY_NAME] {
            let world = World::new();
            world.put(SUBSCRIPTIONS, content);
            check_corrupt(&world, line, SUBSCRIPTIONS, why);
        }
    }
}

#[test]
fn a_list_of_subscriptions_that_cannot_be_read_writes_no_file() {
    let world = World::new();
    world.put(SUBSCRIPTIONS, "[");
    check_corrupt(&world, &format!("rss list --out {OUT}"), SUBSCRIPTIONS, "not valid JSON");
}

#[test]
fn a_fetch_state_that_cannot_be_read_is_never_overwritten() {
    for (content, why) in [
        ("not JSON", "not valid JSON"),
        ("{}", "it is no JSON array"),
        ("[{\"name\": \"news\", \"etag\": 7}]", "`etag` has a value of another kind"),
        ("[{\"name\": \"news\"}, {\"name\": \"news\"}]", "entry 2: `news` is there already"),
    ] {
        for line in [ADD_OTHER, REMOVE, BY_NAME] {
            let world = World::subscribed();
            world.put(STATES, content);
            check_corrupt(&world, line, STATES, why);
        }
        let world = World::subscribed();
        world.put(STATES, content);
        world.exec(LIST).ok();
    }
}

#[test]
fn a_fetch_by_url_looks_at_no_state() {
    let world = World::new();
    world.put(SUBSCRIPTIONS, "[");
    world.put(STATES, "[");
    let before = world.workspace.files();
    world.serves(RSS);
    world.exec(super::BY_URL).ok();
    assert_eq!(world.workspace.files(), before);
}

#[test]
fn a_state_keeps_the_fields_of_a_later_version_and_of_others() {
    let world = World::subscribed();
    let other = json!({"name": "other", "etag": "\"o\"", "x": 1});
    world.put(STATES, json!([other, {"name": "news", "streak": 3}]).to_string());
    world.serves(RSS);
    world.exec(BY_NAME).ok();
    assert_eq!(world.state()["streak"], 3);
    assert_eq!(world.json(STATES)[1], other);
}

#[test]
fn items_are_given_also_where_what_was_learned_cannot_be_kept() {
    let world = World::subscribed();
    world.workspace.fail_write(STATES, WriteStage::Commit, WorkspaceFaultKind::Full);
    world.service.answers(200, &[("etag", "\"1\"")], RSS);
    let run = world.exec(BY_NAME).ok();
    assert_eq!(run.warnings(), ["StateNotWritten"]);
    assert_eq!(run.result["count_total"], 2);
    assert!(run.envelope.stderr.contains("warning: what was learned of the feed is not kept: "));
    assert_eq!(world.read(STATES), None);
}

#[test]
fn a_fetch_without_leave_to_write_reads_the_feed_all_the_same() {
    let mut policy = Policy::default().allow_declared_network();
    policy.write_files = false;
    let world = World::with_policy(policy);
    let entry = json!([{
        "name": "news", "url": super::URL, "created_at_ms": START_MS, "updated_at_ms": START_MS,
    }]);
    world.put(SUBSCRIPTIONS, entry.to_string());
    world.put(STATES, json!([{"name": "news", "etag": "\"1\""}]).to_string());
    let before = world.workspace.files();
    world.serves(RSS);
    assert_eq!(world.exec(BY_NAME).ok().warnings(), ["StateNotWritten"]);
    assert_eq!(world.service.requests()[0].headers[1].1, "\"1\"");
    assert_eq!(world.workspace.files(), before);
}

#[test]
fn a_subscription_that_cannot_be_written_leaves_the_old_ones() {
    for line in [ADD_OTHER, REMOVE] {
        for stage in [WriteStage::Create, WriteStage::AfterBytes(1), WriteStage::Commit] {
            let world = World::subscribed();
            let before = world.read(SUBSCRIPTIONS);
            world.workspace.fail_write(SUBSCRIPTIONS, stage, WorkspaceFaultKind::Full);
            world.exec(line).fails("WorkspaceError", &["subscriptions.json"]);
            assert_eq!(world.read(SUBSCRIPTIONS), before, "{line} {stage:?}");
            world.workspace.stop_failing();
            world.exec(line).ok();
        }
    }
}

#[test]
fn what_another_run_holds_is_waited_for_and_then_left_alone() {
    let world = World::subscribed();
    let before = world.workspace.files();
    let held = world.workspace.try_lock("rss").unwrap().expect("nobody holds it");
    for line in [ADD, REMOVE, BY_NAME] {
        let run = world.exec(line).fails("LimitExceeded", &["another run holds the lock `rss`"]);
        assert_eq!(run.result["limit"], "lock_wait_ms", "{line}");
        assert_eq!(run.result["max"], 5_000, "{line}");
    }
    world.exec(LIST).ok();
    world.serves(RSS);
    world.exec(super::BY_URL).ok();
    assert_eq!(world.service.asked().len(), 1, "and nothing by name");
    assert_eq!(world.workspace.files(), before);
    drop(held);
    world.exec(ADD).ok();
}

#[test]
fn a_lock_that_cannot_be_taken_is_a_failure() {
    let world = World::subscribed();
    world.workspace.fail_lock("rss", WorkspaceFaultKind::Io);
    for line in [ADD, REMOVE, BY_NAME] {
        world.exec(line).fails("WorkspaceError", &["cannot take the lock `rss`"]);
    }
    assert!(world.service.asked().is_empty());
}
