//! What the framework tells its host alone, causes and host paths included: warnings and errors, on
//! stderr.

use std::io;

use tracing::Level;

/// From here on, a line for each.
pub(crate) fn to_stderr() {
    tracing_subscriber::fmt()
        .with_max_level(Level::WARN)
        .with_writer(io::stderr)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .init();
}
