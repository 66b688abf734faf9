//! [`Reasons`]: why records were not run, told by kind.

use std::collections::BTreeMap;

use super::Causes;
use crate::groups::short;

/// Of a reason so many characters are kept.
const MOST_SHOWN: usize = 300;

/// Reasons that differ in names and numbers alone are one kind. However many are added, a bounded
/// part of them is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    kinds: Causes<String>,
    first: BTreeMap<String, First>,
}

/// The first reason of a kind.
#[derive(Clone, Debug)]
struct First {
    reason: String,
    /// Whether all that came after it are the same.
    is_all: bool,
}

/// What there is to say of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason<'a> {
    /// The reason where all are the same, else what they have in common: `…` for the rest.
    pub(crate) why: &'a str,
    /// Of reasons that are not the same the first.
    pub(crate) first: Option<&'a str>,
}

impl Reasons {
    pub(crate) fn add(&mut self, reason: &str, example: &str) {
        // Where in a JSON text it stands is particular to one record, too.
        let reason = short(reason.split(" at line ").next().unwrap_or(reason), MOST_SHOWN);
        let kind = kind(&reason);
        self.kinds.add(kind.clone(), example);
        if self.kinds.holds(&kind) {
            let first = First { reason: reason.clone(), is_all: true };
            let first = self.first.entry(kind).or_insert(first);
            first.is_all &= first.reason == reason;
        }
    }

    /// All that were added.
    pub(crate) fn count(&self) -> u64 {
        self.kinds.count
    }

    /// By kind.
    pub(crate) fn kinds(&self) -> &Causes<String> {
        &self.kinds
    }

    /// What there is to say of a kind.
    pub(crate) fn told<'a>(&'a self, kind: &'a str) -> Reason<'a> {
        match self.first.get(kind) {
            Some(First { reason, is_all: true }) => Reason { why: reason, first: None },
            Some(First { reason, is_all: false }) => Reason { why: kind, first: Some(reason) },
            None => Reason { why: kind, first: None },
        }
    }
}

/// A reason without names, which stand between backticks, and numbers.
fn kind(reason: &str) -> String {
    let mut kind = String::new();
    for (place, part) in reason.split('`').enumerate() {
        if place > 0 {
            kind.push('`');
        }
        if place % 2 == 1 {
            kind.push('…');
            continue;
        }
        let mut is_number = false;
        for character in part.chars() {
            let was_number = std::mem::replace(&mut is_number, character.is_ascii_digit());
            match (is_number, was_number) {
                (false, _) => kind.push(character),
                (true, false) => kind.push('…'),
                (true, true) => {}
            }
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_replay::Cause;

    fn told(reasons: &[&str]) -> Vec<(u64, String, Option<String>)> {
        let mut all = Reasons::default();
        reasons.iter().for_each(|reason| all.add(reason, ""));
        let told = |(kind, Cause { count, .. }): (&String, &Cause)| {
            let Reason { why, first } = all.told(kind);
            (*count, why.to_owned(), first.map(str::to_owned))
        };
        all.kinds().ranked().into_iter().map(told).collect()
    }

    #[test]
    fn reasons_that_differ_in_names_and_numbers_alone_are_one_kind() {
        let one = "cannot read `/a/b`: missing field `v`";
        assert_eq!(
            told(&[&format!("{one} at line 1 column 7"), one, "no 7th", "no 12th"]),
            [(2, one.to_owned(), None), (2, "no …th".to_owned(), Some("no 7th".to_owned()))]
        );
        let names = ["`a.example` did not answer in 30 ms", "`b.example` did not answer in 7 ms"];
        let folded = "`…` did not answer in … ms".to_owned();
        assert_eq!(told(&names), [(2, folded, Some(names[0].to_owned()))]);
    }

    #[test]
    fn however_many_are_added_few_are_kept() {
        let mut all = Reasons::default();
        let letter = |place: u32| char::from_u32(u32::from('一') + place).unwrap();
        (0..3000).for_each(|number| all.add(&letter(number).to_string().repeat(999), ""));
        assert_eq!((all.count(), all.first.len(), all.kinds.beyond), (3000, 1000, 2000));
        assert!(all.first.keys().all(|kind| kind.chars().count() == MOST_SHOWN + 1));
    }
}
