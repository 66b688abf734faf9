//! [`Gateway`] over a scripted resolver and transport, with a list of what happened in what order.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;

use crate::{
    ErrorCode, Failure, NetworkPolicy, NetworkScope, Policy,
    http::{
        Gateway, Hops, Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, NetworkOptions,
        Request, Resolver, Response,
    },
};

/// A gateway's surroundings. Names resolve to `8.8.8.8` and URLs answer 200 unless said otherwise.
pub(super) struct World {
    pub(super) declared: NetworkScope,
    policy: NetworkPolicy,
    policy_hosts: Vec<String>,
    pub(super) options: NetworkOptions,
    /// The answers of each name, in order; the last one stays.
    names: BTreeMap<String, Vec<Vec<String>>>,
    answers: BTreeMap<&'static str, Answer>,
    transport_resolves: bool,
    /// `None` as in a replay.
    remaining: Option<Duration>,
    slow: bool,
}

#[derive(Clone)]
pub(super) enum Answer {
    Redirect(u16, &'static str),
    Fault(HttpFaultKind),
    /// Behind the head of a 206.
    FaultInBody(HttpFaultKind),
    Body(usize),
}

/// What [`World::ask`] saw.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) outcome: Result<Response, Failure>,
    /// `begin`, `resolve NAME:PORT`, `send URL to [ADDRESS]`, `end: WHAT`, in order.
    pub(super) steps: Vec<String>,
    pub(super) sent: Vec<HttpRequest>,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            declared: NetworkScope::AnyPublic,
            policy: NetworkPolicy::Declared,
            policy_hosts: Vec::new(),
            options: NetworkOptions::default(),
            names: BTreeMap::new(),
            answers: BTreeMap::new(),
            transport_resolves: false,
            remaining: None,
            slow: false,
        }
    }

    /// Once more for the same name: what it resolves to the next time.
    pub(super) fn name(mut self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|&address| address.to_owned()).collect();
        self.names.entry(name.to_owned()).or_default().push(addresses);
        self
    }

    pub(super) fn answer(mut self, url: &'static str, answer: Answer) -> Self {
        self.answers.insert(url, answer);
        self
    }

    fn connect_to(mut self, detour: &str) -> Self {
        self.options.connect_to.push(detour.parse().unwrap());
        self
    }

    pub(super) fn ask(self, url: &str) -> Seen {
        self.ask_with(Request::get(url))
    }

    pub(super) fn ask_with(self, request: Request) -> Seen {
        let log = Arc::new(Log::default());
        let hops = Script { log: Arc::clone(&log), world: Arc::new(self) };
        let world = &hops.world;
        let gateway = Gateway {
            transport: Arc::new(hops.clone()),
            resolver: Arc::new(hops.clone()),
            declared: world.declared.clone(),
            policy: Arc::new(Policy {
                read_files: true,
                write_files: true,
                network: world.policy,
                hosts: world.policy_hosts.clone(),
                high_risk: crate::Decision::Ask,
                rules: Vec::new(),
            }),
            options: Arc::new(world.options.clone()),
            max_body_bytes: 10,
            policy_hint: "ask the operator".to_owned(),
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        // In a replay no timer may run: with none at hand, one would panic.
        if world.remaining.is_some() {
            runtime.enable_time();
        }
        let outcome = runtime.build().unwrap().block_on(gateway.send(request, &hops));
        let steps = log.steps.lock().unwrap().clone();
        let sent = log.sent.lock().unwrap().clone();
        Seen { outcome, steps, sent }
    }
}

#[derive(Default)]
struct Log {
    steps: Mutex<Vec<String>>,
    sent: Mutex<Vec<HttpRequest>>,
}

#[derive(Clone)]
struct Script {
    log: Arc<Log>,
    world: Arc<World>,
}

impl Script {
    fn note(&self, step: String) {
        self.log.steps.lock().unwrap().push(step);
    }
}

#[async_trait]
impl Hops for Script {
    async fn begin(&self) -> Result<(), Failure> {
        self.note("begin".to_owned());
        Ok(())
    }

    fn remaining(&self) -> Option<Duration> {
        self.world.remaining
    }

