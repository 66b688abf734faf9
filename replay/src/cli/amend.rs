//! `amend`: what cases miss is answered, and they are run with it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
};

use super::{Stop, Unkept, arguments::Amend, patterns, said::counted};
use crate::{
    CaseName, Kit,
    amend::{Amendment, amend as answer},
    case::Case,
    cases::{list, on_all_cores},
    held::Held,
    pending::Pending,
};

/// Gives the cases that are meant what they miss.
pub(super) fn amend(
    verb: &Amend,
    kit: &Kit,
    golden: &Path,
    pending: &Pending,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let amendments = [&verb.absent, &verb.file, &verb.answer].into_iter().flatten();
    let amendments: Vec<Amendment> = amendments.cloned().collect();
    let names = list(golden, &patterns(&verb.filter))?;
    let _held = Held::cases(golden, [pending])?;
    let bases = bases(golden)?;
    let run = |names: &[CaseName]| {
        let work = |name: &CaseName| answer(kit, golden, name, &amendments);
        names.iter().cloned().zip(on_all_cores(names, &work, &|_, _| {})).collect::<Vec<_>>()
    };
    let (derived, own): (BTreeSet<_>, BTreeSet<_>) =
        names.iter().cloned().partition(|name| bases.contains_key(name));
    let mut results = run(&own.into_iter().collect::<Vec<_>>());
    let amended = results.iter().filter(|(_, result)| matches!(result, Ok((true, _))));
    let amended: BTreeSet<CaseName> = amended.map(|(name, _)| name.clone()).collect();
    // Those derived of one come after it, named or not: what it is given by then is theirs, too.
    let theirs = bases.iter().filter(|(_, base)| amended.contains(*base));
    let theirs: BTreeSet<CaseName> = theirs.map(|(name, _)| name.clone()).collect();
    results.extend(run(&derived.union(&theirs).cloned().collect::<Vec<_>>()));

    let (mut code, mut unkept) = (0, Unkept::default());
    for (name, result) in results {
        match result {
            Ok((is_amended, replayed)) if is_amended || theirs.contains(&name) => {
                unkept.note(&name, pending.keep(golden, &name, &replayed));
                let verdict = replayed.verdict;
                code = code.max(verdict.exit_code());
                let how = if is_amended { "amended" } else { "its base is amended" };
                writeln!(out, "{name}: {how}; now {}", verdict.to_string().trim_end())?;
            }
            Ok(_) => {}
            Err(error) => {
                writeln!(out, "{name}: {}", kit.told(&error))?;
                code = 2;
            }
        }
    }
    unkept.write(false, out)?;
    code = code.max(unkept.exit_code());
    writeln!(out, "{} of {} amended", amended.len(), counted(names.len(), "case"))?;
    if amended.is_empty() && code == 0 {
        writeln!(out, "none of them misses that: run them to see what they miss")?;
        code = 2;
    }
    Ok(code)
}

/// The base of each case that is derived.
fn bases(golden: &Path) -> Result<BTreeMap<CaseName, CaseName>, Stop> {
    let base = |name: CaseName| {
        let base = Case::read(golden, &name).ok()?.base?;
        Some((name, base))
    };
    Ok(list(golden, &[])?.into_iter().filter_map(base).collect())
}
