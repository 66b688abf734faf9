//! Shapes: what a secret looks like wherever it stands.
//!
//! A shape is told by a few bytes that all its secrets begin with, or have in them, and by what must
//! follow. One pass over the bytes finds them all; nothing is allocated where there is none. Better a
//! secret missed than a text spoiled: a shape without marks of its own (forty letters and digits)
//! is none.

mod scan;
mod structured;
mod tokens;
mod views;

#[cfg(test)]
mod tests;

pub(super) use self::{
    scan::{first, found},
    structured::{is_stand_in, may_be_drawn, tokens_in_word},
};
