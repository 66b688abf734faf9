//! A few cases of every kind of input.

use tapeline::{ApprovalAnswer, http::HttpFaultKind};

use crate::world::{World, body, fault};

const URL: &str = "https://a.example/";

/// Six cases in two groups.
pub(crate) fn corpus() -> World {
    let second = "https://a.example/second";
    let world = World::new()
        .file("in.txt", "given")
        .file("bytes", [0xff, 0])
        .file("dir/a.txt", "a")
        .says(ApprovalAnswer::Denied)
        .answers(URL, body("1"))
        .answers(URL, body("2"))
        .answers(second, fault(HttpFaultKind::Reset));
    for (name, steps) in [
        (
            "one/answers",
            &["get https://a.example/", "get https://a.example/", "?get https://a.example/second"]
                [..],
        ),
        (
            "one/files",
            &["read in.txt", "read bytes", "?read none", "list dir", "write new.txt some text"],
        ),
        (
            "two/people",
            &["?approve jump", "lock queue 10", "warn a warning", "artifact made.txt made"],
        ),
        ("two/plain", &["print a", "print b"]),
        ("two/removal", &["read in.txt", "remove in.txt"]),
        ("two/failure", &["fail no such thing"]),
    ] {
        let ran = world.run(steps);
        world.promoted(&ran.record, name);
    }
    world
}
