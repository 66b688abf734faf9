//! [`Erased`]: a [`Command`] of any type behind one object-safe trait.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use clap::{Args as _, FromArgMatches as _};
use serde_json::value::{RawValue, to_raw_value};

use crate::{Command, Context, ErrorCode, Failure, Spec, json, out};

/// What the terminal sees of a command.
#[async_trait]
pub(crate) trait Erased: Send + Sync {
    fn spec(&self) -> &Arc<Spec>;

    /// A clap command of its own: for help.
    fn parser(&self) -> clap::Command;

    /// Parses the words after the path.
    fn parse(&self, words: &[String]) -> Result<Box<dyn Parsed>, clap::Error>;
}

/// Arguments that were parsed, with the command they are for.
#[async_trait]
pub(crate) trait Parsed: Send + Sync {
    /// The typed arguments as JSON, fields in declaration order.
    fn args(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// Runs the command; the output is the text of a JSON object.
    async fn run(self: Box<Self>, door: &Context) -> Result<String, Failure>;
}

pub(crate) struct Typed<C: Command> {
    spec: Arc<Spec>,
    /// Built once: parsing on a built command costs two thirds of parsing on a fresh one.
    parser: Mutex<clap::Command>,
    command: std::marker::PhantomData<fn() -> C>,
}

impl<C: Command> Typed<C> {
    pub(crate) fn new() -> Self {
        let mut spec = C::spec();
        let mut parser = parser::<C>(&spec);
        if out::is_used_by(&parser) {
            spec.capabilities = spec.capabilities.write_files().high_risk();
        }
        parser.build();
        Self { spec: Arc::new(spec), parser: Mutex::new(parser), command: std::marker::PhantomData }
    }
}

#[async_trait]
impl<C: Command> Erased for Typed<C> {
    fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    fn parser(&self) -> clap::Command {
        parser::<C>(&self.spec)
    }

    fn parse(&self, words: &[String]) -> Result<Box<dyn Parsed>, clap::Error> {
        let mut parser = self.parser.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = parser.try_get_matches_from_mut(words)?;
        let args = C::Args::from_arg_matches(&matches)?;
        Ok(Box::new(TypedParsed { command: C::default(), args }))
    }
}

fn parser<C: Command>(spec: &Spec) -> clap::Command {
    let parser = clap::Command::new(spec.path)
        .no_binary_name(true)
        .bin_name(spec.path)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        // Never wrapped, whatever features a host's tree switches on for clap.
        .term_width(0);
    let long_about = match spec.long_help {
        "" => spec.summary.to_owned(),
        text => format!("{}\n\n{text}", spec.summary),
    };
    // Set last: `augment_args` takes the doc comment of the arguments for the command's.
    let help = clap::Arg::new("help")
        .short('h')
        .long("help")
        .action(clap::ArgAction::HelpLong)
        .help("Say all this");
    C::Args::augment_args(parser).arg(help).about(spec.summary).long_about(long_about)
}

struct TypedParsed<C: Command> {
    command: C,
    args: C::Args,
}

#[async_trait]
impl<C: Command> Parsed for TypedParsed<C> {
    fn args(&self) -> Result<Box<RawValue>, serde_json::Error> {
        to_raw_value(&self.args)
    }

    async fn run(self: Box<Self>, door: &Context) -> Result<String, Failure> {
        let output = self.command.run(self.args, door).await?;
        let json = serde_json::to_string(&output).unwrap_or_default();
        let bug =
            |what| Err(Failure::new(ErrorCode::INTERNAL, format!("{what}: a bug in the command")));
        if !json.starts_with('{') {
            return bug("the command's result is no JSON object");
        }
        if json::depth(&json) > json::DEEPEST {
            return bug("the command's result is nested more than 100 deep");
        }
        Ok(json)
    }
}
