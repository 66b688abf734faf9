//! What may be said to the kit.

use std::path::{Path, PathBuf};

use tapeline::clap;

use super::{
    faults::Faults, gc::Gc, log::LogReplay, mv::Mv, report_files::ReportFiles, review::Review,
    selftest::Selftest,
};
use crate::{CaseName, amend::Amendment, pending::Pending};

/// Run cases and recorded runs again, without the outside, and see what differs.
///
/// FILTER is a case (`exchange-rate/latest`), a group (`exchange-rate`), or a pattern in which `*`
/// stands for anything (`*cache*`); without one all cases are run.
#[derive(Clone, Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    after_help = "Exit code: 0 all the same, 1 something differs, 2 something could not be run."
)]
pub struct Cli {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
    /// Which cases.
    #[arg(value_name = "FILTER")]
    pub(super) filter: Vec<String>,
    /// Run each in a second process, too, with another hash seed, time zone, locale and directory.
    #[arg(long)]
    pub(super) twice: bool,
    /// Print one JSON object a case instead of text.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) folders: Folders,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Folders {
    /// Where the cases are.
    #[arg(long, global = true, value_name = "DIR", default_value = "./golden")]
    pub(super) golden: PathBuf,
    /// Where what differs waits for `accept` or `reject`; `target/replay-pending` beside the cases.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) pending: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Run one record of the audit log again and compare the envelopes.
    Run {
        /// The run's id, or its beginning (8 characters at least).
        run_id: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Make a case of a recorded run.
    Promote(Promote),
    /// Show how what came differs from what is expected.
    Diff(Filter),
    /// Put what came in place of what is expected.
    Accept(Filter),
    /// Forget what came.
    Reject(Filter),
    /// Answer what cases miss, in all of them at once.
    Amend(Amend),
    /// Look for what is wrong with the cases, without running any.
    Check,
    Review(Review),
    Log(LogReplay),
    Report(ReportFiles),
    Faults(Faults),
    Selftest(Selftest),
    Mv(Mv),
    Gc(Gc),
}

/// Make a case of a recorded run.
///
/// It is refused when the tape is incomplete, when two replays in two processes differ, and when a
/// replay differs from what was recorded.
#[derive(Clone, Debug, clap::Args)]
pub struct Promote {
    /// The run's id, or its beginning (8 characters at least).
    pub(super) run_id: String,
    /// The name of the case: lower-case letters, digits and hyphens.
    #[arg(long = "as", value_name = "GROUP/CASE")]
    pub(super) name: CaseName,
    /// What the case shows, in a few words; the command line unless said.
    #[arg(long)]
    pub(super) title: Option<String>,
    #[command(flatten)]
    pub(super) folders: Folders,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Filter {
    /// A case, a group, or a pattern with `*`; all that is pending is `*`.
    #[arg(required = true)]
    pub(super) filter: Vec<String>,
    /// Take what is pending from another folder, as one that CI kept.
    #[arg(long, value_name = "DIR")]
    pub(super) from: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("amendment").required(true).multiple(true))]
pub(super) struct Amend {
    /// A case, a group, or a pattern with `*`.
    #[arg(required = true)]
    pub(super) filter: Vec<String>,
    /// Nothing is at PATH, below the workspace.
    #[arg(long, value_name = "PATH", group = "amendment", value_parser = Amendment::absent)]
    pub(super) absent: Vec<Amendment>,
    /// PATH holds what the file FROM holds.
    #[arg(long, value_name = "PATH=FROM", group = "amendment", value_parser = Amendment::file)]
    pub(super) file: Vec<Amendment>,
    /// URL (`GET`, or `"POST URL"`) is answered 200 with what FILE holds.
    #[arg(long, value_name = "URL=FILE", group = "amendment", value_parser = Amendment::answer)]
    pub(super) answer: Vec<Amendment>,
}

impl From<Promote> for Cli {
    /// `promote` as a verb of a host's own.
    fn from(promote: Promote) -> Self {
        Self {
            folders: promote.folders.clone(),
            verb: Some(Verb::Promote(promote)),
            filter: Vec::new(),
            twice: false,
            json: false,
        }
    }
}

impl Folders {
    pub(super) fn pending(&self) -> Pending {
        Pending { folder: self.pending.clone().unwrap_or_else(|| default_pending(&self.golden)) }
    }
}

/// `target/replay-pending` beside the folder of the cases.
pub(crate) fn default_pending(golden: &Path) -> PathBuf {
    golden.parent().unwrap_or(Path::new("")).join("target/replay-pending")
}
