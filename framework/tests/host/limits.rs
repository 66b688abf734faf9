//! What is too much: cut and kept whole, or refused.

use serde_json::json;
use tapeline::{Artifact, Limits, Policy, Request};

use crate::world::{Ran, World, ok};

fn small(limits: Limits) -> World {
    World::with(|builder| builder.limits(limits))
}

#[track_caller]
fn kept_whole<'a>(world: &World, ran: &'a Ran, what: &str, content: &str) -> &'a Artifact {
    let bytes = content.len() as u64;
    assert_eq!(json!(ran.envelope.truncated), json!([{ "what": what, "bytes": bytes }]));
    let artifact = ran.envelope.artifacts.first().unwrap();
    let folder = format!(".agents/artifacts/{}/", ran.envelope.run_id);
    assert!(artifact.path.starts_with(&folder), "{artifact:?}");
    assert_eq!(artifact.bytes, bytes);
    assert_eq!(world.read(&artifact.path).as_deref(), Some(content));
    artifact
}

#[test]
fn long_output_is_cut_at_a_character_and_kept_whole() {
    let world = World::new();
    for what in ["stdout", "stderr"] {
        let ran = world.exec(&format!("print --to {what} --text 汇🎉 --times 3000")).ok();
        let artifact = kept_whole(&world, &ran, what, &"汇🎉".repeat(3000));
        let text = if what == "stdout" { &ran.envelope.stdout } else { &ran.envelope.stderr };
        assert!(text.len() <= 16 << 10 && text.len() > (16 << 10) - 16, "{}", text.len());
        let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(last, format!("[{what} cut: 21000 bytes, whole in `{}`]", artifact.path));
        assert!("汇🎉".repeat(3000).starts_with(rest));
        assert_eq!(ran.events(), ["write"]);
    }
}

#[test]
fn output_at_the_limit_is_not_cut() {
    let world = World::new();
    let ran = world.exec(&format!("print --to stdout --times {}", 16 << 10)).ok();
    assert_eq!(ran.envelope.stdout.len(), 16 << 10);
    assert!(ran.envelope.truncated.is_empty() && ran.envelope.artifacts.is_empty());
}

