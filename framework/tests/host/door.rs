//! What commands may touch: declared, allowed, approved.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::json;
use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, BuildError, Decision, NetworkPolicy, Policy,
    PolicyError, Progress, Rule, RunEvent, Terminal, async_trait,
    http::{HttpFaultKind, Request},
    workspace::{WorkspaceFaultKind, WriteStage},
};

use crate::{
    commands,
    world::{Asked, Numbered, START_MS, Steps, World, block_on, poll_once},
};

fn rule(path: &str, args: &[(&str, &str)], decision: Decision) -> Rule {
    let args = args.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    Rule { path: path.to_owned(), args: args.collect(), decision, examples: Vec::new() }
}

#[test]
fn reaching_for_what_is_not_declared_is_a_bug_of_the_command() {
    let world = World::new();
    for (what, capability) in [
        ("files", "ReadFiles` or `WriteFiles"),
        ("http", "Network"),
        ("approve", "HighRisk"),
        ("lock", "ReadFiles` or `WriteFiles"),
    ] {
        let ran = world.exec(&format!("undeclared {what}"));
        let ran = ran.fails("CapabilityNotDeclared", 70, &[&format!("`{capability}`")]);
        assert!(ran.record.capabilities.is_empty());
        assert!(ran.tape().events.is_empty());
    }
}

#[test]
fn what_the_policy_does_not_allow_is_denied_before_anything_happens() {
    let mut policy = Policy::default();
    (policy.read_files, policy.write_files) = (false, false);
    let world = World::with(|builder| {
        builder
            .policy(policy)
            .network_hint("say --network")
            .approver(Asked::says(ApprovalAnswer::Approved))
    });
    world.put("a.txt", "a");
    for (line, capability) in [
        ("file read a.txt", "ReadFiles"),
        ("file list a.txt", "ReadFiles"),
        ("file write b.txt", "WriteFiles"),
        ("save --text a --out b.txt", "WriteFiles"),
        ("lock name", "WriteFiles"),
        ("fetch --url https://a.example/", "Network"),
    ] {
        let ran = world.exec(line).fails("CapabilityDenied", 126, &[&format!("`{capability}`")]);
        assert!(ran.envelope.hint.is_some());
        assert!(ran.tape().events.is_empty(), "{line}");
    }
    assert_eq!((world.workspace.files().len(), world.service.requests()), (1, 0));
    let ran = world.exec("fetch --url https://a.example/");
    ran.fails("CapabilityDenied", 126, &["say --network"]);
}

#[test]
fn the_network_is_as_wide_as_the_policy_says() {
    let none = Policy::default().allow_host("A.example");
    let world = World::with(|builder| builder.policy(none));
    world.service.answers(200, &[], "");
    world.exec("fetch --url https://a.example/").ok();
    world.exec("fetch --url https://b.example/").fails("NetworkDenied", 126, &["`b.example`"]);
    let public = Policy::default().network(NetworkPolicy::Public);
    let world = World::with(|builder| builder.policy(public));
    for url in
        ["https://private.example/", "http://127.0.0.1/", "http://[::1]/", "http://10.1.2.3/"]
    {
        world.exec(&format!("fetch --url {url}")).fails("NetworkDenied", 126, &["public"]);
    }
    world.exec("fetch --url ftp://a.example/").fails("NetworkDenied", 126, &[]);
    world.exec("fetch --url https://u:pass@a.example/").fails("NetworkDenied", 126, &[]);
    assert_eq!(world.service.requests(), 0);
}

#[test]
fn a_redirect_is_held_to_the_same_rules() {
    let world = World::new();
    world.put("in/a.txt", "a");
    world.service.answers(302, &[("location", "https://b.example/")], "");
    // `tour` declares `a.example` alone.
    world.exec("tour").fails("NetworkDenied", 126, &["`b.example`", "declares"]);
    assert_eq!(world.service.requests(), 1);
}