    fn end(
        &self,
        _request: &HttpRequest,
        resolved: &[SocketAddr],
        outcome: &Result<HttpResponse, HttpFault>,
    ) {
        let what = match outcome {
            Ok(response) => response.status.to_string(),
            Err(fault) => fault.kind.name().to_owned(),
        };
        self.note(format!("end: {what} {resolved:?}"));
    }
}

#[async_trait]
impl Resolver for Script {
    async fn resolve(
        &self,
        host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        let step = format!("resolve {host}:{port}");
        let before = self.log.steps.lock().unwrap().iter().filter(|known| **known == step).count();
        self.note(step);
        if self.world.slow {
            std::future::pending::<()>().await;
        }
        let at = |text: &str| SocketAddr::new(text.parse::<IpAddr>().unwrap(), port);
        let Some(answers) = self.world.names.get(host) else { return Ok(vec![at("8.8.8.8")]) };
        let answer = answers.get(before).or(answers.last()).unwrap();
        Ok(answer.iter().map(|address| at(address)).collect())
    }
}

#[async_trait]
impl Http for Script {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.note(format!("send {} to {:?}", request.url, request.connect_to));
        let answer = self.world.answers.get(&*request.url).cloned();
        self.log.sent.lock().unwrap().push(request);
        let (status, headers, length) = match answer {
            None => (200, Vec::new(), 2),
            Some(Answer::Body(length)) => (200, Vec::new(), length),
            Some(Answer::Redirect(status, to)) => {
                (status, vec![("location".to_owned(), to.to_owned())], 0)
            }
            Some(Answer::Fault(kind)) => return Err(HttpFault::new(kind, "scripted")),
            Some(Answer::FaultInBody(kind)) => {
                let fault = HttpFault::new(kind, "scripted");
                return Err(HttpFault { status: Some(206), ..fault });
            }
        };
        Ok(HttpResponse { status, headers, body: vec![b'x'; length] })
    }

    fn resolves_itself(&self) -> bool {
        self.world.transport_resolves
    }
}

#[track_caller]
pub(super) fn check_denied(seen: &Seen, message: &str) {
    let failure = seen.outcome.as_ref().unwrap_err();
    assert_eq!((failure.code(), failure.message()), (ErrorCode::NETWORK_DENIED, message));
    assert!(!seen.steps.iter().any(|step| step.starts_with("send")), "{:?}", seen.steps);
}

pub(super) const OUTSIDE: &str = "the name leads outside the public network";

#[test]
fn a_hop_begins_resolves_once_sends_and_ends() {
    let seen = World::new()
        .name("a.example", &["8.8.4.4", "8.8.8.8", "8.8.4.4"])
        .ask("https://a.example/x");
    let response = seen.outcome.unwrap();
    assert_eq!((response.url.as_str(), response.status), ("https://a.example/x", 200));
    assert_eq!(
        seen.steps,
        [
            "begin",
            "resolve a.example:443",
            "send https://a.example/x to [8.8.4.4:443, 8.8.8.8:443]",
            "end: 200 [8.8.4.4:443, 8.8.8.8:443]",
        ]
    );
    assert_eq!(seen.sent[0].max_body_bytes, 10);
    assert_eq!((seen.sent[0].connect_timeout_ms, seen.sent[0].timeout_ms), (5_000, 15_000));
}

#[test]
fn what_the_rules_refuse_is_no_hop() {
    let with = |declared: NetworkScope| {
        let mut world = World::new();
        world.declared = declared;
        world.policy = NetworkPolicy::None;
        world
    };
    // The URL comes first, then what the command declares, then the policy.
    let seen = with(NetworkScope::None).ask("ftp://a.example/");
    check_denied(&seen, "`ftp` URLs cannot be asked");
    assert!(seen.steps.is_empty());
    let seen = with(NetworkScope::hosts(["b.example"])).ask("https://a.example/");
    check_denied(&seen, "`a.example` is not among the hosts this command declares");
    assert!(seen.steps.is_empty());
    let seen = with(NetworkScope::hosts(["a.example"])).ask("https://a.example/");
    check_denied(&seen, "the policy does not allow requests to `a.example`");
    assert!(seen.steps.is_empty());
}

