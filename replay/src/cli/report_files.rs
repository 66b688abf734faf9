//! `report`: what differs, as a page, as a summary, as JUnit.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::{Path, PathBuf},
};

use tapeline::clap;

use super::{
    Stop,
    arguments::with_option,
    patterns, run_and_keep,
    said::{aside, counted},
    settle::{in_both, nothing_of},
    summary,
};
use crate::{
    CaseName, CasePattern, Kit, Verdict,
    artifact::pending_in,
    pending::Pending,
    place::resolved,
    report::{AllPending, Builder, Report, html, junit, markdown, write_whole},
    verdict::chain,
};

/// Write what differs as a page, a summary of a pull request, or JUnit.
///
/// It runs the cases, as without a verb, and keeps what differs for `accept`. A FILE is replaced
/// whole or not at all; `-` is the standard output.
#[derive(Clone, Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("output").required(true).multiple(true),
    after_help = "Exit code: 0 all the same, 1 something differs, 2 something could not be run, read \
        or written. With `--from`: 1 something is pending, 2 nothing is, or some of it cannot be accepted \
        as it is."
)]
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

/// Whether that is the standard output.
fn is_out(file: &Path) -> bool {
    file == Path::new("-")
}

impl ReportFiles {
    /// Whether the standard output is one of them.
    pub(super) fn is_piped(&self) -> bool {
        [&self.html, &self.markdown, &self.junit].into_iter().flatten().any(|file| is_out(file))
    }

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
        if files.iter().filter(|(file, _)| is_out(file)).count() > 1 {
            return Err(Stop::Said("only one of them can be written to `-`".to_owned()));
        }
        let places: BTreeSet<PathBuf> = files.iter().map(|(file, _)| resolved(file)).collect();
        if places.len() < files.len() {
            let why = "two of them would be written to one file: give each its own";
            return Err(Stop::Said(why.to_owned()));
        }
        // What is said beside a report on the standard output would be part of it.
        let (mut said, mut failed) = (Vec::new(), Vec::new());
        let (report, mut code) = match &self.from {
            Some(folder) => self.of_pending(kit, golden, folder, &mut said)?,
            None => self.of_run(kit, golden, pending, &mut said, &mut failed)?,
        };
        for (file, form) in files {
            if is_out(file) {
                out.write_all(form(&report).as_bytes())?;
                continue;
            }
            match write_whole(file, &form(&report)) {
                Ok(()) => writeln!(said, "written: {}", file.display())?,
                Err(error) => {
                    writeln!(failed, "cannot write `{}`: {error}", file.display())?;
                    code = 2;
                }
            }
        }
        match self.is_piped() {
            true => aside(&String::from_utf8_lossy(&failed)),
            false => {
                out.write_all(&said)?;
                out.write_all(&failed)?;
            }
        }
        Ok(code)
    }

    fn of_run(
        &self,
        kit: &Kit,
        golden: &Path,
        pending: &Pending,
        said: &mut dyn Write,
        failed: &mut dyn Write,
    ) -> Result<(Report, u8), Stop> {
        let (all, unkept) = run_and_keep(kit, golden, pending, &self.filter, self.twice)?;
        unkept.write(false, failed)?;
        let names = pending.list(&[])?.into_iter().collect();
        let all_pending = AllPending { names, is_all: self.filter.is_empty() };
        let mut builder = Builder::of_run(kit, all_pending);
        for (name, replayed) in &all {
            builder.add_run(golden, name, replayed);
        }
        let verdicts = || all.iter().map(|(_, replayed)| &replayed.verdict);
        summary(kit, verdicts(), said)?;
        let code = verdicts().map(Verdict::exit_code).max().unwrap_or(0);
        Ok((builder.finish(), code.max(unkept.exit_code())))
    }

    fn of_pending(
        &self,
        kit: &Kit,
        golden: &Path,
        folder: &Path,
        said: &mut dyn Write,
    ) -> Result<(Report, u8), Stop> {
        let mut kept = BTreeMap::<CaseName, Vec<Pending>>::new();
        for pending in pending_in(folder)? {
            for name in pending.list(&[])? {
                kept.entry(name).or_default().push(pending.clone());
            }
        }
        let patterns = patterns(&self.filter);
        let is_idle = |pattern: &&CasePattern| !kept.keys().any(|name| pattern.matches(name));
        if let Some(pattern) = patterns.iter().find(is_idle) {
            return Err(nothing_of(pattern, folder));
        }
        let all_pending =
            AllPending { names: kept.keys().cloned().collect(), is_all: patterns.is_empty() };
        let kit = with_option(kit.clone(), "--from", folder);
        let mut builder = Builder::of_pending(&kit, all_pending);
        let is_meant = |name: &CaseName| patterns.iter().any(|pattern| pattern.matches(name));
        let mut count = 0;
        for (name, folders) in kept {
            if !patterns.is_empty() && !is_meant(&name) {
                continue;
            }
            count += 1;
            let added = match folders.as_slice() {
                [one, other, ..] => Err(format!("it {}", in_both(one, other))),
                folders => folders.iter().try_for_each(|pending| {
                    builder.add_pending(golden, pending, &name).map_err(|error| chain(&error))
                }),
            };
            if let Err(why) = added {
                writeln!(said, "{name}: {why}")?;
                builder.add_unreadable(golden, &name, &why);
            }
        }
        writeln!(said, "pending: {}", counted(count, "case"))?;
        let report = builder.finish();
        let code = report.exit_code();
        Ok((report, code))
    }
}
