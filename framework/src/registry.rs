//! [`Registry`]: the whitelist. What is not in it is not run.
//!
//! `inventory` collects registrations in no particular order, so the registry sorts by path and
//! refuses duplicates; a dependency line alone links nothing, so it refuses to be empty.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    Command, Group, Spec,
    erased::{Erased, Typed},
    hex::hex,
};

/// All commands and groups of a terminal, sorted by path.
///
/// ```
/// # #[derive(Default)] struct Hello;
/// # #[derive(tapeline::clap::Args, serde::Serialize)] struct NoArgs {}
/// # use tapeline::clap;
/// # #[tapeline::async_trait] impl tapeline::Command for Hello {
/// #     type Args = NoArgs; type Output = NoArgs;
/// #     fn spec() -> tapeline::Spec { tapeline::Spec::new("hello", "say hello") }
/// #     async fn run(&self, args: NoArgs, _: &tapeline::Context) -> Result<NoArgs, tapeline::Failure> { Ok(args) }
/// # }
/// use tapeline::{Registry, registration};
///
/// // By hand, in a static library that C links; else `inventory::submit!` and `Registry::collected`.
/// let registry = Registry::builder().register(registration::<Hello>()).build()?;
/// assert_eq!(registry.specs().map(|spec| spec.path).collect::<Vec<_>>(), ["hello"]);
/// # Ok::<(), tapeline::RegistryError>(())
/// ```
pub struct Registry {
    commands: BTreeMap<&'static str, Box<dyn Erased>>,
    groups: BTreeMap<&'static str, Group>,
    specs_sha256: String,
}

impl Registry {
    /// The reserved word.
    pub(crate) const HELP: &'static str = "help";

    /// What `inventory::submit!` collected in this binary.
    ///
    /// That is all commands of the crates the host names, where Rust links it: a program, a test, a
    /// shared library. In a static library that another compiler links, as on iOS, it is what the
    /// linker happened to take along: nothing, or worse, some. Register by hand there,
    /// `Registry::builder().register_all(tapeline_commands::registrations())`.
    ///
    /// # Errors
    /// Nothing was collected, two commands share a path, or a path is not well-formed.
    pub fn collected() -> Result<Arc<Self>, RegistryError> {
        static COLLECTED: OnceLock<Result<Arc<Registry>, RegistryError>> = OnceLock::new();
        COLLECTED
            .get_or_init(|| {
                inventory::iter::<Registration>()
                    .fold(Self::builder(), |builder, registration| builder.register(*registration))
                    .build()
                    .map(Arc::new)
            })
            .clone()
    }

    /// Registers by hand.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The specs of all commands, sorted by path.
    pub fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.commands.values().map(|command| &**command.spec())
    }

    /// All groups, sorted by path.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// SHA-256 of all specs as JSON, lower-case hex: which whitelist this is.
    pub fn specs_sha256(&self) -> &str {
        &self.specs_sha256
    }

    pub(crate) fn command(&self, path: &str) -> Option<&dyn Erased> {
        self.commands.get(path).map(|command| &**command)
    }

    pub(crate) fn group(&self, path: &str) -> Option<&Group> {
        self.groups.get(path)
    }

    /// The commands below a group, sorted by path.
    pub(crate) fn below<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a dyn Erased> + 'a {
        self.commands
            .iter()
            .filter(move |(path, _)| {
                path.strip_prefix(group).is_some_and(|rest| rest.starts_with(' '))
            })
            .map(|(_, command)| &**command)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.commands.keys().chain(self.groups.keys()).copied()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.paths()).finish()
    }
}

/// Collects registrations for a [`Registry`].
#[derive(Debug, Default)]
pub struct RegistryBuilder {
    registrations: Vec<Registration>,
}

impl RegistryBuilder {
    /// Adds a command or group.
    #[must_use]
    pub fn register(mut self, registration: Registration) -> Self {
        self.registrations.push(registration);
        self
    }

    /// Adds all that a crate of commands offers.
    #[must_use]
    pub fn register_all(mut self, registrations: impl IntoIterator<Item = Registration>) -> Self {
        self.registrations.extend(registrations);
        self
    }

    /// The registry, sorted.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub fn build(self) -> Result<Registry, RegistryError> {
        let mut commands: BTreeMap<&'static str, Box<dyn Erased>> = BTreeMap::new();
        let mut groups = BTreeMap::new();
        for registration in self.registrations {
            match registration.0 {
                Kind::Group(group) => {
                    check_path(group.path)?;
                    if groups.insert(group.path, group).is_some() {
                        return Err(RegistryError::Duplicate(group.path));
                    }
                }
                Kind::Command(build) => {
                    let command = build();
                    let path = command.spec().path;
                    check_path(path)?;
                    if commands.insert(path, command).is_some() {
                        return Err(RegistryError::Duplicate(path));
                    }
                }
            }
        }
        if commands.is_empty() {
            return Err(RegistryError::Empty);
        }
        if let Some(both) = groups.keys().find(|path| commands.contains_key(**path)) {
            return Err(RegistryError::Duplicate(both));
        }
        let specs: Vec<&Spec> = commands.values().map(|command| &**command.spec()).collect();
        let specs_sha256 = hex(&Sha256::digest(serde_json::to_vec(&specs).unwrap_or_default()));
        Ok(Registry { commands, groups, specs_sha256 })
    }
}

fn check_path(path: &'static str) -> Result<(), RegistryError> {
    let word_is_plain = |word: &str| {
        !word.is_empty()
            && !word.starts_with('-')
            && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    match path.split(' ').all(|word| word_is_plain(word) && word != Registry::HELP) {
        true => Ok(()),
        false => Err(RegistryError::Path(path)),
    }
}

/// Why a set of commands is no registry. The host is set up wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Nothing is registered. A dependency line links nothing by itself, so the host names the
    /// crate of the commands once. In a static library that C or Swift links, even that registers
    /// nothing, since their linker takes only what something calls: give
    /// [`TerminalBuilder::registry`](crate::TerminalBuilder::registry) a registry made by hand.
    #[error(
        "no command is registered: name the crate that holds them once, as in \
         `use tapeline_commands as _;`, or, in a static library, where that registers nothing, \
         register by hand: `Registry::builder().register_all(tapeline_commands::registrations())`"
    )]
    Empty,
    /// Two registrations share a path.
    #[error("`{0}` is registered twice")]
    Duplicate(&'static str),
    /// A path that no command line could name.
    #[error(
        "`{0}` is no command path: words of lower-case letters, digits and hyphens, \
         one blank between them, none of them `help`"
    )]
    Path(&'static str),
}

/// One command or group on its way into a registry.
#[derive(Clone, Copy)]
pub struct Registration(Kind);

#[derive(Clone, Copy)]
enum Kind {
    Command(fn() -> Box<dyn Erased>),
    Group(Group),
}

inventory::collect!(Registration);

/// Registers a command: `inventory::submit! { tapeline::registration::<Latest>() }`.
pub const fn registration<C: Command>() -> Registration {
    Registration(Kind::Command(|| Box::new(Typed::<C>::new())))
}

/// Registers a group: `inventory::submit! { tapeline::group(GROUP) }`.
pub const fn group(group: Group) -> Registration {
    Registration(Kind::Group(group))
}

impl fmt::Debug for Registration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Command(_) => formatter.write_str("Registration(command)"),
            Kind::Group(group) => write!(formatter, "Registration(group `{}`)", group.path),
        }
    }
}

/// What a record says was run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ParsedCommand<'a> {
    pub(crate) path: &'a str,
    pub(crate) args: &'a serde_json::value::RawValue,
}
