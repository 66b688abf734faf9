//! The address guard against IANA's special-purpose registries, copied here a second time and in
//! IANA's own words, so that a slip in the guard's table is not a slip in its test.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::gateway::{OUTSIDE, World, check_denied};

/// Address block, name, and the column "Globally Reachable". 192.0.0.0/24 and 2001::/23 are "False
/// unless allowed by a more specific allocation" there. At the end what the registries leave to
/// others: multicast and the blocks that were given back.
const REGISTRIES: &str = "
    0.0.0.0/8           This network                                False
    0.0.0.0/32          This host on this network                   False
    10.0.0.0/8          Private-Use                                 False
    100.64.0.0/10       Shared Address Space                        False
    127.0.0.0/8         Loopback                                    False
    169.254.0.0/16      Link Local                                  False
    172.16.0.0/12       Private-Use                                 False
    192.0.0.0/24        IETF Protocol Assignments                   False
    192.0.0.0/29        IPv4 Service Continuity Prefix              False
    192.0.0.8/32        IPv4 dummy address                          False
    192.0.0.9/32        Port Control Protocol Anycast               True
    192.0.0.10/32       Traversal Using Relays around NAT Anycast   True
    192.0.0.170/32      NAT64/DNS64 Discovery                       False
    192.0.0.171/32      NAT64/DNS64 Discovery                       False
    192.0.2.0/24        Documentation (TEST-NET-1)                  False
    192.31.196.0/24     AS112-v4                                    True
    192.52.193.0/24     AMT                                         True
    192.88.99.0/24      Deprecated (6to4 Relay Anycast)             N/A
    192.88.99.2/32      6a44-relay anycast address                  False
    192.168.0.0/16      Private-Use                                 False
    192.175.48.0/24     Direct Delegation AS112 Service             True
    198.18.0.0/15       Benchmarking                                False
    198.51.100.0/24     Documentation (TEST-NET-2)                  False
    203.0.113.0/24      Documentation (TEST-NET-3)                  False
    240.0.0.0/4         Reserved                                    False
    255.255.255.255/32  Limited Broadcast                           False

    ::1/128             Loopback Address                            False
    ::/128              Unspecified Address                         False
    64:ff9b:1::/48      IPv4-IPv6 Translat.                         False
    100::/64            Discard-Only Address Block                  False
    100:0:0:1::/64      Dummy IPv6 Prefix                           False
    2001::/23           IETF Protocol Assignments                   False
    2001::/32           TEREDO                                      N/A
    2001:1::1/128       Port Control Protocol Anycast               True
    2001:1::2/128       Traversal Using Relays around NAT Anycast   True
    2001:1::3/128       DNS-SD Service Registration Protocol Anycast True
    2001:2::/48         Benchmarking                                False
    2001:3::/32         AMT                                         True
    2001:4:112::/48     AS112-v6                                    True
    2001:10::/28        Deprecated (previously ORCHID)              N/A
    2001:20::/28        ORCHIDv2                                    True
    2001:30::/28        Drone Remote ID Protocol Entity Tags        True
    2001:db8::/32       Documentation                               False
    2620:4f:8000::/48   Direct Delegation AS112 Service             True
    3fff::/20           Documentation                               False
    5f00::/16           Segment Routing (SRv6) SIDs                 False
    fc00::/7            Unique-Local                                False
    fe80::/10           Link-Local Unicast                          False

    224.0.0.0/4         Multicast                                   False
    ::/96               IPv4-compatible, deprecated                 False
    ::ffff:0:0:0/96     IPv4-translated (SIIT)                      False
    fec0::/10           Site-Local, deprecated                      False
    ff00::/8            Multicast                                   False
    4000::/3            Not allocated                               False
    e000::/4            Not allocated                               False
";

