//! `hello`: REQ-0011-020.

use crate::world::World;

#[test]
fn draws_hello_and_signs() {
    let run = World::new().exec("hello").ok();
    assert_eq!(
        run.envelope.stdout,
        "\
#   # ##### #     #      ###
#   # #     #     #     #   #
##### ####  #     #     #   #
#   # #     #     #     #   #
#   # ##### ##### #####  ###
lemonhall
"
    );
    assert_eq!(run.fields(), ["ok", "command", "text", "signature", "art"]);
    assert_eq!(run.result["text"], "HELLO");
    assert_eq!(run.result["signature"], "lemonhall");
    assert_eq!(run.result["art"].as_array().unwrap().len(), 5);
}

#[test]
fn draws_another_word_in_upper_case() {
    let run = World::new().exec("hello --name \"agent 7\"").ok();
    assert_eq!(run.result["text"], "AGENT 7");
    assert_eq!(run.envelope.stdout.lines().count(), 6);
    assert_eq!(run.envelope.stdout.lines().last(), Some("lemonhall"));
}

#[test]
fn names_the_character_it_cannot_draw() {
    let world = World::new();
    world.exec("hello --name caf\u{e9}").fails("InvalidArgs", &["--name", "`\u{e9}`"]);
    world.exec("hello --name \u{4f60}\u{597d}").fails("InvalidArgs", &["`\u{4f60}`"]);
    world.exec("hello --name \"what?\"").fails("InvalidArgs", &["`?`"]);
}

#[test]
fn wants_a_word_that_fits_a_line() {
    let world = World::new();
    world.exec("hello --name \"\"").fails("InvalidArgs", &["--name"]);
    world.exec("hello --name \" \"").fails("InvalidArgs", &["nothing to draw"]);
    world.exec(&format!("hello --name {}", "x".repeat(20))).ok();
    world.exec(&format!("hello --name {}", "x".repeat(21))).fails("InvalidArgs", &["at most 20"]);
}
