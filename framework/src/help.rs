//! Help in all its forms: made from specs and clap's rendering, recorded like any run.

use serde::Serialize;

use crate::{Example, Registry, erased::Erased};

/// What a form of help answers.
#[derive(Debug)]
pub(crate) struct Help {
    pub(crate) stdout: String,
    pub(crate) fields: HelpFields,
}

/// The fields of `result` after `ok` and `command`.
#[derive(Debug, Serialize)]
pub(crate) struct HelpFields {
    usage: String,
    /// Names below the path, sorted; empty for a command's own help.
    subcommands: Vec<String>,
    flags: Vec<Flag>,
    examples: Vec<Example>,
}

/// One argument of a command.
#[derive(Debug, Serialize)]
struct Flag {
    flag: String,
    value: Option<String>,
    required: bool,
    default: Option<String>,
    help: String,
}

/// Help for a path the router knows; `""` is the whole terminal.
pub(crate) fn help(registry: &Registry, path: &str) -> Help {
    if let Some(command) = registry.command(path) {
        return command_help(command);
    }
    match registry.group(path) {
        Some(group) => {
            let commands: Vec<_> = registry.below(path).collect();
            listing(path, group.summary, group.long_help, &commands)
        }
        None => {
            let top: Vec<_> =
                registry.specs().filter_map(|spec| registry.command(spec.path)).collect();
            listing("", "commands of this terminal", "", &top)
        }
    }
}

fn command_help(command: &dyn Erased) -> Help {
    let spec = command.spec();
    let mut parser = command.parser();
    let usage = parser.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim().to_owned();
    let rendered = parser.render_long_help().to_string();
    let mut stdout: String =
        rendered.trim_end().lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
    if spec.stdin_by_dash {
        stdout.push_str("\nReads stdin where a file is named `-`.\n");
    } else if spec.stdin {
        stdout.push_str("\nReads stdin.\n");
    }
    push_examples(&mut stdout, &spec.examples);
    let capabilities = spec.capabilities.names();
    if !capabilities.is_empty() {
        stdout.push_str(&format!("\nMay touch: {}\n", capabilities.join(", ")));
    }
    let flags = parser
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .map(flag)
        .collect();
    Help {
        stdout,
        fields: HelpFields {
            usage,
            subcommands: Vec::new(),
            flags,
            examples: spec.examples.clone(),
        },
    }
}

fn flag(argument: &clap::Arg) -> Flag {
    let takes_value = argument.get_action().takes_values();
    let names = argument.get_value_names().unwrap_or_default();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    Flag {
        flag: match argument.get_long() {
            Some(long) => format!("--{long}"),
            None => argument.get_id().to_string(),
        },
        value: takes_value
            .then(|| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ")),
        required: argument.is_required_set(),
        default: (takes_value && !defaults.is_empty()).then(|| defaults.join(" ")),
        help: argument.get_help().map(ToString::to_string).unwrap_or_default(),
    }
}

fn listing(path: &str, summary: &str, long_help: &str, commands: &[&dyn Erased]) -> Help {
    let prefix = if path.is_empty() { String::new() } else { format!("{path} ") };
    let usage = format!("{prefix}<COMMAND> [ARGUMENTS]");
    let mut stdout = format!("{summary}\n");
    if !long_help.is_empty() {
        stdout.push_str(&format!("\n{}\n", long_help.trim_end()));
    }
    stdout.push_str(&format!("\nUsage: {usage}\n\nCommands:\n"));
    let width = commands.iter().map(|command| command.spec().path.len()).max().unwrap_or(0);
    for command in commands {
        let spec = command.spec();
        stdout.push_str(&format!("  {:width$}  {}\n", spec.path, spec.summary));
    }
    // One line for each command of the whole terminal, all lines of one group.
    let examples: Vec<Example> = commands
        .iter()
        .flat_map(|command| {
            let most = if path.is_empty() { 1 } else { usize::MAX };
            command.spec().examples.iter().take(most).copied()
        })
        .collect();
    push_examples(&mut stdout, &examples);
    stdout.push_str(&format!("\n`help {prefix}COMMAND` says more of one.\n"));
    Help {
        stdout,
        fields: HelpFields {
            usage,
            subcommands: commands
                .iter()
                .map(|command| command.spec().path.trim_start_matches(&prefix).to_owned())
                .collect(),
            flags: Vec::new(),
            examples,
        },
    }
}

fn push_examples(stdout: &mut String, examples: &[Example]) {
    if examples.is_empty() {
        return;
    }
    stdout.push_str("\nExamples:\n");
    for example in examples {
        stdout.push_str(&format!("  {}\n      {}\n", example.command, example.shows));
    }
}