#[test]
fn faults_of_the_other_side_say_their_kind() {
    let world = World::new();
    for kind in [
        HttpFaultKind::ConnectRefused,
        HttpFaultKind::Tls,
        HttpFaultKind::Reset,
        HttpFaultKind::Truncated,
        HttpFaultKind::Stall,
        HttpFaultKind::Decode,
    ] {
        world.service.fails(kind);
        let ran = world.exec("fetch --url https://a.example/").fails(
            "NetworkError",
            69,
            &["`a.example`"],
        );
        assert_eq!(ran.result["fault"], json!(kind.name()));
        assert!(!ran.envelope.to_json().contains("scripted"));
    }
}

#[test]
fn rules_match_parsed_arguments_and_the_strictest_wins() {
    let policy = Policy::default()
        .rule(rule("echo", &[("style", "loud")], Decision::Deny))
        .rule(rule("echo", &[], Decision::Allow))
        .rule(rule("echo", &[("words", "ask")], Decision::Ask))
        .rule(rule("echo", &[("times", "3")], Decision::Deny))
        .rule(rule("file *", &[], Decision::Deny));
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.policy(policy).approver(approver.clone()));
    world.exec("echo --text a").ok();
    // Spelled otherwise, it is the same.
    for line in [
        "echo --style=loud --text a",
        "echo --text a '--style' \"loud\" ask",
        "echo --text a --times 3",
    ] {
        let ran = world.exec(line).fails("CapabilityDenied", 126, &["rule"]);
        assert_eq!(
            (ran.envelope.stdout, ran.result["command"].clone()),
            (String::new(), json!("echo"))
        );
    }
    world.exec("file read a.txt").fails("CapabilityDenied", 126, &["`file read`"]);
    assert!(approver.asked.lock().unwrap().is_empty());

    let ran = world.exec("echo --text a other ask").ok();
    assert_eq!(ran.events(), ["approval"]);
    assert_eq!(approver.asked.lock().unwrap()[0].action, "run `echo`");
    // Denied runs have no intent: nothing of them began.
    assert_eq!(world.sink.intents().len(), 2);
    assert_eq!(world.sink.records().len(), 6);
}

#[test]
fn a_rule_that_does_not_match_its_example_is_refused_when_the_terminal_is_built() {
    for (path, args, example, why) in [
        ("echo", ("style", "lowd"), "echo --text a", "does not match"),
        ("echo", ("style", "plain"), "ehco --text a", "no command"),
        ("echo", ("style", "plain"), "echo", "required"),
        ("echo", ("style", "plain"), "echo ;", "`;`"),
        ("file *", ("path", ".agents/a"), "echo --text a", "does not match"),
    ] {
        let mut rule = rule(path, &[args], Decision::Deny);
        rule.examples.push(example.to_owned());
        let built = Terminal::builder()
            .registry(commands::registry())
            .in_memory()
            .policy(Policy::default().rule(rule))
            .build();
        match built {
            Err(BuildError::Policy(PolicyError::Example { why: told, .. })) => {
                assert!(told.contains(why), "{told}");
            }
            other => panic!("{example}: {other:?}"),
        }
    }
    let mut right = rule("echo", &[("style", "plain")], Decision::Deny);
    right.examples.push("echo --text a".to_owned());
    World::with(|builder| builder.policy(Policy::default().rule(right)));
}

