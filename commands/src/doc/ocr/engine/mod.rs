//! The engine of `doc ocr`: a scanned document in, lines of text out.
//!
//! Bytes go one way: [`pages`] tells what they are and gives pages of [`pixels`]; a model marks where
//! text is ([`detect`], [`blobs`]); the page is cleared ([`contrast`]) and set [`upright`]; [`lines`] and
//! [`order`] make lines in reading order of the marks; another model reads them one by one
//! ([`recognise`], [`columns`], [`ctc`]).
//! [`network`] runs the models. All of it is arithmetic: no files, no clocks, and one thread.

mod blobs;
mod columns;
mod contrast;
mod ctc;
mod detect;
mod effort;
mod lines;
mod network;
mod order;
mod pages;
mod paper;
mod picture;
mod pixels;
mod problem;
mod reader;
mod recognise;
mod strip;
mod text;
mod tif;
mod upright;

#[cfg(test)]
mod tests;

pub(super) use self::{
    pages::{MAX_PIXELS, Pages},
    problem::{Halt, Problem},
    reader::{Engine, Line, Page},
    recognise::Language,
};
