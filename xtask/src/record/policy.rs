//! What a host allows: rules, the network, approvals and limits.

use serde_json::json;

use super::scenario::{Provider, Scenario};
use crate::rates::{Table, cny};

const CONVERT: &str = "exchange-rate convert --from CNY --to USD --amount 100";
const LATEST: &str = "exchange-rate latest --base CNY";

const DENY_HELLO: &str = "[[policy.rule]]\npath = \"hello\"\ndecision = \"deny\"\n";
const ASK_HELLO: &str = "[[policy.rule]]\npath = \"hello\"\ndecision = \"ask\"\n";
const DENY_BASE: &str = r#"[[policy.rule]]
path = "exchange-rate *"
args = { base = "CNY" }
decision = "deny"
examples = ["exchange-rate latest --base cny"]
"#;
const DENY_SYMBOL: &str = r#"[[policy.rule]]
path = "exchange-rate latest"
args = { symbols = "EUR" }
decision = "deny"
"#;
const STRICTEST: &str = r#"[[policy.rule]]
path = "*"
decision = "allow"

[[policy.rule]]
path = "hello"
args = { name = "BYE" }
decision = "deny"

[[policy.rule]]
path = "hello"
decision = "ask"
"#;
const NO_NETWORK: &str = "[policy]\nnetwork = \"none\"\n";
const ONE_HOST: &str = "[policy]\nnetwork = \"none\"\nhosts = [\"open.er-api.com\"]\n";
const OTHER_HOST: &str = "[policy]\nnetwork = \"none\"\nhosts = [\"example.org\"]\n";

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = rules();
    scenarios.extend(network());
    scenarios.extend(limits());
    scenarios
}

fn policy(case: &str, title: &'static str) -> Scenario {
    Scenario::new("policy", case, title)
}

/// For lines that may ask for rates.
fn asking(case: &str, title: &'static str) -> Scenario {
    policy(case, title).provider(Provider::Down)
}

fn rules() -> Vec<Scenario> {
    vec![
        policy("rule-denies", "a command that a rule denies")
            .line("hello")
            .config(DENY_HELLO)
            .fails("CapabilityDenied"),
        policy("rule-denies-no-help", "help of a denied command is still there")
            .line("hello --help")
            .config(DENY_HELLO),
        policy("rule-asks-nobody", "a rule asks, and nobody is there")
            .line("hello")
            .config(ASK_HELLO)
            .fails("ApprovalRequired"),
        policy("rule-asks-and-is-approved", "a rule asks, and the operator has said yes")
            .line("hello")
            .config(ASK_HELLO)
            .yes()
            .shows("/result/text", "HELLO"),
        policy("rule-strictest-wins", "of all rules that match the strictest counts")
            .line("hello --name bye")
            .config(STRICTEST)
            .yes()
            .fails("CapabilityDenied"),
        policy("rule-over-argument-unmatched", "a rule over another value is no matter")
            .line("hello --name hi")
            .config(STRICTEST)
            .yes()
            .shows("/result/text", "HI"),
        asking("rule-over-group", "a rule sees typed arguments, whatever their case was")
            .line("exchange-rate latest --base cny")
            .config(DENY_BASE)
            .fails("CapabilityDenied"),
        asking("rule-over-other-command", "a command without the argument does not match")
            .line(CONVERT)
            .config(DENY_BASE)
            .rates(&cny())
            .shows("/result/cached", false),
        asking("rule-over-list", "one element of a list is enough for a match")
            .line("exchange-rate latest --base CNY --symbols USD,EUR")
            .config(DENY_SYMBOL)
            .fails("CapabilityDenied"),
    ]
}

fn network() -> Vec<Scenario> {
    vec![
        asking("network-none", "a host without network")
            .line(CONVERT)
            .config(NO_NETWORK)
            .fails("CapabilityDenied"),
        asking("network-none-from-cache", "kept rates need no network")
            .line(CONVERT)
            .config(NO_NETWORK)
            .kept(&cny(), 1)
            .shows("/result/cached", true),
        asking("network-none-stale", "a network that is denied is no service that fails")
            .line(CONVERT)
            .config(NO_NETWORK)
            .kept(&cny().updated(30), 29)
            .fails("CapabilityDenied"),
        asking("network-one-host", "a host that is named is allowed")
            .line(CONVERT)
            .config(ONE_HOST)
            .rates(&cny())
            .shows("/result/cached", false),
        asking("network-other-host", "a host that is not named is not")
            .line(CONVERT)
            .config(OTHER_HOST)
            .fails("NetworkDenied"),
    ]
}

fn limits() -> Vec<Scenario> {
    let weak = Table::new("KRW", &[("KWD", "0.000231")]);
    vec![
        asking("no-requests", "not one request may be made")
            .line(CONVERT)
            .config("[limits]\nhttp_requests = 0\n")
            .fails("LimitExceeded"),
        asking("no-requests-from-cache", "kept rates need no request")
            .line(CONVERT)
            .config("[limits]\nhttp_requests = 0\n")
            .kept(&cny(), 1)
            .shows("/result/cached", true),
        asking("one-request", "one request is enough")
            .line(CONVERT)
            .config("[limits]\nhttp_requests = 1\n")
            .rates(&cny())
            .shows("/result/cached", false),
        asking("one-request-of-two", "a second request that is refused costs the inverse alone")
            .line("exchange-rate convert --from KRW --to KWD --amount 50000")
            .config("[limits]\nhttp_requests = 1\n")
            .rates(&weak)
            .shows("/result/warnings/0/code", "ImpreciseRate")
            .shows("/result/inverse", json!(null)),
        asking("body-limit", "the host bears shorter answers than the command")
            .line(CONVERT)
            .config("[limits]\nhttp_body_bytes = 100\n")
            .rates(&cny())
            .fails("LimitExceeded"),
        asking("file-limit", "a kept answer that is too large counts as none")
            .line(CONVERT)
            .config("[limits]\nfile_bytes = 100\n")
            .kept(&cny(), 1)
            .rates(&cny())
            .shows("/result/warnings/0/code", "CacheReadError"),
        asking("write-limit", "an answer that may not be written is not kept")
            .line(CONVERT)
            .config("[limits]\nwritten_bytes = 100\n")
            .rates(&cny())
            .shows("/result/warnings/0/code", "CacheWriteError"),
        asking("write-limit-of-a-file", "a file that was asked for and may not be written")
            .line("exchange-rate latest --base CNY --out artifacts/cny.json")
            .config("[limits]\nwritten_bytes = 100\n")
            .rates(&cny())
            .fails("LimitExceeded"),
        policy("stdout-limit", "stdout is cut, and whole in a file")
            .line("hello")
            .config("[limits]\nstdout_bytes = 130\n")
            .shows("/truncated/0/what", "stdout"),
        asking("result-limit", "a result that is too large is whole in a file")
            .line(LATEST)
            .config("[limits]\nresult_bytes = 300\n")
            .kept(&cny(), 1)
            .shows("/truncated/0/what", "result"),
    ]
}
