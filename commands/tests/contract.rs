//! What holds for every command, whatever it does. A new command is held to it by being there.

use std::{collections::BTreeSet, fmt::Debug};

use tapeline::{ErrorCode, Registry, Request, Spec};

use crate::world::World;

/// All failures at once, not the first.
#[track_caller]
fn report(failures: &[String]) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn specs(world: &World) -> Vec<Spec> {
    world.terminal.registry().specs().cloned().collect()
}

/// Forms of help for a path: the path's own, and the reserved word's.
fn help_forms(path: &str) -> Vec<String> {
    let mut forms = vec![
        format!("{path} --help"),
        format!("{path} -h"),
        format!("{path} help"),
        format!("help {path}"),
    ];
    if let Some((group, command)) = path.rsplit_once(' ') {
        forms.push(format!("{group} help {command}"));
    }
    forms
}

/// Static libraries have nothing but the list.
#[test]
fn what_registers_itself_is_also_on_the_list() {
    let paths = |registry: &Registry| -> BTreeSet<&str> {
        let groups = registry.groups().map(|group| group.path);
        registry.specs().map(|spec| spec.path).chain(groups).collect()
    };
    let listed = tapeline_commands::registrations();
    let listed = Registry::builder().register_all(listed).build().unwrap();
    let collected = Registry::collected().unwrap();
    let (listed, collected) = (paths(&listed), paths(&collected));
    let differences: Vec<_> = listed.symmetric_difference(&collected).collect();
    assert!(
        differences.is_empty(),
        "registered by `registrations()` or by `inventory::submit!`, not by both: {differences:?}"
    );
}

#[test]
fn every_form_of_help_answers_in_under_200_lines() {
    let world = World::new();
    let registry = world.terminal.registry();
    let groups = registry.groups().map(|group| group.path);
    let paths: Vec<_> = registry.specs().map(|spec| spec.path).chain(groups).collect();
    let mut failures = Vec::new();
    for path in paths {
        for line in help_forms(path) {
            let run = world.exec(&line);
            let mut check = |holds: bool, what: &dyn Debug| {
                if !holds {
                    failures.push(format!("`{line}`: {what:?}"));
                }
            };
            let stdout = &run.envelope.stdout;
            check(run.envelope.exit_code == 0, &run.envelope);
            check(stdout.lines().count() < 200, &stdout.lines().count());
            check(stdout.contains("Usage: "), &"no usage");
            check(stdout.contains("Examples:"), &"no examples");
            check(stdout.lines().all(|line| line.chars().count() <= 110), &"a line is too long");
            check(run.result["command"] == path, &run.result["command"]);
            for flag in run.result["flags"].as_array().unwrap() {
                check(flag["help"] != "", flag);
            }
            check(!run.result["examples"].as_array().unwrap().is_empty(), &run.result);
            check(world.service.asked().is_empty(), &"help asked the network");
        }
    }
    report(&failures);
}

#[test]
fn every_example_parses_routes_and_passes_policy() {
    let mut failures = Vec::new();
    let specs = specs(&World::new());
    for spec in &specs {
        if spec.examples.is_empty() {
            failures.push(format!("`{}` has no example", spec.path));
        }
        for example in &spec.examples {
            // Nobody answers here, so a command that needs the network fails: by its own codes.
            let mut request = Request::new(example.command);
            if spec.stdin_by_dash && example.command.contains(" - ") {
                request = request.stdin("[{\"a\": 1}]");
            }
            let run = World::new().run(request);
            let code = run.envelope.error_code.as_deref();
            let is_common = Spec::COMMON_CODES.iter().any(|common| Some(common.name()) == code);
            if is_common || run.result["command"] != spec.path {
                failures.push(format!("`{}`: {:?}", example.command, run.envelope));
            }
            let line = example.command;
            if !line.starts_with(spec.path) || example.shows.is_empty() {
                failures.push(format!("`{line}` says nothing about `{}`", spec.path));
            }
        }
    }
    report(&failures);
}

#[test]
fn every_spec_is_written_for_readers() {
    let world = World::new();
    let mut failures = Vec::new();
    let groups = world.terminal.registry().groups();
    let texts = groups.map(|group| (group.path, group.summary, group.long_help));
    let specs = specs(&world);
    for (path, summary, long_help) in
        specs.iter().map(|spec| (spec.path, spec.summary, spec.long_help)).chain(texts)
    {
        let is_phrase = summary.starts_with(char::is_lowercase) && !summary.ends_with('.');
        if !is_phrase || summary.len() > 80 || summary.contains('\n') {
            failures.push(format!("`{path}`: the summary is no short phrase: {summary}"));
        }
        if long_help.lines().any(|line| line.chars().count() > 100) {
            failures.push(format!("`{path}`: a line of the long help is over 100 characters"));
        }
    }
    report(&failures);
}

#[test]
fn every_declared_code_is_known_or_the_commands_own() {
    let mut failures = Vec::new();
    for spec in specs(&World::new()) {
        let mut seen = BTreeSet::new();
        for code in &spec.error_codes {
            let is_pascal_case = code.name().starts_with(|first: char| first.is_ascii_uppercase())
                && code.name().chars().all(|character| character.is_ascii_alphanumeric());
            let shared = ErrorCode::SHARED.iter().find(|shared| shared.name() == code.name());
            if !is_pascal_case || shared.is_some_and(|shared| shared != code) {
                failures.push(format!("`{}`: {code} is no code of its own", spec.path));
            }
            if Spec::COMMON_CODES.contains(code) || !seen.insert(*code) {
                failures.push(format!("`{}`: {code} goes without saying", spec.path));
            }
        }
    }
    report(&failures);
}

#[test]
fn every_command_refuses_what_it_does_not_know() {
    let mut failures = Vec::new();
    let world = World::new();
    for spec in specs(&world) {
        let run = world.exec(&format!("{} --no-such-flag", spec.path));
        let message = run.envelope.error_message.as_deref().unwrap_or_default();
        if run.envelope.error_code.as_deref() != Some("InvalidArgs")
            || run.result["error_code"] != "InvalidArgs"
            || run.result["command"] != spec.path
            || !message.contains("--no-such-flag")
        {
            failures.push(format!("`{}`: {:?}", spec.path, run.envelope));
        }
    }
    report(&failures);
}
