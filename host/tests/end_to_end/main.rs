//! The real binary, the real HTTP stack, a real TLS server on loopback.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod corpus;
// The native libraries it names are those of Linux.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod embedded;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
// What a process has is read from `/proc`.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod hostile_feeds;
#[cfg(test)]
mod main_job;
#[cfg(test)]
mod options;
#[cfg(test)]
mod outside;
#[cfg(test)]
mod pty;
#[cfg(test)]
mod rates;
#[cfg(test)]
mod review;
#[cfg(test)]
mod scratch;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod world;
