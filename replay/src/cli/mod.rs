//! The command line of the kit, the same for every host.

mod arguments;
mod progress;
mod report;

use std::{
    io::{self, Write},
    path::Path,
};

use tapeline::scrub::sweep;

#[cfg(feature = "harness")]
pub(crate) use self::arguments::default_pending;
pub use self::arguments::{Cli, Promote};
pub(crate) use self::report::case_text;
use self::{
    arguments::{Amend, Filter, Verb},
    progress::Progress,
    report::{record_text, report},
};
use crate::{
    CaseError, CaseName, CasePattern, Json, Kit, Log, Verdict,
    again::{self, AgainError},
    amend::{Amendment, amend},
    case::Case,
    cases::{Replayed, list, on_all_cores, replay_case},
    check::check,
    diff,
    pending::Pending,
    promote::promote,
    replay,
    verdict::chain,
};

/// Does what the command line says.
///
/// Gives the exit code: 0 all the same, 1 something differs, 2 something could not be run.
///
/// # Errors
/// `out` cannot be written.
pub fn cli(cli: &Cli, kit: &Kit, out: &mut dyn Write) -> io::Result<u8> {
    if again::is_second_process(kit) {
        return Ok(0);
    }
    // What is said goes to the logs of others, and a case or a build of today may hold a secret that
    // no recording ever held.
    let mut said = Vec::new();
    let code = answer(cli, kit, &mut said);
    out.write_all(sweep(&String::from_utf8_lossy(&said)).as_bytes())?;
    code
}

fn answer(cli: &Cli, kit: &Kit, out: &mut dyn Write) -> io::Result<u8> {
    let golden = &cli.folders.golden;
    let pending = cli.folders.pending();
    let done = match &cli.verb {
        None => replay_cases(cli, kit, out),
        Some(Verb::Run { run_id, json }) => return run(kit, run_id, *json, out),
        Some(Verb::Promote(promoted)) => {
            let title = promoted.title.as_deref();
            match promote(kit, golden, &promoted.run_id, &promoted.name, title) {
                Ok(run_id) => {
                    let name = &promoted.name;
                    writeln!(
                        out,
                        "{name}: made of run {run_id}, in {}",
                        golden.join(name.as_str()).display()
                    )?;
                    return Ok(0);
                }
                Err(refusal) => {
                    writeln!(out, "not promoted: {refusal}")?;
                    return Ok(2);
                }
            }
        }
        Some(Verb::Diff(filter)) => differences(filter, golden, &pending, out),
        Some(Verb::Accept(filter)) => {
            settle(filter, &pending, out, "accepted", &|pending, name| pending.accept(golden, name))
        }
        Some(Verb::Reject(filter)) => {
            settle(filter, &pending, out, "rejected", &|pending, name| pending.reject(name))
        }
        Some(Verb::Amend(amendment)) => amended(amendment, kit, golden, out),
        Some(Verb::Check) => checked(golden, out),
    };
    match done {
        Ok(code) => Ok(code),
        Err(Stop::Io(error)) => Err(error),
        Err(Stop::Said(why)) => {
            writeln!(out, "{why}")?;
            Ok(2)
        }
    }
}

/// Why a verb goes no further.
enum Stop {
    /// The output is gone.
    Io(io::Error),
    /// What to say.
    Said(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<CaseError> for Stop {
    fn from(error: CaseError) -> Self {
        Self::Said(chain(&error))
    }
}

impl From<AgainError> for Stop {
    fn from(error: AgainError) -> Self {
        Self::Said(chain(&error))
    }
}

fn patterns(filter: &[String]) -> Vec<CasePattern> {
    filter.iter().map(CasePattern::new).collect()
}

fn run(kit: &Kit, run_id: &str, json: bool, out: &mut dyn Write) -> io::Result<u8> {
    let found = Log::open(kit.root.join("audit")).and_then(|log| Ok((log.find(run_id)?, log)));
    let (run_id, verdict) = match found {
        Ok((Some(record), log)) => {
            let verdict = replay(&log, &record, kit.registry.clone());
            (record.run_id, verdict)
        }
        Ok((None, _)) => {
            (run_id.to_owned(), Verdict::Broken(format!("no run `{run_id}` in the log")))
        }
        Err(error) => (run_id.to_owned(), Verdict::broken(&error)),
    };
    match json {
        true => writeln!(out, "{}", report("run_id", &run_id, &verdict)?)?,
        false => write!(out, "{}", record_text(&run_id, &verdict))?,
    }
    Ok(verdict.exit_code())
}

fn replay_cases(cli: &Cli, kit: &Kit, out: &mut dyn Write) -> Result<u8, Stop> {
    let golden = &cli.folders.golden;
    let pending = cli.folders.pending();
    let names = list(golden, &patterns(&cli.filter))?;
    let progress = Progress::new(names.len());
    let work = |name: &CaseName| replay_case(kit, golden, name);
    let mut all = on_all_cores(&names, &work, &|_, _| progress.step());
    progress.clear();
    if cli.twice {
        hold_to_second_process(golden, &names, &mut all)?;
    }
    // Once the verdict is final: what is unstable is not to be accepted.
    for (name, replayed) in names.iter().zip(&all) {
        pending.keep(golden, name, replayed)?;
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (name, Replayed { verdict, .. }) in names.iter().zip(&all) {
        match counts.iter_mut().find(|(counted, _)| *counted == verdict.name()) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict.name(), 1)),
        }
        match cli.json {
            true => writeln!(
                out,
                "{}",
                report("case", name.as_str(), verdict).map_err(io::Error::from)?
            )?,
            false if *verdict != Verdict::Ok => {
                write!(out, "{}", case_text(name.as_str(), verdict))?;
            }
            false => {}
        }
    }
    if !cli.json {
        summary(kit, names.len(), &counts, out)?;
    }
    Ok(all.iter().map(|replayed| replayed.verdict.exit_code()).max().unwrap_or(0))
}

