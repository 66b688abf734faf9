//! `selftest`: whether the cases notice when something in them changes.

use std::{collections::BTreeMap, io::Write, num::NonZeroU32, path::Path};

use serde::Serialize;
use tapeline::clap;

use super::{Progress, Stop, case_text, counted, patterns};
use crate::{
    CaseName, Kit,
    cases::{list, on_all_cores},
    selftest::{Score, Unseen, selftest},
};

/// Change each thing that a case holds, and see that the case turns red.
///
/// Values and lines in `expect/`, bytes that are pinned by a hash, answers and files that are dropped
/// or added: each change must be seen. Other values that come in, as a status or a header, are
/// unobserved where no outcome depends on them, and then not counted. Nothing in the cases is written.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 all is seen, 1 a change is not, 2 a case is not ok as it is, or \
                        no change was made."
)]
pub(super) struct Selftest {
    /// A case, a group, or a pattern with `*`; all cases unless said.
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Make one in N of the changes, always the same ones.
    #[arg(long, value_name = "N", default_value = "1")]
    sample: NonZeroU32,
    /// List each change that is unobserved, not only how many there are of each kind.
    #[arg(long)]
    verbose: bool,
    /// Print one JSON object for each change that is not seen, and one with the score.
    #[arg(long)]
    pub(super) json: bool,
}

impl Selftest {
    pub(super) fn run(&self, kit: &Kit, golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
        let names = list(golden, &patterns(&self.filter))?;
        let progress = Progress::new(names.len());
        let work = |name: &CaseName| selftest(kit, golden, name, self.sample);
        let scores = on_all_cores(&names, &work, &|_, _| progress.step());
        progress.clear();
        let mut total = Total::default();
        for (name, score) in names.iter().zip(scores) {
            match score {
                Ok(score) => {
                    self.unseen(name, &score, out)?;
                    total.add(&score);
                }
                Err(verdict) => {
                    total.not_ok.push(name.to_string());
                    if !self.json {
                        write!(out, "not tested: {}", case_text(name.as_str(), &verdict))?;
                    }
                }
            }
        }
        if total.mutations == 0 && total.not_ok.is_empty() {
            let why = "no mutation was made, so nothing is tested: give a smaller `--sample`";
            return Err(Stop::Said(why.to_owned()));
        }
        match self.json {
            true => line(&total, out)?,
            false => total.print(out)?,
        }
        Ok(match (total.not_ok.is_empty(), total.seen == total.mutations) {
            (false, _) => 2,
            (true, false) => 1,
            (true, true) => 0,
        })
    }

    /// The changes that a case does not notice.
    fn unseen(&self, name: &CaseName, score: &Score, out: &mut dyn Write) -> Result<(), Stop> {
        let survivors = score.survivors.iter().map(|unseen| (unseen, true));
        let unobserved = score.unobserved.iter().map(|unseen| (unseen, false));
        for (Unseen { file, what, verdict, .. }, counted) in survivors.chain(unobserved) {
            match (self.json, counted) {
                (true, counted) => {
                    line(&Line { case: name.as_str(), file, what, verdict, counted }, out)?;
                }
                (false, true) => writeln!(out, "not seen: {name} {file}: {what} ({verdict})")?,
                (false, false) if self.verbose => {
                    writeln!(out, "unobserved: {name} {file}: {what}")?;
                }
                (false, false) => {}
            }
        }
        Ok(())
    }
}

/// One change that is not seen.
#[derive(Serialize)]
struct Line<'a> {
    case: &'a str,
    file: &'a str,
    what: &'a str,
    verdict: &'a str,
    /// It must be seen.
    counted: bool,
}

/// The score of all cases.
#[derive(Default, Serialize)]
struct Total {
    cases: usize,
    mutations: usize,
    seen: usize,
    /// How many of each kind.
    unobserved: BTreeMap<String, usize>,
    /// Cases that are red as they are.
    not_ok: Vec<String>,
}

impl Total {
    fn add(&mut self, score: &Score) {
        self.cases += 1;
        self.mutations += score.counted;
        self.seen += score.counted - score.survivors.len();
        for unseen in &score.unobserved {
            *self.unobserved.entry(unseen.kind.clone()).or_default() += 1;
        }
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Stop> {
        // Rounded down: 100.0 is all of them.
        let per_mille = (self.seen * 1000).checked_div(self.mutations).unwrap_or(0);
        let unobserved: usize = self.unobserved.values().sum();
        writeln!(
            out,
            "{} of {}: {}.{} % seen; {unobserved} unobserved",
            counted(self.mutations, "mutation"),
            counted(self.cases, "case"),
            per_mille / 10,
            per_mille % 10
        )?;
        let mut kinds: Vec<(&String, &usize)> = self.unobserved.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (kind, count) in kinds {
            writeln!(out, "{count:>7}  {kind}")?;
        }
        Ok(())
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> Result<(), Stop> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
    Ok(writeln!(out, "{text}")?)
}
