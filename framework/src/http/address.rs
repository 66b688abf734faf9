//! Which IP addresses belong to the public network: the IANA special-purpose registries as a table.
//!
//! `Ipv4Addr::is_global` is unstable in `std`, so the registries are written out here, whole, with
//! IANA's names. The longest prefix that holds an address decides, so exceptions need no code. What
//! no row speaks for is refused: for IPv6 that is everything outside `2000::/3`.
//!
//! Sources: <https://www.iana.org/assignments/iana-ipv4-special-registry> and
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use self::Reach::{Carries, Global, Mapped, Private, Refused};

/// Whether `ip` is globally routable: an address of the public network, of one host.
pub(crate) fn is_global(ip: IpAddr) -> bool {
    reach(ip) == Global
}

/// Whether `ip` is what an operator means by a private address: loopback, private use, unique local
/// and carrier-grade NAT.
///
/// Link-local is not: `169.254.169.254` answers with a cloud machine's credentials. Neither are
/// unspecified, multicast, reserved and documentation addresses, which name no service.
pub(crate) fn is_private(ip: IpAddr) -> bool {
    reach(ip) == Private
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Of the public network.
    Global,
    /// Of somebody's own network.
    Private,
    /// Neither.
    Refused,
    /// An IPv4 address written as IPv6 (the last 32 bits), and reached as that.
    Mapped,
    /// Carries an IPv4 address this many bits from the right: global where that one is. A private
    /// address behind a translator is nobody's intention.
    Carries(u32),
}

struct Block {
    first: u128,
    prefix: u32,
    reach: Reach,
}

fn reach(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(ip) => longest(V4, u128::from(u32::from(ip)), u32::BITS),
        IpAddr::V6(ip) => {
            let bits = u128::from(ip);
            match longest(V6, bits, u128::BITS) {
                Mapped => reach(carried(bits, 0)),
                Carries(shift) if reach(carried(bits, shift)) == Global => Global,
                Carries(_) => Refused,
                reach => reach,
            }
        }
    }
}

fn longest(blocks: &[Block], bits: u128, width: u32) -> Reach {
    blocks
        .iter()
        .filter(|block| {
            // A shift by the whole width is an overflow: no bits are compared.
            let differing = bits ^ block.first;
            differing.checked_shr(width - block.prefix).unwrap_or(0) == 0
        })
        .max_by_key(|block| block.prefix)
        .map_or(Refused, |block| block.reach)
}

fn carried(bits: u128, shift: u32) -> IpAddr {
    let low = (bits >> shift) & u128::from(u32::MAX);
    // The mask leaves 32 bits; were it ever wrong, the unspecified address is refused.
    IpAddr::V4(Ipv4Addr::from(u32::try_from(low).unwrap_or(0)))
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32, _name: &str, reach: Reach) -> Block {
    Block { first: Ipv4Addr::new(a, b, c, d).to_bits() as u128, prefix, reach }
}

const fn v6(segments: [u16; 8], prefix: u32, _name: &str, reach: Reach) -> Block {
    let [a, b, c, d, e, f, g, h] = segments;
    Block { first: Ipv6Addr::new(a, b, c, d, e, f, g, h).to_bits(), prefix, reach }
}

const V4: &[Block] = &[
    v4(0, 0, 0, 0, 0, "unicast, but for what follows", Global),
    v4(0, 0, 0, 0, 8, "this network", Refused),
    v4(0, 0, 0, 0, 32, "this host on this network", Refused),
    v4(10, 0, 0, 0, 8, "private use", Private),
    v4(100, 64, 0, 0, 10, "shared address space (carrier-grade NAT)", Private),
    v4(127, 0, 0, 0, 8, "loopback", Private),
    v4(169, 254, 0, 0, 16, "link local, cloud metadata", Refused),
    v4(172, 16, 0, 0, 12, "private use", Private),
    v4(192, 0, 0, 0, 24, "IETF protocol assignments", Refused),
    v4(192, 0, 0, 0, 29, "IPv4 service continuity", Refused),
    v4(192, 0, 0, 8, 32, "IPv4 dummy address", Refused),
    v4(192, 0, 0, 9, 32, "Port Control Protocol anycast", Global),
    v4(192, 0, 0, 10, 32, "TURN anycast", Global),
    v4(192, 0, 0, 170, 31, "NAT64/DNS64 discovery", Refused),
    v4(192, 0, 2, 0, 24, "documentation (TEST-NET-1)", Refused),
    v4(192, 31, 196, 0, 24, "AS112-v4", Global),
    v4(192, 52, 193, 0, 24, "AMT", Global),
    v4(192, 88, 99, 0, 24, "deprecated (6to4 relay anycast)", Refused),
    v4(192, 88, 99, 2, 32, "6a44 relay anycast", Refused),
    v4(192, 168, 0, 0, 16, "private use", Private),
    v4(192, 175, 48, 0, 24, "direct delegation AS112 service", Global),
    v4(198, 18, 0, 0, 15, "benchmarking", Refused),
    v4(198, 51, 100, 0, 24, "documentation (TEST-NET-2)", Refused),
    v4(203, 0, 113, 0, 24, "documentation (TEST-NET-3)", Refused),
    v4(224, 0, 0, 0, 4, "multicast", Refused),
    v4(240, 0, 0, 0, 4, "reserved", Refused),
    v4(255, 255, 255, 255, 32, "limited broadcast", Refused),
];

