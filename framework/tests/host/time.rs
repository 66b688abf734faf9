//! Deadlines, cancels and dropped runs: the envelope comes, and nothing happens after it.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tapeline::{Limits, Request, Terminal};

use crate::{
    commands::{found, open_gate, registry},
    world::{World, poll_once, wait_until},
};

fn short(line: &str) -> Request {
    Request::new(line).timeout_ms(200)
}

#[test]
fn a_sleep_past_the_deadline_times_out_with_the_output_so_far() {
    let world = World::new();
    let ran =
        world.start(short("sleep --ms 60000")).fails("Timeout", 124, &["200 ms", "timeout_ms"]);
    assert_eq!(ran.envelope.stdout, "before 睡\n");
    assert_eq!(ran.result["timeout_ms"], json!(200));
    assert_eq!(ran.record.timeout_ms, 200);
    assert!(ran.envelope.duration_ms >= 200);
    assert_eq!(ran.tape().end.timeout.map(|stop| stop.after_events), Some(0));
    assert!(ran.tape().complete);
}

#[test]
fn a_service_that_never_answers_leaves_time_to_fall_back() {
    let world = World::new();
    let request = Request::new("fetch --url https://a.example/").timeout_ms(700);
    let ran = world.start(request).fails("NetworkError", 69, &["no answer in the time"]);
    assert_eq!(ran.result["fault"], json!("read_timeout"));
    assert_eq!(ran.envelope.stdout, "asking\n");
    assert_eq!(ran.events(), ["http"]);
    assert_eq!(ran.tape().end.returned, Some(true));
}

#[test]
fn computing_in_place_past_the_deadline_times_out_when_it_returns() {
    let world = World::new();
    let ran = world.start(short("compute --ms 300")).fails("Timeout", 124, &[]);
    assert_eq!(ran.envelope.stdout, "computing\n");
    assert_eq!(ran.tape().end.timeout.map(|stop| stop.after_events), Some(0));
}

#[test]
fn a_worker_that_never_looks_is_left_behind_and_its_late_write_fails() {
    let world = World::new();
    let ran = world.start(short("spin --gate late-write")).fails("Timeout", 124, &[]);
    assert_eq!(ran.envelope.stdout, "spinning\n");
    assert!(!ran.tape().complete);
    assert!(ran.tape().why.as_deref().unwrap().contains("worker"), "{:?}", ran.tape().why);

    open_gate("late-write");
    wait_until(|| found("late-write").is_some());
    assert_eq!(found("late-write").unwrap(), ["Timeout", "Timeout"]);
    assert!(world.workspace.files().is_empty());
    assert_eq!(world.sink.records().len(), 1);
}

#[test]
fn a_worker_that_looks_ends_with_its_run() {
    let world = World::new();
    let ran = world.start(short("spin --gate looks --looks")).fails("Timeout", 124, &[]);
    wait_until(|| found("looks").is_some());
    // Whether it was left behind or looked first: when it looked, no replay could know.
    assert!(!ran.tape().complete);
}

#[test]
fn a_fifth_worker_is_refused_until_the_abandoned_ones_end() {
    let world = World::new();
    for number in 1..=4 {
        let line = format!("spin --gate fifth-{number}");
        world.start(short(&line)).fails("Timeout", 124, &[]);
    }
    let ran = world.exec("spin --gate fifth-5");
    let ran = ran.fails("LimitExceeded", 75, &["workers", "try again later"]);
    assert_eq!((&ran.result["limit"], &ran.result["max"]), (&json!("workers"), &json!(4)));
    // What needs no worker still runs.
    world.exec("echo --text alive").ok();

    open_gate("fifth-5");
    for number in 1..=4 {
        open_gate(&format!("fifth-{number}"));
    }
    wait_until(|| world.terminal.exec_blocking("spin --gate fifth-5").exit_code == 0);
    assert_eq!(world.read("late/fifth-5.txt").as_deref(), Some("late"));
}

#[test]
fn a_cancel_from_another_thread_ends_the_run_whatever_it_waits_for() {
    let world = World::new();
    for line in ["sleep --ms 60000", "fetch --url https://a.example/", "spin --gate cancel --looks"]
    {
        let mut run = world.terminal.exec(line);
        assert!(poll_once(&mut run).is_pending());
        let canceller = run.canceller();
        let pressing = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            canceller.cancel();
            canceller.cancel();
        });
        let ran = world.ended(run.wait()).fails("Cancelled", 130, &["cancelled"]);
        pressing.join().unwrap();
        assert!(!ran.envelope.stdout.is_empty(), "{line}");
        assert_eq!(ran.tape().end.cancel.map(|stop| stop.after_events), Some(0));
        // The next call works.
        world.exec("echo --text next").ok();
    }
}

#[test]
fn a_run_cancelled_before_it_is_polled_does_nothing() {
    let world = World::new();
    let run = world.terminal.exec("file write a.txt --text a");
    run.canceller().cancel();
    let ran = world.ended(run.wait()).fails("Cancelled", 130, &[]);
    assert!(world.workspace.files().is_empty() && world.sink.intents().is_empty());
    let tape = ran.tape();
    assert!(tape.complete);
    assert_eq!(tape.end.cancel.and_then(|point| point.before_begin), Some(true));
    world.exec("file write a.txt --text a").ok();
}

