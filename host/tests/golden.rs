//! Each case of `golden/` is a test.

use std::process::ExitCode;

use tapeline_commands::LEFT_OUT;
use tapeline_replay::{Kit, harness};

fn main() -> ExitCode {
    harness("../golden", |registry| {
        Kit::new(registry).called("cargo xtask replay").left_out(LEFT_OUT)
    })
}
