//! [`Policy`]: what the host allows of what commands declare.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    Registry, arguments, line,
    route::{Route, route},
};

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
    /// A command's path, a group's path with ` *` (`rss *`), or `*` for every command.
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
    pub(crate) fn matches_path(&self, path: &str) -> bool {
        match self.path.strip_suffix(" *") {
            _ if self.path == "*" => true,
            Some(group) => path.strip_prefix(group).is_some_and(|rest| rest.starts_with(' ')),
            None => path == self.path,
        }
    }

    pub(crate) fn matches(&self, path: &str, args: &BTreeMap<String, Value>) -> bool {
        self.matches_path(path)
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

/// Why a policy is refused when the terminal is built: what never matches guards nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A rule for a path that no command has.
    #[error(
        "the policy's rule for `{0}` matches no command: give a command's path, a group's with ` *`, or `*`"
    )]
    Path(String),
    /// A rule over an argument that none of its commands has.
    #[error("the policy's rule for `{path}` looks at `{argument}`, which is no argument there")]
    Argument {
        /// The rule's path.
        path: String,
        /// As the rule spells it.
        argument: String,
    },
    /// An example that its rule does not match.
    #[error("the policy's rule for `{path}` is wrong about its example `{example}`: {why}")]
    Example {
        /// The rule's path.
        path: String,
        /// The line.
        example: String,
        /// What is wrong.
        why: String,
    },
    /// A host that no URL could have.
    #[error("the policy's host `{0}` is no host name: leave out scheme, port and path")]
    Host(String),
}

/// Whether all of a policy can ever apply.
pub(crate) fn check_policy(registry: &Registry, policy: &Policy) -> Result<(), PolicyError> {
    for host in &policy.hosts {
        let parsed = url::Host::parse(host).map(|parsed| parsed.to_string());
        if parsed.as_ref() != Ok(host) {
            return Err(PolicyError::Host(host.clone()));
        }
    }
    policy.rules.iter().try_for_each(|rule| check_rule(registry, rule))
}

fn check_rule(registry: &Registry, rule: &Rule) -> Result<(), PolicyError> {
    let matched: Vec<_> = registry.specs().filter(|spec| rule.matches_path(spec.path)).collect();
    if matched.is_empty() {
        return Err(PolicyError::Path(rule.path.clone()));
    }
    for argument in rule.args.keys() {
        let has_it = |path: &str| {
            registry.command(path).is_some_and(|command| {
                command.parser().get_arguments().any(|known| known.get_id() == argument.as_str())
            })
        };
        if !matched.iter().any(|spec| has_it(spec.path)) {
            let (path, argument) = (rule.path.clone(), argument.clone());
            return Err(PolicyError::Argument { path, argument });
        }
    }
    rule.examples.iter().try_for_each(|example| {
        check_example(registry, rule, example).map_err(|why| PolicyError::Example {
            path: rule.path.clone(),
            example: example.clone(),
            why,
        })
    })
}

fn check_example(registry: &Registry, rule: &Rule, example: &str) -> Result<(), String> {
    let words = line::parse(example).map_err(|error| error.to_string())?;
    let Ok(Route::Command { path, rest }) = route(registry, &words) else {
        return Err("it leads to no command".to_owned());
    };
    let command = registry.command(path).ok_or("it leads to no command")?;
    let parsed = command
        .parse(rest)
        .map_err(|error| arguments::failure(path, &error).message().to_owned())?;
    let args = parsed.args().map_err(|error| error.to_string())?;
    let args = serde_json::from_str(args.get()).map_err(|error| error.to_string())?;
    match rule.matches(path, &args) {
        true => Ok(()),
        false => Err("the rule does not match it".to_owned()),
    }
}
