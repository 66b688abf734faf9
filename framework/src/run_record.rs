//! What a run leaves in the log, its intent and its record, without secrets.

use std::{sync::atomic::Ordering, time::Duration};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    Envelope,
    audit::{BlobRef, End, Event, Intent, Kept, Record, Sink, SinkError, Tape},
    door::{Recorder, RunState, lock, sha256_hex},
    json::{self, Object},
    line,
    scrub::{Scrubber, secret_in},
};

/// Writes down that the run is about to have effects.
pub(crate) fn write_intent(run: &RunState, scrubber: &Scrubber) -> Result<(), SinkError> {
    // No longer than the run may last.
    let within = run.deadline.remaining().and_then(|left| run.seams.sink.within(left));
    let sink = within.as_deref().unwrap_or(&*run.seams.sink);
    let keep = |json: Box<RawValue>| kept(sink, json);
    let intent = Intent {
        v: Record::VERSION,
        run_id: run.run_id.clone(),
        timestamp: timestamp(run.clock.started_ms()),
        command: keep(command_line(run, scrubber))?,
        parsed_command: keep(parsed_command(run, scrubber))?,
        labels: keep(scrubbed(scrubber, &run.labels))?,
        timeout_ms: run.timeout_ms,
        capabilities: run.capabilities.names(),
        host: run.seams.host.clone(),
        framework: env!("CARGO_PKG_VERSION").to_owned(),
        specs: run.seams.registry.specs_sha256().to_owned(),
    };
    sink.begin(&intent)
}

/// Writes down the run, with all that came in.
pub(crate) fn append(run: &RunState, envelope: &Envelope, end: End) -> Result<(), SinkError> {
    let scrubber = &mut *lock(&run.scrubber);
    let waited = run.log_is_busy.load(Ordering::SeqCst);
    let within = waited.then_some(Duration::ZERO).and_then(|none| run.seams.sink.within(none));
    let sink = within.as_deref().unwrap_or(&*run.seams.sink);
    let keep = |json: Box<RawValue>| kept(sink, json);
    let recorder = run.take_recorder();
    sweep(run, envelope, &recorder, scrubber);
    let tape = match recorder.is_on() {
        true => Some(tape(run, sink, recorder, end, scrubber)?),
        false => None,
    };
    let scrubber = &*scrubber;
    let mut record = Record {
        v: Record::VERSION,
        seq: 0,
        run_id: run.run_id.clone(),
        timestamp: timestamp(run.clock.started_ms()),
        command: keep(command_line(run, scrubber))?,
        parsed_command: keep(parsed_command(run, scrubber))?,
        labels: keep(scrubbed(scrubber, &run.labels))?,
        stdin: keep(scrubbed(scrubber, &run.stdin))?,
        timeout_ms: run.timeout_ms,
        capabilities: run.capabilities.names(),
        exit_code: envelope.exit_code,
        error_code: envelope.error_code.clone(),
        error_message: keep(scrubbed(scrubber, &envelope.error_message))?,
        hint: keep(scrubbed(scrubber, &envelope.hint))?,
        truncated: keep(json_of(&envelope.truncated))?,
        duration_ms: envelope.duration_ms,
        artifacts: keep(scrubbed_ours(scrubber, &envelope.artifacts))?,
        stdout: keep(scrubbed(scrubber, &envelope.stdout))?,
        stderr: keep(scrubbed(scrubber, &envelope.stderr))?,
        result: kept_result(run, sink, scrubbed_json(scrubber, &envelope.result))?,
        tape: keep(json_of(&tape))?,
        host: run.seams.host.clone(),
        framework: env!("CARGO_PKG_VERSION").to_owned(),
        specs: run.seams.registry.specs_sha256().to_owned(),
        prev: String::new(),
    };
    sink.append(&mut record)
}

