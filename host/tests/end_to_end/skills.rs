//! The skills of this repository, `skills/<name>/SKILL.md`: what they tell an agent to do works,
//! and prints what they show. A new skill is held to it by being there.
//!
//! An example is two fenced blocks, one after the other: the tool's input under the words
//! `json terminal_exec`, and under `text stdout` all that is printed.

use std::{fmt::Debug, fs, path::Path};

use serde::Deserialize;

use crate::{agent::put_sample, scratch::workspace_root, world::World};

/// Every key a skill's frontmatter may have; the first two it must.
const KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1024;

#[test]
fn every_skill_does_what_it_says() {
    let folder = workspace_root().join("skills");
    let world = World::new();
    put_sample(&world.root());
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no skills");
    let findings: Vec<_> = names
        .iter()
        .flat_map(|name| {
            let findings = check(name, &folder.join(name).join("SKILL.md"), &world);
            findings.into_iter().map(move |finding| format!("skills/{name}: {finding}"))
        })
        .collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

fn check(name: &str, file: &Path, world: &World) -> Vec<String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return vec![format!("SKILL.md: {error}")],
    };
    let mut findings = frontmatter(name, &text);
    match examples(&text) {
        Ok(examples) if examples.is_empty() => findings.push("no example".to_owned()),
        Ok(examples) => findings.extend(examples.iter().filter_map(|example| {
            let envelope = world.exec(&example.command);
            let as_shown = envelope["exit_code"] == 0 && envelope["stdout"] == *example.stdout;
            (!as_shown).then(|| {
                format!("`{}` should print\n{}\n{envelope:#}", example.command, example.stdout)
            })
        })),
        Err(finding) => findings.push(finding),
    }
    findings
}

/// What is wrong with the head of a skill. It is YAML; only its plainest form is taken, one line a
/// value, so that every reader sees the same in it.
fn frontmatter(folder: &str, text: &str) -> Vec<String> {
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((head, _)) = head else {
        return vec!["no frontmatter between two lines `---`".to_owned()];
    };
    let mut findings = Vec::new();
    let mut seen = Vec::new();
    for line in head.lines().filter(|line| !line.starts_with(' ')) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        if !KEYS.contains(&key) || seen.contains(&key) {
            findings.push(format!("the key `{key}` is unknown or there twice"));
        }
        seen.push(key);
        let is_plain = |text: &str| {
            !text.contains(": ")
                && !text.contains(" #")
                && !text.ends_with(':')
                && text.starts_with(|first: char| first.is_alphanumeric())
        };
        let chars = value.chars().count();
        let holds = match key {
            "name" => value == folder && is_name(value),
            "description" => (1..=MAX_DESCRIPTION_CHARS).contains(&chars) && is_plain(value),
            _ => value.is_empty() || is_plain(value),
        };
        if !holds {
            findings.push(format!("not a good {key}: `{value}`"));
        }
    }
    let missing = KEYS.iter().take(2).filter(|key| !seen.contains(key));
    findings.extend(missing.map(|key| format!("no {key}")));
    findings
}

/// Lower-case words of letters and digits, single hyphens between them.
fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    name.len() <= MAX_NAME_CHARS && name.split('-').all(is_word)
}

/// A call of the tool and what it prints.
#[derive(Debug, PartialEq)]
pub(crate) struct Example {
    pub(crate) command: String,
    pub(crate) stdout: String,
}

/// The part of the tool's input that examples use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    command: String,
}

pub(crate) fn examples(text: &str) -> Result<Vec<Example>, String> {
    let mut examples = Vec::new();
    let mut blocks = blocks(text).into_iter();
    while let Some((words, body)) = blocks.next() {
        match words {
            "json terminal_exec" => {
                let input: Input = serde_json::from_str(&body)
                    .map_err(|error| format!("no input of the tool, {error}: {body}"))?;
                let Some(("text stdout", stdout)) = blocks.next() else {
                    return Err(format!("no `text stdout` comes after {body}"));
                };
                examples.push(Example { command: input.command, stdout });
            }
            "text stdout" => return Err(format!("printed by nothing: {body}")),
            _ => {}
        }
    }
    Ok(examples)
}

/// The fenced blocks: the words after the opening fence, and the lines inside.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("```") {
            let body = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((words.trim(), body.map(|line| format!("{line}\n")).collect()));
        }
    }
    blocks
}

#[test]
fn sees_what_is_wrong_with_a_head() {
    #[track_caller]
    fn check(head: &str, findings: impl Debug) {
        let found = frontmatter("a-b", &format!("---\n{head}\n---\n# A\n"));
        assert_eq!(format!("{found:?}"), format!("{findings:?}"));
    }
    let none: [&str; 0] = [];
    check("name: a-b\ndescription: Does it.\nmetadata:\n  author: x", none);
    check("name: a-b", ["no description"]);
    check("description: Does it.", ["no name"]);
    check("name: b\ndescription: Does it.", ["not a good name: `b`"]);
    check("name: a-b\ndescription: Does: it.", ["not a good description: `Does: it.`"]);
    check("name: a-b\ndescription: Does #it.", ["not a good description: `Does #it.`"]);
    check("name: a-b\ndescription: >", ["not a good description: `>`"]);
    check(
        "name: a-b\ndescription: Does it.\nversion: 1",
        ["the key `version` is unknown or there twice"],
    );
    let long = "x".repeat(1025);
    check(
        &format!("name: a-b\ndescription: {long}"),
        [format!("not a good description: `{long}`")],
    );
    assert_eq!(frontmatter("a", "# A\n"), ["no frontmatter between two lines `---`"]);
    for (name, holds) in [
        ("a", true),
        ("hello-world2", true),
        ("", false),
        ("-a", false),
        ("a-", false),
        ("a--b", false),
        ("Hello", false),
        ("a_b", false),
        (&"x".repeat(64), true),
        (&"x".repeat(65), false),
    ] {
        assert_eq!(is_name(name), holds, "{name}");
    }
}

#[test]
fn finds_the_examples() {
    let call = "```json terminal_exec\n{\"command\": \"a b\"}\n```\n";
    let printed = "```text stdout\n1\n\n2\n```\n";
    let found = examples(&format!("# A\n```text\nx\n```\n{call}\nprints\n\n{printed}"));
    let expected = Example { command: "a b".to_owned(), stdout: "1\n\n2\n".to_owned() };
    assert_eq!(found, Ok(vec![expected]));

    assert!(examples(call).unwrap_err().starts_with("no `text stdout` comes after"));
    assert!(examples(&call.repeat(2)).unwrap_err().starts_with("no `text stdout` comes after"));
    assert_eq!(examples(printed), Err("printed by nothing: 1\n\n2\n".to_owned()));
    let other = call.replace("command", "line") + printed;
    assert!(examples(&other).unwrap_err().starts_with("no input of the tool, unknown field"));
}
