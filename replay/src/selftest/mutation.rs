//! [`Mutation`]: one change to the files of a case, and what is to come of it.

use std::collections::BTreeMap;

use super::edit::Edit;
use crate::{Json, Verdict};

/// The files of a case by path relative to it, and its blobs as `_blobs/…`.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// One change to the files of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutation {
    /// The file that is meant.
    pub(crate) file: String,
    /// What became of it, for people.
    pub(crate) what: String,
    /// The same without the places in arrays, to count by.
    pub(crate) kind: String,
    pub(crate) demand: Demand,
    /// What each file holds then; `None` where it is gone.
    pub(super) contents: Vec<(String, Option<Vec<u8>>)>,
}

/// What a mutation is to come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// The case contradicts itself: `broken`.
    Broken,
    /// Any verdict but `ok`.
    Red,
    /// An outcome may depend on it or not.
    Nothing,
}

impl Demand {
    pub(crate) fn is_met_by(self, verdict: &Verdict) -> bool {
        match self {
            Self::Broken => matches!(verdict, Verdict::Broken(_)),
            Self::Red | Self::Nothing => *verdict != Verdict::Ok,
        }
    }
}

impl Mutation {
    /// A file that holds something else, or is gone.
    pub(super) fn of_file(
        file: &str,
        what: &str,
        demand: Demand,
        content: Option<Vec<u8>>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            what: what.to_owned(),
            kind: format!("{file} {what}"),
            demand,
            contents: vec![(file.to_owned(), content)],
        }
    }

    /// A document with an edit.
    pub(super) fn of_document(file: &str, edit: &Edit, demand: Demand, document: &Json) -> Self {
        let (pointer, path, word) = (&edit.pointer, edit.path.join("/"), edit.act.word());
        let content = Some(document.pretty().into_bytes());
        Self {
            what: format!("{pointer} {word}").trim_start().to_owned(),
            kind: format!("{file} /{path} {word}"),
            ..Self::of_file(file, "", demand, content)
        }
    }

    /// Whether what is given stays as it is.
    pub(super) fn is_of_expectations(&self) -> bool {
        self.contents.iter().all(|(file, _)| file.starts_with("expect/"))
    }
}