/// Services that everybody reaches, one neighbour of each special block, and what no registry names.
const PUBLIC: [&str; 50] = [
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "104.26.10.78",
    "126.255.255.255",
    "128.0.0.0",
    "151.101.1.140",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "185.199.108.153",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:503:ba3e::2:30",
    "2001:7fd::1",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2003::1",
    "2400:cb00::1",
    "2606:4700:4700::1111",
    "2620:4f:7fff::1",
    "2620:fe::fe",
    "2800:3f0:4001::1",
    "2a00:1450:4001:829::200e",
    "2c0f:fb50:4002::1",
    "3ffe::1",
    "3fff:1000::1",
    "2001:4:112::1",
    "192.0.0.9",
];

#[derive(Debug)]
struct Row {
    name: &'static str,
    first: IpAddr,
    prefix: u32,
    reachable: bool,
}

impl Row {
    fn width(&self) -> u32 {
        if self.first.is_ipv4() { 32 } else { 128 }
    }

    /// Bits that may be anything.
    fn free(&self) -> u128 {
        let free = self.width() - self.prefix;
        1_u128.checked_shl(free).unwrap_or(0).wrapping_sub(1)
    }

    fn at(&self, host: u128) -> IpAddr {
        let bits = bits(self.first) | host & self.free();
        match self.first {
            IpAddr::V4(_) => Ipv4Addr::from(u32::try_from(bits).unwrap()).into(),
            IpAddr::V6(_) => Ipv6Addr::from(bits).into(),
        }
    }

    fn holds(&self, ip: IpAddr) -> bool {
        ip.is_ipv4() == self.first.is_ipv4() && (bits(ip) ^ bits(self.first)) & !self.free() == 0
    }

    /// First, last, middle and some in between, the same ones each time.
    fn samples(&self) -> Vec<IpAddr> {
        let mut state = bits(self.first) ^ u128::from(self.prefix);
        let step = || {
            state = state.wrapping_mul(0xda94_2042_e4dd_58b5).wrapping_add(0x9e37_79b9_7f4a_7c15);
            state.rotate_left(61)
        };
        let between = std::iter::repeat_with(step).take(8);
        [0, self.free(), self.free() >> 1]
            .into_iter()
            .chain(between)
            .map(|at| self.at(at))
            .collect()
    }
}

fn bits(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u32::from(ip).into(),
        IpAddr::V6(ip) => ip.into(),
    }
}

fn registries() -> Vec<Row> {
    let rows = REGISTRIES.lines().map(str::trim).filter(|line| !line.is_empty());
    let rows: Vec<_> = rows
        .map(|line| {
            let (block, rest) = line.split_once(' ').unwrap();
            let (name, reachable) = rest.trim().rsplit_once(' ').unwrap();
            let (first, prefix) = block.split_once('/').unwrap();
            Row {
                name: name.trim(),
                first: first.parse().unwrap(),
                prefix: prefix.parse().unwrap(),
                reachable: reachable == "True",
            }
        })
        .collect();
    assert_eq!(rows.len(), 26 + 22 + 7);
    rows
}

/// The most specific row says it.
fn is_reachable(rows: &[Row], ip: IpAddr) -> bool {
    let holding = rows.iter().filter(|row| row.holds(ip));
    holding.max_by_key(|row| row.prefix).is_none_or(|row| row.reachable)
}

/// A URL that writes the address out, and a name that leads there, are asked or refused alike.
#[track_caller]
fn check(ip: IpAddr, reachable: bool, why: &str) {
    let host = if ip.is_ipv4() { ip.to_string() } else { format!("[{ip}]") };
    // `Url` spells the address itself.
    let url = url::Url::parse(&format!("http://{host}/")).unwrap();
    let literal = World::new().ask(url.as_str());
    let by_name = World::new().name("a.example", &[&ip.to_string()]).ask("http://a.example/");
    if reachable {
        let connected = ip.to_canonical();
        for seen in [literal, by_name] {
            assert!(seen.outcome.is_ok(), "{ip} is public ({why}): {:?}", seen.outcome);
            let addresses: Vec<_> = seen.sent[0].connect_to.iter().map(|at| at.ip()).collect();
            assert_eq!(addresses, [connected], "{ip}");
        }
    } else {
        assert!(literal.outcome.is_err() && by_name.outcome.is_err(), "{ip} is not public ({why})");
        let spelled = url.host_str().unwrap();
        check_denied(&literal, &format!("GET `{spelled}`: {OUTSIDE}"));
        check_denied(&by_name, &format!("GET `a.example`: {OUTSIDE}"));
    }
}