/// Learns what looks like a secret in what is about to be written, until nothing in it does: what is
/// learned late may leave a part of another secret behind in what was looked at before.
fn sweep(run: &RunState, envelope: &Envelope, recorder: &Recorder, scrubber: &mut Scrubber) {
    loop {
        let learned = scrubber.learned();
        // Where nothing was learned at all, what was given is as it was looked at before the run.
        if !scrubber.is_empty() {
            let line = scrubber.command_line(&run.command);
            let mut learn = |text: &str| drop(scrubber.swept(text));
            learn(&line);
            for (name, value) in &run.labels {
                learn(name);
                learn(value);
            }
            if let Some(parsed) = &run.parsed {
                json::each_text(parsed.json.get(), &mut learn);
            }
            run.seams.setup.each_text(&mut learn);
        }
        let mut learn = |text: &str| drop(scrubber.swept(text));
        run.stdin.iter().for_each(|stdin| learn(stdin));
        for event in &recorder.events {
            texts_of_event(event, &mut learn);
        }
        let Envelope { stdout, stderr, error_message, hint, .. } = envelope;
        [Some(stdout), Some(stderr), error_message.as_ref(), hint.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|text| learn(text));
        for artifact in &envelope.artifacts {
            learn(&artifact.path);
            learn(&artifact.description);
        }
        json::each_text(envelope.result.get(), &mut learn);
        if scrubber.learned() == learned {
            return;
        }
    }
}

/// What of an event may hold a secret: no digest of ours, and no validator of a server's.
fn texts_of_event(event: &Event, each: &mut dyn FnMut(&str)) {
    const VALIDATORS: [&str; 4] = ["etag", "last-modified", "if-none-match", "if-modified-since"];

    let Some(http) = &event.http else {
        return json::each_text(json_of(event).get(), each);
    };
    let answered = http.response.as_ref();
    each(&http.request.method);
    each(&http.request.url);
    let answer_headers = answered.map(|response| &*response.headers).unwrap_or_default();
    for (name, value) in http.request.headers.iter().chain(answer_headers) {
        if !VALIDATORS.iter().any(|validator| name.eq_ignore_ascii_case(validator)) {
            each(name);
            each(value);
        }
    }
    let bodies = [http.request.body.as_ref(), answered.map(|response| &response.body)];
    bodies.into_iter().flatten().filter_map(|body| body.text.as_ref()).for_each(|text| each(text));
}

/// The tape in its final form, its blobs kept.
fn tape(
    run: &RunState,
    sink: &dyn Sink,
    recorder: Recorder,
    end: End,
    scrubber: &mut Scrubber,
) -> Result<Tape, SinkError> {
    let Recorder { events, blobs, mut why, .. } = recorder;
    for (sha256, bytes) in &blobs {
        // A body or file that holds a secret is not kept; the run cannot be run again from this.
        let holds = match scrubber.contains_secret(bytes) {
            true => Some("a body or file holds a secret of this run".to_owned()),
            false => secret_in(bytes)
                .map(|shape| format!("a body or file holds what looks like a secret: {shape}")),
        };
        match holds {
            Some(holds) => drop(why.get_or_insert(holds)),
            None => sink.blob(sha256, bytes)?,
        }
    }
    let events = match scrubber.is_empty() {
        true => events,
        false => match serde_json::from_str(scrubbed_ours(scrubber, &events).get()) {
            Ok(events) => events,
            Err(_) => {
                why.get_or_insert_with(|| {
                    "the events cannot be written without a secret".to_owned()
                });
                Vec::new()
            }
        },
    };
    let setup = run.seams.setup.of_run(scrubber);
    sink.blob(&setup.sha256, setup.json.as_bytes())?;
    if let Some(holds) = setup.why {
        why.get_or_insert_with(|| holds.to_owned());
    }
    // Which place of a line is refused moves with what stands before it.
    if !scrubber.is_empty() {
        let written = scrubber.command_line(&run.command);
        if line::parse(&written).err() != line::parse(&run.command).err() {
            why.get_or_insert_with(|| {
                "the line is refused, and reads otherwise without its secrets".to_owned()
            });
        }
    }
    let stopped = end.timeout.or(end.cancel);
    if stopped.is_some_and(|point| point.before_begin.is_none())
        && !run.begun.load(Ordering::SeqCst)
    {
        why.get_or_insert_with(|| "the run was approved and stopped before it began".to_owned());
    }
    Ok(Tape {
        v: Tape::VERSION,
        clock_start: run.clock.started_ms(),
        seed: run.seed,
        setup: BlobRef { sha256: setup.sha256.clone(), bytes: setup.json.len() as u64 },
        events,
        end,
        complete: why.is_none(),
        why,
    })
}