#[test]
fn a_cancel_after_the_end_changes_nothing() {
    let world = World::new();
    let run = world.terminal.exec("echo --text a");
    let canceller = run.canceller();
    world.ended(run.wait()).ok();
    canceller.cancel();
    assert_eq!(world.sink.records().len(), 1);
    world.exec("echo --text b").ok();
}

#[test]
fn a_dropped_run_leaves_a_cancelled_record() {
    let world = World::new();
    let never_polled = world.terminal.exec("file write a.txt --text a");
    let mut in_http = world.terminal.exec("fetch --url https://a.example/");
    let mut in_sleep = world.terminal.exec("sleep --ms 60000");
    assert!(poll_once(&mut in_http).is_pending() && poll_once(&mut in_sleep).is_pending());
    assert_eq!(world.service.requests(), 1);
    let ids = [&never_polled, &in_http, &in_sleep].map(|run| run.id().to_owned());
    drop((never_polled, in_http, in_sleep));

    let records = ids.map(|id| world.record(&id));
    for record in &records {
        assert_eq!((record.exit_code, record.error_code.as_deref()), (130, Some("Cancelled")));
        assert!(world.tape_of(record).unwrap().end.cancel.is_some());
    }
    assert_eq!(world.value_of(&records[1].stdout), json!("asking\n"));
    assert_eq!(world.value_of(&records[2].stdout), json!("before 睡\n"));
    assert!(world.workspace.files().is_empty());
    world.exec("echo --text next").ok();
}

#[test]
fn a_run_dropped_after_its_end_leaves_no_second_record() {
    let world = World::new();
    let mut run = world.terminal.exec("echo --text a");
    assert!(poll_once(&mut run).is_ready());
    // Polled on, against the rules, it stays silent.
    assert!(poll_once(&mut run).is_pending());
    drop(run);
    assert_eq!(world.sink.records().len(), 1);
}

#[test]
fn the_least_of_request_host_and_bounds_is_the_time_a_run_has() {
    let limits = Limits { duration_ms: 50, ..Limits::default() };
    let world = World::with(|builder| builder.limits(limits).default_timeout_ms(5_000));
    assert_eq!(world.exec("sleep --ms 60000").fails("Timeout", 124, &[]).record.timeout_ms, 50);
    let world = World::with(|builder| builder.default_timeout_ms(40));
    assert_eq!(world.exec("sleep --ms 60000").fails("Timeout", 124, &[]).record.timeout_ms, 40);
    let world = World::new();
    assert_eq!(world.exec("echo --text a").record.timeout_ms, 30_000);
    for (asked, given) in [(0, 1), (1, 1), (600_000, 600_000), (u64::MAX, 600_000)] {
        let ran = world.start(Request::new("help").timeout_ms(asked));
        assert_eq!(ran.record.timeout_ms, given);
    }
}

#[test]
fn thirty_two_run_at_once_and_the_next_waits_within_its_own_time() {
    let world = World::new();
    let mut running: Vec<_> = (0..32).map(|_| world.terminal.exec("sleep --ms 60000")).collect();
    for run in &mut running {
        assert!(poll_once(run).is_pending());
    }
    assert_eq!(world.sink.intents().len(), 32);

    let ran = world.start(short("echo --text a")).fails("Timeout", 124, &[]);
    assert_eq!(ran.envelope.stdout, "");
    let point = ran.tape().end.timeout.unwrap();
    assert_eq!(point.before_begin, Some(true));
    assert_eq!(world.sink.intents().len(), 32, "what waits has not begun");
    // Help needs no turn.
    world.exec("help").ok();

    let waiting = world.terminal.exec("echo --text b");
    let waiting = thread::spawn(move || waiting.wait());
    thread::sleep(Duration::from_millis(20));
    assert!(!waiting.is_finished());
    running.pop();
    let envelope = waiting.join().unwrap();
    assert_eq!(world.ended(envelope).ok().envelope.stdout, "b\n");
}

#[test]
fn many_threads_share_one_terminal() {
    let world = Arc::new(World::new());
    let began = Instant::now();
    thread::scope(|scope| {
        for number in 0..40 {
            let world = &world;
            scope.spawn(move || {
                let ran = world.exec(&format!("file write {number}.txt --text {number}")).ok();
                assert_eq!(ran.result["text"], json!(number.to_string()));
            });
        }
    });
    assert_eq!(world.workspace.files().len(), 40);
    let mut seqs: Vec<_> = world.sink.records().iter().map(|record| record.seq).collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=40).collect::<Vec<_>>());
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_file_half_written_when_the_run_ends_never_appears_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let terminal = Terminal::builder().registry(registry()).root(folder.path()).build().unwrap();
    let envelope = terminal.start(short("spin --gate half --draft")).wait();
    assert_eq!(envelope.error_code.as_deref(), Some("Timeout"));
    open_gate("half");
    wait_until(|| found("half").is_some());
    assert_eq!(found("half").unwrap(), ["Timeout", "Timeout", "Timeout"]);
    let left: Vec<_> = std::fs::read_dir(folder.path().join(".agents/late"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
