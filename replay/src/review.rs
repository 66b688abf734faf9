//! [`Review`]: all that is pending, by groups of what changed alike.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crate::{
    CaseError, CaseName, Difference,
    groups::{Groups, Place, Subject},
    held::Held,
    pending::{Pending, Waiting},
};

/// Why what came of a case that is another by now is not settled.
pub(crate) const STALE: &str = "the case was changed since it was run: run it again";

/// What is pending and not yet settled.
#[derive(Debug)]
pub(crate) struct Review {
    golden: PathBuf,
    open: BTreeMap<CaseName, Open>,
}

#[derive(Debug)]
struct Open {
    pending: Pending,
    subject: Subject,
    /// Of one that is derived.
    base: Option<CaseName>,
    /// Of a case that expects something already.
    differences: Option<Vec<Difference>>,
}

/// Cases that changed alike, or that are new, of one command.
#[derive(Debug)]
pub(crate) struct Alike {
    pub(crate) subject: Subject,
    pub(crate) kind: Kind,
    names: Vec<CaseName>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// They differ in these places.
    Changed(BTreeSet<String>),
    /// Nothing is expected yet.
    New,
    /// They differ in more places than are told apart.
    Beyond,
}

/// What there is to say of them, as long as they are not settled.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) names: Vec<CaseName>,
    pub(crate) places: Vec<Place>,
    /// Where some of them differ besides, and how many.
    pub(crate) elsewhere: Vec<(String, usize)>,
}

impl Review {
    pub(crate) fn new(golden: &Path) -> Self {
        Self { golden: golden.to_owned(), open: BTreeMap::new() }
    }

    /// Adds a case with something to accept.
    pub(crate) fn add(&mut self, name: CaseName, pending: Pending, waiting: &Waiting) {
        let subject = Subject { command: waiting.command().to_owned(), code: None };
        let is_new = waiting.case.expected.is_none();
        let differences = (!is_new).then(|| waiting.differences());
        let base = waiting.case.base.clone();
        self.open.insert(name, Open { pending, subject, base, differences });
    }

    /// What is not yet settled, in groups: the largest first, and what is new last; but those with a
    /// base of others come after these, which are no longer what was run once it is accepted.
    pub(crate) fn groups(&self) -> Vec<Alike> {
        let mut groups = Groups::new(usize::MAX);
        let mut new: BTreeMap<&Subject, Vec<CaseName>> = BTreeMap::new();
        let mut beyond: BTreeMap<&CaseName, &Subject> = BTreeMap::new();
        for (name, Open { subject, differences, .. }) in &self.open {
            match differences {
                Some(differences) => {
                    groups.add(name.as_str(), subject, differences);
                    beyond.insert(name, subject);
                }
                None => new.entry(subject).or_default().push(name.clone()),
            }
        }
        let mut all: Vec<Alike> = Vec::new();
        for group in groups.finish() {
            let names: Vec<CaseName> =
                group.members.iter().filter_map(|name| name.parse().ok()).collect();
            beyond.retain(|name, _| !names.contains(name));
            let places = group.places.into_iter().map(|place| place.path).collect();
            all.push(Alike { subject: group.subject, kind: Kind::Changed(places), names });
        }
        let alone = |(name, subject): (&CaseName, &Subject)| Alike {
            subject: subject.clone(),
            kind: Kind::Beyond,
            names: vec![name.clone()],
        };
        all.extend(beyond.into_iter().map(alone));
        all.extend(new.into_iter().map(|(subject, names)| Alike {
            subject: subject.clone(),
            kind: Kind::New,
            names,
        }));
        let bases: BTreeSet<_> = self.open.values().filter_map(|open| open.base.as_ref()).collect();
        all.sort_by_key(|alike| alike.names.iter().any(|name| bases.contains(name)));
        all
    }

    /// Those of a group that are not yet settled.
    pub(crate) fn names(&self, alike: &Alike) -> Vec<CaseName> {
        alike.names.iter().filter(|name| self.open.contains_key(name)).cloned().collect()
    }

    /// What there is to say of a group; `None` once all of it is settled.
    pub(crate) fn told(&self, alike: &Alike) -> Option<Told> {
        let names = self.names(alike);
        let mut groups = Groups::new(0);
        for name in &names {
            if let Some(Open { subject, differences: Some(differences), .. }) = self.open.get(name)
            {
                groups.add(name.as_str(), subject, differences);
            }
        }
        let (places, elsewhere) = groups.split(&|path| match &alike.kind {
            Kind::Changed(paths) => paths.contains(path),
            Kind::New | Kind::Beyond => true,
        });
        (!names.is_empty()).then_some(Told { names, places, elsewhere })
    }

    /// These, those that are derived before their bases.
    pub(crate) fn derived_first(&self, names: &[CaseName]) -> Vec<CaseName> {
        let is_derived =
            |name: &CaseName| self.open.get(name).is_some_and(|open| open.base.is_some());
        let (mut names, bases): (Vec<_>, Vec<_>) = names.iter().cloned().partition(is_derived);
        names.extend(bases);
        names
    }

    /// How many cases are not yet settled.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Where what came of a case lies.
    pub(crate) fn pending(&self, name: &CaseName) -> Option<&Pending> {
        self.open.get(name).map(|open| &open.pending)
    }

    /// Where the cases lie.
    pub(crate) fn golden(&self) -> &Path {
        &self.golden
    }

    /// Puts what came of a case in place of what was expected.
    ///
    /// # Errors
    /// As [`Pending::accept`]; the case is then not settled.
    pub(crate) fn accept(&mut self, name: &CaseName) -> Result<(), CaseError> {
        if let Some(open) = self.open.get(name) {
            let _held = Held::cases(&self.golden, [&open.pending])?;
            open.pending.accept(&self.golden, name)?;
        }
        self.open.remove(name);
        Ok(())
    }

    /// Forgets what came of a case.
    ///
    /// # Errors
    /// As [`Pending::reject`]; the case is then not settled.
    pub(crate) fn reject(&mut self, name: &CaseName) -> Result<(), CaseError> {
        if let Some(open) = self.open.get(name) {
            let _held = Held::pending([&open.pending])?;
            open.pending.reject(name)?;
        }
        self.open.remove(name);
        Ok(())
    }
}