#[test]
fn a_policy_that_could_never_apply_is_refused_when_the_terminal_is_built() {
    let refused = |policy: Policy| {
        let built = Terminal::builder().registry(commands::registry()).in_memory().policy(policy);
        match built.build() {
            Err(BuildError::Policy(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    for path in ["ehco", "fiel *", "file", "file*", "echo *", ""] {
        let error = refused(Policy::default().rule(rule(path, &[], Decision::Deny)));
        assert_eq!(error, PolicyError::Path(path.to_owned()));
    }
    for path in ["echo", "*"] {
        let error =
            refused(Policy::default().rule(rule(path, &[("stlye", "loud")], Decision::Deny)));
        assert!(matches!(error, PolicyError::Argument { .. }), "{error}");
    }
    for host in ["https://example.com", "example.com/", "example.com:443", "", "a b"] {
        let error = refused(Policy::default().allow_host(host));
        assert_eq!(error, PolicyError::Host(host.to_owned()));
    }
    for path in ["echo", "file *", "*"] {
        World::with(|builder| {
            builder.policy(
                Policy::default().rule(rule(path, &[], Decision::Allow)).allow_host("Example.com"),
            )
        });
    }
}

#[test]
fn an_approval_is_needed_refused_or_given() {
    let world = World::with(|builder| builder.approval_hint("say --yes"));
    world.exec("ask --action 删除").fails(
        "ApprovalRequired",
        126,
        &["to 删除", "nobody to ask", "say --yes"],
    );
    for (approver, why, answer) in [
        (Asked::says(ApprovalAnswer::Denied), "refused", "denied"),
        (Arc::new(Asked::default()), "failed", "failed"),
        (Asked::says(ApprovalAnswer::Late), "in time", "late"),
    ] {
        let world = World::with(|builder| builder.approver(approver.clone()));
        let ran = world.exec("ask").fails("ApprovalDenied", 126, &[why, "drop it all"]);
        assert_eq!(ran.tape().events[0].approval.as_ref().unwrap().answer, answer);
        // The host lives on, and asks again.
        world.exec("ask").fails("ApprovalDenied", 126, &[]);
        assert_eq!(approver.asked.lock().unwrap().len(), 2);
    }
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.approver(approver.clone()));
    let ran = world.exec("ask").ok();
    assert_eq!(ran.events(), ["approval"]);
    let asked = approver.asked.lock().unwrap();
    assert_eq!((&asked[0].run_id, &*asked[0].command), (&ran.envelope.run_id, "ask"));
    assert_eq!(asked[0].arguments_sha256.len(), 64);
}

#[test]
fn an_approval_is_bound_to_the_arguments() {
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.approver(approver.clone()));
    for line in ["ask", "ask --action other", "ask --action 'drop it all'"] {
        world.exec(line).ok();
    }
    let asked = approver.asked.lock().unwrap();
    let hashes: Vec<_> = asked.iter().map(|request| &request.arguments_sha256).collect();
    assert_ne!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
}

#[test]
fn the_policy_can_answer_for_the_approver() {
    let world = World::with(|builder| builder.policy(Policy::default().high_risk(Decision::Allow)));
    assert!(world.exec("ask").ok().tape().events.is_empty());
    let world = World::with(|builder| builder.policy(Policy::default().high_risk(Decision::Deny)));
    world.exec("ask").fails("ApprovalDenied", 126, &["policy"]);
}

#[test]
fn out_writes_a_new_file_and_names_it() {
    let world = World::new();
    let ran = world.exec("save --text 汇率 --out 报告/a.txt").ok();
    assert_eq!(ran.result["out"], json!(".agents/报告/a.txt"));
    let artifacts = json!([{
        "path": ".agents/报告/a.txt",
        "mime": "text/plain",
        "description": "the text",
        "bytes": 6,
        "sha256": "57ef2c45ef260ee3967eb0e08cb21fd6f20d58812bb258e6d3c60c8b13fd260e",
    }]);
    assert_eq!(json!(ran.envelope.artifacts), artifacts);
    assert_eq!(ran.record.capabilities, ["WriteFiles", "HighRisk"]);
    assert_eq!(world.exec("save --text a").ok().result["out"], json!(null));
}

#[test]
fn out_replaces_a_file_only_with_a_yes() {
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.approver(approver.clone()));
    world.put("a.txt", "old");
    let ran = world.exec("save --text new --out a.txt");
    let ran = ran.fails("OutExists", 2, &["`.agents/a.txt` exists already", "--overwrite"]);
    assert_eq!(ran.result["path"], json!(".agents/a.txt"));
    // What fails after the question leaves the old file.
    world.exec("save --text new --out a.txt --overwrite --fail").fails("ParseError", 65, &[]);
    world.workspace.fail_write("a.txt", WriteStage::Commit, WorkspaceFaultKind::Full);
    let ran = world.exec("save --text new --out a.txt --overwrite");
    assert_eq!(ran.fails("WorkspaceError", 74, &[]).result["kind"], json!("full"));
    assert_eq!(world.read("a.txt").as_deref(), Some("old"));

    world.workspace.stop_failing();
    let ran = world.exec("save --text new --out a.txt --overwrite").ok();
    assert_eq!(world.read("a.txt").as_deref(), Some("new"));
    assert_eq!(ran.events(), ["write", "approval", "write"]);
    assert_eq!(approver.asked.lock().unwrap()[0].action, "overwrite `.agents/a.txt`");

    let world = World::with(|builder| builder.approver(Asked::says(ApprovalAnswer::Denied)));
    world.put("a.txt", "old");
    world.exec("save --text new --out a.txt --overwrite").fails("ApprovalDenied", 126, &[]);
    assert_eq!(world.read("a.txt").as_deref(), Some("old"));
    let world = World::new();
    world.put("a.txt", "old");
    world.exec("save --text new --out a.txt --overwrite").fails("ApprovalRequired", 126, &[]);
}

#[test]
fn the_clock_moves_with_what_comes_in_and_with_sleeps_alone() {
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.clock(Arc::new(Steps)).approver(approver));
    let ran = world.exec("sleep --ms 250").ok();
    assert_eq!(ran.result["before_ms"], json!(START_MS));
    assert_eq!(ran.result["after_ms"], json!(START_MS + 250));
    world.service.answers(200, &[], "");
    world.put("token", "abcdefgh");
    // Reading the token is an event that does not move it, the answer is one that does.
    let ran = world.exec("fetch --url https://a.example/ --token-file token").ok();
    let at: Vec<_> = ran.tape().events.iter().map(|event| event.at_ms).collect();
    assert_eq!(at, [1000, 2000]);
    assert_eq!(ran.result["now_ms"], json!(START_MS + 2000));
    assert_eq!(ran.record.timestamp, "2023-11-14T22:13:20.000Z");
    assert_eq!(ran.tape().clock_start, START_MS);
}