const V6: &[Block] = &[
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, "deprecated (IPv4-compatible)", Refused),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified", Refused),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", Private),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "IPv4-mapped", Mapped),
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "IPv4-IPv6 translation (NAT64)", Carries(0)),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "IPv4-IPv6 translation, local use", Refused),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discard only", Refused),
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64, "dummy IPv6 prefix", Refused),
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, "global unicast, but for what follows", Global),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "IETF protocol assignments", Refused),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo", Refused),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, "Port Control Protocol anycast", Global),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, "TURN anycast", Global),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128, "DNS-SD service registration anycast", Global),
    v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, "benchmarking", Refused),
    v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32, "AMT", Global),
    v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, "AS112-v6", Global),
    v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28, "deprecated (ORCHID)", Refused),
    v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, "ORCHIDv2", Global),
    v6([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, "drone remote identification", Global),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation", Refused),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4", Carries(80)),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "direct delegation AS112 service", Global),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation", Refused),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, "segment routing SIDs", Refused),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local", Private),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local unicast", Refused),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "deprecated (site local)", Refused),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast", Refused),
];

#[cfg(test)]
mod tests {
    use super::{is_global, is_private};

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Is {
        Global,
        Private,
        Neither,
    }

    /// A final `*` stands for as many `ffff` as there is room for.
    #[track_caller]
    fn check(text: &str, expected: Is) {
        let missing = 8_usize.saturating_sub(text.matches(':').count());
        let ip = text.replace('*', &vec!["ffff"; missing].join(":")).parse().unwrap();
        let found = match (is_global(ip), is_private(ip)) {
            (true, false) => Is::Global,
            (false, true) => Is::Private,
            (false, false) => Is::Neither,
            (true, true) => panic!("{text} is both"),
        };
        assert_eq!(found, expected, "{text}");
    }

    /// What lies just before, at the first, at the last and just after a block.
    #[track_caller]
    fn edges(before: (&str, Is), first: &str, last: &str, inside: Is, after: (&str, Is)) {
        check(before.0, before.1);
        check(first, inside);
        check(last, inside);
        check(after.0, after.1);
    }

