//! Runs that did not end by themselves.

use tapeline::{Decision, Policy, Request, Rule, http::HttpFaultKind};

use crate::{
    commands::{REQUESTS_FIRST, registry},
    world::{Answer, World, body, fault, line, tape},
};
use tapeline_replay::{Miss, Verdict};

#[test]
fn a_timeout_in_a_sleep_strikes_again() {
    let world = World::new().answers("https://a.example/", body("a"));
    let steps = ["get https://a.example/", "sleep 5", "print so far", "sleep 5000", "print never"];
    let ran = world.request(Request::new(line(&steps)).timeout_ms(300));
    assert!(ran.envelope.stdout.ends_with("so far\n"), "{}", ran.envelope.stdout);
    let end = tape(&ran.record, &world).end;
    assert_eq!(end.timeout.map(|point| point.after_events), Some(2));
    world.check(&ran, "Timeout");
}

#[test]
fn an_answer_that_does_not_come_is_a_fault_in_time() {
    let world = World::new().answers("https://a.example/", Answer::Hangs);
    let request = Request::new(line(&["?get https://a.example/", "print fallback"]));
    let ran = world.request(request.timeout_ms(300));
    assert!(ran.envelope.stdout.ends_with("fallback\n"), "{}", ran.envelope.stdout);
    world.check(&ran, "");
    let ran = world.request(Request::new(line(&["get https://a.example/"])).timeout_ms(20));
    world.check(&ran, "NetworkError");
}

#[test]
fn an_answer_that_comes_past_the_deadline_is_a_timeout_again() {
    let late = Answer::Blocks(410, Box::new(body("late")));
    let world = World::new().answers("https://a.example/", late);
    let steps = ["get https://a.example/", "print unseen"];
    let ran = world.request(Request::new(line(&steps)).timeout_ms(400));
    let end = tape(&ran.record, &world).end;
    assert_eq!(end.timeout.map(|point| point.after_events), Some(1));
    world.check(&ran, "Timeout");
}

#[test]
fn a_cancel_while_someone_is_asked_strikes_again() {
    let world = World::new().file("old.txt", "old");
    let ran = world.run(&["sleep 3", "approve jump"]);
    world.check(&ran, "Cancelled");
    let ran = world.request(Request::new("do --out old.txt --overwrite 'save new'"));
    world.check(&ran, "Cancelled");
}

#[test]
fn a_run_that_was_cancelled_before_it_began_ends_there_again() {
    let rule = Rule {
        path: "plain".to_owned(),
        args: [].into(),
        decision: Decision::Ask,
        examples: Vec::new(),
    };
    let world = World::with(|builder| builder.policy(Policy::default().rule(rule)));
    let ran = world.request(Request::new("plain"));
    world.check(&ran, "Cancelled");
}

#[test]
fn a_cancel_while_an_answer_is_awaited_strikes_again() {
    let world = World::new()
        .answers("https://a.example/1", body("1"))
        .answers("https://a.example/2", Answer::Cancelled);
    let ran = world.run(&["get https://a.example/1", "get https://a.example/2", "print never"]);
    assert_eq!(ran.record.exit_code, 130);
    world.check(&ran, "Cancelled");
}

#[test]
fn a_cancel_before_any_event_strikes_again() {
    let world = World::new().answers("https://a.example/", Answer::Cancelled);
    let ran = world.run(&["print first", "get https://a.example/"]);
    assert_eq!(ran.envelope.stdout, "first\n");
    world.check(&ran, "Cancelled");
}

#[test]
fn a_cancel_with_one_of_two_answers_there_strikes_again() {
    for (one, other) in
        [("https://a.example/", "https://b.example/"), ("https://b.example/", "https://a.example/")]
    {
        let cancelled = Answer::After("https://a.example/", Box::new(Answer::Cancelled));
        let world = World::new()
            .answers("https://a.example/", body("a"))
            .answers("https://b.example/", cancelled);
        let ran = world.run(&[&format!("both {one} {other}")]);
        world.check(&ran, "Cancelled");
    }
}

#[test]
fn a_new_request_in_a_stopped_run_is_a_miss() {
    let world = World::new()
        .answers("https://a.example/1", body("1"))
        .answers("https://a.example/2", Answer::Cancelled);
    let ran = world.run(&["get https://a.example/1", "get https://a.example/2"]);
    let verdict = world.replayed_by(&ran.record, registry::<REQUESTS_FIRST>());
    let miss = Miss::Answer { method: "GET".to_owned(), url: "https://new.example/".to_owned() };
    assert_eq!(verdict, Verdict::Miss(vec![miss]));
}

#[test]
fn a_lock_that_was_waited_for_before_the_stop_is_no_stop() {
    let world = World::new().answers("https://a.example/", Answer::Cancelled);
    let ran = world.run(&["lock a 0", "?lock a 20", "write a words", "get https://a.example/"]);
    world.check(&ran, "Cancelled");
}

#[test]
fn a_dropped_run_is_a_cancelled_one() {
    let world = World::new()
        .answers("https://a.example/", body("a"))
        .answers("https://a.example/2", Answer::Hangs);
    let record = world.dropped(&["get https://a.example/", "get https://a.example/2"], 1);
    assert_eq!(record.error_code.as_deref(), Some("Cancelled"));
    world.check_record(&record);
    let record = world.dropped(&["write a.txt words", "sleep 5000"], 2);
    world.check_record(&record);
    // Before its first poll: what the command would print first must not appear.
    let record = world.dropped(&["now"], 0);
    world.check_record(&record);
}

#[test]
fn a_fault_before_the_stop_comes_again() {
    let world = World::new()
        .answers("https://a.example/", fault(HttpFaultKind::Reset))
        .answers("https://a.example/2", Answer::Cancelled);
    let ran = world.run(&["?get https://a.example/", "get https://a.example/2"]);
    world.check(&ran, "Cancelled");
}

#[test]
fn a_stop_while_a_lock_is_awaited_strikes_again() {
    let world = World::new().answers("https://a.example/", body("a"));
    let record = world.dropped(&["lock a 0", "lock a 900"], 3);
    assert_eq!(record.error_code.as_deref(), Some("Cancelled"));
    world.check_record(&record);
    let steps = ["get https://a.example/", "lock a 0", "?lock a 20", "write a a", "lock a 900"];
    let record = world.dropped(&steps, 6);
    assert!(record.stdout.json().contains(".agents/a 1"), "{}", record.stdout.json());
    world.check_record(&record);
}
