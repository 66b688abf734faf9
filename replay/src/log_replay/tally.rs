//! [`Tally`]: what came of a whole log.

use crate::{
    LogErrorKind,
    groups::{Group, Groups, Subject},
    log_replay::{
        Causes, Reasons,
        came::{Came, Finding, Run},
    },
    verdict::chain,
};

/// What came of all lines so far. It takes no more room for a long log than for a short one.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Records that are meant.
    pub(crate) records: u64,
    /// Those that came to the same.
    pub(crate) same: u64,
    pub(crate) changed: u64,
    groups: Groups,
    /// By what their tapes do not hold.
    pub(crate) needs_more: Causes<(Subject, String)>,
    pub(crate) panicked: Causes<Subject>,
    pub(crate) stuck: Causes<Subject>,
    pub(crate) skipped: Reasons,
    pub(crate) broken: Reasons,
    /// Lines that are no records; their examples say where.
    pub(crate) no_records: Reasons,
    /// Lines whose write did not come to its end, which is no damage.
    pub(crate) torn: u64,
    /// So many runs did not end that the rest was left.
    pub(crate) gave_up: bool,
}

/// What a tally comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Same,
    /// A record was answered otherwise, or needs more than its tape holds.
    Differs,
    /// Something could not be run or read, or there was nothing to run.
    Unable,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            records: 0,
            same: 0,
            changed: 0,
            groups: Groups::new(1),
            needs_more: Causes::default(),
            panicked: Causes::default(),
            stuck: Causes::default(),
            skipped: Reasons::default(),
            broken: Reasons::default(),
            no_records: Reasons::default(),
            torn: 0,
            gave_up: false,
        }
    }
}

impl Tally {
    /// Adds what came of the next line.
    pub(crate) fn add(&mut self, came: Came) {
        let (Run { run_id, subject }, finding) = match came {
            Came::NotMeant => return,
            Came::NoRecord(error) if matches!(error.kind, LogErrorKind::Torn) => {
                self.torn += 1;
                return;
            }
            Came::NoRecord(error) => {
                let file = error.file.file_name().unwrap_or_default().to_string_lossy();
                let place = match error.line {
                    Some(line) => format!("line {line} of `{file}`"),
                    None => format!("`{file}`"),
                };
                self.no_records.add(&chain(&error.kind), &place);
                return;
            }
            Came::Run(run, finding) => (run, finding),
        };
        self.records += 1;
        match finding {
            Finding::Same => self.same += 1,
            Finding::Changed(differences) => {
                self.changed += 1;
                self.groups.add_alike(&run_id, &subject, differences);
            }
            Finding::NeedsMore(missing) => self.needs_more.add((subject, missing), &run_id),
            Finding::Panicked => self.panicked.add(subject, &run_id),
            Finding::Stuck => self.stuck.add(subject, &run_id),
            Finding::Skipped(why) => self.skipped.add(&why, &run_id),
            Finding::Broken(why) => self.broken.add(&why, &run_id),
        }
    }

    /// What changed alike.
    pub(crate) fn groups(&self) -> Vec<Group> {
        self.groups.clone().finish()
    }

    /// Differences of so many places are in no group.
    pub(crate) fn beyond_groups(&self) -> usize {
        self.groups.beyond
    }

    /// Records that were run.
    pub(crate) fn replayed(&self) -> u64 {
        self.same + self.changed + self.needs_more.count + self.panicked.count + self.stuck.count
    }

    pub(crate) fn told(&self) -> Told {
        let is_unable = self.broken.count() + self.no_records.count() > 0 || self.gave_up;
        match () {
            () if is_unable || self.replayed() == 0 => Told::Unable,
            () if self.replayed() > self.same => Told::Differs,
            () => Told::Same,
        }
    }
}
