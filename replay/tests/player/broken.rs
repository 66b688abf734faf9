//! Records that cannot be run again, or not from their tape alone.

use std::fs;

use tapeline::audit::{Kept, Record, blob_path};
use tapeline_replay::Verdict;

use crate::world::{World, body, tape};

fn with_big_body() -> (World, Record) {
    let world = World::new().answers("https://a.example/", body("x".repeat(9000)));
    let ran = world.run(&["get https://a.example/"]);
    world.check(&ran, "");
    (world, ran.record)
}

fn blobs(world: &World, record: &Record) -> Vec<String> {
    let tape = tape(record, world);
    let body = tape.events[0].http.clone().unwrap().response.unwrap().body.blob.unwrap();
    vec![tape.setup.sha256, body]
}

#[track_caller]
fn assert_broken(world: &World, record: &Record, word: &str) {
    let verdict = world.replayed(record);
    assert!(matches!(&verdict, Verdict::Broken(why) if why.contains(word)), "{verdict}");
    assert_eq!(verdict.exit_code(), 2);
}

#[track_caller]
fn assert_skipped(world: &World, record: &Record, word: &str) {
    let verdict = world.replayed(record);
    assert!(matches!(&verdict, Verdict::Skipped(why) if why.contains(word)), "{verdict}");
    assert_eq!(verdict.exit_code(), 2);
}

#[test]
fn a_damaged_blob_is_broken() {
    let (world, record) = with_big_body();
    for sha256 in blobs(&world, &record) {
        let path = blob_path(&world.path("audit"), &sha256).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[1] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert_broken(&world, &record, "not that of its name");
        fs::write(&path, whole).unwrap();
    }
    world.check_record(&record);
}

#[test]
fn a_missing_blob_is_broken() {
    let (world, record) = with_big_body();
    for sha256 in blobs(&world, &record) {
        let path = blob_path(&world.path("audit"), &sha256).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_broken(&world, &record, &sha256);
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn a_missing_blob_of_the_envelope_is_broken() {
    let world = World::new();
    let ran = world.run(&["many 3000"]);
    let sha256 = ran.record.stdout.blob().unwrap().sha256;
    fs::remove_file(blob_path(&world.path("audit"), &sha256).unwrap()).unwrap();
    assert_broken(&world, &ran.record, &sha256);
}

#[test]
fn tapes_of_another_version_or_shape_are_broken() {
    let (world, record) = with_big_body();
    let whole = tape(&record, &world);
    let changed = |change: &dyn Fn(&mut tapeline::audit::Tape)| {
        let mut tape = whole.clone();
        change(&mut tape);
        Record { tape: Kept::inline(&tape), ..record.clone() }
    };
    assert_broken(&world, &changed(&|tape| tape.v = 2), "version 2");
    let no_answer = changed(&|tape| tape.events[0].http.as_mut().unwrap().response = None);
    assert_broken(&world, &no_answer, "neither");
    let no_address = changed(&|tape| {
        tape.events[0].http.as_mut().unwrap().resolved = vec!["nowhere".to_owned()];
    });
    assert_broken(&world, &no_address, "nowhere");
    let no_blob = changed(&|tape| tape.setup.sha256 = "../../x".to_owned());
    assert_broken(&world, &no_blob, "../../x");
    let no_tape = Record { tape: Kept::inline("a text"), ..record.clone() };
    assert_broken(&world, &no_tape, "not what it should be");
    let no_command = Record { command: Kept::inline(&7), ..record.clone() };
    assert_broken(&world, &no_command, "not what it should be");
}

#[test]
fn a_set_up_of_another_version_is_broken() {
    let (world, record) = with_big_body();
    let setup = world.log().blob(&tape(&record, &world).setup.sha256).unwrap();
    let later = String::from_utf8(setup).unwrap().replacen("\"v\":1", "\"v\":2", 1);
    let sha256: String = {
        use sha2::{Digest as _, Sha256};
        Sha256::digest(later.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let path = blob_path(&world.path("audit"), &sha256).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, later).unwrap();
    let mut tape = tape(&record, &world);
    tape.setup.sha256 = sha256;
    let record = Record { tape: Kept::inline(&tape), ..record };
    assert_broken(&world, &record, "version 2");
}

#[test]
fn runs_without_a_whole_tape_are_skipped() {
    let (world, record) = with_big_body();
    let mut incomplete = tape(&record, &world);
    incomplete.complete = false;
    let without_reason = Record { tape: Kept::inline(&incomplete), ..record.clone() };
    assert_skipped(&world, &without_reason, "incomplete");
    incomplete.why = Some("a file changed under the run".to_owned());
    let with_reason = Record { tape: Kept::inline(&incomplete), ..record.clone() };
    assert_skipped(&world, &with_reason, "changed under the run");
    let interrupted =
        Record { error_code: Some("Interrupted".to_owned()), tape: Kept::null(), ..record };
    assert_skipped(&world, &interrupted, "died");

    let world = World::with(|builder| builder.without_tape());
    let ran = world.run(&["print a"]);
    assert_skipped(&world, &ran.record, "without a tape");
}

#[test]
fn a_body_that_echoes_a_secret_is_not_kept() {
    let echo = format!("{} hunter2-hunter2", "x".repeat(9000));
    let world = World::new().answers("https://a.example/", body(echo));
    let line = "do --key hunter2-hunter2 'get-with-key https://a.example/'";
    let ran = world.request(tapeline::Request::new(line));
    assert_skipped(&world, &ran.record, "secret");
}
