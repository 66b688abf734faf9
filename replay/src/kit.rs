//! [`Kit`]: what a host gives the kit to work with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tapeline::{Registry, line};

use crate::{CaseError, CaseErrorKind, player::PATIENCE, verdict::chain};

/// The root unless said.
const ROOT: &str = "./.tapeline";

/// A host's commands, where its runs are logged, and how a person calls its kit.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tapeline_replay::Kit;
///
/// let kit = Kit::new(tapeline::Registry::collected()?)
///     .root("./.tapeline")
///     .called("my-host replay");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Kit {
    pub(crate) registry: Arc<Registry>,
    pub(crate) root: PathBuf,
    pub(crate) called: String,
    pub(crate) patience: Duration,
    /// What a line must say again that is to mean the same folders: ` --golden DIR`. Empty for the
    /// usual ones.
    pub(crate) options: String,
    left_out: Vec<String>,
}

impl Kit {
    /// The commands that cases and records are run with.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            root: ROOT.into(),
            called: "tapeline replay".to_owned(),
            patience: PATIENCE,
            options: String::new(),
            left_out: Vec::new(),
        }
    }

    /// Whose log `run`, `log` and `promote` read: `<root>/audit`; `./.tapeline` unless said.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// The words before a verb, for messages that say what to do next.
    #[must_use]
    pub fn called(mut self, called: impl Into<String>) -> Self {
        self.called = called.into();
        self
    }

    /// How long a case may take in real time before it is `stuck`; 60 s unless said.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Commands and groups, by path, that exist and are not in this build: their cases are
    /// `skipped`. A command that is merely gone is not: its cases are `changed`.
    #[must_use]
    pub fn left_out(mut self, paths: &[&str]) -> Self {
        self.left_out.extend(paths.iter().map(|path| (*path).to_owned()));
        self
    }

    /// Whether a line that names no root means this one.
    pub(crate) fn has_usual_root(&self) -> bool {
        self.root == Path::new(ROOT)
    }

    /// A line that calls the kit, with a verb and what it is given.
    pub(crate) fn call(&self, words: &str) -> String {
        format!("{} {words}{}", self.called, self.options)
    }

    /// An error and its causes on one line, and which verb mends it.
    pub(crate) fn told(&self, error: &CaseError) -> String {
        match error.kind {
            CaseErrorKind::LeftOver => {
                format!("{}: {} removes it", chain(error), self.call("gc --apply"))
            }
            _ => chain(error),
        }
    }

    /// The path this build was made without, that a line begins with.
    pub(crate) fn lacks(&self, command: &str) -> Option<&str> {
        let words = line::parse(command).ok()?;
        let begins = |path: &&String| {
            let mut words = words.iter();
            path.split(' ').all(|part| words.next().is_some_and(|word| word == part))
        };
        self.left_out.iter().find(begins).map(String::as_str)
    }
}
