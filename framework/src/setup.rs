//! [`Setup`]: what the host decided before any run, as it stands on each tape.

use serde::{Deserialize, Serialize};

use crate::{
    Limits, Policy,
    http::{ConnectTo, NetworkOptions},
};

/// The effective set-up of a terminal. A replay builds its terminal from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// [`Setup::VERSION`].
    pub v: u32,
    /// The host's policy.
    pub policy: Policy,
    /// The host's limits.
    pub limits: Limits,
    /// Features this crate was built with.
    pub features: Vec<String>,
    /// What the operator allowed beyond the policy.
    pub network: NetworkSetup,
    /// What a caller is told when the policy denies the network.
    pub network_hint: String,
    /// What a caller is told when there is nobody to ask.
    pub approval_hint: String,
}

/// [`NetworkOptions`] without secrets and certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSetup {
    /// `--connect-to`.
    pub connect_to: Vec<ConnectTo>,
    /// SHA-256 of `--cacert`'s file, lower-case hex.
    pub ca_sha256: Option<String>,
    /// `--allow-private`.
    pub allow_private: bool,
    /// `--proxy`, without credentials.
    pub proxy: Option<String>,
    /// The transport resolves names itself: only host rules were enforced.
    pub resolves_itself: bool,
}

impl Setup {
    /// Grows when an old reader would misread a set-up.
    pub const VERSION: u32 = 1;
}

impl NetworkSetup {
    /// The options a replay decides by: all but the certificates, which only a handshake needs.
    pub fn options(&self) -> NetworkOptions {
        NetworkOptions {
            connect_to: self.connect_to.clone(),
            ca_pem: None,
            allow_private: self.allow_private,
            proxy: self.proxy.clone(),
        }
    }
}
