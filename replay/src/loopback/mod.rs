//! A small real HTTP/1.1 server on loopback, with TLS where asked for: the outside, scripted.
//!
//! Real transports are tested against it, so it is blunt on purpose: it answers exactly what it was
//! told, stalls, resets and lies about lengths when it was told to, and keeps every request for the
//! test to look at. It stands behind the cargo feature `loopback`; the player never reaches it.
//!
//! ```
//! use tapeline_replay::loopback::{Answer, Loopback};
//!
//! # fn main() -> std::io::Result<()> {
//! let server = Loopback::builder().tls(&["example.org"]).start()?;
//! server.answer("GET", "/feed", Answer::ok("application/rss+xml", "<rss/>"));
//! server.answer("GET", "/feed", Answer::status(304));
//! assert!(server.connect_to("example.org", 443).starts_with("example.org:443:127.0.0.1:"));
//! assert_eq!(server.hits("/feed"), 0);
//! # Ok(())
//! # }
//! ```

mod answer;
mod certificates;
mod connection;
mod request;
mod server;
mod stop;

pub use answer::Answer;
pub use request::Seen;
pub use server::{Builder, Loopback};

#[cfg(test)]
mod tests;
