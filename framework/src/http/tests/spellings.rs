//! Hosts in every spelling a URL may give them: each is read once, as the one host it means, and
//! what is asked of the network is that one. A `Location` is read like a URL.

use super::gateway::{Answer, OUTSIDE, Seen, World, check_denied};
use crate::{ErrorCode, NetworkScope};

/// Spellings of addresses that are not public, and the host that messages name.
const INSIDE: &[(&str, &str)] = &[
    // Dotted, decimal, hexadecimal, octal, short and mixed.
    ("http://127.0.0.1/", "127.0.0.1"),
    ("http://2130706433/", "127.0.0.1"),
    ("http://0x7f000001/", "127.0.0.1"),
    ("http://0X7F.0x0.0X0.0x1/", "127.0.0.1"),
    ("http://0177.0.0.1/", "127.0.0.1"),
    ("http://017700000001/", "127.0.0.1"),
    ("http://0000000000000177.0.0.1/", "127.0.0.1"),
    ("http://127.1/", "127.0.0.1"),
    ("http://127.0.1/", "127.0.0.1"),
    ("http://127.0x1/", "127.0.0.1"),
    ("http://0x7f.1/", "127.0.0.1"),
    ("http://0177.0x1/", "127.0.0.1"),
    ("http://127.0.0.01/", "127.0.0.1"),
    ("http://10.1/", "10.0.0.1"),
    ("http://0xc0a80101/", "192.168.1.1"),
    ("http://0/", "0.0.0.0"),
    ("http://00.0x0/", "0.0.0.0"),
    ("http://0x/", "0.0.0.0"),
    ("http://169.254.169.254/latest/meta-data", "169.254.169.254"),
    ("http://2852039166/", "169.254.169.254"),
    ("http://0xA9FEA9FE/", "169.254.169.254"),
    ("http://0251.0376.0251.0376/", "169.254.169.254"),
    ("http://169.254.43518/", "169.254.169.254"),
    // A dot at the end, or two.
    ("http://127.0.0.1./", "127.0.0.1"),
    ("http://127.1./", "127.0.0.1"),
    ("http://2130706433./", "127.0.0.1"),
    ("http://127.0.0.1../", "127.0.0.1"),
    // Percent-encoded, full-width, circled, and with the dots of other scripts.
    ("http://%31%32%37.0.0.1/", "127.0.0.1"),
    ("http://127%2e0%2E0%2e1/", "127.0.0.1"),
    ("http://%30x7f.1/", "127.0.0.1"),
    ("http://１２７.０.０.１/", "127.0.0.1"),
    ("http://１６９。２５４。１６９。２５４/", "169.254.169.254"),
    ("http://127。0。0。1/", "127.0.0.1"),
    ("http://127．0．0．1/", "127.0.0.1"),
    ("http://127｡0｡0｡1/", "127.0.0.1"),
    ("http://①②⑦.0.0.①/", "127.0.0.1"),
    ("http://0ｘ7f.1/", "127.0.0.1"),
    ("http://127.0.0.1\u{ad}/", "127.0.0.1"),
    ("http://127\u{200b}.0.0.1/", "127.0.0.1"),
    // Other slashes, cases, ports, blanks and line breaks.
    ("HTTP://127.0.0.1/", "127.0.0.1"),
    ("http:/127.0.0.1/", "127.0.0.1"),
    ("http:///127.0.0.1/", "127.0.0.1"),
    ("http:\\\\127.0.0.1\\", "127.0.0.1"),
    ("http:\\/127.0.0.1", "127.0.0.1"),
    ("http://127.0.0.1:8080/", "127.0.0.1"),
    ("http://127.0.0.1:080/", "127.0.0.1"),
    (" \t\nhttp://127.0.0.1/ \n", "127.0.0.1"),
    ("ht\ntp://127.\t0.0\r\n.1/", "127.0.0.1"),
    // What only looks like a host before it.
    ("http://127.0.0.1\\@a.example/", "127.0.0.1"),
    ("http://127.0.0.1#@a.example/", "127.0.0.1"),
    ("http://127.0.0.1?@a.example/", "127.0.0.1"),
    ("http://@127.0.0.1/", "127.0.0.1"),
    ("http://:@127.0.0.1/", "127.0.0.1"),
    // In brackets: mapped, compatible, translated, tunnelled.
    ("http://[::1]/", "[::1]"),
    ("http://[0:0:0:0:0:0:0:1]/", "[::1]"),
    ("http://[0000:0000::0001]:80/", "[::1]"),
    ("http://[::]/", "[::]"),
    ("http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"),
    ("http://[::FFFF:7F00:0001]/", "[::ffff:7f00:1]"),
    ("http://[0:0:0:0:0:ffff:169.254.169.254]/", "[::ffff:a9fe:a9fe]"),
    ("http://[::127.0.0.1]/", "[::7f00:1]"),
    ("http://[::ffff:0:127.0.0.1]/", "[::ffff:0:7f00:1]"),
    ("http://[64:ff9b::127.0.0.1]/", "[64:ff9b::7f00:1]"),
    ("http://[64:ff9b::a9fe:a9fe]/", "[64:ff9b::a9fe:a9fe]"),
    ("http://[64:ff9b:1::8.8.8.8]/", "[64:ff9b:1::808:808]"),
    ("http://[2002:7f00:1::]/", "[2002:7f00:1::]"),
    ("http://[2002:a9fe:a9fe::1]/", "[2002:a9fe:a9fe::1]"),
    ("http://[2001:0:808:808:8000:63bf:80ff:fffe]/", "[2001:0:808:808:8000:63bf:80ff:fffe]"),
    ("http://[fd00:ec2::254]/", "[fd00:ec2::254]"),
    ("http://[fe80::1]/", "[fe80::1]"),
    ("http://[FE80::A9FE:A9FE]/", "[fe80::a9fe:a9fe]"),
    ("http://[fec0::1]/", "[fec0::1]"),
    ("http://[ff02::1]/", "[ff02::1]"),
];

