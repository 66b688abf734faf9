//! [`judge`]: what became of the first line that does not fit.
//!
//! A record vouches for the line before it (with torn lines in between) and for nothing else. So where one does not fit, who is
//! to blame, it or the line before, is told by the lines behind: the log is read once more for what
//! they know. What one change leaves behind:
//!
//! | change | the first record that does not fit | and elsewhere |
//! |---|---|---|
//! | line edited | right `seq`, other `prev` | the next is chained to it, so it is the line before |
//! | its `prev` edited | right `seq`, other `prev` | nothing is chained to it |
//! | its `seq` edited | right `prev`, other `seq` | |
//! | overwritten by no record | behind it, one `seq` too high | |
//! | deleted | `seq` too high | the record that belongs here is nowhere |
//! | moved | `seq` too high | that record stands elsewhere, and so does what this one belongs to |
//! | copied from behind | `seq` too high | both records stand elsewhere |
//! | copied from before | `seq` too low | the same line stands elsewhere |
//! | inserted | anything | the record that belongs here is the next, nothing belongs to this one |

use std::cmp::Ordering;

use tapeline::audit::{Anchor, RunsFile};

use super::{
    chain::{Break, Chain, Why},
    damage::{Damage, DamageKind},
    lines::{At, Hash, Line, Place, Said},
};
use crate::log::error::LogError;

/// What the other lines know of the one that does not fit.
#[derive(Default)]
struct Elsewhere {
    /// The record that belongs in its place, behind so many of the torn lines that stand there.
    belongs_behind: Option<usize>,
    /// How many lines are byte for byte the same.
    copies: u64,
    /// A record is chained to it.
    is_referred: bool,
    /// The line it is chained to.
    has_before: bool,
    /// A record is chained to the one before it.
    is_last_referred: bool,
    /// The next record.
    next: Option<Place>,
}

pub(super) fn judge(chain: &Chain<'_>, broken: &Break) -> Result<Damage, LogError> {
    let elsewhere = look(chain, broken)?;
    let (at, kind) = verdict(chain, broken, &elsewhere);
    // What the log begins with does not fit the anchor, and is fine by itself.
    if let DamageKind::Anchor { .. } = kind {
        let (dir, line) = chain.anchor();
        return Ok(Damage { kind, file: Anchor::path(dir), line: Some(line) });
    }
    Ok(Damage { kind, file: chain.path(at), line: Some(at.line) })
}

/// The hash of the line before, whatever it is.
fn before(broken: &Break) -> Hash {
    broken.pending.last().map_or(broken.head.hash, |line| line.hash)
}

fn look(chain: &Chain<'_>, broken: &Break) -> Result<Elsewhere, LogError> {
    let Break { line, place, head, .. } = broken;
    let wanted = head.seq.saturating_add(1);
    let behind = |hash: Hash| {
        let torn = broken.pending.iter().map(|line| line.hash);
        std::iter::once(head.hash).chain(torn).position(|before| before == hash)
    };
    // Torn lines that stood behind the record it is chained to may still stand before it.
    let is_chained_to = |other: &Line| {
        let torn = &broken.pending;
        (0..torn.len()).any(|from| {
            let behind = torn.iter().skip(from);
            behind.fold(other.hash, |before, line| line.behind(before).hash) == place.prev
        })
    };
    let mut elsewhere = Elsewhere::default();
    // What the next record is chained to, torn lines taken in.
    let mut reach = line.hash;
    chain.again(&mut |other| {
        elsewhere.copies += u64::from(other.hash == line.hash);
        elsewhere.has_before |= other.hash == place.prev;
        let is_next = other.at > line.at && elsewhere.next.is_none();
        let Said::Record(other_place) = other.said else {
            if is_next {
                reach = other.hash;
            }
            return;
        };
        if is_next {
            elsewhere.next = Some(other_place);
            elsewhere.is_referred |= other_place.prev == reach;
        }
        if other.at != line.at {
            if other_place.seq == wanted && elsewhere.belongs_behind.is_none() {
                elsewhere.belongs_behind = behind(other_place.prev);
            }
            elsewhere.has_before |=
                other_place.seq.checked_add(1) == Some(place.seq) && is_chained_to(other);
            elsewhere.is_referred |= other_place.prev == line.hash;
            elsewhere.is_last_referred |= other_place.prev == head.hash;
        }
    })?;
    elsewhere.is_referred |= chain.pinned() == Some((place.seq, line.hash));
    Ok(elsewhere)
}

