//! [`selftest`]: whether a case notices when something in it changes.
//!
//! A copy of the case is changed in one place at a time and looked at by the very code that runs
//! cases. What must be seen and is not is either a gap in what the kit compares, or a part of the case
//! that means nothing.

mod bytes;
mod edit;
mod expect;
mod given;
mod mutation;
mod rules;
mod scratch;
#[cfg(test)]
mod tests;

use std::{num::NonZeroU32, path::Path};

use self::{
    mutation::{Demand, Mutation},
    scratch::Scratch,
};
use crate::{
    CaseError, CaseName, Kit, Verdict,
    case::Case,
    cases::{Ran, replay_case},
    digest::sha256_hex,
};

/// What came of the mutations of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    /// Mutations that were seen, or must be.
    pub(crate) counted: usize,
    /// Those that must be seen and were not.
    pub(crate) survivors: Vec<Unseen>,
    /// Those that no outcome depends on.
    pub(crate) unobserved: Vec<Unseen>,
}

/// A mutation that a case does not notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// Relative to the case, or to the folder of the cases for `_blobs/`.
    pub(crate) file: String,
    /// What was done to it.
    pub(crate) what: String,
    /// The same of any case, to count by.
    pub(crate) kind: String,
    /// What the case is all the same; not always `ok` where it had to be `broken`.
    pub(crate) verdict: &'static str,
}

/// Makes the mutations of a case, or one in so many of them, always the same.
///
/// # Errors
/// The verdict on the case as it is, where that is not `ok`; `Broken` where no copy can be made of it.
pub(crate) fn selftest(
    kit: &Kit,
    golden: &Path,
    name: &CaseName,
    one_in: NonZeroU32,
) -> Result<Score, Verdict> {
    let broken = |error: CaseError| Verdict::broken(&error);
    let case = Case::read(golden, name).map_err(broken)?;
    let ran = Ran::of(kit, &case)?;
    match ran.verdict(&case) {
        Verdict::Ok => {}
        red => return Err(red),
    }
    let scratch = Scratch::of(golden, name, &case).map_err(broken)?;
    let look = |mutation: &Mutation| match mutation.is_of_expectations() {
        // The same is given, so the same comes of it: it need not be run again.
        true => match Case::read(scratch.golden(), name) {
            Ok(case) => ran.verdict(&case),
            Err(error) => Verdict::broken(&error),
        },
        false => replay_case(kit, scratch.golden(), name).verdict,
    };
    let mutations = expect::mutations(&scratch.files).chain(given::mutations(&scratch.files));
    let sample = mutations.filter(|mutation| is_in_sample(name, mutation, one_in));
    let mut score = Score::default();
    for mutation in sample {
        let verdict = scratch.with(&mutation, || look(&mutation)).map_err(broken)?;
        score.add(mutation, &verdict);
    }
    Ok(score)
}

fn is_in_sample(name: &CaseName, mutation: &Mutation, one_in: NonZeroU32) -> bool {
    let Mutation { file, what, .. } = mutation;
    let hash = sha256_hex(format!("{name} {file} {what}").as_bytes());
    let number = hash.get(..8).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    number.is_some_and(|number| number % one_in == 0)
}

impl Score {
    fn add(&mut self, mutation: Mutation, verdict: &Verdict) {
        let is_met = mutation.demand.is_met_by(verdict);
        if is_met || mutation.demand != Demand::Nothing {
            self.counted += 1;
        }
        let Mutation { file, what, kind, demand, .. } = mutation;
        let unseen = Unseen { file, what, kind, verdict: verdict.name() };
        match demand {
            _ if is_met => {}
            Demand::Nothing => self.unobserved.push(unseen),
            Demand::Broken | Demand::Red => self.survivors.push(unseen),
        }
    }
}
