//! `gc`: blobs and pending results that nothing needs.

use std::{io::Write, path::Path};

use tapeline::clap;

use super::{Stop, said::counted};
use crate::{Kit, cases::holds_cases, held::Held, needless::Needless, pending::Pending};

/// Find what nothing needs any more: blobs, pending results, leftovers, empty folders.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 nothing is left, 1 something may be removed, 2 a case cannot be read \
                  (then no blob is removed: the case may need it), or there is none."
)]
pub(super) struct Gc {
    /// Remove it.
    #[arg(long)]
    apply: bool,
}

impl Gc {
    pub(super) fn run(
        &self,
        kit: &Kit,
        golden: &Path,
        pending: &Pending,
        out: &mut dyn Write,
    ) -> Result<u8, Stop> {
        let is_known = pending.is_known()?;
        // Only what is known to be of the kit is locked: a lock says that it is.
        let _held = match self.apply && holds_cases(golden) {
            true => Some(Held::cases(golden, Some(pending).filter(|_| is_known))?),
            false => None,
        };
        let needless = Needless::find(golden, pending)?;
        for (path, why) in &needless.found {
            writeln!(out, "{}: {why}", path.display())?;
        }
        for unread in &needless.unread {
            writeln!(out, "{unread}")?;
        }
        if !needless.unread.is_empty() {
            writeln!(
                out,
                "what these need is not known, so no blob of theirs is removed: mend them first"
            )?;
        }
        let found = needless.found.len();
        let things = counted(found, "thing");
        let is_left = match (found, self.apply) {
            (0, _) => {
                writeln!(out, "nothing to remove")?;
                false
            }
            (_, true) => {
                needless.remove(golden, pending)?;
                writeln!(out, "{things} removed")?;
                false
            }
            (_, false) => {
                writeln!(out, "{things} to remove: {}", kit.call("gc --apply"))?;
                true
            }
        };
        Ok(if needless.unread.is_empty() { u8::from(is_left) } else { 2 })
    }
}
