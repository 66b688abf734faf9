//! [`Problem`]: why a page cannot be read.

use thiserror::Error;

/// Why a document or a page cannot be read, or a model not be used.
#[derive(Debug, Error)]
pub(crate) enum Problem {
    /// Neither a PDF nor a png, jpg or tif.
    #[error("neither a PDF nor a png, jpg or tif picture")]
    NotAPicture,
    #[error("the PDF is encrypted")]
    Encrypted,
    /// The bytes begin like what they are not, or end too soon.
    #[error("the {what} is damaged: {cause}")]
    Damaged { what: &'static str, cause: String },
    #[error("a picture of {width} x {height} pixels; the most is {} megapixels", super::pages::MAX_PIXELS / 1_000_000)]
    TooLarge { width: u64, height: u64 },
    /// A page that would take very long to draw; others of the document may not.
    #[error("a page of the PDF is too intricate to be drawn")]
    TooIntricate,
    /// The host's configuration names a file that is not the model that it should be.
    #[error("the `{which}` model cannot be used: {cause}")]
    Model { which: &'static str, cause: String },
}

/// Why reading ended before its end: the caller said so, or there is a problem.
#[derive(Debug)]
pub(crate) enum Halt<S> {
    Stopped(S),
    Problem(Problem),
}

impl<S> From<Problem> for Halt<S> {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Runs what other people wrote over bytes from outside: a panic becomes a [`Problem`].
pub(super) fn guarded<T>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Problem::Damaged { what, cause: "its reader gave up".to_owned() }))
}
