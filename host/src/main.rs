//! The reference host, `tapeline`.

fn main() {}
