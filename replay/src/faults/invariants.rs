//! [`breaches`]: what must hold of every run, whatever comes in.

use std::{fmt, time::Duration};

use tapeline::{ErrorCode, Registry, Spec};

use super::{envelope::unlike_its_schema, files::half};
use crate::{
    Json, Kit, diff, given::Given, outcome::Outcome, player::Played, scrubbed::PLACEHOLDER,
    taped::plain,
};

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Invariant {
    /// The error code is one of the command's own or one that any run can end with, and no bug.
    Code,
    /// The envelope is as its schema says, and has the details that its code promises.
    Envelope,
    /// The run ends, and leaves one record, which says what was answered.
    Record,
    /// No file is cut or left behind, and what the envelope names is there.
    Files,
    /// Nothing of the run is at work once it has answered.
    Late,
}

impl fmt::Display for Invariant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Code => "declared code",
            Self::Envelope => "valid envelope",
            Self::Record => "one record",
            Self::Files => "no half file",
            Self::Late => "no late effect",
        })
    }
}

/// Something that does not hold.
#[derive(Clone, Debug)]
pub(crate) struct Breach {
    pub(crate) invariant: Invariant,
    pub(crate) what: String,
}

impl Breach {
    pub(crate) fn new(invariant: Invariant, what: impl Into<String>) -> Self {
        Self { invariant, what: what.into() }
    }
}

/// What does not hold of a run. `given` and `base` are the case that it is a variant of.
pub(super) fn breaches(kit: &Kit, given: &Given, base: &Played, played: &Played) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let mut add = |invariant, found: Vec<String>| {
        breaches.extend(found.into_iter().map(|what| Breach::new(invariant, what)));
    };
    add(Invariant::Envelope, unlike_its_schema(given, &played.envelope));
    match Outcome::of_played(played) {
        Ok(outcome) => {
            let command = command(&outcome.parsed_command);
            add(Invariant::Code, code(&kit.registry, command, base, played));
            add(Invariant::Record, record(&outcome, played));
        }
        Err(why) => add(Invariant::Record, vec![why]),
    }
    add(Invariant::Files, half(given, base, played));
    add(Invariant::Late, late(played));
    breaches
}

/// The path of the command that a line led to.
fn command(parsed: &Json) -> Option<&str> {
    let Json::Object(fields) = parsed else { return None };
    fields.iter().find_map(|(name, value)| match value {
        Json::Text(path) if name == "path" => Some(path.as_str()),
        _ => None,
    })
}

fn code(registry: &Registry, command: Option<&str>, base: &Played, played: &Played) -> Vec<String> {
    /// What only a fault of the command's own ends with.
    const BUGS: [ErrorCode; 2] = [ErrorCode::INTERNAL, ErrorCode::CAPABILITY_NOT_DECLARED];

    let Some(name) = &played.envelope.error_code else { return Vec::new() };
    if base.envelope.error_code.as_ref() == Some(name) {
        return Vec::new();
    }
    let spec = command.and_then(|path| registry.specs().find(|spec| spec.path == path));
    let own = spec.map_or(&[][..], |spec| spec.error_codes.as_slice());
    let code = Spec::COMMON_CODES.iter().chain(own).find(|code| code.name() == name);
    let command = command.unwrap_or("no command");
    match code {
        None => vec![format!("`{command}` does not declare `{name}`")],
        Some(code) if BUGS.contains(code) => vec![format!("`{name}` is a bug in `{command}`")],
        Some(code) if code.exit_code() != played.envelope.exit_code => {
            vec![format!("`{name}` goes with exit code {}", code.exit_code())]
        }
        Some(_) => Vec::new(),
    }
}

fn record(outcome: &Outcome, played: &Played) -> Vec<String> {
    let mut wrong = Vec::new();
    if played.records != 1 {
        wrong.push(format!("{} records", played.records));
    }
    // A record is scrubbed, and so is what is compared with it.
    let answered = Json::parse(&played.envelope.to_json());
    let answered = answered.map(|answered| answered.map_texts(&plain).swept());
    match answered {
        Ok(answered) => {
            let recorded = Json::Object(outcome.envelope.clone()).swept();
            let differences = diff(&answered, &recorded);
            let is_scrubbed = |json: &Json| json.to_string().contains(PLACEHOLDER);
            let mut differ = differences
                .iter()
                .filter(|difference| !difference.actual.as_ref().is_some_and(is_scrubbed));
            if let Some(difference) = differ.next() {
                wrong.push(format!("it says otherwise than the answer: {difference}"));
            }
        }
        Err(error) => wrong.push(format!("the answer cannot be read: {error}")),
    }
    wrong
}

fn late(played: &Played) -> Vec<String> {
    /// For threads that have given what they computed, and are about to end.
    const PATIENCE: Duration = Duration::from_secs(1);

    let (late, is_left) = match played.aftermath.settled(PATIENCE) {
        Ok(late) => (late, false),
        Err(late) => (late, true),
    };
    let mut wrong: Vec<String> = late.iter().map(|what| format!("{what} after the end")).collect();
    if is_left {
        wrong.push("something that it began still has its door".to_owned());
    }
    wrong
}
