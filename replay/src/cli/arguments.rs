//! What may be said to the kit.

use std::path::{Path, PathBuf};

use tapeline::clap;

use super::{
    faults::Faults, gc::Gc, log::LogReplay, mv::Mv, report_files::ReportFiles, review::Review,
    said::quoted, selftest::Selftest,
};
use crate::{
    CaseName, Kit,
    amend::Amendment,
    cases::holds_cases,
    pending::Pending,
    place::{default_pending, resolved},
};

/// Where the cases are unless said.
const GOLDEN: &str = "./golden";

/// Run cases and recorded runs again, without the outside, and see what differs.
///
/// FILTER is a case (`exchange-rate/latest`), a group (`exchange-rate`), or a pattern in which `*`
/// stands for anything (`*cache*`); without one all cases are run.
#[derive(Clone, Debug, clap::Args)]
#[command(
    subcommand_precedence_over_arg = true,
    after_help = "Exit code: 0 all the same; 1 something is `changed`, `new`, `unstable`, `miss`, `panic` or \
                  `stuck`; 2 something could not be run."
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
    #[arg(long, global = true, value_name = "DIR", default_value = GOLDEN)]
    pub(super) golden: PathBuf,
    /// Where what differs waits for `accept` or `reject`; `target/replay-pending` beside the cases.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) pending: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Run one record of the audit log again and compare the envelopes.
    #[command(
        after_help = "Exit code: 0 the same, 1 something differs, 2 the run could not be run again."
    )]
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
    #[command(
        after_help = "Exit code: 1 something is pending, 2 nothing is, or it cannot be read."
    )]
    Diff(Filter),
    /// Put what came in place of what is expected.
    #[command(
        after_help = "Exit code: 0 all is accepted, 2 something is not, or nothing is pending."
    )]
    Accept(Filter),
    /// Forget what came.
    #[command(
        after_help = "Exit code: 0 all is rejected, 2 something is not, or nothing is pending."
    )]
    Reject(Filter),
    /// Answer what cases miss, in all of them at once.
    #[command(
        after_help = "Exit code: 0 all that are amended are ok now, 1 one still differs, 2 none misses \
                      that, or something could not be run or written."
    )]
    Amend(Amend),
    /// Look for what is wrong with the cases, without running any.
    #[command(after_help = "Exit code: 0 nothing is wrong, 2 something is.")]
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
#[command(after_help = "Exit code: 0 the case is made, 2 it is refused.")]
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

impl Cli {
    /// Whether what comes is a document for programs, in which nothing else may stand.
    pub(super) fn is_document(&self) -> bool {
        match &self.verb {
            None => self.json,
            Some(Verb::Run { json, .. }) => *json,
            Some(Verb::Log(log)) => log.json,
            Some(Verb::Report(report)) => report.is_piped(),
            Some(Verb::Faults(faults)) => faults.json,
            Some(Verb::Selftest(selftest)) => selftest.json,
            Some(
                Verb::Promote(_)
                | Verb::Diff(_)
                | Verb::Accept(_)
                | Verb::Reject(_)
                | Verb::Amend(_)
                | Verb::Check
                | Verb::Review(_)
                | Verb::Mv(_)
                | Verb::Gc(_),
            ) => false,
        }
    }
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

impl Cli {
    /// Refuses what means nothing together.
    ///
    /// # Errors
    /// Why.
    pub(super) fn fits(&self) -> Result<(), String> {
        let is_of_a_run = !self.filter.is_empty() || self.twice || self.json;
        if self.verb.is_some() && is_of_a_run {
            let why = "a verb comes first: what is before it is for running cases, so give FILTER \
                       and options after the verb";
            return Err(why.to_owned());
        }
        self.folders.fit()
    }
}

impl Folders {
    pub(super) fn pending(&self) -> Pending {
        Pending { folder: self.pending.clone().unwrap_or_else(|| default_pending(&self.golden)) }
    }

    /// Whether they can be what they are given for.
    fn fit(&self) -> Result<(), String> {
        self.is_root()?;
        self.are_apart()?;
        let pending = self.pending();
        let folder = pending.folder.display();
        match holds_cases(&pending.folder) && !pending.is_known().unwrap_or(false) {
            true => Err(format!(
                "`{folder}` is a folder of cases, and what is pending is to lie apart from them: give \
                 another `--pending`"
            )),
            false => Ok(()),
        }
    }

    /// A group, or a case, is no folder of cases: what is pending would lie among the cases.
    fn is_root(&self) -> Result<(), String> {
        let golden = resolved(&self.golden);
        let above = golden.ancestors().skip(1).take(2).find(|above| holds_cases(above));
        match above {
            Some(above) => Err(format!(
                "`{}` lies among the cases of `{}`: give that as `--golden`, and what you mean as FILTER",
                self.golden.display(),
                above.display()
            )),
            None => Ok(()),
        }
    }

    /// What lies among what is pending is removed, and cases are not.
    fn are_apart(&self) -> Result<(), String> {
        let (golden, pending) = (&self.golden, self.pending().folder);
        let (cases, waiting) = (resolved(golden), resolved(&pending));
        match cases.starts_with(&waiting) || waiting.starts_with(&cases) {
            false => Ok(()),
            true => Err(format!(
                "what is pending is to lie apart from the cases, and `{}` and `{}` are one folder, or \
                 one is in the other: give another `--pending`",
                pending.display(),
                golden.display()
            )),
        }
    }

    /// A kit whose lines name these folders, where they are not the usual ones.
    pub(super) fn named_by(&self, kit: &Kit) -> Kit {
        let golden = Some(&self.golden).filter(|golden| *golden != Path::new(GOLDEN));
        let options = [("--golden", golden), ("--pending", self.pending.as_ref())];
        let given = options.into_iter().filter_map(|(option, folder)| Some((option, folder?)));
        given.fold(kit.clone(), |kit, (option, folder)| with_option(kit, option, folder))
    }
}

/// A kit whose lines have that option, too.
pub(super) fn with_option(mut kit: Kit, option: &str, folder: &Path) -> Kit {
    kit.options.push_str(&format!(" {option} {}", quoted(&folder.to_string_lossy())));
    kit
}
