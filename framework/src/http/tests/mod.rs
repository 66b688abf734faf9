//! The gateway over scripted seams, and the default transport over real sockets.

mod addresses;
#[cfg(feature = "http")]
mod encodings;
mod gateway;
#[cfg(feature = "http")]
mod reqwest;
mod spellings;
