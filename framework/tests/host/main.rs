//! What an embedder sees: a line in, an envelope and an audit record out.

// `cfg(test)` says what is true anyway: clippy then knows that helpers of tests may unwrap, too.
#[cfg(test)]
mod audit;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod door;
#[cfg(test)]
#[cfg(unix)]
mod escapes;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod line;
#[cfg(test)]
#[cfg(unix)]
mod log_in_the_way;
#[cfg(test)]
#[cfg(feature = "http")]
mod network;
#[cfg(test)]
mod out;
#[cfg(test)]
mod panics;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod races;
#[cfg(test)]
mod runtimes;
#[cfg(test)]
#[path = "../secret_samples.rs"]
mod secret_samples;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod stdin;
#[cfg(test)]
mod tape;
#[cfg(test)]
mod time;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod world;
