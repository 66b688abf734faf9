//! [`Terminal`]: the value a host builds and calls.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use tokio::sync::Semaphore;

use crate::{
    Approver, Clock, Envelope, Events, Ids, Limits, Policy, Registry, RegistryError, Request, Run,
    Setup, SystemClock, SystemIds,
    audit::{DiskLog, Durability, HostVersion, MemorySink, Sink},
    door::{Abandoned, sha256_hex},
    events::Publisher,
    http::{Http, NetworkOptions, Resolver, SystemResolver},
    line,
    policy::{PolicyError, check_policy},
    route::{Route, route},
    setup::{NetworkSetup, WrittenSetup},
    workspace::{DiskWorkspace, MemoryWorkspace, Workspace},
};

/// A terminal for an agent: one line in, one envelope out, every run on tape.
///
/// A cheap clone; may be dropped anywhere, in async code too. Building it touches no disk, the first
/// run opens the log.
#[derive(Clone)]
pub struct Terminal {
    pub(crate) seams: Arc<Seams>,
}

/// Everything a run needs from its host.
pub(crate) struct Seams {
    pub(crate) registry: Arc<Registry>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) limits: Limits,
    pub(crate) default_timeout_ms: u64,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) best_effort_audit: bool,
    pub(crate) tape: bool,
    /// `None`: this build has no transport and the host brought none.
    pub(crate) http: Option<Arc<dyn Http>>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) network: Arc<NetworkOptions>,
    pub(crate) network_hint: String,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) approval_hint: String,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) models: BTreeMap<String, Arc<[u8]>>,
    pub(crate) host: HostVersion,
    pub(crate) setup: WrittenSetup,
    pub(crate) events: Publisher,
    pub(crate) runs: Semaphore,
    pub(crate) abandoned: Arc<Abandoned>,
}

impl Terminal {
    /// Runs at once; more wait inside their own timeout.
    const RUNS_AT_ONCE: usize = 32;

    /// Starts from the defaults.
    pub fn builder() -> TerminalBuilder {
        TerminalBuilder::default()
    }

    /// Runs one line and gives its envelope, whatever happens.
    pub fn exec(&self, command: impl Into<String>) -> Run {
        self.start(Request::new(command))
    }

    /// Starts a run. It makes progress as it is polled; dropped, it is cancelled, and still leaves
    /// its record.
    pub fn start(&self, request: Request) -> Run {
        Run::new(self.seams.clone(), request)
    }

    /// As [`exec`](Self::exec), on this thread; works inside any runtime and outside.
    pub fn exec_blocking(&self, command: impl Into<String>) -> Envelope {
        self.start(Request::new(command)).wait()
    }

    /// What runs are doing, from here on.
    pub fn events(&self) -> Events {
        self.seams.events.subscribe()
    }

    /// The whitelist.
    pub fn registry(&self) -> &Registry {
        &self.seams.registry
    }

    /// The host's bounds.
    pub fn limits(&self) -> &Limits {
        &self.seams.limits
    }

    /// Whether a line leads to a command that takes stdin, and asks for it. Runs nothing.
    pub fn takes_stdin(&self, command: &str) -> bool {
        let Ok(words) = line::parse(command) else { return false };
        match route(&self.seams.registry, &words) {
            Ok(Route::Command { path, .. }) => {
                let command_spec = self.seams.registry.command(path).map(|found| found.spec());
                command_spec.is_some_and(|spec| spec.wants_stdin(command))
            }
            Ok(Route::Help { .. }) | Err(_) => false,
        }
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Terminal")
            .field("registry", &self.seams.registry)
            .finish_non_exhaustive()
    }
}

/// Builds a [`Terminal`]: only the place of the workspace must be said.
///
/// ```no_run
/// use tapeline::{Policy, Terminal};
///
/// let terminal = Terminal::builder()
///     .root("./.tapeline")
///     .policy(Policy::default().allow_declared_network())
///     .build()?;
/// # Ok::<(), tapeline::BuildError>(())
/// ```
#[derive(Default)]
pub struct TerminalBuilder {
    root: Option<PathBuf>,
    in_memory: bool,
    registry: Option<Arc<Registry>>,
    policy: Policy,
    limits: Limits,
    default_timeout_ms: Option<u64>,
    workspace: Option<Arc<dyn Workspace>>,
    sink: Option<Arc<dyn Sink>>,
    durability: Durability,
    best_effort_audit: bool,
    no_tape: bool,
    http: Option<Arc<dyn Http>>,
    resolver: Option<Arc<dyn Resolver>>,
    network: NetworkOptions,
    network_hint: Option<String>,
    approver: Option<Arc<dyn Approver>>,
    approval_hint: Option<String>,
    clock: Option<Arc<dyn Clock>>,
    ids: Option<Arc<dyn Ids>>,
    models: BTreeMap<String, Arc<[u8]>>,
    host: Option<HostVersion>,
    accepts_panic_abort: bool,
    policy_was_checked: bool,
}