/// What is no URL with a host, in whatever way it was meant.
const NO_HOST: &[&str] = &[
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1%250]/",
    "http://[::ffff:127.0.0.1%0a]/",
    "http://[127.0.0.1]/",
    "http://[::1/",
    "http://[::1].a.example/",
    "http://[]/",
    "http://127.0.0.256/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://4294967296/",
    "http://0x100000000/",
    "http://127.0.0.09/",
    "http://0x7g.1/",
    "http://a.example.127/",
    "http://a.example.0x1/",
    "http://127.0.0.1%00/",
    "http://127.0.0.1%20/",
    "http://a.example%00.b.example/",
    "http://a.example%2f@b.example/",
    "http://a.example%5c.b.example/",
    "http://a b/",
    "http://a.example|b/",
    "http://a.example^/",
    "http://<a.example>/",
    "http://127.0.0.1:65536/",
    "http://127.0.0.1:http/",
    "http://",
    "http:///",
    "http://#",
    "http://:80/",
    "http://%/",
    "http://xn--a/",
];

/// Credentials, whichever side of the `@` looks like the host.
const CREDENTIALS: &[&str] = &[
    "http://a.example@127.0.0.1/",
    "http://127.0.0.1@a.example/",
    "http://a.example:80@127.0.0.1/",
    "http://a.example%40b.example@127.0.0.1/",
    "http://user:@a.example/",
    "http://:password@a.example/",
    "http://a@b@127.0.0.1/",
    "http:user@a.example/",
    "http://a.example%2F@127.0.0.1/",
];

/// Spellings of `a.example` and `bücher.example`.
const DECLARED: &[(&str, &str)] = &[
    ("http://a.example/", "a.example"),
    ("http://A.EXAMPLE/", "a.example"),
    ("http://a.example./", "a.example"),
    ("http://a。example/", "a.example"),
    ("http://a．example。/", "a.example"),
    ("http://ａ.ｅｘａｍｐｌｅ/", "a.example"),
    ("http://ⓐ.example/", "a.example"),
    ("http://𝒶.example/", "a.example"),
    ("http://%61%2Eexample/", "a.example"),
    ("http://a\u{ad}.exam\u{200b}ple/", "a.example"),
    ("http://a.example\\@127.0.0.1/", "a.example"),
    ("http://a.example#@127.0.0.1/", "a.example"),
    ("http://a.example?@127.0.0.1/", "a.example"),
    ("http://Bücher.Example/", "xn--bcher-kva.example"),
    ("http://bu\u{308}cher.example/", "xn--bcher-kva.example"),
    ("http://b%C3%BCcher.example/", "xn--bcher-kva.example"),
    ("http://XN--BCHER-KVA.example./", "xn--bcher-kva.example"),
];

/// Hosts that only look like those.
const UNDECLARED: &[(&str, &str)] = &[
    ("http://\u{430}.example/", "xn--80a.example"),
    ("http://a.\u{435}xample/", "a.xn--xample-2of"),
    ("http://a.example.b.example/", "a.example.b.example"),
    ("http://b.a.example/", "b.a.example"),
    ("http://example/", "example"),
    ("http://aexample/", "aexample"),
    ("http://a.exampl\u{e9}/", "a.xn--exampl-gva"),
    ("http://bucher.example/", "bucher.example"),
    ("http://xn--bcher-kva.example.b.example/", "xn--bcher-kva.example.b.example"),
    ("http://localhost/", "localhost"),
    ("http://93.184.215.14/", "93.184.215.14"),
    ("http://[::1]/", "[::1]"),
];

fn declaring() -> World {
    let mut world = World::new();
    world.declared = NetworkScope::hosts(["a.example", "xn--bcher-kva.example", "start.example"]);
    world
}

