//! Each case with each thing that can go wrong in it, held to what must hold whatever comes in.

mod envelope;
mod family;
mod files;
mod invariants;
mod keep;

use std::path::Path;

use tapeline::{Envelope, audit::Tape};

pub(crate) use self::{
    family::{Kind, Variant},
    invariants::{Breach, Invariant},
    keep::keep,
};
use crate::{
    CaseName, Kit, Verdict,
    case::Case,
    cases::replay_case,
    given::Given,
    player::{NotPlayed, Played, play},
};

/// A case that its variants are made of.
pub(crate) struct Base {
    case: Case,
    played: Played,
    pub(crate) variants: Vec<Variant>,
}

/// Why a case has no variants here.
#[derive(Debug)]
pub(crate) enum Left {
    /// It is derived: a variant itself, and its base has them all.
    Derived,
    /// It does not come to what is expected of it, so nothing can be said of its variants.
    Not(Verdict),
}

/// A variant that was run.
#[derive(Debug)]
pub(crate) struct Tried {
    /// What does not hold.
    pub(crate) breaches: Vec<Breach>,
    /// It asked for what the tape does not hold, so often.
    pub(crate) misses: usize,
    /// `None` where it came to none.
    pub(crate) envelope: Option<Envelope>,
}

impl Base {
    /// Reads a case, runs it, and makes its variants.
    ///
    /// # Errors
    /// It is derived, or not `ok`.
    pub(crate) fn read(kit: &Kit, golden: &Path, name: &CaseName) -> Result<Self, Left> {
        let replayed = replay_case(kit, golden, name);
        let case = match (replayed.verdict, replayed.came) {
            (Verdict::Ok, Some(came)) if came.case.base.is_some() => return Err(Left::Derived),
            (Verdict::Ok, Some(came)) => came.case,
            (verdict, _) => return Err(Left::Not(verdict)),
        };
        let played = run(kit, case.given.clone()).map_err(Left::Not)?;
        let tape = tape(&played).map_err(|why| Left::Not(Verdict::Broken(why)))?;
        let variants = family::family(&case.given, &tape, played.sleeps);
        Ok(Self { case, played, variants })
    }

    /// Runs a variant and holds it to the invariants.
    ///
    /// What it asks for beyond the tape is no breach: no name resolves then, nothing is there,
    /// nobody answers. The one answer that is changed comes again when the same is asked again.
    pub(crate) fn try_variant(&self, kit: &Kit, variant: &Variant) -> Tried {
        let played = variant
            .given(&self.case.given)
            .and_then(|given| run(kit, family::repeated(given, &variant.change)));
        match played {
            Ok(played) => Tried {
                breaches: invariants::breaches(kit, &self.case.given, &self.played, &played),
                misses: played.misses.len(),
                envelope: Some(played.envelope),
            },
            Err(verdict) => Tried {
                breaches: vec![Breach::new(Invariant::Record, verdict.to_string())],
                misses: 0,
                envelope: None,
            },
        }
    }
}

fn run(kit: &Kit, given: Given) -> Result<Played, Verdict> {
    play(given, kit.registry.clone(), kit.patience).map_err(|not| match not {
        NotPlayed::Stuck => Verdict::Stuck,
        NotPlayed::Broken(why) => Verdict::Broken(why),
    })
}

/// What came in during a run.
fn tape(played: &Played) -> Result<Tape, String> {
    let json = played.kept(&played.record.tape)?;
    serde_json::from_str(&json).map_err(|error| format!("the tape of the replay: {error}"))
}
