//! The first steps of a run, before it is polled: line, route, arguments.
//!
//! All of it computes only; what goes wrong is kept for the run to answer with.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde_json::value::RawValue;

use crate::{
    Capabilities, Clock, ErrorCode, Failure, Ids, Limits, Request, RunClock, Spec, SystemClock,
    SystemIds, arguments,
    door::{Parsed, RunParts, RunState},
    erased,
    help::help,
    json, line,
    registry::{ParsedCommand, Registry},
    route::{Route, route},
    run::Work,
    scrub::Scrubber,
    terminal::Seams,
};

const LONGEST_TIMEOUT_MS: u64 = 600_000;

/// Understands a request; the failure, if any, is what the run answers.
pub(crate) fn prepare(seams: Arc<Seams>, request: Request) -> (RunState, Result<Work, Failure>) {
    let (begun, of_host) = Beginning::of(&seams);
    let mut scrubber = seams.setup.scrubber();
    // A parser of a command's own may panic; the host lives.
    let understood = catch_unwind(AssertUnwindSafe(|| {
        understand(&seams.registry, &request.command, &mut scrubber)
    }));
    let Understood { parsed, work } = understood.unwrap_or_else(|_| Understood {
        parsed: None,
        work: Err(Failure::new(ErrorCode::INTERNAL, "reading the line panicked: a bug")),
    });
    let spec = parsed.as_ref().and_then(|parsed| parsed.spec.as_deref());
    let capabilities = spec.map_or_else(Capabilities::none, |spec| spec.capabilities.clone());
    let limits = match spec {
        Some(spec) => seams.limits.least(&spec.limits),
        None => seams.limits.clone(),
    };
    learn_by_shape(&request.command, parsed.as_ref(), &mut scrubber);
    for (name, value) in &request.labels {
        scrubber.swept(name);
        scrubber.swept(value);
    }
    let stdin = request.stdin.filter(|text| !text.is_empty());
    let work = of_host.and(work);
    let work = work.and_then(|work| {
        check_stdin(stdin.as_deref(), spec, &request.command, &limits).map(|()| work)
    });
    let timeout_ms = request
        .timeout_ms
        .unwrap_or(seams.default_timeout_ms)
        .clamp(1, LONGEST_TIMEOUT_MS)
        .min(limits.duration_ms)
        .max(1);
    let state = RunState::new(RunParts {
        seams,
        run_id: begun.run_id,
        seed: begun.seed,
        clock: begun.clock,
        has_deadline: begun.has_deadline,
        command: request.command,
        stdin,
        labels: request.labels,
        parsed,
        capabilities,
        limits,
        timeout_ms,
        scrubber,
    });
    (state, work)
}

/// What a run has from the host before its line is looked at.
struct Beginning {
    clock: Box<dyn RunClock>,
    /// It goes by real time.
    has_deadline: bool,
    run_id: String,
    seed: u64,
}

impl Beginning {
    /// A clock or source of ids of the host's own may panic: the run then has the system's, so that
    /// it can be answered and recorded, and fails.
    fn of(seams: &Seams) -> (Self, Result<(), Failure>) {
        let begun = catch_unwind(AssertUnwindSafe(|| Self::with(&*seams.clock, &*seams.ids)));
        match begun {
            Ok(begun) => (begun, Ok(())),
            Err(_) => {
                let failure = Failure::new(
                    ErrorCode::INTERNAL,
                    "the host's clock or source of ids panicked: a bug in the host",
                );
                (Self::with(&SystemClock, &SystemIds), Err(failure))
            }
        }
    }

    fn with(clock: &dyn Clock, ids: &dyn Ids) -> Self {
        let clock = clock.start();
        Self {
            has_deadline: clock.script().is_none(),
            run_id: ids.run_id(clock.started_ms()),
            seed: ids.seed(),
            clock,
        }
    }
}

struct Understood {
    parsed: Option<Parsed>,
    work: Result<Work, Failure>,
}

