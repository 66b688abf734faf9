//! REQ-0024-005, -011 and -012: what `--out` and `--raw-out` write, and where.

use std::sync::atomic::Ordering;

use serde_json::json;
use tapeline::workspace::{WorkspaceFaultKind, WriteStage};

use super::{BY_NAME, BY_URL, OUT, RAW_OUT, RSS, STATES, SUBSCRIPTIONS};
use crate::world::World;

#[test]
fn out_holds_all_items_whole_whatever_is_shown() {
    let world = World::subscribed();
    world.serves(RSS);
    let run = world.exec(&format!("{BY_NAME} --max-items 1 --out {OUT}")).ok();
    assert_eq!(run.fields()[9..], ["not_modified", "out", "warnings"]);
    assert_eq!(run.result["out"], format!(".agents/{OUT}"));
    assert_eq!(run.result["count_total"], 2);
    assert_eq!(run.result["count_emitted"], 1);
    assert_eq!(run.fields_of("items"), ["title", "published_at", "link"]);
    assert_eq!(
        world.read(OUT).unwrap(),
        r#"[
  {
    "title": "Bread & butter",
    "link": "https://feeds.example/1",
    "guid": "tag:feeds.example,2023:1",
    "author": "A. Writer",
    "published_at": "2023-11-14T20:13:20Z",
    "summary": "A slice of it.\nAnd another.",
    "categories": [
      "Food"
    ],
    "enclosures": [
      {
        "url": "https://feeds.example/1.mp3",
        "mime": "audio/mpeg",
        "bytes": 12345
      }
    ]
  },
  {
    "title": "Milk",
    "link": "https://feeds.example/2"
  }
]
"#
    );
    let [artifact] = run.envelope.artifacts.as_slice() else { panic!("one artifact") };
    assert_eq!(artifact.path, format!(".agents/{OUT}"));
    assert_eq!(artifact.mime, "application/json");
    assert_eq!(artifact.description, "2 items of news");
    assert!(
        run.envelope.stdout.ends_with(&format!("1 of 2 items; all are whole in .agents/{OUT}\n"))
    );
}

#[test]
fn raw_out_keeps_the_bytes_as_received() {
    let body = b"\xEF\xBB\xBF<rss version='2.0'>\r\n<channel><item><title>\xC3\xA9\xFF\x01</title></item></channel></rss>\0";
    let world = World::new();
    world.service.answers(200, &[("content-type", "text/xml; charset=utf-8")], body);
    let run = world.exec(&format!("{BY_URL} --raw-out {RAW_OUT}")).ok();
    assert_eq!(world.workspace.read(RAW_OUT).unwrap(), body);
    assert_eq!(run.result["raw_out"], format!(".agents/{RAW_OUT}"));
    assert_eq!(run.result["out"], json!(null));
    let [artifact] = run.envelope.artifacts.as_slice() else { panic!("one artifact") };
    assert_eq!(artifact.path, format!(".agents/{RAW_OUT}"));
    assert_eq!(artifact.mime, "text/xml; charset=utf-8");
    assert_eq!(artifact.description, format!("the feed {} as received", super::URL));
    assert_eq!(artifact.bytes, body.len() as u64);
}

#[test]
fn both_files_are_written_by_one_run() {
    let world = World::subscribed();
    world.serves(RSS);
    let run = world.exec(&format!("{BY_NAME} --raw-out {RAW_OUT} --out {OUT}")).ok();
    assert_eq!(run.fields()[9..], ["not_modified", "out", "raw_out", "warnings"]);
    let paths: Vec<_> = run.envelope.artifacts.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, [format!(".agents/{OUT}"), format!(".agents/{RAW_OUT}")]);
    assert_eq!(world.read(RAW_OUT).as_deref(), Some(RSS));
    assert_eq!(world.json(OUT).as_array().unwrap().len(), 2);
    assert!(run.envelope.stdout.contains(&format!("as received: .agents/{RAW_OUT}\n")));
}

#[test]
fn the_two_files_are_two() {
    let world = World::new();
    for raw_out in [
        OUT,
        ".agents/artifacts/rss/items.json",
        "artifacts/rss/ITEMS.json",
        "artifacts/rss/items.json/x",
    ] {
        world
            .exec(&format!("{BY_URL} --out {OUT} --raw-out {raw_out}"))
            .fails("InvalidArgs", &["cannot both be files", "name a file for each"]);
    }
    assert!(world.service.asked().is_empty());
    assert!(world.workspace.files().is_empty());
}

#[test]
fn a_file_that_is_there_stays_without_overwrite_and_nothing_is_asked_for() {
    for (there, line) in [
        (OUT, format!("{BY_URL} --out {OUT}")),
        (RAW_OUT, format!("{BY_URL} --raw-out {RAW_OUT}")),
        (RAW_OUT, format!("{BY_URL} --out {OUT} --raw-out {RAW_OUT}")),
    ] {
        let world = World::new();
        world.put(there, "old");
        let run = world
            .exec(&line)
            .fails("OutExists", &[&format!("`.agents/{there}` exists already"), "`--overwrite`"]);
        assert_eq!(run.result["path"], format!(".agents/{there}"));
        assert!(world.service.asked().is_empty());
        assert_eq!(world.workspace.files().len(), 1, "{line}");
        assert_eq!(world.read(there).as_deref(), Some("old"));
    }
}

