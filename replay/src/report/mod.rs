//! What came of cases, as files for people and their tools: a page, a summary, JUnit.
//!
//! A [`Report`] is what is told; the others are ways to write it.

mod accept;
mod changes;
mod exchanges;
mod file;
mod html;
mod junit;
mod markdown;
mod model;
mod reported;
mod rows;
mod text;

pub(crate) use self::{
    file::write_whole,
    html::html,
    junit::junit,
    markdown::markdown,
    model::{AllPending, Builder, Report},
};
