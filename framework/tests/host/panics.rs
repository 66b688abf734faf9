//! A panic is an envelope, a record, and nothing else.

use serde_json::json;
use tapeline::Request;

use crate::world::World;

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
fn a_panic_while_a_stopped_command_is_dropped_is_internal() {
    let world = World::new();
    let ran = world.start(Request::new("panic drop").timeout_ms(200));
    ran.fails("Internal", 70, &[]);
    world.exec("echo --text alive").ok();
}

#[test]
fn a_transport_of_the_host_that_panics_is_internal() {
    let world = World::new();
    world.service.does(|| panic!("in the transport"));
    world.exec("fetch --url https://a.example/").fails("Internal", 70, &[]);
    world.exec("echo --text alive").ok();
}