#[track_caller]
fn check_refused(seen: &Seen, url: &str, message: &str) {
    let told = seen.outcome.as_ref().err().unwrap_or_else(|| panic!("{url:?} was asked"));
    assert!(told.message().contains(message), "{url:?}: {}", told.message());
    check_denied(seen, told.message());
    assert!(seen.steps.is_empty(), "{url:?}: {:?}", seen.steps);
}

/// The answer to a request that is redirected there at once.
fn redirected(world: World, location: &'static str) -> Seen {
    world
        .answer("http://start.example/", Answer::Redirect(302, location))
        .ask("http://start.example/")
}

#[test]
fn an_address_that_is_not_public_is_refused_in_every_spelling_before_anything_is_asked() {
    for (url, host) in INSIDE {
        check_refused(&World::new().ask(url), url, &format!("GET `{host}`: {OUTSIDE}"));
    }
}

#[test]
fn a_redirect_to_an_address_that_is_not_public_is_refused_in_every_spelling() {
    for (url, host) in INSIDE {
        let seen = redirected(World::new(), url);
        if url.starts_with("http:/1") || url.starts_with("http:\\/") {
            // With as many slashes as a path has, `http:` before it is no scheme in a `Location`.
            continue;
        }
        let failure = seen.outcome.as_ref().err().unwrap_or_else(|| panic!("{url:?} was asked"));
        assert_eq!(failure.message(), format!("GET `{host}`: {OUTSIDE}"), "{url:?}");
        assert_eq!(failure.code(), ErrorCode::NETWORK_DENIED);
        assert_eq!(seen.sent.len(), 1, "{url:?}");
    }
    // Such a `Location` stays on the host it came from.
    for location in ["http:/127.0.0.1/", "http:127.0.0.1/", "http:\\127.0.0.1/", "127.0.0.1"] {
        let seen = redirected(declaring(), location);
        assert!(seen.outcome.unwrap().url.starts_with("http://start.example/127.0.0.1"));
    }
    // Without a scheme, with two slashes of any kind, it does not.
    for location in ["//127.0.0.1/", "\\\\127.0.0.1/", "/\\0x7f.1", "\t//127。1"] {
        let seen = redirected(World::new(), location);
        let failure = seen.outcome.unwrap_err();
        assert_eq!(failure.message(), format!("GET `127.0.0.1`: {OUTSIDE}"), "{location}");
        assert_eq!(seen.sent.len(), 1, "{location}");
    }
}

#[test]
fn what_has_no_host_is_never_asked() {
    for url in NO_HOST {
        check_refused(&World::new().ask(url), url, "");
        // A `Location` that is no URL leads nowhere: the answer it came with is the answer.
        let seen = redirected(World::new(), url);
        assert_eq!(seen.sent.len(), 1, "{url:?}");
        if let Ok(response) = seen.outcome {
            assert_eq!((response.status, response.redirects.len()), (302, 0), "{url:?}");
        }
    }
}

#[test]
fn credentials_in_a_url_are_refused_at_first_and_in_a_redirect() {
    for url in CREDENTIALS {
        check_refused(&World::new().ask(url), url, "a URL must not carry credentials");
        if url.starts_with("http:user") {
            continue;
        }
        let seen = redirected(World::new(), url);
        let failure = seen.outcome.unwrap_err();
        let message = "`start.example` redirects elsewhere: a URL must not carry credentials";
        assert_eq!(failure.message(), message, "{url}");
        assert_eq!(seen.sent.len(), 1, "{url}");
    }
}

#[test]
fn a_declared_host_is_itself_in_every_spelling_and_nothing_else_is() {
    for (url, host) in DECLARED {
        for seen in [declaring().ask(url), redirected(declaring(), url)] {
            assert!(seen.outcome.is_ok(), "{url:?}: {:?}", seen.outcome);
            let asked = url::Url::parse(&seen.sent.last().unwrap().url).unwrap();
            assert_eq!(asked.host_str(), Some(*host), "{url:?}");
            assert!(seen.steps.contains(&format!("resolve {host}:80")), "{:?}", seen.steps);
        }
    }
    for (url, host) in UNDECLARED {
        let message = format!("`{host}` is not among the hosts this command declares");
        check_refused(&declaring().ask(url), url, &message);
        let seen = redirected(declaring(), url);
        assert_eq!(seen.outcome.unwrap_err().message(), message, "{url:?}");
        assert_eq!(seen.sent.len(), 1, "{url:?}");
    }
}

#[test]
fn a_mapped_public_address_is_connected_to_as_what_it_is() {
    let seen = World::new().ask("http://[::ffff:8.8.8.8]:81/");
    assert_eq!(seen.steps[1], "send http://[::ffff:808:808]:81/ to [8.8.8.8:81]");
}
