//! The tape: everything that came in, in order, and whether that is all.

use std::sync::Arc;

use serde_json::{Value, json};
use tapeline::{ApprovalAnswer, Setup};

use crate::world::{Asked, Steps, World, ok};

fn tour() -> World {
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.clock(Arc::new(Steps)).approver(approver));
    world.put("in/a.txt", "汇率");
    world
}

#[test]
fn a_run_through_every_door_is_on_tape_in_order() {
    let world = tour();
    world.service.answers(200, &[("content-type", "text/plain")], "page");
    let ran = world.exec("tour").ok();
    // What is read again, or was written by the run itself, is no news.
    assert_eq!(
        ran.events(),
        ["lock", "file", "file", "list", "http", "approval", "write", "write"]
    );
    let tape = ran.tape();
    assert!(tape.complete && tape.why.is_none());
    assert_eq!(tape.end.returned, Some(true));
    let events: Vec<Value> = tape.events.iter().map(|event| json!(event)).collect();
    assert_eq!(events[0], json!({ "at_ms": 1000, "lock": { "name": "tour", "ok": true } }));
    assert_eq!(
        events[1],
        json!({ "at_ms": 2000, "file": { "path": ".agents/in/a.txt", "blob": { "text": "汇率" } } })
    );
    assert_eq!(events[2]["file"], json!({ "path": ".agents/in/missing.txt", "absent": true }));
    let entries = json!([{ "name": "a.txt", "kind": "file" }]);
    assert_eq!(events[3]["list"], json!({ "path": ".agents/in", "entries": entries }));
    assert_eq!(
        events[4]["http"],
        json!({
            "request": { "method": "GET", "url": "https://a.example/one", "headers": [] },
            "resolved": ["93.184.215.14"],
            "response": {
                "status": 200,
                "headers": [["content-type", "text/plain"]],
                "body": { "text": "page" },
            },
        })
    );
    assert_eq!(events[5]["approval"], json!({ "action": "go on", "answer": "approved" }));
    assert_eq!(events[6]["write"], json!({ "path": ".agents/out/b.txt", "ok": true }));
    assert_eq!(events[7]["write"], json!({ "path": ".agents/in/a.txt", "ok": true }));
    let at: Vec<_> = tape.events.iter().map(|event| event.at_ms).collect();
    assert!(at.is_sorted(), "{at:?}");
}

#[test]
fn the_set_up_of_the_terminal_is_a_blob_of_the_tape() {
    let world = World::new();
    let ran = world.exec("echo --text a").ok();
    let bytes = world.sink.blob_bytes(&ran.tape().setup.sha256).unwrap();
    assert_eq!(bytes.len() as u64, ran.tape().setup.bytes);
    let setup: Setup = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(setup.v, Setup::VERSION);
    assert_eq!(setup.limits, tapeline::Limits::default());
}

#[test]
fn long_and_binary_content_is_kept_as_blobs() {
    let world = World::new();
    let long = "汇".repeat(2000);
    for content in [long.into_bytes(), vec![0xff, 0xfe, 0]] {
        let _ = world.workspace.clone().with_file("a.bin", content.clone());
        let ran = world.exec("file read a.bin").ok();
        let file = ran.tape().events[0].file.clone().unwrap().blob.unwrap();
        assert_eq!((file.text, file.bytes), (None, Some(content.len() as u64)));
        let kept = world.sink.blob_bytes(&file.blob.unwrap()).unwrap();
        assert_eq!(&*kept, &*content);
        assert!(ran.tape().complete);
    }
}

#[test]
fn a_file_that_changed_under_the_run_makes_the_tape_incomplete() {
    for (before, after) in [("old", Some("new")), ("old", None)] {
        let world = World::new();
        world.put("a/b.txt", before);
        let tree = world.workspace.clone();
        world.service.does(move || {
            match after {
                Some(after) => drop(tree.with_file("a/b.txt", after)),
                None => drop(tree.with_directory("a/b.txt")),
            }
            ok("")
        });
        let ran = world.exec("reread a/b.txt").ok();
        assert_eq!(ran.result["text"], json!("changed"));
        assert!(!ran.tape().complete);
        assert!(ran.tape().why.as_deref().unwrap().contains("changed"), "{:?}", ran.tape().why);
    }
    let world = World::new();
    world.put("a/b.txt", "old");
    world.service.does(|| ok(""));
    assert!(world.exec("reread a/b.txt").ok().tape().complete);
}

#[test]
fn a_folder_that_changed_under_the_run_makes_the_tape_incomplete() {
    let world = World::new();
    world.put("a/b.txt", "old");
    let tree = world.workspace.clone();
    world.service.does(move || {
        drop(tree.with_file("a/c.txt", "new"));
        ok("")
    });
    let ran = world.exec("reread a").ok();
    assert_eq!(ran.result["text"], json!("changed"));
    assert!(!ran.tape().complete, "{:?}", ran.tape());
}

#[test]
fn a_model_makes_the_tape_incomplete() {
    let world = World::with(|builder| builder.model("ocr", *b"weights"));
    let ran = world.exec("model ocr").ok();
    assert_eq!(ran.result["text"], json!("7 bytes"));
    assert_eq!(ran.events(), ["model"]);
    assert!(ran.tape().why.as_deref().unwrap().contains("model"));
    let ran = world.exec("model none").fails("NotSupported", 69, &["`none`"]);
    assert_eq!(ran.tape().events[0].model.as_ref().unwrap().sha256, None);
}

#[test]
fn a_fault_stands_on_the_tape_in_place_of_the_answer() {
    let world = World::new();
    world.service.fails(tapeline::http::HttpFaultKind::Tls);
    let ran = world.exec("fetch --url https://a.example/").fails("NetworkError", 69, &[]);
    let http = ran.tape().events[0].http.clone().unwrap();
    assert_eq!(json!(http.fault), json!({ "kind": "tls" }));
    assert!(http.response.is_none() && ran.tape().complete);
}

#[test]
fn a_write_that_failed_is_on_tape_with_its_reason() {
    let world = World::new();
    world.workspace.full_after(2);
    let ran = world.exec("file write a.txt --text 12345").fails("WorkspaceError", 74, &[]);
    let write = json!({ "path": ".agents/a.txt", "error": "full", "at_commit": true });
    assert_eq!(json!(ran.tape().events[0].write), write);
}

#[test]
fn what_the_run_itself_did_to_a_folder_is_no_change_under_it() {
    let world = World::new();
    world.put("in/a.txt", "a");
    for line in ["settle in --below in/new/b.txt", "settle gone --below gone/b.txt"] {
        let ran = world.exec(line).ok();
        assert!(ran.tape().complete, "{line}: {:?}", ran.tape().why);
        assert_eq!(ran.events(), ["list", "write"]);
    }
}
