//! [`harness`]: the cases as the tests of one test target.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::{
    CaseName, Kit, Verdict,
    cases::{list, replay_case},
    cli::case_text,
    held::Held,
    pending::Pending,
    place::default_pending,
    verdict::chain,
};

/// Runs the cases of a folder as tests, each named by its case: the `main` of a test target with
/// `harness = false`. Whatever runs tests then lists, filters, shards and reports them.
///
/// `golden` is relative to the package; the variable `TAPELINE_GOLDEN` puts another folder in its
/// place. What differs is left in `target/replay-pending` beside the cases for `accept`.
///
/// ```no_run
/// // tests/golden.rs, with `use my_commands as _;` where commands come from another crate.
/// use std::process::ExitCode;
/// use tapeline_replay::{Kit, harness};
///
/// fn main() -> ExitCode {
///     harness("golden", |registry| Kit::new(registry).called("my-host replay"))
/// }
/// ```
pub fn harness(
    golden: impl Into<PathBuf>,
    kit: impl FnOnce(Arc<tapeline::Registry>) -> Kit,
) -> ExitCode {
    let arguments = Arguments::from_args();
    let golden = env::var_os("TAPELINE_GOLDEN").map_or_else(|| golden.into(), PathBuf::from);
    let trials = tapeline::Registry::collected()
        .map_err(|error| chain(&error))
        .and_then(|registry| Ok(trials(&golden, kit(registry), names(&golden, &arguments)?)));
    match trials {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(why) => {
            // As one test that fails, so that whoever runs tests sees why.
            let failed = Trial::test("golden", move || Err(Failed::from(why)));
            libtest_mimic::run(&Arguments { exact: false, filter: None, ..arguments }, vec![failed])
                .exit_code()
        }
    }
}

/// The cases that are asked for. To run one by its name, as nextest does for each in a process of
/// its own, the folder need not be listed.
fn names(golden: &Path, arguments: &Arguments) -> Result<Vec<CaseName>, String> {
    let exact = arguments.filter.as_ref().filter(|_| arguments.exact && !arguments.list);
    if let Some(name) = exact.and_then(|name| name.parse::<CaseName>().ok()) {
        return Ok(if golden.join(name.as_str()).is_dir() { vec![name] } else { Vec::new() });
    }
    list(golden, &[]).map_err(|error| chain(&error))
}

fn trials(golden: &Path, kit: Kit, names: Vec<CaseName>) -> Vec<Trial> {
    let kit = Arc::new(kit);
    let golden: Arc<Path> = golden.into();
    let trial = |name: CaseName| {
        let (kit, golden) = (kit.clone(), golden.clone());
        Trial::test(name.to_string(), move || run(&kit, &golden, &name))
    };
    names.into_iter().map(trial).collect()
}

fn run(kit: &Kit, golden: &Path, name: &CaseName) -> Result<(), Failed> {
    let replayed = replay_case(kit, golden, name);
    let pending = Pending { folder: default_pending(golden) };
    let kept = match pending.is_touched(name, &replayed.verdict) {
        true => Held::pending([&pending]).and_then(|_held| pending.keep(golden, name, &replayed)),
        false => Ok(()),
    };
    let mut said = case_text(name.as_str(), &replayed.verdict);
    if let Err(error) = kept {
        said.push_str(&format!("what came could not be kept: {}\n", chain(&error)));
    } else if matches!(replayed.verdict, Verdict::Ok | Verdict::Skipped(_)) {
        // A feature that is off is no failure of the case.
        return Ok(());
    } else if matches!(replayed.verdict, Verdict::Changed(_) | Verdict::New) {
        said.push_str(&format!("if that is as it should be: {} accept {name}\n", kit.called));
    }
    Err(said.into())
}
