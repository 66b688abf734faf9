//! Capabilities: the kinds of effect a command declares before it runs.

use serde::{Deserialize, Serialize};

/// What a command declares it may touch. Nothing is allowed that is not declared.
///
/// ```
/// use tapeline::{Capabilities, NetworkScope};
///
/// let declared = Capabilities::none().read_files().network(NetworkScope::hosts(["example.com"]));
/// assert!(declared.read_files && !declared.write_files);
/// assert_eq!(declared.names(), ["ReadFiles", "Network(example.com)"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Reads files below the workspace root.
    pub read_files: bool,
    /// Writes or removes files below the workspace root.
    pub write_files: bool,
    /// Makes HTTP requests, to these hosts.
    pub network: NetworkScope,
    /// May ask for approval of an action that cannot be undone.
    pub high_risk: bool,
}

impl Capabilities {
    /// A command that only computes.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds `ReadFiles`.
    #[must_use]
    pub fn read_files(mut self) -> Self {
        self.read_files = true;
        self
    }

    /// Adds `WriteFiles`.
    #[must_use]
    pub fn write_files(mut self) -> Self {
        self.write_files = true;
        self
    }

    /// Adds `Network` with the given reach.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.network = scope;
        self
    }

    /// Adds `HighRisk`.
    #[must_use]
    pub fn high_risk(mut self) -> Self {
        self.high_risk = true;
        self
    }

    /// The declared capabilities as they are written in help and records.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.read_files {
            names.push("ReadFiles".to_owned());
        }
        if self.write_files {
            names.push("WriteFiles".to_owned());
        }
        match &self.network {
            NetworkScope::None => {}
            NetworkScope::Hosts(hosts) => names.push(format!("Network({})", hosts.join(", "))),
            NetworkScope::AnyPublic => names.push("Network(any public host)".to_owned()),
        }
        if self.high_risk {
            names.push("HighRisk".to_owned());
        }
        names
    }
}

/// How far a command reaches into the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkScope {
    /// Not at all.
    #[default]
    None,
    /// These hosts, lower-case, in the order declared.
    Hosts(Vec<String>),
    /// Any host whose addresses are all globally routable.
    AnyPublic,
}

impl NetworkScope {
    /// These hosts.
    pub fn hosts<const N: usize>(hosts: [&str; N]) -> Self {
        Self::Hosts(hosts.iter().map(|host| host.to_ascii_lowercase()).collect())
    }

    /// Whether `host` (lower-case, as a parsed URL spells it) is within reach.
    pub fn covers(&self, host: &str) -> bool {
        match self {
            Self::None => false,
            Self::Hosts(hosts) => hosts.iter().any(|known| known == host),
            Self::AnyPublic => true,
        }
    }
}
