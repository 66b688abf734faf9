//! A terminal for agents with no shell behind it, and every line on tape.
//!
//! A host application embeds a [`Terminal`] and gives its agent one tool, `terminal_exec`: a command
//! line that looks like a CLI, parsed strictly, routed to built-in commands from a whitelist,
//! answered with an [`Envelope`]. Each command declares what it may touch; the host's [`Policy`]
//! decides. Each run is written to an audit log with all that came in, so that it can be run again.
//!
//! ```
//! use tapeline::{Command, Context, Failure, Spec, Terminal, async_trait, clap};
//!
//! #[derive(Default)]
//! struct Greet;
//!
//! #[derive(clap::Args, serde::Serialize)]
//! struct GreetArgs {
//!     /// Whom to greet.
//!     #[arg(long)]
//!     name: String,
//! }
//!
//! #[derive(serde::Serialize)]
//! struct Greeted {
//!     name: String,
//! }
//!
//! #[async_trait]
//! impl Command for Greet {
//!     type Args = GreetArgs;
//!     type Output = Greeted;
//!
//!     fn spec() -> Spec {
//!         Spec::new("greet", "say hello to someone").example("greet --name Ada", "hello, Ada")
//!     }
//!
//!     async fn run(&self, args: GreetArgs, door: &Context) -> Result<Greeted, Failure> {
//!         door.stdout().line(&format!("hello, {}", args.name));
//!         Ok(Greeted { name: args.name })
//!     }
//! }
//!
//! tapeline::inventory::submit! { tapeline::registration::<Greet>() }
//!
//! # fn main() -> Result<(), tapeline::BuildError> {
//! let terminal = Terminal::builder().in_memory().build()?;
//! let envelope = terminal.exec_blocking("greet --name Ada");
//! assert_eq!(envelope.exit_code, 0);
//! assert_eq!(envelope.result.get(), r#"{"ok":true,"command":"greet","name":"Ada"}"#);
//!
//! let envelope = terminal.exec_blocking("great --name Ada");
//! assert_eq!(envelope.error_code.as_deref(), Some("UnknownCommand"));
//! assert_eq!(envelope.hint.as_deref(), Some("did you mean `greet`? `help` lists the commands"));
//! # Ok(())
//! # }
//! ```

mod terminal;

mod close;
mod prepare;
mod run;
mod run_record;
mod runtime;
mod stop;

mod arguments;
mod help;
pub mod line;
mod route;

mod command;
mod erased;
mod out;
mod registry;
mod spec;

mod approval;
mod capability;
mod limits;
mod policy;

mod clock;
mod door;
pub mod http;
mod ids;
pub mod workspace;

mod envelope;
mod error;
mod events;
mod output;

pub mod audit;
pub mod scrub;
mod setup;

mod hex;
pub mod json;

pub use async_trait::async_trait;
pub use clap;
pub use inventory;

pub use self::{
    approval::{ApprovalAnswer, ApprovalRequest, Approver},
    capability::{Capabilities, NetworkScope},
    clock::{Clock, RunClock, Script, StopAt, SystemClock},
    command::Command,
    door::{Context, FileReader, FileWriter, Files, Lock, Network, Printer, RunTime, Written},
    envelope::{Artifact, Envelope, Truncation},
    error::{ErrorCode, Failure},
    events::{Events, Progress, RunEvent},
    http::{ConnectTo, InvalidConnectTo, NetworkOptions},
    ids::{Ids, SystemIds},
    limits::Limits,
    out::{Out, OutFile, OutPart},
    policy::{Decision, NetworkPolicy, Policy, PolicyError, Rule},
    registry::{Registration, Registry, RegistryBuilder, RegistryError, group, registration},
    run::{Request, Run},
    setup::{NetworkSetup, Setup},
    spec::{AuditRules, Example, Group, Spec},
    stop::Canceller,
    terminal::{BuildError, Terminal, TerminalBuilder},
    workspace::{PathEscape, WorkspacePath},
};
