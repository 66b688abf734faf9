//! `review`: what is pending, by groups of what changed alike.

use std::{
    collections::BTreeMap,
    io::{BufRead, Write},
    path::{Path, PathBuf},
};

use tapeline::clap;

use super::{
    Stop,
    arguments::with_option,
    said::counted,
    settle::{chosen, refusal},
    shown,
    walk::walk,
};
use crate::{CaseName, Kit, pending::Pending, review, verdict::chain};

/// Go through what changed, by groups of what changed alike, and accept or reject it.
///
/// At a terminal it asks group by group. Elsewhere it prints the groups and asks nothing.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 nothing is pending, 1 something is, 2 something cannot be settled."
)]
pub(super) struct Review {
    /// A case, a group, or a pattern with `*`; all that is pending unless said.
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Take what is pending from another folder, as one that CI kept.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

impl Review {
    pub(super) fn run(
        &self,
        kit: &Kit,
        golden: &Path,
        pending: &Pending,
        answers: Option<&mut dyn BufRead>,
        out: &mut dyn Write,
    ) -> Result<u8, Stop> {
        let chosen = chosen(&self.filter, self.from.as_deref(), pending)?;
        if chosen.is_empty() {
            writeln!(out, "nothing is pending")?;
            return Ok(0);
        }
        let (review, unfit) = read(kit, golden, chosen);
        for (name, why) in &unfit {
            writeln!(out, "{name}: {why}")?;
        }
        let code = match (answers, &self.from) {
            (Some(input), _) => walk(review, input, out)?,
            (None, Some(from)) => plain(&with_option(kit.clone(), "--from", from), &review, out)?,
            (None, None) => plain(kit, &review, out)?,
        };
        if unfit.is_empty() {
            return Ok(code);
        }
        writeln!(out, "{} cannot be settled", counted(unfit.len(), "case"))?;
        Ok(2)
    }
}

/// What can be settled, and why the rest cannot.
fn read(
    kit: &Kit,
    golden: &Path,
    chosen: BTreeMap<CaseName, Pending>,
) -> (review::Review, Vec<(CaseName, String)>) {
    let (mut review, mut unfit) = (review::Review::new(golden), Vec::new());
    for (name, pending) in chosen {
        let waiting = match pending.kept(&name) {
            Ok(kept) if !kept.may_be_accepted() => Err(refusal(kit, &name, &kept)),
            Ok(_) => pending.waiting(golden, &name).map_err(|error| kit.told(&error)),
            Err(error) => Err(chain(&error)),
        };
        match waiting {
            Ok(waiting) if waiting.is_stale => {
                unfit.push((name, review::STALE.to_owned()));
            }
            Ok(waiting) => review.add(name, pending, &waiting),
            Err(why) => unfit.push((name, why)),
        }
    }
    (review, unfit)
}

/// The groups, for whoever reads them later.
fn plain(kit: &Kit, review: &review::Review, out: &mut dyn Write) -> Result<u8, Stop> {
    for alike in review.groups() {
        if let Some(told) = review.told(&alike) {
            shown::group(&alike, &told, out)?;
            writeln!(out)?;
        }
    }
    writeln!(out, "{} pending", counted(review.open(), "case"))?;
    if review.open() > 0 {
        let [look, accept, reject, review] =
            ["diff CASE", "accept CASE", "reject CASE", "review"].map(|words| kit.call(words));
        writeln!(out, "look: {look}; settle: {accept} | {reject}")?;
        writeln!(out, "one group after the other: {review}, at a terminal")?;
    }
    Ok(u8::from(review.open() > 0))
}
