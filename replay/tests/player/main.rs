//! Runs recorded on a real log and workspace, replayed by the kit.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what is not as a test expects it fails the test"
)]

mod commands;
mod corpus;
#[path = "../../../framework/tests/secret_samples.rs"]
mod secret_samples;
mod world;

mod broken;
mod by_hand;
mod cases;
mod changed;
mod command_line;
mod damage;
mod faults;
mod files;
mod format;
mod gc;
mod kept;
mod log;
mod mv;
mod network;
mod offered;
mod outputs;
mod overlaps;
mod pending;
mod people;
mod promote;
mod report;
mod review;
mod secrets;
mod selftest;
mod settle;
mod stopped;
