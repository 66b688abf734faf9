//! [`Unkept`]: the cases of which what came could not be kept.

use std::{
    io::{self, Write},
    path::Path,
};

use serde::Serialize;

use crate::{CaseError, CaseName, cases::Replayed, held::Held, pending::Pending, verdict::chain};

/// Cases that are named; the rest is counted.
const MOST_CASES: usize = 10;

/// The cases of which what came could not be kept, and why. Their verdicts stand all the same.
#[derive(Debug, Default)]
pub(super) struct Unkept(Vec<(CaseName, String)>);

impl Unkept {
    /// Keeps what came of cases.
    pub(super) fn after_keeping<'a>(
        pending: &Pending,
        golden: &Path,
        cases: impl Iterator<Item = (&'a CaseName, &'a Replayed)>,
    ) -> Self {
        let mut unkept = Self::default();
        let touched = cases.filter(|(name, replayed)| pending.is_touched(name, &replayed.verdict));
        let mut touched = touched.peekable();
        if touched.peek().is_none() {
            return unkept;
        }
        match Held::pending([pending]) {
            Ok(_held) => touched.for_each(|(name, replayed)| {
                unkept.note(name, pending.keep(golden, name, replayed));
            }),
            Err(error) => {
                let why = chain(&error);
                unkept.0.extend(touched.map(|(name, _)| (name.clone(), why.clone())));
            }
        }
        unkept
    }

    pub(super) fn note(&mut self, name: &CaseName, kept: Result<(), CaseError>) {
        if let Err(error) = kept {
            self.0.push((name.clone(), chain(&error)));
        }
    }

    /// In lines, or as one JSON object a case.
    pub(super) fn write(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if json {
            return self.0.iter().try_for_each(|(case, not_kept)| {
                let case = case.as_str();
                writeln!(out, "{}", serde_json::to_string(&Line { case, not_kept })?)
            });
        }
        for (name, why) in self.0.iter().take(MOST_CASES) {
            writeln!(out, "{name}: what came could not be kept: {why}")?;
        }
        match self.0.len().saturating_sub(MOST_CASES) {
            0 => Ok(()),
            more => writeln!(out, "… and {more} more could not be kept"),
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        if self.0.is_empty() { 0 } else { 2 }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    case: &'a str,
    not_kept: &'a str,
}
