//! The smallest host: a terminal with the built-in commands, one line, one envelope.
//!
//! ```console
//! cargo run --package tapeline-commands --example embed -- "hello --name world"
//! ```
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a host reads its arguments and prints; its commands do neither"
)]

use tapeline::{BuildError, Policy, Terminal};
// Links the commands: the dependency alone registers none.
use tapeline_commands as _;

fn main() -> Result<(), BuildError> {
    let line = std::env::args().nth(1).unwrap_or_else(|| "help".to_owned());
    let terminal = Terminal::builder()
        .root("./.tapeline")
        .policy(Policy::default().allow_declared_network())
        .host("embed", env!("CARGO_PKG_VERSION"))
        .build()?;
    println!("{}", terminal.exec_blocking(line).to_json());
    Ok(())
}