#[test]
fn the_same_seed_gives_the_same_identifiers_and_numbers() {
    let roll = || {
        let world = World::with(|builder| {
            builder.ids(Arc::new(Numbered::default())).clock(Arc::new(Steps))
        });
        let ran = world.exec("chance").ok();
        assert_eq!(ran.tape().seed, 7);
        assert_eq!(ran.result["run_id"], json!(ran.envelope.run_id));
        (ran.result["uuids"].clone(), ran.result["number"].clone())
    };
    let (uuids, number) = roll();
    assert_eq!((uuids.clone(), number), roll());
    assert_ne!(uuids[0], uuids[1]);
    let world = World::new();
    assert_ne!(world.exec("chance").result["uuids"], world.exec("chance").result["uuids"]);
}

#[test]
fn a_lock_is_held_by_one_run_at_a_time_and_freed_with_it() {
    let world = World::new();
    let mut holds = world.terminal.exec("lock name --hold");
    assert!(poll_once(&mut holds).is_pending());
    let ran = world.exec("lock name --wait-ms 25").fails("LimitExceeded", 75, &["`name`", "later"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("lock_wait_ms"), &json!(25)));
    assert_eq!(ran.tape().events[0].lock.as_ref().unwrap().timeout, Some(true));
    world.exec("lock other").ok();
    drop(holds);
    world.exec("lock name").ok();
    world.exec("lock ../name").fails("Internal", 70, &["no name for a lock"]);
}

#[test]
fn whoever_watches_sees_a_run_begin_go_on_and_end() {
    let world = World::new();
    let mut events = world.terminal.events();
    let ran = world.exec("count 3").ok();
    let mut seen = Vec::new();
    while let Some(event) = events.try_next() {
        seen.push(event);
    }
    match seen.as_slice() {
        [
            RunEvent::Started { run_id, command },
            RunEvent::Progress { .. },
            ..,
            RunEvent::Progress { progress, .. },
            RunEvent::Finished { envelope },
        ] => {
            assert_eq!((run_id, &**command), (&ran.envelope.run_id, "count 3"));
            assert_eq!((progress.done, progress.total), (3, Some(3)));
            assert_eq!(envelope.to_json(), ran.envelope.to_json());
        }
        other => panic!("{other:?}"),
    }
    // A refused line begins and ends, too.
    world.exec("a;b");
    assert!(matches!(events.next_blocking(), Some(RunEvent::Started { .. })));
    assert!(matches!(events.next_blocking(), Some(RunEvent::Finished { .. })));
    // So many reports in so short a time are told as few.
    world.exec("count 20000").ok();
    let mut told = 0;
    while events.try_next().is_some() {
        told += 1;
    }
    assert!(told < 100, "{told}");
}

