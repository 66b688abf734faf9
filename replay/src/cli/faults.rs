//! `faults`: each case with each thing that can go wrong.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use serde::Serialize;
use tapeline::{Envelope, clap};

use super::{Progress, Stop, counted, patterns, report::report};
use crate::{
    CaseName, Kit,
    cases::{list, on_all_cores},
    faults::{Base, Breach, Kind, Left, Tried, Variant, keep},
    held::Held,
};

/// Run each case with each thing that can go wrong in it.
///
/// A variant of a case differs from it in one thing: an answer fails or is another one, a write is
/// refused, an approval is not given, the clock is a year off, the run is cancelled or its time is
/// over. Whatever it comes to, five things hold: the error code is declared, the envelope valid, the
/// run leaves one record and no half file, and does nothing once it has answered.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 all hold, 1 something does not, 2 something could not be run."
)]
pub(super) struct Faults {
    /// A case, a group, or a pattern with `*`; all cases without one.
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Print the variants by number, and run none.
    #[arg(long)]
    list: bool,
    /// Print one JSON object a variant instead of text, with its envelope.
    #[arg(long, conflicts_with = "list")]
    pub(super) json: bool,
    /// Make a derived case of the variant of that number, of the one case that FILTER names.
    #[arg(long, value_name = "NUMBER", requires = "name", conflicts_with_all = ["list", "json"])]
    keep: Option<usize>,
    /// The name of the case that is made.
    #[arg(long = "as", value_name = "GROUP/CASE", requires = "keep")]
    name: Option<CaseName>,
    /// What that case shows, in a few words; the title of the other and what goes wrong unless said.
    #[arg(long, requires = "keep")]
    title: Option<String>,
}

impl Faults {
    pub(super) fn run(&self, kit: &Kit, golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
        let names = list(golden, &patterns(&self.filter))?;
        if let (Some(number), Some(name)) = (self.keep, &self.name) {
            return self.kept(kit, golden, &names, (number, name), out);
        }
        let progress = Progress::new(names.len());
        let work = |name: &CaseName| match self.list {
            true => Of::listed(kit, golden, name),
            false => Of::tried(kit, golden, name),
        };
        let all = on_all_cores(&names, &work, &|_, _| progress.step());
        progress.clear();
        let mut summary = Summary::default();
        for (name, of) in names.iter().zip(&all) {
            summary.add(of);
            match (of, self.json) {
                (Of::Left(Left::Not(verdict)), false) => write!(out, "{name}: not run: {verdict}")?,
                (Of::Left(Left::Not(verdict)), true) => {
                    let line = report("case", name.as_str(), verdict).map_err(io::Error::from)?;
                    writeln!(out, "{line}")?;
                }
                (Of::Left(Left::Derived), _) => {}
                (Of::Variants(variants), true) => as_json(name, variants, out)?,
                (Of::Variants(variants), false) => as_text(name, variants, self.list, out)?,
            }
        }
        if summary.is_derived_alone() {
            let why = "derived cases have no variants of their own: name the base of each instead \
                       (`base` in its `given/case.json`)";
            return Err(Stop::Said(why.to_owned()));
        }
        if !self.json {
            summary.write(kit, self.list, out)?;
        }
        Ok(summary.exit_code())
    }

    /// Makes a case of the variant of that number.
    fn kept(
        &self,
        kit: &Kit,
        golden: &Path,
        names: &[CaseName],
        (number, name): (usize, &CaseName),
        out: &mut dyn Write,
    ) -> Result<u8, Stop> {
        let [of] = names else {
            let why = "name the one case that `--keep` takes a variant of";
            return Err(Stop::Said(why.to_owned()));
        };
        let _held = Held::cases(golden, [])?;
        match keep(kit, golden, of, number, name, self.title.as_deref()) {
            Ok(words) => {
                writeln!(out, "{name}: made of {of}: {words}")?;
                Ok(0)
            }
            Err(refusal) => Err(Stop::Said(format!("not kept: {refusal}"))),
        }
    }
}

/// A case, as far as it has variants.
enum Of {
    Left(Left),
    /// Each with what came of it, where it was run.
    Variants(Vec<(Variant, Option<Tried>)>),
}

impl Of {
    fn listed(kit: &Kit, golden: &Path, name: &CaseName) -> Self {
        match Base::read(kit, golden, name) {
            Ok(base) => Self::Variants(base.variants.into_iter().map(|one| (one, None)).collect()),
            Err(left) => Self::Left(left),
        }
    }

    fn tried(kit: &Kit, golden: &Path, name: &CaseName) -> Self {
        match Base::read(kit, golden, name) {
            Ok(base) => {
                let each = base.variants.iter();
                let tried = each.map(|one| (one.clone(), Some(base.try_variant(kit, one))));
                Self::Variants(tried.collect())
            }
            Err(left) => Self::Left(left),
        }
    }
}

