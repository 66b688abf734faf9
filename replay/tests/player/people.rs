//! Runs that ask someone, wait, or read the clock.

use tapeline::{ApprovalAnswer, Decision, Policy, Request, Rule};

use crate::world::{World, body};

const ANSWERS: [(ApprovalAnswer, &str); 5] = [
    (ApprovalAnswer::Approved, ""),
    (ApprovalAnswer::Denied, "ApprovalDenied"),
    (ApprovalAnswer::Failed, "ApprovalDenied"),
    (ApprovalAnswer::Late, "ApprovalDenied"),
    (ApprovalAnswer::Unavailable, "ApprovalRequired"),
];

#[test]
fn every_answer_of_an_approver_comes_again() {
    for (answer, code) in ANSWERS {
        let world = World::with(|builder| builder.approval_hint("call the operator")).says(answer);
        let ran = world.run(&["approve jump", "now"]);
        world.check(&ran, code);
    }
}

#[test]
fn overwriting_asks_again() {
    for (answer, code) in ANSWERS {
        let world = World::new().file("old.txt", "old").says(answer);
        let ran = world.request(Request::new("do --out old.txt --overwrite 'save new' now"));
        world.check(&ran, code);
    }
}

#[test]
fn answers_are_found_by_action() {
    let world = World::new()
        .says(ApprovalAnswer::Approved)
        .says(ApprovalAnswer::Denied)
        .says(ApprovalAnswer::Denied)
        .says(ApprovalAnswer::Approved);
    let ran = world.run(&["approve a", "?approve b", "?approve a", "approve b"]);
    world.check(&ran, "");
}

#[test]
fn the_policy_decides_without_asking() {
    for (decision, code) in [(Decision::Allow, ""), (Decision::Deny, "ApprovalDenied")] {
        let policy = Policy::default().high_risk(decision);
        let world = World::with(|builder| builder.policy(policy));
        let ran = world.run(&["approve jump"]);
        world.check(&ran, code);
    }
    let world = World::new();
    let ran = world.request(Request::new("plain --door approve"));
    world.check(&ran, "CapabilityNotDeclared");
}

#[test]
fn rules_ask_and_refuse_again() {
    let rule = |decision| Rule {
        path: "plain".to_owned(),
        args: [].into(),
        decision,
        examples: vec!["plain".to_owned()],
    };
    for (answer, code) in ANSWERS {
        let policy = Policy::default().rule(rule(Decision::Ask));
        let world = World::with(|builder| builder.policy(policy)).says(answer);
        let ran = world.request(Request::new("plain"));
        world.check(&ran, code);
    }
    let policy = Policy::default().rule(rule(Decision::Deny));
    let world = World::with(|builder| builder.policy(policy));
    let ran = world.request(Request::new("plain"));
    world.check(&ran, "CapabilityDenied");
}

#[test]
fn sleeps_and_answers_move_the_clock() {
    let world = World::new()
        .says(ApprovalAnswer::Approved)
        .answers("https://a.example/", body("a"))
        .answers("https://a.example/", body("b"));
    let ran = world.run(&[
        "now",
        "get https://a.example/",
        "now",
        "sleep 500",
        "now",
        "approve jump",
        "now",
        "get https://a.example/",
        "now",
        "sleep 0",
        "uuid",
        "random",
        "uuid",
        "run-id",
    ]);
    let times: Vec<&str> =
        ran.envelope.stdout.lines().filter(|line| line.starts_with("17642880")).collect();
    assert_eq!(times.len(), 5, "{}", ran.envelope.stdout);
    assert!(times.is_sorted() && times[2].ends_with("507") && times[4].ends_with("507"));
    world.check(&ran, "");
}