#[test]
fn a_host_needs_the_command_and_the_policy() {
    use NetworkPolicy::{Declared, None, Public};

    for (declared, policy, policy_hosts, allowed) in [
        (NetworkScope::None, Public, "a.example", false),
        (NetworkScope::hosts(["a.example"]), None, "", false),
        (NetworkScope::hosts(["a.example"]), None, "b.example", false),
        (NetworkScope::hosts(["a.example"]), None, "a.example", true),
        (NetworkScope::hosts(["a.example"]), Declared, "", true),
        (NetworkScope::hosts(["a.example"]), Public, "", true),
        (NetworkScope::hosts(["b.example"]), Public, "a.example", false),
        (NetworkScope::AnyPublic, None, "", false),
        (NetworkScope::AnyPublic, None, "a.example", true),
        (NetworkScope::AnyPublic, Declared, "", true),
        (NetworkScope::AnyPublic, Public, "", true),
    ] {
        let mut world = World::new();
        let told = format!("{declared:?} {policy:?} {policy_hosts}");
        (world.declared, world.policy) = (declared, policy);
        world.policy_hosts = vec![policy_hosts.to_owned()];
        assert_eq!(world.ask("https://A.example./").outcome.is_ok(), allowed, "{told}");
    }
}

#[test]
fn one_address_that_is_not_public_is_one_too_many() {
    let seen = World::new().name("a.example", &["8.8.8.8", "10.0.0.1"]).ask("http://a.example/");
    check_denied(&seen, &format!("GET `a.example`: {OUTSIDE}"));
    assert_eq!(
        seen.steps,
        ["begin", "resolve a.example:80", "end: address_denied [8.8.8.8:80, 10.0.0.1:80]"]
    );
}

#[test]
fn allow_private_does_not_open_the_metadata_service() {
    for (url, allowed) in [
        ("http://127.0.0.1/", true),
        ("http://10.0.0.1/", true),
        ("http://100.64.0.1/", true),
        ("http://[fd00::1]/", true),
        ("http://169.254.169.254/", false),
        ("http://[fe80::1]/", false),
        ("http://0.0.0.0/", false),
        ("http://224.0.0.1/", false),
        ("http://192.0.2.1/", false),
    ] {
        let mut world = World::new();
        world.options.allow_private = true;
        assert_eq!(world.ask(url).outcome.is_ok(), allowed, "{url}");
    }
}

#[test]
fn a_detour_is_exempt_for_its_pair_alone() {
    let world = || {
        World::new().connect_to("a.example:443:127.0.0.1:8443").name("b.example", &["127.0.0.1"])
    };
    let seen = world().ask("https://a.example/");
    assert_eq!(seen.steps[1], "send https://a.example/ to [127.0.0.1:8443]");
    let seen = world().name("a.example", &["127.0.0.1"]).ask("https://a.example:444/");
    check_denied(&seen, &format!("GET `a.example`: {OUTSIDE}"));
    check_denied(&world().ask("https://b.example/"), &format!("GET `b.example`: {OUTSIDE}"));
    check_denied(&world().ask("https://127.0.0.1:8443/"), &format!("GET `127.0.0.1`: {OUTSIDE}"));
    // A redirect from the exempt pair is a hop like any other.
    let seen = world()
        .answer("https://a.example/", Answer::Redirect(302, "https://b.example/"))
        .ask("https://a.example/");
    assert_eq!(seen.outcome.unwrap_err().code(), ErrorCode::NETWORK_DENIED);
    assert_eq!(seen.sent.len(), 1);
}

#[test]
fn a_detour_to_a_name_resolves_that_name_and_the_first_that_applies_counts() {
    let seen = World::new()
        .connect_to("a.example:443:test.internal:8443")
        .connect_to("a.example::10.0.0.9:1")
        .name("test.internal", &["10.0.0.1"])
        .ask("https://a.example/");
    assert_eq!(
        seen.steps[1..3],
        ["resolve test.internal:8443", "send https://a.example/ to [10.0.0.1:8443]"]
    );
}

#[test]
fn a_detour_of_the_port_alone_is_not_exempt() {
    let world = || World::new().connect_to("a.example:443::8443");
    let seen = world().ask("https://a.example/");
    assert_eq!(seen.steps[2], "send https://a.example/ to [8.8.8.8:8443]");
    let seen = world().name("a.example", &["10.0.0.1"]).ask("https://a.example/");
    check_denied(&seen, &format!("GET `a.example`: {OUTSIDE}"));
}

