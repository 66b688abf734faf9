//! The command line of the kit, the same for every host.

mod amend;
mod arguments;
mod faults;
mod gc;
mod log;
mod log_json;
mod log_said;
mod mv;
mod progress;
mod report;
mod report_files;
mod review;
mod said;
mod selftest;
mod settle;
mod shown;
mod unkept;
mod walk;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
};

pub use self::arguments::{Cli, Promote};
pub(crate) use self::report::{case_text, place};
use self::{
    arguments::Verb,
    progress::Progress,
    report::{record_text, report},
    said::{Said, aside, counted},
    settle::answer_misses,
    unkept::Unkept,
};
use crate::{
    CaseError, CaseName, CasePattern, Json, Kit, Log, LogError, LogErrorKind, Verdict,
    again::{self, AgainError},
    cases::{Replayed, list, on_all_cores, replay_case},
    check::check,
    diff,
    pending::Pending,
    promote::{Expects, Refusal, promote},
    replay,
    verdict::chain,
};

/// Does what the command line says.
///
/// Gives the exit code: 0 all the same, 1 something differs, 2 something could not be run. Where
/// stdin and stdout are a terminal, `review` asks the person there.
///
/// # Errors
/// `out` cannot be written, or an answer cannot be read.
pub fn cli(cli: &Cli, kit: &Kit, out: &mut dyn Write) -> io::Result<u8> {
    match io::stdin().is_terminal() && io::stdout().is_terminal() {
        true => cli_with(cli, kit, Some(&mut io::stdin().lock()), out),
        false => cli_with(cli, kit, None, out),
    }
}

/// As [`cli`], for a host that knows better where a person answers: `answers` has them, a line
/// each. `None` asks nobody.
///
/// # Errors
/// `out` cannot be written, or an answer cannot be read.
pub fn cli_with(
    cli: &Cli,
    kit: &Kit,
    answers: Option<&mut dyn BufRead>,
    out: &mut dyn Write,
) -> io::Result<u8> {
    if again::is_second_process(kit) {
        return Ok(0);
    }
    let mut said = Said::new(out);
    let code = answer(cli, kit, answers, &mut said);
    said.flush()?;
    code
}

fn answer(
    cli: &Cli,
    kit: &Kit,
    answers: Option<&mut dyn BufRead>,
    out: &mut dyn Write,
) -> io::Result<u8> {
    if let Err(why) = cli.fits() {
        writeln!(out, "{why}")?;
        return Ok(2);
    }
    let golden = &cli.folders.golden;
    let pending = cli.folders.pending();
    let kit = &cli.folders.named_by(kit);
    let done = match &cli.verb {
        None => replay_cases(cli, kit, out),
        Some(Verb::Run { run_id, json }) => return run(kit, run_id, *json, out),
        Some(Verb::Promote(promoted)) => {
            let (run_id, name) = (&promoted.run_id, &promoted.name);
            let title = promoted.title.as_deref();
            let made = Log::open(kit.root.join("audit"))
                .map_err(Refusal::from)
                .and_then(|log| promote(kit, golden, &log, run_id, name, title, Expects::Replayed));
            match made {
                Ok(run_id) => {
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
        Some(Verb::Diff(filter)) => settle::differences(filter, golden, &pending, out),
        Some(Verb::Accept(filter)) => settle::accept(filter, kit, golden, &pending, out),
        Some(Verb::Reject(filter)) => settle::reject(filter, &pending, out),
        Some(Verb::Amend(verb)) => amend::amend(verb, kit, golden, &pending, out),
        Some(Verb::Check) => checked(kit, golden, out),
        Some(Verb::Review(review)) => review.run(kit, golden, &pending, answers, out),
        Some(Verb::Log(log)) => log.run(kit, golden, out),
        Some(Verb::Report(report)) => report.run(kit, golden, &pending, out),
        Some(Verb::Faults(faults)) => faults.run(kit, golden, out),
        Some(Verb::Selftest(selftest)) => selftest.run(kit, golden, out),
        Some(Verb::Mv(mv)) => mv.run(golden, &pending, out),
        Some(Verb::Gc(gc)) => gc.run(kit, golden, &pending, out),
    };
    match done {
        Ok(code) => Ok(code),
        Err(Stop::Io(error)) => Err(error),
        Err(Stop::Said(why)) => {
            match cli.is_document() {
                true => aside(&format!("{why}\n")),
                false => writeln!(out, "{why}")?,
            }
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

impl From<LogError> for Stop {
    fn from(error: LogError) -> Self {
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
        Err(LogError { file, kind: LogErrorKind::Absent, .. }) => {
            let file = file.display();
            let why = format!(
                "there is no audit log at `{file}`: give the root that the run was recorded in"
            );
            (run_id.to_owned(), Verdict::Broken(why))
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
    let (golden, pending) = (&cli.folders.golden, cli.folders.pending());
    let (all, unkept) = run_and_keep(kit, golden, &pending, &cli.filter, cli.twice)?;
    for (name, Replayed { verdict, .. }) in &all {
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
    let verdicts = || all.iter().map(|(_, replayed)| &replayed.verdict);
    if !cli.json {
        summary(kit, verdicts(), out)?;
    }
    unkept.write(cli.json, out)?;
    let code = verdicts().map(Verdict::exit_code).max().unwrap_or(0);
    Ok(code.max(unkept.exit_code()))
}

/// Runs the cases that are meant and keeps what differs; says of which it could not be kept.
fn run_and_keep(
    kit: &Kit,
    golden: &Path,
    pending: &Pending,
    filter: &[String],
    twice: bool,
) -> Result<(Vec<(CaseName, Replayed)>, Unkept), Stop> {
    let names = list(golden, &patterns(filter))?;
    let progress = Progress::new(names.len());
    let work = |name: &CaseName| replay_case(kit, golden, name);
    let mut all = on_all_cores(&names, &work, &|_, _| progress.step());
    progress.clear();
    if twice {
        hold_to_second_process(golden, &names, &mut all)?;
    }
    // Once the verdict is final: what is unstable is not to be accepted.
    let unkept = Unkept::after_keeping(pending, golden, names.iter().zip(&all));
    Ok((names.into_iter().zip(all).collect(), unkept))
}

fn summary<'a>(
    kit: &Kit,
    verdicts: impl Iterator<Item = &'a Verdict>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (mut cases, mut counts) = (0, Vec::<(&str, usize)>::new());
    for verdict in verdicts {
        cases += 1;
        match counts.iter_mut().find(|(counted, _)| *counted == verdict.name()) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict.name(), 1)),
        }
    }
    let of_each = counts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
    let of_each = of_each.collect::<Vec<_>>().join(", ");
    writeln!(out, "{}: {of_each}", counted(cases, "case"))?;
    let has = |verdict| counts.iter().any(|(counted, _)| *counted == verdict);
    if has("changed") || has("new") {
        writeln!(out, "look: {}; take it: {}", kit.call("review"), kit.call("accept CASE"))?;
    }
    if has("miss") {
        writeln!(out, "{}", answer_misses(kit, "CASE"))?;
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

fn checked(kit: &Kit, golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
    let (cases, findings) = check(kit, golden)?;
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let (cases, found) = (counted(cases, "case"), counted(findings.len(), "finding"));
    writeln!(out, "{cases}: {found}")?;
    Ok(if findings.is_empty() { 0 } else { 2 })
}
