//! Secrets stay out of everything that is written, whatever the line, and a scrubbed line still parses.
//!
//! The input is text: the secret, the line, and stdin from there on, with `§` where the secret stands.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tapeline::{
    Policy, Request, Terminal,
    audit::{Kept, MemorySink},
    line::{self, MAX_LINE_BYTES},
};
use tapeline_fuzz::{Echo, Yes, registry};

/// Stands for the secret in the input.
const PLACE: char = '§';
/// Shorter ones occur by chance, and are only replaced where they are known to stand.
const SHORTEST: usize = 8;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.splitn(3, '\n');
    let mut part = || parts.next().unwrap_or_default();
    let (secret, template, stdin) = (part(), part(), part());
    // A placeholder within a secret is none of it.
    if secret.len() < SHORTEST || secret.contains(PLACE) || secret.contains("{{secret:") {
        return;
    }
    let template = &template.replace(secret, "§");
    let stdin = &stdin.replace(secret, "§");
    if !is_learned(template, secret) {
        run(template, stdin, secret);
        return;
    }
    let texts = run(template, stdin, secret);
    if let Some(text) = texts.iter().find(|text| text.contains(secret)) {
        // What our own words hold, whatever the secret is, is no leak.
        let other = run(template, stdin, "0ther-S3cret-of-the-s4me-line");
        assert!(other.iter().any(|text| text.contains(secret)), "`{secret}` in {text}");
    }
});

/// Whether the line gives the secret as one: the value of `--token`, in a line that leads to `do`.
fn is_learned(template: &str, secret: &str) -> bool {
    if secret.trim().is_empty() {
        return false;
    }
    let Ok(words) = line::parse(&template.replace(PLACE, secret)) else { return false };
    if words.first().is_none_or(|word| word != "do") {
        return false;
    }
    let before_end = words.iter().take_while(|word| *word != "--");
    let before_end: Vec<_> = before_end.collect();
    before_end
        .windows(2)
        .any(|pair| matches!(pair, [flag, value] if *flag == "--token" && *value == secret))
        || before_end.iter().any(|word| word.strip_prefix("--token=") == Some(secret))
}

/// Everything that is written of a run, as text and as the texts within JSON.
fn run(template: &str, stdin: &str, secret: &str) -> Vec<String> {
    let sink = MemorySink::default();
    let terminal = Terminal::builder()
        .in_memory()
        .registry(registry())
        .policy(Policy::default().allow_declared_network())
        .http(Arc::new(Echo))
        .resolver(Arc::new(Echo))
        .approver(Arc::new(Yes))
        .audit(Arc::new(sink.clone()))
        .host("fuzz", "0")
        .build()
        .expect("the terminal can be built");
    let command = template.replace(PLACE, secret);
    let mut request = Request::new(command.clone()).label("note", stdin.replace(PLACE, secret));
    // Not for every run: a command that takes none fails for it.
    if !stdin.is_empty() {
        request.stdin = Some(stdin.replace(PLACE, secret));
    }
    let envelope = terminal.start(request).wait();
    assert_ne!(envelope.error_code.as_deref(), Some("Internal"), "{envelope:?}");

    let mut texts = Vec::new();
    for bytes in sink.blobs().values() {
        add(&mut texts, &String::from_utf8_lossy(bytes));
    }
    for intent in sink.intents() {
        add(&mut texts, &serde_json::to_string(&intent).expect("an intent is JSON"));
    }
    let [record] = &*sink.records() else { panic!("a run leaves one record") };
    add(&mut texts, &serde_json::to_string(record).expect("a record is JSON"));

    let written: String = serde_json::from_str(&whole(&sink, &record.command)).expect("a text");
    if line::parse(&command).is_ok() && written.len() <= MAX_LINE_BYTES {
        assert!(line::parse(&written).is_ok(), "{command:?} was written as {written:?}");
    }
    texts
}

fn whole(sink: &MemorySink, kept: &Kept) -> String {
    let Some(reference) = kept.blob() else { return kept.json().to_owned() };
    let bytes = sink.blob_bytes(&reference.sha256).expect("the blob was kept");
    String::from_utf8(bytes.to_vec()).expect("JSON is text")
}

/// A text without placeholders, and where it is JSON the texts in it.
fn add(texts: &mut Vec<String>, text: &str) {
    texts.push(without_placeholders(text));
    if let Ok(value) = serde_json::from_str(text) {
        add_values(texts, &value);
    }
}

fn add_values(texts: &mut Vec<String>, value: &Value) {
    match value {
        Value::String(text) => add(texts, text),
        Value::Array(values) => values.iter().for_each(|value| add_values(texts, value)),
        Value::Object(fields) => fields.values().for_each(|value| add_values(texts, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_placeholders(text: &str) -> String {
    let mut pieces = text.split("{{secret:");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once("}}") {
            // Nothing that a secret could hold takes the place, so that it does not join what it parts.
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                plain.push('\0');
                plain.push_str(rest);
            }
            _ => {
                plain.push_str("{{secret:");
                plain.push_str(piece);
            }
        }
    }
    plain
}
