//! The options of all verbs that run commands, and the terminal they make.

use std::{fs, path::PathBuf, sync::Arc};

use anyhow::Context as _;
use tapeline::{Approver, ConnectTo, NetworkOptions, Terminal, audit, clap};

use crate::{
    approver::{Prompt, Yes},
    config::Config,
};

/// May stand before or after the verb.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Where the workspace (`.agents`) and the audit log (`audit`) live; made when needed.
    #[arg(long, global = true, value_name = "DIR", default_value = "./.tapeline")]
    pub(crate) root: PathBuf,
    /// Policy, limits and models, as TOML.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Approve whatever would ask first.
    #[arg(long, global = true)]
    yes: bool,
    /// Milliseconds a run may take: 1 to 600000, 30000 unless said.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) timeout_ms: Option<u64>,
    /// Whether runs are recorded so that they can be run again.
    #[arg(long, global = true, value_enum, value_name = "on|off", default_value = "on")]
    tape: Tape,
    /// What a run's record survives once the run is answered: `os`, the end of this process;
    /// `sync`, the loss of power, which makes each run wait for the disk.
    #[arg(long, global = true, value_enum, value_name = "os|sync", default_value = "os")]
    durability: Durability,
    /// Connect to HOST2:PORT2 where a request goes to HOST1:PORT1 (as curl does).
    #[arg(long, global = true, value_name = "HOST1:PORT1:HOST2:PORT2")]
    connect_to: Vec<ConnectTo>,
    /// Trust the certificates in this PEM file, and no others (as curl does).
    #[arg(long, global = true, value_name = "FILE")]
    cacert: Option<PathBuf>,
    /// Let requests reach private and loopback addresses.
    #[arg(long, global = true)]
    allow_private: bool,
    /// Send requests through this proxy, which then resolves the names.
    #[arg(long, global = true, value_name = "URL")]
    proxy: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tape {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Durability {
    Os,
    Sync,
}

impl Options {
    /// The terminal these options ask for. Touches nothing but the files they name.
    pub(crate) fn terminal(&self) -> anyhow::Result<Terminal> {
        let config = match &self.config {
            Some(file) => Config::load(file)?,
            None => Config::default(),
        };
        let ca_pem = match &self.cacert {
            Some(file) => {
                let pem = fs::read(file)
                    .with_context(|| format!("cannot read `--cacert {}`", file.display()))?;
                Some(pem)
            }
            None => None,
        };
        let approver: Arc<dyn Approver> = if self.yes { Arc::new(Yes) } else { Arc::new(Prompt) };
        let mut builder = Terminal::builder()
            .root(&self.root)
            .durability(match self.durability {
                Durability::Os => audit::Durability::Os,
                Durability::Sync => audit::Durability::Sync,
            })
            .policy(config.policy())
            .limits(config.limits())
            .network(NetworkOptions {
                connect_to: self.connect_to.clone(),
                ca_pem,
                allow_private: self.allow_private,
                proxy: self.proxy.clone(),
            })
            .network_hint("allow it in the file given with `--config`, under `[policy]`")
            .approver(approver)
            .approval_hint("run it again with `--yes` to approve")
            .host("tapeline", env!("CARGO_PKG_VERSION"));
        for (name, bytes) in config.models()? {
            builder = builder.model(name, bytes);
        }
        if self.tape == Tape::Off {
            builder = builder.without_tape();
        }
        Ok(builder.build()?)
    }
}