#[test]
fn a_detour_does_not_widen_the_host_rules() {
    let mut world = World::new().connect_to("::127.0.0.1:1");
    world.declared = NetworkScope::hosts(["b.example"]);
    let seen = world.ask("https://a.example/");
    check_denied(&seen, "`a.example` is not among the hosts this command declares");
}

/// Worlds in which a proxy or the transport resolves names.
const OTHERS_RESOLVE: [fn() -> World; 2] = [
    || {
        let mut world = World::new();
        world.options.proxy = Some("http://proxy.example:3128".to_owned());
        world
    },
    || {
        let mut world = World::new();
        world.transport_resolves = true;
        world
    },
];

#[test]
fn where_others_resolve_only_host_rules_apply() {
    for world in OTHERS_RESOLVE {
        let seen = world().name("a.example", &["10.0.0.1"]).ask("https://a.example/");
        assert_eq!(seen.steps, ["begin", "send https://a.example/ to []", "end: 200 []"]);
    }
}

#[test]
fn the_host_rules_apply_where_others_resolve() {
    for world in OTHERS_RESOLVE {
        let mut undeclared = world();
        undeclared.declared = NetworkScope::hosts(["b.example"]);
        let mut not_allowed = world();
        not_allowed.policy = NetworkPolicy::None;
        for world in [undeclared, not_allowed] {
            let seen = world.ask("https://a.example/");
            assert_eq!(seen.outcome.unwrap_err().code(), ErrorCode::NETWORK_DENIED);
            assert!(seen.steps.is_empty(), "{:?}", seen.steps);
        }
    }
}

