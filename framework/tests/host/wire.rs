//! The wire types read back what they write, whatever features serde_json was built with.

use std::{fmt::Debug, fs, path::Path};

use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use tapeline::audit::{
    AnswerEvent, ApprovalEvent, BlobRef, Content, End, EntryEvent, Event, FaultEvent, FileEvent,
    HttpEvent, Intent, ListEvent, LockEvent, ModelEvent, Record, RequestEvent, StopPoint, Tape,
    WriteEvent,
};

use crate::world::World;

fn reads_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        any::<String>().prop_map(|text| Content { text: Some(text), ..Content::default() }),
        ("[0-9a-f]{64}", any::<u64>()).prop_map(|(blob, bytes)| Content {
            blob: Some(blob),
            bytes: Some(bytes),
            ..Content::default()
        }),
        any::<u64>().prop_map(|bytes| Content { bytes: Some(bytes), ..Content::default() }),
    ]
}

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::collection::vec((any::<String>(), any::<String>()), 0..3)
}

fn http() -> impl Strategy<Value = HttpEvent> {
    let request = (any::<String>(), headers(), proptest::option::of(content()));
    let request = request.prop_map(|(url, headers, body)| RequestEvent {
        method: "POST".to_owned(),
        url,
        headers,
        body,
    });
    let answer = (any::<u16>(), headers(), content());
    let answer = answer.prop_map(|(status, headers, body)| AnswerEvent { status, headers, body });
    let fault = proptest::option::of((any::<u16>(), any::<u64>()));
    let fault = fault.prop_map(|came| FaultEvent {
        kind: "reset".to_owned(),
        status: came.map(|(status, _)| status),
        after_bytes: came.map(|(_, bytes)| bytes),
    });
    (request, proptest::option::of(answer), proptest::option::of(fault)).prop_map(
        |(request, response, fault)| HttpEvent {
            request,
            resolved: vec!["::1".to_owned()],
            response,
            fault,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let of = |at_ms| Event { at_ms, ..Event::default() };
    let text = any::<String>;
    prop_oneof![
        (any::<u64>(), text(), proptest::option::of(content()), any::<bool>()).prop_map(
            move |(at_ms, path, blob, dir)| Event {
                file: Some(FileEvent {
                    path,
                    absent: blob.is_none().then_some(!dir),
                    blob,
                    ..FileEvent::default()
                }),
                ..of(at_ms)
            }
        ),
        (any::<u64>(), text(), text()).prop_map(move |(at_ms, path, name)| Event {
            list: Some(ListEvent {
                path,
                entries: Some(vec![EntryEvent { name, kind: "file".to_owned() }]),
                error: None,
            }),
            ..of(at_ms)
        }),
        (any::<u64>(), text()).prop_map(move |(at_ms, path)| Event {
            write: Some(WriteEvent {
                path,
                error: Some("full".to_owned()),
                at_commit: Some(true),
                ok: None
            }),
            ..of(at_ms)
        }),
        (any::<u64>(), text()).prop_map(move |(at_ms, name)| Event {
            lock: Some(LockEvent { name, timeout: Some(true), ..LockEvent::default() }),
            ..of(at_ms)
        }),
        (any::<u64>(), http())
            .prop_map(move |(at_ms, http)| Event { http: Some(http), ..of(at_ms) }),
        (any::<u64>(), text(), text()).prop_map(move |(at_ms, action, answer)| Event {
            approval: Some(ApprovalEvent { action, answer }),
            ..of(at_ms)
        }),
        (any::<u64>(), text(), proptest::option::of("[0-9a-f]{64}")).prop_map(
            move |(at_ms, name, sha256)| Event {
                model: Some(ModelEvent { name, sha256 }),
                ..of(at_ms)
            }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tape_reads_back(
        events in proptest::collection::vec(event(), 0..6),
        (clock_start, seed, bytes) in (any::<i64>(), any::<u64>(), any::<u64>()),
        (after_events, how) in (any::<u64>(), 0..3),
        why in proptest::option::of(any::<String>()),
    ) {
        let before_begin = (after_events == 0).then_some(true);
        let stop = Some(StopPoint { after_events, before_begin });
        let end = match how {
            0 => End { returned: Some(true), ..End::default() },
            1 => End { timeout: stop, ..End::default() },
            _ => End { cancel: stop, ..End::default() },
        };
        reads_back(&Tape {
            v: Tape::VERSION,
            clock_start,
            seed,
            setup: BlobRef { sha256: "ab".repeat(32), bytes },
            events,
            end,
            complete: why.is_none(),
            why,
        });
    }
}

#[test]
fn records_and_intents_read_back_to_the_same_bytes() {
    let world = World::new();
    world.put("a.txt", "汇率");
    for line in ["file read a.txt", "large", "a;b", "nothing", "help", "panic command"] {
        world.exec(line);
    }
    for record in world.sink.records() {
        let json = serde_json::to_string(&record).unwrap();
        let read: Record = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
    for intent in world.sink.intents() {
        let json = serde_json::to_string(&intent).unwrap();
        let read: Intent = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
}

#[test]
fn what_a_later_version_adds_to_a_tape_is_passed_over() {
    let json = r#"{"at_ms":1,"weather":{"sun":true},"lock":{"name":"a","ok":true,"new":1}}"#;
    let event: Event = serde_json::from_str(json).unwrap();
    assert_eq!(event.lock.unwrap().ok, Some(true));
}

/// They fail to read back once a dependency of the host's switches `arbitrary_precision` on.
#[test]
fn no_wire_type_is_flattened_tagged_or_untagged() {
    fn visit(folder: &Path, looked: &mut usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, looked);
                continue;
            }
            *looked += 1;
            let source = fs::read_to_string(&path).unwrap();
            for line in source.lines().filter(|line| line.contains("serde(")) {
                for forbidden in ["flatten", "tag =", "untagged"] {
                    assert!(!line.contains(forbidden), "{}: {line}", path.display());
                }
            }
        }
    }
    let mut looked = 0;
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/audit"), &mut looked);
    assert!(looked > 5, "{looked} files");
}