    #[test]
    fn every_ipv4_block_ends_where_the_registry_says() {
        use Is::{Global, Neither, Private};

        check("0.0.0.0", Neither);
        check("0.255.255.255", Neither);
        check("1.0.0.0", Global);
        for (before, first, last, inside, after) in [
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", Private, "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", Private, "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", Private, "128.0.0.0"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", Neither, "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", Private, "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.8", Neither, "192.0.0.9"),
            ("192.0.0.10", "192.0.0.11", "192.0.0.255", Neither, "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", Neither, "192.0.3.0"),
            ("192.31.195.255", "192.31.196.0", "192.31.196.255", Global, "192.31.197.0"),
            ("192.52.192.255", "192.52.193.0", "192.52.193.255", Global, "192.52.194.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", Neither, "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", Private, "192.169.0.0"),
            ("192.175.47.255", "192.175.48.0", "192.175.48.255", Global, "192.175.49.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", Neither, "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", Neither, "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", Neither, "203.0.114.0"),
        ] {
            edges((before, Global), first, last, inside, (after, Global));
        }
        edges(
            ("223.255.255.255", Global),
            "224.0.0.0",
            "239.255.255.255",
            Neither,
            ("240.0.0.0", Neither),
        );
        check("255.255.255.254", Neither);
        check("255.255.255.255", Neither);
        check("192.0.0.170", Neither);
        check("192.0.0.171", Neither);
    }

    #[test]
    fn every_ipv6_block_ends_where_the_registry_says() {
        use Is::{Global, Neither, Private};

        for (before, first, last, inside, after) in [
            (("::", Neither), "::1", "::1", Private, ("::2", Neither)),
            (("::2", Neither), "::8.8.8.8", "::ffff:ffff", Neither, ("::1:0:0", Neither)),
            (
                ("64:ff9b::", Neither),
                "64:ff9b::808:808",
                "64:ff9b::dfff:ffff",
                Global,
                ("64:ff9b::e000:0", Neither),
            ),
            (
                ("64:ff9b::1:0:0", Neither),
                "64:ff9b:1::",
                "64:ff9b:1:*",
                Neither,
                ("64:ff9b:2::", Neither),
            ),
            (("ff:ffff::", Neither), "100::", "100:0:0:0:*", Neither, ("100:0:0:1::", Neither)),
            (
                ("100:0:0:0:*", Neither),
                "100:0:0:1::",
                "100:0:0:1:*",
                Neither,
                ("100:0:0:2::", Neither),
            ),
            (("1fff:*", Neither), "2000::", "2000:*", Global, ("2001::", Neither)),
            (("2000:*", Global), "2001::", "2001:0:*", Neither, ("2001:1::", Neither)),
            (("2001:1::", Neither), "2001:1::1", "2001:1::3", Global, ("2001:1::4", Neither)),
            (
                ("2001:1:ffff::", Neither),
                "2001:2::",
                "2001:2:0:*",
                Neither,
                ("2001:2:1::", Neither),
            ),
            (("2001:2:*", Neither), "2001:3::", "2001:3:*", Global, ("2001:4::", Neither)),
            (
                ("2001:4:111:*", Neither),
                "2001:4:112::",
                "2001:4:112:*",
                Global,
                ("2001:4:113::", Neither),
            ),
            (("2001:f:ffff::", Neither), "2001:10::", "2001:1f:*", Neither, ("2001:20::", Global)),
            (("2001:1f:*", Neither), "2001:20::", "2001:2f:*", Global, ("2001:30::", Global)),
            (("2001:2f:ffff::", Global), "2001:30::", "2001:3f:*", Global, ("2001:40::", Neither)),
            (
                ("2001:3f:ffff::", Global),
                "2001:40::",
                "2001:1ff:*",
                Neither,
                ("2001:200::", Global),
            ),
            (("2001:db7:*", Global), "2001:db8::", "2001:db8:*", Neither, ("2001:db9::", Global)),
            (("2001:*", Global), "2002::", "2002:ff:*", Neither, ("2002:100::", Global)),
            (("2002:dfff:ffff::", Global), "2002:e000::", "2002:*", Neither, ("2003::", Global)),
            (
                ("2620:4f:7fff::", Global),
                "2620:4f:8000::",
                "2620:4f:8000:*",
                Global,
                ("2620:4f:8001::", Global),
            ),
            (("3ffe:*", Global), "3fff::", "3fff:fff:*", Neither, ("3fff:1000::", Global)),
            (("3fff:*", Global), "4000::", "5eff:*", Neither, ("5f00::", Neither)),
            (("5eff::", Neither), "5f00::", "5f00:*", Neither, ("5f01::", Neither)),
            (("fbff:*", Neither), "fc00::", "fdff:*", Private, ("fe00::", Neither)),
            (("fe7f::", Neither), "fe80::", "febf:*", Neither, ("fec0::", Neither)),
            (("febf::", Neither), "fec0::", "feff:*", Neither, ("ff00::", Neither)),
            (("feff::", Neither), "ff00::", "ffff:*", Neither, ("ff02::1", Neither)),
        ] {
            edges(before, first, last, inside, after);
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_one_is_unwrapped() {
        use Is::{Global, Neither, Private};

        for (text, expected) in [
            ("::ffff:8.8.8.8", Global),
            ("::ffff:127.0.0.1", Private),
            ("::ffff:10.0.0.1", Private),
            ("::ffff:169.254.169.254", Neither),
            ("::fffe:8.8.8.8", Neither),
            ("::1:0:808:808", Neither),
            ("::ffff:0:8.8.8.8", Neither),
            ("64:ff9b::8.8.8.8", Global),
            ("64:ff9b::169.254.169.254", Neither),
            // Private behind a translator is refused even where private addresses are allowed.
            ("64:ff9b::10.0.0.1", Neither),
            ("2002:808:808::1", Global),
            ("2002:7f00:1::", Neither),
            ("2002:a9fe:a9fe::", Neither),
            ("2002:c0a8:101::", Neither),
            // Teredo of a public server and client.
            ("2001:0:808:808:0:0:f7f7:f7f7", Neither),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn public_services_are_global() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "104.26.10.78",
            "192.0.0.9",
            "192.0.0.10",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001:829::200e",
            "2400:cb00::1",
        ] {
            check(text, Is::Global);
        }
    }
}
