//! The gateway over scripted seams, and the default transport over real sockets.

mod gateway;
#[cfg(feature = "http")]
mod reqwest;
