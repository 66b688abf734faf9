//! A whole log, run again: what would change if this build shipped?
//!
//! ```text
//!  place ──▶ Stretch ──▶ workers ──▶ in the order of the log ──▶ Tally
//!  meant ─────▲             └─▶ Came, of one line                  └─▶ promote_examples
//! ```
//!
//! However long the log, no more of it is in memory than a window of lines that are being run.

mod came;
mod causes;
mod examples;
mod meant;
mod place;
mod reasons;
mod tally;
mod workers;

pub(crate) use self::{
    causes::{Cause, Causes},
    examples::{Example, Promoted, examples, promote_examples},
    meant::{Meant, Since},
    place::Place,
    reasons::{Reason, Reasons},
    tally::{Tally, Told},
    workers::replay_log,
};
