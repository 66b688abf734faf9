//! [`Setup`]: what the host decided before any run, as it stands on each tape.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::{
    Limits, Policy, Registry,
    door::sha256_hex,
    http::{ConnectTo, NetworkOptions},
    prepare::learn_from_line,
    scrub::Scrubber,
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

impl Setup {
    /// The texts that people wrote.
    fn texts(&mut self) -> Vec<(Written, &mut String)> {
        let mut texts = Vec::new();
        texts.extend(self.policy.hosts.iter_mut().map(|host| (Written::Host, host)));
        for rule in &mut self.policy.rules {
            texts.extend(rule.args.values_mut().map(|value| (Written::Text, value)));
            texts.extend(rule.examples.iter_mut().map(|line| (Written::Line, line)));
        }
        for detour in &mut self.network.connect_to {
            let hosts = detour.host.iter_mut().chain(&mut detour.to_host);
            texts.extend(hosts.map(|host| (Written::Host, host)));
        }
        texts.extend(self.network.proxy.iter_mut().map(|url| (Written::Text, url)));
        texts.push((Written::Text, &mut self.network_hint));
        texts.push((Written::Text, &mut self.approval_hint));
        texts
    }

    /// Replaces what is known, and says whether a host changed with it.
    fn scrub(&mut self, scrubber: &Scrubber) -> bool {
        let mut host_changed = false;
        for (kind, text) in self.texts() {
            let scrubbed = match kind {
                Written::Line => scrubber.command_line(text),
                Written::Host | Written::Text => scrubber.text(text).into_owned(),
            };
            host_changed |= kind == Written::Host && scrubbed != *text;
            *text = scrubbed;
        }
        host_changed
    }
}

/// What a text of a set-up is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// A replay decides by it as it is, so that none is exact once a part is gone.
    Host,
    /// A command line.
    Line,
    /// Anything else. An argument of a rule has the placeholder that the line has.
    Text,
}

/// A set-up as it is written: without secrets.
pub(crate) struct WrittenSetup {
    setup: Setup,
    written: SetupJson,
    scrubber: Box<dyn Fn() -> Scrubber + Send + Sync>,
}

/// The blob of a set-up.
#[derive(Clone)]
pub(crate) struct SetupJson {
    pub(crate) json: String,
    pub(crate) sha256: String,
    /// Why no replay under it is exact.
    pub(crate) why: Option<&'static str>,
}

impl SetupJson {
    fn new(setup: &Setup, host_changed: bool) -> Result<Self, serde_json::Error> {
        let json = serde_json::to_string(setup)?;
        let sha256 = sha256_hex(json.as_bytes());
        let why = host_changed.then_some("a host name of the set-up holds a secret");
        Ok(Self { json, sha256, why })
    }
}

impl WrittenSetup {
    /// Learns what is secret in a set-up: the value that a rule wants of a secret argument, what an
    /// example says as a line would, and whatever looks like a secret.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub(crate) fn new(mut setup: Setup, registry: &Registry) -> Result<Self, serde_json::Error> {
        if let Some(proxy) = &mut setup.network.proxy {
            *proxy = Scrubber::default().url(proxy);
        }
        let mut scrubber = Scrubber::default();
        setup.texts().into_iter().for_each(|(_, text)| scrubber.notice(text));
        for rule in &setup.policy.rules {
            for spec in registry.specs().filter(|spec| rule.matches_path(spec.path)) {
                let secret = spec.audit.secret.iter().filter_map(|name| rule.args.get(*name));
                secret.for_each(|value| scrubber.argument(value));
            }
            for example in &rule.examples {
                learn_from_line(registry, example, &mut scrubber);
            }
        }
        let mut host_changed = false;
        loop {
            host_changed |= setup.scrub(&scrubber);
            let learned = scrubber.learned();
            for (_, text) in setup.texts() {
                scrubber.swept(text);
            }
            if scrubber.learned() == learned {
                break;
            }
        }
        let written = SetupJson::new(&setup, host_changed)?;
        Ok(Self { setup, written, scrubber: Box::new(scrubber.for_runs()) })
    }

    /// One for a run.
    pub(crate) fn scrubber(&self) -> Scrubber {
        (self.scrubber)()
    }

    /// What may hold a secret of a run.
    pub(crate) fn each_text(&self, each: &mut dyn FnMut(&str)) {
        self.setup.clone().texts().into_iter().for_each(|(_, text)| each(text));
    }

    /// Without the secrets of a run either: a rule may look at what is a secret elsewhere in it.
    pub(crate) fn of_run(&self, scrubber: &Scrubber) -> Cow<'_, SetupJson> {
        if scrubber.is_empty() {
            return Cow::Borrowed(&self.written);
        }
        let mut setup = self.setup.clone();
        let host_changed = setup.scrub(scrubber);
        match setup == self.setup {
            true => Cow::Borrowed(&self.written),
            false => SetupJson::new(&setup, host_changed || self.written.why.is_some())
                .map_or(Cow::Borrowed(&self.written), Cow::Owned),
        }
    }
}

impl fmt::Debug for WrittenSetup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WrittenSetup").field("setup", &self.setup).finish_non_exhaustive()
    }
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
