//! [`Report`]: what is told of a run of cases, by groups of what changed alike.

use std::{collections::BTreeMap, path::Path};

use super::reported::{Reported, Told};
use crate::{
    CaseError, CaseName, Verdict,
    cases::Replayed,
    groups::{Groups, Place, Subject},
    pending::Pending,
};

/// What is told, in whatever form.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The words before a verb.
    pub(super) called: String,
    /// Where what came waits, if not at the usual place.
    pub(super) from: Option<String>,
    /// Names of the cases that are as expected.
    pub(super) ok: Vec<CaseName>,
    /// The others, in order of their names.
    pub(super) cases: Vec<Reported>,
    /// What is alike of them; what changed comes first, the largest group before the others.
    pub(super) sections: Vec<Section>,
}

/// Cases of which the same is to be said.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// A word.
    pub(super) verdict: &'static str,
    /// The command, or what is alike.
    pub(super) heading: String,
    /// Where they differ.
    pub(super) places: Vec<Place>,
    /// By place in [`Report::cases`].
    pub(super) members: Vec<usize>,
}

/// Verdicts in the order in which they are told.
pub(super) const ORDER: [&str; 8] =
    ["changed", "panic", "unstable", "miss", "stuck", "new", "broken", "skipped"];

/// A report in the making.
#[derive(Debug)]
pub(crate) struct Builder {
    report: Report,
    groups: Groups,
    /// By verdict's place in the order, then by what is alike.
    others: BTreeMap<(usize, String), Vec<usize>>,
}

impl Builder {
    /// `called`: the words before a verb.
    pub(crate) fn new(called: &str) -> Self {
        let report = Report {
            called: called.to_owned(),
            from: None,
            ok: Vec::new(),
            cases: Vec::new(),
            sections: Vec::new(),
        };
        Self { report, groups: Groups::new(usize::MAX), others: BTreeMap::new() }
    }

    /// Adds a case that was run. They come in order of their names.
    pub(crate) fn add_run(&mut self, golden: &Path, name: &CaseName, replayed: &Replayed) {
        match replayed.verdict {
            Verdict::Ok => self.report.ok.push(name.clone()),
            _ => self.add(Told::of_run(golden, name, replayed)),
        }
    }

    /// Says where what is pending was found.
    pub(crate) fn from(&mut self, folder: &Path) {
        self.report.from = Some(folder.display().to_string());
    }

    /// Adds what is pending.
    ///
    /// # Errors
    /// What is pending, or the case it is of, cannot be read.
    pub(crate) fn add_pending(
        &mut self,
        golden: &Path,
        pending: &Pending,
        names: &[CaseName],
    ) -> Result<(), CaseError> {
        for name in names {
            let kept = pending.kept(name)?;
            self.add(match kept.may_be_accepted() {
                true => Told::of_waiting(name, &pending.waiting(golden, name)?),
                false => Told::of_kept(golden, name, &kept),
            });
        }
        Ok(())
    }

    fn add(&mut self, told: Told) {
        let Told { reported, differences, command } = told;
        let place = self.report.cases.len();
        let alike = match reported.verdict {
            "changed" => {
                let subject = Subject { command, code: None };
                self.groups.add(reported.name.as_str(), &subject, &differences);
                None
            }
            "miss" | "skipped" => Some(reported.reasons.join(", ")),
            "broken" => Some(String::new()),
            _ => Some(command),
        };
        if let Some(alike) = alike {
            let order = ORDER.iter().position(|verdict| *verdict == reported.verdict);
            self.others.entry((order.unwrap_or(ORDER.len()), alike)).or_default().push(place);
        }
        self.report.cases.push(reported);
    }

