//! `report`: what differs, as a page, as a summary, as JUnit.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use tapeline::clap;

use super::{Stop, patterns, run_cases, said::counted, summary};
use crate::{
    Kit, Verdict,
    artifact::all_in,
    pending::Pending,
    report::{Builder, Report, html, junit, markdown, write_whole},
};

/// Write what differs as a page, a summary of a pull request, or JUnit.
///
/// It runs the cases, as without a verb, and keeps what differs for `accept`. A FILE is replaced
/// whole or not at all; `-` is the standard output.
#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("output").required(true).multiple(true))]
pub(super) struct ReportFiles {
    /// A case, a group, or a pattern with `*`; all unless said.
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// One page to open in a browser: groups, and each case with old and new side by side.
    #[arg(long, value_name = "FILE", group = "output")]
    html: Option<PathBuf>,
    /// A summary under 1 MiB, as for a pull request.
    #[arg(long, value_name = "FILE", group = "output")]
    markdown: Option<PathBuf>,
    /// XML for who shows results of tests.
    #[arg(long, value_name = "FILE", group = "output")]
    junit: Option<PathBuf>,
    /// Run each in a second process, too, with another hash seed, time zone, locale and directory.
    #[arg(long)]
    twice: bool,
    /// Run nothing: tell what is pending in DIR, as one that CI kept.
    #[arg(long, value_name = "DIR", conflicts_with = "twice")]
    from: Option<PathBuf>,
}

type Form = fn(&Report) -> String;

impl ReportFiles {
    pub(super) fn run(
        &self,
        kit: &Kit,
        golden: &Path,
        pending: &Pending,
        out: &mut dyn Write,
    ) -> Result<u8, Stop> {
        let all = [(&self.html, html as Form), (&self.markdown, markdown), (&self.junit, junit)];
        let files: Vec<(&Path, Form)> =
            all.into_iter().filter_map(|(file, form)| Some((file.as_deref()?, form))).collect();
        let is_out = |file: &Path| file == Path::new("-");
        let is_piped = match files.iter().filter(|(file, _)| is_out(file)).count() {
            count @ 0..=1 => count == 1,
            _ => return Err(Stop::Said("only one of them can be written to `-`".to_owned())),
        };
        // What is said beside a report on the standard output would be part of it.
        let mut said = Vec::new();
        let (report, code) = match &self.from {
            Some(folder) => self.of_pending(kit, golden, folder, &mut said)?,
            None => self.of_run(kit, golden, pending, &mut said)?,
        };
        for (file, form) in files {
            if is_out(file) {
                out.write_all(form(&report).as_bytes())?;
                continue;
            }
            write_whole(file, &form(&report)).map_err(|error| {
                Stop::Said(format!("cannot write `{}`: {error}", file.display()))
            })?;
            writeln!(said, "written: {}", file.display())?;
        }
        if !is_piped {
            out.write_all(&said)?;
        }
        Ok(code)
    }

    fn of_run(
        &self,
        kit: &Kit,
        golden: &Path,
        pending: &Pending,
        said: &mut dyn Write,
    ) -> Result<(Report, u8), Stop> {
        let all = run_cases(kit, golden, pending, &self.filter, self.twice)?;
        let mut builder = Builder::new(&kit.called);
        for (name, replayed) in &all {
            builder.add_run(golden, name, replayed);
        }
        let verdicts = || all.iter().map(|(_, replayed)| &replayed.verdict);
        summary(kit, verdicts(), said)?;
        Ok((builder.finish(), verdicts().map(Verdict::exit_code).max().unwrap_or(0)))
    }

    fn of_pending(
        &self,
        kit: &Kit,
        golden: &Path,
        folder: &Path,
        said: &mut dyn Write,
    ) -> Result<(Report, u8), Stop> {
        if !folder.is_dir() {
            return Err(Stop::Said(format!("there is no folder `{}`", folder.display())));
        }
        let mut builder = Builder::new(&kit.called);
        builder.from(folder);
        let mut count = 0;
        for pending in all_in(folder)? {
            let names = pending.list(&patterns(&self.filter))?;
            builder.add_pending(golden, &pending, &names)?;
            count += names.len();
        }
        writeln!(said, "pending: {}", counted(count, "case"))?;
        Ok((builder.finish(), u8::from(count > 0)))
    }
}
