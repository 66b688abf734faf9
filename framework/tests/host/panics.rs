//! A panic is an envelope, a record, and nothing else.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tapeline::{
    Clock, Ids, Request, RunClock, Script, SystemClock, SystemIds, async_trait,
    audit::{Intent, Record, Sink, SinkError},
};

use crate::world::{World, check_schema, poll_once};

#[test]
fn a_panic_anywhere_in_a_command_is_internal_and_the_host_lives() {
    let world = World::new();
    for place in ["command", "worker", "output", "parser"] {
        let ran = world.exec(&format!("panic {place}")).fails("Internal", 70, &["a bug"]);
        assert_eq!(ran.record.error_code.as_deref(), Some("Internal"), "{place}");
        let stdout = if place == "parser" { "" } else { "so far\n" };
        assert_eq!(ran.envelope.stdout, stdout, "{place}");
        assert!(ran.tape().complete, "{place}");
        world.exec("echo --text alive").ok();
    }
    assert_eq!(world.exec("panic nowhere").fails("Internal", 70, &[]).result["ok"], json!(false));
}

#[test]
fn an_output_that_is_no_object_or_does_not_serialise_is_internal() {
    let world = World::new();
    for place in ["refuses", "text"] {
        world.exec(&format!("panic {place}")).fails("Internal", 70, &["no JSON object"]);
    }
}

#[test]
fn what_is_nested_deeper_than_its_readers_bear_is_refused() {
    let world = World::new();
    world.exec("nest --depth 100").ok();
    for depth in [101, 1_000_000] {
        let line = format!("nest --depth {depth}");
        world.exec(&line).fails("Internal", 70, &["100 deep", "a bug in the command"]);
    }
    let line =
        |depth: usize| format!(r#"nest --json "{}{}""#, "[".repeat(depth), "]".repeat(depth));
    world.exec(&line(99)).ok();
    world.exec(&line(4_000)).fails("InvalidArgs", 2, &["100 deep"]);
    world.exec("echo --text alive").ok();
}

#[test]
fn a_panic_while_a_stopped_command_is_dropped_is_internal() {
    let world = World::new();
    let ran = world.start(Request::new("panic drop").timeout_ms(200));
    ran.fails("Internal", 70, &[]);
    world.exec("echo --text alive").ok();
}

#[test]
fn a_panic_while_a_run_nobody_waits_for_is_dropped_is_recorded() {
    let world = World::new();
    let mut run = world.terminal.exec("panic drop");
    let run_id = run.id().to_owned();
    assert!(poll_once(&mut run).is_pending());
    drop(run);
    assert_eq!(world.record(&run_id).error_code.as_deref(), Some("Internal"));
    world.exec("echo --text alive").ok();
}

#[test]
fn a_transport_of_the_host_that_panics_is_internal() {
    let world = World::new();
    world.service.does(|| panic!("in the transport"));
    world.exec("fetch --url https://a.example/").fails("Internal", 70, &[]);
    world.exec("echo --text alive").ok();
}

/// Panics where it is told to, once the run has its id; what it does not break is the system's.
struct Breaks(&'static str);

impl Breaks {
    fn at(&self, place: &str) {
        assert!(self.0 != place, "on purpose: {place}");
    }
}

impl Clock for Breaks {
    fn start(&self) -> Box<dyn RunClock> {
        self.at("clock start");
        Box::new(BreaksRun(Breaks(self.0), SystemClock.start()))
    }
}

struct BreaksRun(Breaks, Box<dyn RunClock>);

#[async_trait]
impl RunClock for BreaksRun {
    fn started_ms(&self) -> i64 {
        self.0.at("clock started");
        self.1.started_ms()
    }

    fn event_ms(&self) -> u64 {
        self.0.at("clock event");
        self.1.event_ms()
    }

    fn duration_ms(&self) -> u64 {
        self.0.at("clock duration");
        self.1.duration_ms()
    }

    async fn sleep(&self, duration: Duration) {
        self.1.sleep(duration).await;
    }

    fn script(&self) -> Option<Script> {
        self.0.at("clock script");
        None
    }
}

impl Ids for Breaks {
    fn run_id(&self, started_ms: i64) -> String {
        self.at("ids run");
        SystemIds.run_id(started_ms)
    }

    fn seed(&self) -> u64 {
        self.at("ids seed");
        SystemIds.seed()
    }
}

impl Sink for Breaks {
    fn begin(&self, _: &Intent) -> Result<(), SinkError> {
        self.at("sink begin");
        Ok(())
    }

    fn blob(&self, _: &str, _: &[u8]) -> Result<(), SinkError> {
        self.at("sink blob");
        Ok(())
    }

    fn append(&self, _: &mut Record) -> Result<(), SinkError> {
        self.at("sink append");
        Ok(())
    }
}

#[test]
fn a_clock_or_source_of_ids_that_panics_is_answered_and_recorded() {
    for (place, error_code) in [
        ("clock start", Some("Internal")),
        ("clock started", Some("Internal")),
        ("clock event", Some("Internal")),
        ("clock duration", None),
        ("clock script", Some("Internal")),
        ("ids run", Some("Internal")),
        ("ids seed", Some("Internal")),
    ] {
        let world = World::with(|builder| {
            builder.clock(Arc::new(Breaks(place))).ids(Arc::new(Breaks(place)))
        });
        world.put("a.txt", "a");
        let ran = world.exec("file read a.txt");
        assert_eq!(ran.record.error_code.as_deref(), error_code, "{place}");
        assert_eq!(world.sink.records().len(), 1, "{place}");
    }
}

#[test]
fn a_log_that_panics_is_one_that_cannot_be_written() {
    for (place, ran, written) in [
        ("sink begin", false, None),
        ("sink blob", true, Some("a")),
        ("sink append", true, Some("a")),
    ] {
        let world = World::with(|builder| builder.audit(Arc::new(Breaks(place))));
        let envelope = world.terminal.exec_blocking("file write a.txt --text a");
        check_schema(&envelope);
        assert_eq!(envelope.error_code.as_deref(), Some("AuditUnavailable"), "{place}");
        assert!(envelope.result.get().contains(&format!(r#""ran":{ran}"#)), "{place}");
        assert_eq!(world.read("a.txt").as_deref(), written, "{place}");
        drop(world.terminal.exec("echo --text a"));
    }
}
