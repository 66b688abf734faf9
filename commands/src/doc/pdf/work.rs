//! [`Work`]: how much was done for one file, so that a small one keeps no reader busy for long.
//!
//! A step takes about a nanosecond. What a file makes a reader do is counted where it is done, the
//! same thing as often as it is done again, so that the count depends on nothing but the bytes.

use std::cell::Cell;

use tapeline::Failure;

/// Two to three seconds of one processor. A document of 64 MiB that is nothing but drawings takes
/// four fifths of it, five million characters of text, the most that is given, half.
const MAX_STEPS: u64 = 2_500_000_000;

/// Of a byte that a filter takes.
pub(super) const FILTER: usize = 3;
/// Of a byte that a predictor made of others.
pub(super) const PREDICTED: usize = 8;
/// Of a byte of objects that are parsed.
pub(super) const PARSE: usize = 15;
/// Of an object that is looked for in the file, beside its bytes.
pub(super) const OBJECT: usize = 1_500;
/// Of a byte of what draws a page.
pub(super) const CONTENT: usize = 6;
/// Of an operator.
pub(super) const OPERATOR: usize = 20;
/// Of an operator that names something of the page's resources, beside that.
pub(super) const RESOURCE: usize = 120;
/// Of a form, each time that it is drawn.
pub(super) const FORM: usize = 1_200;
/// Of a code of a font that is shown.
pub(super) const GLYPH: usize = 60;
/// Of a character on a page, which has to be put into its line.
pub(super) const MARK: usize = 200;
/// Of a font that is loaded.
pub(super) const FONT: usize = 20_000;
/// Of a byte of a font's map.
pub(super) const MAP: usize = 15;
/// Of a byte of a font's program.
pub(super) const PROGRAM: usize = 2;
/// Of an annotation that is looked at.
pub(super) const ANNOTATION: usize = 400;
/// Of a node of the page tree.
pub(super) const NODE: usize = 200;
/// Of a page, whatever it holds.
pub(super) const PAGE: usize = 5_000;
/// Of one among many that something is compared with.
pub(super) const LOOK: usize = 5;

/// Steps so far.
#[derive(Debug, Default)]
pub(super) struct Work(Cell<u64>);

impl Work {
    /// Adds `count` times what one of a kind takes.
    pub(super) fn add(&self, count: usize, each: usize) {
        let steps = u64::try_from(count.saturating_mul(each)).unwrap_or(u64::MAX);
        self.0.set(self.0.get().saturating_add(steps));
    }

    /// Whether more may be done.
    pub(super) fn is_left(&self) -> bool {
        self.0.get() <= MAX_STEPS
    }

    /// # Errors
    /// `LimitExceeded`: more was done than any honest file takes.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.is_left() {
            return Ok(());
        }
        let message = "reading the document takes more than 2,500 million steps: it has too much \
                       to draw or to unpack, or the same things over and over";
        Err(Failure::limit_exceeded("elements", MAX_STEPS, message)
            .hint("print the pages that matter to a new PDF, or split the document"))
    }
}
