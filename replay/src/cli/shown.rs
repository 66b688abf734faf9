//! What `review` shows: a group in a few lines, and the parts of a case, each up to a bound.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use tapeline::scrub::sweep;

use super::{case_text, said::counted};
use crate::{
    CaseName, Json, Verdict,
    case::files_below,
    groups::{Place, SETTLED_WHOLE, short},
    pending::Waiting,
    review::{Alike, Kind, Told},
};

const MOST_NAMES: usize = 10;
const MOST_PLACES: usize = 10;
const MOST_VALUES: usize = 5;
const MOST_EXCHANGES: usize = 20;
const MOST_LINES: usize = 60;
/// Of a line, and of a body.
const MOST_CHARACTERS: usize = 200;

/// What changed where, in how many cases, and in which.
pub(super) fn group(alike: &Alike, told: &Told, out: &mut dyn Write) -> io::Result<()> {
    let kind = match alike.kind {
        Kind::Changed(_) => "",
        Kind::New => ", new",
        Kind::Beyond => ", apart",
    };
    writeln!(
        out,
        "{}{kind}: {}",
        on_one_line(&alike.subject.to_string()),
        counted(told.names.len(), "case")
    )?;
    for at in told.places.iter().take(MOST_PLACES) {
        place(at, out)?;
    }
    and_more(told.places.len(), MOST_PLACES, "place", out)?;
    let names = told.names.iter().take(MOST_NAMES).map(ToString::to_string);
    let more = match told.names.len().checked_sub(MOST_NAMES) {
        None | Some(0) => String::new(),
        Some(more) => format!(", … and {more} more"),
    };
    writeln!(out, "  in {}{more}", names.collect::<Vec<_>>().join(", "))?;
    if !told.elsewhere.is_empty() {
        writeln!(out, "  {SETTLED_WHOLE}")?;
        for (path, count) in told.elsewhere.iter().take(MOST_PLACES) {
            writeln!(out, "    {} ×{count}", on_one_line(path))?;
        }
        and_more(told.elsewhere.len(), MOST_PLACES, "place", out)?;
    }
    Ok(())
}

fn place(Place { path, values, others }: &Place, out: &mut dyn Write) -> io::Result<()> {
    let path = on_one_line(path);
    let all = values.iter().map(|(_, count)| count).sum::<usize>() + others;
    let shown = values.iter().map(|(values, count)| (on_one_line(&values.to_string()), count));
    let shown: Vec<_> = shown.filter(|(values, _)| !values.is_empty()).collect();
    if shown.is_empty() {
        return writeln!(out, "  {path} ×{all}");
    }
    writeln!(out, "  {path}")?;
    for (values, count) in shown.iter().take(MOST_VALUES) {
        writeln!(out, "    {values} ×{count}")?;
    }
    let told: usize = shown.iter().take(MOST_VALUES).map(|(_, count)| **count).sum();
    match all.checked_sub(told) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(out, "    … other values ×{rest}"),
    }
}

/// The names of a group with their numbers.
pub(super) fn list(names: &[CaseName], out: &mut dyn Write) -> io::Result<()> {
    (1..).zip(names).try_for_each(|(number, name)| writeln!(out, "{number:5}  {name}"))
}

/// How what came of a case differs from what is expected.
pub(super) fn diff(name: &CaseName, waiting: &Waiting, out: &mut dyn Write) -> io::Result<()> {
    let verdict = match waiting.case.expected {
        Some(_) => Verdict::Changed(waiting.differences()),
        None => Verdict::New,
    };
    bounded(&case_text(name.as_str(), &verdict), "", out)
}

/// The files below `expect/` of a case.
pub(super) fn expectations(case: &Path, out: &mut dyn Write) -> io::Result<()> {
    let expect = case.join("expect");
    if !expect.is_dir() {
        return writeln!(out, "nothing is expected yet");
    }
    let Ok(files) = files_below(&expect) else {
        return writeln!(out, "{}: it cannot be listed", expect.display());
    };
    for file in files {
        let path = expect.join(file);
        writeln!(out, "{}", path.display())?;
        match fs::read(&path) {
            Ok(bytes) => bounded(&sweep(&String::from_utf8_lossy(&bytes)), "  ", out)?,
            Err(error) => writeln!(out, "  it cannot be read: {error}")?,
        }
    }
    Ok(())
}

/// The answers a case is given, and what is asked for: now, and before where that is not the same.
pub(super) fn exchanges(waiting: &Waiting, out: &mut dyn Write) -> io::Result<()> {
    let answers = &waiting.case.given.answers;
    writeln!(out, "given: {}", counted(answers.len(), "answer"))?;
    for given in answers.iter().take(MOST_EXCHANGES) {
        writeln!(out, "  {} {}", given.method, on_one_line(&given.url))?;
        match &given.answer.outcome {
            Ok(response) => writeln!(
                out,
                "    {}, {}: {}",
                response.status,
                counted(response.body.len(), "byte"),
                beginning(&response.body)
            )?,
            Err(fault) => {
                let after = fault.after_bytes.map(|bytes| format!(", after {bytes} bytes"));
                writeln!(out, "    fault: {}{}", fault.kind.name(), after.unwrap_or_default())?;
            }
        }
    }
    and_more(answers.len(), MOST_EXCHANGES, "answer", out)?;
    let asked = |expected: &Option<crate::case::Expected>| match expected {
        Some(expected) => expected.requests().to_vec(),
        None => Vec::new(),
    };
    let (before, now) = (asked(&waiting.case.expected), asked(&waiting.came));
    requests("asked for now", &now, out)?;
    match waiting.case.expected.is_some() && before != now {
        true => requests("asked for before", &before, out),
        false => Ok(()),
    }
}

fn requests(when: &str, requests: &[Json], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{when}: {}", counted(requests.len(), "request"))?;
    for request in requests.iter().take(MOST_EXCHANGES) {
        let Json::Object(fields) = request else { continue };
        let text = |of: &str| fields.iter().find(|(name, _)| name == of).map(|(_, value)| value);
        let plain = |json: Option<&Json>| match json {
            Some(Json::Text(text)) => on_one_line(text),
            json => json.map(|json| json.swept().to_string()).unwrap_or_default(),
        };
        writeln!(out, "  {} {}", plain(text("method")), plain(text("url")))?;
        for (name, value) in fields.iter().filter(|(name, _)| name != "method" && name != "url") {
            let value = short(&value.swept().to_string(), MOST_CHARACTERS);
            writeln!(out, "    {}: {value}", on_one_line(name))?;
        }
    }
    and_more(requests.len(), MOST_EXCHANGES, "request", out)
}

/// The beginning of a body, as JSON writes a text.
fn beginning(body: &[u8]) -> String {
    match std::str::from_utf8(body) {
        Ok(text) => Json::Text(short(&sweep(text), MOST_CHARACTERS)).to_string(),
        Err(_) => "no text".to_owned(),
    }
}

/// The first lines of a text, each of them short.
fn bounded(text: &str, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in text.lines().take(MOST_LINES) {
        writeln!(out, "{indent}{}", short(line, MOST_CHARACTERS))?;
    }
    and_more(text.lines().count(), MOST_LINES, "line", out)
}

fn and_more(all: usize, most: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    match all.checked_sub(most) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "  … and {} more", counted(more, what)),
    }
}

/// Names and values may hold line breaks, and must not look like lines of ours.
fn on_one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}