/// `{path, args}` with the values of secret arguments replaced, short ones too.
fn parsed_command(run: &RunState, scrubber: &Scrubber) -> Box<RawValue> {
    let Some(parsed) = &run.parsed else { return RawValue::NULL.to_owned() };
    let secret = parsed.spec.as_ref().map(|spec| &*spec.audit.secret).unwrap_or_default();
    if secret.is_empty() {
        return scrubbed_json(scrubber, &parsed.json);
    }
    let fields = json::fields(parsed.json.get()).unwrap_or_default();
    let args = fields
        .iter()
        .find(|(name, _)| name == "args")
        .and_then(|(_, args)| json::fields(args.get()).ok());
    let hide = |text: &str| scrubber.command_line(text);
    let show = |text: &str| scrubber.text(text).into_owned();
    // Arguments that did not parse are `null`.
    let Some(args) = args else { return scrubbed_json(scrubber, &parsed.json) };
    let args = args.into_iter().fold(Object::new(), |object, (name, value)| {
        let map: &dyn Fn(&str) -> String =
            if secret.contains(&name.as_str()) { &hide } else { &show };
        object.raw(&name, json::map_texts(value, map).get())
    });
    Object::new().field("path", &parsed.path).raw("args", args.finish().get()).finish()
}

/// Over this a value of a record is a blob.
const INLINE_BYTES: usize = Recorder::INLINE_BYTES;
/// `audit.always` fields stay inline up to this, together.
const ALWAYS_BYTES: usize = 64 << 10;

fn kept(sink: &dyn Sink, json: Box<RawValue>) -> Result<Kept, SinkError> {
    let text = json.get();
    if text.len() <= INLINE_BYTES {
        return Ok(Kept::raw(json));
    }
    let sha256 = sha256_hex(text.as_bytes());
    sink.blob(&sha256, text.as_bytes())?;
    Ok(Kept::inline(&BlobRef { sha256, bytes: text.len() as u64 }))
}

/// As [`kept`], with the fields beside the reference that the spec wants inline.
fn kept_result(run: &RunState, sink: &dyn Sink, json: Box<RawValue>) -> Result<Kept, SinkError> {
    let spec = run.parsed.as_ref().and_then(|parsed| parsed.spec.as_ref());
    let always = spec.map(|spec| &*spec.audit.always).unwrap_or_default();
    if always.is_empty() || json.get().len() <= INLINE_BYTES {
        return kept(sink, json);
    }
    let mut room = ALWAYS_BYTES;
    let mut inline = Object::new();
    for (name, value) in json::fields(json.get()).unwrap_or_default() {
        if always.contains(&name.as_str()) && value.get().len() <= room {
            room -= value.get().len();
            inline = inline.raw(&name, value.get());
        }
    }
    let reference = kept(sink, json)?;
    Ok(Kept::raw(Object::new().all(reference.json()).raw("always", inline.finish().get()).finish()))
}

fn scrubbed(scrubber: &Scrubber, value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    scrubbed_json(scrubber, &json_of(value))
}

fn scrubbed_json(scrubber: &Scrubber, json: &RawValue) -> Box<RawValue> {
    match scrubber.is_empty() {
        true => json.to_owned(),
        false => json::map_texts(json, &|text| scrubber.text(text).into_owned()),
    }
}

/// As [`scrubbed`], for shapes of ours: their numbers and digests are no secrets, though a secret
/// may look like one.
fn scrubbed_ours(scrubber: &Scrubber, value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    let json = json_of(value);
    match scrubber.is_empty() {
        true => json,
        false => json::map_own_texts(&json, &|text| scrubber.text(text).into_owned()),
    }
}

/// The line as it may be written.
fn command_line(run: &RunState, scrubber: &Scrubber) -> Box<RawValue> {
    match scrubber.is_empty() {
        true => json_of(&run.command),
        false => json_of(&scrubber.command_line(&run.command)),
    }
}

fn json_of(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// RFC 3339, UTC, milliseconds.
fn timestamp(at_ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    format!("{at:.3}")
}
