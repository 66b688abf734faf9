//! The configuration file: `[policy]`, `[limits]`, `[models.…]`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use serde::Deserialize;
use tapeline::{Limits, NetworkPolicy, Policy, Rule};

/// What `--config FILE` holds; a name that is not known is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    policy: PolicyTable,
    limits: LimitsTable,
    /// Model name to part (`det`) to file, relative to the configuration file.
    models: BTreeMap<String, BTreeMap<String, PathBuf>>,
    /// Where the file lies.
    #[serde(skip)]
    directory: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PolicyTable {
    network: NetworkPolicy,
    hosts: Vec<String>,
    rule: Vec<Rule>,
}

impl Default for PolicyTable {
    fn default() -> Self {
        Self { network: NetworkPolicy::Declared, hosts: Vec::new(), rule: Vec::new() }
    }
}

/// As [`Limits`]; what is not given keeps its default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LimitsTable {
    stdin_bytes: Option<u64>,
    stdout_bytes: Option<u64>,
    result_bytes: Option<u64>,
    file_bytes: Option<u64>,
    http_body_bytes: Option<u64>,
    http_requests: Option<u64>,
    written_bytes: Option<u64>,
    duration_ms: Option<u64>,
}

impl Config {
    pub(crate) fn load(file: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(file)
            .with_context(|| format!("cannot read `--config {}`", file.display()))?;
        let config: Self = toml::from_str(&text)
            .with_context(|| format!("`{}` is no configuration", file.display()))?;
        let directory = file.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(Self { directory, ..config })
    }

    pub(crate) fn policy(&self) -> Policy {
        let table = &self.policy;
        let policy = Policy::default().network(table.network);
        let policy = table.hosts.iter().fold(policy, |policy, host| policy.allow_host(host));
        table.rule.iter().cloned().fold(policy, Policy::rule)
    }

    pub(crate) fn limits(&self) -> Limits {
        let table = &self.limits;
        let default = Limits::default();
        Limits {
            stdin_bytes: table.stdin_bytes.unwrap_or(default.stdin_bytes),
            stdout_bytes: table.stdout_bytes.unwrap_or(default.stdout_bytes),
            result_bytes: table.result_bytes.unwrap_or(default.result_bytes),
            file_bytes: table.file_bytes.unwrap_or(default.file_bytes),
            http_body_bytes: table.http_body_bytes.unwrap_or(default.http_body_bytes),
            http_requests: table.http_requests.unwrap_or(default.http_requests),
            written_bytes: table.written_bytes.unwrap_or(default.written_bytes),
            duration_ms: table.duration_ms.unwrap_or(default.duration_ms),
        }
    }

    /// Names (`ocr.det`) and bytes of all models.
    pub(crate) fn models(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let parts = self.models.iter().flat_map(|(model, parts)| {
            parts.iter().map(move |(part, file)| (format!("{model}.{part}"), file))
        });
        parts
            .map(|(name, file)| {
                let file = self.directory.join(file);
                let bytes = fs::read(&file).with_context(|| {
                    format!("cannot read model `{name}` at `{}`", file.display())
                })?;
                Ok((name, bytes))
            })
            .collect()
    }
}