#[test]
fn an_address_written_out_is_refused_whoever_resolves() {
    for world in OTHERS_RESOLVE {
        for (url, host) in [
            ("http://169.254.169.254/latest/", "169.254.169.254"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://[fd00:ec2::254]/", "[fd00:ec2::254]"),
        ] {
            check_denied(&world().ask(url), &format!("GET `{host}`: {OUTSIDE}"));
            // A detour that nobody takes exempts from nothing.
            let seen = world().connect_to("::8.8.8.8:").ask(url);
            check_denied(&seen, &format!("GET `{host}`: {OUTSIDE}"));
        }
        let seen = world()
            .answer("http://a.example/", Answer::Redirect(302, "http://10.0.0.1/"))
            .ask("http://a.example/");
        assert_eq!(seen.outcome.unwrap_err().code(), ErrorCode::NETWORK_DENIED);
        assert_eq!(seen.sent.len(), 1);
        // What the operator opens is open there, too.
        let mut world = world();
        world.options.allow_private = true;
        assert!(world.ask("http://10.0.0.1/").outcome.is_ok());
    }
}

#[test]
fn a_name_is_resolved_once_for_each_hop_and_what_was_checked_is_what_is_connected_to() {
    // Public at the check, private at the connection: there is no second look-up to answer so.
    let seen = World::new()
        .name("a.example", &["8.8.4.4"])
        .name("a.example", &["127.0.0.1"])
        .ask("http://a.example/");
    assert_eq!(
        seen.steps,
        [
            "begin",
            "resolve a.example:80",
            "send http://a.example/ to [8.8.4.4:80]",
            "end: 200 [8.8.4.4:80]"
        ]
    );
    // The next hop looks again, and is held to what it finds.
    let seen = World::new()
        .name("a.example", &["8.8.4.4"])
        .name("a.example", &["169.254.169.254"])
        .answer("http://a.example/", Answer::Redirect(302, "/again"))
        .ask("http://a.example/");
    assert_eq!(seen.outcome.unwrap_err().message(), format!("GET `a.example`: {OUTSIDE}"));
    assert_eq!(seen.sent.len(), 1);
    assert_eq!(
        seen.steps[4..],
        ["begin", "resolve a.example:80", "end: address_denied [169.254.169.254:80]"]
    );
}

#[test]
fn a_name_with_more_addresses_than_are_used_hands_on_checked_ones_alone() {
    let mut addresses: Vec<_> = (0..64).map(|last| format!("8.8.8.{last}")).collect();
    // Past the 64th nobody connects, so nobody looks.
    addresses.push("10.0.0.1".to_owned());
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let seen = World::new().name("a.example", &addresses).ask("http://a.example/");
    assert!(seen.outcome.is_ok());
    let connect_to = &seen.sent[0].connect_to;
    assert_eq!(connect_to.len(), 64);
    assert!(connect_to.iter().all(|at| at.ip().to_string().starts_with("8.8.8.")));
    // Repeats do not push an address out of sight.
    let mut repeated = vec!["8.8.8.8"; 100];
    repeated.push("10.0.0.1");
    let seen = World::new().name("a.example", &repeated).ask("http://a.example/");
    check_denied(&seen, &format!("GET `a.example`: {OUTSIDE}"));
}

#[test]
fn redirects_are_hops_through_the_same_checks() {
    let seen = World::new()
        .answer("http://a.example/", Answer::Redirect(301, "https://a.example/"))
        .answer("https://a.example/", Answer::Redirect(307, "//b.example/x#y"))
        .ask("http://a.example/");
    let response = seen.outcome.unwrap();
    assert_eq!(response.url, "https://b.example/x");
    assert_eq!(
        response.redirects,
        [(301, "https://a.example/".to_owned()), (307, "https://b.example/x".to_owned())]
    );
    assert_eq!(seen.steps.iter().filter(|step| *step == "begin").count(), 3);
    assert_eq!(seen.steps.iter().filter(|step| step.starts_with("resolve")).count(), 3);
}

#[test]
fn a_redirect_cannot_leave_what_is_allowed() {
    const ELSEWHERE: &str = "`a.example` redirects elsewhere: ";
    for (location, message) in [
        ("http://169.254.169.254/latest/", format!("GET `169.254.169.254`: {OUTSIDE}")),
        ("http://0xa9fea9fe/", format!("GET `169.254.169.254`: {OUTSIDE}")),
        ("http://inside.example/", format!("GET `inside.example`: {OUTSIDE}")),
        ("http://u:p@b.example/", format!("{ELSEWHERE}a URL must not carry credentials")),
        ("file:///etc/passwd", format!("{ELSEWHERE}`file` URLs cannot be asked")),
        (
            "http://c.example/",
            "`c.example` is not among the hosts this command declares".to_owned(),
        ),
    ] {
        let mut world = World::new()
            .name("inside.example", &["192.168.0.1"])
            .answer("http://a.example/", Answer::Redirect(302, location));
        world.declared =
            NetworkScope::hosts(["a.example", "b.example", "inside.example", "169.254.169.254"]);
        let seen = world.ask("http://a.example/");
        assert_eq!(seen.outcome.unwrap_err().message(), message);
        assert_eq!(seen.sent.len(), 1, "{location}");
    }
    let seen = World::new()
        .answer("https://a.example/", Answer::Redirect(302, "http://a.example/"))
        .ask("https://a.example/");
    assert_eq!(seen.outcome.unwrap_err().message(), "`a.example` redirects from https to http");
}

#[test]
fn another_origin_is_sent_no_secret() {
    let request =
        Request::get("https://a.example/").header("Authorization", "x").header("Accept", "y");
    let seen = World::new()
        .answer("https://a.example/", Answer::Redirect(302, "/same"))
        .answer("https://a.example/same", Answer::Redirect(302, "https://b.example/"))
        .ask_with(request);
    let headers: Vec<_> = seen.sent.iter().map(|sent| sent.headers.len()).collect();
    assert_eq!(headers, [2, 2, 1]);
    assert_eq!(seen.sent[2].headers[0].0, "Accept");
}

#[test]
fn five_redirects_are_followed_and_no_sixth() {
    let chain = |world: World| {
        world
            .answer("http://a.example/", Answer::Redirect(302, "/1"))
            .answer("http://a.example/1", Answer::Redirect(302, "/2"))
            .answer("http://a.example/2", Answer::Redirect(302, "/3"))
            .answer("http://a.example/3", Answer::Redirect(302, "/4"))
            .answer("http://a.example/4", Answer::Redirect(302, "/5"))
    };
    assert_eq!(chain(World::new()).ask("http://a.example/").outcome.unwrap().redirects.len(), 5);
    let seen = chain(World::new())
        .answer("http://a.example/5", Answer::Redirect(302, "/"))
        .ask("http://a.example/");
    let failure = seen.outcome.unwrap_err();
    assert_eq!(failure.code(), ErrorCode::NETWORK_ERROR);
    assert_eq!(failure.message(), "GET `a.example`: more than 5 redirects");
    assert_eq!(seen.sent.len(), 6);
}

#[test]
fn a_redirect_without_a_url_is_the_answer() {
    let seen = World::new()
        .answer("http://a.example/", Answer::Redirect(302, "http://[x"))
        .ask("http://a.example/");
    let response = seen.outcome.unwrap();
    assert_eq!((response.status, response.redirects.len()), (302, 0));
}

#[test]
fn a_fault_ends_its_hop_and_names_its_kind() {
    let seen = World::new()
        .answer("http://a.example/", Answer::Fault(HttpFaultKind::Reset))
        .ask("http://a.example/");
    assert_eq!(seen.steps.last().unwrap(), "end: reset [8.8.8.8:80]");
    assert_eq!(seen.outcome.unwrap_err().detail_json("fault"), Some("\"reset\""));
    let seen = World::new().name("a.example", &[]).ask("http://a.example/");
    assert_eq!(seen.steps.last().unwrap(), "end: dns []");
}

#[test]
fn a_failure_behind_an_answer_has_the_status_of_the_last_one() {
    let from = |answer| World::new().answer("http://a.example/", answer);
    let to = |url| from(Answer::Redirect(307, url));
    let at_b = |kind| to("http://b.example/").answer("http://b.example/", kind);
    for (world, status) in [
        (from(Answer::Body(11)), Some("200")),
        (from(Answer::FaultInBody(HttpFaultKind::Decode)), Some("206")),
        (from(Answer::Redirect(302, "/")), Some("302")),
        (to("ftp://b.example/"), Some("307")),
        (to("http://127.0.0.1/"), Some("307")),
        (to("http://b.example/").name("b.example", &["127.0.0.1"]), Some("307")),
        (at_b(Answer::Fault(HttpFaultKind::Reset)), Some("307")),
        (at_b(Answer::FaultInBody(HttpFaultKind::Stall)), Some("206")),
        (from(Answer::Fault(HttpFaultKind::Reset)), None),
        (World::new().name("a.example", &["127.0.0.1"]), None),
    ] {
        let failure = world.ask("http://a.example/").outcome.unwrap_err();
        assert_eq!(failure.detail_json("status"), status, "{failure}");
    }
}

#[test]
fn a_body_over_the_cap_is_refused_even_if_the_transport_gave_it() {
    let asked = |length| {
        World::new().answer("http://a.example/", Answer::Body(length)).ask("http://a.example/")
    };
    assert!(asked(10).outcome.is_ok());
    let seen = asked(11);
    assert_eq!(seen.steps.last().unwrap(), "end: too_large [8.8.8.8:80]");
    assert_eq!(seen.outcome.unwrap_err().code(), ErrorCode::LIMIT_EXCEEDED);
}

#[test]
fn an_exchange_leaves_the_run_a_quarter_second() {
    let asked = |remaining: u64| {
        let mut world = World::new();
        world.remaining = Some(Duration::from_millis(remaining));
        world.ask("http://a.example/")
    };
    let times = |seen: &Seen| (seen.sent[0].connect_timeout_ms, seen.sent[0].timeout_ms);
    assert_eq!(times(&asked(60_000)), (5_000, 15_000));
    assert_eq!(times(&asked(10_000)), (5_000, 9_750));
    assert_eq!(times(&asked(1_250)), (1_000, 1_000));
    for remaining in [250, 0] {
        let seen = asked(remaining);
        assert_eq!(seen.steps, ["begin", "end: connect_timeout []"]);
        assert_eq!(seen.outcome.unwrap_err().code(), ErrorCode::NETWORK_ERROR);
    }
}

#[test]
fn a_resolver_that_does_not_answer_is_a_dns_fault() {
    let mut world = World::new();
    (world.remaining, world.slow) = (Some(Duration::from_millis(270)), true);
    let seen = world.ask("http://a.example/");
    assert_eq!(seen.steps, ["begin", "resolve a.example:80", "end: dns []"]);
}
