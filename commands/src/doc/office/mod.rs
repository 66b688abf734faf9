//! What the readers of docx and pptx share: the part of a package that holds text, its charts,
//! numbers as lists show them, and lines of spans.

mod alternate;
mod chart;
mod cost;
mod equation;
mod fields;
mod missing;
mod number;
mod package;
mod prefixes;
mod repair;
#[cfg(test)]
pub(super) mod sample;
mod spans;
mod tree;
mod words;

pub(super) use chart::Chart;
pub(super) use cost::Schema;
pub(super) use number::{Numeral, numeral};
pub(super) use package::{Package, caught};
pub(super) use spans::{Look, Spans};