#[test]
fn a_slow_watcher_is_told_how_much_it_missed_and_blocks_nobody() {
    let world = World::new();
    let mut events = world.terminal.events();
    for _ in 0..200 {
        world.exec("echo --text a").ok();
    }
    assert!(matches!(events.try_next(), Some(RunEvent::Lagged(144))), "400 of 256");
    assert!(matches!(events.try_next(), Some(RunEvent::Started { .. })));
    drop(world);
    let mut left = 0;
    while block_on(events.next()).is_some() {
        left += 1;
    }
    assert_eq!(left, 255);
}

#[test]
fn arguments_of_a_rule_are_texts_by_name() {
    let rule = rule("echo", &[("text", "a")], Decision::Ask);
    assert_eq!(rule.args, BTreeMap::from([("text".to_owned(), "a".to_owned())]));
    let json = json!({ "path": "echo", "args": { "text": "a" }, "decision": "ask" });
    assert_eq!(serde_json::from_value::<Rule>(json).unwrap(), rule);
}

#[test]
fn a_door_kept_beyond_its_run_opens_nothing() {
    let approver = Asked::says(ApprovalAnswer::Approved);
    let world = World::with(|builder| builder.approver(approver.clone()));
    world.put("a.txt", "a");
    let mut events = world.terminal.events();
    let ran = world.exec("smuggle beyond").ok();
    let door = commands::SMUGGLED.lock().unwrap().remove("beyond").unwrap();
    let path = "a.txt".parse().unwrap();
    let files = door.workspace().unwrap();
    let request = Request::get("https://a.example/");
    let tried = [
        files.write(&path, b"late").err(),
        files.read(&path).err(),
        files.list(&"in".parse().unwrap()).err(),
        files.remove(&path).err(),
        block_on(door.http().unwrap().send(request)).err(),
        block_on(door.approve("do it late")).err(),
        block_on(door.lock("late", Duration::ZERO)).err(),
    ];
    for failure in tried {
        assert_eq!(failure.unwrap().code().name(), "Cancelled");
    }
    door.stdout().line("late");
    door.progress(Progress { done: 1, total: Some(1), what: "steps".to_owned() });
    let seen: Vec<RunEvent> = std::iter::from_fn(|| events.try_next()).collect();
    assert!(matches!(seen.last(), Some(RunEvent::Finished { .. })), "{seen:?}");
    assert!(door.cancelled());
    assert_eq!(world.read("a.txt").as_deref(), Some("a"));
    assert_eq!(world.service.requests(), 0);
    assert!(approver.asked.lock().unwrap().is_empty());
    assert_eq!(world.record(&ran.envelope.run_id).seq, 1);
    assert!(ran.tape().complete);
}

/// Answers when told to.
struct Slow(Duration);

#[async_trait]
impl Approver for Slow {
    async fn approve(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        tokio::time::sleep(self.0).await;
        ApprovalAnswer::Approved
    }
}

#[test]
fn an_approver_has_time_of_its_own() {
    let slow = Arc::new(Slow(Duration::from_millis(700)));
    let world = World::with(|builder| builder.approver(slow));
    world.start(tapeline::Request::new("ask").timeout_ms(400)).ok();
}

#[test]
fn a_run_that_waits_for_an_approver_can_be_cancelled() {
    let slow = Arc::new(Slow(Duration::from_secs(100)));
    let world = World::with(|builder| builder.approver(slow));
    let run = world.terminal.exec("ask");
    let canceller = run.canceller();
    let pressing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        canceller.cancel();
    });
    world.ended(run.wait()).fails("Cancelled", 130, &[]);
    pressing.join().unwrap();
}

#[test]
fn whoever_watches_sees_a_dropped_run_end() {
    let world = World::new();
    let mut events = world.terminal.events();
    let mut run = world.terminal.exec("sleep --ms 60000");
    assert!(poll_once(&mut run).is_pending());
    drop(run);
    assert!(matches!(events.try_next(), Some(RunEvent::Started { .. })));
    let Some(RunEvent::Finished { envelope }) = events.try_next() else { panic!("no end") };
    world.ended(*envelope).fails("Cancelled", 130, &[]);
}