#[test]
fn every_special_range_is_refused_or_open_as_the_registry_has_it() {
    let rows = registries();
    for row in &rows {
        for ip in row.samples() {
            check(ip, is_reachable(&rows, ip), row.name);
        }
    }
}

#[test]
fn every_public_sample_is_allowed() {
    for text in PUBLIC {
        check(text.parse().unwrap(), true, "a public sample");
    }
}

#[test]
fn an_ipv4_address_in_ipv6_clothes_is_what_it_carries() {
    let rows = registries();
    let public = PUBLIC.iter().filter_map(|text| text.parse::<Ipv4Addr>().ok());
    let special = rows.iter().flat_map(Row::samples).filter_map(|ip| match ip {
        IpAddr::V4(ip) => Some(ip),
        IpAddr::V6(_) => None,
    });
    for carried in public.chain(special) {
        let low = u128::from(u32::from(carried));
        let reachable = is_reachable(&rows, carried.into());
        let dressed = |prefix: &str, shift: u32| {
            let prefix: Ipv6Addr = prefix.parse().unwrap();
            IpAddr::V6(Ipv6Addr::from(u128::from(prefix) | low << shift))
        };
        check(dressed("::ffff:0:0", 0), reachable, "mapped");
        check(dressed("64:ff9b::", 0), reachable, "NAT64");
        check(dressed("2002::", 80), reachable, "6to4");
        check(dressed("2002::1:2:3:4", 80), reachable, "6to4, a host behind it");
        // These are refused whatever they carry.
        check(dressed("64:ff9b:1::", 0), false, "NAT64 for local use");
        check(dressed("::", 0), false, "compatible");
        check(dressed("::ffff:0:0:0", 0), false, "translated");
        let teredo = u128::from(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0)) | low << 64;
        let client = u128::from(!u32::from(carried));
        check(Ipv6Addr::from(teredo | client).into(), false, "Teredo server and client");
    }
}

#[test]
fn private_addresses_are_opened_by_the_operator_and_by_nothing_else() {
    const OPENED: [&str; 5] =
        ["Private-Use", "Shared Address Space", "Loopback", "Loopback Address", "Unique-Local"];
    let rows = registries();
    for row in &rows {
        for ip in row.samples() {
            let holding = rows.iter().filter(|row| row.holds(ip));
            let row = holding.max_by_key(|row| row.prefix).unwrap();
            let mut world = World::new().name("a.example", &[&ip.to_string()]);
            world.options.allow_private = true;
            let allowed = world.ask("http://a.example/").outcome.is_ok();
            assert_eq!(allowed, row.reachable || OPENED.contains(&row.name), "{ip} {}", row.name);
        }
    }
    // Named one by one, since so much hangs on them: metadata services, and private addresses
    // that only look as if a translator stood before them.
    for ip in [
        "169.254.169.254",
        "169.254.170.2",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b::10.0.0.1",
        "2002:a00:1::",
        "2002:7f00:1::",
        "0.0.0.0",
        "::",
        "255.255.255.255",
        "224.0.0.251",
        "ff02::1",
        "::127.0.0.1",
    ] {
        let mut world = World::new().name("a.example", &[ip]);
        world.options.allow_private = true;
        check_denied(&world.ask("http://a.example/"), &format!("GET `a.example`: {OUTSIDE}"));
    }
}
