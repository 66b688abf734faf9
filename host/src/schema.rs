//! `tapeline schema`: the one tool an agent is given, and the schema of what it answers.

use std::io::{self, Write};

use serde_json::{Value, json};
use tapeline::{Envelope, Registry, clap};

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct Schema {
    /// Whose format the tool is in.
    #[arg(long = "for", value_enum, default_value = "mcp")]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Openai,
    Anthropic,
    Mcp,
}

/// Prints `{tool, envelope}`.
pub(crate) fn schema(schema: &Schema) -> anyhow::Result<u8> {
    let registry = Registry::collected()?;
    let envelope: Value = serde_json::from_str(Envelope::SCHEMA)?;
    let described =
        json!({ "tool": tool(schema.format, &registry, &envelope), "envelope": envelope });
    writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(&described)?)?;
    Ok(0)
}

const NAME: &str = "terminal_exec";

fn tool(format: Format, registry: &Registry, envelope: &Value) -> Value {
    let description = description(registry);
    let parameters = parameters();
    match format {
        Format::Openai => json!({
            "type": "function",
            "function": { "name": NAME, "description": description, "parameters": parameters },
        }),
        Format::Anthropic => {
            json!({ "name": NAME, "description": description, "input_schema": parameters })
        }
        Format::Mcp => json!({
            "name": NAME,
            "title": "Terminal",
            "description": description,
            "inputSchema": parameters,
            "outputSchema": envelope,
        }),
    }
}

fn description(registry: &Registry) -> String {
    let mut text =
        "Runs one command line and answers with an envelope. There is no shell: no pipes, \
                    no redirection, no variables, no other programs. Quote text that holds blanks. \
                    `help` lists the commands, `help COMMAND` explains one.\n\nCommands:\n"
            .to_owned();
    for spec in registry.specs() {
        text.push_str(&format!("- {}: {}\n", spec.path, spec.summary));
    }
    text
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "description": "The command line: one line, at most 8 KiB.",
            },
            "stdin": {
                "type": "string",
                "description": "Text for a command that reads stdin; leave it out otherwise.",
            },
            "timeout_ms": {
                "type": "integer",
                "minimum": 1,
                "maximum": 600_000,
                "description": "Milliseconds the run may take; 30000 unless given.",
            },
        },
        "required": ["command"],
        "additionalProperties": false,
    })
}
