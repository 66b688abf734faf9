//! [`Report`]: what is told of a run of cases, by groups of what changed alike.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    accept::words,
    reported::{Reported, Told},
};
use crate::{
    CaseError, CaseName, Kit, Verdict,
    cases::Replayed,
    groups::{Alike, Groups, Place, Subject},
    pending::Pending,
};

/// What is told, in whatever form.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// Who is called by the lines in it.
    pub(super) kit: Kit,
    /// Whether it tells what waits, and not of a run.
    pub(super) is_of_pending: bool,
    all_pending: AllPending,
    /// Names of the cases that are as expected.
    pub(super) ok: Vec<CaseName>,
    /// The others, in order of their names.
    pub(super) cases: Vec<Reported>,
    /// What is alike of them; what changed comes first, the largest group before the others.
    pub(super) sections: Vec<Section>,
}

/// What lies where `accept` looks.
#[derive(Clone, Debug)]
pub(crate) struct AllPending {
    /// All of which something is kept, be it told here or not.
    pub(crate) names: BTreeSet<CaseName>,
    /// Whether that is all that can be: no filter left anything out.
    pub(crate) is_all: bool,
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
    /// Where some of them differ besides, and how many.
    pub(super) elsewhere: Vec<(String, usize)>,
    /// By place in [`Report::cases`].
    pub(super) members: Vec<usize>,
}

/// Verdicts in the order in which they are told.
pub(super) const ORDER: [&str; 9] =
    ["changed", "panic", "unstable", "miss", "stuck", "new", STALE, "broken", "skipped"];

/// What waits of a case that is another by now.
pub(super) const STALE: &str = "stale";

/// A report in the making.
#[derive(Debug)]
pub(crate) struct Builder {
    report: Report,
    groups: Groups,
    /// What differs in those that are changed, by place in the report.
    changed: BTreeMap<usize, (Subject, Alike)>,
    /// By verdict's place in the order, then by what is alike.
    others: BTreeMap<(usize, String), Vec<usize>>,
}

impl Builder {
    /// Of a run of cases.
    pub(crate) fn of_run(kit: &Kit, all_pending: AllPending) -> Self {
        let report = Report {
            kit: kit.clone(),
            is_of_pending: false,
            all_pending,
            ok: Vec::new(),
            cases: Vec::new(),
            sections: Vec::new(),
        };
        let (groups, changed) = (Groups::new(usize::MAX), BTreeMap::new());
        Self { report, groups, changed, others: BTreeMap::new() }
    }

    /// Of what is pending.
    pub(crate) fn of_pending(kit: &Kit, all_pending: AllPending) -> Self {
        let mut builder = Self::of_run(kit, all_pending);
        builder.report.is_of_pending = true;
        builder
    }

    /// Adds a case that was run. They come in order of their names.
    pub(crate) fn add_run(&mut self, golden: &Path, name: &CaseName, replayed: &Replayed) {
        match replayed.verdict {
            Verdict::Ok => self.report.ok.push(name.clone()),
            _ => self.add(Told::of_run(golden, name, replayed)),
        }
    }

    /// Adds what is pending of a case. They come in order of their names.
    ///
    /// # Errors
    /// What is pending, or the case it is of, cannot be read. Nothing is added then.
    pub(crate) fn add_pending(
        &mut self,
        golden: &Path,
        pending: &Pending,
        name: &CaseName,
    ) -> Result<(), CaseError> {
        let kept = pending.kept(name)?;
        self.add(match kept.may_be_accepted() {
            true => Told::of_waiting(name, &pending.waiting(golden, name)?),
            false => Told::of_kept(golden, name, &kept),
        });
        Ok(())
    }

    /// Adds a case of which it cannot be told what is pending.
    pub(crate) fn add_unreadable(&mut self, golden: &Path, name: &CaseName, why: &str) {
        self.add(Told::of_unreadable(golden, name, why));
    }

    fn add(&mut self, told: Told) {
        let Told { reported, differences, command } = told;
        let place = self.report.cases.len();
        let alike = match reported.verdict {
            "changed" => {
                let subject = Subject { command, code: None };
                let alike = Alike::of(&differences);
                self.groups.add_alike(reported.name.as_str(), &subject, alike.clone());
                self.changed.insert(place, (subject, alike));
                None
            }
            "miss" | "skipped" | STALE => Some(reported.reasons.join(", ")),
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
        let Self { mut report, groups, changed, others } = self;
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
            let own: BTreeSet<&str> = group.places.iter().map(|place| &*place.path).collect();
            let mut all = Groups::new(0);
            for (name, place) in group.members.iter().zip(&members) {
                if let Some((subject, alike)) = changed.get(place) {
                    all.add_alike(name, subject, alike.clone());
                }
            }
            let (_, elsewhere) = all.split(&|path| own.contains(path));
            let heading = group.subject.to_string();
            let places = group.places;
            sections.push(Section { verdict: "changed", heading, places, elsewhere, members });
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
                elsewhere: Vec::new(),
                members: left,
            });
        }
        for ((order, heading), members) in others {
            let verdict = ORDER.get(order).copied().unwrap_or_default();
            let (places, elsewhere) = (Vec::new(), Vec::new());
            sections.push(Section { verdict, heading, places, elsewhere, members });
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
        match (self.is_of_pending, count) {
            (true, 1) => "1 case waits for a decision".to_owned(),
            (true, _) => format!("{count} cases wait for a decision"),
            (false, _) => {
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

    /// The line that takes what came of these cases and of no others; `None` where there is nothing
    /// to take.
    pub(super) fn accept(&self, section: &Section) -> Option<String> {
        let names: BTreeSet<&CaseName> = self
            .members(section)
            .filter(|(_, case)| matches!(case.verdict, "changed" | "new"))
            .map(|(_, case)| &case.name)
            .collect();
        if names.is_empty() {
            return None;
        }
        Some(match words(&names, &self.all_pending) {
            Some(words) => self.kit.call(&format!("accept {words}")),
            None => self.kit.call("review"),
        })
    }

    /// Of what is pending: 0 where that is nothing, 2 where some of it cannot be used, else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        let code = |case: &Reported| if matches!(case.verdict, STALE | "broken") { 2 } else { 1 };
        self.cases.iter().map(code).max().unwrap_or(0)
    }
}

impl Section {
    /// What is alike, in words.
    pub(super) fn title(&self) -> String {
        match (self.verdict, self.heading.as_str()) {
            ("broken", "") => "what cannot be used".to_owned(),
            (_, "") => "(no command)".to_owned(),
            ("miss", missed) => format!("not on the tape: {missed}"),
            (_, heading) => heading.to_owned(),
        }
    }
}
