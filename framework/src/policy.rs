//! [`Policy`]: what the host allows of what commands declare.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// The host's decision over capabilities. Part of each run's tape, so a replay decides alike.
///
/// The default allows the workspace, denies network and asks before a high-risk action.
///
/// ```
/// use tapeline::{Decision, Policy};
///
/// let policy = Policy::default().allow_declared_network().high_risk(Decision::Allow);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Policy {
    /// Reading files below the workspace root.
    pub read_files: bool,
    /// Writing files below the workspace root.
    pub write_files: bool,
    /// Which hosts, of those a command declares.
    pub network: NetworkPolicy,
    /// Hosts allowed besides, of those a command declares; lower-case.
    pub hosts: Vec<String>,
    /// What an action that asks for approval gets.
    pub high_risk: Decision,
    /// All that match apply; the strictest wins.
    pub rules: Vec<Rule>,
}

/// The reach of the network a policy allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkPolicy {
    /// None but [`Policy::hosts`].
    #[default]
    None,
    /// Whatever the command declares.
    Declared,
    /// Any public host, of those the command declares.
    Public,
}

/// What happens to a command line, or to an action that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Goes ahead.
    Allow,
    /// Goes ahead once the approver says so.
    Ask,
    /// Is refused.
    Deny,
}

/// A rule over parsed commands; it never sees the string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A command's path, or a group's path with ` *`: `rss *`.
    pub path: String,
    /// Argument names and the value each must have: text for text, JSON for the rest. An array
    /// argument matches when one of its elements does.
    #[serde(default)]
    pub args: BTreeMap<String, String>,
    /// What a match means.
    pub decision: Decision,
    /// Lines this rule must match, checked when the terminal is built.
    #[serde(default)]
    pub examples: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            read_files: true,
            write_files: true,
            network: NetworkPolicy::None,
            hosts: Vec::new(),
            high_risk: Decision::Ask,
            rules: Vec::new(),
        }
    }
}

impl Policy {
    /// Lets each command reach the hosts it declares, `any public` included.
    #[must_use]
    pub fn allow_declared_network(self) -> Self {
        self.network(NetworkPolicy::Declared)
    }

    /// Sets the reach of the network.
    #[must_use]
    pub fn network(mut self, network: NetworkPolicy) -> Self {
        self.network = network;
        self
    }

    /// Lets commands that declare this host reach it.
    #[must_use]
    pub fn allow_host(mut self, host: &str) -> Self {
        self.hosts.push(host.to_ascii_lowercase());
        self
    }

    /// Sets what an action that asks for approval gets.
    #[must_use]
    pub fn high_risk(mut self, decision: Decision) -> Self {
        self.high_risk = decision;
        self
    }

    /// Adds a rule.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The strictest decision of all rules that match; `Allow` where none does.
    pub(crate) fn decide(&self, path: &str, args: &RawValue) -> Decision {
        if self.rules.is_empty() {
            return Decision::Allow;
        }
        let args: BTreeMap<String, Value> = serde_json::from_str(args.get()).unwrap_or_default();
        let matching = self.rules.iter().filter(|rule| rule.matches(path, &args));
        matching.map(|rule| rule.decision).max().unwrap_or(Decision::Allow)
    }

    /// Whether commands may reach the network at all.
    pub(crate) fn allows_network(&self) -> bool {
        self.network != NetworkPolicy::None || !self.hosts.is_empty()
    }
}

impl Rule {
    pub(crate) fn matches(&self, path: &str, args: &BTreeMap<String, Value>) -> bool {
        let path_matches = match self.path.strip_suffix('*') {
            Some(group) => path.starts_with(group) || path == group.trim_end(),
            None => path == self.path,
        };
        path_matches
            && self.args.iter().all(|(name, wanted)| match args.get(name) {
                Some(Value::Array(items)) => items.iter().any(|item| equals(item, wanted)),
                Some(value) => equals(value, wanted),
                None => false,
            })
    }
}

fn equals(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text == wanted,
        other => serde_json::to_string(other).is_ok_and(|json| json == wanted),
    }
}