fn as_text(
    name: &CaseName,
    variants: &[(Variant, Option<Tried>)],
    all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if all {
        writeln!(out, "{name}: {}", counted(variants.len(), "variant"))?;
    }
    for ((variant, tried), number) in variants.iter().zip(1..) {
        if all {
            writeln!(out, "{number:5}  {}", variant.words)?;
        }
        let Some(tried) = tried.as_ref().filter(|tried| !tried.breaches.is_empty()) else {
            continue;
        };
        writeln!(out, "{name}: variant {number}: {}", variant.words)?;
        for Breach { invariant, what } in &tried.breaches {
            writeln!(out, "  {invariant}: {}", what.trim_end().replace('\n', "\n    "))?;
        }
        if let Some(envelope) = &tried.envelope {
            writeln!(out, "  it answers: {}", short(envelope))?;
        }
    }
    Ok(())
}

/// An envelope in a few words.
fn short(envelope: &Envelope) -> String {
    let exit_code = envelope.exit_code;
    match (&envelope.error_code, &envelope.error_message) {
        (Some(code), message) => {
            format!("exit code {exit_code}, {code}: {}", message.as_deref().unwrap_or_default())
        }
        (None, _) => format!("exit code {exit_code}"),
    }
}

#[derive(Serialize)]
struct Line<'a> {
    case: &'a str,
    number: usize,
    kind: String,
    variant: &'a str,
    breaches: Vec<BreachLine<'a>>,
    misses: usize,
    envelope: Option<&'a Envelope>,
}

#[derive(Serialize)]
struct BreachLine<'a> {
    invariant: String,
    what: &'a str,
}

fn as_json(
    name: &CaseName,
    variants: &[(Variant, Option<Tried>)],
    out: &mut dyn Write,
) -> io::Result<()> {
    for ((variant, tried), number) in variants.iter().zip(1..) {
        let Some(Tried { breaches, misses, envelope }) = tried else { continue };
        let breaches = breaches.iter().map(|Breach { invariant, what }| BreachLine {
            invariant: invariant.to_string(),
            what,
        });
        let line = Line {
            case: name.as_str(),
            number,
            kind: variant.kind.to_string(),
            variant: &variant.words,
            breaches: breaches.collect(),
            misses: *misses,
            envelope: envelope.as_ref(),
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// How many of what.
#[derive(Default)]
struct Summary {
    cases: usize,
    derived: usize,
    not_run: usize,
    kinds: BTreeMap<Kind, usize>,
    broken: usize,
    with_misses: usize,
}

impl Summary {
    fn add(&mut self, of: &Of) {
        match of {
            Of::Left(Left::Derived) => self.derived += 1,
            Of::Left(Left::Not(_)) => self.not_run += 1,
            Of::Variants(variants) => {
                self.cases += 1;
                for (variant, tried) in variants {
                    *self.kinds.entry(variant.kind).or_default() += 1;
                    let Some(tried) = tried else { continue };
                    self.broken += usize::from(!tried.breaches.is_empty());
                    self.with_misses += usize::from(tried.misses > 0);
                }
            }
        }
    }

    fn write(&self, kit: &Kit, listed: bool, out: &mut dyn Write) -> io::Result<()> {
        let variants: usize = self.kinds.values().sum();
        let all = counted(variants, "variant");
        write!(out, "{}, {all}", counted(self.cases, "case"))?;
        match (listed, self.broken) {
            (true, _) => writeln!(out)?,
            (false, 0) if variants == 0 => writeln!(out)?,
            (false, 0) => writeln!(out, ": all hold")?,
            (false, 1) => writeln!(out, ": 1 does not hold")?,
            (false, broken) => writeln!(out, ": {broken} do not hold")?,
        }
        if variants > 0 {
            let kinds = self.kinds.iter().map(|(kind, count)| counted(*count, &kind.to_string()));
            writeln!(out, "of them: {}", kinds.collect::<Vec<_>>().join(", "))?;
        }
        if self.with_misses > 0 {
            let ask = if self.with_misses == 1 { "asks" } else { "ask" };
            writeln!(out, "{} {ask} for more than the tape holds", self.with_misses)?;
        }
        if self.derived > 0 {
            let are = if self.derived == 1 { "is" } else { "are" };
            writeln!(out, "{} {are} derived, and left out", counted(self.derived, "case"))?;
        }
        if self.not_run > 0 {
            writeln!(out, "{} could not be run", counted(self.not_run, "case"))?;
        }
        if self.broken > 0 {
            let keep = kit.call("faults CASE --keep NUMBER --as GROUP/CASE");
            writeln!(out, "keep one: {keep}")?;
        }
        Ok(())
    }

    fn is_derived_alone(&self) -> bool {
        self.derived > 0 && self.cases == 0 && self.not_run == 0
    }

    fn exit_code(&self) -> u8 {
        match (self.not_run, self.broken) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}