impl TerminalBuilder {
    /// A directory for both: the workspace at `<root>/.agents`, the audit log beside it at
    /// `<root>/audit`. Made by the first run that needs it.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Workspace and audit log in memory, gone with the terminal: for tests and examples.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    /// Another whitelist than [`Registry::collected`]; in a static library that C links, the only one.
    #[must_use]
    pub fn registry(mut self, registry: Arc<Registry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// What commands may do.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Policy, limits, network options and hints as a tape has them, for a replay. Rules are not
    /// checked again: this build may lack a command they name.
    #[must_use]
    pub fn setup(mut self, setup: &Setup) -> Self {
        self.policy = setup.policy.clone();
        self.limits = setup.limits.clone();
        self.network = setup.network.options();
        self.network_hint = Some(setup.network_hint.clone());
        self.approval_hint = Some(setup.approval_hint.clone());
        self.policy_was_checked = true;
        self
    }

    /// The host's bounds; a spec or request can only lower them.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What a request without `timeout_ms` gets; 30,000 unless said.
    #[must_use]
    pub fn default_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.default_timeout_ms = Some(timeout_ms);
        self
    }

    /// A workspace of the host's own.
    #[must_use]
    pub fn workspace(mut self, workspace: Arc<dyn Workspace>) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// An audit log of the host's own.
    #[must_use]
    pub fn audit(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// What the records below [`root`](Self::root) survive; [`Durability::Os`] unless said. A log of
    /// the host's own knows for itself.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Runs go ahead although the log cannot be written. Not the default: an effect without a
    /// record is what tapeline is there to prevent.
    #[must_use]
    pub fn best_effort_audit(mut self) -> Self {
        self.best_effort_audit = true;
        self
    }

    /// Records without tapes: smaller, and not to be run again.
    #[must_use]
    pub fn without_tape(mut self) -> Self {
        self.no_tape = true;
        self
    }

    /// A transport of the host's own.
    #[must_use]
    pub fn http(mut self, http: Arc<dyn Http>) -> Self {
        self.http = Some(http);
        self
    }

    /// A resolver of the host's own.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// What the operator allows beyond the policy.
    #[must_use]
    pub fn network(mut self, network: NetworkOptions) -> Self {
        self.network = network;
        self
    }

    /// What a caller is told to do when the policy denies the network.
    #[must_use]
    pub fn network_hint(mut self, hint: impl Into<String>) -> Self {
        self.network_hint = Some(hint.into());
        self
    }

    /// Whom to ask before a high-risk action.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// What a caller is told to do when there is nobody to ask.
    #[must_use]
    pub fn approval_hint(mut self, hint: impl Into<String>) -> Self {
        self.approval_hint = Some(hint.into());
        self
    }

    /// Another clock than the system's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Another source of run ids and seeds than the system's.
    #[must_use]
    pub fn ids(mut self, ids: Arc<dyn Ids>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Bytes of a model commands may ask for.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.models.insert(name.into(), bytes.into());
        self
    }

    /// Name and version of the embedding application, for its records.
    #[must_use]
    pub fn host(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.host = Some(HostVersion { name: name.into(), version: version.into() });
        self
    }

    /// Accepts that a panic in a command ends the process, in a build with `panic = "abort"`.
    #[must_use]
    pub fn accept_panic_abort(mut self) -> Self {
        self.accepts_panic_abort = true;
        self
    }

    /// The terminal. Touches no disk and no network.
    ///
    /// # Errors
    /// The host is set up wrongly; see [`BuildError`].
    pub fn build(self) -> Result<Terminal, BuildError> {
        if cfg!(panic = "abort") && !self.accepts_panic_abort {
            return Err(BuildError::PanicAbort);
        }
        let registry = match self.registry {
            Some(registry) => registry,
            None => Registry::collected()?,
        };
        if !self.policy_was_checked {
            check_policy(&registry, &self.policy)?;
        }
        let workspace: Arc<dyn Workspace> = match (self.workspace, &self.root) {
            (Some(workspace), _) => workspace,
            (None, Some(root)) => {
                let locks = root.join("audit").join("locks");
                Arc::new(DiskWorkspace::new(root.join(".agents"), locks))
            }
            (None, None) if self.in_memory => Arc::new(MemoryWorkspace::default()),
            (None, None) => return Err(BuildError::NoPlace),
        };
        let sink: Arc<dyn Sink> = match (self.sink, &self.root) {
            (Some(sink), _) => sink,
            (None, Some(root)) => {
                Arc::new(DiskLog::new(root.join("audit")).durability(self.durability))
            }
            (None, None) if self.in_memory => Arc::new(MemorySink::default()),
            (None, None) => return Err(BuildError::NoPlace),
        };
        let http = match self.http {
            Some(http) => Some(http),
            None => default_http(&self.network)?,
        };
        let network_hint = self
            .network_hint
            .unwrap_or_else(|| "the host decides which hosts commands may reach".to_owned());
        let approval_hint =
            self.approval_hint.unwrap_or_else(|| "the host decides who approves".to_owned());
        let setup = Setup {
            v: Setup::VERSION,
            policy: self.policy.clone(),
            limits: self.limits.clone(),
            features: if cfg!(feature = "http") { vec!["http".to_owned()] } else { Vec::new() },
            network: NetworkSetup {
                connect_to: self.network.connect_to.clone(),
                ca_sha256: self.network.ca_pem.as_deref().map(sha256_hex),
                allow_private: self.network.allow_private,
                proxy: self.network.proxy.clone(),
                resolves_itself: http.as_ref().is_some_and(|http| http.resolves_itself()),
            },
            network_hint: network_hint.clone(),
            approval_hint: approval_hint.clone(),
        };
        let setup = WrittenSetup::new(setup, &registry).map_err(|_| BuildError::Setup)?;
        Ok(Terminal {
            seams: Arc::new(Seams {
                registry,
                policy: Arc::new(self.policy),
                limits: self.limits,
                default_timeout_ms: self.default_timeout_ms.unwrap_or(30_000),
                workspace,
                sink,
                best_effort_audit: self.best_effort_audit,
                tape: !self.no_tape,
                http,
                resolver: self.resolver.unwrap_or_else(|| Arc::new(SystemResolver)),
                network: Arc::new(self.network),
                network_hint,
                approver: self.approver,
                approval_hint,
                clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock)),
                ids: self.ids.unwrap_or_else(|| Arc::new(SystemIds)),
                models: self.models,
                host: self.host.unwrap_or_else(|| HostVersion {
                    name: "unnamed".to_owned(),
                    version: String::new(),
                }),
                setup,
                events: Publisher::new(),
                runs: Semaphore::new(Terminal::RUNS_AT_ONCE),
                abandoned: Arc::default(),
            }),
        })
    }
}

#[cfg(feature = "http")]
fn default_http(network: &NetworkOptions) -> Result<Option<Arc<dyn Http>>, BuildError> {
    Ok(Some(Arc::new(crate::http::ReqwestHttp::new(network)?)))
}

#[cfg(not(feature = "http"))]
fn default_http(_network: &NetworkOptions) -> Result<Option<Arc<dyn Http>>, BuildError> {
    Ok(None)
}

impl fmt::Debug for TerminalBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TerminalBuilder")
            .field("root", &self.root)
            .field("in_memory", &self.in_memory)
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Why a terminal cannot be built: the host is set up wrongly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No whitelist.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// No place for workspace and log.
    #[error("no place for workspace and audit log: call `root(…)`, `in_memory()`, or give both")]
    NoPlace,
    /// A panic in a command would take the process down.
    #[error(
        "this build has `panic = \"abort\"`, so a panic in a command ends the process: build with \
         unwinding, or call `accept_panic_abort()`"
    )]
    PanicAbort,
    /// A policy that does not say what it seems to.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A network option that cannot be used.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Http(#[from] crate::http::HttpSetupError),
    /// The set-up cannot be written down.
    #[error("the terminal's set-up cannot be written as JSON")]
    Setup,
}