impl Understood {
    fn failed(failure: Failure) -> Self {
        Self { parsed: None, work: Err(failure) }
    }

    fn help(registry: &Registry, path: &str) -> Self {
        let args = json::Object::new().field("path", path).finish();
        Self {
            parsed: Some(Parsed {
                path: Registry::HELP.to_owned(),
                spec: None,
                json: parsed_json(Registry::HELP, &args),
            }),
            work: Ok(Work::Help(help(registry, path))),
        }
    }
}

fn understand(registry: &Registry, command: &str, scrubber: &mut Scrubber) -> Understood {
    let words = match line::parse(command) {
        Ok(words) => words,
        Err(error) => {
            let words: Vec<_> =
                line::loose_words(command).into_iter().map(|word| word.text).collect();
            learn_from_urls(&words, scrubber);
            learn_from_refused(registry, &words, scrubber);
            let failure = Failure::new(ErrorCode::INVALID_COMMAND_LINE, error.message);
            let failure = match error.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            };
            return Understood::failed(failure.detail("column", error.column));
        }
    };
    learn_from_urls(&words, scrubber);
    match route(registry, &words) {
        Err(failure) => {
            learn_from_refused(registry, &words, scrubber);
            Understood::failed(failure)
        }
        Ok(Route::Help { path }) => Understood::help(registry, &path),
        Ok(Route::Command { path, rest }) => match registry.command(path) {
            Some(command) => arguments_of(registry, command, rest, scrubber),
            None => {
                Understood::failed(Failure::new(ErrorCode::INTERNAL, "the route leads nowhere"))
            }
        },
    }
}

fn arguments_of(
    registry: &Registry,
    command: &dyn erased::Erased,
    rest: &[String],
    scrubber: &mut Scrubber,
) -> Understood {
    let spec = command.spec();
    learn_from_words(&long_flags(spec), rest, scrubber);
    match command.parse(rest) {
        Ok(parsed) => match parsed.args() {
            Ok(args) => {
                learn_from_args(spec, &args, scrubber);
                if json::depth(args.get()) > json::DEEPEST {
                    return Understood::failed(Failure::new(
                        ErrorCode::INVALID_ARGS,
                        "the arguments are nested more than 100 deep",
                    ));
                }
                let json = parsed_json(spec.path, &args);
                Understood {
                    parsed: Some(Parsed {
                        path: spec.path.to_owned(),
                        spec: Some(spec.clone()),
                        json,
                    }),
                    work: Ok(Work::Command(parsed)),
                }
            }
            Err(_) => Understood::failed(Failure::new(
                ErrorCode::INTERNAL,
                "the arguments cannot be written as JSON: a bug in the command",
            )),
        },
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
            Understood::help(registry, spec.path)
        }
        Err(error) => {
            learn_from_refused(registry, rest, scrubber);
            Understood {
                parsed: Some(Parsed {
                    path: spec.path.to_owned(),
                    spec: Some(spec.clone()),
                    json: parsed_json(spec.path, RawValue::NULL),
                }),
                work: Err(arguments::failure(spec.path, &error)),
            }
        }
    }
}

