//! Running models: [`Network`].
//!
//! `rten` runs any ONNX graph, but its depthwise convolutions are scalar and it makes a pass over
//! memory for each of the nine small steps between two convolutions, of which these models are made:
//! a page took ten seconds. So the [`trunk`] of a model, its convolutions from the picture on, is
//! cut off and run here, with the same matrix products, and `rten` runs what is left. A model of
//! another make has a short trunk or none, and is read all the same.

mod convolution;
mod dense;
mod depthwise;
mod feature_map;
mod finish;
mod graph;
mod memory;
mod plan;
mod quick;
mod tail;
mod trunk;
mod vector;
mod window;

#[cfg(test)]
mod tests;

mod model;

pub(super) use self::model::Network;