fn summary(
    kit: &Kit,
    cases: usize,
    counts: &[(&str, usize)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let counted = counts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
    writeln!(out, "{cases} cases: {}", counted.collect::<Vec<_>>().join(", "))?;
    let (called, has) =
        (&kit.called, |verdict| counts.iter().any(|(counted, _)| *counted == verdict));
    if has("changed") || has("new") {
        writeln!(out, "look: {called} diff CASE; take it: {called} accept CASE")?;
    }
    if has("miss") {
        writeln!(
            out,
            "answer what is missing: {called} amend CASE --absent PATH | --file PATH=FROM | --answer URL=FILE"
        )?;
    }
    Ok(())
}

/// Cases that come out otherwise in a second process are unstable, whatever else they are.
fn hold_to_second_process(
    golden: &Path,
    names: &[CaseName],
    all: &mut [Replayed],
) -> Result<(), Stop> {
    let mut second = again::cases(golden, names)?;
    for (name, replayed) in names.iter().zip(all) {
        let Some(came) = &replayed.came else { continue };
        let again = second.remove(name.as_str()).unwrap_or(Json::Object(Vec::new()));
        let differences = diff(&came.outcome.whole_document(), &again);
        if !differences.is_empty() {
            replayed.verdict = Verdict::Unstable(differences);
        }
    }
    Ok(())
}

fn differences(
    filter: &Filter,
    golden: &Path,
    pending: &Pending,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (pending, names) = chosen(filter, pending)?;
    for name in &names {
        let verdict = Verdict::Changed(pending.differences(golden, name)?);
        write!(out, "{}", case_text(name.as_str(), &verdict))?;
    }
    Ok(u8::from(!names.is_empty()))
}

fn settle(
    filter: &Filter,
    pending: &Pending,
    out: &mut dyn Write,
    done: &str,
    settle: &dyn Fn(&Pending, &CaseName) -> Result<(), CaseError>,
) -> Result<u8, Stop> {
    let (pending, names) = chosen(filter, pending)?;
    let mut code = 0;
    for name in &names {
        match settle(&pending, name) {
            Ok(()) => writeln!(out, "{name}: {done}")?,
            Err(error) => {
                writeln!(out, "{name}: {}", chain(&error))?;
                code = 2;
            }
        }
    }
    Ok(code)
}

/// The cases that are meant, of those with something pending.
fn chosen(filter: &Filter, pending: &Pending) -> Result<(Pending, Vec<CaseName>), Stop> {
    let pending = match &filter.from {
        Some(folder) => Pending { folder: folder.clone() },
        None => pending.clone(),
    };
    let names = pending.list(&patterns(&filter.filter))?;
    match names.is_empty() {
        true => Err(Stop::Said(format!(
            "nothing is pending in `{}`: run the cases first",
            pending.folder.display()
        ))),
        false => Ok((pending, names)),
    }
}

fn amended(amendment: &Amend, kit: &Kit, golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
    let amendments =
        [&amendment.absent, &amendment.file, &amendment.answer].into_iter().flatten().cloned();
    let amendments: Vec<Amendment> = amendments.collect();
    let names = list(golden, &patterns(&amendment.filter))?;
    let work = |name: &CaseName| amend(kit, golden, name, &amendments);
    // Derived cases last: what their base is given by then is theirs, too.
    let is_derived =
        |name: &CaseName| Case::read(golden, name).is_ok_and(|case| case.base.is_some());
    let (derived, own): (Vec<CaseName>, Vec<CaseName>) =
        names.iter().cloned().partition(is_derived);
    let results = [own, derived].into_iter().flat_map(|names| {
        let results = on_all_cores(&names, &work, &|_, _| {});
        names.into_iter().zip(results)
    });
    let (mut count, mut code) = (0, 0);
    for (name, result) in results {
        match result {
            Ok(None) => {}
            Ok(Some(verdict)) => {
                count += 1;
                code = code.max(verdict.exit_code());
                writeln!(out, "{name}: amended; now {}", verdict.to_string().trim_end())?;
            }
            Err(error) => {
                writeln!(out, "{name}: {}", chain(&error))?;
                code = 2;
            }
        }
    }
    writeln!(out, "{count} of {} cases amended", names.len())?;
    Ok(code)
}

fn checked(golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
    let (cases, findings) = check(golden)?;
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(out, "{cases} cases: {} findings", findings.len())?;
    Ok(if findings.is_empty() { 0 } else { 2 })
}