#[test]
fn a_long_result_is_replaced_by_where_it_lies() {
    let world = World::new();
    let ran = world.exec(&format!("print --to result --times {}", 65 << 10)).ok();
    let whole = format!(r#"{{"ok":true,"command":"print","text":"{}"}}"#, "x".repeat(65 << 10));
    let path = kept_whole(&world, &ran, "result", &whole).path.clone();
    assert_eq!(
        ran.envelope.result.get(),
        format!(r#"{{"ok":true,"command":"print","truncated":true,"full":"{path}"}}"#)
    );
}

#[test]
fn output_that_cannot_be_kept_is_cut_all_the_same() {
    let world = World::new();
    world.workspace.full_after(100);
    let ran = world.exec("print --to stdout --times 20000").ok();
    assert!(
        ran.envelope.stdout.ends_with("[stdout cut: 20000 bytes, the rest could not be kept]\n")
    );
    assert!(ran.envelope.artifacts.is_empty());
    assert_eq!(ran.envelope.truncated.len(), 1);
}

#[test]
fn output_of_a_stopped_run_is_cut_and_kept_as_any() {
    let world = small(Limits { stdout_bytes: 8, ..Limits::default() });
    let ran = world.start(Request::new("sleep --ms 60000").timeout_ms(200));
    let ran = ran.fails("Timeout", 124, &[]);
    kept_whole(&world, &ran, "stdout", "before 睡\n");
}

#[test]
fn control_sequences_do_not_reach_the_envelope() {
    let world = World::new();
    let ran = world.exec("print --to control").ok();
    assert_eq!(ran.envelope.stdout, "red left C1\n");
    assert_eq!(ran.envelope.stderr, "red left C1\n");
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let world = small(Limits { file_bytes: 10, ..Limits::default() });
    world.put("ten", "0123456789");
    world.put("eleven", "0123456789a");
    world.exec("file read ten").ok();
    let ran = world.exec("file read eleven").fails("LimitExceeded", 75, &["11 bytes"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("file"), &json!(10)));
    let file = ran.tape().events[0].file.as_ref().unwrap();
    assert_eq!(json!(file.blob), json!({ "bytes": 11 }));
}

#[test]
fn more_than_a_run_may_write_is_refused_and_leaves_no_file() {
    let world = small(Limits { written_bytes: 10, ..Limits::default() });
    world.exec("file write a --bytes 10").ok();
    let ran = world.exec("file write b --bytes 11").fails("LimitExceeded", 75, &["10 bytes"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("written"), &json!(10)));
    assert_eq!(world.read("b"), None);
}

#[test]
fn requests_and_bodies_over_the_limit_are_refused() {
    let limits = Limits { http_requests: 2, http_body_bytes: 5, ..Limits::default() };
    let world = small(limits);
    for _ in 0..2 {
        world.service.does(|| ok("12345"));
    }
    let ran = world.exec("fetch --url https://a.example/ --times 3");
    let ran = ran.fails("LimitExceeded", 75, &["2 requests"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("http_requests"), &json!(2)));
    assert_eq!((world.service.requests(), ran.events()), (2, vec!["http", "http"]));

    world.service.does(|| ok("123456"));
    let ran = world.exec("fetch --url https://a.example/");
    let ran = ran.fails("LimitExceeded", 75, &["longer than 5 bytes"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("http_body"), &json!(5)));
    let fault = ran.tape().events[0].http.as_ref().unwrap().fault.clone().unwrap();
    assert_eq!((&*fault.kind, fault.after_bytes), ("too_large", Some(6)));
}

#[test]
fn redirects_count_as_requests() {
    let world = small(Limits { http_requests: 2, ..Limits::default() });
    for _ in 0..3 {
        world.service.answers(302, &[("location", "https://b.example/next")], "");
    }
    world.exec("fetch --url https://a.example/").fails("LimitExceeded", 75, &["2 requests"]);
    assert_eq!(world.service.requests(), 2);
}

#[test]
fn a_full_disk_and_a_file_in_the_way_are_workspace_errors() {
    let world = World::new();
    world.put("file", "x");
    world.workspace.full_after(3);
    for (line, kind) in [
        ("file write a.txt --text 12345", "full"),
        ("file write file/below.txt", "not_a_file"),
        ("file list file", "not_a_file"),
    ] {
        let ran = world.exec(line).fails("WorkspaceError", 74, &[]);
        assert_eq!(ran.result["kind"], json!(kind), "{line}");
        assert!(ran.result["path"].as_str().unwrap().starts_with(".agents/"));
    }
    let ran = world.exec("file read missing").fails("NotFound", 3, &["`.agents/missing`"]);
    assert_eq!(ran.result["path"], json!(".agents/missing"));
}

#[test]
fn a_policy_without_writing_still_keeps_what_the_envelope_cuts() {
    let mut policy = Policy::default();
    policy.write_files = false;
    let world = World::with(|builder| builder.policy(policy));
    let ran = world.exec("print --to stdout --times 20000").ok();
    kept_whole(&world, &ran, "stdout", &"x".repeat(20000));
}

#[test]
fn output_without_end_is_kept_to_a_bound_without_holes() {
    let world = World::new();
    let ran = world.exec("print --to stdout --text 汇 --times 6000000").ok();
    let kept = ran.envelope.artifacts[0].bytes;
    assert_eq!(ran.envelope.truncated[0].bytes, 18_000_000);
    assert!(kept <= 16 << 20 && kept > (16 << 20) - 3, "{kept}");
    let last = format!("[stdout cut: 18000000 bytes, the first {kept} in `");
    assert!(ran.envelope.stdout.lines().last().unwrap().starts_with(&last));
}