fn parsed_json(path: &str, args: &RawValue) -> Box<RawValue> {
    serde_json::value::to_raw_value(&ParsedCommand { path, args })
        .unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// What looks like a secret in a line: the intent is written before the run.
fn learn_by_shape(line: &str, parsed: Option<&Parsed>, scrubber: &mut Scrubber) {
    let words: Vec<_> = line::some_words(line).into_iter().map(|word| word.text).collect();
    scrubber.words_that_say_so(&words);
    // Quotes may part a secret, the first piece of which must not be taken for all of it; other words
    // stand in the line as they are.
    if line.contains(['"', '\'']) {
        words.iter().for_each(|word| drop(scrubber.swept(word)));
    }
    scrubber.swept(line);
    if let Some(parsed) = parsed {
        json::each_text(parsed.json.get(), &mut |text| {
            scrubber.argument_of_setup(text);
            scrubber.swept(text);
        });
    }
}

/// Learns from a line that is written down and not run: an example of a rule.
pub(crate) fn learn_from_line(registry: &Registry, line: &str, scrubber: &mut Scrubber) {
    // A parser of a command's own may panic.
    let understood = catch_unwind(AssertUnwindSafe(|| understand(registry, line, scrubber)));
    let parsed = understood.ok().and_then(|understood| understood.parsed);
    learn_by_shape(line, parsed.as_ref(), scrubber);
}

/// A URL that is refused stands in the record all the same.
fn learn_from_urls(words: &[String], scrubber: &mut Scrubber) {
    for word in words.iter().filter(|word| word.contains("://") || word.contains('?')) {
        scrubber.word_with_url(word);
    }
}

/// Secret arguments as they stand on the line, by their flags.
fn learn_from_words(flags: &[String], words: &[String], scrubber: &mut Scrubber) {
    for (index, word) in words.iter().enumerate() {
        for flag in flags {
            let Some(value) = word.strip_prefix(flag.as_str()) else { continue };
            if value.is_empty() {
                if let Some(value) = words.get(index + 1) {
                    scrubber.argument(value);
                }
            } else if let Some(value) = value.strip_prefix('=') {
                scrubber.argument(value);
            } else if !flag.starts_with("--") {
                scrubber.argument(value);
            }
        }
    }
}

/// A line that leads nowhere stands in the record all the same: whichever command was meant, what is
/// behind a flag for secrets is one.
fn learn_from_refused(registry: &Registry, words: &[String], scrubber: &mut Scrubber) {
    let commands = registry.specs().filter(|spec| !spec.audit.secret.is_empty());
    for command in commands.filter_map(|spec| registry.command(spec.path)) {
        let spec = command.spec();
        let mut flags = long_flags(spec);
        flags.extend(
            command
                .parser()
                .get_arguments()
                .filter(|argument| spec.audit.secret.contains(&argument.get_id().as_str()))
                .filter_map(|argument| argument.get_short().map(|short| format!("-{short}"))),
        );
        learn_from_words(&flags, words, scrubber);
    }
}

fn long_flags(spec: &Spec) -> Vec<String> {
    spec.audit.secret.iter().map(|name| format!("--{}", name.replace('_', "-"))).collect()
}

/// Secret arguments by name, positional ones included.
fn learn_from_args(spec: &Spec, args: &RawValue, scrubber: &mut Scrubber) {
    if spec.audit.secret.is_empty() {
        return;
    }
    for (name, value) in json::fields(args.get()).unwrap_or_default() {
        if !spec.audit.secret.contains(&name.as_str()) {
            continue;
        }
        if let Ok(text) = serde_json::from_str::<String>(value.get()) {
            scrubber.argument(&text);
        } else if let Ok(texts) = serde_json::from_str::<Vec<String>>(value.get()) {
            texts.iter().for_each(|text| scrubber.argument(text));
        }
    }
}

fn check_stdin(
    stdin: Option<&str>,
    spec: Option<&Spec>,
    line: &str,
    limits: &Limits,
) -> Result<(), Failure> {
    let Some(text) = stdin else { return Ok(()) };
    if let Some(spec) = spec.filter(|spec| spec.stdin && !spec.wants_stdin(line)) {
        let message = format!("`{}` takes stdin only where a file is named `-`", spec.path);
        return Err(Failure::new(ErrorCode::INVALID_ARGS, message)
            .hint("name the file `-`, or leave stdin out"));
    }
    if !spec.is_some_and(|spec| spec.stdin) {
        let path = spec.map_or(Registry::HELP, |spec| spec.path);
        return Err(Failure::new(ErrorCode::INVALID_ARGS, format!("`{path}` takes no stdin"))
            .hint("leave stdin out"));
    }
    let max = limits.stdin_bytes;
    match text.len() as u64 {
        length if length <= max => Ok(()),
        length => Err(Failure::limit_exceeded(
            "stdin",
            max,
            format!("stdin has {length} bytes, more than the {max} allowed"),
        )),
    }
}