#[test]
fn overwrite_covers_both_files_and_asks_for_each_that_is_there() {
    let line = format!("{BY_URL} --out {OUT} --raw-out {RAW_OUT} --overwrite");
    let world = World::new();
    world.put(OUT, "old");
    world.put(RAW_OUT, "old");
    world.exec(&line).fails("ApprovalDenied", &[]);
    assert!(world.service.asked().is_empty());
    assert_eq!(world.read(OUT).as_deref(), Some("old"));
    assert_eq!(world.read(RAW_OUT).as_deref(), Some("old"));

    world.approver.asked.lock().unwrap().clear();
    world.approver.approves.store(true, Ordering::SeqCst);
    world.serves(RSS);
    world.exec(&line).ok();
    assert_eq!(
        *world.approver.asked.lock().unwrap(),
        [format!("overwrite `.agents/{OUT}`"), format!("overwrite `.agents/{RAW_OUT}`")]
    );
    assert_eq!(world.json(OUT).as_array().unwrap().len(), 2);
    assert_eq!(world.read(RAW_OUT).as_deref(), Some(RSS));
}

#[test]
fn overwrite_is_for_either_file_and_not_for_none() {
    let world = World::new();
    world.put(RAW_OUT, "old");
    world.approver.approves.store(true, Ordering::SeqCst);
    world.serves(RSS);
    world.exec(&format!("{BY_URL} --raw-out {RAW_OUT} --overwrite")).ok();
    assert_eq!(world.read(RAW_OUT).as_deref(), Some(RSS));
    world.exec(&format!("{BY_URL} --overwrite")).fails("InvalidArgs", &["--out", "is required"]);
}

#[test]
fn either_file_is_left_only_with_the_other() {
    for (broken, stage) in [
        (OUT, WriteStage::Create),
        (OUT, WriteStage::AfterBytes(5)),
        (OUT, WriteStage::Commit),
        (RAW_OUT, WriteStage::Create),
        (RAW_OUT, WriteStage::AfterBytes(5)),
        (RAW_OUT, WriteStage::Commit),
    ] {
        let world = World::subscribed();
        world.workspace.fail_write(broken, stage, WorkspaceFaultKind::Full);
        world.service.answers(200, &[("etag", "\"1\"")], RSS);
        world
            .exec(&format!("{BY_NAME} --out {OUT} --raw-out {RAW_OUT}"))
            .fails("WorkspaceError", &[&format!(".agents/{broken}")]);
        assert_eq!(world.read(OUT), None, "{broken} {stage:?}");
        assert_eq!(world.read(RAW_OUT), None, "{broken} {stage:?}");
        // Else the next fetch would be told that nothing is new.
        assert_eq!(world.state()["etag"], json!(null), "{broken} {stage:?}");
    }
}

#[test]
fn nothing_is_written_of_an_answer_that_is_no_feed() {
    for (status, body) in [(200, "<html><p>no feed"), (200, "<rss"), (200, ""), (404, RSS)] {
        let world = World::new();
        world.put(OUT, "old");
        world.approver.approves.store(true, Ordering::SeqCst);
        world.service.answers(status, &[], body);
        let run = world.exec(&format!("{BY_URL} --out {OUT} --raw-out {RAW_OUT} --overwrite"));
        assert!(run.envelope.error_code.is_some(), "{body}");
        assert_eq!(run.envelope.artifacts.len(), 0);
        assert_eq!(world.read(OUT).as_deref(), Some("old"), "{body}");
        assert_eq!(world.read(RAW_OUT), None, "{body}");
    }
}

#[test]
fn a_path_out_of_the_workspace_is_refused() {
    let world = World::subscribed();
    let before = world.workspace.files();
    for path in ["../x.json", "/etc/x.json", "a/../../x.json", "'a\\b'", ".agents/../x"] {
        for line in [
            format!("{BY_URL} --out {path}"),
            format!("{BY_URL} --raw-out {path}"),
            format!("{BY_NAME} --out {OUT} --raw-out {path}"),
            format!("rss list --out {path}"),
        ] {
            world.exec(&line).fails("PathEscapesAgentsRoot", &["inside the workspace"]);
        }
    }
    assert!(world.service.asked().is_empty());
    assert_eq!(world.workspace.files(), before);
}

#[test]
fn a_link_on_the_way_is_not_followed() {
    for link in ["artifacts", "artifacts/rss", OUT] {
        let world = World::new();
        let _ = world.workspace.as_ref().clone().with_link(link);
        let run = world.exec(&format!("{BY_URL} --out {OUT} --overwrite"));
        assert_eq!(run.envelope.error_code.as_deref(), Some("PathEscapesAgentsRoot"), "{run:?}");
        assert!(world.service.asked().is_empty());
    }
    let world = World::new();
    let _ = world.workspace.as_ref().clone().with_link(SUBSCRIPTIONS);
    world.exec("rss list").fails("PathEscapesAgentsRoot", &[]);
    world.exec(super::ADD).fails("PathEscapesAgentsRoot", &[]);
}

#[test]
fn the_state_is_no_place_for_items() {
    let world = World::subscribed();
    let before = world.workspace.files();
    for path in [SUBSCRIPTIONS, STATES, "workspace/RSS/x.json", ".agents/workspace/rss/deep/x"] {
        for line in [
            format!("{BY_URL} --overwrite --out {path}"),
            format!("{BY_URL} --overwrite --raw-out {path}"),
            format!("rss list --overwrite --out {path}"),
        ] {
            world.exec(&line).fails("InvalidArgs", &["the subscriptions are kept there"]);
        }
    }
    assert!(world.service.asked().is_empty());
    assert_eq!(world.workspace.files(), before);
}
