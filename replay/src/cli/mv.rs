//! `mv`: a case under another name.

use std::{io::Write, path::Path};

use tapeline::clap;

use super::Stop;
use crate::{CaseName, held::Held, mv::mv, pending::Pending};

/// Give a case another name; cases that are derived from it, and what is pending of them, go
/// along.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Exit code: 0 the case has the new name, 2 all is as it was.")]
pub(super) struct Mv {
    /// The case.
    #[arg(value_name = "CASE")]
    from: CaseName,
    /// What it is called from now on, in the same group or in another.
    #[arg(value_name = "NEW-CASE")]
    to: CaseName,
}

impl Mv {
    pub(super) fn run(
        &self,
        golden: &Path,
        pending: &Pending,
        out: &mut dyn Write,
    ) -> Result<u8, Stop> {
        let Self { from, to } = self;
        let _held = Held::cases(golden, [pending])?;
        let fresh = pending.fresh(golden)?;
        let derived = mv(golden, from, to)?;
        writeln!(out, "{from}: now {to}")?;
        for name in derived {
            writeln!(out, "{name}: its base is now {to}")?;
            if fresh.contains(&name) {
                pending.refresh(golden, &name)?;
            }
        }
        pending.rename(from, to)?;
        Ok(0)
    }
}
