//! [`Command`]: what the author of a command writes.

use async_trait::async_trait;
use serde::Serialize;

use crate::{Context, Failure, Spec};

/// One built-in command: typed arguments in, a typed result out, everything else through the door.
///
/// A command is data ([`Command::spec`]) and a function ([`Command::run`]). Arguments are checked
/// before `run` starts; a rule that clap cannot hold goes into the argument's type
/// (`#[arg(value_parser = …)]`), so that a run never looks at raw strings.
///
/// ```
/// use tapeline::{Command, Context, Failure, Spec, async_trait, clap};
///
/// #[derive(Default)]
/// struct Shout;
///
/// #[derive(clap::Args, serde::Serialize)]
/// struct ShoutArgs {
///     /// What to shout.
///     #[arg(long)]
///     text: String,
/// }
///
/// #[derive(serde::Serialize)]
/// struct Shouted {
///     text: String,
/// }
///
/// #[async_trait]
/// impl Command for Shout {
///     type Args = ShoutArgs;
///     type Output = Shouted;
///
///     fn spec() -> Spec {
///         Spec::new("shout", "say it louder").example("shout --text hi", "HI")
///     }
///
///     async fn run(&self, args: ShoutArgs, door: &Context) -> Result<Shouted, Failure> {
///         let text = args.text.to_uppercase();
///         door.stdout().line(&text);
///         Ok(Shouted { text })
///     }
/// }
///
/// tapeline::inventory::submit! { tapeline::registration::<Shout>() }
///
/// # fn main() -> Result<(), tapeline::BuildError> {
/// let terminal = tapeline::Terminal::builder().in_memory().build()?;
/// let envelope = terminal.exec_blocking("shout --text hi");
/// assert_eq!(envelope.stdout, "HI\n");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Command: Default + Send + Sync + 'static {
    /// Parsed by clap, recorded as `parsed_command.args` in declaration order; arrays and objects
    /// nest at most 100 deep in it, or the line is `InvalidArgs`.
    type Args: clap::Args + Serialize + Send + Sync + 'static;
    /// The fields of `result` after `ok` and `command`; must serialise as an object, and
    /// nests at most 100 deep: who embeds the envelope must still read it. Another one is `Internal`.
    type Output: Serialize + Send + 'static;

    /// What the command says of itself.
    fn spec() -> Spec;

    /// Does the work. Effects go through `door` and nowhere else.
    ///
    /// # Errors
    /// The [`Failure`] that becomes the envelope's `error_code`, of a code the spec lists.
    async fn run(&self, args: Self::Args, door: &Context) -> Result<Self::Output, Failure>;
}