    pub(crate) fn finish(self) -> Report {
        let Self { mut report, groups, others } = self;
        let numbered = report.cases.iter().zip(0..);
        let places: BTreeMap<&str, usize> =
            numbered.map(|(case, place)| (case.name.as_str(), place)).collect();
        let mut sections = Vec::new();
        let mut told = vec![false; report.cases.len()];
        for group in groups.finish() {
            let members =
                group.members.iter().filter_map(|name| places.get(name.as_str()).copied());
            let members: Vec<usize> = members.collect();
            for place in &members {
                if let Some(told) = told.get_mut(*place) {
                    *told = true;
                }
            }
            let heading = group.subject.to_string();
            sections.push(Section { verdict: "changed", heading, places: group.places, members });
        }
        // More places than are kept apart.
        let is_left = |(case, told): (&Reported, bool)| case.verdict == "changed" && !told;
        let left = report.cases.iter().zip(told).map(is_left).zip(0..);
        let left: Vec<usize> = left.filter_map(|(left, place)| left.then_some(place)).collect();
        if !left.is_empty() {
            let heading = "in places too many to group".to_owned();
            sections.push(Section {
                verdict: "changed",
                heading,
                places: Vec::new(),
                members: left,
            });
        }
        for ((order, heading), members) in others {
            let verdict = ORDER.get(order).copied().unwrap_or_default();
            sections.push(Section { verdict, heading, places: Vec::new(), members });
        }
        report.sections = sections;
        report
    }
}

impl Report {
    /// Each verdict with how many cases came to it.
    pub(super) fn counts(&self) -> Vec<(&'static str, usize)> {
        let of = |verdict: &str| self.cases.iter().filter(|case| case.verdict == verdict).count();
        let others = ORDER.iter().map(|verdict| (*verdict, of(verdict)));
        [("ok", self.ok.len())].into_iter().chain(others).filter(|(_, count)| *count > 0).collect()
    }

    /// One line: how many cases are not as expected.
    pub(super) fn title(&self) -> String {
        let count = self.cases.len();
        match (&self.from, count) {
            (Some(_), 0) => "nothing is pending".to_owned(),
            (Some(_), 1) => "1 case waits for a decision".to_owned(),
            (Some(_), _) => format!("{count} cases wait for a decision"),
            (None, _) => {
                let all = count + self.ok.len();
                match count {
                    0 => format!("{all} cases, all as expected"),
                    1 => format!("1 of {all} cases is not as expected"),
                    _ => format!("{count} of {all} cases are not as expected"),
                }
            }
        }
    }

    /// The cases of a section.
    pub(super) fn members<'a>(
        &'a self,
        section: &'a Section,
    ) -> impl Iterator<Item = (usize, &'a Reported)> {
        section.members.iter().filter_map(|place| Some((*place, self.cases.get(*place)?)))
    }

    /// The line that takes what came of these cases; `None` where there is nothing to take.
    pub(super) fn accept(&self, section: &Section) -> Option<String> {
        const MOST_NAMES: usize = 50;

        let called = &self.called;
        let from = match &self.from {
            Some(folder) => format!(" --from {}", quoted(folder)),
            None => String::new(),
        };
        let is_pending = |case: &&Reported| matches!(case.verdict, "changed" | "new");
        let names: Vec<&str> = self
            .members(section)
            .filter(|(_, case)| is_pending(case))
            .map(|(_, case)| case.name.as_str())
            .collect();
        let all = self.cases.iter().filter(is_pending).count();
        match names.len() {
            0 => None,
            count if count > 1 && count == all => Some(format!("{called} accept '*'{from}")),
            1..=MOST_NAMES => Some(format!("{called} accept {}{from}", names.join(" "))),
            _ => Some(format!("{called} review{from}")),
        }
    }
}

impl Section {
    /// What is alike, in words.
    pub(super) fn title(&self) -> String {
        match (self.verdict, self.heading.as_str()) {
            (_, "") => self.verdict.to_owned(),
            ("miss", missed) => format!("not on the tape: {missed}"),
            (_, heading) => heading.to_owned(),
        }
    }
}

/// A word of a shell's line.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    match word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