fn verdict(chain: &Chain<'_>, broken: &Break, elsewhere: &Elsewhere) -> (At, DamageKind) {
    let Break { line, place, head, pending, why, is_anchored } = broken;
    let here = line.at;
    let wanted = head.seq.saturating_add(1);
    let before = before(broken);
    let belongs = elsewhere.belongs_behind.is_some();
    let is_pinned_otherwise =
        chain.pinned().is_some_and(|(seq, hash)| seq == place.seq && hash != line.hash);
    let is_disowned_by_next = !elsewhere.is_referred && elsewhere.next.is_some();
    let is_disowned = is_disowned_by_next || (!elsewhere.is_referred && is_pinned_otherwise);

    match why {
        // The next record knows another line here; all but this one may be as it was.
        Why::Pin if is_disowned_by_next => return (here, DamageKind::Edited),
        // Where a log was cut and written on, lines before this record may be new as well.
        Why::Pin => {
            let first = pending.first();
            let kind = match first.is_some_and(|line| line.is_foreign(wanted)) {
                true => DamageKind::Unparsable { seq: wanted },
                false => DamageKind::Rewritten { pinned: place.seq },
            };
            return (first.map_or(here, |line| line.at), kind);
        }
        Why::Version if is_disowned_by_next => return (here, DamageKind::Edited),
        Why::Version => return (here, DamageKind::Version { v: place.v }),
        Why::Chain => {}
    }
    if let Some(last) = pending.last() {
        // Chained to a line further up: those behind that were not there.
        let known = pending.iter().position(|line| line.hash == place.prev).map(|at| at + 1);
        let known = known.or((place.prev == head.hash).then_some(0));
        if let Some(inserted) = known.and_then(|known| pending.get(known))
            && place.seq == wanted
        {
            return (inserted.at, DamageKind::Inserted);
        }
        if place.seq == wanted.saturating_add(1) && place.prev != before && !belongs {
            // What was put in its place may look torn, and then it may be any of them.
            let other = pending.iter().find(|line| line.is_foreign(wanted));
            return (other.unwrap_or(last).at, DamageKind::Unparsable { seq: wanted });
        }
    }
    let is_first = head.at.is_none() && pending.is_empty();
    let anchor = DamageKind::Anchor { why: "the first record that is left does not follow it" };
    if place.prev == before {
        return match is_first && *is_anchored && elsewhere.is_referred {
            true => (here, anchor),
            false => (here, DamageKind::Edited),
        };
    }
    match place.seq.cmp(&wanted) {
        Ordering::Equal if belongs => (here, DamageKind::Inserted),
        Ordering::Equal if is_disowned => (here, DamageKind::Edited),
        Ordering::Equal if is_first && *is_anchored => (here, anchor),
        Ordering::Equal => {
            // It or a torn line behind it, which are vouched for together.
            let first = head.at.or(pending.first().map(|line| line.at));
            (first.unwrap_or(here), DamageKind::Edited)
        }
        Ordering::Greater if belongs => {
            let kind = if elsewhere.copies > 1 {
                DamageKind::Duplicated { seq: place.seq }
            } else if elsewhere.is_referred || elsewhere.has_before {
                DamageKind::Reordered { seq: place.seq, belongs: wanted }
            } else {
                DamageKind::Inserted
            };
            let torn = elsewhere.belongs_behind.and_then(|torn| pending.get(torn));
            (torn.map_or(here, |line| line.at), kind)
        }
        // The next record is where it should be, so this one stands for the one that is missing.
        Ordering::Greater if takes_the_place(elsewhere, wanted) => (here, DamageKind::Edited),
        Ordering::Greater => (here, missing(chain, broken)),
        Ordering::Less if elsewhere.copies > 1 => (here, DamageKind::Duplicated { seq: place.seq }),
        Ordering::Less if is_first && *is_anchored => (here, anchor),
        // Both claim the same place behind the same line: whom the others know is the right one.
        Ordering::Less
            if place.seq == head.seq
                && place.prev == head.prev
                && elsewhere.is_referred
                && !elsewhere.is_last_referred =>
        {
            (head.at.unwrap_or(here), DamageKind::Inserted)
        }
        Ordering::Less if !belongs && takes_the_place(elsewhere, wanted) => {
            (here, DamageKind::Edited)
        }
        Ordering::Less => (here, DamageKind::Inserted),
    }
}

fn takes_the_place(elsewhere: &Elsewhere, wanted: u64) -> bool {
    elsewhere.next.is_some_and(|next| next.seq == wanted.saturating_add(1))
}

fn missing(chain: &Chain<'_>, broken: &Break) -> DamageKind {
    let (first, last) = (broken.head.seq.saturating_add(1), broken.place.seq.saturating_sub(1));
    match may_miss_a_file(chain, broken) {
        true => DamageKind::FileMissing { first, last },
        false => DamageKind::Deleted { first, last },
    }
}

/// Whether a whole file can have stood between the last record and this one: files of a day are
/// numbered, days are not.
fn may_miss_a_file(chain: &Chain<'_>, broken: &Break) -> bool {
    let Break { line, head, .. } = broken;
    // Of the days before the first file that is left nothing is known.
    let begins_late = |first: &RunsFile| match chain.pruned_file() {
        Some(pruned) => pruned.following() != *first,
        None => !first.is_first_of_its_day(),
    };
    if head.at.is_none() && chain.files.first().is_some_and(begins_late) {
        return true;
    }
    let from = head.at.map_or(0, |last| last.file);
    let neighbours = chain.files.get(from..=line.at.file).unwrap_or_default();
    let follows = |pair: &[RunsFile]| match pair {
        [one, next] => one.following() == *next,
        _ => true,
    };
    !neighbours.windows(2).all(follows)
}
