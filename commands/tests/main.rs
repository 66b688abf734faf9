//! What a host sees of the built-in commands: a line in, an envelope out.

use tapeline_commands as _;

// `cfg(test)` says what is true anyway: clippy then knows that helpers of tests may unwrap, too.
#[cfg(test)]
mod contract;
#[cfg(test)]
#[cfg(feature = "doc")]
mod doc;
#[cfg(test)]
#[cfg(feature = "exchange-rate")]
mod exchange_rate;
#[cfg(test)]
#[cfg(feature = "hello")]
mod hello;
#[cfg(test)]
#[cfg(feature = "rss")]
mod rss;
#[cfg(test)]
#[cfg_attr(
    not(any(feature = "exchange-rate", feature = "rss")),
    expect(dead_code, reason = "the other commands touch neither files nor network")
)]
mod world;
